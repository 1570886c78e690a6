//! Workers: who they are, and what they did.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::{
    observe::WorkersSeen,
    store::{
        self, StoredEvent,
        look::{self, Hand},
    },
};
use maud::{Markup, html};

use super::{Made, Tab, Wrong, events, find, members, of_run as page_of_run, page};
use crate::{
    html::{thousands, time, visible},
    site::{
        Site,
        asked::Asked,
        frame::{Page, Part, Section},
        links::encoded,
        source::Run,
        stream::Topic,
    },
};

/// Workers of a page.
const PAGE: usize = 100;
/// Runs that are looked through for workers: those that were made last.
const RUNS: usize = 20;
/// Events and failed trials of a worker's page.
const EVENTS: usize = 50;

/// The connected workers, if a coordinator has any.
async fn connected(site: &Site) -> Option<Arc<WorkersSeen>> {
    match site.source.observer() {
        Some(observer) => Some(observer.workers().await),
        None => None,
    }
}

pub(crate) async fn of_run(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let seen = connected(&site).await;
    page(site, asked, move |site, asked| {
        let run = find(site, &key)?;
        if let Some(seen) = seen.as_deref().filter(|_| !run.state.is_ended()) {
            let body = html! { (filter(asked)) (members::list(site, asked, seen, Some(&run))?) };
            let mut page = page_of_run(
                &run,
                asked,
                Tab::Workers,
                "Workers",
                &html! { p { "Workers that hold trials of the run." } },
            );
            page.parts.push(Part { name: "workers", body });
            page.follows = Some(Topic::Workers);
            return Ok(page);
        }
        let hands = look::hands(&run.directory, None).map_err(|error| Wrong::store(&run, &error))?;
        let rows: Vec<Seen> = hands.into_iter().map(|hand| Seen { runs: vec![Arc::clone(&run)], hand }).collect();
        let link = |from: usize| asked.links.run(&run.key, &format!("/workers?{}", list_query(asked, from)));
        let body = html! { p { "Workers that delivered results of the run." } (list(asked, rows, false, link)?) };
        Ok(page_of_run(&run, asked, Tab::Workers, "Workers", &body))
    })
    .await
}

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked) -> Response {
    match connected(&site).await {
        Some(seen) => page(site, asked, move |site, asked| fleet(site, asked, &seen)).await,
        None => page(site, asked, all).await,
    }
}

/// The connected workers of a coordinator.
fn fleet(site: &Site, asked: &Asked, seen: &WorkersSeen) -> Made {
    let body = html! {
        p { (members::sentence(seen)) }
        (filter(asked))
        (members::list(site, asked, seen, None)?)
    };
    let mut page = Page::new(Section::Workers, "Workers", html! { h1 { "Workers" } });
    page.parts.push(Part { name: "workers", body });
    page.follows = Some(Topic::Workers);
    Ok(page)
}

/// A worker, and the runs of which it delivered results.
struct Seen {
    hand: Hand,
    runs: Vec<Arc<Run>>,
}

/// Workers of all runs.
fn all(site: &Site, asked: &Asked) -> Made {
    let mut seen: BTreeMap<String, Seen> = BTreeMap::new();
    for run in newest(site) {
        let Ok(hands) = look::hands(&run.directory, None) else { continue };
        for hand in hands {
            let known = seen.entry(hand.name.clone()).or_insert_with(|| Seen { hand: hand.clone(), runs: Vec::new() });
            known.hand.threads = known.hand.threads.max(hand.threads);
            known.hand.distrusted = known.hand.distrusted.take().or(hand.distrusted);
            if hand.first_seen_at < known.hand.first_seen_at {
                known.hand.first_seen_at = hand.first_seen_at;
            }
            known.runs.push(Arc::clone(&run));
        }
    }
    let mut rows: Vec<Seen> = seen.into_values().collect();
    // What is wrong comes first.
    rows.sort_by_key(|seen| seen.hand.distrusted.is_none());
    let link = |from: usize| asked.links.to(&format!("workers?{}", list_query(asked, from)));
    let body = html! {
        h1 { "Workers" }
        p { "Workers that delivered results of the newest " (RUNS) " runs, as the files of the runs have them." }
        (list(asked, rows, true, link)?)
    };
    Ok(Page::new(Section::Workers, "Workers", body))
}

/// The runs that were made last.
fn newest(site: &Site) -> Vec<Arc<Run>> {
    let mut runs: Vec<Arc<Run>> = site.source.runs().iter().filter(|run| run.outline.is_ok()).cloned().collect();
    runs.sort_by_key(|run| {
        std::cmp::Reverse(run.outline.as_ref().map(|outline| outline.created_at.clone()).unwrap_or_default())
    });
    runs.truncate(RUNS);
    runs
}

fn filter(asked: &Asked) -> Markup {
    html! {
        form.filter method="get" role="search" {
            label for="name" { "Name begins with" }
            input #name type="search" name="name" value=(asked.query.get("name").unwrap_or_default());
            button type="submit" { "Show" }
        }
    }
}

fn list_query(asked: &Asked, from: usize) -> String {
    format!("name={}&from={from}", encoded(asked.query.get("name").unwrap_or_default()))
}

