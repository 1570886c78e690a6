//! What picks moves.
//!
//! A [`PlayerSpec`] says which player with which parameters; [`registry`] lists the kinds there are. A player is
//! built for one game by [`registry::build`], so that its inner loop knows the game's type; `dyn` stands only
//! between the game loop in [`play`] and a decision.

pub mod artifacts;
pub mod bench;
mod budget;
mod checkers_mcts;
mod ea;
mod effort;
pub mod evomcts;
mod expectimax;
pub mod figures;
mod game_rng;
mod greedy;
mod listed;
pub mod mcts;
mod mcts_co;
mod mcts_dc;
mod minimax;
pub mod net;
mod one_ply;
mod params;
pub mod play;
mod player;
mod qdab;
mod random;
pub mod readout;
pub mod registry;
pub mod self_play;
mod self_test;
pub mod solo;
mod solving;
#[cfg(feature = "toys")]
mod toys;
mod trial_rng;
mod uct;

pub use play::{GameRecord, GameSetup, Match, PlayError, play_game};
pub use player::{Decision, Player, Searched};
pub use registry::PlayerSpec;
pub use self_test::self_test;
pub use trial_rng::TrialRng;
