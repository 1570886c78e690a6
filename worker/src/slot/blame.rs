//! Who is to blame for the end of a process.
//!
//! The board says which trial ran when the process ended, so there is nobody to be tried out. Only a SIGKILL may have
//! come from outside, at somebody with nothing to do with it: the trial it hit runs once more before it is blamed.

use std::{collections::VecDeque, time::Duration};

use redqueen_wire as wire;

use super::{
    child::Remains,
    exit::{from_outside, manner},
};
use crate::job::{Portion, StageKey};

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
pub(super) fn judge(end: &End, killed_us: u64, remains: &Remains, pending: &mut VecDeque<Portion>) -> Verdict {
    let words = &remains.words;
    if *end == End::Forgotten {
        pending.retain(|portion| !portion.is_forgotten());
        return Verdict::Nobody;
    }
    let suspect = remains.running.as_ref().and_then(|(job, running)| {
        pending.iter().position(|portion| portion.has(job, running.trial)).map(|index| (index, running))
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

#[cfg(test)]
mod tests {
    use std::{ops::Range, os::unix::process::ExitStatusExt as _, process::ExitStatus, sync::Arc};

    use super::{super::exit::Words, *};
    use crate::{
        job::{Job, tests::job},
        progress::Running,
    };

    /// What a process had, what became of it, and what is left.
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

        /// It ended by `signal` while a trial ran for `age_us`; gives the blamed trial and its error.
        fn judge(&mut self, end: &End, signal: i32, trial: Option<u64>, age_us: u64) -> Option<(u64, String)> {
            const NOW_US: u64 = 100_000_000;
            let running = trial.map(|trial| Running { key: 1, trial, since_us: NOW_US - age_us });
            let remains = Remains {
                status: Some(ExitStatus::from_raw(signal)),
                running: running.map(|running| (Arc::clone(&self.job), running)),
                words: Words::default(),
            };
            match judge(end, NOW_US, &remains, &mut self.pending) {
                Verdict::Nobody => None,
                Verdict::Trial(_, failure) => Some((failure.trial, failure.error)),
                Verdict::Process(why) => Some((u64::MAX, why)),
            }
        }

        fn left(&self) -> Vec<(Range<u64>, bool)> {
            self.pending.iter().map(|portion| (portion.trials.clone(), portion.suspect)).collect()
        }
    }

    #[test]
    fn who_dies_of_itself_is_blamed_and_the_rest_runs_again() {
        let mut case = Case::new();
        let blamed = case.judge(&End::Died, 6, Some(22), 5);
        assert_eq!(blamed, Some((22, "its process ended with signal 6 (SIGABRT)".to_owned())));
        assert_eq!(case.left(), [(0..10, false), (20..22, false), (23..30, false)]);
        assert_eq!(case.judge(&End::Died, 11, Some(29), 5).map(|(trial, _)| trial), Some(29));
        assert_eq!(case.left().last(), Some(&(23..29, false)));
    }

    #[test]
    fn who_is_killed_runs_once_more() {
        let mut case = Case::new();
        assert_eq!(case.judge(&End::Died, 9, Some(0), 5), None);
        assert_eq!(case.left(), [(0..1, true), (1..10, false), (20..30, false)]);
        assert_eq!(case.judge(&End::Died, 9, Some(1), 5), None, "another one");
        assert_eq!(case.judge(&End::Died, 9, Some(0), 5).map(|(trial, _)| trial), Some(0));
        assert_eq!(case.left(), [(1..2, true), (2..10, false), (20..30, false)]);
    }

    #[test]
    fn a_ceiling_counts_from_the_start_of_the_trial_that_was_hit() {
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
        assert_eq!(
            case.judge(&End::Silent, 9, None, 0).map(|(_, why)| why),
            Some("nothing was heard of it".to_owned())
        );
        assert_eq!(case.left(), [(0..10, false), (20..30, false)]);
    }

    #[test]
    fn what_is_forgotten_is_dropped_and_nobody_blamed() {
        let mut case = Case::new();
        case.job.forget();
        case.pending.push_back(Portion::new(Arc::clone(&case.job), 40..41));
        assert_eq!(case.judge(&End::Forgotten, 9, Some(4), 5_000_000), None);
        assert_eq!(case.pending.len(), 1);
        assert_eq!(case.pending[0].trials, 40..41);
    }
}
