//! `report.html`: what a run asked, what came out, how it was done, and how to do it again, as one document that needs
//! nothing else.
//!
//! The same directory and version give the same bytes: a report has no clock, no path and no name of a machine outside of
//! its section [`MEASURED`], which holds everything that workers measured. So reports of equal runs are equal but for
//! that section.

mod appendix;
mod champion;
mod cost;
mod data;
mod frame;
mod gathered;
mod methods;
mod paper;
mod provenance;
mod references;
mod results;

use std::path::{Path, PathBuf};

use analysis::{Question, Report};
use coordinator::store;
use maud::{Markup, html};

use crate::{Error, champion::Evolved, html::visible};
use gathered::Gathered;
pub(crate) use paper::cells as paper_cells;

/// Id of the section of what was measured: it begins with `<section id="measured">` and ends with the next `</section>`.
pub const MEASURED: &str = "measured";
/// Documents above this size, in bytes, come with a warning.
const LARGE: usize = 5_000_000;

/// What a report has beside the run itself.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What the run's experiment asks of its results.
    pub questions: Vec<Question>,
    /// Replicates of another setting, which the run is tested against.
    pub against: Vec<PathBuf>,
}

/// A document.
#[derive(Clone, Debug)]
pub struct Document {
    /// All of it.
    pub html: String,
    /// What its reader or the one who sends it should know first.
    pub warning: Option<String>,
}

/// The report of the run in `directory`.
///
/// # Errors
/// The run has no tables, or it cannot be read.
pub fn report(directory: &Path, options: &Options) -> Result<Document, Error> {
    let asked = analysis::Options {
        questions: options.questions.clone(),
        figures: true,
        apart: true,
        ..analysis::Options::default()
    };
    report_of(directory, analysis::analyze(directory, &asked)?, options)
}

/// The same of a run whose tables and figures are there already.
///
/// # Errors
/// The run cannot be read.
pub fn report_of(directory: &Path, analysed: Report, options: &Options) -> Result<Document, Error> {
    let gathered = Gathered::read(directory, analysed, options)?;
    let html = frame::document(&gathered.title(), &sections(&gathered)?, &data::of(&gathered));
    let warning = (html.len() > LARGE).then(|| {
        format!(
            "the report has {:.1} million bytes, which some mail and browsers do not take",
            html.len() as f64 * 1e-6
        )
    });
    Ok(Document { html, warning })
}

/// The champion or the winner of the run in `directory`, as its report shows it; `None` of another kind, or before a
/// generation is closed.
///
/// # Errors
/// The run cannot be read.
pub(crate) fn champion_of(directory: &Path) -> Result<Option<Markup>, Error> {
    let (summary, stages) = (store::summary(directory)?, store::folded(directory)?);
    let found = gathered::found(directory, &summary, &stages)?;
    Ok(champion::section(found.as_ref(), &summary, champion::Others::Pages))
}

/// An individual of the evolution in `directory`, by its generation and its index in it, as its page shows it.
///
/// # Errors
/// There is no such individual, or the run cannot be read.
pub(crate) fn individual_of(directory: &Path, generation: u32, individual: u32) -> Result<Markup, Error> {
    let (summary, stages) = (store::summary(directory)?, store::folded(directory)?);
    let evolution = crate::champion::evolution(directory, &stages)?;
    let found = Evolved::find(&evolution, &summary, &stages, Some(generation), Some(individual))?;
    Ok(champion::evolved(&found, &evolution, champion::Others::Pages))
}

/// A part of the document with a heading.
struct Section {
    id: &'static str,
    heading: &'static str,
    content: Markup,
}

/// A section, where it has something to say.
fn section(id: &'static str, heading: &'static str, content: Option<Markup>) -> Option<Section> {
    content.map(|content| Section { id, heading, content })
}

/// The parts in their order.
fn sections(gathered: &Gathered) -> Result<Vec<Section>, Error> {
    let champion = champion::section(gathered.champion.as_ref(), &gathered.summary, champion::Others::Nowhere);
    let parts = [
        section("result", "Result", Some(results::summary(gathered))),
        section("methods", "Methods", Some(methods::section(gathered)?)),
        section("figures", "Figures", results::figures(gathered)),
        section("tables", "Tables", results::tables(gathered)),
        section("paper", "Beside the paper", paper::section(gathered)),
        section("against", "Against other runs", results::against(gathered)),
        section("champion", "Champion", champion),
        section(MEASURED, "Cost and machines", Some(cost::section(gathered))),
        section("provenance", "Provenance", Some(provenance::section(gathered))),
        section("appendix", "Appendix", Some(appendix::section(gathered))),
    ];
    Ok(parts.into_iter().flatten().collect())
}

/// A paragraph of text that may hold anything.
fn paragraph(text: &str) -> Markup {
    html! { p { (visible(text)) } }
}
