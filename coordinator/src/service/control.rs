//! The control service, for the command line.

use std::{
    num::NonZeroU32,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    time::{Duration, Instant},
};

use experiments::{Difference, Experiment};
use redqueen_wire as wire;
use tokio::sync::{mpsc, oneshot};
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{Request, Response, Status};

use crate::{
    core::{Input, PRIORITIES, Quota, RunState, RunView},
    driver::{Driver, Message},
    followers::EventsFollower,
    ids::RunId,
    reports::RunReport,
    runs::{Retry, Runs},
    service::fleet,
    store::{self, StoredEvent},
};

/// Longest experiment, in bytes.
const EXPERIMENT_MAX: usize = 4 << 20;
/// Bytes of one piece of an exported file.
const CHUNK: usize = 1 << 20;
/// Least time between two messages of a watch.
const WATCH_PAUSE: Duration = Duration::from_millis(500);

/// Events read at once, and events sent ahead of a slow reader.
const EVENTS_PAGE: u32 = 500;
const EVENTS_WAITING: usize = 64;
/// Most jobs of one request to leave.
const ALLOCATIONS_MAX: usize = 10_000;
/// How long a request waits while a stage is being closed.
const CLOSING_PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two attempts of such a request.
const CHANGE_PAUSE: Duration = Duration::from_millis(50);
/// How long a request waits while a database cannot be written.
const RETRY_PATIENCE: Duration = Duration::from_secs(30);

