//! What sitting first is worth.

use super::CONFIDENCE;
use crate::{
    Cell, Table,
    games::{Meta, PairGames},
    statistics::{interval, moments::Moments},
};

/// A row a pair: the player's score from either seat, and the first seat's score whoever sits there.
pub(crate) fn seats(meta: &Meta, games: &[PairGames]) -> Table {
    let mut table = Table::new(
        "seats",
        format!("{}: {} by seat", meta.experiment, meta.game),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("as_first", "score as first"),
            ("as_first_95", "95 % (Wilson)"),
            ("as_second", "score as second"),
            ("as_second_95", "95 % (Wilson)"),
            ("first_seat", "first seat's score"),
            ("first_seat_difference", &format!("first seat's {} ahead", meta.score_unit)),
        ],
    );
    for pair in games {
        let [with_a_first, with_b_first] = [pair.from_seat[0].len() as u64, pair.from_seat[1].len() as u64];
        let wilson = |share: Option<f64>, n: u64| {
            Cell::interval(share.and_then(|share| interval::wilson(share * n as f64, n, CONFIDENCE)), 4)
        };
        let first_points = pair.as_first.unwrap_or(0.0) * with_a_first as f64
            + with_b_first as f64 * (1.0 - pair.as_second.unwrap_or(0.0));
        let from_first: Vec<f64> = pair.from_seat.iter().flatten().copied().collect();
        table.push(vec![
            Cell::text(&pair.a),
            Cell::text(&pair.b),
            Cell::real(pair.as_first, 4),
            wilson(pair.as_first, with_a_first),
            Cell::real(pair.as_second, 4),
            wilson(pair.as_second, with_b_first),
            Cell::real(first_points / pair.games as f64, 4),
            Cell::real(Moments::of(&from_first).mean, 2),
        ]);
    }
    table
}
