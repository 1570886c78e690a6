//! What is sent to one worker: a queue of messages, the body of its call, and permits for large answers.

mod body;
mod permits;
mod queue;

pub(crate) use body::Reply;
pub(crate) use permits::{Permit, Permits};
pub(crate) use queue::{Outbound, outbound};
