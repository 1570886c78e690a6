//! The runs of a coordinator and their directories: finding, creating, opening and extending them.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use experiments::{Difference, Experiment};
use tokio::sync::{Mutex, oneshot};

use crate::{
    core::{OpenRun, RunState},
    driver::{Driver, Message},
    ids::RunId,
    reports::RunReport,
    store::{Blobs, Command, DATABASE, Error, RESOLVED, Refused, RunDirectory, RunStore, patiently, read_experiment},
};

/// Where a coordinator keeps its runs.
#[derive(Clone, Debug)]
pub enum Root {
    /// A directory that has a directory for each submitted run.
    Data(PathBuf),
    /// The directory of the only run.
    Single(PathBuf),
}

/// What is tried again when a run is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retry {
    /// Quarantined trials; a failed run goes on.
    pub quarantined: bool,
    /// Do so even if later stages, which follow from results without them, are dropped.
    pub discard_later: bool,
    /// A cancelled run; it goes on where it was.
    pub cancelled: bool,
}

/// How long to wait until the database of a cancelled run is closed.
const CLOSING: Duration = Duration::from_secs(10);

/// Longest pause between two looks at a run that another process may have left.
const LOOK: Duration = Duration::from_secs(1);

/// Why a run that cannot go on is not written.
const STUCK: &str = "its database is damaged or its plan cannot go on; the coordinator's log says more";

/// The runs of one coordinator.
pub(crate) struct Runs {
    root: Root,
    /// Ids and directories of the open runs, by the present meaning of their experiment ([`Experiment::id`]), since a
    /// run of an older version has another id. Locked while a run is made, so that two submissions of one experiment
    /// make one run.
    known: Mutex<BTreeMap<String, (RunId, PathBuf)>>,
}

impl Runs {
    pub(crate) fn new(root: Root) -> Self {
        Runs { root, known: Mutex::default() }
    }

