//! Worker processes whose session was lost, until it is known what became of them.
//!
//! A lost session says nothing of its process: connections are cut, machines sleep, processes are stopped. What the
//! session held waits again at once; that its trials may have ended the process counts only when the process has been
//! away for [`RETURN_HEARTBEATS`], or when a new process has come under its name. A process that returns even after
//! that had not died, and what was held against its trials is taken back.

use std::collections::BTreeMap;

use super::Now;
use crate::{
    ids::{ProcessId, StageKey},
    ranges::RangeSet,
};

/// A lost process that has not come back for so many heartbeats counts as dead.
pub(super) const RETURN_HEARTBEATS: u32 = 6;
/// Processes that count as dead and are remembered should one return after all; beyond, the oldest are forgotten.
const DEAD_MAX: usize = 4_096;

/// A trial that a death was held against.
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
    /// Since when.
    pub(super) since: Now,
    /// By stage: what it may have been running.
    pub(super) front: Vec<(StageKey, RangeSet)>,
    /// Stages of which it ran suspects alone; they wait for it.
    pub(super) alone: Vec<StageKey>,
    /// It counts as dead, and this was held against trials.
    pub(super) dead: Option<Vec<Strike>>,
}

#[derive(Debug, Default)]
pub(super) struct Absences {
    all: BTreeMap<ProcessId, Absence>,
}

impl Absences {
    pub(super) fn insert(&mut self, process: ProcessId, absence: Absence) {
        self.all.insert(process, absence);
    }

    /// Takes out a process that has come back.
    pub(super) fn returned(&mut self, process: ProcessId) -> Option<Absence> {
        self.all.remove(&process)
    }

    /// Processes that are neither back nor known to be dead: those lost before `limit`, and those of `name`.
    pub(super) fn undecided(&self, lost_before: Option<Now>, name: Option<&str>) -> Vec<ProcessId> {
        let gone = |absence: &Absence| {
            absence.dead.is_none()
                && (lost_before.is_some_and(|limit| absence.since < limit) || name == Some(absence.name.as_str()))
        };
        self.all.iter().filter(|(_, absence)| gone(absence)).map(|(&process, _)| process).collect()
    }

    /// A process counts as dead from now on; gives what it left.
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

    /// The death of a process was held against these.
    pub(super) fn record_strikes(&mut self, process: ProcessId, strikes: Vec<Strike>) {
        if let Some(absence) = self.all.get_mut(&process) {
            absence.dead = Some(strikes);
        }
    }

    /// Forgets what was left of stages that are over; of a process that left nothing else, all.
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
