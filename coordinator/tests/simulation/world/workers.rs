//! The fake workers: they start, connect, run trials, deliver and die.

use super::{Connection, Down, HEARTBEAT, Occurrence, SECOND, Up, WELCOME_TIMEOUT, World};
use crate::{
    disk::{RUN, key},
    fleet::{Fate, fate},
};

impl World {
    pub(super) fn start(&mut self, worker: usize) {
        if self.workers[worker].up || self.workers[worker].gone {
            return;
        }
        self.workers[worker].start();
        let life = self.workers[worker].life;
        self.connect(worker, life);
    }

    pub(super) fn connect(&mut self, worker: usize, life: u64) {
        let w = &mut self.workers[worker];
        if w.life != life || !w.up || w.connection.is_some() {
            return;
        }
        let Some(coordinator) = &self.coordinator else {
            let pause = self.chance.between(SECOND / 10, 3 * SECOND);
            return self.after(pause, Occurrence::Connect(worker, life));
        };
        let id = self.next;
        let (session, above, below, cut) = (None, true, true, false);
        self.connections
            .insert(id, Connection { worker, life, coordinator: coordinator.life, session, above, below, cut });
        w.connection = Some(id);
        w.welcomed = false;
        let held = w.reconnect();
        self.send(id, Ok(Up::Hello { held }));
        self.after(WELCOME_TIMEOUT, Occurrence::Unwelcome(worker, life, id));
    }

    pub(super) fn hear_below(&mut self, connection: u64, message: Down) {
        let Some(c) = self.connections.get(&connection).filter(|c| c.below) else { return };
        let (worker, life) = (c.worker, c.life);
        let w = &mut self.workers[worker];
        if w.life != life || w.connection != Some(connection) {
            return;
        }
        if !w.welcomed {
            match message {
                Down::Welcome => {
                    w.welcome();
                    self.after(0, Occurrence::Beat(worker, life, connection));
                    self.deliver(worker);
                }
                Down::Dismissed(gone) => self.dismissed(connection, worker, gone),
                // It has overtaken the Welcome: treated as lost.
                _ => {}
            }
            return;
        }
        match message {
            Down::Welcome => {}
            Down::Lease { stage, trials } => {
                if w.leaving {
                    let trials = trials.iter().flatten().collect();
                    return self.send(connection, Ok(Up::HandBack { stage, trials }));
                }
                w.lease(stage, trials.iter().flatten());
                self.begin(worker);
            }
            Down::Ack(number) => {
                w.batches.remove(&number);
                self.begin(worker);
                self.perhaps_end(worker);
            }
            Down::Withdraw { stage, trials } => w.withdraw(stage, &trials),
            Down::Forget(stage) => w.forget(stage),
            Down::Dismissed(gone) => self.dismissed(connection, worker, gone),
        }
    }

    pub(super) fn dismissed(&mut self, connection: u64, worker: usize, gone: bool) {
        if gone {
            self.workers[worker].die();
            self.workers[worker].gone = true;
        }
        self.close_below(connection);
    }

    pub(super) fn close_below(&mut self, connection: u64) {
        let Some(c) = self.connections.get_mut(&connection).filter(|c| c.below) else { return };
        c.below = false;
        let (worker, life) = (c.worker, c.life);
        if !c.cut {
            self.after(0, Occurrence::BrokenAbove(connection));
        }
        let w = &mut self.workers[worker];
        if w.life == life && w.connection == Some(connection) {
            w.connection = None;
            w.welcomed = false;
            let pause = self.chance.between(SECOND / 20, 2 * SECOND);
            self.after(pause, Occurrence::Connect(worker, life));
        }
    }

    pub(super) fn begin(&mut self, worker: usize) {
        let w = &mut self.workers[worker];
        let life = w.life;
        for (thread, cost) in w.begin(self.now, &mut self.chance) {
            self.after(cost, Occurrence::Finish(worker, life, thread));
        }
    }

    pub(super) fn finish(&mut self, worker: usize, life: u64, thread: usize) {
        let w = &mut self.workers[worker];
        if w.life != life {
            return;
        }
        let Some(((stage, trial), _)) = w.running[thread] else { return };
        let run = key(stage).run;
        if let Some((_, since)) = w.running[thread] {
            *self.used.entry(run).or_default() += self.now - since;
        }
        let fate = if run == RUN {
            let salt = self.disk.contents.stages[stage as usize].salt;
            fate(salt, trial, self.failing.contains(&trial), self.killing.contains(&trial))
        } else {
            Fate::Value(0)
        };
        match fate {
            Fate::Kills => return self.kill(worker),
            Fate::Fails => {
                w.outcome(thread, fate, self.now, &mut self.chance);
                w.failures.push((stage, trial));
                self.deliver(worker);
            }
            Fate::Value(_) => {
                w.outcome(thread, fate, self.now, &mut self.chance);
                let linger = self.chance.below(100_000);
                self.after(linger, Occurrence::Deliver(worker, life));
            }
        }
        self.begin(worker);
        self.perhaps_end(worker);
    }

    pub(super) fn deliver(&mut self, worker: usize) {
        let w = &mut self.workers[worker];
        let Some(connection) = w.connection.filter(|_| w.welcomed) else { return };
        let life = w.life;
        for (stage, trial) in std::mem::take(&mut w.failures) {
            self.send(connection, Ok(Up::Failed { stage, trial }));
        }
        let w = &mut self.workers[worker];
        for (number, batch) in w.take_due(self.now) {
            self.sent.insert((worker, life, number), batch.clone());
            self.send(connection, Ok(Up::Results { number, batch }));
        }
    }

    pub(super) fn beat(&mut self, worker: usize, life: u64, connection: u64) {
        let w = &self.workers[worker];
        if w.life != life || w.connection != Some(connection) {
            return;
        }
        let (oldest, outbox, stages) = w.beat(self.now);
        self.send(connection, Ok(Up::Beat { oldest, outbox, stages }));
        self.deliver(worker);
        self.after(HEARTBEAT, Occurrence::Beat(worker, life, connection));
    }

    /// Ends a leaving worker that is done.
    pub(super) fn perhaps_end(&mut self, worker: usize) {
        let w = &self.workers[worker];
        if !w.up || !w.leaving || !w.is_done() {
            return;
        }
        if let Some(connection) = w.connection {
            self.send(connection, Ok(Up::Bye));
            self.after(SECOND, Occurrence::BrokenAbove(connection));
        }
        self.workers[worker].die();
        let back = self.chance.between(SECOND / 10, 10 * SECOND);
        self.after(back, Occurrence::Start(worker));
    }

    pub(super) fn kill(&mut self, worker: usize) {
        if let Some(connection) = self.workers[worker].connection {
            self.cut(connection);
        }
        self.workers[worker].die();
        let back = self.chance.between(SECOND / 10, 10 * SECOND);
        self.after(back, Occurrence::Start(worker));
    }
}
