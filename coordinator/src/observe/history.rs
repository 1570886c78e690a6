//! How rates and counts went: rings of fixed size, one sample in five seconds for an hour and one a minute for a week.

use std::{
    collections::{BTreeMap, VecDeque},
    time::Duration,
};

use tokio::time::Instant;

use crate::{ids::RunId, metrics::Metrics, reports::RunReport};

/// Interval of the samples of the last hour.
pub(super) const FINE: Duration = Duration::from_secs(5);
/// Samples of the last hour.
const FINE_MAX: usize = 720;
/// Of how many samples of the last hour one of the last week is made: a minute.
const COARSE: usize = 12;
/// Samples of the last week.
const COARSE_MAX: usize = 7 * 24 * 60;
/// Most runs with a history; 260 kB each after a week.
const RUNS_MAX: usize = 32;

/// A number that is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// Results a second: of a run, or of all.
    Rate(Option<RunId>),
    /// Durable trials: of a run's open stage, or of all runs since the coordinator started.
    Stored(Option<RunId>),
    /// Connected workers.
    Workers,
    /// Unacknowledged results of all workers.
    Outbox,
}

/// A number at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// How long ago.
    pub ago: Duration,
    /// The number; a rate is the mean since the last point.
    pub value: f64,
}

/// How a number went, as far as it is remembered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The last hour, oldest first: a point in five seconds.
    pub fine: Vec<Point>,
    /// The last week, oldest first: a point in a minute.
    pub coarse: Vec<Point>,
}

/// The histories of a coordinator.
pub(super) struct Histories {
    epoch: Instant,
    /// Rate, stored, workers, outbox.
    fleet: Rings<4>,
    /// Rate, stored.
    runs: BTreeMap<RunId, Rings<2>>,
}

impl Histories {
    pub(super) fn new() -> Self {
        Histories { epoch: Instant::now(), fleet: Rings::default(), runs: BTreeMap::new() }
    }

    /// Takes a sample.
    pub(super) fn note(&mut self, reports: &[RunReport], metrics: &Metrics) {
        let at = u32::try_from(self.epoch.elapsed().as_secs()).unwrap_or(u32::MAX);
        let open = || reports.iter().filter(|report| !report.view.state.is_ended());
        let rate = open().map(|report| report.view.rate).sum();
        let [stored, workers, outbox] = metrics.of_fleet();
        self.fleet.push(at, [rate, stored, workers, outbox]);
        for report in open() {
            let run = report.view.run;
            if self.runs.contains_key(&run) || self.make_room(reports) {
                self.runs.entry(run).or_default().push(at, [report.view.rate, report.view.stored as f64]);
            }
        }
    }

    /// Makes room for the history of another run by dropping that of one that has ended; false if there is none.
    fn make_room(&mut self, reports: &[RunReport]) -> bool {
        if self.runs.len() < RUNS_MAX {
            return true;
        }
        let goes_on = |run: &RunId| reports.iter().any(|r| r.view.run == *run && !r.view.state.is_ended());
        let oldest = self.runs.iter().filter(|(run, _)| !goes_on(run)).min_by_key(|(_, rings)| rings.last());
        let oldest = oldest.map(|(&run, _)| run);
        oldest.is_some_and(|run| self.runs.remove(&run).is_some())
    }

    pub(super) fn of(&self, series: Series) -> History {
        let now = self.epoch.elapsed();
        let of_run = |run: &RunId, which| self.runs.get(run).map(|rings| rings.history(now, which)).unwrap_or_default();
        match series {
            Series::Rate(None) => self.fleet.history(now, 0),
            Series::Rate(Some(run)) => of_run(&run, 0),
            Series::Stored(None) => self.fleet.history(now, 1),
            Series::Stored(Some(run)) => of_run(&run, 1),
            Series::Workers => self.fleet.history(now, 2),
            Series::Outbox => self.fleet.history(now, 3),
        }
    }
}

/// Numbers at seconds after the start.
type Sample<const N: usize> = (u32, [f64; N]);

/// The last hour and the last week of some numbers, of which the first is a rate.
#[derive(Default)]
struct Rings<const N: usize> {
    fine: VecDeque<Sample<N>>,
    coarse: VecDeque<Sample<N>>,
    /// Samples since the last one of the week.
    since: usize,
}

