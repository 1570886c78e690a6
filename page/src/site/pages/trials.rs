//! Trials in the order of their indices, a hundred at a time, or those with which something is wrong.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::store::{
    self,
    look::{self, Trouble},
};
use maud::{Markup, html};
use record::{Column, Stage, Value};

use super::{Made, Tab, Wrong, find, of_run, page};
use crate::{
    html::{thousands, visible},
    site::{Site, asked::Asked, source::Run, words::micros},
};

/// Trials of a page.
const PAGE: u32 = 100;
/// Columns of results that a list shows; a trial's own page has all.
const COLUMNS: usize = 9;
/// Stages that can be chosen from a list.
const STAGES: usize = 400;
/// Longest error in a list, in characters.
const ERROR: usize = 160;

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    page(site, asked, move |site, asked| make(site, asked, &key)).await
}

fn make(site: &Site, asked: &Asked, key: &str) -> Made {
    let run = find(site, key)?;
    let trouble = match asked.query.get("show") {
        None => None,
        Some("failed") => Some(Trouble::Failed),
        Some("given-up") => Some(Trouble::GivenUp),
        Some("disputed") => Some(Trouble::Disputed),
        Some(_) => return Err(Wrong::Asked("`show` is `failed`, `given-up` or `disputed`.".to_owned())),
    };
    let list = match trouble {
        Some(trouble) => troubled(&run, asked, trouble)?,
        None => in_order(&run, asked)?,
    };
    let body = html! { (filters(&run, asked, trouble)) (list) };
    Ok(of_run(&run, asked, Tab::Trials, "Trials", &body))
}

/// What may be chosen.
fn filters(run: &Run, asked: &Asked, trouble: Option<Trouble>) -> Markup {
    let all = [
        (None, "", "all, in order"),
        (Some(Trouble::Failed), "?show=failed", "failed attempts"),
        (Some(Trouble::GivenUp), "?show=given-up", "given up"),
        (Some(Trouble::Disputed), "?show=disputed", "disputed"),
    ];
    let stages = run.outline.as_ref().map(|outline| outline.stages.as_slice()).unwrap_or_default();
    let chosen = asked.query.get("stage").and_then(|stage| stage.parse::<u32>().ok());
    html! {
        nav.choices aria-label="Which trials" {
            @for (of, query, words) in all {
                a href=(asked.links.run(&run.key, &format!("/trials{query}"))) aria-current=[(of == trouble).then_some("true")] { (words) }
            }
        }
        @if trouble.is_none() {
            form.filter method="get" {
                @if stages.len() > 1 {
                    label for="stage" { "Stage" }
                    select #stage name="stage" {
                        @for stage in stages.iter().rev().take(STAGES) {
                            option value=(stage.index) selected[chosen == Some(stage.index)] { (stage.index) ": " (visible(&stage.name)) }
                        }
                    }
                }
                label for="from" { "From trial" }
                input #from type="text" inputmode="numeric" pattern="[0-9]*" size="10" name="from" value=[asked.query.get("from")];
                button type="submit" { "Show" }
            }
        }
    }
}

/// A page of a stage's trials.
fn in_order(run: &Run, asked: &Asked) -> Result<Markup, Wrong> {
    let wanted: Option<u32> = asked.query.number("stage").map_err(Wrong::Asked)?;
    let Some(known) = wanted.map_or_else(|| run.stage(), |index| run.stage_at(index)) else {
        return match wanted {
            Some(_) => Err(Wrong::NotFound("The run has no such stage, or has not come so far.".to_owned())),
            None => Ok(html! { p { "No stage is open yet." } }),
        };
    };
    let stage = stage_of(run, known.index)?;
    let bounds = bounds(&stage, asked)?;
    let from: u64 = asked.query.number("from").map_err(Wrong::Asked)?.unwrap_or(bounds[0]);
    let from = from.clamp(bounds[0], bounds[1].saturating_sub(1).max(bounds[0]));
    let to = from.saturating_add(PAGE.into()).min(bounds[1]);
    let given = look::trials(&run.directory, &stage, from, PAGE).map_err(|error| Wrong::store(run, &error))?;
    let rows: BTreeMap<u64, &look::TrialRow> = given.rows.iter().map(|row| (row.trial, row)).collect();
    let columns: Vec<(usize, &Column)> =
        stage.shape.columns.iter().enumerate().filter(|(_, column)| is_listed(column)).take(COLUMNS).collect();
    let pair =
        asked.query.get("pair").map(|pair| format!("&pair={}", crate::site::links::encoded(pair))).unwrap_or_default();
    let link = |from: u64| asked.links.run(&run.key, &format!("/trials?stage={}{pair}&from={from}", stage.index));
    let turn = |place: &str| {
        html! {
            nav.pages aria-label={ "Pages of the list, " (place) } {
                @if from > bounds[0] {
                    a rel="first" href=(link(bounds[0])) { "⇤ first" }
                    a rel="prev" href=(link(from.saturating_sub(PAGE.into()).max(bounds[0]))) { "← before" }
                }
                span {
                    "trials " (thousands(from)) " to " (thousands(to.saturating_sub(1))) " of " (thousands(bounds[0])) " to "
                    (thousands(bounds[1].saturating_sub(1)))
                }
                @if to < bounds[1] {
                    a rel="next" href=(link(to)) { "behind →" }
                    a rel="last" href=(link(bounds[1].saturating_sub(PAGE.into()).max(bounds[0]))) { "last ⇥" }
                }
            }
        }
    };
    Ok(html! {
        (turn("above"))
        div.table {
            div.scroll role="group" tabindex="0" aria-label="Trials" {
                table {
                    caption { "Stage " (stage.index) ", " (visible(&stage.name)) ", in order of trials" }
                    thead {
                        tr {
                            th.n scope="col" { "trial" }
                            th scope="col" { "is" }
                            @for (_, column) in &columns {
                                th.n[is_number(column)] scope="col" { (column.name.replace('_', " ")) }
                            }
                            th.n scope="col" { "took" }
                            th scope="col" { "worker" }
                        }
                    }
                    tbody {
                        @for trial in from..to {
                            @let row = rows.get(&trial);
                            tr {
                                th.n scope="row" { a href=(asked.links.trial(&run.key, stage.index, trial)) { (thousands(trial)) } }
                                @match row {
                                    Some(row) => {
                                        td { "stored" }
                                        @for (place, column) in &columns {
                                            td.n[is_number(column)] { (value(&stage, column, &row.row[*place])) }
                                        }
                                        td.n { (micros(row.elapsed_us)) }
                                        td { a href=(asked.links.worker(&row.worker)) { (visible(&row.worker)) } }
                                    }
                                    None => td.soft colspan=(columns.len() + 3) {
                                        @if given.quarantined.contains(&trial) { "given up" } @else { "not stored" }
                                    },
                                }
                            }
                        }
                    }
                }
            }
        }
        (turn("below"))
    })
}

