//! The gRPC services: work for workers and control for the command line, behind one token.

mod allowance;
mod answers;
mod auth;
mod control;
mod fleet;
mod work;

pub(crate) use answers::Answers;
pub(crate) use auth::CheckToken;
pub(crate) use control::{Control, status};
pub(crate) use work::Work;

#[cfg(test)]
mod tests;
