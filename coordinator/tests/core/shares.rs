//! How several runs divide the fleet: fleets in simulated time, with trials of known durations.

use std::{
    collections::{BTreeMap, VecDeque},
    num::NonZeroU32,
    ops::Range,
};

use super::*;

/// Seconds of trials that a worker's thread takes from its queue at once.
const PORTION_SECS: f64 = 0.005;

/// A run: its quota, what its trials take and the trials of each of its stages.
#[derive(Clone)]
struct Kind {
    quota: Quota,
    secs: f64,
    trials: u64,
    /// Seconds in which a stage is closed.
    barrier: f64,
}

/// Without an end or a barrier.
fn kind(priority: u32, secs: f64) -> Kind {
    Kind { quota: Quota { priority, max_threads: None }, secs, trials: 1 << 40, barrier: 0.0 }
}

fn key(run: usize) -> RunId {
    RunId([run as u8; 16])
}

/// Trials of one stage and one run that a thread runs.
struct Portion {
    run: usize,
    trials: Range<u64>,
    since: f64,
    until: f64,
}

struct Fake {
    queue: BTreeMap<StageKey, VecDeque<Range<u64>>>,
    threads_max: BTreeMap<StageKey, usize>,
    /// Seconds of trials taken, by stage, since others wait beside them.
    taken: BTreeMap<StageKey, f64>,
    threads: Vec<Option<Portion>>,
    batch: u64,
}

struct Fleet {
    core: Core,
    now: f64,
    kinds: Vec<Kind>,
    /// The open stage of each run.
    stages: Vec<u32>,
    workers: Vec<Fake>,
    /// Stages that are being closed: when, and which.
    closing: Vec<(f64, StageKey)>,
    /// Thread seconds of each run since the last [`Fleet::shares`], and the most threads that ran one at once.
    used: Vec<f64>,
    most: Vec<usize>,
    since: f64,
}

impl Fleet {
    fn new() -> Self {
        Fleet {
            core: Core::new(HEARTBEAT),
            now: 0.0,
            kinds: Vec::new(),
            stages: Vec::new(),
            workers: Vec::new(),
            closing: Vec::new(),
            used: Vec::new(),
            most: Vec::new(),
            since: 0.0,
        }
    }

    /// Workers that join when the runs are there.
    fn with(threads: &[usize], kinds: &[Kind]) -> Self {
        let mut fleet = Fleet::new();
        kinds.iter().for_each(|kind| fleet.open(kind.clone()));
        threads.iter().for_each(|&count| fleet.join(count));
        fleet
    }

    fn join(&mut self, count: usize) {
        let index = self.workers.len();
        let threads = (0..count).map(|_| None).collect();
        let queue = BTreeMap::new();
        self.workers.push(Fake { queue, threads_max: BTreeMap::new(), taken: BTreeMap::new(), threads, batch: 0 });
        let (name, process) = (format!("w{index}"), identity(index as u64));
        let worker = Worker { name, process, threads: count as u32, place: Default::default() };
        let session = SessionId(index as u64);
        self.tell(Input::SessionOpened { session, worker, held: Vec::new() });
    }

    fn open(&mut self, kind: Kind) {
        let open = OpenRun {
            run: key(self.kinds.len()),
            state: RunState::Running,
            stage: stage(0, kind.trials),
            stored: BTreeMap::new(),
            quarantined: RangeSet::new(),
            failures: BTreeMap::new(),
            audit: 0.0,
            disputes: BTreeMap::new(),
            distrusted: Vec::new(),
            quota: kind.quota,
        };
        self.kinds.push(kind);
        self.stages.push(0);
        self.used.push(0.0);
        self.most.push(0);
        self.tell(Input::RunOpened(Box::new(open)));
    }

