//! Tables of games for two in which each player keeps its seat.

use super::{
    layout::Seats,
    printed::{Printed, number, player},
};

/// A figure of a player against another in one of the seats.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatFigure {
    /// Name of the player whose figure it is.
    pub player: String,
    /// Name of the other.
    pub opponent: String,
    /// What their specs have in common with the paper's players.
    pub specs: [String; 2],
    /// The player's seat: 0 or 1.
    pub seat: usize,
    /// `wins`, `draws` or `losses` of the player, as shares of the games; `margin`, its score beyond the other's; or a
    /// number that the game counts by seat.
    pub metric: String,
    /// As printed.
    pub printed: Printed,
}

/// Figures row by row.
pub(super) fn figures(layout: &Seats, rows: &[toml::Table], sample_size: Option<u64>) -> Vec<SeatFigure> {
    let games = layout.games.or(sample_size).expect("a table by seat says how many games a row has");
    let mut figures = Vec::new();
    for row in rows {
        let [of, against] = [&layout.player, &layout.opponent].map(|pattern| player(&layout.players, pattern, row));
        for column in &layout.figures {
            let Some(printed) = column.printed(row, games) else { continue };
            let seat = column.seat.or_else(|| number(row, layout.seat.as_ref()?).map(|seat| seat as u64)).unwrap_or(1);
            figures.push(SeatFigure {
                player: of.name.clone(),
                opponent: against.name.clone(),
                specs: [of.spec.clone(), against.spec.clone()],
                seat: usize::from(seat == 2),
                metric: column.metric.clone(),
                printed,
            });
        }
    }
    figures
}
