//! The sessions, with sums over them kept up to date, so that an input costs the same with ten workers or thousands.

use std::collections::{BTreeMap, BTreeSet};

use super::{Now, session::Session};
use crate::{
    ids::{ProcessId, SessionId, StageKey},
    ranges::RangeSet,
};

/// Number of workers that are not leaving, and of their threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Fleet {
    pub(super) sessions: u64,
    pub(super) threads: u64,
}

/// What workers hold of a stage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Held {
    /// Trials; one that two workers hold counts twice.
    pub(super) trials: u64,
    /// Most threads that can run them at once.
    pub(super) threads: u64,
}

#[derive(Debug, Default)]
pub(super) struct Sessions {
    all: BTreeMap<SessionId, Session>,
    by_process: BTreeMap<ProcessId, SessionId>,
    /// Sessions that hold no trials and are not leaving.
    idle: BTreeSet<SessionId>,
    /// How many workers that are not leaving have each name.
    names: BTreeMap<String, u32>,
    fleet: Fleet,
    /// What all of them hold, by stage.
    held: BTreeMap<StageKey, Held>,
}

impl Sessions {
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn get(&self, id: SessionId) -> Option<&Session> {
        self.all.get(&id)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (SessionId, &Session)> {
        self.all.iter().map(|(&id, session)| (id, session))
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &Session> {
        self.all.values()
    }

    pub(super) fn ids(&self) -> Vec<SessionId> {
        self.all.keys().copied().collect()
    }

    /// The session of a worker process.
    pub(super) fn of_process(&self, process: ProcessId) -> Option<SessionId> {
        self.by_process.get(&process).copied()
    }

    /// Sessions that hold no trials and are not leaving.
    pub(super) fn idle(&self) -> &BTreeSet<SessionId> {
        &self.idle
    }

    /// Number of workers that are not leaving, and of their threads.
    pub(super) fn fleet(&self) -> Fleet {
        self.fleet
    }

    /// What workers hold of a stage.
    pub(super) fn held(&self, stage: StageKey) -> Held {
        self.held.get(&stage).copied().unwrap_or_default()
    }

    /// Whether workers of more than one name are connected and not leaving.
    pub(super) fn names_differ(&self) -> bool {
        self.names.len() > 1
    }

    /// Whether a worker of a name other than `name` is connected and not leaving.
    pub(super) fn any_other_than(&self, name: &str) -> bool {
        self.names.len() > 1 || self.names.keys().any(|other| other != name)
    }

    /// The machine of a worker, if it is known and workers of other machines are connected.
    pub(super) fn host_among_others(&self, name: &str) -> Option<String> {
        let host = &self.all.values().find(|session| session.worker.name == name)?.worker.place.host;
        let others = self.all.values().any(|session| session.worker.place.host != *host);
        (others && !host.is_empty()).then(|| host.clone())
    }

    /// Names of the workers on a machine.
    pub(super) fn names_on(&self, host: &str) -> impl Iterator<Item = String> + use<> {
        let of = self.all.values().filter(|session| session.worker.place.host == host);
        of.map(|session| session.worker.name.clone()).collect::<BTreeSet<_>>().into_iter()
    }

    pub(super) fn insert(&mut self, id: SessionId, session: Session) {
        self.by_process.insert(session.worker.process, id);
        if !session.leaving {
            self.count_in(&session);
        }
        if session.is_idle() && !session.leaving {
            self.idle.insert(id);
        }
        self.all.insert(id, session);
    }

    pub(super) fn remove(&mut self, id: SessionId) -> Option<Session> {
        let session = self.all.remove(&id)?;
        if self.of_process(session.worker.process) == Some(id) {
            self.by_process.remove(&session.worker.process);
        }
        self.idle.remove(&id);
        if !session.leaving {
            self.count_out(&session);
        }
        for stage in session.stages() {
            self.recount(stage, session.held(stage), Held::default());
        }
        Some(session)
    }

    /// Gives trials of a stage to a session, of which at most `threads` of its threads run some at once; false if there
    /// is no such session.
    pub(super) fn give(&mut self, id: SessionId, now: Now, stage: StageKey, trials: RangeSet, threads: u32) -> bool {
        self.change_of(id, stage, |session| session.give(now, stage, trials, threads)).is_some()
    }

    /// Takes `trials` of a stage from a session; returns those that it held.
    pub(super) fn release(&mut self, id: SessionId, stage: StageKey, trials: &RangeSet) -> Option<RangeSet> {
        self.change_of(id, stage, |session| session.release(stage, trials))
    }

    /// Takes all trials of a stage from a session and returns them.
    pub(super) fn release_stage(&mut self, id: SessionId, stage: StageKey) -> RangeSet {
        self.change_of(id, stage, |session| session.release_stage(stage)).unwrap_or_default()
    }

    /// Changes what a session holds of a stage.
    fn change_of<R>(&mut self, id: SessionId, stage: StageKey, change: impl FnOnce(&mut Session) -> R) -> Option<R> {
        let (result, before, after) = self.change(id, |session| {
            let before = session.held(stage);
            (change(session), before, session.held(stage))
        })?;
        self.recount(stage, before, after);
        Some(result)
    }

    fn recount(&mut self, stage: StageKey, before: Held, after: Held) {
        let held = self.held.entry(stage).or_default();
        held.trials = held.trials + after.trials - before.trials;
        held.threads = held.threads + after.threads - before.threads;
        if held.trials == 0 {
            self.held.remove(&stage);
        }
    }

    /// Changes a session and updates the sums. What it holds is changed by the methods for that alone.
    pub(super) fn change<R>(&mut self, id: SessionId, change: impl FnOnce(&mut Session) -> R) -> Option<R> {
        let session = self.all.get_mut(&id)?;
        let (left, idle) = (session.leaving, session.is_idle());
        let result = change(session);
        let (leaves, idles) = (session.leaving, session.is_idle());
        if idle != idles || left != leaves {
            if idles && !leaves {
                self.idle.insert(id);
            } else {
                self.idle.remove(&id);
            }
        }
        if leaves && !left {
            let session = self.all.remove(&id)?;
            self.count_out(&session);
            self.all.insert(id, session);
        }
        Some(result)
    }

    /// Notes that results of the workers of these names differ.
    pub(super) fn disputed(&mut self, names: [&String; 2]) {
        let parties = self.all.values_mut().filter(|session| names.contains(&&session.worker.name));
        parties.for_each(|session| session.served.counts.disputes += 1);
    }

    fn count_in(&mut self, session: &Session) {
        self.fleet.sessions += 1;
        self.fleet.threads += u64::from(session.worker.threads);
        *self.names.entry(session.worker.name.clone()).or_default() += 1;
    }

    fn count_out(&mut self, session: &Session) {
        self.fleet.sessions -= 1;
        self.fleet.threads -= u64::from(session.worker.threads);
        if let Some(count) = self.names.get_mut(&session.worker.name) {
            *count -= 1;
            if *count == 0 {
                self.names.remove(&session.worker.name);
            }
        }
    }

    /// Compares the sums with the sessions.
    ///
    /// # Panics
    /// If they differ.
    pub(super) fn check(&self) {
        let idle = self.all.iter().filter(|(_, s)| s.is_idle() && !s.leaving).map(|(&id, _)| id);
        assert!(idle.eq(self.idle.iter().copied()), "the list of idle sessions is wrong");
        let mut held: BTreeMap<StageKey, Held> = BTreeMap::new();
        for session in self.all.values() {
            for stage in session.stages() {
                let (sum, of) = (held.entry(stage).or_default(), session.held(stage));
                (sum.trials, sum.threads) = (sum.trials + of.trials, sum.threads + of.threads);
            }
        }
        assert_eq!(held, self.held, "held trials are miscounted");
        let (mut names, mut fleet) = (BTreeMap::new(), Fleet::default());
        for session in self.all.values().filter(|session| !session.leaving) {
            *names.entry(session.worker.name.clone()).or_default() += 1;
            fleet.sessions += 1;
            fleet.threads += u64::from(session.worker.threads);
        }
        assert_eq!((&names, fleet), (&self.names, self.fleet), "the fleet is miscounted");
    }
}
