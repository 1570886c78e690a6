//! What the coordinator speaks: work for workers, control for the command line, behind one token.

mod auth;
mod control;
mod work;

pub(crate) use auth::CheckToken;
pub use auth::{Token, TokenError};
pub(crate) use control::{Control, status};
pub(crate) use work::Work;
