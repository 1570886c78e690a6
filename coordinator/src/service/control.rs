//! The control service: what the command line asks.

use std::{pin::Pin, sync::Arc, time::Duration};

use experiments::Experiment;
use redqueen_wire as wire;
use tokio::sync::mpsc;
use tokio_stream::{Stream, wrappers::ReceiverStream};
use tonic::{Request, Response, Status};

use crate::{
    core::{Event, RunState},
    driver::{Driver, Input, RunReport},
    ids::RunId,
    runs::Runs,
    store,
};

/// Longest experiment taken, in bytes.
const EXPERIMENT_MAX: usize = 4 << 20;
/// Bytes of one piece of an exported file.
const CHUNK: usize = 1 << 20;
/// Least time between two messages of a watch.
const WATCH_PAUSE: Duration = Duration::from_millis(500);

/// The service as tonic serves it.
pub(crate) struct Control {
    pub(crate) driver: Driver,
    pub(crate) runs: Arc<Runs>,
}

type Replies<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

#[tonic::async_trait]
impl wire::control_service_server::ControlService for Control {
    async fn submit(&self, request: Request<wire::SubmitRequest>) -> Result<Response<wire::RunStatus>, Status> {
        let request = request.into_inner();
        if request.source.len() > EXPERIMENT_MAX || request.resolved.len() > EXPERIMENT_MAX {
            return Err(Status::invalid_argument("the experiment is longer than 4 MiB"));
        }
        let experiment = Experiment::from_resolved(&request.resolved)
            .map_err(|faults| Status::invalid_argument(faults.to_string()))?;
        let id =
            self.runs.submit(&self.driver, request.source, experiment).await.map_err(|error| store_status(&error))?;
        self.find(&id.to_string()).map(|report| Response::new(status(&report)))
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
        self.change(&request.get_ref().run, Event::Pause, RunState::Paused).await
    }

    async fn resume(&self, request: Request<wire::ResumeRequest>) -> Result<Response<wire::RunStatus>, Status> {
        self.change(&request.get_ref().run, Event::Resume, RunState::Running).await
    }

    async fn cancel(&self, request: Request<wire::RunRequest>) -> Result<Response<wire::RunStatus>, Status> {
        self.change(&request.get_ref().run, Event::Cancel, RunState::Cancelled).await
    }

    type EventsStream = Replies<wire::RunEvent>;

    async fn events(&self, _: Request<wire::EventsRequest>) -> Result<Response<Self::EventsStream>, Status> {
        Err(Status::unimplemented("events"))
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
            (Some(_), Some(_)) => Err(Status::invalid_argument("more than one run's id starts so; write more of it")),
        }
    }

    async fn change(
        &self,
        prefix: &str,
        event: fn(RunId) -> Event,
        wanted: RunState,
    ) -> Result<Response<wire::RunStatus>, Status> {
        let before = self.find(prefix)?;
        let id = before.view.run;
        let mut reports = self.driver.reports.clone();
        reports.borrow_and_update();
        self.driver.send(Input::Event(event(id))).await;
        let _ = reports.changed().await;
        let after = self.find(&id.to_string())?;
        if after.view.state == wanted {
            return Ok(Response::new(status(&after)));
        }
        Err(Status::failed_precondition(format!("the run is {}", after.view.state.name())))
    }
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
        note: view.note.clone(),
        headline: report.headline.clone(),
        seconds_left_in_all: view.seconds_left_in_all().unwrap_or(-1.0),
    }
}

/// From a store's error to a status: what a caller can act on keeps its words, the rest stays in the log.
fn store_status(error: &store::Error) -> Status {
    match error {
        store::Error::OtherRun { .. } | store::Error::InUse { .. } | store::Error::NotARun { .. } => {
            Status::failed_precondition(error.to_string())
        }
        _ => {
            tracing::error!("{error}");
            Status::internal("the coordinator cannot use the run's directory; its log says why")
        }
    }
}
