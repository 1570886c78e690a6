//! A stage of games between pairs of players: a match grid, a benchmark of an evolution, the final stage of a tuning.

pub(crate) mod axes;
pub(crate) mod figures;
mod find;
mod games;
pub(crate) mod league;
mod outcomes;
mod pair;
pub(crate) mod pairing;
mod rated;
mod read;
pub(crate) mod report;
pub(crate) mod tables;
pub(crate) mod turns;
mod warnings;
mod words;

use record::facts::{Contestant, GameFacts, Header, PairFacts, Role, Seat, TurnFigure};
use serde::Deserialize;

use crate::{
    kinds::{own::OwnColumns, turn_figures::TurnFigures, workers::Workers},
    statistics::moments::Moments,
};

pub(crate) use outcomes::points_against;
pub(crate) use pair::{Cost, PairGames, SEATS, Side};
use pairing::Pairing;
pub(crate) use read::read;
pub(crate) use words::findings;

/// Games that points are given for where a share is too fine: the papers give points of 1000 games.
pub(crate) const PER_1000: f64 = 1000.0;

/// Facts of a stage of shape `match`. Generation, end and contestants are of benchmarks only.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Meta {
    #[serde(flatten)]
    pub(crate) header: Header,
    #[serde(flatten)]
    pub(crate) game: GameFacts,
    #[serde(flatten)]
    pub(crate) pairs: PairFacts,
    pub(crate) generation: Option<u32>,
    #[serde(rename = "final", default)]
    pub(crate) last: bool,
    #[serde(default)]
    pub(crate) contestants: Vec<Contestant>,
    #[serde(default)]
    pub(crate) turn_figures: Vec<TurnFigure>,
}

impl Meta {
    /// Whether the first player of a pair always sits second; `None` where it sits on both sides.
    fn swapped(&self) -> Option<bool> {
        match self.pairs.seat() {
            Seat::First => Some(false),
            Seat::Second => Some(true),
            Seat::Both => None,
        }
    }
}

/// A grid of pairs and what its games gave.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    pub(crate) meta: Meta,
    /// Who meets whom, those without a stored game included.
    pub(crate) pairing: Pairing,
    /// Columns that the game declares.
    pub(crate) own: OwnColumns,
    /// Name of its stage.
    pub(crate) stage: String,
    /// Pairs in the order of the grid; those without a stored game are left out.
    pub(crate) pairs: Vec<PairGames>,
    /// What players declare of their decisions, where rows have it.
    pub(crate) turn_figures: TurnFigures,
    /// By name.
    pub(crate) workers: Workers,
    /// Games the grid should have.
    pub(crate) trials: u64,
}

impl Grid {
    /// Games it has.
    pub(crate) fn games(&self) -> u64 {
        self.pairs.iter().map(|pair| pair.games).sum()
    }

    /// Plies of its games.
    pub(crate) fn plies(&self) -> Moments {
        let sum = |of: fn(&PairGames) -> u64| self.pairs.iter().map(|pair| i128::from(of(pair))).sum();
        Moments::of_sums(self.games(), sum(|pair| pair.plies), sum(|pair| pair.plies_squares))
    }

    /// Whether the time of every decision is known.
    pub(crate) fn has_turns(&self) -> bool {
        self.pairs.iter().any(|pair| pair.turns.iter().any(|turns| !turns.is_empty()))
    }

    /// The individual behind a name, in a benchmark.
    pub(crate) fn contestant(&self, name: &str) -> Option<&Contestant> {
        self.meta.contestants.iter().find(|contestant| contestant.name == name)
    }

    /// Pairs whose first player has this role.
    pub(crate) fn pairs_of(&self, role: Role) -> impl Iterator<Item = &PairGames> {
        self.pairs.iter().filter(move |pair| self.contestant(&pair.a).is_some_and(|found| found.role == role))
    }
}
