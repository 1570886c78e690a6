//! What the core knows of one connected worker.

use std::{collections::BTreeMap, time::Duration};

use super::Now;
use crate::{ids::StageKey, ranges::RangeSet};

/// A worker as it introduced itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Unique in the fleet.
    pub name: String,
    /// Executor threads, at least 1.
    pub threads: u32,
}

#[derive(Debug)]
pub(super) struct Session {
    pub(super) worker: Worker,
    /// When it last spoke.
    pub(super) heard: Now,
    /// Age of its oldest running trial when it last said so.
    pub(super) oldest: Duration,
    /// Leased trials whose result has not arrived.
    pub(super) held: BTreeMap<StageKey, RangeSet>,
    /// It has handed work back and gets no more.
    pub(super) leaving: bool,
}

impl Session {
    pub(super) fn new(worker: Worker, now: Now) -> Self {
        Session { worker, heard: now, oldest: Duration::ZERO, held: BTreeMap::new(), leaving: false }
    }

    /// Takes `trials` out of what the session holds; returns those it held.
    pub(super) fn release(&mut self, stage: StageKey, trials: &RangeSet) -> RangeSet {
        let Some(held) = self.held.get_mut(&stage) else { return RangeSet::new() };
        let mut released = RangeSet::new();
        for range in trials.iter() {
            released.insert_all(&held.extract(range));
        }
        if held.is_empty() {
            self.held.remove(&stage);
        }
        released
    }
}
