//! What was asked and what came out: sentences, figures and tables.

use analysis::{Figure, Report};
use maud::{Markup, html};

use super::{
    gathered::{Beside, Gathered},
    paper, paragraph,
};
use crate::html::{Message, figure, message, table, visible};

/// Question, findings, verdicts, warnings.
pub(super) fn summary(gathered: &Gathered) -> Markup {
    let words = &gathered.report.words;
    html! {
        p.question { (visible(&words.question)) }
        @for finding in &words.findings { (paragraph(finding)) }
        @if words.findings.is_empty() { (paragraph("Nothing has come out yet: the stages that say it are not closed.")) }
        @if let Beside::Compared(report) = &gathered.beside { (paper::verdicts(report)) }
        @if gathered.summary.state == "failed" {
            (message(Message::Alarm, "the run has failed: some trials have no result (Provenance)."))
        }
        @for warning in warnings(gathered) { (message(Message::Warning, &warning)) }
    }
}

/// Warnings of the tables and of the state that the run is in.
fn warnings(gathered: &Gathered) -> Vec<String> {
    let summary = &gathered.summary;
    let mut warnings = Vec::new();
    if !gathered.digest.complete {
        warnings.push(format!("the run is {}: this report is of the stages that are closed so far.", summary.state));
    }
    warnings.extend(gathered.report.warnings.iter().cloned());
    warnings
}

/// All figures but those of what was measured.
pub(super) fn figures(gathered: &Gathered) -> Option<Markup> {
    let pure: Vec<&Figure> = gathered.report.figures.iter().filter(|figure| !figure.measured).collect();
    let left_out = &gathered.report.left_out;
    (!pure.is_empty() || !left_out.is_empty()).then(|| {
        html! {
            @for (place, drawn) in pure.iter().enumerate() { (figure(drawn, &format!("f{}", place + 1))) }
            @for reason in left_out { (message(Message::Note, &format!("{reason}."))) }
        }
    })
}

/// All tables without what was measured.
pub(super) fn tables(gathered: &Gathered) -> Option<Markup> {
    let pure: Vec<_> = gathered.report.tables.iter().filter_map(analysis::Table::without_measured).collect();
    (!pure.is_empty()).then(|| html! { @for one in &pure { (table(one)) } })
}

/// The run among others, as `redqueen analyze --against` has them.
pub(super) fn against(gathered: &Gathered) -> Option<Markup> {
    gathered.replicates.as_ref().map(|Report { tables, figures, warnings, left_out, .. }| {
        html! {
            @for warning in warnings { (message(Message::Warning, warning)) }
            @for one in tables { (table(one)) }
            @for (place, drawn) in figures.iter().enumerate() { (figure(drawn, &format!("r{}", place + 1))) }
            @for reason in left_out { (message(Message::Note, &format!("{reason}."))) }
        }
    })
}
