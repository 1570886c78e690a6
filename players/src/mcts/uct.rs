//! The UCT player of the EvoMCTS paper (dossier reversi-evomcts, section 2.1).

use std::time::{Duration, Instant};

use games::{Game, Moves as _, Rng, Seed, below};

use super::{Playout, Search, Selection};
use crate::{Decision, Player};

/// What a decision may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// New playouts, on top of what a kept tree holds.
    Playouts(u64),
    /// Wall-clock time. Not reproducible.
    Time(Duration),
}

/// Which root move is played after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalMove {
    /// Highest mean, then most visits, then at random.
    HighestMean,
    /// Most visits, then highest mean, then at random.
    MostVisited,
}

/// Parameters of [`Uct`] that are not parts of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// What a decision may cost.
    pub budget: Budget,
    /// Which root move is played.
    pub final_move: FinalMove,
    /// Keep the subtree behind the moves that were played.
    pub keep_tree: bool,
    /// Search where there is only one move.
    pub search_forced: bool,
}

/// Playouts between two looks at the clock.
const CLOCK_EVERY: u64 = 16;

/// Searches, then plays.
pub struct Uct<G: Game, S, P> {
    search: Search<G, S, P>,
    options: Options,
    rng: Rng,
    /// Best root moves, for the draw among equals.
    best: Vec<G::Move>,
}

impl<G: Game, S: Selection, P: Playout<G>> Uct<G, S, P> {
    /// A player that searches with `search`.
    pub fn new(search: Search<G, S, P>, options: Options) -> Self {
        let rng = Seed::derive(0, 0, 0, "never used: start() comes first").rng();
        Uct { search, options, rng, best: Vec::new() }
    }

    /// The search, as the last decision left it.
    pub fn search(&self) -> &Search<G, S, P> {
        &self.search
    }

    fn spend(&mut self) -> u64 {
        match self.options.budget {
            Budget::Playouts(count) => {
                for _ in 0..count {
                    self.search.iterate(&mut self.rng);
                }
                count
            }
            Budget::Time(limit) => self.spend_time(limit),
        }
    }

    #[expect(clippy::disallowed_methods, reason = "a time budget needs the clock; it marks its run not reproducible")]
    fn spend_time(&mut self, limit: Duration) -> u64 {
        let start = Instant::now();
        let mut count = 0;
        loop {
            for _ in 0..CLOCK_EVERY {
                self.search.iterate(&mut self.rng);
            }
            count += CLOCK_EVERY;
            if start.elapsed() >= limit {
                return count;
            }
        }
    }

    fn recommend(&mut self) -> G::Move {
        let final_move = self.options.final_move;
        let key = |mean: f64, visits: u32| match final_move {
            FinalMove::HighestMean => (mean, f64::from(visits)),
            FinalMove::MostVisited => (f64::from(visits), mean),
        };
        let mut top = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        self.best.clear();
        for stats in self.search.root_stats() {
            let key = key(stats.mean, stats.visits);
            if key > top {
                top = key;
                self.best.clear();
            }
            if key == top {
                self.best.push(stats.chosen);
            }
        }
        let pick = if self.best.len() == 1 { 0 } else { below(&mut self.rng, self.best.len() as u32) as usize };
        self.best[pick]
    }
}

impl<G: Game, S: Selection, P: Playout<G>> Player<G> for Uct<G, S, P> {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng = seed.rng();
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        if !self.options.search_forced {
            let moves = position.moves();
            if moves.len() == 1 {
                return Decision { chosen: moves.get(0), iterations: 0 };
            }
        }
        self.search.root(position);
        let iterations = self.spend();
        Decision { chosen: self.recommend(), iterations }
    }

    fn observe(&mut self, _before: &G, played: G::Move) {
        if self.options.keep_tree {
            self.search.descend(played);
        } else {
            self.search.clear();
        }
    }
}
