//! Ratings of a grid's players.

use crate::{
    forms::figure::{Interval, Intervals, LeftOut},
    kinds::grid::{Grid, rated::Rated},
    statistics::CONFIDENCE,
};

/// More players than this are a table, not a figure.
const PLAYERS_MAX: usize = 60;
/// Beyond the outermost ends, as a share of what they span: a mark at an end would be cut in half.
const MARGIN: f64 = 0.03;

/// A line a player with the interval of its rating, the strongest first: a figure for each group of players whose ratings
/// can be compared.
pub(crate) fn charts(grid: &Grid) -> Vec<Result<Intervals, LeftOut>> {
    let rated = Rated::of(grid);
    let group = |player: usize| {
        let standing = &rated.standings.players[player];
        (standing.pool, standing.group)
    };
    let groups = rated.order.chunk_by(|one, next| group(*one) == group(*next));
    let groups: Vec<&[usize]> = groups.collect();
    let chart = |players: &&[usize]| {
        let (pool, number) = group(players[0]);
        let (name, what) = match groups.len() {
            1 => ("ratings".to_owned(), "ratings".to_owned()),
            _ => {
                let (pool, number) = (pool + 1, number + 1);
                (format!("ratings-{pool}-{number}"), format!("ratings of pool {pool}, group {number}"))
            }
        };
        if players.len() > PLAYERS_MAX {
            return Err(LeftOut::too_many(&name, players.len(), "players", PLAYERS_MAX));
        }
        let row = |player: &usize| {
            let rating = rated.standings.players[*player].rating?;
            let ends = Some(rating.interval(CONFIDENCE)).filter(|(low, high)| low.is_finite() && high.is_finite());
            Some(Interval { name: rated.names[*player].to_owned(), value: rating.elo, ends })
        };
        let rows: Vec<Interval> = players.iter().filter_map(row).collect();
        let ends = rows.iter().flat_map(|row| row.ends.map_or([row.value; 2], |(low, high)| [low, high]));
        let (low, high) = ends.fold((0.0_f64, 0.0_f64), |(low, high), end| (low.min(end), high.max(end)));
        let room = MARGIN * (high - low);
        Ok(Intervals {
            name,
            title: format!("{}: {what}, 95 %", grid.meta.header.experiment),
            x: "Elo points above the mean of the group".to_owned(),
            x_range: (low - room, high + room),
            level: 0.0,
            rows,
        })
    };
    groups.iter().filter(|players| players.len() > 1).map(chart).collect()
}
