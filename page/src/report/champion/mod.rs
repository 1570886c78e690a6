//! What a search found: an evolved function with its mathematics, tree and ancestors, or a tuning's winner.

mod tree;

use analysis::{Cell, Digits, Table};
use coordinator::store::Summary;
use experiments::lineage::{Ancestor, Evolution};
use maud::{Markup, html};

use super::gathered::Found;
use crate::{
    champion::{Evolved, Tuned, mate},
    html::{drawing, facts, formula, table, thousands, visible},
};

/// Significant digits of numbers in mathematics.
const DIGITS: usize = 4;
/// Functions whose mathematics has more parts than this are shown as text alone: nobody reads such a formula.
const PARTS_MAX: usize = 400;

/// The champion or the winner, of kinds that have one.
pub(super) fn section(found: Option<&Found>, summary: &Summary) -> Option<Markup> {
    Some(match found? {
        Found::Evolved(found, evolution) => evolved(found, evolution),
        Found::Tuned(found) => tuned(found, summary.state == "finished"),
    })
}

fn evolved(found: &Evolved, evolution: &Evolution) -> Markup {
    let Evolved { individual, games, tree, language, simple, file, line, .. } = found;
    let points = individual
        .fitness
        .map_or_else(String::new, |points| format!(", which took {points} of {games} points inside its population"));
    html! {
        p {
            "Individual " (individual.individual) " of generation " (individual.generation) (points) "."
        }
        @if simple.size() <= PARTS_MAX {
            h3 { "As mathematics" }
            p.soft { "Simplified: what cannot change the value is left out, and numbers have " (DIGITS) " digits." }
            div.scroll role="region" tabindex="0" aria-label="The function as mathematics" { (formula(simple, DIGITS)) }
        }
        @if let Some(svg) = tree::svg(tree, language) {
            h3 { "As a tree" }
            figure {
                div.card { (drawing(&svg, "tree", "The function as a tree", "The prefix notation below says the same.")) }
                figcaption { "As it evolved, from the root on the left." }
            }
        }
        h3 { "As text" }
        (facts([
            ("size", html! {
                (tree.size()) " nodes, " (tree.introns(language)) " of them introns; depth " (tree.depth(language))
            }),
            ("made by", html! { (individual.made) }),
            ("prefix", html! { code { (visible(&individual.tree)) } }),
            ("maths", html! { code { (simple.to_text(DIGITS)) } }),
            ("LaTeX", html! { code { (simple.to_latex(DIGITS)) } }),
            ("hash", html! { code { (file.hash()) } }),
        ]))
        h3 { "Where it comes from" }
        (table(&lineage(line, evolution)))
    }
}

/// The line of parents, back to the first generation.
fn lineage(line: &[Ancestor], evolution: &Evolution) -> Table {
    let mut table = Table::new(
        "lineage",
        "The line of the champion's parents",
        &[
            ("generation", "generation"),
            ("individual", "individual"),
            ("points", "points"),
            ("made", "made by"),
            ("mate", "crossed with"),
            ("mate_points", "its points"),
        ],
    );
    let points = |fitness: Option<f64>| Cell::real(fitness, Digits::from(1));
    for ancestor in line {
        let mate = mate(ancestor, evolution);
        table.push(vec![
            Cell::Count(ancestor.generation.into()),
            Cell::Count(ancestor.individual.into()),
            points(ancestor.fitness),
            Cell::text(&ancestor.made),
            mate.as_ref().map_or(Cell::Missing, |mate| Cell::Count(mate.individual.into())),
            points(mate.and_then(|mate| mate.fitness)),
        ]);
    }
    table.notes.push(
        "Each was copied from the one below it and changed by what made it; whom it was crossed with gave a part."
            .to_owned(),
    );
    table
}

fn tuned(found: &Tuned, finished: bool) -> Markup {
    let leader = &found.leader;
    let values: Vec<(&str, Markup)> =
        leader.values.iter().map(|(name, value)| (name.as_str(), html! { code { (value) } })).collect();
    html! {
        p {
            @if finished { "The winner is " } @else { "The leader is " }
            (leader.name) ", which led after generation " (found.generation) " and had played "
            (thousands(leader.games)) " games in the search. What it is worth, the table " code { "retest" } " says."
        }
        (facts(values))
        p { "As a player: " code { (visible(&found.player)) } }
    }
}
