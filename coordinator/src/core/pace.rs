//! The speed of a run: seconds per trial, trials per second, and the time left.

use std::{collections::VecDeque, time::Duration};

use experiments::{Ahead, Costs, Part};

use super::{
    Now,
    left::{makespan, residual},
    long::Long,
};
use crate::ranges::RangeSet;

/// Weight of the newest batch in the moving average of the seconds per trial.
const NEWEST: f64 = 0.3;
/// Window over which the rate of a run is measured.
const RATE_WINDOW: Duration = Duration::from_secs(10);
/// Most trials that the observations of earlier stages count as.
const REMEMBERED: f64 = 8.0;
/// Between trials shorter than this, threads wait for a share of the time that is worth measuring.
const SHORT_SECS: f64 = 0.5;
/// Age of running trials from which on they tell how long a trial takes, if nothing else does.
const TELLING_SECS: f64 = 0.25;
/// Fewest short trials, and least time, from which the busy share of threads is measured.
const BUSY_TRIALS: u64 = 50;
const BUSY_SPAN: Duration = Duration::from_secs(1);

/// Results that arrived at one time.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    at: Now,
    trials: u64,
    executor_secs: f64,
}

/// Number of trials, their executor seconds and their expected seconds.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    trials: f64,
    secs: f64,
    expected: f64,
}

/// The workers on the open stage of a run, and what is left of it.
#[derive(Clone, Debug)]
pub(super) struct Work<'a> {
    /// Threads of workers that are not leaving.
    pub(super) threads: u64,
    /// Age of each running trial, in seconds.
    pub(super) ages: Vec<f64>,
    /// Number of trials of the stage.
    pub(super) trials: u64,
    /// Its stored trials and its quarantined ones.
    pub(super) done: [&'a RangeSet; 2],
}

/// What is known of the speed of a run.
#[derive(Debug, Default)]
pub(super) struct Pace {
    /// Moving average of executor seconds per trial of the open stage.
    secs_per_trial: Option<f64>,
    /// (time, number of trials stored at it) within the window, the newest last.
    stored: VecDeque<(Now, u64)>,
    /// Results that arrived within the window, the newest last.
    arrived: VecDeque<Arrival>,
    /// When the measurement began.
    since: Option<Now>,
    /// Expected costs of trials of the open stage and of later ones.
    costs: Option<Costs>,
    /// Observed trials of the open stage.
    seen: Seen,
    /// Observed trials of earlier stages, weighted.
    before: Seen,
    /// How much longer than expected a long trial takes.
    long: Long,
}

impl Pace {
    /// Takes in the expected costs of the open stage and of those that follow.
    pub(super) fn expect(&mut self, costs: Costs) {
        // Trials that were observed before count as having the mean expected cost, and those of earlier stages as so many of
        // this one: a trial counts as one, however long it took.
        let mean = mean_of(&costs.parts);
        self.seen.expected = self.seen.trials * mean;
        if self.before.expected > 0.0 {
            let secs = self.before.secs / self.before.expected;
            self.before.expected = self.before.trials * mean;
            self.before.secs = secs * self.before.expected;
        }
        self.long = Long::default();
        self.costs = Some(costs);
    }

    /// Learns from the executor times of a batch; returns their sum in seconds.
    pub(super) fn learn(&mut self, now: Now, trials: &[u64], elapsed_us: &[u64]) -> f64 {
        self.since.get_or_insert(now);
        if elapsed_us.is_empty() {
            return 0.0;
        }
        let sum = elapsed_us.iter().fold(0u64, |a, &b| a.saturating_add(b));
        let secs = sum as f64 * 1e-6;
        let mean = secs / elapsed_us.len() as f64;
        self.secs_per_trial = Some(match self.secs_per_trial {
            None => mean,
            Some(old) => old + NEWEST * (mean - old),
        });
        let count = elapsed_us.len() as u64;
        self.arrived.push_back(Arrival { at: now, trials: count, executor_secs: secs });
        self.seen.trials += count as f64;
        self.seen.secs += secs;
        self.seen.expected += trials.iter().map(|&trial| self.expected(trial)).sum::<f64>();
        let mut long = std::mem::take(&mut self.long);
        long.learn(trials, elapsed_us, |trial| self.expected(trial));
        self.long = long;
        secs
    }

    pub(super) fn stored(&mut self, now: Now, count: u64) {
        self.stored.push_back((now, count));
        self.tick(now);
    }

    pub(super) fn tick(&mut self, now: Now) {
        while self.stored.front().is_some_and(|&(at, _)| now.saturating_sub(at) > RATE_WINDOW) {
            self.stored.pop_front();
        }
        while self.arrived.front().is_some_and(|arrival| now.saturating_sub(arrival.at) > RATE_WINDOW) {
            self.arrived.pop_front();
        }
    }