    /// Opens every run on disk. Those that cannot be opened are logged and left alone.
    pub(crate) async fn open_all(&self, driver: &Driver) -> Result<(), Error> {
        let Root::Data(data) = &self.root else { return Ok(()) };
        std::fs::create_dir_all(data).map_err(|error| Error::io(data, error))?;
        let entries = std::fs::read_dir(data).map_err(|error| Error::io(data, error))?;
        let mut directories: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| is_run_directory(path)).collect();
        directories.sort();
        let mut known = self.known.lock().await;
        let mut told = false;
        while !directories.is_empty() {
            let mut pause = None;
            for path in std::mem::take(&mut directories) {
                let opened = RunDirectory::open(&path).and_then(RunStore::open);
                match opened.and_then(Taken::of) {
                    Ok(taken) => {
                        known.insert(taken.store.experiment().id(), taken.name());
                        taken.adopt(driver).await;
                    }
                    // All of them are waited for at once.
                    Err(error @ Error::InUse { left: Some(left), .. }) => {
                        if !std::mem::replace(&mut told, true) {
                            tracing::warn!("{error}; waiting for that, and for other runs in the same state");
                        }
                        pause = Some(left.min(LOOK));
                        directories.push(path);
                    }
                    Err(error) => {
                        let hint = error.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                        tracing::error!("run left alone: {}{hint}", error.chain());
                    }
                }
            }
            if let Some(pause) = pause {
                tokio::time::sleep(pause).await;
            }
        }
        Ok(())
    }

    /// Finds or makes the run of an experiment. Keys that change no result take the values of this experiment; returns
    /// those that have changed in a run that was open before.
    pub(crate) async fn submit(
        &self,
        driver: &Driver,
        source: String,
        experiment: Experiment,
        retry: Retry,
    ) -> Result<(RunId, Vec<Difference>), Error> {
        let mut known = self.known.lock().await;
        let key = experiment.id();
        if let Some((id, path)) = known.get(&key) {
            let changes = change(driver, *id, path, source, experiment).await?;
            return Ok((*id, changes));
        }
        let path = match &self.root {
            Root::Single(path) => path.clone(),
            Root::Data(data) => find_directory(data, &experiment),
        };
        let taken = off_the_loop(move || {
            let directory = patiently(|| RunDirectory::create(&path, &source, &experiment))?;
            Taken::of(RunStore::open(directory)?)?.retry(retry)
        });
        let taken = taken.await?;
        let (id, path) = taken.name();
        known.insert(key, (id, path));
        taken.adopt(driver).await;
        Ok((id, Vec::new()))
    }

    /// Extends a run, the only one or that of id `run`, to the run of `longer`; returns its new id. A run that is
    /// extended already is opened as it is.
    pub(crate) async fn extend(
        &self,
        driver: &Driver,
        run: Option<RunId>,
        source: String,
        longer: Experiment,
        retry: Retry,
    ) -> Result<RunId, Error> {
        let key = longer.id();
        let there = match &self.root {
            Root::Single(path) => Some((String::new(), path.clone())),
            Root::Data(_) => {
                let known = self.known.lock().await;
                let of_run = known.iter().find(|(_, (id, _))| Some(*id) == run);
                of_run.filter(|_| !known.contains_key(&key)).map(|(key, (_, path))| (key.clone(), path.clone()))
            }
        };
        let Some((old, path)) = there else {
            return self.submit(driver, source, longer, retry).await.map(|(id, _)| id);
        };
        let shorter = read_experiment(&path)?;
        if shorter.hash() == longer.hash() {
            return self.submit(driver, source, longer, retry).await.map(|(id, _)| id);
        }
        // Checked before the run is touched.
        longer.lengthens(&shorter).map_err(|why| Error::NotLonger { path: path.clone(), why })?;
        let mut known = self.known.lock().await;
        let released = match run {
            Some(run) => release(driver, run, &path).await?,
            None => None,
        };
        let extended = off_the_loop(move || {
            let taken = match released {
                Some(mut store) => {
                    let (open, artifacts) = store.stands()?;
                    Taken { store: *store, open, artifacts }
                }
                None => Taken::of(RunStore::open(patiently(|| RunDirectory::open(&path))?)?)?,
            };
            let mut taken = taken.retry(retry)?;
            let extended = taken.store.extend(&source, &longer);
            Ok((extended.map(|stands| (taken.open, taken.artifacts) = stands), taken))
        });
        let (extended, taken) = extended.await?;
        // Extended or not, it is opened.
        let name = taken.name();
        let id = name.0;
        known.remove(&old);
        known.insert(taken.store.experiment().id(), name);
        taken.adopt(driver).await;
        extended.map(|()| id)
    }

    /// Makes a run go on that was cancelled or has failed, as `retry` says. Its writer has released it or is about to.
    pub(crate) async fn take_up(&self, driver: &Driver, run: RunId, retry: Retry) -> Result<(), Error> {
        // Another caller may have done the same meanwhile.
        let _one_at_a_time = self.known.lock().await;
        let ended = |report: &&RunReport| {
            report.view.run == run && matches!(report.view.state, RunState::Cancelled | RunState::Failed)
        };
        let Some(path) = driver.reports.borrow().iter().find(ended).map(|report| report.directory.clone()) else {
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
            Taken::of(RunStore::open(directory)?)?.retry(retry)
        });
        opened.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?.adopt(driver).await;
        Ok(())
    }
}

/// Runs blocking work on a thread for that.
async fn off_the_loop<T: Send + 'static>(work: impl FnOnce() -> Result<T, Error> + Send + 'static) -> Result<T, Error> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// Makes the writer release a run; `None` if its files are closed.
async fn release(driver: &Driver, run: RunId, path: &Path) -> Result<Option<Box<RunStore>>, Error> {
    let (answer, released) = oneshot::channel();
    driver.command(Message::Command(Command::Release { run, answer })).await;
    released.await.unwrap_or_else(|_| Err(STUCK.to_owned())).map_err(|why| Error::Held { path: path.to_owned(), why })
}

