//! Bradley-Terry ratings of a connected grid.

use super::CONFIDENCE;
use crate::{
    Cell, Table,
    games::Grid,
    rating::{Rating, Score, Unrated, rate},
    statistics::tails,
};

/// A row a player, the strongest first. Where no ratings fit, the table says why.
pub(crate) fn ratings(grid: &Grid) -> Table {
    let title = format!("{}: ratings (Bradley-Terry, mean 0)", grid.meta.experiment);
    let heads = [("player", "player"), ("elo", "Elo"), ("elo_95", "95 %"), ("games", "games"), ("score", "score")];
    let mut table = Table::new("ratings", title, &heads);
    let mut names: Vec<&str> = grid.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let scores = scores(grid, &names);
    let (rated, note) = rate_or_bound(names.len(), &scores);
    let z = tails::normal_quantile(0.5 + 0.5 * CONFIDENCE);
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let of = |score: &Score| match i {
            i if i == score.a => score.points,
            i if i == score.b => score.games - score.points,
            _ => 0.0,
        };
        let points: f64 = scores.iter().map(of).sum();
        let played: f64 = scores.iter().filter(|s| s.a == i || s.b == i).map(|s| s.games).sum();
        let rating = rated.as_ref().map(|ratings| ratings[i]);
        // All or no points: a side of the interval has no end.
        let bounded = points > 0.0 && points < played;
        let interval = rating.filter(|_| bounded).map(|r| (r.elo - z * r.error, r.elo + z * r.error));
        let cells = vec![
            Cell::text(*name),
            Cell::real(rating.map(|r| r.elo), 0),
            Cell::interval(interval, 0),
            Cell::Count(played as u64),
            Cell::real(points / played, 4),
        ];
        rows.push((rating.map_or(points / played, |r| r.elo), cells));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.into_iter().for_each(|(_, cells)| table.push(cells));
    table.notes.push(note);
    table
}

/// Points of the grid's pairs, with their variance from the spread over units. A player's games against itself say
/// nothing of its strength.
fn scores(grid: &Grid, names: &[&str]) -> Vec<Score> {
    let index = |name: &str| names.binary_search(&name).unwrap_or_default();
    let between_two = grid.pairs.iter().filter(|pair| pair.a != pair.b);
    between_two
        .map(|pair| {
            let games = pair.games as f64;
            let error = pair.units().error().filter(|&error| error > 0.0);
            Score {
                a: index(&pair.a),
                b: index(&pair.b),
                games,
                points: pair.points(),
                variance: error.map(|error| games * games * error * error),
            }
        })
        .collect()
}

/// Ratings with what to know of them; none where players share no chain of games.
fn rate_or_bound(players: usize, scores: &[Score]) -> (Option<Vec<Rating>>, String) {
    let scale = "Elo: 400 points are odds of ten to one. The interval covers the games' chance, the two games of a unit \
                 as one observation.";
    match rate(players, scores) {
        Ok(ratings) => (Some(ratings), scale.to_owned()),
        Err(Unrated::Unbounded) => {
            // Firth-like: half a point more to each side keeps every rating finite.
            let drawn = |s: &Score| Score { games: s.games + 1.0, points: s.points + 0.5, ..s.clone() };
            let bounded: Vec<Score> = scores.iter().map(drawn).collect();
            let note = format!(
                "Some players took every point from the others, so that no finite ratings fit: these count one more game, \
                 drawn, for every pair, and are bounds rather than estimates where a score is 0 or 1. {scale}"
            );
            (rate(players, &bounded).ok(), note)
        }
        Err(why @ (Unrated::Disconnected | Unrated::TooFew)) => (None, format!("No ratings: {why}.")),
    }
}