/// The service as tonic serves it.
pub(crate) struct Control {
    pub(crate) driver: Driver,
    pub(crate) runs: Arc<Runs>,
}

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl wire::control_service_server::ControlService for Control {
    async fn submit(&self, request: Request<wire::SubmitRequest>) -> Result<Response<wire::RunStatus>, Status> {
        let mut request = request.into_inner();
        let experiment = read(&mut request)?;
        let wanted = QuotaChange::of(request.priority, request.max_threads)?;
        let before = self.driver.reports.borrow().clone();
        let (id, changes) = self
            .runs
            .submit(&self.driver, request.source, experiment, Retry::default())
            .await
            .map_err(|error| store_status(&error))?;
        let mut changes: Vec<String> =
            changes.iter().filter(|change| change.key != "analysis").map(Difference::change).collect();
        let report = self.find(&id.to_string())?;
        // Nothing is left to serve of a run that has ended.
        let is_open = !report.view.state.is_ended();
        let report = if is_open { self.prioritize(report.clone(), wanted).await? } else { report };
        if let Some(before) = before.iter().find(|before| before.view.run == id) {
            changes.extend(quota_changes(before.view.quota, report.view.quota));
        }
        let changed = changes.join(", ");
        Ok(Response::new(wire::RunStatus { changed, ..status(&report) }))
    }

    async fn extend(&self, request: Request<wire::ExtendRequest>) -> Result<Response<wire::RunStatus>, Status> {
        let wire::ExtendRequest { run, experiment } = request.into_inner();
        let mut request = experiment.unwrap_or_default();
        let longer = read(&mut request)?;
        let wanted = QuotaChange::of(request.priority, request.max_threads)?;
        let run = match self.find(&run) {
            Ok(report) => Some(report.view.run),
            // It is extended already and has another id.
            Err(error) if error.code() == tonic::Code::NotFound => None,
            Err(error) => return Err(error),
        };
        let id = longer.id();
        if run.is_none() && self.find(&id[..32]).is_err() {
            return Err(Status::not_found("no run has this id; `redqueen list` shows them"));
        }
        // In a task of its own, so that a caller that disconnects does not leave the run half extended.
        let (runs, driver) = (Arc::clone(&self.runs), self.driver.clone());
        let extended =
            tokio::spawn(async move { runs.extend(&driver, run, request.source, longer, Retry::default()).await });
        let id = extended.await.map_err(|error| Status::internal(error.to_string()))?;
        let id = id.map_err(|error| store_status(&error))?;
        let report = self.find(&id.to_string())?;
        let is_open = !report.view.state.is_ended();
        let report = if is_open { self.prioritize(report, wanted).await? } else { report };
        Ok(Response::new(status(&report)))
    }

    async fn list(&self, _: Request<wire::ListRequest>) -> Result<Response<wire::ListReply>, Status> {
        let runs = self.driver.reports.borrow().iter().map(status).collect();
        Ok(Response::new(wire::ListReply { runs }))
    }

    async fn status(&self, request: Request<wire::RunRequest>) -> Result<Response<wire::RunStatus>, Status> {
        self.find(&request.get_ref().run).map(|report| Response::new(status(&report)))
    }

    type WatchStream = Replies<wire::RunStatus>;

    async fn watch(&self, request: Request<wire::RunRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let id = self.find(&request.get_ref().run)?.view.run;
        let mut reports = self.driver.reports.clone();
        let (send, replies) = mpsc::channel(4);
        tokio::spawn(async move {
            let mut last = None;
            loop {
                let report = reports.borrow_and_update().iter().find(|r| r.view.run == id).cloned();
                let Some(report) = report else { break };
                let now = status(&report);
                let ended = report.view.state.is_ended();
                if last.as_ref() != Some(&now) && send.send(Ok(now.clone())).await.is_err() {
                    break;
                }
                last = Some(now);
                if ended || reports.changed().await.is_err() {
                    break;
                }
                tokio::time::sleep(WATCH_PAUSE).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(replies))))
    }

    async fn pause(&self, request: Request<wire::RunRequest>) -> Result<Response<wire::RunStatus>, Status> {
        self.change(&request.get_ref().run, Input::Pause, RunState::Paused).await
    }

    async fn resume(&self, request: Request<wire::ResumeRequest>) -> Result<Response<wire::RunStatus>, Status> {
        let wire::ResumeRequest { run, retry_quarantined, discard_later } = request.into_inner();
        let found = self.find(&run)?.view;
        if found.state == RunState::Cancelled {
            let retry = Retry { cancelled: true, ..Retry::default() };
            self.runs.take_up(&self.driver, found.run, retry).await.map_err(|error| store_status(&error))?;
        }
        if retry_quarantined {
            self.retry(&run, discard_later).await?;
        }
        self.change(&run, Input::Resume, RunState::Running).await
    }

    async fn cancel(&self, request: Request<wire::RunRequest>) -> Result<Response<wire::RunStatus>, Status> {
        self.change(&request.get_ref().run, Input::Cancel, RunState::Cancelled).await
    }

    async fn prioritize(&self, request: Request<wire::PrioritizeRequest>) -> Result<Response<wire::RunStatus>, Status> {
        let wire::PrioritizeRequest { run, priority, max_threads } = request.into_inner();
        let wanted = QuotaChange::of(priority, max_threads)?;
        let report = self.prioritize(self.find(&run)?, wanted).await?;
        Ok(Response::new(status(&report)))
    }

    type EventsStream = Replies<wire::RunEvent>;

    async fn events(&self, request: Request<wire::EventsRequest>) -> Result<Response<Self::EventsStream>, Status> {
        let wire::EventsRequest { run, after, follow } = request.into_inner();
        let RunReport { directory, view, .. } = self.find(&run)?;
        let (send, replies) = mpsc::channel(EVENTS_WAITING);
        let followers = self.driver.followers.clone();
        tokio::spawn(async move {
            let sent = match followers.follow(view.run, Some(after)).filter(|_| follow) {
                Some(follower) => send_followed(follower, &send).await,
                None => send_stored(directory, after, &send).await,
            };
            if let Err(error) = sent {
                let _ = send.send(Err(store_status(&error))).await;
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(replies))))
    }

    async fn fleet(&self, request: Request<wire::FleetRequest>) -> Result<Response<wire::FleetReply>, Status> {
        let costs = request.into_inner().costs;
        if !costs.is_empty() {
            self.driver.metrics.launch_costs(fleet::costs(costs)?);
        }
        let (answer, fleet) = oneshot::channel();
        self.driver.command(Message::Fleet(answer)).await;
        let (demand, members) = fleet.await.map_err(|_| Status::unavailable("the coordinator is stopping"))?;
        Ok(Response::new(fleet::reply(demand, members)))
    }

    async fn leave(&self, request: Request<wire::LeaveRequest>) -> Result<Response<wire::LeaveReply>, Status> {
        let wire::LeaveRequest { allocations, only_idle } = request.into_inner();
        if allocations.len() > ALLOCATIONS_MAX {
            return Err(Status::invalid_argument(format!("at most {ALLOCATIONS_MAX} jobs at a time")));
        }
        // Workers that were started by hand have no job.
        let allocations = allocations.into_iter().filter(|name| !name.is_empty()).collect();
        let (answer, told) = oneshot::channel();
        self.driver.command(Message::Leave { allocations, only_idle, answer }).await;
        let workers = told.await.map_err(|_| Status::unavailable("the coordinator is stopping"))?;
        Ok(Response::new(wire::LeaveReply { workers }))
    }

    type ExportStream = Replies<wire::ExportChunk>;

    async fn export(&self, request: Request<wire::RunRequest>) -> Result<Response<Self::ExportStream>, Status> {
        let directory = self.find(&request.get_ref().run)?.directory;
        let (send, replies) = mpsc::channel(4);
        // Reading files and copying the database block; the copy is gone when the task ends.
        tokio::task::spawn_blocking(move || {
            let piece = |path: &str, data: Vec<u8>| {
                send.blocking_send(Ok(wire::ExportChunk { path: path.to_owned(), data })).map_err(drop)
            };
            if let Err(error) = store::copy_out(&directory, CHUNK, piece) {
                let _ = send.blocking_send(Err(store_status(&error)));
            }
        });
        Ok(Response::new(Box::pin(ReceiverStream::new(replies))))
    }
}

