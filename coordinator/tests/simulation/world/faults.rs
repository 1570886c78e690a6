//! The faults, and their end.

use coordinator::core::Input;

use super::{CALM, Conditions, Occurrence, SECOND, Up, World};
use crate::disk::RUN;

impl World {
    pub(super) fn fault(&mut self) {
        if self.calm {
            return;
        }
        self.faults += 1;
        let worker = self.chance.below(self.workers.len() as u64) as usize;
        let fault = if self.gentle { self.chance.between(8, 18) } else { self.chance.below(20) };
        match fault {
            0..=2 => self.kill(worker),
            3 => {
                self.kill(worker);
                // A machine that never returns, as long as enough others can settle a dispute.
                let last = self.workers.len() - 1;
                self.workers[last].gone |= worker == last && last >= 3;
            }
            4 | 5 => self.kill_coordinator(),
            6 | 7 => {
                let until = self.now + self.chance.below(15 * SECOND);
                self.workers[worker].frozen_until = until;
            }
            8..=10 => {
                if let Some(connection) = self.workers[worker].connection {
                    self.cut(connection);
                }
            }
            11 => {
                let w = &mut self.workers[worker];
                if w.up && !w.leaving {
                    w.leaving = true;
                    let connection = w.connection.filter(|_| w.welcomed);
                    for (stage, trials) in w.hand_back() {
                        if let Some(connection) = connection {
                            self.send(connection, Ok(Up::HandBack { stage, trials }));
                        }
                    }
                    self.perhaps_end(worker);
                }
            }
            12 => self.disk.full = true,
            13 | 14 => self.disk.full = false,
            15 => self.tell(Input::Pause(RUN)),
            16 | 17 => self.tell(Input::Resume(RUN)),
            18 if !self.gentle => {
                // A machine that slept or whose clock was set: leases may end early, but nothing may be lost.
                self.jumped += self.chance.below(3_600 * SECOND);
                self.tell(Input::Tick);
            }
            _ => {
                self.conditions = Conditions {
                    lost_once_in: [0, 50, 10, 4][self.chance.below(4) as usize],
                    doubled_once_in: [0, 20, 4][self.chance.below(3) as usize],
                    delay: [1_000, 50_000, 3 * SECOND][self.chance.below(3) as usize],
                };
            }
        }
        let next = self.chance.between(SECOND / 50, 3 * SECOND);
        self.after(next, Occurrence::Fault);
    }

    /// Ends the faults: the network works and all processes run.
    pub(super) fn calm(&mut self) {
        self.calm = true;
        self.conditions = CALM;
        self.disk.full = false;
        self.start_coordinator();
        if self.cancels {
            self.tell(Input::Cancel(RUN));
        } else {
            self.tell(Input::Resume(RUN));
        }
        for worker in 0..self.workers.len() {
            self.workers[worker].frozen_until = 0;
            self.start(worker);
        }
    }
}