fn list(asked: &Asked, rows: Vec<Seen>, with_runs: bool, link: impl Fn(usize) -> String) -> Result<Markup, Wrong> {
    let prefix = asked.query.get("name").unwrap_or_default();
    let from: usize = asked.query.number("from").map_err(Wrong::Asked)?.unwrap_or(0);
    let rows: Vec<Seen> = rows.into_iter().filter(|seen| seen.hand.name.starts_with(prefix)).collect();
    let shown = rows.iter().skip(from).take(PAGE);
    Ok(html! {
        (filter(asked))
        p { (crate::site::words::count(rows.len() as u64, "worker")) "." }
        @if !rows.is_empty() {
            div.table {
                div.scroll role="group" tabindex="0" aria-label="Workers" {
                    table {
                        caption { "Workers" }
                        thead {
                            tr {
                                th scope="col" { "worker" }
                                th.n scope="col" { "threads" }
                                th scope="col" { "first result" }
                                @if with_runs { th scope="col" { "runs" } }
                                th scope="col" { "results" }
                            }
                        }
                        tbody {
                            @for Seen { hand, runs } in shown {
                                tr {
                                    th scope="row" { a href=(asked.links.worker(&hand.name)) { (visible(&hand.name)) } }
                                    td.n { (thousands(hand.threads.into())) }
                                    td { (time(&hand.first_seen_at)) }
                                    @if with_runs {
                                        td {
                                            @for (place, run) in runs.iter().take(3).enumerate() {
                                                @if place > 0 { ", " }
                                                a href=(asked.links.run(&run.key, "")) { (visible(&run.name())) }
                                            }
                                            @if runs.len() > 3 { " and " (runs.len() - 3) " more" }
                                        }
                                    }
                                    td {
                                        @match &hand.distrusted {
                                            Some(why) => { strong { "wrong: " } (visible(why)) }
                                            None => { "believed" }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
        @if rows.len() > PAGE {
            nav.pages aria-label="Pages of the list" {
                @if from > 0 { a rel="prev" href=(link(from.saturating_sub(PAGE))) { "← before" } }
                @if from + PAGE < rows.len() { a rel="next" href=(link(from + PAGE)) { "behind →" } }
            }
        }
    })
}

pub(crate) async fn one(State(site): State<Arc<Site>>, asked: Asked, Path(name): Path<String>) -> Response {
    let seen = connected(&site).await;
    page(site, asked, move |site, asked| worker(site, asked, &name, seen.as_deref())).await
}

/// A worker: its runs, its events, and the trials that failed on it.
fn worker(site: &Site, asked: &Asked, name: &str, seen: Option<&WorkersSeen>) -> Made {
    let (mut facts, mut happened, mut failed) = (Vec::new(), Vec::<(Arc<Run>, StoredEvent)>::new(), Vec::new());
    for run in newest(site) {
        // A run whose files cannot be read now says so on its own page.
        let hand = look::hands(&run.directory, Some(name)).ok().and_then(|mut hands| hands.pop());
        if let Ok(newest) = store::newest(&run.directory, None, EVENTS, None, Some(name)) {
            happened.extend(newest.events.into_iter().map(|event| (Arc::clone(&run), event)));
        }
        if let Ok(attempts) = look::failed_by(&run.directory, name, EVENTS as u32) {
            failed.extend(attempts.into_iter().map(|attempt| (Arc::clone(&run), attempt)));
        }
        facts.extend(hand.map(|hand| (run, hand)));
    }
    let is_connected = seen.is_some_and(|seen| seen.workers.iter().any(|member| member.worker.name == name));
    if facts.is_empty() && happened.is_empty() && failed.is_empty() && !is_connected {
        return Err(Wrong::NotFound("No run that is shown here knows a worker of that name.".to_owned()));
    }
    happened.sort_by(|(_, a), (_, b)| b.at.cmp(&a.at));
    happened.truncate(EVENTS);
    failed.sort_by(|(_, a), (_, b)| b.at.cmp(&a.at));
    failed.truncate(EVENTS);
    let body = html! {
        h1 { "Worker " (visible(name)) }
        @if let Some(seen) = seen { (members::about(site, asked, seen, name)) }
        @for (run, hand) in &facts {
            p {
                "Delivered results of " a href=(asked.links.run(&run.key, "")) { (visible(&run.name())) } " with "
                (crate::site::words::count(hand.threads.into(), "thread")) ", the first " (time(&hand.first_seen_at)) "."
                @if let Some(why) = &hand.distrusted { " " strong { "They are not believed: " } (visible(why)) }
            }
        }
        h2 { "Trials that failed on it" }
        @if failed.is_empty() { p { "None." } }
        @for (run, attempt) in &failed {
            p {
                (time(&attempt.at)) ": " a href=(asked.links.trial(&run.key, attempt.stage, attempt.trial)) {
                    "trial " (thousands(attempt.trial)) " of stage " (attempt.stage)
                } " of " (visible(&run.name())) ": " (visible(attempt.error.lines().next().unwrap_or_default()))
            }
        }
        h2 { "What happened to it" }
        (events::list(asked, &happened, true, None))
    };
    let mut page = Page::new(Section::Workers, format!("{name} – worker"), body);
    page.crumbs = vec![("Workers".to_owned(), Some(asked.links.to("workers"))), (name.to_owned(), None)];
    Ok(page)
}