/// The trials that may be seen: those of the stage, or of a pair of it.
fn bounds(stage: &Stage, asked: &Asked) -> Result<[u64; 2], Wrong> {
    let pair: Option<u64> = asked.query.number("pair").map_err(Wrong::Asked)?;
    let games = stage.meta["games_per_pair"].as_u64();
    match (pair, games) {
        (None, _) => Ok([0, stage.trials]),
        (Some(pair), Some(games)) if games > 0 && pair < stage.trials.div_ceil(games) => {
            Ok([pair * games, ((pair + 1) * games).min(stage.trials)])
        }
        (Some(_), _) => Err(Wrong::NotFound("The stage has no such pair.".to_owned())),
    }
}

/// A stage's facts.
pub(super) fn stage_of(run: &Run, index: u32) -> Result<Stage, Wrong> {
    let found = store::stage(&run.directory, index).map_err(|error| Wrong::store(run, &error))?;
    found.ok_or_else(|| Wrong::NotFound("The run has no such stage, or has not come so far.".to_owned()))
}

/// Whether a column has its place in a list: texts and hashes have not.
fn is_listed(column: &Column) -> bool {
    column.pure && column.kind != record::ColumnType::Text && column.name != record::columns::MOVES_HASH
}

fn is_number(column: &Column) -> bool {
    column.labels.is_none() && column.kind != record::ColumnType::Text
}

/// A value of a row for people.
pub(super) fn value(stage: &Stage, column: &Column, value: &Value) -> String {
    let label = |index: i64| {
        let labels = stage.labels.get(column.labels.as_ref()?)?;
        labels.get(usize::try_from(index).ok()?).map(|label| visible(label))
    };
    match value {
        Value::Int(number) if column.name == record::columns::MOVES_HASH => format!("{:016x}", number.cast_unsigned()),
        Value::Int(number) => label(*number).unwrap_or_else(|| number.to_string()),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => visible(text),
    }
}

/// Trials with which something is wrong.
fn troubled(run: &Run, asked: &Asked, trouble: Trouble) -> Result<Markup, Wrong> {
    let after = match asked.query.get("after") {
        None => None,
        Some(text) => {
            let parsed =
                text.split_once('-').and_then(|(stage, trial)| Some((stage.parse().ok()?, trial.parse().ok()?)));
            Some(parsed.ok_or_else(|| Wrong::Asked("`after` is a stage and a trial: `2-17`.".to_owned()))?)
        }
    };
    let found = look::troubled(&run.directory, trouble, after, PAGE).map_err(|error| Wrong::store(run, &error))?;
    let (word, caption) = match trouble {
        Trouble::Failed => ("failed", "Trials of which an attempt failed"),
        Trouble::GivenUp => ("given-up", "Trials that failed three times and were given up"),
        Trouble::Disputed => ("disputed", "Trials of which two workers delivered different results"),
    };
    Ok(html! {
        @if found.is_empty() {
            p { @if after.is_some() { "There are no more." } @else { "There are none." } }
        } @else {
            div.table {
                div.scroll role="group" tabindex="0" aria-label=(caption) {
                    table {
                        caption { (caption) }
                        thead {
                            tr {
                                th scope="col" { "trial" }
                                th.n scope="col" { "failed attempts" }
                                th scope="col" { "worker" }
                                th scope="col" { "last error" }
                            }
                        }
                        tbody {
                            @for one in &found {
                                tr {
                                    th scope="row" {
                                        a href=(asked.links.trial(&run.key, one.stage, one.trial)) {
                                            (one.stage) " / " (thousands(one.trial))
                                        }
                                    }
                                    td.n { (one.attempts) }
                                    td { a href=(asked.links.worker(&one.worker)) { (visible(&one.worker)) } }
                                    td { (visible(&beginning(&one.error))) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(last) = found.last().filter(|_| found.len() == PAGE as usize) {
            nav.pages aria-label="Pages of the list" {
                a rel="next" href=(asked.links.run(&run.key, &format!("/trials?show={word}&after={}-{}", last.stage, last.trial))) {
                    "behind →"
                }
            }
        }
    })
}

/// The first line of an error, not too long.
fn beginning(error: &str) -> String {
    let line = error.lines().next().unwrap_or_default();
    match line.char_indices().nth(ERROR) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}
