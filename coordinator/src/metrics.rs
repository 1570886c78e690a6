//! Metrics in the format of Prometheus; docs/deployment.md lists the names.
//!
//! Parts that count have a clone of [`Metrics`]: one atomic addition for a batch, a session or a failure, never one for
//! a trial. What the status of runs contains is not counted again, but read from it on request.

use std::{
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use prometheus_client::{
    collector::Collector,
    encoding::{DescriptorEncoder, EncodeLabelSet, EncodeLabelValue, EncodeMetric as _, prometheus_text},
    metrics::{
        MetricType, counter::Counter, family::Family, gauge::ConstGauge, gauge::Gauge, histogram::Histogram, info::Info,
    },
    registry::{Registry, Unit},
};
use tokio::sync::watch;

use crate::{
    core::RunState,
    reports::{Reports, RunReport},
    store::DATABASE,
};

/// Buckets for the seconds of a commit, from a fast disk to a busy one.
const COMMIT_SECONDS: [f64; 14] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0];
/// Buckets for the rows of a commit, from one to a full group of batches.
const COMMIT_ROWS: [f64; 10] = [1.0, 4.0, 16.0, 64.0, 256.0, 1_024.0, 4_096.0, 16_384.0, 65_536.0, 262_144.0];

/// Ended runs that have series of their own, at most: those that were opened last.
const ENDED_MAX: usize = 32;

/// Why a connection or session was refused or closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EncodeLabelValue)]
#[expect(non_camel_case_types, reason = "they are written as label values, which are lower-case")]
pub enum Refusal {
    /// No call with the token came in time.
    silent,
    /// It was the oldest of too many unauthenticated connections.
    crowded,
    /// As many authenticated connections were open as there may be.
    full,
    /// A call without the token.
    token,
    /// A worker that speaks another protocol or computes other results.
    build,
    /// A session that requests too much, or reads nothing.
    flood,
}

impl Refusal {
    const ALL: [Refusal; 6] =
        [Refusal::silent, Refusal::crowded, Refusal::full, Refusal::token, Refusal::build, Refusal::flood];
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Refused {
    reason: Refusal,
}

/// The metrics of a coordinator. Cheap to clone.
#[derive(Clone)]
pub struct Metrics(Arc<Counted>);

struct Counted {
    registry: Registry,
    trials_stored: Counter,
    commits: Histogram,
    commit_rows: Histogram,
    sessions: Gauge,
    threads: Gauge,
    outbox_rows: Gauge,
    leases_open: Gauge,
    trials_lost: Counter,
    copies: Counter,
    failures: Counter,
    alarms: Counter,
    refused: Family<Refused, Counter>,
    launch_costs: LaunchCosts,
    epoch: Instant,
    /// When the driver last reported, in milliseconds after `epoch`.
    beat: AtomicU64,
}

impl fmt::Debug for Metrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Metrics(…)")
    }
}

impl Metrics {
    /// New metrics; those of runs are read from `reports`.
    pub(crate) fn new(reports: watch::Receiver<Reports>) -> Self {
        let mut registry = Registry::with_prefix("redqueen");
        let trials_stored = Counter::default();
        let commits = Histogram::new(COMMIT_SECONDS);
        let commit_rows = Histogram::new(COMMIT_ROWS);
        let (sessions, threads, outbox_rows, leases_open) =
            (Gauge::default(), Gauge::default(), Gauge::default(), Gauge::default());
        let (trials_lost, copies, failures, alarms) =
            (Counter::default(), Counter::default(), Counter::default(), Counter::default());
        let refused = Family::<Refused, Counter>::default();
        // Exported as 0 from the start, so that a rate is correct from the first refusal on.
        for reason in Refusal::ALL {
            drop(refused.get_or_create(&Refused { reason }));
        }
        let version = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The coordinator's build", version);
        registry.register("trials_stored", "Trials made durable since the start", trials_stored.clone());
        registry.register_with_unit("commit", "Time of a commit to a run's database", Unit::Seconds, commits.clone());
        registry.register("commit_rows", "Rows of a commit to a run's database", commit_rows.clone());
        registry.register("sessions", "Connected workers", sessions.clone());
        registry.register("threads", "Executor threads of connected workers", threads.clone());
        let help = "Results that workers keep until they are acknowledged, as they last said";
        registry.register("outbox_rows", help, outbox_rows.clone());
        registry.register("leases_open", "Leases in the hands of workers", leases_open.clone());
        registry.register("trials_lost", "Leased trials whose worker was lost", trials_lost.clone());
        registry.register("copies_issued", "Trials given to a second worker as well", copies.clone());
        registry.register("trial_failures", "Trials that ended without a result", failures.clone());
        registry.register("alarms", "Disagreements of two workers about a trial", alarms.clone());
        registry.register("refused", "Connections and sessions turned away", refused.clone());
        registry.register_collector(Box::new(Runs(reports)));
        let launch_costs = LaunchCosts::default();
        registry.register_collector(Box::new(launch_costs.clone()));
        Metrics(Arc::new(Counted {
            registry,
            trials_stored,
            commits,
            commit_rows,
            sessions,
            threads,
            outbox_rows,
            leases_open,
            trials_lost,
            copies,
            failures,
            alarms,
            refused,
            launch_costs,
            epoch: Instant::now(),
            beat: AtomicU64::new(0),
        }))
    }

