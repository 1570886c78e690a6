//! A core that is told what happens, line by line.

use std::time::Duration;

use launch::{
    core::{Act, Core, Demand, Member, Policy, Seen},
    job::JobId,
    journal::{Entry, Record},
    systems::{JobState, Queued, Refusal, RefusalClass},
};

/// Seconds since 1970 at second 0 of a script.
const EPOCH: u64 = 1_800_000_000;

pub(crate) struct Script {
    pub(crate) core: Core,
    pub(crate) now: u64,
    pub(crate) journal: Vec<Record>,
    pub(crate) demand: Demand,
    pub(crate) members: Vec<Member>,
    pub(crate) queue: Vec<Queued>,
}

/// The policy of scripts: up to 8 jobs of 4 cores and an hour.
pub(crate) fn policy() -> Policy {
    Policy::new(8, 4, Duration::from_secs(3_600))
}

impl Script {
    pub(crate) fn new(policy: Policy) -> Self {
        Script::after(policy, &[], 0)
    }

    /// A launcher that starts at second `now` with this journal.
    pub(crate) fn after(policy: Policy, journal: &[Record], now: u64) -> Self {
        let mut acts = Vec::new();
        let core = Core::new(policy, "00000001", journal, EPOCH + now, Duration::from_secs(now), &mut acts);
        assert!(acts.contains(&Act::Query), "the queue is read first");
        let demand = Demand { left: Some(1e9), width: 1_000, ended: false, trial_secs: Some(1.0) };
        let mut script = Script { core, now, journal: journal.to_vec(), demand, members: vec![], queue: vec![] };
        script.keep(&acts);
        script
    }

    fn keep(&mut self, acts: &[Act]) {
        for act in acts {
            if let Act::Note(entry) = act {
                self.journal.push(Record { at: EPOCH + self.now, entry: entry.clone() });
            }
        }
    }

    /// Tells the core and gives what it asks for, notes aside.
    pub(crate) fn tell(&mut self, seen: Seen) -> Vec<Act> {
        let mut acts = Vec::new();
        self.core.handle(Duration::from_secs(self.now), seen, &mut acts);
        self.keep(&acts);
        acts.retain(|act| !matches!(act, Act::Note(_)));
        acts
    }

    pub(crate) fn fleet(&mut self) -> Vec<Act> {
        let (demand, members) = (self.demand, self.members.clone());
        self.tell(Seen::Fleet { demand, members })
    }

    pub(crate) fn read(&mut self) -> Vec<Act> {
        let queue = self.queue.clone();
        self.tell(Seen::Queue(Ok(queue)))
    }

    /// Accepts the only job that is asked for, which waits then; gives its name and what follows.
    pub(crate) fn accept(&mut self, acts: &[Act]) -> (String, Vec<Act>) {
        let name = asked(acts).expect("a job is asked for");
        let id = JobId(format!("{}", 100 + self.queue.len()));
        self.queue.push(queued(&id.0, &name, JobState::Waiting));
        let acts = self.tell(Seen::Submitted { name: name.clone(), answer: Ok(id) });
        (name, acts)
    }

    pub(crate) fn refuse(&mut self, acts: &[Act], class: RefusalClass) -> Vec<Act> {
        let name = asked(acts).expect("a job is asked for");
        self.tell(Seen::Submitted { name, answer: Err(Refusal { class, text: "no".into() }) })
    }

    /// Lets time pass in steps of five seconds, with answers of the coordinator and the queue, until the core asks for
    /// something that is neither; gives it.
    pub(crate) fn until(&mut self, last: u64) -> Vec<Act> {
        while self.now < last {
            self.now += 5;
            let mut acts = self.fleet();
            if acts.contains(&Act::Query) {
                acts.retain(|act| *act != Act::Query);
                acts.extend(self.read());
            }
            if !acts.is_empty() {
                return acts;
            }
        }
        Vec::new()
    }

    pub(crate) fn run(&mut self, name: &str, host: &str) {
        let job = self.queue.iter_mut().find(|job| job.name == name).expect("it is in the queue");
        job.state = JobState::Running;
        host.clone_into(&mut job.host);
    }

    pub(crate) fn join(&mut self, name: &str) {
        self.members.push(Member {
            allocation: name.into(),
            restart: 0,
            host: "n".into(),
            threads: 4,
            idle_secs: None,
            useful_secs: 0.0,
        });
    }

    pub(crate) fn noted(&self, what: impl Fn(&Entry) -> bool) -> usize {
        self.journal.iter().filter(|record| what(&record.entry)).count()
    }
}

pub(crate) fn queued(id: &str, name: &str, state: JobState) -> Queued {
    Queued {
        id: JobId(id.into()),
        name: name.into(),
        state,
        reason: String::new(),
        start: String::new(),
        restarts: 0,
        host: String::new(),
        ran_secs: None,
    }
}

/// The job that is asked for.
pub(crate) fn asked(acts: &[Act]) -> Option<String> {
    let mut names = acts.iter().filter_map(|act| match act {
        Act::Submit { name, .. } => Some(name.clone()),
        _ => None,
    });
    let name = names.next();
    assert!(names.next().is_none(), "one submission at a time");
    name
}
