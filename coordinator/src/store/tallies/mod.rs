//! Wins, draws and losses of an open stage by pair of players.

mod counting;
mod sums;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use record::{Shape, Stage, columns};

use crate::rows::{Cells, Rows};
pub use counting::Counting;

/// Results of the stored games of a stage.
#[derive(Clone, Debug)]
pub struct Tallies {
    /// The stage, which is of shape `match`; its facts say who the pairs are.
    pub stage: Arc<Stage>,
    /// Games that were counted.
    pub games: u64,
    /// Units of two games of which only one was counted.
    pub halves: u64,
    /// By index of the pair, up to the last one with a game.
    pub pairs: Vec<PairTally>,
}

/// Results of the games of a pair, for its first player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairTally {
    /// Wins, draws and losses: of the games in which it sat first, and of those in which it sat second.
    pub by_seat: [[u32; 3]; 2],
    /// Units of two games with the same luck by its points in both: 0, 0.5, 1, 1.5 and 2. None where players keep their
    /// seats, since a unit is one game then.
    pub units: [u32; 5],
    /// Plies of all its games.
    pub plies: u64,
    /// Microseconds that they took on their executors.
    pub elapsed_us: u64,
}

impl PairTally {
    /// Wins, draws and losses.
    pub fn results(&self) -> [u32; 3] {
        let [first, second] = self.by_seat;
        std::array::from_fn(|at| first[at].saturating_add(second[at]))
    }

    /// Games.
    pub fn games(&self) -> u32 {
        self.results().iter().fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// Points: 1 for a win, 0.5 for a draw.
    pub fn points(&self) -> f64 {
        let [wins, draws, _] = self.results();
        f64::from(wins) + f64::from(draws) / 2.0
    }
}

/// What is counted of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Game {
    pub(crate) pair: u64,
    /// Points of the seat that moves first, in halves: 0, 1 or 2.
    pub(crate) halves: u8,
    pub(crate) plies: u64,
    pub(crate) elapsed_us: u64,
}

impl Game {
    /// The game with these values; `None` if they are not those of a game.
    pub(crate) fn of(pair: i64, points: f64, plies: i64, elapsed_us: u64) -> Option<Self> {
        let halves = match points * 2.0 {
            0.0 => 0,
            1.0 => 1,
            2.0 => 2,
            _ => return None,
        };
        Some(Game { pair: u64::try_from(pair).ok()?, halves, plies: u64::try_from(plies).ok()?, elapsed_us })
    }
}

/// Where rows of games between pairs have what is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout([usize; 3]);

impl Layout {
    /// The columns that are counted, in the order of [`Layout::of`].
    pub(crate) const COLUMNS: [&str; 3] = [columns::PAIR, columns::FIRST_POINTS, columns::PLIES];

    /// The layout of a shape; `None` if its rows are no games between pairs.
    pub(crate) fn of(shape: &Shape) -> Option<Self> {
        if shape.name != columns::MATCH {
            return None;
        }
        let [pair, points, plies] = Self::COLUMNS.map(|name| shape.index(name));
        Some(Layout([pair?, points?, plies?]))
    }

    /// The game of a row.
    fn game(self, rows: &Rows, row: usize) -> Option<Game> {
        match self.0.map(|column| rows.columns.get(column)) {
            [Some(Cells::Ints(pair)), Some(Cells::Reals(points)), Some(Cells::Ints(plies))] => {
                Game::of(*pair.get(row)?, *points.get(row)?, *plies.get(row)?, *rows.elapsed_us.get(row)?)
            }
            _ => None,
        }
    }
}
