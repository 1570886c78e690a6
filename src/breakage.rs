//! Faults on purpose, for tests: a part of a process that panics where an environment variable says so.
//!
//! It shows that nothing lives on as a shell around a part that is dead. Release builds have none of it.

use std::sync::OnceLock;

/// The variable: a [`Part`]'s name.
const VARIABLE: &str = "REDQUEEN_BREAK";

/// Parts of coordinators and workers that others rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The task that owns the coordinator's core.
    Driver,
    /// The thread that writes databases.
    Store,
    /// The task that takes connections.
    Server,
    /// The task that serves `/metrics` and `/health`.
    Http,
    /// The task that speaks with the coordinator.
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

/// Panics if this is the part that is to break.
#[inline]
pub fn may_break(part: Part) {
    static BROKEN: OnceLock<Option<String>> = OnceLock::new();
    if cfg!(debug_assertions) && BROKEN.get_or_init(|| std::env::var(VARIABLE).ok()).as_deref() == Some(part.name()) {
        panic!("the {} broke on purpose", part.name());
    }
}
