//! Who is to blame for the end of a process.
//!
//! The shared memory says which trial ran when the process ended, so no trial has to be run to find the culprit. Only
//! SIGKILL may have come from outside: the trial that it hit runs once more before it is blamed.

use std::{collections::VecDeque, time::Duration};

use redqueen_wire as wire;

use super::{
    error::Loss,
    exit::{Exit, describe_exit, may_be_from_outside},
};
use crate::job::{Portion, StageKey};

/// Why a process is ended, or has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// It ended by itself.
    Died,
    /// Its trial took too long.
    TimedOut,
    /// The coordinator has taken its trial back.
    Forgotten,
    /// No trial ran, and it was silent for so long.
    Silent(Duration),
    /// It sent an answer that makes no sense.
    Garbled,
}

/// What follows from the end of a process.
pub(super) enum Verdict {
    /// No trial and no process is to blame.
    None,
    /// The trial is to blame: it has failed.
    Trial(StageKey, wire::TrialFailed),
    /// The process is to blame: it ran no trial.
    Process(Loss),
}

/// Finds what is to blame for the end of a process. A trial that is to blame is taken out of `pending`; one that may be
/// is marked as a suspect.
pub(super) fn judge(end: &End, killed_us: u64, exit: &Exit, pending: &mut VecDeque<Portion>) -> Verdict {
    let stderr = &exit.stderr;
    if *end == End::Forgotten {
        pending.retain(|portion| !portion.is_forgotten());
        return Verdict::None;
    }
    let suspect = exit.running.as_ref().and_then(|(job, running)| {
        pending.iter().position(|portion| portion.has(job, running.trial)).map(|index| (index, running))
    });
    let Some((index, running)) = suspect else {
        let stderr = stderr.text();
        return match end {
            End::Died => Verdict::Process(Loss::Died { status: exit.status, stderr }),
            End::Garbled => Verdict::Process(Loss::Garbled { stderr }),
            End::Silent(patience) => Verdict::Process(Loss::Silent { patience: *patience, stderr }),
            // The trial ended in the last moment.
            End::TimedOut | End::Forgotten => Verdict::None,
        };
    };
    let timeout = pending[index].job.timeout;
    let error = match end {
        End::Died if may_be_from_outside(exit.status) && !pending[index].suspect => {
            split(pending, index, running.trial, true);
            return Verdict::None;
        }
        End::Died => stderr.append_to(&describe_exit(exit.status)),
        // Another trial began between the look at the clock and the end.
        End::TimedOut if Duration::from_micros(killed_us.saturating_sub(running.since_us)) < timeout => {
            return Verdict::None;
        }
        End::TimedOut => stderr.append_to(&format!("timed out after {} s (trial-timeout-secs)", timeout.as_secs_f64())),
        End::Garbled => stderr.append_to("its process sent an answer that makes no sense"),
        End::Silent(_) | End::Forgotten => return Verdict::None,
    };
    let stage = pending[index].job.stage.clone();
    split(pending, index, running.trial, false);
    let failure = wire::TrialFailed { stage: Some(stage.to_wire()), trial: running.trial, error };
    Verdict::Trial(stage, failure)
}

/// Cuts `trial` out of a portion. If it `stays`, it becomes a portion of its own, as a suspect.
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

#[cfg(test)]
mod tests {
    use std::{ops::Range, os::unix::process::ExitStatusExt as _, process::ExitStatus, sync::Arc};

    use super::{super::exit::StderrTail, *};
    use crate::{
        job::{Job, tests::job},
        progress::Running,
    };

    /// A process's job and the portions that it had.
    struct Case {
        job: Arc<Job>,
        pending: VecDeque<Portion>,
    }

    impl Case {
        /// A process had trials 0 to 9 of a stage and then 20 to 29.
        fn new() -> Self {
            let job = Arc::new(job(0));
            let pending = [0..10, 20..30].map(|trials| Portion::new(Arc::clone(&job), trials)).into();
            Case { job, pending }
        }

