//! Where a worker runs, and until when.

use std::time::Instant;

use redqueen_wire as wire;

/// Where a worker runs, for people, for `redqueen launch`, and so that a machine that computes wrongly is known again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Name of the machine; empty if unknown.
    pub host: String,
    /// The job that gave the cores, as a batch system or `redqueen launch` names it; empty if there is none.
    pub allocation: String,
    /// How often that job has begun anew under its name.
    pub restart: u32,
    /// When the job ends; `None` if it does not.
    pub ends: Option<Instant>,
}

impl Place {
    /// The place on the wire; the worker will leave at `leaves`.
    pub(crate) fn to_wire(&self, leaves: Option<Instant>) -> wire::Place {
        let left = |at: Instant| at.saturating_duration_since(Instant::now()).as_millis();
        wire::Place {
            host: self.host.clone(),
            allocation: self.allocation.clone(),
            restart: self.restart,
            leaves_in_ms: leaves.map(|at| u64::try_from(left(at)).unwrap_or(u64::MAX)),
        }
    }
}