impl Control {
    /// The run whose id starts with `prefix`.
    fn find(&self, prefix: &str) -> Result<RunReport, Status> {
        let reports = self.driver.reports.borrow();
        let mut found = reports.iter().filter(|r| !prefix.is_empty() && r.view.run.to_string().starts_with(prefix));
        match (found.next(), found.next()) {
            (Some(report), None) => Ok(report.clone()),
            (None, _) => Err(Status::not_found("no run has this id; `redqueen list` shows them")),
            (Some(_), Some(_)) => {
                Err(Status::invalid_argument("several runs have ids that start like this; write more digits"))
            }
        }
    }

    /// Runs quarantined trials again.
    async fn retry(&self, prefix: &str, discard_later: bool) -> Result<(), Status> {
        let RunView { run, state, .. } = self.find(prefix)?.view;
        let refuse = |refused: store::Refused| match refused {
            store::Refused::Later { .. } => {
                Status::failed_precondition(format!("{refused}; add --discard-later to drop them"))
            }
            refused => Status::failed_precondition(refused.to_string()),
        };
        if state == RunState::Failed {
            let retry = Retry { quarantined: true, discard_later, cancelled: false };
            return self.runs.take_up(&self.driver, run, retry).await.map_err(|error| match error {
                store::Error::Refused { refused, .. } => refuse(refused),
                error => store_status(&error),
            });
        }
        let (answer, done) = oneshot::channel();
        self.driver.command(Message::Command(store::Command::Retry { run, discard_later, answer })).await;
        let later = || Status::unavailable("the run's database cannot be written now; the coordinator's log says why");
        match tokio::time::timeout(RETRY_PATIENCE, done).await {
            Ok(Ok(Ok(()))) => Ok(()),
            Ok(Ok(Err(refused))) => Err(refuse(refused)),
            Ok(Err(_)) | Err(_) => Err(later()),
        }
    }

