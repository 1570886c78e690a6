//! What a learning asks, and what came out.

use super::Learning;
use crate::{
    Table,
    kinds::{
        grid,
        words::{Line, Source, grouped, listed, short},
    },
};

/// Opponents that a sentence names.
const NAMED: usize = 3;

/// What the experiment asks.
pub(super) fn question(learning: &Learning) -> String {
    let (game, rounds) = (short(&learning.facts.game.game), learning.facts.rounds);
    let fixed: Vec<String> =
        learning.opponents().into_iter().filter(|name| *name != record::facts::OLD).map(str::to_owned).collect();
    let against = if fixed.is_empty() { String::new() } else { format!(" against {}", listed(&fixed, NAMED)) };
    let rounds = if rounds == 1 { "one round".to_owned() } else { format!("{} rounds", grouped(rounds.into())) };
    format!("How strong{against} does a player of {game} become whose network learns from its own games for {rounds}?")
}

/// What came out.
pub(super) fn findings(learning: &Learning, tables: &[Table]) -> Vec<String> {
    let mut said = Vec::new();
    if learning.end.is_some() {
        said.extend(grid::findings(tables));
    }
    let rounds: Vec<Line<'_>> = Source::named(tables, "rounds").into_iter().flat_map(Source::lines).collect();
    if let Some(last) = rounds.last() {
        if last.has("share") {
            said.push(format!(
                "The network of round {} took a share of {} of the points from the one before it{}.",
                last.shown("round"),
                last.shown("share"),
                last.interval(&["share_95"])
            ));
        }
        if last.has("held_out_loss") {
            said.push(format!(
                "After its last training, on {} positions, its loss on positions held out was {}.",
                last.shown("trained_on"),
                last.shown("held_out_loss")
            ));
        }
    }
    said
}
