//! Which directory is whose: finding, making and taking up runs.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use experiments::Experiment;
use tokio::sync::{Mutex, oneshot};

use crate::{
    core::{OpenRun, RunState},
    driver::{Driver, Input, RunReport},
    ids::RunId,
    store::{Blobs, DATABASE, Error, RESOLVED, Refused, RunDirectory, RunStore, ask, read_experiment},
};

/// Where a coordinator keeps its runs.
#[derive(Clone, Debug)]
pub enum Root {
    /// A directory with a directory for each run, made when one is submitted.
    Data(PathBuf),
    /// The directory of the only run.
    Single(PathBuf),
}

/// What is tried again when a run is taken up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Trials that were given up; a failed run goes on.
    pub quarantined: bool,
    /// That even if stages which follow from results without them are dropped.
    pub discard_later: bool,
    /// A run that was cancelled: it goes on where it was.
    pub cancelled: bool,
}

/// How long a cancelled run's database may take to be written and closed before it is opened again.
const CLOSING: Duration = Duration::from_secs(10);

/// The runs of one coordinator.
pub(crate) struct Runs {
    root: Root,
    /// Runs taken up and their directories, by the hash of what their experiment means now: a run that an older version
    /// made has another id. Taken while a run is made, so that two submissions of one experiment make one run.
    known: Mutex<BTreeMap<String, (RunId, PathBuf)>>,
}

impl Runs {
    pub(crate) fn new(root: Root) -> Self {
        Runs { root, known: Mutex::default() }
    }

    /// Takes up every run that is on disk. One that cannot be taken up is named in the log and left alone.
    pub(crate) async fn open_all(&self, driver: &Driver) -> Result<(), Error> {
        let Root::Data(data) = &self.root else { return Ok(()) };
        std::fs::create_dir_all(data).map_err(|error| Error::io(data, error))?;
        let entries = std::fs::read_dir(data).map_err(|error| Error::io(data, error))?;
        let mut directories: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_run_directory(path)).collect();
        directories.sort();
        let mut known = self.known.lock().await;
        for path in directories {
            let opened = RunDirectory::open(&path).and_then(RunStore::open);
            match opened.and_then(Taken::of) {
                Ok(taken) => {
                    known.insert(taken.store.experiment().hash(), taken.name());
                    taken.adopt(driver).await;
                }
                Err(error) => {
                    let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                    tracing::error!("run left alone: {}{hint}", error.chain());
                }
            }
        }
        Ok(())
    }

    /// Makes the run of an experiment, or finds it.
    pub(crate) async fn submit(
        &self,
        driver: &Driver,
        source: String,
        experiment: Experiment,
        again: Again,
    ) -> Result<RunId, Error> {
        let mut known = self.known.lock().await;
        let hash = experiment.hash();
        if let Some((id, path)) = known.get(&hash) {
            ask(path, &source, &experiment)?;
            return Ok(*id);
        }
        let path = match &self.root {
            Root::Single(path) => path.clone(),
            Root::Data(data) => find_directory(data, &experiment),
        };
        let opened = tokio::task::spawn_blocking(move || {
            Taken::of(RunStore::open(RunDirectory::create(&path, &source, &experiment)?)?)?.again(again)
        });
        let taken = opened.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        let (id, path) = taken.name();
        known.insert(hash, (id, path));
        taken.adopt(driver).await;
        Ok(id)
    }

    /// Makes a cancelled run go on, whose writer has let go of it or is about to.
    pub(crate) async fn take_up(&self, driver: &Driver, run: RunId) -> Result<(), Error> {
        // Whoever asked for the same at the same time may have been faster.
        let _one_at_a_time = self.known.lock().await;
        let cancelled = |report: &&RunReport| report.view.run == run && report.view.state == RunState::Cancelled;
        let Some(path) = driver.reports.borrow().iter().find(cancelled).map(|report| report.directory.clone()) else {
            return Ok(());
        };
        let opened = tokio::task::spawn_blocking(move || {
            let begun = Instant::now();
            let directory = loop {
                match RunDirectory::open(&path) {
                    Err(Error::InUse { .. }) if begun.elapsed() < CLOSING => {}
                    directory => break directory?,
                }
            };
            Taken::of(RunStore::open(directory)?)?.again(Again { cancelled: true, ..Again::default() })
        });
        opened.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?.adopt(driver).await;
        Ok(())
    }
}

/// The directory under `parent` that is the run of `experiment` or would be: one that an older version of redqueen made
/// has another hash in its name.
pub fn find_directory(parent: &Path, experiment: &Experiment) -> PathBuf {
    let path = parent.join(directory_name(experiment));
    if path.exists() {
        return path;
    }
    let hash = experiment.hash();
    let prefix = format!("{}-", experiment.name());
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix));
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut same: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| named(path) && is_run_directory(path))
        .filter(|path| read_experiment(path).is_ok_and(|found| found.hash() == hash))
        .collect();
    same.sort();
    same.into_iter().next().unwrap_or(path)
}

/// Name of the directory of an experiment's run under a common folder: its name and the start of its hash, so that
/// the same experiment finds its run again and another never does.
pub fn directory_name(experiment: &Experiment) -> String {
    format!("{}-{}", experiment.name(), &experiment.hash()[..8])
}

/// A run taken up from its directory.
struct Taken {
    store: RunStore,
    open: OpenRun,
    artifacts: Blobs,
}

impl Taken {
    fn of((store, open): (RunStore, OpenRun)) -> Result<Self, Error> {
        // Of a run that has ended nobody will ask for them.
        let artifacts = if open.state.is_ended() { Blobs::new() } else { store.artifacts()? };
        Ok(Taken { store, open, artifacts })
    }

    /// Which run it is, and where.
    fn name(&self) -> (RunId, PathBuf) {
        (self.store.id(), self.store.directory().path().to_owned())
    }

    /// Makes a cancelled run go on, and gives trials that were given up another chance, if that is wanted.
    fn again(mut self, again: Again) -> Result<Self, Error> {
        if again.cancelled && self.open.state == RunState::Cancelled {
            (self.open, self.artifacts) = self.store.take_up()?;
        }
        if !again.quarantined {
            return Ok(self);
        }
        match self.store.retry(again.discard_later)? {
            Ok((open, artifacts)) => (self.open, self.artifacts) = (open, artifacts),
            // The same command again, when all went well: that is no fault.
            Err(Refused::Nothing | Refused::Ended(_)) => {}
            Err(refused) => return Err(Error::Refused { path: self.store.directory().path().to_owned(), refused }),
        }
        Ok(self)
    }

    async fn adopt(self, driver: &Driver) {
        let (adopted, done) = oneshot::channel();
        let Taken { store, open, artifacts } = self;
        let (run, has_ended) = (store.id(), open.state.is_ended());
        let experiment = Box::new(store.experiment().clone());
        driver.command(Input::Adopt { store: Box::new(store), open: Box::new(open), artifacts, adopted }).await;
        let _ = done.await;
        if has_ended {
            return;
        }
        let driver = driver.clone();
        // Nobody waits for it: it takes a moment, and until then the time left goes by results alone.
        tokio::task::spawn_blocking(move || {
            let start = Instant::now();
            let speeds = experiment.speeds(&|| start.elapsed().as_secs_f64());
            let _ = driver.inputs.blocking_send(Input::Measured { run, experiment, speeds });
        });
    }
}

/// Whether `path` looks like the directory of a run, whole or not.
pub fn is_run_directory(path: &Path) -> bool {
    path.join(DATABASE).exists() || path.join(RESOLVED).exists()
}
