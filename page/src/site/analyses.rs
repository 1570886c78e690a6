//! Tables and figures, made on one thread of their own that is in nobody's way, and kept while nothing is new.

use std::{
    collections::HashMap,
    fmt::Display,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread,
    time::{Duration, Instant},
};

use analysis::{Options, Question, Report};
use maud::Markup;
use tokio::sync::watch;

use super::{directories::without_place, source::Run};
use crate::report::{self, champion_of, individual_of};

/// Reports that are kept; those that nobody asked for longest go first.
const KEPT: usize = 8;
/// Reports that wait to be made at most.
const WAITING: usize = 64;
/// How many times longer than making a report took it is shown, if something is new meanwhile.
const REST: u32 = 10;
/// How much the thread leaves to others (`nice`).
const NICE: i32 = 10;

/// What is made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Wanted {
    /// Tables and figures of a run.
    Results(PathBuf),
    /// The run beside its paper.
    Paper(PathBuf),
    /// Its report as a document.
    Document(PathBuf),
    /// An individual of its evolution, by its generation and its index.
    Individual(PathBuf, u32, u32),
    /// Runs of one setting, and those of another one.
    Compared(Vec<PathBuf>, Vec<PathBuf>),
}

/// What there is of it.
#[derive(Clone, Debug)]
pub(crate) enum Have {
    /// All that is closed is in it.
    Ready(Arc<Made>),
    /// Something is new, and a newer one is made or will be.
    Old(Arc<Made>),
    /// It is being made for the first time.
    Working,
    /// It cannot be made, and why.
    Failed(String),
}

/// A report that was made.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) report: Report,
    /// The champion or the winner of a run that has one, or the individual that is wanted.
    pub(crate) champion: Option<Markup>,
    /// The document, where that is wanted.
    pub(crate) document: String,
    /// Of what: it is made anew when that changes.
    pub(crate) version: String,
}

struct Entry {
    made: Option<Arc<Made>>,
    failed: Option<(String, String)>,
    queued: Option<Instant>,
    asked: Instant,
    done: Instant,
    took: Duration,
}

struct Job {
    wanted: Wanted,
    version: String,
}

/// The reports.
pub(crate) struct Analyses {
    entries: Arc<Mutex<HashMap<Wanted, Entry>>>,
    jobs: mpsc::SyncSender<Job>,
    changes: watch::Sender<u64>,
}

impl Analyses {
    /// None yet.
    pub(crate) fn start() -> Self {
        let (jobs, todo) = mpsc::sync_channel::<Job>(WAITING);
        let entries: Arc<Mutex<HashMap<Wanted, Entry>>> = Arc::default();
        let changes = watch::Sender::new(0);
        let (of_thread, told) = (Arc::clone(&entries), changes.clone());
        // Without the thread nothing is made, and pages say so.
        let _ = thread::Builder::new().name("figures".to_owned()).spawn(move || {
            let _ = rustix::process::nice(0).and_then(|_| rustix::process::setpriority_process(None, NICE));
            for job in todo {
                work(job, &of_thread);
                told.send_modify(|changes| *changes += 1);
            }
        });
        Analyses { entries, jobs, changes }
    }

    /// What there is; what is missing or old is made behind it.
    pub(crate) fn get(&self, wanted: &Wanted, version: &str) -> Have {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        if !entries.contains_key(wanted) && entries.len() >= KEPT {
            let idle = entries.iter().filter(|(_, entry)| entry.queued.is_none()).min_by_key(|(_, entry)| entry.asked);
            if let Some(oldest) = idle.map(|(wanted, _)| wanted.clone()) {
                entries.remove(&oldest);
            }
        }
        let entry = entries.entry(wanted.clone()).or_insert_with(|| Entry {
            made: None,
            failed: None,
            queued: None,
            asked: now,
            done: now,
            took: Duration::ZERO,
        });
        entry.asked = now;
        if let Some(made) = entry.made.as_ref().filter(|made| made.version == version) {
            return Have::Ready(Arc::clone(made));
        }
        if let Some((_, why)) = entry.failed.as_ref().filter(|(of, _)| of == version) {
            return Have::Failed(why.clone());
        }
        let rests = entry.made.is_some() && entry.done.elapsed() < entry.took * REST;
        if entry.queued.is_none() && !rests {
            match self.jobs.try_send(Job { wanted: wanted.clone(), version: version.to_owned() }) {
                Ok(()) => entry.queued = Some(now),
                Err(mpsc::TrySendError::Full(_)) => {}
                Err(mpsc::TrySendError::Disconnected(_)) => {
                    return Have::Failed("the system gave no thread to make tables on".to_owned());
                }
            }
        }
        entry.made.as_ref().map_or(Have::Working, |made| Have::Old(Arc::clone(made)))
    }