    /// Counts a transaction with `rows` results that took `duration`.
    pub fn commit(&self, duration: Duration, rows: u64) {
        self.0.commits.observe(duration.as_secs_f64());
        self.0.commit_rows.observe(rows as f64);
        self.0.trials_stored.inc_by(rows);
    }

    /// Sets the number of open leases.
    pub fn leases_open(&self, count: u64) {
        self.0.leases_open.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    /// Counts trials of a lost session.
    pub fn trials_lost(&self, count: u64) {
        self.0.trials_lost.inc_by(count);
    }

    /// Counts trials that were leased to a second worker.
    pub fn copies_issued(&self, count: u64) {
        self.0.copies.inc_by(count);
    }

    /// Counts a trial that ended without a result.
    pub fn failure(&self) {
        self.0.failures.inc();
    }

    /// Counts two differing results of a trial.
    pub fn alarm(&self) {
        self.0.alarms.inc();
    }

    /// Counts a refusal.
    pub fn refused(&self, reason: Refusal) {
        self.0.refused.get_or_create(&Refused { reason }).inc();
    }

    /// Sets what jobs have cost, as their launcher says: causes with core-seconds.
    pub(crate) fn launch_costs(&self, costs: Vec<(String, f64)>) {
        *self.0.launch_costs.0.lock().unwrap_or_else(PoisonError::into_inner) = costs;
    }

    /// Counts a connected worker, until the returned value is dropped.
    pub fn session(&self, threads: u32) -> Joined {
        self.0.sessions.inc();
        self.0.threads.inc_by(i64::from(threads));
        Joined { metrics: self.clone(), threads: i64::from(threads), outbox_rows: 0 }
    }

    /// Notes that the driver is at work.
    pub(crate) fn beat(&self) {
        let now = u64::try_from(self.0.epoch.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.beat.store(now, Ordering::Relaxed);
    }

    /// Time since the driver last reported.
    pub(crate) fn silence(&self) -> Duration {
        self.0.epoch.elapsed().saturating_sub(Duration::from_millis(self.0.beat.load(Ordering::Relaxed)))
    }

    /// Trials made durable since the start, connected workers, and results that these keep.
    pub(crate) fn of_fleet(&self) -> [f64; 3] {
        let counted = &self.0;
        [counted.trials_stored.get() as f64, counted.sessions.get() as f64, counted.outbox_rows.get() as f64]
    }

    /// All metrics, in text format 0.0.4 of Prometheus.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        prometheus_text::encode(&mut text, &self.0.registry).expect("writing to a string does not fail");
        text
    }
}

/// A connected worker, counted until it is dropped.
#[derive(Debug)]
pub struct Joined {
    metrics: Metrics,
    threads: i64,
    outbox_rows: i64,
}

impl Joined {
    /// Sets the number of unacknowledged results of the worker.
    pub fn outbox(&mut self, rows: u64) {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        self.metrics.0.outbox_rows.inc_by(rows.saturating_sub(self.outbox_rows));
        self.outbox_rows = rows;
    }
}

impl Drop for Joined {
    fn drop(&mut self) {
        self.metrics.0.sessions.dec();
        self.metrics.0.threads.dec_by(self.threads);
        self.metrics.0.outbox_rows.dec_by(self.outbox_rows);
    }
}

/// Metrics that are read from the published status of runs.
struct Runs(watch::Receiver<Reports>);

impl fmt::Debug for Runs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Runs(…)")
    }
}

