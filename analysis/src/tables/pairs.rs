//! Who beat whom: points, intervals, score, length, time.

use super::CONFIDENCE;
use crate::{
    Cell, Table,
    games::{Meta, PairGames},
    statistics::interval,
};

/// A row a pair, from the first player's side.
pub(crate) fn pairs(meta: &Meta, games: &[PairGames]) -> Table {
    let unit = &meta.score_unit;
    let title = format!("{}: {} by pair", meta.experiment, meta.game);
    let mut table = Table::new(
        "pairs",
        title,
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("games", "games"),
            ("wins", "won"),
            ("draws", "drawn"),
            ("losses", "lost"),
            ("score", "score"),
            ("wilson_95", "95 % (Wilson)"),
            ("units_95", "95 % (units)"),
            ("difference_mean", &format!("{unit} ahead")),
            ("difference_sd", "sd"),
            ("plies", "plies"),
            ("player_ms", "ms a decision"),
            ("opponent_ms", "opponent's"),
            ("distinct", "distinct"),
        ],
    );
    for pair in games {
        let millis = |us: Option<f64>| Cell::real(us.map(|us| us / 1_000.0), 2);
        table.push(vec![
            Cell::text(&pair.a),
            Cell::text(&pair.b),
            Cell::Count(pair.games),
            Cell::Count(pair.wins),
            Cell::Count(pair.draws),
            Cell::Count(pair.games - pair.wins - pair.draws),
            Cell::real(pair.points() / pair.games as f64, 4),
            Cell::interval(interval::wilson(pair.points(), pair.games, CONFIDENCE), 4),
            Cell::interval(interval::of_mean_share(&pair.units, CONFIDENCE), 4),
            Cell::real(pair.score.mean, 2),
            Cell::real(pair.score.deviation(), 2),
            Cell::real(pair.plies, 1),
            millis(pair.decision_us[0]),
            millis(pair.decision_us[1]),
            Cell::Count(pair.distinct),
        ]);
    }
    table.notes.push(
        "score: points of the player as a share, a draw half. Wilson takes games as independent; units takes the two \
         games with the same luck and swapped seats as one observation (Student's interval of their mean)."
            .to_owned(),
    );
    table
}
