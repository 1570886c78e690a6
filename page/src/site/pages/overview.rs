//! All runs: how each stands.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use coordinator::observe::Series;
use maud::{Markup, html};

use super::{Made, page};
use crate::{
    html::{thousands, visible},
    site::{
        Site,
        asked::Asked,
        course::course,
        frame::{Page, Part, Section},
        numbers::{bar, number},
        source::Run,
        stream::Topic,
        words::{State as Stands, count, rate},
    },
};

/// Runs of a page.
const PAGE: usize = 100;

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked) -> Response {
    page(site, asked, make).await
}

fn make(site: &Site, asked: &Asked) -> Made {
    let all = site.source.runs();
    let name = asked.query.get("name").unwrap_or_default();
    let page: usize = asked.query.number("page").map_err(super::Wrong::Asked)?.unwrap_or(1).max(1);
    let mut runs: Vec<&Arc<Run>> = all.iter().filter(|run| run.name().contains(name)).collect();
    // What moves comes first, then what was made last.
    runs.sort_by_key(|run| {
        let rank = match run.state {
            Stands::Running => 0,
            Stands::Paused | Stands::Interrupted | Stands::Unreadable => 1,
            Stands::Finished | Stands::Failed | Stands::Cancelled => 2,
        };
        (rank, std::cmp::Reverse(run.outline.as_ref().map(|outline| outline.created_at.clone()).unwrap_or_default()))
    });
    let pages = runs.len().div_ceil(PAGE).max(1);
    let shown = runs.iter().skip((page - 1) * PAGE).take(PAGE);
    let table = html! {
        @if all.is_empty() {
            (empty(site))
        } @else {
            div.table {
                div.scroll role="group" tabindex="0" aria-label="Runs" {
                    table.runs {
                        caption { "Runs" }
                        thead {
                            tr {
                                th scope="col" { "run" }
                                th scope="col" { "state" }
                                th scope="col" { "progress" }
                                @if site.source.observer().is_some() {
                                    th.n scope="col" { "results" }
                                    th.n scope="col" { "left" }
                                }
                                th scope="col" { "stage" }
                                th scope="col" { "result so far" }
                            }
                        }
                        tbody {
                            @for run in shown { (row(run, asked, site.source.observer().is_some())) }
                        }
                    }
                }
            }
            @if pages > 1 {
                nav.pages aria-label="Pages of the list" {
                    @if page > 1 { a rel="prev" href=(list_link(asked, name, page - 1)) { "← earlier" } }
                    span { "page " (page) " of " (pages) }
                    @if page < pages { a rel="next" href=(list_link(asked, name, page + 1)) { "later →" } }
                }
            }
        }
    };
    let head = html! {
        h1 { "Runs" }
        p { (sentence(&all)) }
    };
    let filter = html! {
        @if all.len() > PAGE || !name.is_empty() {
            form.filter method="get" role="search" {
                label for="name" { "Name contains" }
                input #name type="search" name="name" value=(name);
                button type="submit" { "Show" }
            }
        }
    };
    let moving = all.iter().filter(|run| run.state == Stands::Running).count();
    let mut page = Page::new(Section::Runs, format!("{moving} of {} running", count(all.len() as u64, "run")), head);
    page.icon = if moving > 0 { Stands::Running } else { Stands::Finished };
    if let Some(observer) = site.source.observer() {
        let body = html! {
            (course(observer, Series::Rate(None), "Results", rate))
            (course(observer, Series::Workers, "Workers", |workers| thousands(workers as u64)))
        };
        page.parts.push(Part { name: "course", body });
    }
    page.parts.push(Part { name: "", body: filter });
    page.parts.push(Part { name: "runs", body: table });
    // A coordinator may be given another run at any time.
    let changes = site.source.observer().is_some() || all.iter().any(|run| !run.state.is_ended());
    page.follows = changes.then_some(Topic::Runs);
    Ok(page)
}

fn list_link(asked: &Asked, name: &str, page: usize) -> String {
    asked.links.to(&format!("?name={}&page={page}", crate::site::links::encoded(name)))
}

/// What stands where, in a sentence.
fn sentence(runs: &[Arc<Run>]) -> String {
    let of = |state: Stands| runs.iter().filter(|run| run.state == state).count();
    let parts: Vec<String> = Stands::ALL
        .into_iter()
        .filter(|state| of(*state) > 0)
        .map(|state| format!("{} {}", thousands(of(state) as u64), state.name()))
        .collect();
    match parts.is_empty() {
        true => "There are no runs yet.".to_owned(),
        false => format!("{}: {}.{}", count(runs.len() as u64, "run"), parts.join(", "), fleet(runs)),
    }
}

/// The fleet of a coordinator, in a sentence.
fn fleet(runs: &[Arc<Run>]) -> String {
    // Each run is told of all workers.
    let live = runs.iter().filter_map(|run| run.live.as_ref()).next();
    live.map_or_else(String::new, |live| {
        format!(" {} with {}.", count(live.workers.into(), "worker"), count(live.threads.into(), "thread"))
    })
}

/// How the list is filled.
fn empty(site: &Site) -> Markup {
    html! {
        @if site.source.observer().is_some() {
            p { "Give the coordinator one, from any machine that reaches it:" }
            pre tabindex="0" { "redqueen submit experiments/catalogue/quickstart.toml\nredqueen worker" }
        } @else {
            p { "There is no run in these directories. This makes one, and it will be seen here:" }
            pre tabindex="0" { "redqueen run experiments/catalogue/quickstart.toml" }
        }
    }
}

fn row(run: &Run, asked: &Asked, live: bool) -> Markup {
    let link = asked.links.run(&run.key, "");
    let kind = run.fact("kind").unwrap_or_default();
    let about = [kind, run.fact("game").unwrap_or_default()];
    let about: Vec<&str> = about.into_iter().filter(|text| !text.is_empty()).collect();
    let outline = match &run.outline {
        Ok(outline) => outline,
        Err(why) => {
            return html! {
                tr {
                    th scope="row" { a href=(link) { (visible(&run.name())) } }
                    td { (state(run.state)) }
                    td colspan=(if live { 5 } else { 3 }) { (visible(why)) }
                }
            };
        }
    };
    let obstacle = run.live.as_ref().map_or("", |live| live.obstacle.as_str());
    html! {
        tr {
            th scope="row" {
                a href=(link) { (visible(&outline.name)) }
                div.soft { (run.key) " · " (visible(&about.join(" · "))) }
            }
            td { (state(run.state)) }
            td.progress { (number(run, "percent")) " " (bar(run)) }
            @if live {
                td.n { (number(run, "rate")) }
                td.n { (number(run, "left-all")) }
            }
            td { @if let Some(stage) = run.stage() { (visible(&stage.name)) } }
            td {
                (visible(run.headline()))
                @if !obstacle.is_empty() { div.obstacle { strong { "Note: " } (visible(obstacle)) } }
            }
        }
    }
}

/// A state: a sign and its name.
pub(crate) fn state(state: Stands) -> Markup {
    html! {
        span.state.(state.name()) { span aria-hidden="true" { (state.sign()) } " " (state.name()) }
    }
}