impl Collector for Runs {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let reports = self.0.borrow().clone();
        let states = [RunState::Running, RunState::Paused, RunState::Finished, RunState::Failed, RunState::Cancelled];
        let counts = states.map(|state| {
            let count = reports.iter().filter(|report| report.view.state == state).count();
            (vec![("state", state.name().to_owned())], count as f64)
        });
        gauge(&mut encoder, "runs", "Runs by their state", None, counts)?;
        // Series of runs that ended long ago would only grow in number.
        let mut ended = 0;
        let shown = |report: &&RunReport| {
            let is_ended = report.view.state.is_ended();
            ended += usize::from(is_ended);
            !is_ended || ended <= ENDED_MAX
        };
        let mut reports: Vec<&RunReport> = reports.iter().rev().filter(shown).collect();
        reports.reverse();
        let trials = reports.iter().flat_map(|report| {
            let view = &report.view;
            let rest = view.trials.saturating_sub(view.stored + view.leased + view.quarantined);
            let parts = [
                ("stored", view.stored),
                ("leased", view.leased),
                ("quarantined", view.quarantined),
                ("waiting", rest),
            ];
            parts.map(|(part, count)| {
                let mut labels = named(report);
                labels.push(("part", part.to_owned()));
                (labels, count as f64)
            })
        });
        gauge(&mut encoder, "run_trials", "Trials of a run's open stage", None, trials)?;
        let each = |value: fn(&RunReport) -> f64| reports.iter().map(move |report| (named(report), value(report)));
        gauge(&mut encoder, "run_stage", "Index of a run's open stage", None, each(|run| f64::from(run.view.stage)))?;
        let help = "Results a second over the last seconds";
        gauge(&mut encoder, "run_results_per_second", help, None, each(|run| run.view.rate))?;
        let left = |of: fn(&RunReport) -> Option<f64>| {
            reports.iter().filter_map(move |report| Some((named(report), of(report)?)))
        };
        let help = "Time that a run's open stage is expected to take yet";
        gauge(&mut encoder, "run_stage_left", help, Some(&Unit::Seconds), left(|run| run.view.seconds_left()))?;
        let help = "Time that a run is expected to take yet, if nothing ends it early";
        gauge(&mut encoder, "run_left", help, Some(&Unit::Seconds), left(|run| run.view.seconds_left_in_all()))?;
        let help = "Size of a run's database with its log";
        gauge(&mut encoder, "run_database", help, Some(&Unit::Bytes), each(database_bytes))
    }
}

/// What a launcher said last of the costs of its jobs; nothing without a launcher.
#[derive(Clone, Debug, Default)]
struct LaunchCosts(Arc<Mutex<Vec<(String, f64)>>>);

impl Collector for LaunchCosts {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let costs = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if costs.is_empty() {
            return Ok(());
        }
        let help = "Core-seconds that jobs of a launch were allocated, by what for";
        let values = costs.into_iter().map(|(cause, secs)| (vec![("cause", cause)], secs));
        gauge(&mut encoder, "launch_core", help, Some(&Unit::Seconds), values)
    }
}

fn named(report: &RunReport) -> Vec<(&'static str, String)> {
    vec![("run", report.view.run.to_string()), ("name", report.name.clone())]
}

/// Bytes of a run's database and log; 0 if its directory is gone.
fn database_bytes(report: &RunReport) -> f64 {
    let size = |name: &str| std::fs::metadata(report.directory.join(name)).map_or(0, |file| file.len());
    (size(DATABASE) + size(&format!("{DATABASE}-wal"))) as f64
}

fn gauge(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    unit: Option<&Unit>,
    values: impl IntoIterator<Item = (Vec<(&'static str, String)>, f64)>,
) -> fmt::Result {
    let mut encoder = encoder.encode_descriptor(name, help, unit, MetricType::Gauge)?;
    for (labels, value) in values {
        ConstGauge::new(value).encode(encoder.encode_family(&labels)?)?;
    }
    Ok(())
}
