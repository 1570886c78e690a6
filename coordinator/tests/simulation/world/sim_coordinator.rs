//! The simulated coordinator: its core, its store and its messages, and the checks of what it does.

use std::{collections::BTreeMap, fmt::Write as _, time::Duration};

use coordinator::{
    core::{self, Action, Core, Dismissal, Input, Load, RunEvent},
    ids::{ProcessId, SessionId, StageKey, Ticket},
    ranges::RangeSet,
    rows::{Cells, Rows},
};

use super::{Down, HEARTBEAT, Occurrence, SECOND, SimCoordinator, Up, World};
use crate::disk::{Command, Contents, RUN, Reply, code, found_other, key, other, truth};

impl World {
    pub(super) fn start_coordinator(&mut self) {
        if self.coordinator.is_some() {
            return;
        }
        self.coordinators += 1;
        let core = Core::new(Duration::from_micros(HEARTBEAT));
        let sessions = BTreeMap::new();
        self.coordinator =
            Some(SimCoordinator { life: self.coordinators, core, started: self.now, sessions, next_session: 1 });
        self.jumped = 0;
        let found = self.disk.contents.found();
        self.tell(Input::RunOpened(Box::new(found)));
        let others = if self.others_ended { Vec::new() } else { self.others.clone() };
        for (index, quota) in others.into_iter().enumerate() {
            self.tell(Input::RunOpened(Box::new(found_other(index as u32 + 1, quota))));
        }
        let life = self.coordinators;
        self.after(SECOND / 4, Occurrence::Tick(life));
    }

    pub(super) fn kill_coordinator(&mut self) {
        if self.coordinator.take().is_none() {
            return;
        }
        self.disk.crash(&mut self.chance);
        let open: Vec<u64> = self.connections.iter().filter(|(_, c)| c.above).map(|(&id, _)| id).collect();
        for connection in open {
            self.cut(connection);
            if let Some(c) = self.connections.get_mut(&connection) {
                c.above = false;
            }
        }
        let back = self.chance.below(8 * SECOND);
        self.after(back, Occurrence::Coordinator);
    }

    pub(super) fn tell(&mut self, input: Input) {
        let Some(coordinator) = &mut self.coordinator else { return };
        let clock = Duration::from_micros(self.now - coordinator.started + self.jumped);
        let mut actions = Vec::new();
        coordinator.core.handle(clock, input, &mut actions);
        coordinator.core.check();
        actions.iter().for_each(|action| self.act(action));
    }

    /// Ends the runs beside the one that counts.
    pub(super) fn end_others(&mut self) {
        if !std::mem::replace(&mut self.others_ended, true) {
            (1..=self.others.len()).for_each(|number| self.tell(Input::Cancel(other(number as u32))));
        }
    }

    /// Does what an action asks for a run that has no disk; false if it is none of those.
    fn act_without_disk(&mut self, action: &Action) -> bool {
        match action {
            Action::Store { ticket, stage, .. } if stage.run != RUN => {
                let life = self.coordinators;
                self.after(5_000, Occurrence::Durable(life, *ticket));
            }
            Action::Retract { stage, .. } if stage.run != RUN => {
                self.tell(Input::Retracted { stage: *stage, trials: RangeSet::new() });
            }
            Action::StoreFailure { stage, .. } | Action::StoreAcquittal { stage, .. } => return stage.run != RUN,
            Action::StoreState { run, .. } | Action::Event { run, .. } => return *run != RUN,
            _ => return false,
        }
        true
    }

    pub(super) fn durable(&mut self, life: u64, ticket: Ticket) {
        if self.coordinator.as_ref().is_some_and(|coordinator| coordinator.life == life) {
            self.tell(Input::Committed { ticket, repeats: Vec::new() });
        }
    }

