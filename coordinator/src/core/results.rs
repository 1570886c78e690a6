//! Results and failures on their way to the store, and workers whose results turn out to be wrong.

use super::{
    Action, Commit, Core, Dismissal, Now, RunEvent, STRIKES, SessionEnd, audits::Finding, run::Run, session::Session,
};
use crate::{
    core::Repeat,
    ids::{SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

impl Core {
    /// Takes in a batch of results.
    pub(super) fn receive(
        &mut self,
        now: Now,
        id: SessionId,
        batch: u64,
        stage: StageKey,
        rows: Rows,
        actions: &mut Vec<Action>,
    ) {
        let trials: RangeSet = rows.trials.iter().map(|&t| t..t.saturating_add(1)).collect();
        let Some(worker) = self.sessions.get(id).map(|session| session.worker.clone()) else { return };
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else {
            self.sessions.release(id, stage, &trials);
            // The stage is closed or the run cancelled or unknown: the result is not needed.
            actions.push(Action::Ack { session: id, batch });
            return;
        };
        let misfit = run.stage.misfit(&rows);
        if let Some(misfit) = misfit {
            actions.push(Action::Dismiss { session: id, why: Dismissal::Misfit(misfit) });
            self.close_session(now, id, SessionEnd::Planned, "sent results that are not of the stage", actions);
            return;
        }
        self.sessions.release(id, stage, &trials);
        self.sessions.change(id, |session| session.finished(now, &rows.elapsed_us));
        let under_way = self.batches.get(&(worker.process, batch)).and_then(|ticket| self.commits.get(ticket));
        if under_way.is_some_and(|commit| commit.stage == stage && commit.trials == trials) {
            // Sent again over a new connection while on its way to the store: one acknowledgement is enough.
            return;
        }
        let secs = run.pace.learn(now, &rows.trials, &rows.elapsed_us);
        run.share.charge(rows.trials.len() as u64, secs);
        run.received(&trials);
        let ticket = Ticket(self.next_ticket);
        self.next_ticket += 1;
        self.batches.insert((worker.process, batch), ticket);
        let commit = Commit { process: worker.process, worker: worker.name.clone(), batch, stage, trials };
        self.commits.insert(ticket, commit);
        actions.push(Action::Store { ticket, stage, worker, rows });
    }

    /// Acknowledges a batch that is durable and learns from its repeated results.
    pub(super) fn committed(&mut self, now: Now, ticket: Ticket, repeats: Vec<Repeat>, actions: &mut Vec<Action>) {
        let Some(Commit { process, worker, batch, stage, trials }) = self.commits.remove(&ticket) else { return };
        if self.batches.get(&(process, batch)) == Some(&ticket) {
            self.batches.remove(&(process, batch));
        }
        // Its process may have reconnected.
        if let Some(session) = self.sessions.of_process(process) {
            actions.push(Action::Ack { session, batch });
        }
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) else { return };
        run.stored(now, &trials, &worker);
        for repeat in repeats {
            let trial = repeat.trial;
            if !repeat.equal {
                self.sessions.disputed([&repeat.stored_by, &worker]);
            }
            let Some(run) = self.runs.get_mut(&stage.run) else { return };
            if let Finding::Wrong { workers, agreed } = run.audits.learn(repeat, &worker) {
                for wrong in workers {
                    self.distrust(now, &wrong, stage, trial, &agreed, actions);
                }
            }
        }
    }

    /// Dismisses a worker for good, with all others of its machine where the fleet has several machines, and has the trials
    /// that they delivered of the open stages run again.
    pub(super) fn distrust(
        &mut self,
        now: Now,
        worker: &str,
        stage: StageKey,
        trial: u64,
        agreed: &[String],
        actions: &mut Vec<Action>,
    ) {
        let why = match agreed {
            [] => format!("it gave two different results of trial {trial} of stage {}", stage.stage),
            agreed => {
                let names = agreed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
                format!("{names} agree about trial {trial} of stage {} and it does not", stage.stage)
            }
        };
        let mut names = vec![worker.to_owned()];
        if let Some(host) = self.sessions.host_among_others(worker) {
            self.distrusted_hosts.entry(host.clone()).or_insert_with(|| why.clone());
            names.extend(self.sessions.names_on(&host).filter(|name| name != worker));
        }
        names.retain(|name| self.distrusted.insert(name.clone(), why.clone()).is_none());
        self.dismiss_distrusted(now, actions);
        for name in names {
            self.run_again(&name, stage, trial, agreed, &why, actions);
        }
    }

    /// Has the trials of the open stages run again that a worker delivered whose results are wrong.
    fn run_again(
        &mut self,
        worker: &str,
        stage: StageKey,
        trial: u64,
        agreed: &[String],
        why: &str,
        actions: &mut Vec<Action>,
    ) {
        for (&id, run) in self.runs.iter_mut().filter(|(_, run)| !run.state.is_ended()) {
            let agreed = agreed.to_vec();
            let event = RunEvent::Distrusted { worker: worker.to_owned(), trial, stage: stage.stage, agreed };
            actions.push(Action::Event { run: id, event });
            run.retracting += 1;
            actions.push(Action::Retract { stage: run.key(), worker: worker.to_owned(), why: why.to_owned() });
        }
    }

    /// Dismisses every session of a worker or machine whose results are wrong.
    pub(super) fn dismiss_distrusted(&mut self, now: Now, actions: &mut Vec<Action>) {
        if self.distrusted.is_empty() && self.distrusted_hosts.is_empty() {
            return;
        }
        let wrong = |s: &Session| {
            let of_host = || self.distrusted_hosts.get(&s.worker.place.host);
            self.distrusted.get(&s.worker.name).or_else(of_host).cloned()
        };
        let wrong: Vec<(SessionId, String)> =
            self.sessions.iter().filter_map(|(id, s)| wrong(s).map(|why| (id, why))).collect();
        for (session, why) in wrong {
            actions.push(Action::Dismiss { session, why: Dismissal::Distrusted(why) });
            self.close_session(now, session, SessionEnd::Planned, "its results are wrong", actions);
        }
    }

    /// Notes that the store has deleted results of a distrusted worker.
    pub(super) fn retracted(&mut self, stage: StageKey, trials: &RangeSet) {
        // Those that are being audited are held by the auditing worker.
        let held = self.held(stage).common(trials);
        if let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.key() == stage) {
            run.retracted(trials, &held);
        }
    }

    /// Notes that a trial ended without a result.
    pub(super) fn fail(
        &mut self,
        id: SessionId,
        stage: StageKey,
        trial: u64,
        error: String,
        actions: &mut Vec<Action>,
    ) {
        let one: RangeSet = std::iter::once(trial..trial.saturating_add(1)).collect();
        let Some(back) = self.sessions.release(id, stage, &one) else { return };
        let Some(worker) = self.sessions.get(id).map(|session| session.worker.name.clone()) else { return };
        let elsewhere = self.elsewhere(stage, &back);
        let arrived = self.has_arrived(stage, trial);
        let Some(run) = self.runs.get_mut(&stage.run).filter(|run| run.accepts(stage)) else { return };
        if back.is_empty() {
            return;
        }
        self.sessions.change(id, |session| session.served.counts.failed += 1);
        if run.has(trial) {
            run.audits.failed(trial, &worker);
        } else if !arrived {
            strike(run, stage, trial, &worker, error, actions);
        }
        run.give_back(stage, &back, &elsewhere);
    }

    /// Whether a result of a trial is on its way to the store, so that failures of it do not count.
    pub(super) fn has_arrived(&self, stage: StageKey, trial: u64) -> bool {
        self.commits.values().any(|commit| commit.stage == stage && commit.trials.contains(trial))
    }
}

/// Counts a failure of a trial at `worker` and quarantines the trial after [`STRIKES`] failures. Returns how many there
/// were.
pub(super) fn strike(
    run: &mut Run,
    stage: StageKey,
    trial: u64,
    worker: &str,
    error: String,
    actions: &mut Vec<Action>,
) -> u32 {
    let attempt = run.strike(trial, worker);
    let quarantine = attempt >= STRIKES;
    if quarantine {
        run.quarantine(trial);
    }
    actions.push(Action::StoreFailure { stage, trial, attempt, worker: worker.to_owned(), error, quarantine });
    attempt
}
