//! Monte-Carlo tree search, made of parts.
//!
//! One iteration descends from the root by a [`Selection`] until it meets a position with an untried move, adds
//! one child for a random untried move, runs one playout from it by a [`Playout`], and adds the points of the
//! outcome to every edge on the path, each from the view of the player who chose it. At nature's turn the move
//! is drawn, not selected. An [`Expansion`] may add the children in an order of its own. An agent that differs brings its own part; the loop in [`search`] stays.
//!
//! [`Uct`] is the search of the EvoMCTS paper (Benbassat and Sipper 2013, section II;
//! docs/papers/evomcts.md).

#[cfg(test)]
pub(crate) mod audit;
mod batch;
mod budget;
mod counters;
mod evaluator;
mod expansion;
mod playout;
mod puct;
mod readout;
mod reward;
mod search;
mod selection;
mod settled;
mod tree;
mod uct;

pub use budget::Budget;
pub(crate) use budget::Meter;
pub use counters::{Counter, Counting};
pub use evaluator::{Evaluator, Leaf, Prior};
pub use expansion::{AtRandom, Expansion};
pub use playout::{FewBest, NothingWon, UniformPlayout};
pub use puct::{Puct, Untried};
pub(crate) use readout::of_tree;
pub use reward::{Reward, Rewarded};
pub(crate) use search::Reached;
pub use search::{Search, SearchStats, TreeLimit};
pub use selection::{Chooser, ProjectScore, Selection, Ucb1, UnvisitedFirst};
pub use settled::Settled;
pub use tree::{Edge, Tree};
pub(crate) use uct::recommend;
pub use uct::{FinalMove, Options, Uct};
