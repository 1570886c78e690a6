//! One trial: who played, from which seeds, what came of it, and what went wrong.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::store::{self, look};
use maud::{Markup, html};
use record::Stage;

use super::{
    Made, Tab, Wrong, find, of_run, page,
    trials::{stage_of, value},
};
use crate::{
    html::{Message, facts, message, thousands, time, visible},
    site::{Site, asked::Asked, source::Run, words::micros},
};

pub(crate) async fn show(
    State(site): State<Arc<Site>>,
    asked: Asked,
    Path((key, stage, trial)): Path<(String, String, String)>,
) -> Response {
    page(site, asked, move |site, asked| make(site, asked, &key, &stage, &trial)).await
}

fn make(site: &Site, asked: &Asked, key: &str, stage: &str, trial: &str) -> Made {
    let unknown = || Wrong::NotFound("There is no such trial.".to_owned());
    let run = find(site, key)?;
    let index: u32 = stage.parse().map_err(|_| unknown())?;
    let trial: u64 = trial.parse().map_err(|_| unknown())?;
    let stage = stage_of(&run, index)?;
    if trial >= stage.trials {
        return Err(unknown());
    }
    let known = look::looked(&run.directory, &stage, trial).map_err(|error| Wrong::store(&run, &error))?;
    let link = |trial: u64| asked.links.trial(&run.key, index, trial);
    let body = html! {
        nav.pages aria-label="Neighbours" {
            @if trial > 0 { a rel="prev" href=(link(trial - 1)) { "← trial " (thousands(trial - 1)) } }
            a href=(asked.links.run(&run.key, &format!("/trials?stage={index}&from={}", trial / 100 * 100))) { "the list" }
            @if trial + 1 < stage.trials { a rel="next" href=(link(trial + 1)) { "trial " (thousands(trial + 1)) " →" } }
        }
        p {
            "Trial " (thousands(trial)) " of " (thousands(stage.trials)) " of stage " (index) ", " (visible(&stage.name)) ": "
            strong {
                @if known.result.is_some() { "stored" } @else if known.quarantined { "given up" } @else { "not stored" }
            } "."
        }
        (described(&run, &stage, trial))
        (result(asked, &stage, &known))
        (attempts(asked, &known))
        (claims(asked, &known))
        h2 { "To run it again" }
        pre tabindex="0" { "redqueen replay " (visible(&run.place())) " " (index) " " (trial) }
    };
    Ok(of_run(&run, asked, Tab::Trials, &format!("Trial {index} / {trial}"), &body))
}

/// Who plays under which seeds, as the plan has it.
fn described(run: &Run, stage: &Stage, trial: u64) -> Markup {
    let described = match store::rerun(&run.directory, stage.index) {
        Ok(rerun) => rerun.and_then(|rerun| rerun.executor.describe(trial)),
        Err(error) => {
            let why = crate::site::directories::without_place(&error.to_string(), &run.directory);
            return message(Message::Note, &format!("Who plays cannot be said: {why}"));
        }
    };
    let Some(trial) = described else { return html! {} };
    let seats: &[&str] = if trial.seats.len() == 1 { &["player"] } else { &["first", "second"] };
    let mut about: Vec<(&str, Markup)> = Vec::new();
    if let Some(game) = &trial.game {
        about.push(("game", html! { code { (visible(game)) } }));
    }
    for (seat, (name, spec)) in seats.iter().zip(&trial.seats) {
        about.push((seat, html! { (visible(name)) " = " code { (visible(spec)) } }));
    }
    if trial.opening_plies > 0 {
        about.push(("opening", html! { (trial.opening_plies) " random plies" }));
    }
    for (stream, seed) in &trial.seeds {
        about.push(("seed", html! { (visible(stream)) ": " code { (visible(seed)) } }));
    }
    html! { h2 { "What it is" } (facts(about)) }
}

fn result(asked: &Asked, stage: &Stage, known: &look::Looked) -> Markup {
    let Some(stored) = &known.result else { return html! {} };
    let columns = stage.shape.columns.iter().zip(&stored.row);
    html! {
        h2 { "Result" }
        (facts([
            ("worker", html! { a href=(asked.links.worker(&stored.worker)) { (visible(&stored.worker)) } }),
            ("took", html! { (micros(stored.elapsed_us)) }),
        ]))
        div.table {
            div.scroll role="group" tabindex="0" aria-label="The stored row" {
                table {
                    caption { "The stored row" }
                    thead { tr { th scope="col" { "column" } th scope="col" { "value" } th scope="col" { "depends on" } } }
                    tbody {
                        @for (column, cell) in columns {
                            tr {
                                th scope="row" { code { (column.name) } }
                                td { (value(stage, column, cell)) }
                                td.soft { @if column.pure { "spec and seed" } @else { "the machine" } }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn attempts(asked: &Asked, known: &look::Looked) -> Markup {
    html! {
        @if !known.attempts.is_empty() {
            h2 { "Attempts that failed" }
            @for attempt in &known.attempts {
                details data-keep={ "attempt-" (attempt.attempt) } open[known.attempts.len() == 1] {
                    summary {
                        "Attempt " (attempt.attempt) ", " (time(&attempt.at)) ", by "
                        a href=(asked.links.worker(&attempt.worker)) { (visible(&attempt.worker)) }
                    }
                    pre.wrapped { (visible(&attempt.error)) }
                }
            }
        }
    }
}

fn claims(asked: &Asked, known: &look::Looked) -> Markup {
    html! {
        @if !known.claims.is_empty() {
            h2 { "Results that differ from the stored one" }
            @for claim in &known.claims {
                p {
                    (time(&claim.at)) ", by " a href=(asked.links.worker(&claim.worker)) { (visible(&claim.worker)) } ":"
                }
                pre.wrapped { (visible(&claim.row)) }
            }
        }
    }
}