    /// Gives a run another priority or limit; returns it then.
    async fn prioritize(&self, before: RunReport, change: QuotaChange) -> Result<RunReport, Status> {
        let (run, quota) = (before.view.run, change.over(before.view.quota));
        if quota == before.view.quota {
            return Ok(before);
        }
        let mut reports = self.driver.reports.clone();
        self.driver.command(Message::Input(Input::Prioritize { run, quota })).await;
        loop {
            let report = self.find(&run.to_string())?;
            if report.view.quota == quota {
                return Ok(report);
            }
            if report.view.state.is_ended() {
                let state = report.view.state.name();
                return Err(Status::failed_precondition(format!("the run is {state}: none of its trials are run")));
            }
            if reports.changed().await.is_err() {
                return Err(Status::unavailable("the coordinator is stopping"));
            }
        }
    }

    async fn change(
        &self,
        prefix: &str,
        event: fn(RunId) -> Input,
        wanted: RunState,
    ) -> Result<Response<wire::RunStatus>, Status> {
        let before = self.find(prefix)?;
        let id = before.view.run;
        let mut reports = self.driver.reports.clone();
        let begun = Instant::now();
        loop {
            reports.borrow_and_update();
            self.driver.command(Message::Input(event(id))).await;
            if reports.changed().await.is_err() {
                return Err(Status::unavailable("the coordinator is stopping"));
            }
            let after = self.find(&id.to_string())?;
            let state = after.view.state;
            if state == wanted {
                return Ok(Response::new(status(&after)));
            }
            if state.is_ended() {
                let what = match (state, wanted) {
                    (RunState::Failed, RunState::Running) => "; --retry-quarantined runs its quarantined trials again",
                    (RunState::Finished, RunState::Running) => ": nothing is left to run",
                    _ => "",
                };
                return Err(Status::failed_precondition(format!("the run is {}{what}", state.name())));
            }
            // A stage is being closed, which is not interrupted: try again afterwards.
            if begun.elapsed() > CLOSING_PATIENCE {
                return Err(Status::unavailable("a stage of the run is being closed; try again"));
            }
            tokio::time::sleep(CHANGE_PAUSE).await;
        }
    }
}

/// A priority and a limit that a caller wants; what is `None` stays.
#[derive(Clone, Copy)]
struct QuotaChange {
    priority: Option<u32>,
    max_threads: Option<Option<NonZeroU32>>,
}

impl QuotaChange {
    /// What a request says, if it may.
    fn of(priority: Option<u32>, max_threads: Option<u32>) -> Result<Self, Status> {
        let (least, most) = (*PRIORITIES.start(), *PRIORITIES.end());
        if let Some(priority) = priority.filter(|priority| !PRIORITIES.contains(priority)) {
            return Err(Status::invalid_argument(format!(
                "a priority is a whole number from {least} to {most}, and not {priority}"
            )));
        }
        Ok(QuotaChange { priority, max_threads: max_threads.map(NonZeroU32::new) })
    }

    /// The quota of a run that has `quota` now.
    fn over(self, quota: Quota) -> Quota {
        Quota {
            priority: self.priority.unwrap_or(quota.priority),
            max_threads: self.max_threads.unwrap_or(quota.max_threads),
        }
    }
}

/// What has changed between two quotas, as [`Difference::change`] says it of keys.
fn quota_changes(before: Quota, after: Quota) -> Vec<String> {
    let limit = |quota: Quota| quota.max_threads.map_or_else(|| "none".to_owned(), |most| most.to_string());
    let pairs = [
        ("priority", before.priority.to_string(), after.priority.to_string()),
        ("max-threads", limit(before), limit(after)),
    ];
    let changed = pairs.into_iter().filter(|(_, was, is)| was != is);
    changed.map(|(name, was, is)| format!("`{name}` was {was} and is {is} now")).collect()
}

type Sending = mpsc::Sender<Result<wire::RunEvent, Status>>;

