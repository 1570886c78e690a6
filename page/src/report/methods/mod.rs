//! How a run was done, in prose: from the facts of its stages, which every copy of a run has, and from its resolved
//! experiment.

mod evolution;
mod games;
mod learning;
mod randomness;
mod settings;
mod statistics;
mod study;
mod tuning;

use analysis::Table;
use maud::{Markup, html};
use record::facts::Kind;

use super::{gathered::Gathered, paragraph};
use crate::{Error, html::table};
use settings::Settings;

/// A part of the methods.
struct Part {
    heading: &'static str,
    sentences: Vec<String>,
    /// What the sentences are about, one by one.
    table: Option<Table>,
}

impl Part {
    fn new(heading: &'static str, sentences: Vec<String>) -> Self {
        Part { heading, sentences, table: None }
    }

    fn with(self, table: Table) -> Self {
        Part { table: Some(table), ..self }
    }
}

/// All parts.
pub(super) fn section(gathered: &Gathered) -> Result<Markup, Error> {
    let settings = Settings(gathered.settings());
    let first = &gathered.stages[0].stage;
    let mut parts = match gathered.kind() {
        Some(Kind::MatchGrid) => games::grid(&first.facts()?),
        Some(Kind::Coevolution) => evolution::parts(&first.facts()?, gathered, &settings)?,
        Some(Kind::Tuning) => tuning::parts(&first.facts()?, &settings),
        Some(Kind::Study) => study::parts(&first.facts()?, &settings),
        Some(Kind::Learning) => learning::parts(&first.facts()?, gathered, &settings)?,
        Some(Kind::Synthetic) | None => Vec::new(),
    };
    parts.push(randomness::part(gathered));
    parts.push(statistics::part(gathered));
    parts.retain(|part| !part.sentences.is_empty() || part.table.is_some());
    Ok(html! {
        @for part in &parts {
            h3 { (part.heading) }
            @if !part.sentences.is_empty() { (paragraph(&part.sentences.join(" "))) }
            @if let Some(one) = &part.table { (table(one)) }
        }
    })
}