impl<const N: usize> Rings<N> {
    fn push(&mut self, at: u32, values: [f64; N]) {
        push(&mut self.fine, FINE_MAX, (at, values));
        self.since += 1;
        if self.since == COARSE {
            let rates = self.fine.iter().rev().take(COARSE).map(|(_, values)| values[0]);
            let mut of_minute = values;
            of_minute[0] = rates.sum::<f64>() / COARSE as f64;
            push(&mut self.coarse, COARSE_MAX, (at, of_minute));
            self.since = 0;
        }
    }

    /// When the last sample was taken, in seconds after the start.
    fn last(&self) -> u32 {
        self.fine.back().map_or(0, |(at, _)| *at)
    }

    fn history(&self, now: Duration, which: usize) -> History {
        let points = |ring: &VecDeque<Sample<N>>| {
            let point = |&(at, values): &Sample<N>| Point {
                ago: now.saturating_sub(Duration::from_secs(at.into())),
                value: values[which],
            };
            ring.iter().map(point).collect()
        };
        History { fine: points(&self.fine), coarse: points(&self.coarse) }
    }
}

fn push<T>(ring: &mut VecDeque<T>, most: usize, value: T) {
    if ring.len() == most {
        ring.pop_front();
    }
    ring.push_back(value);
}

#[cfg(test)]
mod tests {
    use tokio::{sync::watch, time::advance};

    use super::*;
    use crate::{core::RunState, reports::Reports};

    fn report(number: u8, state: RunState) -> RunReport {
        let mut report = RunReport::example(RunId([number; 16]), state, std::path::PathBuf::new());
        report.view.rate = f64::from(number);
        report
    }

    fn metrics() -> Metrics {
        Metrics::new(watch::channel(Reports::default()).1)
    }

    #[tokio::test(start_paused = true)]
    async fn an_hour_and_a_week_are_kept_and_no_more() {
        let (mut histories, metrics) = (Histories::new(), metrics());
        let mut one = report(1, RunState::Running);
        // Nine days.
        for sample in 0..9 * 24 * 720u32 {
            one.view.rate = f64::from(sample % 12);
            one.view.stored = u64::from(sample);
            histories.note(std::slice::from_ref(&one), &metrics);
            advance(FINE).await;
        }
        let rates = histories.of(Series::Rate(Some(one.view.run)));
        assert_eq!((rates.fine.len(), rates.coarse.len()), (720, 7 * 24 * 60));
        let last = f64::from(9 * 24 * 720u32 - 1);
        let stored = histories.of(Series::Stored(Some(one.view.run)));
        let ends = |points: &[Point]| [points[0], points[points.len() - 1]].map(|p| (p.ago.as_secs(), p.value));
        assert_eq!(ends(&stored.fine), [(3_600, last - 719.0), (5, last)]);
        assert_eq!(ends(&stored.coarse), [(7 * 86_400 - 60 + 5, last - 12.0 * 10_079.0), (5, last)]);
        // A minute has each of 0 to 11 once.
        assert!(rates.coarse.iter().all(|point| point.value == 5.5), "a rate is the mean of its minute");
        assert_eq!(histories.of(Series::Workers).fine.len(), 720);
        assert_eq!(histories.of(Series::Rate(None)).fine[719].value, 11.0);
    }

    #[tokio::test(start_paused = true)]
    async fn runs_that_have_ended_make_room_for_others_and_open_ones_do_not() {
        let (mut histories, metrics) = (Histories::new(), metrics());
        let most = u8::try_from(RUNS_MAX).expect("few");
        let mut reports: Vec<RunReport> = (0..most).map(|number| report(number, RunState::Running)).collect();
        histories.note(&reports, &metrics);
        reports.push(report(100, RunState::Running));
        histories.note(&reports, &metrics);
        let has =
            |histories: &Histories, number| !histories.of(Series::Rate(Some(RunId([number; 16])))).fine.is_empty();
        assert!(!has(&histories, 100) && has(&histories, 3));
        reports[3].view.state = RunState::Finished;
        histories.note(&reports, &metrics);
        assert!(has(&histories, 100) && !has(&histories, 3));
        assert_eq!(histories.runs.len(), RUNS_MAX);
    }
}
