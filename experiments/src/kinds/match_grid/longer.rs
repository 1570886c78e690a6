//! A grid that is another one with more games a pair, or with more players and pairs.

use record::columns::{FIRST, PAIR, SECOND, match_shape};

use super::MatchGrid;
use crate::growth::{Growth, places};

impl MatchGrid {
    /// What may grow, for people.
    pub(crate) const GROWS: &str = "a match grid grows by games per pair (also through `scale`), and by players and \
                                    pairs that leave the others in their order";

    /// This grid with as much of `longer` as a longer grid may have, and the scale that goes with it.
    pub(crate) fn lengthened(&self, longer: &Self, scales: [f64; 2]) -> (Self, f64) {
        let mut grid = self.clone();
        if let Some((_, players)) = self.places_in(longer)
            && players.len() == self.matches.players.len()
        {
            grid.matches.players.clone_from(&longer.matches.players);
            grid.matches.pairing.clone_from(&longer.matches.pairing);
        }
        if longer.games_per_pair(scales[1]) < self.games_per_pair(scales[0]) {
            return (grid, scales[0]);
        }
        grid.games_per_pair = longer.games_per_pair;
        (grid, scales[1])
    }

    /// Where pairs and players stand in a grid that has them all, in the same order.
    fn places_in(&self, longer: &Self) -> Option<(Vec<u64>, Vec<u64>)> {
        let (old, new) = (&self.matches, &longer.matches);
        let players = places(old.players.iter(), new.players.iter())?;
        let moved = |pair: [u32; 2]| pair.map(|player| players[player as usize]);
        let before = (0..old.pairing.count()).map(|pair| moved(old.pairing.pair(pair)));
        let after = (0..new.pairing.count()).map(|pair| new.pairing.pair(pair).map(u64::from));
        let pairs = places(before, after)?;
        Some((pairs, players))
    }

    /// Where the games of this grid stand in a longer one.
    pub(crate) fn growth(&self, longer: &Self, scales: [f64; 2]) -> Option<Growth> {
        let games = [self.games_per_pair(scales[0]), longer.games_per_pair(scales[1])];
        if self.matches.players == longer.matches.players && self.matches.pairing == longer.matches.pairing {
            return Some(Growth::of_cells(games));
        }
        let (pairs, players) = self.places_in(longer)?;
        let columns = [(PAIR, &pairs), (FIRST, &players), (SECOND, &players)];
        Some(Growth::new(
            games,
            pairs.clone(),
            columns.map(|(name, indices)| (name, indices.clone())).into(),
            &match_shape(false),
        ))
    }
}