    fn tell(&mut self, input: Input) {
        let mut inputs = VecDeque::from([input]);
        while let Some(input) = inputs.pop_front() {
            let mut actions = Vec::new();
            self.core.handle(Duration::from_secs_f64(self.now), input, &mut actions);
            for action in actions {
                match action {
                    Action::Lease { session, stage, trials, threads_max, .. } => {
                        let worker = &mut self.workers[session.0 as usize];
                        let most = threads_max.map_or(usize::MAX, |most| most.get() as usize);
                        worker.threads_max.insert(stage, most);
                        if !worker.queue.contains_key(&stage) {
                            let others = worker.queue.keys().map(|other| worker.taken[other]);
                            worker.taken.insert(stage, others.reduce(f64::min).unwrap_or(0.0));
                        }
                        worker.queue.entry(stage).or_default().extend(trials.iter());
                    }
                    Action::Forget { session, stage } => {
                        self.workers[session.0 as usize].queue.remove(&stage);
                    }
                    Action::Store { ticket, .. } => {
                        inputs.push_back(Input::Committed { ticket, repeats: Vec::new() });
                    }
                    Action::CloseStage(stage) => {
                        let run = usize::from(stage.run.0[0]);
                        self.closing.push((self.now + self.kinds[run].barrier, stage));
                    }
                    _ => {}
                }
            }
        }
        self.begin();
    }

    /// Makes idle threads take what waits.
    fn begin(&mut self) {
        for worker in &mut self.workers {
            for thread in 0..worker.threads.len() {
                if worker.threads[thread].is_some() {
                    continue;
                }
                // The stages in turn, as in `worker/src/queue.rs`.
                let run = |stage: &StageKey| usize::from(stage.run.0[0]);
                let on = |run| worker.threads.iter().flatten().filter(|portion| portion.run == run).count();
                let free = |stage: &&StageKey| on(run(stage)) < worker.threads_max[*stage];
                let taken = |stage: &StageKey| worker.taken[stage];
                let next = worker.queue.keys().filter(free).min_by(|a, b| taken(a).total_cmp(&taken(b)));
                let Some(&stage) = next else { break };
                let run = run(&stage);
                let Some(ranges) = worker.queue.get_mut(&stage) else { break };
                let Some(range) = ranges.front_mut() else { break };
                let secs = self.kinds[run].secs;
                let count = ((PORTION_SECS / secs) as u64).clamp(1, range.end - range.start);
                let trials = range.start..range.start + count;
                range.start = trials.end;
                *worker.taken.entry(stage).or_default() += count as f64 * secs;
                if range.is_empty() {
                    ranges.pop_front();
                }
                if ranges.is_empty() {
                    worker.queue.remove(&stage);
                }
                worker.threads[thread] =
                    Some(Portion { run, trials, since: self.now, until: self.now + count as f64 * secs });
            }
        }
        for run in 0..self.kinds.len() {
            let running = self.workers.iter().flat_map(|worker| worker.threads.iter().flatten());
            self.most[run] = self.most[run].max(running.filter(|portion| portion.run == run).count());
        }
    }

    /// Lets `secs` pass.
    fn pass(&mut self, secs: f64) {
        let end = self.now + secs;
        loop {
            let threads = self.workers.iter().enumerate().flat_map(|(at, worker)| {
                worker.threads.iter().enumerate().filter_map(move |(t, p)| Some((p.as_ref()?.until, at, t)))
            });
            let next = threads.min_by(|a, b| a.0.total_cmp(&b.0));
            let closing = (0..self.closing.len()).min_by(|&a, &b| self.closing[a].0.total_cmp(&self.closing[b].0));
            if let Some(at) = closing.filter(|&at| next.is_none_or(|next| self.closing[at].0 <= next.0)) {
                let (until, StageKey { run, stage: closed }) = self.closing[at];
                if until > end {
                    break;
                }
                self.closing.remove(at);
                self.now = until;
                self.stages[usize::from(run.0[0])] = closed + 1;
                let next = stage(closed + 1, self.kinds[usize::from(run.0[0])].trials);
                self.tell(Input::StageClosed { run, next: Ok(next) });
                continue;
            }
            let Some((until, at, thread)) = next.filter(|next| next.0 <= end) else { break };
            self.now = until;
            let Some(Portion { run, trials, since, .. }) = self.workers[at].threads[thread].take() else { break };
            self.used[run] += until - since.max(self.since);
            self.workers[at].batch += 1;
            let (session, batch) = (SessionId(at as u64), self.workers[at].batch);
            let mut rows = rows(&trials.collect::<Vec<_>>());
            rows.elapsed_us.fill((self.kinds[run].secs * 1e6) as u64);
            let stage = StageKey { run: key(run), stage: self.stages[run] };
            self.tell(Input::Results { session, batch, stage, rows });
        }
        self.now = end;
        self.tell(Input::Tick);
        self.core.check();
    }

