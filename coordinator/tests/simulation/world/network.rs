//! The network: messages, and connections that are cut.

use super::{Down, Occurrence, SECOND, Up, World};

impl World {
    pub(super) fn send(&mut self, connection: u64, message: Result<Up, Down>) {
        let Some(c) = self.connections.get(&connection) else { return };
        if c.cut || self.chance.once_in(self.conditions.lost_once_in) {
            return;
        }
        if self.chance.once_in(self.conditions.doubled_once_in) {
            self.carry(connection, message.clone());
        }
        self.carry(connection, message);
    }

    pub(super) fn carry(&mut self, connection: u64, message: Result<Up, Down>) {
        let delay = self.chance.between(100, self.conditions.delay);
        match message {
            Ok(up) => self.after(delay, Occurrence::Up(connection, up)),
            Err(down) => self.after(delay, Occurrence::Down(connection, down)),
        }
    }

    /// Cuts a connection; each side notices after a time of its own, or never.
    pub(super) fn cut(&mut self, connection: u64) {
        if let Some(c) = self.connections.get_mut(&connection) {
            c.cut = true;
            let (above, below) = (self.chance.below(20 * SECOND), self.chance.below(20 * SECOND));
            // Where no process dies, workers notice it early enough to reconnect before they count as dead.
            let slow = if self.gentle { 8 } else { 1 };
            let (above, below) = (above / slow, below / slow);
            let (above, below) = (above / (1 + self.chance.below(1_000)), below / (1 + self.chance.below(1_000)));
            // A machine that lost power closes no connection: only its silence is noticed.
            if !self.chance.once_in(3) {
                self.after(above, Occurrence::BrokenAbove(connection));
            }
            self.after(below, Occurrence::BrokenBelow(connection));
        }
    }
}
