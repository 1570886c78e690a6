//! What a grid asks, and what came out.

use std::collections::BTreeSet;

use record::facts::{Pairs, Rule};

use super::{Grid, axes::Axes};
use crate::{
    Table,
    kinds::words::{Line, Source, grouped, listed, short},
};

/// Names that a sentence lists.
const NAMED: usize = 3;
/// Pairs that are told one by one.
const PAIRS: usize = 3;

/// What the experiment asks.
pub(super) fn question(grid: &Grid) -> String {
    let game = short(&grid.meta.game.game);
    if let [pair] = &grid.pairs[..] {
        return format!("What share of the points does {} take from {} at {game}?", pair.a, pair.b);
    }
    if let Some(axes) = Axes::of(grid) {
        let names: Vec<String> = axes.all.iter().map(|axis| axis.name.clone()).collect();
        return format!(
            "How much do the points that a player takes at {game} depend on {}, against {}?",
            listed(&names, NAMED),
            listed(&axes.opponents, NAMED)
        );
    }
    match &grid.meta.pairs.pairs {
        Pairs::Rule { pairing: Rule::RoundRobin } => {
            let players: BTreeSet<&str> =
                grid.pairs.iter().flat_map(|pair| [pair.a.as_str(), pair.b.as_str()]).collect();
            format!("Which of {} players is the strongest at {game}, each against each other?", players.len())
        }
        Pairs::Rule { pairing: Rule::Gauntlet { champions, against } } => format!(
            "What share of the points do {} take from {} at {game}?",
            listed(champions, NAMED),
            listed(against, NAMED)
        ),
        Pairs::Listed { .. } => {
            format!(
                "What share of the points does the first player of each of {} pairs take at {game}?",
                grid.pairs.len()
            )
        }
    }
}

/// What came out.
pub(crate) fn findings(tables: &[Table]) -> Vec<String> {
    let pairs: Vec<Line<'_>> = Source::named(tables, "pairs").into_iter().flat_map(Source::lines).collect();
    let mut said = Vec::new();
    said.extend(ratings(tables));
    if pairs.len() <= PAIRS {
        said.extend(pairs.iter().map(|pair| share(*pair)));
    } else {
        let distance = |line: &&Line<'_>| (line.number("share").unwrap_or(0.5) - 0.5).abs();
        let clearest = pairs.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
        let closest = pairs.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        said.extend(clearest.map(|pair| format!("The clearest pair: {}", share(*pair))));
        said.extend(closest.map(|pair| format!("The closest pair: {}", share(*pair))));
    }
    said.extend(influences(tables));
    said
}

/// What the first player of a pair took.
pub(crate) fn share(pair: Line<'_>) -> String {
    format!(
        "{} took a share of {} of the points from {}{} in {} games.",
        pair.shown("player"),
        pair.shown("share"),
        pair.shown("opponent"),
        pair.interval(&["units_95", "wilson_95"]),
        pair.shown("games"),
    )
}

/// Who stands at the top, where ratings of at least three can be compared.
fn ratings(tables: &[Table]) -> Option<String> {
    let lines: Vec<Line<'_>> = Source::named(tables, "ratings")?.lines().collect();
    let (first, last) = (lines.first()?, lines.last()?);
    let together = lines.iter().all(|line| line.number("pool") == Some(1.0) && line.number("group") == Some(1.0));
    if lines.len() < 3 || !together || !first.has("elo") {
        return None;
    }
    let elo = |line: &Line<'_>| {
        format!("{} with {} Elo{}", line.shown("player"), line.shown("elo"), line.interval(&["elo_95"]))
    };
    Some(format!(
        "Of {} players the highest rated is {} after {} games, the lowest {}.",
        grouped(lines.len() as u64),
        elo(first),
        first.shown("games"),
        elo(last)
    ))
}

/// Which parameter decides most.
fn influences(tables: &[Table]) -> Option<String> {
    let lines = Source::named(tables, "influence")?.lines().filter(|line| line.has("p"));
    let strongest = lines.max_by(|a, b| {
        let size = |line: &Line<'_>| line.number("epsilon_squared").unwrap_or(0.0);
        size(a).total_cmp(&size(b))
    })?;
    Some(format!(
        "Of the parameters {} explains most of the points against {}: ε² = {}, p = {} (Kruskal-Wallis).",
        strongest.shown("parameter"),
        strongest.shown("opponent"),
        strongest.shown("epsilon_squared"),
        strongest.shown("p")
    ))
}
