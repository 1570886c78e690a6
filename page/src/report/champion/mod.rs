//! What a search found: an evolved function with its mathematics, tree and ancestors, or a tuning's winner.

mod ancestors;
mod tree;

use analysis::{Cell, Digits, Table};
use coordinator::store::Summary;
use experiments::lineage::{Ancestor, Evolution};
use maud::{Markup, html};

use super::gathered::Found;
use crate::{
    champion::{Evolved, Tuned, mate},
    html::{Holds, drawing, facts, formula, table, thousands, visible},
};
use ancestors::Ancestors;

/// Significant digits of numbers in mathematics.
const DIGITS: usize = 4;
/// Functions whose mathematics has more parts than this are shown as text alone: nobody reads such a formula.
const PARTS_MAX: usize = 400;
/// What a tree's drawing is called, and where the same is said.
const TREE: [&str; 2] = ["The function as a tree", "The prefix notation below says the same."];

/// Where ancestors are shown that are not in a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Others {
    /// Nowhere: a document is all there is.
    Nowhere,
    /// On pages of their own, which `?individual=GENERATION:INDEX` leads to.
    Pages,
}

/// The champion or the winner, of kinds that have one.
pub(super) fn section(found: Option<&Found>, summary: &Summary, others: Others) -> Option<Markup> {
    Some(match found? {
        Found::Evolved(found, evolution) => evolved(found, evolution, others),
        Found::Tuned(found) => tuned(found, summary.state == "finished"),
    })
}

/// An individual with its mathematics, tree and ancestors.
pub(super) fn evolved(found: &Evolved, evolution: &Evolution, others: Others) -> Markup {
    let Evolved { individual, games, tree, language, simple, file, line, .. } = found;
    let points = individual
        .fitness
        .map_or_else(String::new, |points| format!(", which took {points} of {games} points inside its population"));
    // Below the title of a page, or below that of a section.
    let heading = |text: &str| match others {
        Others::Nowhere => html! { h3 { (text) } },
        Others::Pages => html! { h2 { (text) } },
    };
    html! {
        p {
            "Individual " (individual.individual) " of generation " (individual.generation) (points) "."
        }
        @if simple.size() <= PARTS_MAX {
            (heading("As mathematics"))
            p.soft { "Simplified: what cannot change the value is left out, and numbers have " (DIGITS) " digits." }
            div.scroll role="group" tabindex="0" aria-label="The function as mathematics" { (formula(simple, DIGITS)) }
        }
        @if let Some(svg) = tree::svg(tree, language) {
            (heading("As a tree"))
            figure {
                div.card role="group" tabindex="0" aria-label=(TREE[0]) { (drawing(&svg, "tree", TREE, Holds::Marks)) }
                figcaption { "As it evolved, from the root on the left." }
            }
        }
        (heading("As text"))
        (facts([
            ("size", html! {
                (tree.size()) " nodes, " (tree.introns(language)) " of them introns; depth " (tree.depth(language))
            }),
            ("made by", html! { (visible(&individual.made)) }),
            ("prefix", html! { code { (visible(&individual.tree)) } }),
            ("maths", html! { code { (simple.to_text(DIGITS)) } }),
            ("LaTeX", html! { code { (simple.to_latex(DIGITS)) } }),
            ("hash", html! { code { (file.hash()) } }),
        ]))
        div.origin {
            (heading("Where it comes from"))
            (drawn(&Ancestors::of(individual, evolution), others))
            (table(&lineage(line, evolution)))
        }
    }
}

/// The ancestors as a figure.
fn drawn(ancestors: &Ancestors, others: Others) -> Markup {
    let holds = if others == Others::Pages { Holds::Links } else { Holds::Marks };
    let title = ancestors.title();
    let svg = ancestors.svg(holds == Holds::Links);
    html! {
        figure id="figure-ancestors" {
            div.card.own role="group" tabindex="0" aria-label=(title) {
                (drawing(&svg, "ancestors", [&title, &ancestors.about()], holds))
            }
            figcaption {
                "Older generations stand to the right. A whole line leads to whom an individual was copied from, a broken one to \
                 whom it was crossed with; above them stands what made it."
                @if let (Some(oldest), Others::Pages) = (ancestors.oldest(), others) {
                    @let (generation, individual) = (oldest.generation, oldest.individual);
                    " Older ones are on the page of "
                    a href={ "?individual=" (generation) ":" (individual) } {
                        "individual " (individual) " of generation " (generation)
                    }
                    "."
                }
            }
        }
    }
}

/// Text between the tags of a drawing.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
