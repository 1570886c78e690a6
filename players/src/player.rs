//! What every player does.

use games::{Game, Seed};

use crate::readout::Readout;

/// A move and what it took to find it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decision<M> {
    /// The move.
    pub chosen: M,
    /// Iterations of search spent on it; 0 if it was played without search.
    pub iterations: u64,
}

/// A position that a search valued by positions behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Searched {
    /// Its number before this one's among those of the decision, of the position that it is behind; 0 of the first.
    pub parent: u32,
    /// Place of the move that leads here among the legal ones; 0 of the first.
    pub place: u32,
    /// Points of the first seat by the search.
    pub points: f64,
}

/// Picks moves in one game after another.
pub trait Player<G: Game>: Send {
    /// Forgets everything: a new game begins, in which the player draws from `seed`.
    fn start(&mut self, seed: &Seed);

    /// Draws the parameters that its spec leaves open within a range, once a game and before its first decision. `shared` is
    /// a seed of the game, not of the player: players that draw the same parameter draw the same value.
    fn draw_parameters(&mut self, shared: &Seed) {
        let _ = shared;
    }

    /// Picks a move at `position`, where it is this player's turn and there is a move.
    fn decide(&mut self, position: &G) -> Decision<G::Move>;

    /// What the search of the last decision left, with `bins` bins of its histogram (0: none); `None` of a decision
    /// without search.
    fn readout(&self, bins: usize) -> Option<Readout> {
        let _ = bins;
        None
    }

    /// Appends the values of its kind's figures for the last decision, which took a search, in their order; NaN where it has
    /// no such figure. Cheap, unlike [`Player::readout`]: games ask it of every decision.
    fn figures(&self, values: &mut Vec<f64>) {
        let _ = values;
    }

    /// Appends the root's moves that the search of the last decision tried, each with its visits, those of a kept tree included;
    /// nothing of a player that does not count any. Only meaningful between a decision and the next move, and of a decision
    /// that took a search.
    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        let _ = visits;
    }

    /// Appends the positions that the search of the last decision valued by those behind them: the root first, each behind the
    /// position that its move was played at; nothing of a player that has no such values. Only meaningful as
    /// [`Player::root_visits`] is.
    fn searched(&self, found: &mut Vec<Searched>) {
        let _ = found;
    }

    /// Sees a move that was played, by whomever, at `before`.
    fn observe(&mut self, before: &G, played: G::Move) {
        let _ = (before, played);
    }
}
