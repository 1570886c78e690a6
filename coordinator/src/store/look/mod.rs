//! What pages show of a run, read beside its writer a page at a time: nothing here reads all rows of a stage, but
//! [`count`] does, for a stage that is open and has no writer to ask.

mod outline;
mod trials;
mod troubles;
mod workers;

pub use outline::{Outline, StageOutline, count, outline};
pub use trials::{Attempt, Claim, Given, Looked, TrialRow, looked, trials};
pub use troubles::{FailedOn, Trouble, Troubled, failed_by, troubled};
pub use workers::{Hand, hands};
