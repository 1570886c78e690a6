//! Which directory is whose: finding, making and taking up runs.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use experiments::Experiment;
use tokio::sync::{Mutex, oneshot};

use crate::{
    driver::{Driver, Input},
    ids::RunId,
    store::{DATABASE, Error, RunDirectory, RunStore},
};

/// Where a coordinator keeps its runs.
#[derive(Clone, Debug)]
pub enum Root {
    /// A directory with a directory for each run, made when one is submitted.
    Data(PathBuf),
    /// The directory of the only run.
    Single(PathBuf),
}

/// The runs of one coordinator.
pub(crate) struct Runs {
    root: Root,
    /// Taken while a run is made, so that two submissions of one experiment make one run.
    making: Mutex<()>,
}

impl Runs {
    pub(crate) fn new(root: Root) -> Self {
        Runs { root, making: Mutex::new(()) }
    }

    /// Takes up every run that is on disk. One that cannot be taken up is named in the log and left alone.
    pub(crate) async fn open_all(&self, driver: &Driver) -> Result<(), Error> {
        let Root::Data(data) = &self.root else { return Ok(()) };
        std::fs::create_dir_all(data).map_err(|error| Error::io(data, error))?;
        let entries = std::fs::read_dir(data).map_err(|error| Error::io(data, error))?;
        let mut directories: Vec<PathBuf> =
            entries.flatten().map(|entry| entry.path()).filter(|path| path.join(DATABASE).exists()).collect();
        directories.sort();
        for path in directories {
            let opened = RunDirectory::open(&path).and_then(RunStore::open);
            match opened.and_then(Taken::of) {
                Ok(taken) => taken.adopt(driver).await,
                Err(error) => tracing::error!("run left alone: {}", chain(&error)),
            }
        }
        Ok(())
    }

    /// Makes the run of an experiment, or finds it.
    pub(crate) async fn submit(&self, driver: &Driver, source: String, experiment: Experiment) -> Result<RunId, Error> {
        let _making = self.making.lock().await;
        let id = RunId::from_hex(&experiment.hash()).expect("a BLAKE3 hash has 64 hexadecimal digits");
        if driver.reports.borrow().iter().any(|report| report.view.run == id) {
            return Ok(id);
        }
        let path = match &self.root {
            Root::Single(path) => path.clone(),
            Root::Data(data) => data.join(directory_name(&experiment)),
        };
        let opened = tokio::task::spawn_blocking(move || {
            Taken::of(RunStore::open(RunDirectory::create(&path, &source, &experiment)?)?)
        });
        let taken = opened.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        taken.adopt(driver).await;
        Ok(id)
    }
}

/// Name of the directory of an experiment's run under a common folder: its name and the start of its hash, so that
/// the same experiment finds its run again and another never does.
pub fn directory_name(experiment: &Experiment) -> String {
    format!("{}-{}", experiment.name(), &experiment.hash()[..8])
}

/// A run taken up from its directory.
struct Taken {
    store: RunStore,
    open: crate::core::OpenRun,
    artifacts: BTreeMap<String, Vec<u8>>,
}

impl Taken {
    fn of((store, open): (RunStore, crate::core::OpenRun)) -> Result<Self, Error> {
        // Of a run that has ended nobody will ask for them.
        let artifacts = if open.state.is_ended() { BTreeMap::new() } else { store.artifacts()? };
        Ok(Taken { store, open, artifacts })
    }

    async fn adopt(self, driver: &Driver) {
        let (adopted, done) = oneshot::channel();
        let Taken { store, open, artifacts } = self;
        driver.send(Input::Adopt { store: Box::new(store), open: Box::new(open), artifacts, adopted }).await;
        let _ = done.await;
    }
}

fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}

/// Whether `path` looks like the directory of a run.
pub fn is_run_directory(path: &Path) -> bool {
    path.join(DATABASE).exists()
}
