//! Admission: how many connections may be open, and for how long each may stay without the token.
//!
//! A connection is unauthenticated until a call over it has carried the right token; [`ConnectionHandle::admit`] is
//! called then. At most [`UNAUTHENTICATED_MAX`] unauthenticated connections are open, a few bytes each, and none stays
//! longer than [`UNAUTHENTICATED_TIME`]. When one more arrives, the oldest of those that have sent nothing is closed,
//! or else the oldest of the others, but not before it has had [`SILENT_TIME`] or [`SPEAKING_TIME`]: until then new
//! ones wait ([`Admission::room`]). So no number of silent connections keeps out a caller that speaks, and a fleet that
//! reconnects at once does not push itself out. Authenticated connections have a limit of their own.
//!
//! The last answer to an unauthenticated caller must reach it: closing a socket with unread bytes in it makes the
//! system discard what was just sent (RFC 9293, 3.10.7.4), and an alert about a wrong certificate with it. So a
//! connection that the server drops lingers for [`LINGER`] and is still counted.
//!
//! Visitors of the HTTP door have no token ([`Admission::of_visitors`]). One whose request is being answered counts as
//! authenticated until the answer is written, and then waits again as if it had just come.
//!
//! [`UNAUTHENTICATED_TIME`]: connection::UNAUTHENTICATED_TIME
//! [`SILENT_TIME`]: limits::SILENT_TIME
//! [`SPEAKING_TIME`]: limits::SPEAKING_TIME
//! [`LINGER`]: connection::LINGER

mod connection;
mod handle;
mod limits;

use std::{sync::Arc, time::Duration};

use tokio::time::Instant;

use crate::metrics::{Metrics, Refusal};
pub(crate) use connection::Connection;
pub use connection::Pipe;
pub(crate) use handle::{ConnectionHandle, Serving};
use limits::Limits;
#[cfg(test)]
pub(crate) use limits::UNAUTHENTICATED_MAX;

/// Counts open connections and bounds them. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Admission(Arc<Limits>);

impl Admission {
    /// Admits at most `authenticated_max` connections at once; `metrics` count those that are refused.
    pub(crate) fn new(authenticated_max: usize, metrics: Option<Metrics>) -> Self {
        Admission(Arc::new(Limits::new(authenticated_max, metrics)))
    }

    /// Admits visitors, who have no token: at most `waiting_max` that wait for nothing, and `served_max` of whom a
    /// request is being answered ([`ConnectionHandle::serve`]). One that takes nothing of its answer for
    /// `write_patience` is closed.
    pub(crate) fn of_visitors(waiting_max: usize, served_max: usize, write_patience: Duration) -> Self {
        let mut limits = Limits::new(served_max, None);
        (limits.unauthenticated_max, limits.write_patience) = (waiting_max, Some(write_patience));
        Admission(Arc::new(limits))
    }

    /// Waits until one more connection may be received: there is room, or the oldest has had its time.
    pub(crate) async fn room(&self) {
        loop {
            let fewer = self.0.fewer.notified();
            let from = self.0.room_from();
            let Some(until) = from.filter(|from| *from > Instant::now()) else { return };
            tokio::select! {
                () = fewer => {}
                () = tokio::time::sleep_until(until) => {}
            }
        }
    }

    /// Takes in a connection, unauthenticated at first; closes the oldest such one if there are too many.
    pub(crate) fn receive<T: Pipe>(&self, io: T) -> Connection<T> {
        let mut open = self.0.open();
        if open.unauthenticated() >= self.0.unauthenticated_max
            && let Some(oldest) = open.pop_oldest()
        {
            oldest.cancel();
            self.0.refused(Refusal::crowded);
        }
        let (id, closed) = open.insert();
        drop(open);
        Connection::new(io, ConnectionHandle::new(id, Arc::clone(&self.0), closed))
    }
}

#[cfg(test)]
mod tests;