/// Sends the stored events of a run behind number `after` to a caller.
async fn send_stored(directory: PathBuf, mut after: u64, send: &Sending) -> Result<(), store::Error> {
    loop {
        let of = directory.clone();
        let read = tokio::task::spawn_blocking(move || store::events(&of, after, EVENTS_PAGE)).await;
        let page = read.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))?;
        let more = page.events.len() == EVENTS_PAGE as usize;
        for event in page.events {
            after = event.event;
            if send.send(Ok(to_wire(&event))).await.is_err() {
                return Ok(());
            }
        }
        if !more {
            return Ok(());
        }
    }
}

/// Sends events of a run to a caller as they come.
async fn send_followed(mut follower: EventsFollower, send: &Sending) -> Result<(), store::Error> {
    loop {
        let events = tokio::select! {
            events = follower.next() => events?,
            () = send.closed() => return Ok(()),
        };
        if events.is_empty() {
            return Ok(());
        }
        for event in events {
            if send.send(Ok(to_wire(&event))).await.is_err() {
                return Ok(());
            }
        }
    }
}

fn to_wire(event: &StoredEvent) -> wire::RunEvent {
    let StoredEvent { event, at, kind, detail } = event;
    wire::RunEvent { event: *event, at: at.clone(), kind: kind.clone(), detail: detail.to_string() }
}

/// The experiment of a request, with the artifacts that it brings, which are taken from it.
fn read(request: &mut wire::SubmitRequest) -> Result<Experiment, Status> {
    if request.source.len() > EXPERIMENT_MAX || request.resolved.len() > EXPERIMENT_MAX {
        return Err(Status::invalid_argument("the experiment is longer than 4 MiB"));
    }
    let experiment = Experiment::from_resolved(&request.resolved);
    let experiment = experiment.map_err(|faults| Status::invalid_argument(faults.to_string()))?;
    let brought = std::mem::take(&mut request.artifacts);
    experiment.with_artifacts(brought).map_err(|missing| Status::invalid_argument(missing.to_string()))
}

/// A run's status on the wire.
pub(crate) fn status(report: &RunReport) -> wire::RunStatus {
    let view = &report.view;
    let state = match view.state {
        RunState::Running => wire::RunState::Running,
        RunState::Paused => wire::RunState::Paused,
        RunState::Finished => wire::RunState::Finished,
        RunState::Failed => wire::RunState::Failed,
        RunState::Cancelled => wire::RunState::Cancelled,
    };
    wire::RunStatus {
        run: view.run.to_string(),
        name: report.name.clone(),
        state: state.into(),
        stage: view.stage,
        stage_name: view.stage_name.clone(),
        trials: view.trials,
        stored: view.stored,
        leased: view.leased,
        quarantined: view.quarantined,
        rate: view.rate,
        seconds_left: view.seconds_left().unwrap_or(-1.0),
        workers: view.workers,
        threads: view.threads,
        reproducible: report.reproducible,
        directory: report.directory.display().to_string(),
        obstacle: view.obstacle.clone(),
        headline: report.headline.clone(),
        seconds_left_in_all: view.seconds_left_in_all().unwrap_or(-1.0),
        changed: String::new(),
        priority: view.quota.priority,
        max_threads: view.quota.max_threads.map_or(0, NonZeroU32::get),
    }
}

/// The status of an error of the store: callers see errors that they can act on; others are logged.
fn store_status(error: &store::Error) -> Status {
    match error {
        store::Error::OtherRun { .. }
        | store::Error::NotLonger { .. }
        | store::Error::Plan { .. }
        | store::Error::Held { .. }
        | store::Error::Occupied { .. }
        | store::Error::InUse { .. }
        | store::Error::Unsuitable { .. }
        | store::Error::NotARun { .. }
        | store::Error::Format { .. }
        | store::Error::Damaged { .. } => Status::failed_precondition(error.to_string()),
        _ => {
            tracing::error!("{}", error.chain());
            Status::internal("the coordinator cannot use the run's directory; its log says why")
        }
    }
}