    /// Shares of the runs in the thread time since the last call, and of all threads' time.
    fn shares(&mut self) -> (Vec<f64>, f64) {
        let running = self.workers.iter().flat_map(|worker| worker.threads.iter().flatten());
        for portion in running {
            self.used[portion.run] += self.now - portion.since.max(self.since);
        }
        let sum: f64 = self.used.iter().sum();
        let threads: usize = self.workers.iter().map(|worker| worker.threads.len()).sum();
        let shares = self.used.iter().map(|used| used / sum).collect();
        let busy = sum / (threads as f64 * (self.now - self.since));
        self.used.fill(0.0);
        self.most.fill(0);
        self.since = self.now;
        (shares, busy)
    }
}

#[track_caller]
fn assert_near(found: &[f64], wanted: &[f64], within: f64) {
    let near = found.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() <= within * wanted);
    assert!(near && found.len() == wanted.len(), "{found:.4?} instead of {wanted:.4?}");
}

#[test]
fn runs_get_the_threads_by_priority_whatever_their_trials_take() {
    for (threads, secs) in [
        (&[1][..], [0.01, 0.01, 0.01]),
        (&[2], [0.002, 0.3, 0.02]),
        (&[4], [0.3, 0.002, 1.5]),
        (&[1, 2, 5], [0.02, 1.5, 0.005]),
        (&[16, 16], [0.02, 7.0, 0.3]),
        (&[64], [0.05, 0.3, 7.0]),
    ] {
        let mut fleet = Fleet::with(threads, &[kind(2, secs[0]), kind(1, secs[1]), kind(1, secs[2])]);
        fleet.pass(60.0);
        let (shares, busy) = fleet.shares();
        assert_near(&shares, &[0.5, 0.25, 0.25], 0.1);
        // Also over a stretch in the middle; no thread is ever without work.
        fleet.pass(60.0);
        let (shares, again) = fleet.shares();
        assert_near(&shares, &[0.5, 0.25, 0.25], 0.1);
        assert!(busy > 0.999 && again > 0.999, "{busy}, {again}: {threads:?}, {secs:?}");
    }
}

#[test]
fn trials_of_20_s_and_of_5_ms_share_fairly_from_the_start() {
    for first in [[20.0, 0.005], [0.005, 20.0]] {
        let mut fleet = Fleet::with(&[2, 4], &[kind(1, first[0]), kind(1, first[1])]);
        fleet.pass(20.0);
        assert_near(&fleet.shares().0, &[0.5, 0.5], 0.1);
        fleet.pass(200.0);
        assert_near(&fleet.shares().0, &[0.5, 0.5], 0.1);
    }
}

#[test]
fn priorities_may_be_far_apart_and_may_change() {
    let mut fleet = Fleet::with(&[4, 4], &[kind(1_000, 0.01), kind(1, 0.01)]);
    fleet.pass(100.0);
    let (shares, _) = fleet.shares();
    // A thousandth, and at the start up to one lease: two seconds of eight threads.
    assert!((0.0005..0.021).contains(&shares[1]), "{shares:?}");
    let quota = Quota { priority: 3, max_threads: None };
    fleet.tell(Input::Prioritize { run: key(0), quota });
    fleet.pass(10.0);
    fleet.shares();
    fleet.pass(60.0);
    assert_near(&fleet.shares().0, &[0.75, 0.25], 0.1);
}