    pub(super) fn act(&mut self, action: &Action) {
        if let Some(log) = &mut self.log {
            let _ = writeln!(log, "  {action:?}");
        }
        if self.act_without_disk(action) {
            return;
        }
        let Some(coordinator) = &self.coordinator else { return };
        let line = |session: &SessionId| coordinator.sessions.get(session).copied();
        match action {
            Action::Lease { session, stage, trials, .. } => {
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Lease { stage: code(*stage), trials: trials.clone() }));
                }
            }
            Action::Ack { session, batch } => {
                if let Some(connection) = line(session) {
                    self.acknowledged(connection, *batch);
                    self.send(connection, Err(Down::Ack(*batch)));
                }
            }
            Action::Withdraw { session, stage, trials } => {
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Withdraw { stage: code(*stage), trials: trials.clone() }));
                }
            }
            Action::Forget { session, stage } => {
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Forget(code(*stage))));
                }
            }
            Action::Dismiss { session, why } => {
                let gone = matches!(why, Dismissal::Distrusted(_));
                assert!(!matches!(why, Dismissal::Misfit(_)), "an honest shape was refused");
                if let Some(connection) = line(session) {
                    self.send(connection, Err(Down::Dismissed(gone)));
                    // If the message is lost, the closed connection tells the worker.
                    self.after(5 * SECOND, Occurrence::BrokenBelow(connection));
                    if let Some(c) = self.connections.get_mut(&connection) {
                        c.above = false;
                        c.session = None;
                    }
                    if let Some(coordinator) = &mut self.coordinator {
                        coordinator.sessions.remove(session);
                    }
                }
            }
            Action::StoreFailure { stage, trial, quarantine, error, .. } => {
                let death = error.contains("died");
                assert!(!death || !self.gentle, "no worker died, but a failure of trial {trial} was counted");
                if death && *quarantine {
                    self.excused.insert((stage.stage, *trial));
                }
                self.command(action);
            }
            Action::Event { event, .. } => match event {
                RunEvent::AuditSkipped { stage, .. } => drop(self.unchecked.insert(*stage)),
                RunEvent::CopyIssued { .. } => self.copies += 1,
                _ => {}
            },
            Action::CloseStage(stage) => {
                self.closing(*stage);
                self.command(action);
            }
            _ => self.command(action),
        }
    }

    pub(super) fn command(&mut self, action: &Action) {
        if let (Some(command), Some(coordinator)) = (Command::of(action), &self.coordinator) {
            let life = coordinator.life;
            self.disk.hand_over(command);
            let wait = self.chance.between(100, 60_000);
            self.after(wait, Occurrence::Write(life));
        }
    }

    pub(super) fn write(&mut self, life: u64) {
        if self.coordinator.as_ref().is_none_or(|coordinator| coordinator.life != life) || !self.disk.is_busy() {
            return;
        }
        let Ok(replies) = self.disk.write(&mut self.chance) else {
            if !self.disk.troubled {
                self.disk.troubled = true;
                self.tell(Input::StoreTrouble { run: RUN, why: "disk full".to_owned() });
            }
            return self.after(SECOND, Occurrence::Write(life));
        };
        if self.disk.troubled {
            self.disk.troubled = false;
            self.tell(Input::StoreRecovered(RUN));
        }
        if self.disk.is_busy() {
            self.after(1_000, Occurrence::Write(life));
        }
        for reply in replies {
            let input = match reply {
                Reply::Committed { ticket, repeats } => Input::Committed { ticket, repeats },
                Reply::Retracted { stage, trials } => Input::Retracted { stage, trials },
                Reply::Closed(next) => Input::StageClosed { run: RUN, next },
            };
            self.tell(input);
        }
    }

    /// Checks that an acknowledged batch is on the disk.
    pub(super) fn acknowledged(&self, connection: u64, number: u64) {
        let c = &self.connections[&connection];
        let batch = &self.sent[&(c.worker, c.life, number)];
        if key(batch.stage).run != RUN {
            return;
        }
        let contents: &Contents = &self.disk.contents;
        let stage = &contents.stages[batch.stage as usize];
        // Results of a cancelled run are dropped, even while the cancellation is on its way to the disk.
        if stage.fold.is_some() || contents.state.is_ended() || (self.calm && self.cancels) {
            return;
        }
        for (trial, ..) in &batch.rows {
            let there = stage.rows.contains_key(trial) || contents.retracted.contains(&(batch.stage, *trial));
            assert!(there, "trial {trial} of stage {} was acknowledged and is not on the disk", batch.stage);
        }
    }

    /// A stage is about to be closed: everything of it that is on the disk must be right.
    pub(super) fn closing(&self, key: StageKey) {
        let stage = &self.disk.contents.stages[key.stage as usize];
        for (&trial, (value, worker)) in &stage.rows {
            let right = *value == truth(stage.salt, trial);
            assert!(
                right || self.unchecked.contains(&key.stage),
                "trial {trial} of stage {} by {worker} is wrong and nobody noticed",
                key.stage
            );
            assert!(!self.failing.contains(&trial) && !self.killing.contains(&trial), "trial {trial} has no result");
        }
        for &trial in &stage.quarantined {
            let culprit = self.failing.contains(&trial) || self.killing.contains(&trial);
            assert!(culprit || self.excused.contains(&(key.stage, trial)), "trial {trial} was quarantined for nothing");
        }
    }

    pub(super) fn hear_above(&mut self, connection: u64, message: Up) {
        let Some(coordinator) = &mut self.coordinator else { return };
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.above && c.coordinator == coordinator.life)
        else {
            return;
        };
        let Some(session) = c.session else {
            if let Up::Hello { held } = message {
                let session = SessionId(coordinator.next_session);
                coordinator.next_session += 1;
                coordinator.sessions.insert(session, connection);
                c.session = Some(session);
                let w = &self.workers[c.worker];
                let mut process = [0; 16];
                process[..8].copy_from_slice(&(c.worker as u64).to_le_bytes());
                process[8..].copy_from_slice(&c.life.to_le_bytes());
                let process = ProcessId(process);
                let worker = core::Worker {
                    name: w.name.clone(),
                    process,
                    threads: w.threads as u32,
                    place: Default::default(),
                };
                let held = held.into_iter().map(|(stage, trials)| (key(stage), trials)).collect();
                self.send(connection, Err(Down::Welcome));
                self.tell(Input::SessionOpened { session, worker, held });
            }
            return;
        };
        match message {
            Up::Hello { .. } => {}
            Up::Beat { oldest, outbox, stages } => {
                let holds = Some(stages.into_iter().map(key).collect());
                self.tell(Input::Heartbeat {
                    session,
                    load: Load { oldest: Duration::from_micros(oldest), outbox, ..Load::default() },
                    executed: Duration::ZERO,
                    holds,
                });
            }
            Up::Results { number, batch } => {
                let rows = Rows {
                    trials: batch.rows.iter().map(|row| row.0).collect(),
                    elapsed_us: batch.rows.iter().map(|row| row.2).collect(),
                    columns: vec![Cells::Ints(batch.rows.iter().map(|row| row.1).collect())],
                };
                let stage = key(batch.stage);
                self.tell(Input::Results { session, batch: number, stage, rows });
            }
            Up::Failed { stage, trial } => {
                let (stage, error) = (key(stage), "no result".to_owned());
                self.tell(Input::TrialFailed { session, stage, trial, error });
            }
            Up::HandBack { stage, trials } => {
                let trials = trials.into_iter().map(|t| t..t + 1).collect();
                self.tell(Input::HandedBack { session, stage: key(stage), trials });
            }
            Up::Bye => self.close_above(connection),
        }
    }

    pub(super) fn close_above(&mut self, connection: u64) {
        let Some(coordinator) = &mut self.coordinator else { return };
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.above && c.coordinator == coordinator.life)
        else {
            return;
        };
        c.above = false;
        if let Some(session) = c.session.take() {
            coordinator.sessions.remove(&session);
            self.tell(Input::SessionClosed(session));
        }
    }
}
