//! Access to a coordinator: a caller that knows its token may command it.
//!
//! A [`Token`] comes from a file that a person names, or is made in the data directory of a coordinator that is reached
//! from its own machine only. Workers may have a token of their own, which lets them work and nothing else. Callers of the same account find the made one through the [`Registry`], and give it to no
//! coordinator of another account ([`Seeker`]).

mod listener;
mod registry;
mod secret;
mod seeker;
mod token;

pub use registry::{Announcement, Registry};
pub use secret::{SecretError, open_or_make};
pub use seeker::Seeker;
pub use token::{Made, Token, TokenError};

/// Header of a refusal: the id of the token that is wanted, if it has one.
pub(crate) const TOKEN_ID: &str = "redqueen-token-id";
