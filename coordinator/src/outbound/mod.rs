//! What goes to one worker: a queue, the body of its call, and permits for big answers.

mod body;
mod permits;
mod queue;

pub(crate) use body::Reply;
pub(crate) use permits::{Place, Places};
pub(crate) use queue::{Outbound, outbound};
