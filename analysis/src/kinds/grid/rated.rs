//! The players of a grid by their ratings.

use std::collections::BTreeMap;

use super::Grid;
use crate::statistics::rating::{Score, Standings, rate};

/// The players of a grid and where they stand. Lists have an entry a player, in the order of `names`.
pub(crate) struct Rated<'a> {
    /// In alphabetic order.
    pub(crate) names: Vec<&'a str>,
    pub(crate) standings: Standings,
    /// Games against other players.
    pub(crate) played: Vec<f64>,
    /// Shares of their points; `None` without games.
    pub(crate) shares: Vec<Option<f64>>,
    /// Players by pool and group, the strongest of a group first.
    pub(crate) order: Vec<usize>,
}

impl<'a> Rated<'a> {
    /// Rates the players of a grid.
    pub(crate) fn of(grid: &'a Grid) -> Self {
        let mut names: Vec<&str> = grid.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
        names.sort_unstable();
        names.dedup();
        let scores = scores(grid, &names);
        let standings = rate(names.len(), &scores);
        let (mut points, mut played) = (vec![0.0; names.len()], vec![0.0; names.len()]);
        for score in &scores {
            points[score.a] += score.points;
            points[score.b] += score.games - score.points;
            played[score.a] += score.games;
            played[score.b] += score.games;
        }
        let share = |(points, played): (&f64, &f64)| (*played > 0.0).then(|| points / played);
        let shares: Vec<Option<f64>> = points.iter().zip(&played).map(share).collect();
        let place = |&player: &usize| {
            let standing = &standings.players[player];
            let height = standing.rating.map(|rating| rating.elo).or(shares[player]).unwrap_or(0.0);
            (standing.pool, standing.group, height)
        };
        let mut order: Vec<usize> = (0..names.len()).collect();
        order.sort_by(|a, b| {
            let ((pool, group, height), (other_pool, other_group, other)) = (place(a), place(b));
            (pool, group).cmp(&(other_pool, other_group)).then(other.total_cmp(&height))
        });
        Rated { names, standings, played, shares, order }
    }
}

/// Points of the grid's pairs, with their variance from the spread over units. A player's games against itself say
/// nothing of its strength.
fn scores(grid: &Grid, names: &[&str]) -> Vec<Score> {
    let index: BTreeMap<&str, usize> = names.iter().enumerate().map(|(i, name)| (*name, i)).collect();
    let between_two = grid.pairs.iter().filter(|pair| pair.a != pair.b);
    between_two
        .map(|pair| {
            let games = pair.games as f64;
            let units = pair.units();
            Score {
                a: index[pair.a.as_str()],
                b: index[pair.b.as_str()],
                games,
                points: pair.points(),
                units: units.n,
                variance: units.error().map(|error| games * games * error * error),
            }
        })
        .collect()
}