    /// The pace at the start of the next stage: the rate of the run goes on, and so does the ratio of observed to
    /// expected times.
    pub(super) fn next_stage(self) -> Self {
        let (factor, trials) = (self.factor(&[]), self.seen.trials + self.before.trials);
        let costs = self.costs.filter(|_| trials > 0.0);
        let weight = trials.min(REMEMBERED);
        // Without expected costs, each trial counts as one second expected.
        let expected = costs.as_ref().map_or(1.0, |costs| mean_of(&costs.parts)) * weight;
        let before = Seen { trials: weight, secs: expected * factor.unwrap_or(1.0), expected };
        Pace { secs_per_trial: None, costs: None, seen: Seen::default(), long: Long::default(), before, ..self }
    }

    /// Restarts the measurement of the rate, after a time in which the run was paused.
    pub(super) fn measure_anew(&mut self) {
        self.stored.clear();
        self.arrived.clear();
        self.since = None;
    }

    /// Results stored per second over the last seconds; 0 if unknown.
    pub(super) fn rate(&self, now: Now) -> f64 {
        let Some(since) = self.since else { return 0.0 };
        let span = now.saturating_sub(since).min(RATE_WINDOW).as_secs_f64();
        // The first batch does not count: its trials ran before the measurement began.
        let first = usize::from(now.saturating_sub(since) <= RATE_WINDOW);
        let count: u64 = self.stored.iter().skip(first).map(|&(_, count)| count).sum();
        count as f64 / span.max(1.0)
    }

    /// Executor time of a trial, if known.
    pub(super) fn trial(&self) -> Option<Duration> {
        self.secs_per_trial.map(Duration::from_secs_f64)
    }

    /// Seconds that a trial is believed to take: the mean of those of the open stage so far, or as in earlier stages, or
    /// as was expected; `None` if nothing is known.
    pub(super) fn believed(&self) -> Option<f64> {
        if self.seen.trials > 0.0 {
            return Some(self.seen.secs / self.seen.trials);
        }
        let mean = || self.costs.as_ref().map_or(1.0, |costs| mean_of(&costs.parts));
        self.factor(&[]).map(|factor| factor * mean())
    }

    /// Number of trials of the open stage whose time is known.
    pub(super) fn seen(&self) -> u64 {
        self.seen.trials as u64
    }

    /// Number of trials that keep a thread busy for `time`, at least 1; `None` before the first results.
    pub(super) fn trials_in(&self, time: Duration) -> Option<u64> {
        // The cast saturates.
        self.secs_per_trial.map(|secs| ((time.as_secs_f64() / secs.max(1e-9)) as u64).max(1))
    }

    /// Expected seconds of a long trial of the open stage, if anything is known.
    pub(super) fn long_trial(&self) -> Option<f64> {
        let longest = match &self.costs {
            Some(costs) => costs.parts.iter().map(|part| part.secs).fold(0.0, f64::max),
            None => 1.0,
        };
        self.long.factor().or_else(|| self.factor(&[])).map(|factor| factor * longest)
    }

    /// Number of long trials that a thread ends within `time`; as many as there may be while nothing is known of them.
    pub(super) fn fit_into(&self, time: Duration) -> u64 {
        // The cast saturates.
        self.long_trial().map_or(u64::MAX, |secs| (time.as_secs_f64() / secs.max(1e-9)) as u64)
    }

    /// Thread seconds left in the open stage and in the whole run; `None` while the time of a trial is unknown.
    pub(super) fn work_left(&self, work: &Work<'_>) -> Option<[f64; 2]> {
        let factor = self.factor(&work.ages)?;
        let all: RangeSet = std::iter::once(0..work.trials).collect();
        let done = |sum: f64, done: &&RangeSet| sum - self.expected_of(done);
        let stage = factor * work.done.iter().fold(self.expected_of(&all), done).max(0.0);
        let ahead = self.costs.iter().flat_map(|costs| &costs.ahead);
        let later: f64 = ahead.map(|Ahead { stages, trials, secs }| *stages as f64 * *trials as f64 * secs).sum();
        Some([stage, stage + factor * later])
    }

    /// Expected seconds of a trial; 1 without expected costs.
    fn expected(&self, trial: u64) -> f64 {
        let Some(costs) = &self.costs else { return 1.0 };
        let part = costs.parts.partition_point(|part| part.trials.end <= trial);
        costs.parts.get(part).map_or(1.0, |part| part.secs)
    }

