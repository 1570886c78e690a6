//! A grid that is another one with more games a pair, or with more players and pairs.

use super::MatchGrid;
use crate::longer::{Growth, places};

/// Columns of a row that hold the pair, and who sat first and second.
const PAIR: usize = 0;
const SEATS: [usize; 2] = [2, 3];

impl MatchGrid {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a match grid grows by games per pair (also through `scale`), and by players and \
                                    pairs that leave the others in their order";

    /// This grid with as much of `longer` as a longer grid may have, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        let mut grid = self.clone();
        if let Some((_, players)) = self.places_in(longer)
            && players.len() == self.players.len()
        {
            (grid.players, grid.pairing) = (longer.players.clone(), longer.pairing.clone());
        }
        if longer.games_per_pair(scales[1]) < self.games_per_pair(scales[0]) {
            return (grid, scales[0]);
        }
        grid.games_per_pair = longer.games_per_pair;
        (grid, scales[1])
    }

    /// Where pairs and players stand in a grid that has them all, in the same order.
    fn places_in(&self, longer: &Self) -> Option<(Vec<u64>, Vec<u64>)> {
        let players = places(self.players.iter(), longer.players.iter())?;
        let moved = |pair: [u32; 2]| pair.map(|player| players[player as usize]);
        let before = (0..self.pairing.count()).map(|pair| moved(self.pairing.pair(pair)));
        let after = (0..longer.pairing.count()).map(|pair| longer.pairing.pair(pair).map(u64::from));
        let pairs = places(before, after)?;
        Some((pairs, players))
    }

    /// Where the games of this grid stand in a longer one.
    pub(crate) fn growth(&self, longer: &Self, scales: [f64; 2]) -> Option<Growth> {
        let games = [self.games_per_pair(scales[0]), longer.games_per_pair(scales[1])];
        if self.players == longer.players && self.pairing == longer.pairing {
            return Some(Growth::of_cells(games));
        }
        let (pairs, players) = self.places_in(longer)?;
        let columns = [(PAIR, pairs.clone())].into_iter().chain(SEATS.map(|seat| (seat, players.clone()))).collect();
        Some(Growth::new(games, pairs, columns))
    }
}