    /// The same of what somebody has asked for already; nothing is made that nobody has.
    pub(crate) fn known(&self, wanted: &Wanted, version: &str) -> Option<Have> {
        let is_known = self.entries.lock().unwrap_or_else(PoisonError::into_inner).contains_key(wanted);
        is_known.then(|| self.get(wanted, version))
    }

    /// The same, after waiting for one that is not there until it has been in the making for that long.
    pub(crate) async fn get_soon(&self, wanted: &Wanted, version: &str, patience: Duration) -> Have {
        let mut changes = self.changes.subscribe();
        let have = self.get(wanted, version);
        let begun =
            self.entries.lock().unwrap_or_else(PoisonError::into_inner).get(wanted).and_then(|entry| entry.queued);
        let patience = patience.saturating_sub(begun.map_or(Duration::ZERO, |begun| begun.elapsed()));
        if !matches!(have, Have::Working) || patience.is_zero() {
            return have;
        }
        let waiting = async {
            loop {
                changes.borrow_and_update();
                match self.get(wanted, version) {
                    Have::Working => {
                        if changes.changed().await.is_err() {
                            return Have::Working;
                        }
                    }
                    have => return have,
                }
            }
        };
        tokio::time::timeout(patience, waiting).await.unwrap_or(Have::Working)
    }

    /// Rises with each report that is made.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}

/// Of what a report of a run is: its closed stages, and how it ended.
pub(crate) fn version_of(run: &Run) -> String {
    match &run.outline {
        Ok(outline) => {
            format!(
                "{}:{}:{}",
                outline.experiment_hash,
                outline.closed(),
                if run.state.is_ended() { run.state.name() } else { "" }
            )
        }
        Err(_) => String::new(),
    }
}

fn work(job: Job, entries: &Mutex<HashMap<Wanted, Entry>>) {
    let begun = Instant::now();
    let made = catch_unwind(AssertUnwindSafe(|| make(&job.wanted)))
        .unwrap_or_else(|_| Err("making the tables failed; please report this".to_owned()));
    let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(entry) = entries.get_mut(&job.wanted) else { return };
    entry.queued = None;
    entry.done = Instant::now();
    entry.took = begun.elapsed();
    match made {
        Ok(made) => {
            entry.made = Some(Arc::new(Made { version: job.version, ..made }));
            entry.failed = None;
        }
        Err(why) => entry.failed = Some((job.version, why)),
    }
}

fn make(wanted: &Wanted) -> Result<Made, String> {
    match wanted {
        Wanted::Results(directory) => {
            let options = Options { questions: questions(directory), figures: true, apart: true, ..Options::default() };
            let report = analysis::analyze(directory, &options).map_err(|error| said(&error, directory))?;
            // A run of another kind has none, and tables are there without it.
            Ok(Made { report, champion: champion_of(directory).ok().flatten(), ..Made::default() })
        }
        Wanted::Paper(directory) => {
            let report = analysis::compare(directory, None).map_err(|error| said(&error, directory))?;
            Ok(Made { report, ..Made::default() })
        }
        Wanted::Document(directory) => {
            let options = report::Options { questions: questions(directory), against: Vec::new() };
            let document = report::report(directory, &options).map_err(|error| said(&error, directory))?;
            Ok(Made { document: document.html, ..Made::default() })
        }
        Wanted::Individual(directory, generation, individual) => {
            let shown = individual_of(directory, *generation, *individual).map_err(|error| said(&error, directory))?;
            Ok(Made { champion: Some(shown), ..Made::default() })
        }
        Wanted::Compared(runs, others) => {
            let report = analysis::replicates(runs, others, true).map_err(|error| {
                runs.iter().chain(others).fold(error.to_string(), |text, directory| without_place(&text, directory))
            })?;
            Ok(Made { report, ..Made::default() })
        }
    }
}

/// What the run's experiment asks of its results; nothing if that cannot be read.
fn questions(directory: &Path) -> Vec<Question> {
    coordinator::store::read_experiment(directory).map(|experiment| experiment.questions().to_vec()).unwrap_or_default()
}

/// An error without the place of the run.
fn said(error: &impl Display, directory: &Path) -> String {
    without_place(&error.to_string(), directory)
}
