//! Worker processes whose session was lost, until it is known whether they have died.
//!
//! A lost session does not mean that its process has died: connections are cut, machines sleep, processes are stopped.
//! The trials of the session wait again at once. The process counts as dead only when it has been absent for some
//! heartbeats ([`RETURN_HEARTBEATS`]), or when a new process has joined under its name; then its trials are suspected. A
//! process that returns even later had not died, and the suspicion is withdrawn.

use std::collections::BTreeMap;

use super::{Counts, Now};
use crate::{
    ids::{ProcessId, StageKey},
    ranges::RangeSet,
};

/// Heartbeats after which an absent process counts as dead.
pub(super) const RETURN_HEARTBEATS: u32 = 6;
/// Most dead processes that are remembered in case they return; beyond that, the oldest are forgotten.
const DEAD_MAX: usize = 4_096;

/// A failure that was counted for a trial because a process died.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Strike {
    pub(super) stage: StageKey,
    pub(super) trial: u64,
    pub(super) attempt: u32,
}

/// A process without a session.
#[derive(Debug)]
pub(super) struct Absence {
    pub(super) name: String,
    /// When its session was lost.
    pub(super) since: Now,
    /// What it may have been running, by stage.
    pub(super) front: Vec<(StageKey, RangeSet)>,
    /// Stages of which it ran suspects alone; those wait for it.
    pub(super) alone: Vec<StageKey>,
    /// If it counts as dead: the failures that were counted for that.
    pub(super) dead: Option<Vec<Strike>>,
    /// What became of the trials that it got.
    pub(super) counts: Counts,
}

impl Absence {
    /// A process whose session was lost now, and which left nothing so far.
    pub(super) fn new(name: String, since: Now, counts: Counts) -> Self {
        Absence { name, since, front: Vec::new(), alone: Vec::new(), dead: None, counts }
    }
}

#[derive(Debug, Default)]
pub(super) struct Absences {
    all: BTreeMap<ProcessId, Absence>,
}

impl Absences {
    pub(super) fn insert(&mut self, process: ProcessId, absence: Absence) {
        self.all.insert(process, absence);
    }

    /// Removes a process that has returned.
    pub(super) fn returned(&mut self, process: ProcessId) -> Option<Absence> {
        self.all.remove(&process)
    }

    /// Absent processes that do not count as dead: those lost before `lost_before`, and those named `name`.
    pub(super) fn undecided(&self, lost_before: Option<Now>, name: Option<&str>) -> Vec<ProcessId> {
        let gone = |absence: &Absence| {
            absence.dead.is_none()
                && (lost_before.is_some_and(|limit| absence.since < limit) || name == Some(absence.name.as_str()))
        };
        self.all.iter().filter(|(_, absence)| gone(absence)).map(|(&process, _)| process).collect()
    }

    /// Makes a process count as dead; returns what it left.
    pub(super) fn declare_dead(&mut self, process: ProcessId) -> Option<&Absence> {
        let dead = self.all.values().filter(|absence| absence.dead.is_some()).count();
        if dead >= DEAD_MAX {
            let oldest = self.all.iter().filter(|(_, a)| a.dead.is_some()).min_by_key(|(_, a)| a.since);
            if let Some(oldest) = oldest.map(|(&process, _)| process) {
                self.all.remove(&oldest);
            }
        }
        let absence = self.all.get_mut(&process)?;
        absence.dead = Some(Vec::new());
        Some(absence)
    }

    /// Notes the failures that were counted for the death of a process.
    pub(super) fn record_strikes(&mut self, process: ProcessId, strikes: Vec<Strike>) {
        if let Some(absence) = self.all.get_mut(&process) {
            absence.dead = Some(strikes);
        }
    }

    /// Forgets stages that are not open any more, and processes that left nothing else.
    pub(super) fn forget(&mut self, is_open: impl Fn(StageKey) -> bool) {
        self.all.retain(|_, absence| {
            absence.front.retain(|(stage, _)| is_open(*stage));
            absence.alone.retain(|stage| is_open(*stage));
            if let Some(strikes) = &mut absence.dead {
                strikes.retain(|strike| is_open(strike.stage));
            }
            !absence.front.is_empty()
                || !absence.alone.is_empty()
                || absence.dead.as_ref().is_some_and(|d| !d.is_empty())
        });
    }
}
