//! Runs seen in their directories, whichever process runs them.
//!
//! Files are read again while somebody looks, and not more often than what reading takes allows: a page shows what was
//! read last, and has what is new read behind it.

use std::{
    collections::{HashMap, HashSet},
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use coordinator::{Observer, is_run_directory, store::look};
use tokio::sync::watch;

use super::{
    source::{Later, Run, Source, keys},
    words::State,
};

/// How old what was read may become while somebody looks.
const FRESH: Duration = Duration::from_secs(2);
/// How many times longer than reading takes it stays fresh.
const REST: u32 = 20;
/// Most runs; further ones of the folders are not shown.
const MOST: usize = 10_000;

/// Runs of some directories.
#[derive(Clone)]
pub(crate) struct Directories(Arc<Inner>);

struct Inner {
    /// As they were named: runs, or folders of runs.
    named: Vec<PathBuf>,
    seen: Mutex<Seen>,
    is_reading: AtomicBool,
    changes: watch::Sender<u64>,
}

struct Seen {
    runs: Arc<Vec<Arc<Run>>>,
    /// What was read of each, and how its files were then.
    read: HashMap<PathBuf, (Option<Files>, Arc<Run>)>,
    at: Instant,
    took: Duration,
}

/// The files of a database: length and time of change (seconds and nanoseconds) of each, where it is there.
type Files = [Option<(u64, i64, i64)>; 2];

impl Directories {
    /// Those of `named`, read once.
    pub(crate) fn read(named: Vec<PathBuf>) -> Self {
        let seen = Seen { runs: Arc::default(), read: HashMap::new(), at: Instant::now(), took: Duration::ZERO };
        let inner =
            Inner { named, seen: Mutex::new(seen), is_reading: AtomicBool::new(false), changes: watch::Sender::new(0) };
        inner.refresh();
        Directories(Arc::new(inner))
    }

    /// Has files read again where that is due, on a thread that may wait for them.
    fn refresh_behind(&self) {
        let due = {
            let seen = self.0.seen.lock().unwrap_or_else(PoisonError::into_inner);
            seen.at.elapsed() > FRESH.max(seen.took * REST)
        };
        if due && !self.0.is_reading.swap(true, Ordering::AcqRel) {
            let inner = Arc::clone(&self.0);
            tokio::task::spawn_blocking(move || {
                inner.refresh();
                inner.is_reading.store(false, Ordering::Release);
            });
        }
    }
}

impl Source for Directories {
    fn runs(&self) -> Arc<Vec<Arc<Run>>> {
        self.refresh_behind();
        Arc::clone(&self.0.seen.lock().unwrap_or_else(PoisonError::into_inner).runs)
    }

    fn observer(&self) -> Option<&Observer> {
        None
    }

    fn changed(&self) -> Later<'_, bool> {
        Box::pin(async {
            let mut changes = self.0.changes.subscribe();
            loop {
                self.refresh_behind();
                if let Ok(changed) = tokio::time::timeout(FRESH, changes.changed()).await {
                    return changed.is_ok();
                }
            }
        })
    }
}

impl Inner {
    /// Reads what has changed.
    fn refresh(&self) {
        let begun = Instant::now();
        let directories = runs_of(&self.named);
        let known = std::mem::take(&mut self.seen.lock().unwrap_or_else(PoisonError::into_inner).read);
        let read: Vec<(PathBuf, Option<Files>, Arc<Run>)> = directories
            .into_iter()
            .map(|directory| {
                let files = files_of(&directory);
                let run = match known.get(&directory) {
                    // A run that has ended is the same as long as its files are. Of another one the state follows from
                    // whether a process has it, too.
                    Some((before, run)) if files.is_some() && *before == files && run.state.is_ended() => {
                        Arc::clone(run)
                    }
                    before => {
                        Arc::new(read_run(&directory, before.filter(|(had, _)| *had == files).map(|(_, run)| run)))
                    }
                };
                (directory, files, run)
            })
            .collect();
        let ids: Vec<Option<String>> =
            read.iter().map(|(.., run)| run.outline.as_ref().ok().map(|outline| outline.id.to_string())).collect();
        let keyed = |(key, (directory, files, run)): (String, (PathBuf, Option<Files>, Arc<Run>))| {
            let run = if run.key == key { run } else { Arc::new(Run { key, ..(*run).clone() }) };
            (directory, files, run)
        };
        let read: Vec<_> = keys(&ids).into_iter().zip(read).map(keyed).collect();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let runs: Vec<Arc<Run>> = read.iter().map(|(.., run)| Arc::clone(run)).collect();
        let changed = *seen.runs != runs;
        if changed {
            seen.runs = Arc::new(runs);
        }
        seen.read = read.into_iter().map(|(directory, files, run)| (directory, (files, run))).collect();
        seen.at = Instant::now();
        seen.took = begun.elapsed();
        drop(seen);
        if changed {
            self.changes.send_modify(|changes| *changes += 1);
        }
    }
}

/// Reads a run. `before` is what was read of the same files: its trials need not be counted again.
fn read_run(directory: &Path, before: Option<&Arc<Run>>) -> Run {
    let failed = |error: coordinator::store::Error| Run {
        key: String::new(),
        directory: directory.to_owned(),
        state: State::Unreadable,
        outline: Err(without_place(&error.to_string(), directory)),
        stored: 0,
        live: None,
    };
    let outline = match look::outline(directory) {
        Ok(outline) => outline,
        Err(error) => return failed(error),
    };
    let open = outline.stages.last().filter(|stage| stage.closed_at.is_none());
    let stored = match (open, before) {
        (None, _) => outline.stages.last().map_or(0, |stage| stage.trials.saturating_sub(stage.quarantined)),
        (Some(_), Some(before)) => before.stored,
        (Some(stage), None) => match look::count(directory, stage) {
            Ok(stored) => stored,
            Err(error) => return failed(error),
        },
    };
    Run {
        key: before.map(|run| run.key.clone()).unwrap_or_default(),
        directory: directory.to_owned(),
        state: State::named(&outline.state),
        outline: Ok(Arc::new(outline)),
        stored,
        live: None,
    }
}

/// A message without the path of the run, which is nobody's business who only looks.
pub(crate) fn without_place(message: &str, directory: &Path) -> String {
    let place = directory.to_string_lossy();
    let name = directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    message.replace(&*place, &name)
}

/// How the files of the database in `directory` are.
fn files_of(directory: &Path) -> Option<Files> {
    let database = directory.join(record::files::DATABASE);
    let mut log = database.clone().into_os_string();
    log.push("-wal");
    let file = |path: &Path| fs::metadata(path).ok().map(|found| (found.len(), found.mtime(), found.mtime_nsec()));
    let files = [file(&database), file(Path::new(&log))];
    files[0].is_some().then_some(files)
}

/// Directories of runs among `named`, and in folders among them.
fn runs_of(named: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for place in named {
        if is_run_directory(place) {
            found.push(place.clone());
            continue;
        }
        let entries = fs::read_dir(place).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(|path| is_run_directory(path)).collect();
        inside.sort();
        found.extend(inside);
    }
    found.truncate(MOST);
    // A run that is named and in a folder that is named is one.
    let mut once = HashSet::new();
    found.retain(|path| once.insert(fs::canonicalize(path).unwrap_or_else(|_| path.clone())));
    found
}
