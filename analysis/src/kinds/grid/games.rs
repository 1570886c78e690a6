//! The games of a batch, column by column.

use crate::{Error, data::parquet::Batch};

/// Games of a batch; every list has a value a game, in the order of the trials.
pub(super) struct Games {
    trials: Vec<u64>,
    pairs: Vec<i64>,
    units: Vec<i64>,
    first_points: Vec<f64>,
    margins: Vec<i64>,
    plies: Vec<u64>,
    hashes: Vec<i64>,
    /// By seat.
    decisions: [Vec<u64>; 2],
    iterations: [Vec<u64>; 2],
    us: [Vec<u64>; 2],
}

/// One game. Lists of two are by player of the pair.
pub(super) struct Game {
    pub(super) pair: i64,
    /// Whether b sat first.
    pub(super) swapped: bool,
    /// Points of the first seat, counted in halves: 2 for a win, 1 for a draw.
    pub(super) first_half_points: i64,
    /// Score difference from the first seat's side.
    pub(super) first_margin: i64,
    pub(super) plies: u64,
    pub(super) hash: i64,
    pub(super) decisions: [u64; 2],
    pub(super) iterations: [u64; 2],
    pub(super) us: [u64; 2],
}

/// A whole unit: what its games gave to a.
#[derive(Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) pair: i64,
    /// In two games: 0 to 4.
    pub(super) half_points: i64,
    /// Likewise in two games.
    pub(super) margin: i64,
}

impl Games {
    pub(super) fn of(batch: Batch<'_>) -> Result<Self, Error> {
        let both = |what: &str| -> Result<[Vec<u64>; 2], Error> {
            Ok([batch.counts(&format!("first_{what}"))?, batch.counts(&format!("second_{what}"))?])
        };
        Ok(Games {
            trials: batch.counts("trial")?,
            pairs: batch.ints("pair")?,
            units: batch.ints("unit")?,
            first_points: batch.reals("first_points")?,
            margins: batch.ints("score_difference")?,
            plies: batch.counts("plies")?,
            hashes: batch.ints("moves_hash")?,
            decisions: both("decisions")?,
            iterations: both("iterations")?,
            us: both("us")?,
        })
    }

    /// The games; `swapped` says of all of them whether b sat first, where players keep their seats. Elsewhere the second
    /// game of a unit is swapped.
    pub(super) fn iter(&self, swapped: Option<bool>) -> impl Iterator<Item = Game> {
        (0..self.trials.len()).map(move |row| {
            let swapped = swapped.unwrap_or(self.trials[row] % 2 == 1);
            let of = |columns: &[Vec<u64>; 2]| {
                let [first, second] = columns.each_ref().map(|column| column[row]);
                if swapped { [second, first] } else { [first, second] }
            };
            Game {
                pair: self.pairs[row],
                swapped,
                first_half_points: (2.0 * self.first_points[row]) as i64,
                first_margin: self.margins[row],
                plies: self.plies[row],
                hash: self.hashes[row],
                decisions: of(&self.decisions),
                iterations: of(&self.iterations),
                us: of(&self.us),
            }
        })
    }

    /// The whole units among them: the two games of a unit share their luck and are one observation. Where players keep
    /// their seats a unit is one game and counts twice, so that half points and margins are those of two games everywhere.
    pub(super) fn units(&self, swapped: Option<bool>) -> Vec<Unit> {
        let (size, times) = if swapped.is_some() { (1, 2) } else { (2, 1) };
        let games: Vec<Game> = self.iter(swapped).collect();
        let unit = |game: usize| (self.pairs[game], self.units[game]);
        let rows: Vec<usize> = (0..games.len()).collect();
        let whole = rows.chunk_by(|one, next| unit(*one) == unit(*next)).filter(|rows| rows.len() == size);
        let of_a = |rows: &[usize]| {
            let games = || rows.iter().map(|row| &games[*row]);
            let half_points = games().map(|g| if g.swapped { 2 - g.first_half_points } else { g.first_half_points });
            let margin = games().map(|g| if g.swapped { -g.first_margin } else { g.first_margin });
            let (half_points, margin): (i64, i64) = (half_points.sum(), margin.sum());
            Unit {
                pair: games().next().map_or(0, |g| g.pair),
                half_points: times * half_points,
                margin: times * margin,
            }
        };
        whole.map(of_a).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Games of pair 3: (trial, unit, points of the first seat, its margin).
    fn games(rows: &[(u64, i64, f64, i64)]) -> Games {
        let zeros = || [vec![0; rows.len()], vec![0; rows.len()]];
        Games {
            trials: rows.iter().map(|row| row.0).collect(),
            pairs: vec![3; rows.len()],
            units: rows.iter().map(|row| row.1).collect(),
            first_points: rows.iter().map(|row| row.2).collect(),
            margins: rows.iter().map(|row| row.3).collect(),
            plies: vec![1; rows.len()],
            hashes: vec![0; rows.len()],
            decisions: zeros(),
            iterations: zeros(),
            us: zeros(),
        }
    }

    #[test]
    fn a_unit_is_whole_with_both_of_its_games() {
        let games = games(&[
            (6, 0, 1.0, 4),
            (7, 0, 0.0, -10),
            (8, 1, 0.5, 0),
            (11, 2, 1.0, 2),
            (12, 3, 0.0, -6),
            (13, 3, 0.5, 0),
        ]);
        // Unit 0: a won by 4 and, from the second seat, by 10. Unit 3: a lost by 6 and drew.
        let unit = |half_points, margin| Unit { pair: 3, half_points, margin };
        assert_eq!(games.units(None), [unit(4, 14), unit(1, -6)]);
        // Where b sits first in every game, units of one game count twice: a drew unit 1 and lost unit 2 by 2.
        assert_eq!(games.units(Some(true)), [unit(2, 0), unit(0, -4)]);
    }
}