        /// Judges its end by `signal` when a trial had run for `age_us`; returns the blamed trial and its error.
        fn judge(&mut self, end: &End, signal: i32, trial: Option<u64>, age_us: u64) -> Option<(u64, String)> {
            const NOW_US: u64 = 100_000_000;
            let running = trial.map(|trial| Running { key: 1, trial, since_us: NOW_US - age_us });
            let exit = Exit {
                status: Some(ExitStatus::from_raw(signal)),
                running: running.map(|running| (Arc::clone(&self.job), running)),
                stderr: StderrTail::default(),
            };
            match judge(end, NOW_US, &exit, &mut self.pending) {
                Verdict::None => None,
                Verdict::Trial(_, failure) => Some((failure.trial, failure.error)),
                Verdict::Process(loss) => Some((u64::MAX, loss.to_string())),
            }
        }

        fn left(&self) -> Vec<(Range<u64>, bool)> {
            self.pending.iter().map(|portion| (portion.trials.clone(), portion.suspect)).collect()
        }
    }

    #[test]
    fn a_trial_that_ends_its_process_is_blamed_and_the_others_run_again() {
        let mut case = Case::new();
        let blamed = case.judge(&End::Died, 6, Some(22), 5);
        assert_eq!(blamed, Some((22, "its process ended with signal 6 (SIGABRT)".to_owned())));
        assert_eq!(case.left(), [(0..10, false), (20..22, false), (23..30, false)]);
        assert_eq!(case.judge(&End::Died, 11, Some(29), 5).map(|(trial, _)| trial), Some(29));
        assert_eq!(case.left().last(), Some(&(23..29, false)));
    }

    #[test]
    fn a_trial_whose_process_was_killed_runs_once_more() {
        let mut case = Case::new();
        assert_eq!(case.judge(&End::Died, 9, Some(0), 5), None);
        assert_eq!(case.left(), [(0..1, true), (1..10, false), (20..30, false)]);
        assert_eq!(case.judge(&End::Died, 9, Some(1), 5), None, "another one");
        assert_eq!(case.judge(&End::Died, 9, Some(0), 5).map(|(trial, _)| trial), Some(0));
        assert_eq!(case.left(), [(1..2, true), (2..10, false), (20..30, false)]);
    }

    #[test]
    fn the_time_limit_counts_from_the_start_of_the_trial() {
        let mut case = Case::new();
        assert_eq!(case.judge(&End::TimedOut, 9, Some(4), 999_999), None, "the long one had just ended");
        assert_eq!(case.judge(&End::TimedOut, 9, None, 0), None);
        assert_eq!(case.left(), [(0..10, false), (20..30, false)]);
        let blamed = case.judge(&End::TimedOut, 9, Some(4), 1_000_000);
        assert_eq!(blamed, Some((4, "timed out after 1 s (trial-timeout-secs)".to_owned())));
    }

    #[test]
    fn without_a_trial_the_process_is_to_blame() {
        let mut case = Case::new();
        assert_eq!(case.judge(&End::Died, 9, None, 0).map(|(trial, _)| trial), Some(u64::MAX));
        assert_eq!(
            case.judge(&End::Died, 6, Some(15), 0).map(|(trial, _)| trial),
            Some(u64::MAX),
            "it has no such trial"
        );
        let silent = case.judge(&End::Silent(Duration::from_secs(90)), 9, None, 0);
        assert_eq!(silent.map(|(_, why)| why), Some("it prepared a stage for 90 s and began no trial".to_owned()));
        assert_eq!(case.left(), [(0..10, false), (20..30, false)]);
    }

    #[test]
    fn a_forgotten_trial_is_dropped_and_not_blamed() {
        let mut case = Case::new();
        case.job.forget();
        case.pending.push_back(Portion::new(Arc::clone(&case.job), 40..41));
        assert_eq!(case.judge(&End::Forgotten, 9, Some(4), 5_000_000), None);
        assert_eq!(case.pending.len(), 1);
        assert_eq!(case.pending[0].trials, 40..41);
    }
}
