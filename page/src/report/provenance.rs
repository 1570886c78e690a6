//! What a reader needs to check the report, and to make the run again.

use analysis::{Cell, Table};
use maud::{Markup, html};

use super::gathered::Gathered;
use crate::html::{Message, facts, message, table, thousands, visible};

/// Failures that are listed.
const FAILURES_MAX: usize = 100;
/// Letters of an error.
const ERROR_MAX: usize = 500;

/// Versions, hashes, seeds, what is missing, and commands.
pub(super) fn section(gathered: &Gathered) -> Markup {
    let (summary, digest) = (&gathered.summary, &gathered.digest);
    let seed = gathered.header.as_ref().and_then(|header| header.seed);
    let hash = |hash: &str| html! { code { (hash) } };
    let self_test: String = experiments::self_test().iter().map(|byte| format!("{byte:02x}")).collect();
    html! {
        (facts([
            ("experiment", html! { (visible(&summary.name)) @if let Some(kind) = gathered.kind() { ", a " (kind.name()) } }),
            ("run", hash(&summary.id)),
            ("state", html! { (summary.state) }),
            ("experiment hash", match &gathered.resolved {
                Some((_, experiment)) => hash(&experiment.hash()),
                None => html! { "not known: the directory has no resolved.toml" },
            }),
            ("seed", html! { @match seed { Some(seed) => (seed), None => "not known" } }),
            ("digest", html! {
                code.digest { (digest.hex) } " of " (thousands(digest.trials)) " trials"
                @if !digest.complete { ", which changes until the run has ended" }
            }),
            ("made by", html! { "redqueen " (summary.version) }),
            ("report by", html! { "redqueen " (env!("CARGO_PKG_VERSION")) }),
            ("self-test", hash(&self_test)),
            ("stages", html! { (gathered.stages.len()) }),
            ("without a result", html! { (thousands(gathered.failures.len() as u64)) " trials" }),
        ]))
        @if !summary.reproducible {
            (message(
                Message::Warning,
                "a player has a time budget, so that another run of this experiment has other results and another digest.",
            ))
        }
        @if !gathered.failures.is_empty() { (table(&failures(gathered))) }
        h3 { "To make the run again" }
        p {
            "Put the resolved experiment of the appendix into a file " code { "resolved.toml" } ". With version "
            (summary.version) " of redqueen, on any machine and with any number of workers:"
        }
        pre.wrapped { (commands(gathered)) }
        @if summary.reproducible {
            p { "The second command must print the digest above. The third writes this report again: all of it is the same but for \
                 the section “Cost and machines”." }
        }
    }
}

fn commands(gathered: &Gathered) -> String {
    let name = &gathered.summary.name;
    format!(
        "redqueen run resolved.toml --out again/{name}\nredqueen digest again/{name}\nredqueen report again/{name}\n"
    )
}

/// Trials that were given up.
fn failures(gathered: &Gathered) -> Table {
    let heads = [("stage", "stage"), ("trial", "trial"), ("error", "error of its last attempt")];
    let mut table = Table::new("failures", "Trials without a result", &heads);
    for failure in gathered.failures.iter().take(FAILURES_MAX) {
        let error: String = failure.error.chars().take(ERROR_MAX).collect();
        table.push(vec![Cell::Count(failure.stage.into()), Cell::Count(failure.trial), Cell::text(error)]);
    }
    let others = gathered.failures.len().saturating_sub(FAILURES_MAX);
    if others > 0 {
        table.notes.push(format!("And {others} more."));
    }
    table.notes.push("`redqueen replay RUN STAGE TRIAL` runs one of them again.".to_owned());
    table
}
