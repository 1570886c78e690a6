//! What a tuning asks, and what came out.

use super::Tuning;
use crate::{
    Table,
    kinds::words::{Line, Source, listed, short},
};

/// Parameters that a sentence names.
const NAMED: usize = 6;

/// What the experiment asks.
pub(super) fn question(tuning: &Tuning) -> String {
    let facts = &tuning.facts;
    let names: Vec<String> = facts.parameters.iter().map(|parameter| parameter.name.clone()).collect();
    format!(
        "Which values of {} make {} strong at {}, and are they better than its own?",
        listed(&names, NAMED),
        short(&facts.player),
        short(&facts.game.game)
    )
}

/// What came out.
pub(super) fn findings(tuning: &Tuning, tables: &[Table]) -> Vec<String> {
    let mut said = Vec::new();
    if let Some(leader) = Source::named(tables, "candidates").and_then(|table| table.lines().next()) {
        let value = |name: &String| format!("{name} = {}", leader.shown(&name.replace('-', "_")));
        let names: Vec<String> = tuning.facts.parameters.iter().map(|parameter| value(&parameter.name)).collect();
        said.push(format!(
            "The search chose {}, with {}, after {} games of its own.",
            leader.shown("candidate"),
            listed(&names, NAMED),
            leader.shown("games")
        ));
    }
    let lines: Vec<Line<'_>> = Source::named(tables, "retest").into_iter().flat_map(Source::lines).collect();
    if let Some((search, [first, ..])) = lines.split_first() {
        said.push(format!(
            "On fresh games against {} the winner took a share of {} of the points{} in {} games, the player's own values {}{} \
             in {}.",
            first.shown("opponent"),
            first.shown("winner"),
            first.interval(&["winner_95"]),
            first.shown("winner_games"),
            first.shown("defaults"),
            first.interval(&["defaults_95"]),
            first.shown("defaults_games"),
        ));
        if first.has("difference") {
            said.push(format!(
                "The difference is {}{}, p = {} (Holm {}).",
                first.shown("difference"),
                first.interval(&["difference_95"]),
                first.shown("p"),
                first.shown("p_holm")
            ));
        }
        if search.has("winner") {
            said.push(format!(
                "In the search it had taken {}, and for that it was chosen: the fresh games alone say what it is worth.",
                search.shown("winner")
            ));
        }
    }
    said
}
