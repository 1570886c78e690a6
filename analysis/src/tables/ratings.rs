//! Bradley-Terry ratings of a connected grid.

use crate::{
    Cell, Table,
    games::{Meta, PairGames},
    rating::{Score, Unrated, rate},
};

/// Half-width of a 95 % interval in standard errors.
const Z: f64 = 1.959_963_984_540_054;

/// A row a player, the strongest first. Where no finite ratings fit, the table says why.
pub(crate) fn ratings(meta: &Meta, games: &[PairGames]) -> Table {
    let title = format!("{}: ratings (Bradley-Terry, mean 0)", meta.experiment);
    let heads = [("player", "player"), ("elo", "Elo"), ("elo_95", "95 %"), ("games", "games"), ("score", "score")];
    let mut table = Table::new("ratings", title, &heads);
    let mut names: Vec<&str> = games.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
    names.sort_unstable();
    names.dedup();
    let index = |name: &str| names.binary_search(&name).unwrap_or_default();
    let scores: Vec<Score> = games
        .iter()
        .map(|pair| Score { a: index(&pair.a), b: index(&pair.b), games: pair.games as f64, points: pair.points() })
        .collect();
    let rated = rate(names.len(), &scores);
    let mut rows: Vec<(f64, Vec<Cell>)> = Vec::new();
    for (i, name) in names.iter().enumerate() {
        let taken = |side: fn(&Score) -> (usize, f64)| -> f64 {
            scores.iter().map(side).filter(|(player, _)| *player == i).map(|(_, points)| points).sum()
        };
        let points = taken(|s| (s.a, s.points)) + taken(|s| (s.b, s.games - s.points));
        let played: f64 = scores.iter().filter(|s| s.a == i || s.b == i).map(|s| s.games).sum();
        let rating = rated.as_ref().ok().map(|ratings| ratings[i]);
        let interval = rating.map(|r| (r.elo - Z * r.error, r.elo + Z * r.error));
        let order = rating.map_or(points / played, |r| r.elo);
        let cells = vec![
            Cell::text(*name),
            Cell::real(rating.map(|r| r.elo), 0),
            Cell::interval(interval, 0),
            Cell::Count(played as u64),
            Cell::real(points / played, 4),
        ];
        rows.push((order, cells));
    }
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    rows.into_iter().for_each(|(_, cells)| table.push(cells));
    table.notes.push(match rated {
        Ok(_) => "Elo: 400 points are odds of ten to one. The interval covers the games' chance.".to_owned(),
        Err(why @ (Unrated::Disconnected | Unrated::Unbounded | Unrated::TooFew)) => format!("No ratings: {why}."),
    });
    table
}
