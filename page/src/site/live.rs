//! Runs of a coordinator in this process: their numbers as it publishes them, and the rest from their files.
//!
//! Files are read on other threads, and only while somebody looks. Until a run was read once, a page shows what is
//! published of it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use coordinator::{
    Observer, RunReport,
    ids::RunId,
    store::look::{self, Outline, StageOutline},
};
use serde_json::Value;

use super::{
    source::{Later, Live, Run, Source, keys},
    words::State,
};

/// How old what was read of an open run may become while somebody looks.
const FRESH: Duration = Duration::from_secs(1);
/// How many times longer than reading takes it stays fresh.
const REST: u32 = 20;
/// How often results that are counted are shown anew.
const COUNTED: Duration = Duration::from_secs(5);

/// Runs of a coordinator.
#[derive(Clone)]
pub(crate) struct Observed {
    observer: Observer,
    inner: Arc<Inner>,
}

struct Inner {
    seen: Mutex<Seen>,
    is_reading: AtomicBool,
}

struct Seen {
    runs: Arc<Vec<Arc<Run>>>,
    /// The published status that they were made of; an address, to be compared alone.
    of: usize,
    /// What was read, and in which state the run was then.
    outlines: HashMap<RunId, (Stand, Arc<Outline>)>,
    /// By how many results a run was shown last, and when.
    counted: HashMap<RunId, (u64, Instant)>,
    at: Instant,
    took: Duration,
}

/// What is published and makes a run's files worth another look once it has ended.
type Stand = (u32, &'static str, u64);

impl Observed {
    /// Those of a coordinator.
    pub(crate) fn of(observer: Observer) -> Self {
        let seen = Seen {
            runs: Arc::default(),
            of: 0,
            outlines: HashMap::new(),
            counted: HashMap::new(),
            at: Instant::now(),
            took: Duration::ZERO,
        };
        let inner = Inner { seen: Mutex::new(seen), is_reading: AtomicBool::new(false) };
        Observed { observer, inner: Arc::new(inner) }
    }

    /// Has files read again where that is due.
    fn refresh_behind(&self, reports: &[RunReport]) {
        let todo: Vec<(RunId, Stand, std::path::PathBuf)> = {
            let seen = self.inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
            let is_due = seen.at.elapsed() > FRESH.max(seen.took * REST);
            let due = |report: &&RunReport| match seen.outlines.get(&report.view.run) {
                None => true,
                Some((before, _)) if report.view.state.is_ended() => *before != stand(report),
                Some(_) => is_due,
            };
            let named = |report: &RunReport| (report.view.run, stand(report), report.directory.clone());
            reports.iter().filter(due).map(named).collect()
        };
        if todo.is_empty() || self.inner.is_reading.swap(true, Ordering::AcqRel) {
            return;
        }
        let inner = Arc::clone(&self.inner);
        tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let read = todo.into_iter().map(|(run, stand, directory)| (run, stand, look::outline(&directory)));
            let read: Vec<_> = read.collect();
            let mut seen = inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
            for (run, stand, outline) in read {
                // What cannot be read now is read again later; the coordinator says what is wrong with it.
                if let Ok(outline) = outline {
                    seen.outlines.insert(run, (stand, Arc::new(outline)));
                }
            }
            // The next look makes runs anew.
            seen.of = 0;
            seen.at = Instant::now();
            seen.took = begun.elapsed();
            drop(seen);
            inner.is_reading.store(false, Ordering::Release);
        });
    }
}

impl Source for Observed {
    fn runs(&self) -> Arc<Vec<Arc<Run>>> {
        let reports = self.observer.runs();
        self.refresh_behind(&reports);
        let of = Arc::as_ptr(&reports).addr();
        let mut seen = self.inner.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.of == of {
            return Arc::clone(&seen.runs);
        }
        let ids: Vec<Option<String>> = reports.iter().map(|report| Some(report.view.run.to_string())).collect();
        let runs = reports.iter().zip(keys(&ids)).map(|(report, key)| Arc::new(seen.run(report, key))).collect();
        seen.runs = Arc::new(runs);
        seen.of = of;
        Arc::clone(&seen.runs)
    }

    fn observer(&self) -> Option<&Observer> {
        Some(&self.observer)
    }

    fn changed(&self) -> Later<'_, bool> {
        Box::pin(self.observer.changed())
    }
}

impl Seen {
    /// A run as it is published, with what was read of it.
    fn run(&mut self, report: &RunReport, key: String) -> Run {
        let view = &report.view;
        let outline = match self.outlines.get(&view.run) {
            Some((_, outline)) => fitted(outline, report),
            None => Arc::new(published(report)),
        };
        let counted = self.counted.entry(view.run).or_insert_with(|| (view.stored, Instant::now()));
        if counted.0 != view.stored && (counted.1.elapsed() > COUNTED || counted.0 > view.stored) {
            *counted = (view.stored, Instant::now());
        }
        Run {
            key,
            directory: report.directory.clone(),
            state: State::named(view.state.name()),
            outline: Ok(outline),
            stored: view.stored,
            live: Some(Live {
                leased: view.leased,
                rate: view.rate,
                left: view.left,
                workers: view.workers,
                threads: view.threads,
                obstacle: view.obstacle.clone(),
                counted: counted.0,
            }),
        }
    }
}

fn stand(report: &RunReport) -> Stand {
    (report.view.stage, report.view.state.name(), report.view.quarantined)
}

/// An outline that was read a moment ago, brought to what is published: the coordinator may have opened a stage since.
fn fitted(outline: &Arc<Outline>, report: &RunReport) -> Arc<Outline> {
    let view = &report.view;
    let is_ended = view.state.is_ended();
    let last = outline.stages.last();
    let fits = last.is_some_and(|stage| stage.index == view.stage && stage.quarantined == view.quarantined);
    if fits && outline.state == view.state.name() && outline.ahead == view.ahead && outline.name == report.name {
        return Arc::clone(outline);
    }
    let mut outline = Outline::clone(outline);
    outline.state = view.state.name().to_owned();
    outline.name.clone_from(&report.name);
    outline.ahead = view.ahead;
    let stage = match outline.stages.iter_mut().find(|stage| stage.index == view.stage) {
        Some(stage) => stage,
        None => {
            // Stages are closed in their order.
            outline.stages.retain(|stage| stage.index < view.stage);
            for stage in &mut outline.stages {
                stage.closed_at.get_or_insert_default();
            }
            outline.stages.push(open_stage(report));
            outline.stages.last_mut().expect("it was pushed")
        }
    };
    stage.quarantined = view.quarantined;
    if is_ended && stage.closed_at.is_none() && view.stored + view.quarantined >= stage.trials {
        stage.closed_at = Some(String::new());
    }
    Arc::new(outline)
}

/// What is published, where nothing was read yet.
fn published(report: &RunReport) -> Outline {
    Outline {
        id: report.view.run,
        name: report.name.clone(),
        state: report.view.state.name().to_owned(),
        version: String::new(),
        reproducible: report.reproducible,
        created_at: String::new(),
        ended_at: None,
        experiment_hash: String::new(),
        facts: Value::Null,
        ahead: report.view.ahead,
        newest_event: 0,
        distrusted: Vec::new(),
        disputed: 0,
        stages: vec![open_stage(report)],
    }
}

fn open_stage(report: &RunReport) -> StageOutline {
    let view = &report.view;
    StageOutline {
        index: view.stage,
        name: view.stage_name.clone(),
        trials: view.trials,
        shape: String::new(),
        closed_at: None,
        headline: String::new(),
        quarantined: view.quarantined,
    }
}