/// Updates keys of an open run that change no result, and its questions, to those of `experiment`, which is its own.
/// Returns those that have changed.
async fn change(
    driver: &Driver,
    run: RunId,
    path: &Path,
    source: String,
    experiment: Experiment,
) -> Result<Vec<Difference>, Error> {
    let changes = experiment.differences(&read_experiment(path)?);
    if changes.is_empty() {
        return Ok(changes);
    }
    let (answer, done) = oneshot::channel();
    let command = Command::Change { run, source: source.clone(), experiment: Box::new(experiment.clone()), answer };
    driver.command(Message::Command(command)).await;
    let done = done.await.unwrap_or_else(|_| Err(STUCK.to_owned()));
    if done.map_err(|why| Error::Held { path: path.to_owned(), why })? {
        return Ok(changes);
    }
    // The files of a run that has ended are closed.
    let path = path.to_owned();
    let taken =
        off_the_loop(move || Taken::of(RunStore::open(RunDirectory::create(&path, &source, &experiment)?)?)).await?;
    taken.adopt(driver).await;
    Ok(changes)
}

/// Directories under `parent` of runs that `experiment` extends.
pub fn find_shorter(parent: &Path, experiment: &Experiment) -> Vec<PathBuf> {
    let mut found = runs_of_that_name(parent, experiment);
    found.retain(|path| read_experiment(path).is_ok_and(|shorter| experiment.lengthens(&shorter).is_ok()));
    found
}

/// Directories under `parent` of runs whose experiments have the name of `experiment`.
fn runs_of_that_name(parent: &Path, experiment: &Experiment) -> Vec<PathBuf> {
    let prefix = format!("{}-", experiment.name());
    let begins = |name: &OsStr| name.as_encoded_bytes().starts_with(prefix.as_bytes());
    let named = |path: &PathBuf| path.file_name().is_some_and(begins);
    let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| named(path) && is_run_directory(path)).collect();
    found.sort();
    found
}

/// The directory under `parent` of the run of `experiment`, or the one it would have. A run of an older version of
/// redqueen, or one that was extended, has another hash in the name of its directory.
pub fn find_directory(parent: &Path, experiment: &Experiment) -> PathBuf {
    let path = parent.join(directory_name(experiment));
    let id = experiment.id();
    let is_its = |path: &PathBuf| read_experiment(path).is_ok_and(|found| found.id() == id);
    if is_run_directory(&path) && is_its(&path) {
        return path;
    }
    runs_of_that_name(parent, experiment).into_iter().find(is_its).unwrap_or(path)
}

/// Name of the directory of the run of an experiment: its name and the start of its hash, so that the same experiment
/// finds its run and another one does not.
pub fn directory_name(experiment: &Experiment) -> String {
    format!("{}-{}", experiment.name(), &experiment.id()[..8])
}

/// A run opened from its directory.
struct Taken {
    store: RunStore,
    open: OpenRun,
    artifacts: Blobs,
}

impl Taken {
    fn of((store, open): (RunStore, OpenRun)) -> Result<Self, Error> {
        // The artifacts of a run that has ended are not requested.
        let artifacts = if open.state.is_ended() { Blobs::new() } else { store.artifacts()? };
        Ok(Taken { store, open, artifacts })
    }

    /// Its id and directory.
    fn name(&self) -> (RunId, PathBuf) {
        (self.store.id(), self.store.directory().path().to_owned())
    }

    /// Makes a cancelled run go on and retries quarantined trials, as `retry` says.
    fn retry(mut self, retry: Retry) -> Result<Self, Error> {
        if retry.cancelled && self.open.state == RunState::Cancelled {
            (self.open, self.artifacts) = self.store.take_up()?;
        }
        if !retry.quarantined {
            return Ok(self);
        }
        match self.store.retry(retry.discard_later)? {
            Ok((open, artifacts)) => (self.open, self.artifacts) = (open, artifacts),
            // The command is repeated after a success, which is not an error.
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
        driver.command(Message::Adopt { store: Box::new(store), open: Box::new(open), artifacts, adopted }).await;
        let _ = done.await;
        if has_ended {
            return;
        }
        let driver = driver.clone();
        // Not waited for: until it is done, the time left follows from results alone.
        tokio::task::spawn_blocking(move || {
            let start = Instant::now();
            let speeds = experiment.speeds(&|| start.elapsed().as_secs_f64());
            let _ = driver.messages.blocking_send(Message::Measured { run, experiment, speeds });
        });
    }
}

/// Whether `path` looks like the directory of a run, whole or not.
pub fn is_run_directory(path: &Path) -> bool {
    path.join(DATABASE).exists() || path.join(RESOLVED).exists()
}
