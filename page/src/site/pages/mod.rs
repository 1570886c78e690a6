//! The pages, a file each.

mod archive;
mod champion;
mod compare;
mod events;
mod files;
mod given;
mod grid;
mod members;
mod overview;
mod pair;
mod paper;
mod results;
mod run;
mod sentences;
mod tables;
mod trial;
mod trials;
mod workers;

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    extract::{Path, State},
    http::StatusCode,
    response::Response,
    routing::get,
};
use maud::{Markup, html};

use super::{
    Site,
    asked::Asked,
    assets,
    frame::{self, Around, Page, Section},
    source::Run,
    stream::{Topic, versions},
    theme,
};
use crate::html::{Message, message, visible};

/// Why there is no page.
pub(crate) enum Wrong {
    /// There is no such thing.
    NotFound(String),
    /// The address asks for something that makes no sense.
    Asked(String),
    /// The files cannot be read.
    Files(String),
}

impl Wrong {
    /// Files of a run cannot be read.
    fn store(run: &Run, error: &coordinator::store::Error) -> Self {
        Wrong::Files(super::directories::without_place(&error.to_string(), &run.directory))
    }
}

/// What makes a page.
type Made = Result<Page, Wrong>;

/// Routes of all pages.
pub(crate) fn routes(site: Arc<Site>) -> Router {
    Router::new()
        .route("/", get(overview::show))
        .route("/runs/{key}", get(run::show))
        .route("/runs/{key}/trials", get(trials::show))
        .route("/runs/{key}/trials/{stage}/{trial}", get(trial::show))
        .route("/runs/{key}/pairs/{pair}", get(pair::show))
        .route("/runs/{key}/tables/{name}", get(tables::show))
        .route("/runs/{key}/figures/{name}", get(given::figure))
        .route("/runs/{key}/champion", get(champion::show))
        .route("/runs/{key}/paper", get(paper::show))
        .route("/runs/{key}/workers", get(workers::of_run))
        .route("/runs/{key}/events", get(events::of_run))
        .route("/runs/{key}/report.html", get(files::document))
        .route("/runs/{key}/run.tar", get(archive::give))
        .route("/runs/{key}/files", get(files::show))
        .route("/runs/{key}/files/{*name}", get(files::give))
        .route("/workers", get(workers::show))
        .route("/workers/{name}", get(workers::one))
        .route("/events", get(events::show))
        .route("/compare", get(compare::show))
        .route("/compare/figures/{name}", get(compare::figure))
        .route("/stream", get(super::stream::follow))
        .route("/theme/{name}", get(theme::choose))
        .route("/assets/{name}", get(asset))
        .fallback(nothing)
        .with_state(site)
}

/// The answer with what `make` makes, on a thread that may wait for files.
pub(crate) async fn answer(
    site: Arc<Site>,
    asked: Asked,
    make: impl FnOnce(&Site, &Asked) -> Result<Response, Wrong> + Send + 'static,
) -> Response {
    let done =
        tokio::task::spawn_blocking(move || make(&site, &asked).unwrap_or_else(|wrong| fail(&site, &asked, wrong)));
    done.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
}

/// The page that `make` makes, on a thread that may wait for files.
pub(crate) async fn page(
    site: Arc<Site>,
    asked: Asked,
    make: impl FnOnce(&Site, &Asked) -> Made + Send + 'static,
) -> Response {
    answer(site, asked, move |site, asked| {
        // Before the page is made: a part that changes meanwhile is asked for again, not missed.
        let versions = versions(site, &topic(site, asked));
        make(site, asked)
            .map(|page| frame::answer(asked, &Around { versions, ..around(site, asked) }, StatusCode::OK, &page))
    })
    .await
}

/// What a page follows, by its address.
fn topic(site: &Site, asked: &Asked) -> Topic {
    let key = asked.path().strip_prefix("/runs/").map(|rest| rest.split('/').next().unwrap_or_default());
    match key.map(|key| find(site, key)) {
        _ if asked.path().ends_with("/workers") => Topic::Workers,
        Some(Ok(run)) => Topic::Run(run.key.clone()),
        _ => Topic::Runs,
    }
}

/// The page that says why there is none.
fn fail(site: &Site, asked: &Asked, wrong: Wrong) -> Response {
    let (status, title, why) = match wrong {
        Wrong::NotFound(why) => (StatusCode::NOT_FOUND, "Not found", why),
        Wrong::Asked(why) => (StatusCode::BAD_REQUEST, "Not understood", why),
        Wrong::Files(why) => (StatusCode::SERVICE_UNAVAILABLE, "Cannot be read", why),
    };
    let body = html! {
        h1 { (title) }
        (message(Message::Note, &why))
        p { a href=(asked.links.to("")) { "All runs" } }
    };
    frame::answer(asked, &around(site, asked), status, &Page::new(Section::Runs, title, body))
}

