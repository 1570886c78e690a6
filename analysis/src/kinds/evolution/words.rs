//! What an evolution asks, and what came out.

use record::facts::Role;

use super::Evolution;
use crate::{
    Table,
    kinds::words::{Line, Source, grouped, listed, short},
};

/// Opponents that are told one by one.
const OPPONENTS: usize = 3;

/// What the experiment asks.
pub(super) fn question(evolution: &Evolution) -> String {
    let game = short(&evolution.facts.game.game);
    let bred = evolution.generations.len() as u64;
    let generations = evolution.facts.generations.map_or(bred, u64::from);
    let mut opponents: Vec<String> = Vec::new();
    for pair in evolution.benchmarks.iter().flat_map(|grid| &grid.pairs) {
        if !opponents.contains(&pair.b) {
            opponents.push(pair.b.clone());
        }
    }
    let against =
        if opponents.is_empty() { String::new() } else { format!(" against {}", listed(&opponents, OPPONENTS)) };
    format!(
        "How strong{against} do functions for the playouts of {game} become in {} generations of coevolution?",
        grouped(generations)
    )
}

/// What came out.
pub(super) fn findings(tables: &[Table]) -> Vec<String> {
    let mut said = Vec::new();
    let best = |line: &Line<'_>| line.shown("role") == Role::Best.name();
    let last: Vec<Line<'_>> = Source::named(tables, "final").into_iter().flat_map(Source::lines).filter(best).collect();
    for line in last.iter().take(OPPONENTS) {
        said.push(format!(
            "The champion took {} of 1,000 points from {}{} in {} games.",
            line.shown("points_per_1000"),
            line.shown("opponent"),
            line.interval(&["points_per_1000_95"]),
            line.shown("games")
        ));
    }
    said.extend(rise(tables));
    if let Some(line) = Source::named(tables, "generations").and_then(|table| table.lines().last()) {
        said.push(format!(
            "The last population, of generation {}, had {} different trees among {} individuals; a tree had {} nodes on \
             average.",
            line.shown("generation"),
            line.shown("distinct"),
            line.shown("individuals"),
            line.shown("size_mean")
        ));
    }
    said
}

/// The best of the first benchmark beside that of the last, against the first opponent.
fn rise(tables: &[Table]) -> Option<String> {
    let lines: Vec<Line<'_>> = Source::named(tables, "benchmarks")?
        .lines()
        .filter(|line| line.shown("role") == Role::Best.name() && line.has("generation"))
        .collect();
    let first = lines.first()?;
    let last = lines.iter().rev().find(|line| line.shown("opponent") == first.shown("opponent"))?;
    (first.number("generation") < last.number("generation")).then(|| {
        format!(
            "Against {} the best individual of generation {} had taken {}{}; that of generation {} took {}{}.",
            first.shown("opponent"),
            first.shown("generation"),
            first.shown("points_per_1000"),
            first.interval(&["points_per_1000_95"]),
            last.shown("generation"),
            last.shown("points_per_1000"),
            last.interval(&["points_per_1000_95"])
        )
    })
}
