//! Deliberate faults, for tests: a part of a process panics if an environment variable names it.
//!
//! They show that a process ends with its parts. Release builds do not have them.

use std::sync::OnceLock;

/// The variable; its value is the name of a [`Part`].
const VARIABLE: &str = "REDQUEEN_BREAK";

/// Parts of coordinators and workers on which others rely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The task that owns the coordinator's core.
    Driver,
    /// The thread that writes databases.
    Store,
    /// The task that accepts connections.
    Server,
    /// The task that serves `/metrics` and `/health`.
    Http,
    /// The task that talks to the coordinator.
    Session,
    /// The thread of a worker's heartbeats.
    Heart,
    /// The thread of an executor process.
    Slot,
}

impl Part {
    /// Its name in the variable.
    fn name(self) -> &'static str {
        match self {
            Part::Driver => "driver",
            Part::Store => "store",
            Part::Server => "server",
            Part::Http => "http",
            Part::Session => "session",
            Part::Heart => "heart",
            Part::Slot => "slot",
        }
    }
}

/// Panics if the variable names this part.
#[inline]
pub fn may_break(part: Part) {
    static BROKEN: OnceLock<Option<String>> = OnceLock::new();
    if cfg!(debug_assertions) && BROKEN.get_or_init(|| std::env::var(VARIABLE).ok()).as_deref() == Some(part.name()) {
        panic!("the {} broke on purpose", part.name());
    }
}