/// What is on every page.
fn around(site: &Site, asked: &Asked) -> Around {
    /// Alarms that are told on every page.
    const TOLD: usize = 5;
    let runs = site.source.runs();
    let alarms: Vec<Markup> = runs.iter().flat_map(|run| alarms(run, asked)).take(TOLD).collect();
    Around { live: site.source.observer().is_some(), alarms, versions: BTreeMap::new() }
}

/// What is wrong with a run.
fn alarms(run: &Run, asked: &Asked) -> Vec<Markup> {
    let Ok(outline) = &run.outline else {
        return vec![
            html! { "the files of " a href=(asked.links.run(&run.key, "")) { (run.place()) } " cannot be read" },
        ];
    };
    let name = html! { a href=(asked.links.run(&run.key, "")) { (visible(&outline.name)) } };
    let mut alarms = Vec::new();
    if !outline.distrusted.is_empty() {
        let workers = super::words::count(outline.distrusted.len() as u64, "worker");
        alarms.push(html! { (workers) " computed wrongly in " (name) " and gets no more work" });
    }
    if outline.disputed > 0 && !run.state.is_ended() {
        let trials = super::words::count(outline.disputed, "trial");
        let link = asked.links.run(&run.key, "/trials?show=disputed");
        alarms.push(html! { "results of " a href=(link) { (trials) } " of " (name) " differ between workers" });
    }
    if run.quarantined() > 0 {
        let trials = super::words::count(run.quarantined(), "trial");
        let link = asked.links.run(&run.key, "/trials?show=given-up");
        alarms.push(
            html! { a href=(link) { (trials) } " of " (name) " failed three times and " "will not be run again" },
        );
    }
    alarms
}

/// The run of that key, or whose id begins so.
pub(crate) fn find(site: &Site, key: &str) -> Result<Arc<Run>, Wrong> {
    let runs = site.source.runs();
    if let Some(run) = runs.iter().find(|run| run.key == key) {
        return Ok(Arc::clone(run));
    }
    let begins = |run: &&Arc<Run>| {
        key.len() >= 4 && run.outline.as_ref().is_ok_and(|outline| outline.id.to_string().starts_with(key))
    };
    let mut found = runs.iter().filter(begins);
    match (found.next(), found.next()) {
        (Some(run), None) => Ok(Arc::clone(run)),
        (Some(_), Some(_)) => Err(Wrong::NotFound("Several runs begin so; give more digits.".to_owned())),
        (None, _) => Err(Wrong::NotFound("There is no such run.".to_owned())),
    }
}

/// Sections of a run's pages: (path, name).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Results,
    Champion,
    Paper,
    Trials,
    Workers,
    Events,
    Files,
}

/// Links to the pages of a run.
pub(crate) fn tabs(run: &Run, asked: &Asked, here: Tab) -> Markup {
    let is_there = |tab: Tab| match tab {
        Tab::Champion => champion::has(run),
        Tab::Paper => run.fact("paper").is_some(),
        Tab::Results | Tab::Trials | Tab::Workers | Tab::Events | Tab::Files => true,
    };
    let all = [
        (Tab::Results, "", "Results"),
        (Tab::Champion, "/champion", champion::word(run)),
        (Tab::Paper, "/paper", "Paper"),
        (Tab::Trials, "/trials", "Trials"),
        (Tab::Workers, "/workers", "Workers"),
        (Tab::Events, "/events", "Events"),
        (Tab::Files, "/files", "Files"),
    ];
    html! {
        nav.tabs aria-label="Pages of the run" {
            @for (tab, path, name) in all.into_iter().filter(|(tab, ..)| is_there(*tab)) {
                a href=(asked.links.run(&run.key, path)) aria-current=[(tab == here).then_some("page")] { (name) }
            }
        }
    }
}

/// A page of a run: title, way, and the part below its tabs.
pub(crate) fn of_run(run: &Run, asked: &Asked, tab: Tab, heading: &str, body: &Markup) -> Page {
    let name = run.name();
    let mut page = Page::new(
        Section::Runs,
        format!("{heading} {name}"),
        html! { h1 { (visible(&name)) ": " (visible(heading)) } (tabs(run, asked, tab)) (body) },
    );
    page.icon = run.state;
    page.crumbs = vec![
        ("Runs".to_owned(), Some(asked.links.to(""))),
        (name, Some(asked.links.run(&run.key, ""))),
        (heading.to_owned(), None),
    ];
    page
}

async fn asset(asked: Asked, Path(name): Path<String>) -> Response {
    assets::serve(&asked, &name)
}

async fn nothing(State(site): State<Arc<Site>>, asked: Asked) -> Response {
    answer(site, asked, |_, _| Err(Wrong::NotFound("There is no such page.".to_owned()))).await
}
