//! Tables of a league: what players have of all their matches.

use super::{
    layout::League,
    printed::{Printed, player},
};

/// A figure of a player in a league.
#[derive(Clone, Debug, PartialEq)]
pub struct LeagueFigure {
    /// Name of the player.
    pub player: String,
    /// What its spec has in common with the paper's player.
    pub spec: String,
    /// What is compared: a column of the table `league`, its words joined by hyphens.
    pub metric: String,
    /// Where the figure stands, if it is not what the paper prints: `by the rule`.
    pub remark: Option<String>,
    /// As printed, of this many games a match.
    pub printed: Printed,
}

/// Figures row by row.
pub(super) fn figures(layout: &League, rows: &[toml::Table]) -> Vec<LeagueFigure> {
    let mut figures = Vec::new();
    for row in rows {
        let of = player(&layout.players, &layout.player, row);
        for column in &layout.figures {
            let Some(printed) = column.printed(row, layout.games) else { continue };
            figures.push(LeagueFigure {
                player: of.name.clone(),
                spec: of.spec.clone(),
                metric: column.metric.clone(),
                remark: column.remark.clone(),
                printed,
            });
        }
    }
    figures
}
