//! `redqueen launch … --test`: one job shows whether workers reach the coordinator, and by which way they do not.

use std::{
    process::ExitCode,
    time::{Duration, Instant},
};

use launch::{
    control::Coordinator,
    directory::{Directory, tail},
    driver::Driver,
    job::JobId,
    systems::{JobState, Queued},
};
use serde_json::json;
use tokio::time::sleep;

use super::setup::Setup;
use crate::{
    error::CliError,
    output::{Output, span},
};

/// How long the job may last.
const WALLTIME: Duration = Duration::from_mins(5);
/// How long a worker that runs may take until it has reached the coordinator.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two looks at the coordinator.
const LOOK: Duration = Duration::from_secs(1);
/// Time between two questions to the batch system at first; a job that waits for longer than [`EARLY`] is asked for as seldom as
/// jobs of a launch are.
const OFTEN: Duration = Duration::from_secs(5);
const EARLY: Duration = Duration::from_secs(120);
/// How much of the job's log is shown, in bytes.
const SHOWN: u64 = 4_000;

/// What a job showed.
pub(super) struct Probe {
    id: JobId,
    /// Seconds that it waited in the queue, as far as was seen.
    waited: f64,
    /// Seconds from its start to its worker's Hello, and the machine; none if it did not come.
    joined: Option<(f64, String)>,
    /// What it printed.
    log: String,
}

/// Asks for one job and watches it until its worker has joined, or cannot.
pub(super) async fn probe(
    mut setup: Setup,
    directory: &Directory,
    mut coordinator: Coordinator,
) -> Result<Probe, CliError> {
    let name = format!("rq-{}-test", directory.id());
    let _ = std::fs::remove_file(directory.log(&name));
    let mut worker = setup.worker.clone();
    // It gives up by itself soon after it has shown what it can.
    (worker.idle, worker.lost) = (Duration::from_secs(30), PATIENCE);
    let job = Driver::job(&worker, directory, &name, WALLTIME.min(setup.policy.walltime), Vec::new());
    let call = setup.system.submit(&job).map_err(CliError::usage)?;
    let refused = |why: &dyn std::fmt::Display| {
        CliError::failed(format!("the batch system did not take the job: {why}"))
            .hint("`--print` shows what it was asked")
    };
    let id = setup.system.read_submit(&job, &setup.runner.run(&call)).map_err(|refusal| refused(&refusal))?;
    tracing::info!("job {} ({name}) is in the queue", id.0);
    let asked = Instant::now();
    let mut began: Option<Instant> = None;
    let mut looked: Option<Instant> = None;
    let mut missing = 0;
    let mut said = String::new();
    let joined = loop {
        if let Some(host) = host_of(&mut coordinator, &name).await {
            let began = began.unwrap_or_else(Instant::now);
            break Some((began.elapsed().as_secs_f64(), host));
        }
        let poll = if asked.elapsed() < EARLY { OFTEN.min(setup.policy.poll) } else { setup.policy.poll };
        if looked.is_some_and(|at| at.elapsed() < poll) {
            sleep(LOOK).await;
            continue;
        }
        looked = Some(Instant::now());
        match look(&mut setup, &id) {
            Some(Queued { state: JobState::Waiting, reason, .. }) => {
                if said != reason {
                    tracing::info!("it waits: {reason}");
                    said = reason;
                }
            }
            Some(Queued { state: JobState::Running, .. }) => {
                began.get_or_insert_with(Instant::now);
            }
            Some(Queued { state: JobState::Ended, .. }) => break None,
            Some(Queued { state: JobState::Unknown, .. }) => {}
            // Once may be too early.
            None if missing > 0 => break None,
            None => missing += 1,
        }
        if began.is_some_and(|began| began.elapsed() > PATIENCE) {
            break None;
        }
    };
    let _ = coordinator.leave(std::slice::from_ref(&name)).await;
    setup.system.cancel(std::slice::from_ref(&id)).iter().for_each(|call| drop(setup.runner.run(call)));
    let waited = began.map_or(asked.elapsed(), |began| began - asked).as_secs_f64();
    Ok(Probe { id, waited, joined, log: tail(&directory.log(&name), SHOWN).unwrap_or_default() })
}

impl Probe {
    /// Tells what it showed.
    pub(super) fn report(&self, output: &Output) -> Result<ExitCode, CliError> {
        let Some((secs, host)) = &self.joined else {
            let log = if self.log.trim().is_empty() { "it printed nothing" } else { self.log.trim_end() };
            return Err(CliError::failed(format!("no worker came from job {}:\n{log}", self.id.0)).hint(
                "its log names each address that it tried and why that failed: choose a network that nodes reach with \
                 `[coordinator] listen = { interface = \"…\", ports = \"…\" }`",
            ));
        };
        output.result(
            || {
                format!(
                    "job {} waited for {} and its worker on {host} reached the coordinator {} after its start",
                    self.id.0,
                    span(self.waited),
                    span(*secs)
                )
            },
            || json!({ "job": self.id.0, "waited_secs": self.waited, "joined_secs": secs, "host": host }),
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// The machine of the worker of a job, once it is connected.
async fn host_of(coordinator: &mut Coordinator, name: &str) -> Option<String> {
    let (_, members) = coordinator.fleet(None).await.ok()?;
    members.into_iter().find(|member| member.allocation == name).map(|member| member.host)
}

/// The job as the queue lists it; one of unknown state if the queue cannot be read.
fn look(setup: &mut Setup, id: &JobId) -> Option<Queued> {
    let calls = setup.system.query(std::slice::from_ref(id));
    let outputs = setup.runner.run_all(&calls, setup.system.at_once());
    let mut jobs = Vec::new();
    for output in &outputs {
        match setup.system.read_query(output) {
            Ok(some) => jobs.extend(some),
            Err(unreadable) => {
                tracing::warn!("{unreadable}");
                let (name, reason, start, host) = Default::default();
                let (id, state) = (id.clone(), JobState::Unknown);
                return Some(Queued { id, name, state, reason, start, restarts: 0, host, ran_secs: None });
            }
        }
    }
    jobs.into_iter().find(|job| job.id == *id)
}
