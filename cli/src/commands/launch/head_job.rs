//! A launcher and its coordinator in a job of their own, with a successor in the queue.

use std::{
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use launch::{
    call::line,
    directory::Directory,
    driver::blocking,
    head::Head,
    job::{Job, JobId},
    profile::Site,
    succession::{HANDOVER, Standby, Succession},
};
use serde_json::json;
use tokio::time::sleep;

use super::setup::Setup;
use crate::{error::CliError, output::Output, place};

/// Time between two looks for the successor.
const EVERY: Duration = Duration::from_secs(60);
/// Pause while the predecessor still runs.
const PAUSE: Duration = Duration::from_secs(2);

/// The jobs of the launcher and coordinator of a launch; `own` is the one that this process is in.
pub(super) fn succession(setup: &Setup, directory: &Directory, own: Option<JobId>) -> Result<Succession, CliError> {
    let (site, limits) = &setup.head;
    let system = site.batch_system().filter(|_| !matches!(site, Site::Local | Site::Ssh(_))).ok_or_else(|| {
        CliError::usage(format!("`{}` takes no job for the coordinator", site.name()))
            .hint("`--place here` keeps it beside the launcher")
    })?;
    let (arguments, here) = directory.remembered().map_err(|error| super::files(&error))?;
    let program = super::setup::program()?.display().to_string();
    let name = format!("rq-{}-head", directory.id());
    let log = directory.log(&name);
    let here = here.display().to_string();
    let mut prologue = vec![format!("cd {} || exit 1", line([here]).map_err(CliError::usage)?)];
    prologue.extend(setup.worker.prologue.iter().cloned());
    let job = Job {
        name,
        cpus: limits.cpus,
        memory_mb: limits.memory_mb,
        walltime: limits.walltime,
        exclude: Vec::new(),
        prologue,
        command: [program].into_iter().chain(arguments).chain(["--head".to_owned()]).collect(),
        after: None,
        log,
    };
    let every = EVERY.min(setup.policy.poll);
    Ok(Succession::new(Arc::new(system), setup.runner.clone(), job, own, every))
}

/// Asks for the first of these jobs, if none is there.
pub(super) fn begin(setup: &Setup, directory: &Directory, output: &Output) -> Result<ExitCode, CliError> {
    let mut succession = succession(setup, directory, None)?;
    let data = directory.data().display();
    let look = format!("`redqueen launch status {data}` shows what it does, and `redqueen launch stop {data}` ends it");
    let (text, id, asked) = match succession.ensure() {
        Standby::Asked(id) => (format!("launcher and coordinator will run in job {}\n{look}", id.0), id, true),
        Standby::There(id) => (format!("launcher and coordinator are in the queue as job {}\n{look}", id.0), id, false),
        Standby::None(why) => {
            return Err(CliError::failed(format!("the batch system took no job for the coordinator: {why}"))
                .hint("the same command looks whether it did all the same, and tries again"));
        }
    };
    output.result(|| text, || json!({ "job": id.0, "asked": asked }));
    Ok(ExitCode::SUCCESS)
}

/// The part of a launcher that is in a job: its successor and its end.
pub(super) struct InJob {
    succession: Succession,
    /// When it hands over.
    until: Option<Instant>,
}

impl InJob {
    /// The job around this process, in which the coordinator of `setup` lives.
    pub(super) fn new(setup: &Setup, directory: &Directory) -> Result<Self, CliError> {
        let job = place::job().unwrap_or_default();
        let succession = succession(setup, directory, job.id)?;
        let until = job.ends_at.map(place::at).transpose()?.map(|ends| ends.checked_sub(HANDOVER).unwrap_or(ends));
        Ok(InJob { succession, until })
    }

    /// Waits until no other of these jobs runs. What its coordinator left behind is not in the way then.
    pub(super) async fn wait_for_turn(mut self, head: &Head) -> Result<Self, CliError> {
        loop {
            let running;
            (self, running) = blocking(move || {
                let running = self.succession.is_another_running();
                (self, running)
            })
            .await;
            match running {
                Ok(false) => break,
                Ok(true) => tracing::info!("waiting for the job before this one to end"),
                Err(why) => tracing::warn!("waiting: {why}"),
            }
            sleep(PAUSE).await;
        }
        if let Some(there) = head.elsewhere() {
            tracing::info!("the coordinator on {there} ended with its job");
            head.forget();
        }
        Ok(self)
    }

    /// Makes sure that a successor waits.
    pub(super) async fn look(mut self) -> Self {
        let standby;
        (self, standby) = blocking(move || {
            let standby = self.succession.look();
            (self, standby)
        })
        .await;
        match standby {
            Some(Standby::Asked(id)) => tracing::info!("job {} will go on when this one must end", id.0),
            Some(Standby::None(why)) => tracing::warn!("no job is there to go on when this one must end: {why}"),
            Some(Standby::There(_)) | None => {}
        }
        self
    }

    /// Takes the successor out of the queue: nothing is left to do.
    pub(super) async fn end(mut self) {
        blocking(move || self.succession.end()).await;
    }

    /// Waits until the coordinator must hand over.
    pub(super) async fn must_hand_over(until: Option<Instant>) {
        match until {
            Some(at) => tokio::time::sleep_until(at.into()).await,
            None => std::future::pending().await,
        }
    }

    /// When the coordinator hands over.
    pub(super) fn until(&self) -> Option<Instant> {
        self.until
    }
}