    /// Expected seconds of all `trials` together.
    fn expected_of(&self, trials: &RangeSet) -> f64 {
        let Some(costs) = &self.costs else { return trials.len() as f64 };
        let of = |part: &Part| {
            let inside: u64 = trials.overlap(part.trials.clone()).iter().map(|range| range.end - range.start).sum();
            inside as f64 * part.secs
        };
        costs.parts.iter().map(of).sum()
    }

    /// Ratio of observed to expected time of a trial, if anything is known. Running trials of these ages count as long
    /// ones if they are overdue.
    fn factor(&self, ages: &[f64]) -> Option<f64> {
        let mut of = Seen::default();
        let mean = self.costs.as_ref().map(|costs| mean_of(&costs.parts));
        if let (Some(costs), Some(mean)) = (&self.costs, mean)
            && self.before.trials == 0.0
        {
            of = Seen { trials: costs.weight, secs: costs.weight * mean, expected: costs.weight * mean };
        }
        for more in [self.before, self.seen] {
            of.trials += more.trials;
            of.secs += more.secs;
            of.expected += more.expected;
        }
        let mean = mean.unwrap_or(1.0);
        if of.trials == 0.0 {
            // Only the running trials are known: assume that they take as long again.
            let sum: f64 = ages.iter().sum();
            // Trials that have just begun do not tell anything.
            return (sum > TELLING_SECS * ages.len() as f64).then(|| 2.0 * sum / (ages.len() as f64 * mean));
        }
        let factor = |of: &Seen| if of.expected > 0.0 { of.secs / of.expected } else { 1.0 };
        let expected = mean * factor(&of);
        for age in ages.iter().filter(|&&age| age > expected) {
            of.secs += age + residual(expected, *age);
            of.expected += mean;
        }
        Some(factor(&of))
    }

    /// Share of the time in which threads run trials, rather than wait for the next; 1 unless trials are short. `mean` is what a
    /// trial of the open stage takes: while long ones run, the short ones before them do not tell how busy threads are.
    fn busy(&self, now: Now, threads: u64, mean: f64) -> f64 {
        if mean > SHORT_SECS {
            return 1.0;
        }
        let Some(since) = self.since.max(self.arrived.front().map(|arrival| arrival.at)) else { return 1.0 };
        let span = now.saturating_sub(since);
        let (mut trials, mut secs) = (0, 0.0);
        // The first batch ran before the measured span.
        for arrival in self.arrived.iter().skip(1) {
            trials += arrival.trials;
            secs += arrival.executor_secs;
        }
        if trials < BUSY_TRIALS || span < BUSY_SPAN || secs > SHORT_SECS * trials as f64 {
            return 1.0;
        }
        (secs / (span.as_secs_f64() * threads as f64)).clamp(1e-6, 1.0)
    }

    /// Seconds left in the open stage and in the whole run if nothing ends it early; `None` without threads or while
    /// the time of a trial is unknown.
    pub(super) fn left(&self, now: Now, work: &Work<'_>) -> Option<[f64; 2]> {
        let count = work.done.iter().fold(work.trials, |left, done| left.saturating_sub(done.len()));
        if count == 0 && self.costs.as_ref().is_none_or(|costs| costs.ahead.is_empty()) {
            return Some([0.0; 2]);
        }
        let threads = usize::try_from(work.threads).ok().filter(|&threads| threads > 0)?;
        let factor = self.factor(&work.ages)?;
        let all: RangeSet = std::iter::once(0..work.trials).collect();
        let done = |sum: f64, done: &&RangeSet| sum - self.expected_of(done);
        let expected = work.done.iter().fold(self.expected_of(&all), done);
        let mean = if count == 0 { 0.0 } else { factor * expected.max(0.0) / count as f64 };
        let busy = self.busy(now, work.threads, mean);
        let mut free: Vec<f64> = work.ages.iter().map(|&age| residual(mean, age)).collect();
        free.truncate(threads);
        let waiting = count.saturating_sub(free.len() as u64);
        free.resize(threads, 0.0);
        let stage = makespan(&free, waiting, mean)? / busy;
        let idle = vec![0.0; threads];
        let later = |Ahead { stages, trials, secs }: &Ahead| {
            Some(*stages as f64 * makespan(&idle, *trials, factor * secs)? / busy)
        };
        let ahead = self.costs.iter().flat_map(|costs| &costs.ahead).map(later).sum::<Option<f64>>()?;
        Some([stage, stage + ahead])
    }
}

/// Mean expected seconds of a trial.
fn mean_of(parts: &[Part]) -> f64 {
    let count = |part: &Part| (part.trials.end - part.trials.start) as f64;
    let (trials, secs) =
        parts.iter().fold((0.0, 0.0), |(trials, secs), part| (trials + count(part), secs + count(part) * part.secs));
    if trials > 0.0 { secs / trials } else { 1.0 }
}
