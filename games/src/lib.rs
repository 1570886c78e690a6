//! Rules of the games, one module for each. The crate does not know players or networks.
//!
//! A [`Game`] is a position as a value. Everything random in it comes from an [`Rng`] that the caller seeds
//! with a [`Seed`], so that a game is a pure function of its seed. [`registry`] lists the games; a new game is
//! one module and one type in that list, and the contract test in `tests/games/contract.rs` covers it at once.

pub mod bits;
pub mod boop;
pub mod carcassonne;
pub mod checkers;
pub mod columns;
pub mod dodgem;
pub mod dots_and_boxes;
pub mod encoding;
pub mod endings;
pub mod features;
pub mod fop;
mod game;
pub mod line;
mod listed;
mod perft;
mod processor;
pub mod purpose;
pub mod registry;
pub mod reversi;
mod rng;
mod seed;
#[cfg(feature = "toys")]
pub mod toys;

pub use encoding::{Encoding, View};
pub use game::{Facts, Game, Moves, Outlook, Seat, TextError, Turn};
pub use perft::{divide, perft};
pub use registry::{GameSpec, Visitor, all, visit};
pub use rng::{Rng, below, unit};
pub use seed::Seed;
