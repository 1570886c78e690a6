//! Why a slot cannot run trials.

use std::{io, process::ExitStatus, time::Duration};

use super::exit::{describe_exit, followed_by};

/// Processes lost in a row before any trial ran in them, after which the worker ends.
pub(super) const LOSSES_MAX: u32 = 6;

/// Why a worker cannot run trials.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// A bug of the slot.
    #[error("a slot panicked; please report this")]
    Panicked,
    /// A process cannot prepare a stage, for this reason.
    #[error("this worker cannot run the stage: {0}")]
    Unusable(String),
    /// Too many processes in a row were lost before any trial ran in them; the last one like this.
    #[error("{LOSSES_MAX} processes to run trials in were lost in a row before any ran: {0}")]
    Losses(Loss),
}

/// How a process was lost before any trial ran in it. `stderr` is the end of what it wrote there.
#[derive(Debug, thiserror::Error)]
pub enum Loss {
    /// The system did not start it.
    #[error("cannot start it: {0}")]
    Start(io::Error),
    /// It ended by itself; without a status if the kernel gave none in time.
    #[error("{}", followed_by(&describe_exit(*status), stderr))]
    Died {
        /// How it ended.
        status: Option<ExitStatus>,
        /// The end of its stderr.
        stderr: String,
    },
    /// It was silent for too long.
    #[error("{}", followed_by(&format!("it prepared a stage for {} s and began no trial", patience.as_secs_f64()), stderr))]
    Silent {
        /// How long it was silent.
        patience: Duration,
        /// The end of its stderr.
        stderr: String,
    },
    /// It sent an answer that makes no sense.
    #[error("{}", followed_by("it sent an answer that makes no sense", stderr))]
    Garbled {
        /// The end of its stderr.
        stderr: String,
    },
}
