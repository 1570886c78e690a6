//! Sums over games, in memory that follows pairs and not games.

use std::collections::BTreeMap;

use record::{Stage, facts::Seat};

use super::{Game, PairTally};

/// Sums over some games of a stage.
#[derive(Debug, Default)]
pub(super) struct Sums {
    seat: Option<Seat>,
    /// Most pairs that the stage can have.
    pairs_max: u64,
    pub(super) games: u64,
    /// Halves of a point of the first player in the games whose unit lacks the other one, by index of the unit.
    pub(super) halves: BTreeMap<u64, u8>,
    pub(super) pairs: Vec<PairTally>,
}

impl Sums {
    /// Sums over no games of `stage`.
    pub(super) fn of(stage: &Stage) -> Self {
        let fact = |name| stage.meta.get(name).cloned().unwrap_or_default();
        let games_per_pair = fact("games_per_pair").as_u64().unwrap_or(1).max(1);
        let pairs_max = stage.trials.div_ceil(games_per_pair);
        Sums { seat: serde_json::from_value(fact("seat")).ok(), pairs_max, ..Sums::default() }
    }

    /// Adds a game, unless its pair cannot be one of the stage.
    pub(super) fn add(&mut self, trial: u64, game: Game) {
        let Some(pair) = usize::try_from(game.pair).ok().filter(|_| game.pair < self.pairs_max) else { return };
        if self.pairs.len() <= pair {
            self.pairs.resize(pair + 1, PairTally::default());
        }
        let seat = self.seat.unwrap_or(Seat::Both);
        let swapped = seat.is_swapped(trial);
        let halves = if swapped { 2 - game.halves } else { game.halves };
        let tally = &mut self.pairs[pair];
        let count = &mut tally.by_seat[usize::from(swapped)][usize::from(2 - halves)];
        *count = count.saturating_add(1);
        tally.plies = tally.plies.saturating_add(game.plies);
        tally.elapsed_us = tally.elapsed_us.saturating_add(game.elapsed_us);
        self.games += 1;
        if seat == Seat::Both {
            match self.halves.remove(&(trial / 2)) {
                Some(other) => {
                    let unit = &mut tally.units[usize::from(halves + other)];
                    *unit = unit.saturating_add(1);
                }
                None => drop(self.halves.insert(trial / 2, halves)),
            }
        }
    }
}
