//! The network: what becomes of a message, and of a connection that is cut.

use super::{Down, Occurrence, SECOND, Up, World};

impl World {
    pub(super) fn send(&mut self, connection: u64, message: Result<Up, Down>) {
        let Some(c) = self.connections.get(&connection) else { return };
        if c.cut || self.chance.once_in(self.weather.lost_once_in) {
            return;
        }
        if self.chance.once_in(self.weather.doubled_once_in) {
            self.carry(connection, message.clone());
        }
        self.carry(connection, message);
    }

    pub(super) fn carry(&mut self, connection: u64, message: Result<Up, Down>) {
        let delay = self.chance.between(100, self.weather.delay);
        match message {
            Ok(up) => self.after(delay, Occurrence::Up(connection, up)),
            Err(down) => self.after(delay, Occurrence::Down(connection, down)),
        }
    }

    /// A connection dies; each side sees it when it sees it.
    pub(super) fn cut(&mut self, connection: u64) {
        if let Some(c) = self.connections.get_mut(&connection) {
            c.cut = true;
            let (above, below) = (self.chance.below(20 * SECOND), self.chance.below(20 * SECOND));
            // Where nobody dies, workers see it soon enough to be back before they count as dead.
            let slow = if self.gentle { 8 } else { 1 };
            let (above, below) = (above / slow, below / slow);
            let (above, below) = (above / (1 + self.chance.below(1_000)), below / (1 + self.chance.below(1_000)));
            // A machine that lost its power closes no connection: only its silence says so.
            if !self.chance.once_in(3) {
                self.after(above, Occurrence::BrokenAbove(connection));
            }
            self.after(below, Occurrence::BrokenBelow(connection));
        }
    }
}
