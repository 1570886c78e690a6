//! What happened, newest first.

use std::sync::Arc;

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::store::{self, StoredEvent};
use maud::{Markup, html};
use serde_json::json;

use super::{Made, Tab, Wrong, find, page, sentences::sentence};
use crate::{
    html::{time, visible},
    site::{
        Site,
        asked::Asked,
        frame::{Page, Part, Section},
        links::encoded,
        source::Run,
        stream::Topic,
    },
};

/// Events of a page.
const PAGE: usize = 100;
/// Runs whose events are put together on one page: those that were made last.
const RUNS: usize = 20;

/// Kinds that can be chosen; docs/run-directory.md lists what they mean.
const KINDS: [&str; 23] = [
    "created",
    "migrated",
    "running",
    "paused",
    "cancelled",
    "prioritized",
    "stage-closed",
    "finished",
    "failed",
    "quarantined",
    "changed",
    "extended",
    "retried",
    "alarm",
    "worker-joined",
    "worker-left",
    "lease-dropped",
    "copy-issued",
    "suspected",
    "audit-skipped",
    "distrusted",
    "retracted",
    "commits-lost",
];

pub(crate) async fn of_run(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    page(site, asked, move |site, asked| {
        let run = find(site, &key)?;
        let before: Option<u64> = asked.query.number("before").map_err(Wrong::Asked)?;
        let (kind, worker) = (asked.query.get("kind"), asked.query.get("worker"));
        let newest =
            store::newest(&run.directory, before, PAGE, kind, worker).map_err(|error| Wrong::store(&run, &error))?;
        let events: Vec<(Arc<Run>, StoredEvent)> =
            newest.events.into_iter().map(|event| (Arc::clone(&run), event)).collect();
        let mut older = None;
        if let Some(before) = newest.before {
            let with = |name: &str, value: Option<&str>| {
                value.map(|value| format!("&{name}={}", encoded(value))).unwrap_or_default()
            };
            let query = format!("/events?before={before}{}{}", with("kind", kind), with("worker", worker));
            older = Some(asked.links.run(&run.key, &query));
        }
        let mut made = super::of_run(&run, asked, Tab::Events, "Events", &filters(asked));
        made.parts.push(Part { name: "events", body: list(asked, &events, false, older.as_deref()) });
        if before.is_none() && !run.state.is_ended() {
            made.follows = Some(Topic::Run(run.key.clone()));
        }
        Ok(made)
    })
    .await
}

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked) -> Response {
    page(site, asked, all).await
}

/// The newest events of all runs.
fn all(site: &Site, asked: &Asked) -> Made {
    let mut runs: Vec<Arc<Run>> = site.source.runs().iter().filter(|run| run.outline.is_ok()).cloned().collect();
    runs.sort_by_key(|run| {
        std::cmp::Reverse(run.outline.as_ref().map(|outline| outline.created_at.clone()).unwrap_or_default())
    });
    let few = runs.len() > RUNS;
    let (kind, worker) = (asked.query.get("kind"), asked.query.get("worker"));
    let mut events = Vec::new();
    for run in runs.iter().take(RUNS) {
        // A run whose files cannot be read now says so on its own page.
        let Ok(newest) = store::newest(&run.directory, None, PAGE, kind, worker) else { continue };
        events.extend(newest.events.into_iter().map(|event| (Arc::clone(run), event)));
    }
    events.sort_by(|(_, a), (_, b)| b.at.cmp(&a.at));
    events.truncate(PAGE);
    let head = html! {
        h1 { "Events" }
        p {
            "The newest of all runs" @if few { " (of the " (RUNS) " that were made last)" } "; the page of a run has all of its events."
        }
        (filters(asked))
    };
    let mut page = Page::new(Section::Events, "Events", head);
    page.parts.push(Part { name: "events", body: list(asked, &events, true, None) });
    page.follows = runs.iter().any(|run| !run.state.is_ended()).then_some(Topic::Runs);
    Ok(page)
}

fn filters(asked: &Asked) -> Markup {
    let chosen = asked.query.get("kind");
    html! {
        form.filter method="get" {
            label for="kind" { "Kind" }
            select #kind name="kind" {
                option value="" { "every kind" }
                @for kind in KINDS { option value=(kind) selected[chosen == Some(kind)] { (kind) } }
            }
            label for="worker" { "Worker" }
            input #worker type="search" name="worker" value=[asked.query.get("worker")];
            button type="submit" { "Show" }
        }
    }
}

/// Events in a table.
pub(super) fn list(asked: &Asked, events: &[(Arc<Run>, StoredEvent)], with_run: bool, older: Option<&str>) -> Markup {
    html! {
        @if events.is_empty() {
            p { "There are none." }
        } @else {
            div.table {
                div.scroll role="group" tabindex="0" aria-label="Events" {
                    table.events {
                        caption { "Events, newest first" }
                        thead {
                            tr {
                                th scope="col" { "when" }
                                @if with_run { th scope="col" { "run" } }
                                th scope="col" { "kind" }
                                th scope="col" { "what" }
                            }
                        }
                        tbody {
                            @for (run, event) in events {
                                tr id=[(!with_run).then(|| format!("event-{}", event.event))] {
                                    td { (time(&event.at)) }
                                    @if with_run { td { a href=(asked.links.run(&run.key, "")) { (visible(&run.name())) } } }
                                    td { (visible(&event.kind)) }
                                    td { (sentence(event, run, asked)) (folded(event)) }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if let Some(older) = older {
            nav.pages aria-label="Pages of the list" { a rel="next" href=(older) { "older →" } }
        }
    }
}

/// The details of an event that its sentence leaves out.
fn folded(event: &StoredEvent) -> Markup {
    let is_more =
        matches!(event.kind.as_str(), "alarm" | "changed" | "extended") || !KINDS.contains(&event.kind.as_str());
    html! {
        @if is_more && event.detail != json!({}) {
            details { summary { "details" } pre.wrapped { (visible(&format!("{:#}", event.detail))) } }
        }
    }
}
