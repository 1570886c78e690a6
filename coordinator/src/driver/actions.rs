//! Carrying out the actions of the core.

use std::{num::NonZeroU32, sync::Arc};

use redqueen_wire as wire;
use tonic::Status;

use super::{
    encode::{forget, ranges_of, stage_ref},
    message::Wanted,
    state::{RunInfo, State},
};
use crate::{
    core::{Action, Dismissal, Input, RunEvent},
    ids::{RunId, SessionId, StageKey},
    outbound::Permit,
    reports::RunReport,
    store::Command,
};

impl State {
    pub(super) fn event(&mut self, event: Input) {
        let now = self.epoch.elapsed();
        let mut actions = std::mem::take(&mut self.actions);
        self.core.handle(now, event, &mut actions);
        #[cfg(debug_assertions)]
        self.core.check();
        for action in actions.drain(..) {
            self.act(action);
        }
        self.actions = actions;
    }

    pub(super) fn act(&mut self, action: Action) {
        use wire::coordinator_message::Kind;
        match action {
            Action::Lease { session, lease, stage, trials, threads_max } => {
                let (stage, ranges) = (Some(stage_ref(stage)), ranges_of(&trials));
                let threads_max = threads_max.map_or(0, NonZeroU32::get);
                self.tell(session, Kind::Lease(wire::Lease { lease: lease.0, stage, ranges, threads_max }));
            }
            Action::Ack { session, batch } => self.tell(session, Kind::Ack(wire::Ack { batch })),
            Action::Withdraw { session, stage, trials } => {
                let ranges = ranges_of(&trials);
                self.tell(session, Kind::Withdraw(wire::Withdraw { stage: Some(stage_ref(stage)), ranges }));
            }
            Action::Forget { session, stage } => {
                self.tell(session, forget(stage));
            }
            Action::Leave { session, why } => {
                tracing::info!(session = session.0, "told a worker to leave: {why}");
                self.tell(session, Kind::Leave(wire::Leave { reason: why }));
            }
            Action::Dismiss { session, why } => self.dismiss(session, &why),
            Action::Store { ticket, stage, worker, rows } => {
                self.command(Command::Store { ticket, stage, worker, rows });
            }
            Action::StoreFailure { stage, trial, attempt, worker, error, quarantine } => {
                self.metrics.failure();
                tracing::warn!(stage = stage.stage, trial, attempt, worker, quarantine, error, "trial failed");
                self.command(Command::Failure { stage, trial, attempt, worker, error, quarantine });
            }
            Action::StoreAcquittal { stage, trial, attempt } => {
                tracing::info!(
                    stage = stage.stage,
                    trial,
                    attempt,
                    "a worker that seemed to have died of it has returned"
                );
                self.command(Command::Acquit { stage, trial, attempt });
            }
            Action::Retract { stage, worker, why } => {
                tracing::error!(worker, stage = stage.stage, "its results are run again: {why}");
                self.command(Command::Retract { stage, worker, why });
            }
            Action::Event { run, event } => self.record(run, &event),
            Action::CloseStage(stage) => self.command(Command::CloseStage(stage)),
            Action::StoreQuota { run, quota } => self.command(Command::Quota { run, quota }),
            Action::StoreState { run, state } => self.command(Command::State { run, state }),
        }
    }

    pub(super) fn record(&mut self, run: RunId, event: &RunEvent) {
        match event {
            RunEvent::CopyIssued { trials, .. } => self.metrics.copies_issued(*trials),
            RunEvent::WorkerLeft { lost, .. } | RunEvent::LeaseDropped { trials: lost, .. } => {
                self.metrics.trials_lost(*lost);
            }
            _ => {}
        }
        let (kind, detail) = (event.kind(), event.detail());
        tracing::debug!(run = %run, %detail, "{kind}");
        self.command(Command::Event { run, kind, detail });
    }

    pub(super) fn dismiss(&mut self, session: SessionId, why: &Dismissal) {
        if *why == Dismissal::Draining {
            // It delivers its results and leaves by itself.
            let drain = wire::Drain { reason: why.to_string() };
            return self.tell(session, wire::coordinator_message::Kind::Drain(drain));
        }
        tracing::warn!(session = session.0, "worker dismissed: {why}");
        if let Some(outbound) = self.outbound.remove(&session) {
            let status = match why {
                Dismissal::Misfit(_) => Status::invalid_argument(why.to_string()),
                // If its worker still uses the session, another process has its identity.
                Dismissal::Fenced => Status::already_exists(why.to_string()),
                // It must not come back.
                Dismissal::Distrusted(_) => Status::failed_precondition(why.to_string()),
                _ => Status::aborted(why.to_string()),
            };
            outbound.send(Err(status));
        }
    }

    /// Sends a plan or an artifact, which is made only now; does nothing if the session has ended.
    pub(super) fn answer(&self, wanted: Wanted, permit: Permit) {
        use wire::coordinator_message::Kind;
        let Wanted { session, stage, artifact } = wanted;
        let Some(outbound) = self.outbound.get(&session) else { return };
        let kind = self.open_stage(stage).and_then(|info| match artifact {
            None => Some(Kind::Plan(wire::StagePlan {
                stage: Some(stage_ref(stage)),
                experiment: info.resolved.clone(),
                stage_json: serde_json::to_string(&info.opened.stage).unwrap_or_default(),
                trial_timeout_us: Some(u64::try_from(info.trial_timeout.as_micros()).unwrap_or(u64::MAX)),
            })),
            Some(hash) => {
                let data = info.opened.artifacts.get(&hash)?.clone();
                Some(Kind::Artifact(wire::Artifact { hash, data }))
            }
        });
        let kind = kind.unwrap_or_else(|| forget(stage));
        outbound.answer(wire::CoordinatorMessage { kind: Some(kind) }, permit);
    }

    /// The run with this open stage.
    pub(super) fn open_stage(&self, stage: StageKey) -> Option<&RunInfo> {
        self.runs.get(&stage.run).filter(|info| !info.is_over && info.opened.stage.index == stage.stage)
    }

    pub(super) fn tell(&self, session: SessionId, kind: wire::coordinator_message::Kind) {
        if let Some(outbound) = self.outbound.get(&session) {
            outbound.send(Ok(wire::CoordinatorMessage { kind: Some(kind) }));
        }
    }

    pub(super) fn command(&self, command: Command) {
        if self.writer.commands.send(command).is_err() {
            tracing::error!("the store's thread has ended; nothing is acknowledged any more");
        }
    }

    pub(super) fn report(&mut self) {
        self.metrics.beat();
        self.metrics.leases_open(self.core.fleet().leases);
        let views = self.core.views(self.epoch.elapsed());
        let reports = views.into_iter().filter_map(|mut view| {
            let info = self.runs.get_mut(&view.run)?;
            if view.state.is_ended() {
                info.retire();
            }
            if let Some(why) = &info.stuck {
                view.obstacle.clone_from(why);
            }
            Some(RunReport {
                view,
                headline: info.headline.clone(),
                name: info.name.clone(),
                reproducible: info.reproducible,
                directory: info.directory.clone(),
            })
        });
        self.publish.send_replace(Arc::new(reports.collect()));
    }
}