#[test]
fn what_a_run_cannot_use_goes_to_the_others_and_is_not_repaid() {
    let mut fleet = Fleet::with(&[4, 4], &[kind(1, 0.01), kind(1, 0.02)]);
    fleet.pass(10.0);
    fleet.shares();
    fleet.tell(Input::Pause(key(0)));
    fleet.pass(300.0);
    let (shares, busy) = fleet.shares();
    assert!(shares[1] > 0.999 && busy > 0.999, "{shares:?} of {busy}");
    fleet.tell(Input::Resume(key(0)));
    fleet.pass(30.0);
    assert_near(&fleet.shares().0, &[0.5, 0.5], 0.1);
    // A run that is submitted later begins where the others are.
    fleet.open(kind(2, 0.05));
    fleet.pass(30.0);
    assert_near(&fleet.shares().0, &[0.25, 0.25, 0.5], 0.1);
    // And one that the store cannot write is left out meanwhile.
    fleet.tell(Input::StoreTrouble { run: key(2), why: "disk full".to_owned() });
    fleet.pass(5.0);
    fleet.shares();
    fleet.pass(60.0);
    assert_near(&fleet.shares().0[..2], &[0.5, 0.5], 0.1);
    fleet.tell(Input::StoreRecovered(key(2)));
    fleet.pass(30.0);
    assert_near(&fleet.shares().0, &[0.25, 0.25, 0.5], 0.1);
}

#[test]
fn a_run_with_barriers_leaves_no_thread_idle_and_keeps_its_turn() {
    // Stages of 4 s on one thread, and then half a second in which they are closed.
    let stages = Kind { trials: 400, barrier: 0.5, ..kind(1, 0.01) };
    let mut fleet = Fleet::with(&[2, 2], &[kind(1, 0.02), stages]);
    fleet.pass(5.0);
    fleet.shares();
    let before = fleet.stages[1];
    fleet.pass(100.0);
    let (shares, busy) = fleet.shares();
    assert!(busy > 0.999, "{busy}");
    // Alone it would take 1.5 s a stage; beside an equal run, twice the work and waiting for leases of 2 s.
    let stages = fleet.stages[1] - before;
    assert!(stages >= 20 && shares[1] <= 0.5, "{stages} stages, {shares:?}");
}

#[test]
fn a_run_stays_on_as_many_threads_as_it_may_have() {
    let most =
        |most: u32, kind: Kind| Kind { quota: Quota { max_threads: NonZeroU32::new(most), ..kind.quota }, ..kind };
    for (threads, secs) in [(&[2, 2, 2, 2][..], 0.01), (&[8], 0.3), (&[1, 3, 8], 0.02), (&[16], 20.0)] {
        // Limited below its share: the others have the rest, and no thread is idle.
        let mut fleet = Fleet::with(threads, &[most(2, kind(1_000, secs)), kind(1, 0.05)]);
        let all: usize = threads.iter().sum();
        fleet.pass(30.0);
        assert!(fleet.most[0] == 2 && fleet.most[1] >= all - 2, "{:?} of {threads:?}", fleet.most);
        let (shares, busy) = fleet.shares();
        assert!(busy > 0.99, "{busy}");
        assert_near(&shares[..1], &[2.0 / all as f64], 0.25);
        // Without a limit it takes up what its priority gives; the time below the limit is not repaid.
        fleet.tell(Input::Prioritize { run: key(0), quota: Quota::default() });
        fleet.pass(25.0);
        fleet.shares();
        fleet.pass(60.0);
        assert_near(&fleet.shares().0, &[0.5, 0.5], 0.15);
    }
    // Alone it leaves the other threads idle.
    let mut fleet = Fleet::with(&[4, 4], &[most(3, kind(1, 0.1))]);
    fleet.pass(20.0);
    assert_eq!(fleet.most, [3]);
}
