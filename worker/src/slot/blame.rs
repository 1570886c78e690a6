//! Who is to blame for the end of a process.
//!
//! The board says which trial ran when the process ended, so there is nobody to be tried out. Only a SIGKILL may have
//! come from outside, at somebody with nothing to do with it: the trial it hit runs once more before it is blamed.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use redqueen_wire as wire;

use super::{
    child::Remains,
    words::{from_outside, manner},
};
use crate::{
    board::Running,
    queue::{Job, Portion, StageKey},
};

/// Why a process is ended, or has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// By itself.
    Died,
    /// Its trial took too long.
    TimedOut,
    /// Nobody waits for its trial.
    Forgotten,
    /// No trial ran, and nothing was heard for too long.
    Silent,
    /// What it said makes no sense.
    Garbled,
}

/// What follows.
pub(super) enum Verdict {
    /// Nobody is to blame.
    Nobody,
    /// A trial is: it has failed.
    Trial(StageKey, wire::TrialFailed),
    /// The process is: it did not get as far as a trial.
    Process(String),
}

/// Takes the trial that ran out of `pending`, if it is to blame; marks it, if it may be.
pub(super) fn judge(
    end: &End,
    running: Option<(&Arc<Job>, Running)>,
    killed_us: u64,
    remains: &Remains,
    pending: &mut VecDeque<Portion>,
) -> Verdict {
    let words = &remains.words;
    if *end == End::Forgotten {
        pending.retain(|portion| !portion.is_forgotten());
        return Verdict::Nobody;
    }
    let suspect = running.and_then(|(job, running)| {
        let holds = |portion: &Portion| Arc::ptr_eq(&portion.job, job) && portion.trials.contains(&running.trial);
        pending.iter().position(holds).map(|index| (index, running))
    });
    let Some((index, running)) = suspect else {
        let why = match end {
            End::Died => words.behind(&manner(remains.status)),
            End::Garbled => words.behind("it said what makes no sense"),
            // The trial ended in the last moment.
            End::TimedOut | End::Forgotten => return Verdict::Nobody,
            End::Silent => words.behind("nothing was heard of it"),
        };
        return Verdict::Process(why);
    };
    let timeout = pending[index].job.timeout;
    let error = match end {
        End::Died if from_outside(remains.status) && !pending[index].suspect => {
            split(pending, index, running.trial, true);
            return Verdict::Nobody;
        }
        End::Died => words.behind(&manner(remains.status)),
        // Another trial began between the look at the clock and the end.
        End::TimedOut if Duration::from_micros(killed_us.saturating_sub(running.since_us)) < timeout => {
            return Verdict::Nobody;
        }
        End::TimedOut => words.behind(&format!("timed out after {} s (trial-timeout-secs)", timeout.as_secs_f64())),
        End::Garbled => words.behind("its process said what makes no sense"),
        End::Silent | End::Forgotten => return Verdict::Nobody,
    };
    let stage = pending[index].job.stage.clone();
    split(pending, index, running.trial, false);
    let failure = wire::TrialFailed { stage: Some(stage.to_wire()), trial: running.trial, error };
    Verdict::Trial(stage, failure)
}

/// Cuts `trial` out of a portion. As a suspect it stays, on its own.
fn split(pending: &mut VecDeque<Portion>, index: usize, trial: u64, stays: bool) {
    let Some(portion) = pending.remove(index) else { return };
    let before = portion.part(portion.trials.start..trial);
    let own = Portion { suspect: true, ..portion.part(trial..trial + 1) };
    let after = portion.part(trial + 1..portion.trials.end);
    let own = stays.then_some(own);
    let parts = [Some(before), own, Some(after)].into_iter().flatten().filter(|part| !part.trials.is_empty());
    for (offset, part) in parts.enumerate() {
        pending.insert(index + offset, part);
    }
}
