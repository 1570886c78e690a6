//! What a run took, when, and on which workers: the only part of a report that other machines make otherwise.

use analysis::{Cell, Digits, Figure, Table};
use maud::{Markup, html};

use super::gathered::Gathered;
use crate::html::{Message, facts, figure, message, span, table, thousands, time};

/// Stages that are listed one by one.
const STAGES_MAX: usize = 500;
/// Workers that are.
const WORKERS_MAX: usize = 200;

/// Times of the whole, of stages and of workers, and what tables and figures have of them.
pub(super) fn section(gathered: &Gathered) -> Markup {
    let seconds: f64 = gathered.shares.iter().map(|share| share.secs).sum();
    let trials: u64 = gathered.shares.iter().map(|share| share.trials).sum();
    let measured: Vec<Table> = gathered.report.tables.iter().filter_map(Table::only_measured).collect();
    let drawn: Vec<&Figure> = gathered.report.figures.iter().filter(|figure| figure.measured).collect();
    let times = &gathered.times;
    html! {
        p {
            "Everything in this section was measured: it differs from run to run and from machine to machine, and the rest \
             of the report does not."
        }
        (facts([
            ("trials", html! { (thousands(trials)) }),
            ("core-hours", html! { (format!("{:.4}", seconds / 3600.0)) " (" (span(seconds)) " of executors)" }),
            ("workers", html! { (gathered.shares.len()) }),
            ("begun", html! { (time(&times.created)) }),
            ("ended", html! { @match &times.ended { Some(ended) => (time(ended)), None => "not yet" } }),
        ]))
        (table(&workers(gathered)))
        @for one in &measured { (table(one)) }
        @for (place, one) in drawn.iter().enumerate() { (figure(one, &format!("m{}", place + 1))) }
        (table(&stages(gathered)))
        @if gathered.events_in_all > 0 { (table(&events(gathered))) }
        @if gathered.events_in_all > gathered.events.len() {
            (message(Message::Note, &format!(
                "{} more of these events are in the run's database.",
                gathered.events_in_all - gathered.events.len()
            )))
        }
    }
}

/// What each worker delivered.
fn workers(gathered: &Gathered) -> Table {
    let heads = [("worker", "worker"), ("trials", "trials"), ("seconds", "executor seconds"), ("ms", "ms a trial")];
    let mut table = Table::new("shares", "Who did the work", &heads);
    for share in gathered.shares.iter().take(WORKERS_MAX) {
        table.push(vec![
            Cell::text(&share.worker),
            Cell::Count(share.trials),
            Cell::real(share.secs, Digits::measured(1)),
            Cell::real(1e3 * share.secs / share.trials.max(1) as f64, Digits::measured(2)),
        ]);
    }
    let others = gathered.shares.len().saturating_sub(WORKERS_MAX);
    if others > 0 {
        table.notes.push(format!("And {others} more workers."));
    }
    table
}

/// When each stage was closed.
fn stages(gathered: &Gathered) -> Table {
    let heads = [("stage", "stage"), ("name", "name"), ("trials", "trials"), ("closed", "closed")];
    let mut table = Table::new("stages", "Stages", &heads);
    let closed = gathered.times.closed.iter();
    for (folded, closed) in gathered.stages.iter().zip(closed).take(STAGES_MAX) {
        table.push(vec![
            Cell::Count(folded.stage.index.into()),
            Cell::text(&folded.stage.name),
            Cell::Count(folded.stage.trials),
            closed.as_ref().map_or(Cell::Missing, Cell::text),
        ]);
    }
    let others = gathered.stages.len().saturating_sub(STAGES_MAX);
    if others > 0 {
        table.notes.push(format!("And {others} more stages."));
    }
    table
}

/// Alarms, retractions and what else a reader should know of.
fn events(gathered: &Gathered) -> Table {
    let heads = [("at", "at"), ("kind", "what"), ("detail", "detail")];
    let mut table = Table::new("events", "What went wrong or was taken back on the way", &heads);
    for event in &gathered.events {
        table.push(vec![Cell::text(&event.at), Cell::text(&event.kind), Cell::text(event.detail.to_string())]);
    }
    table.notes.push("docs/run-directory.md says what each kind of event means.".to_owned());
    table
}
