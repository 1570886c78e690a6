//! A run: how it stands, and what came out so far.

use std::{sync::Arc, time::Duration};

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::observe::{Series, Tallies};
use maud::{Markup, html};

use super::{Made, Tab, find, overview::state, page, results, tabs};
use crate::{
    html::{Message, facts, message, thousands, time, visible},
    site::{
        Site,
        analyses::{Have, Wanted, version_of},
        asked::Asked,
        course::course,
        frame::{Page, Part, Section},
        numbers::{bar, number},
        source::Run,
        stream::Topic,
        words::{State as Stands, percent, rate},
    },
};

/// How long a page waits for tables that nobody asked for before.
pub(super) const PATIENCE: Duration = Duration::from_millis(400);

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked, Path(key): Path<String>) -> Response {
    let (have, tallies) = match find(&site, &key) {
        Ok(run) => (have(&site, &run).await, tallies(&site, &run).await),
        Err(_) => (None, None),
    };
    page(site, asked, move |site, asked| make(site, asked, &key, have.as_ref(), tallies.as_deref())).await
}

/// Results of the open stage's games so far, if a coordinator counts them. The first count takes longer than a page may;
/// it goes on behind it.
async fn tallies(site: &Site, run: &Run) -> Option<Arc<Tallies>> {
    let id = run.outline.as_ref().ok()?.id;
    let observer = site.source.observer().filter(|_| !run.state.is_ended())?.clone();
    let counting = tokio::spawn(async move { observer.tallies(id).await });
    // What cannot be read is told by the coordinator as the run's obstacle.
    tokio::time::timeout(PATIENCE, counting).await.ok()?.ok()?.ok()?
}

/// The tables of a run's closed stages, if any is closed.
pub(super) async fn have(site: &Site, run: &Run) -> Option<Have> {
    let closed = run.outline.as_ref().is_ok_and(|outline| outline.closed() > 0);
    let wanted = Wanted::Results(run.directory.clone());
    if closed { Some(site.analyses.get_soon(&wanted, &version_of(run), PATIENCE).await) } else { None }
}

fn make(site: &Site, asked: &Asked, key: &str, have: Option<&Have>, tallies: Option<&Tallies>) -> Made {
    let run = find(site, key)?;
    let name = run.name();
    let (done, all) = run.progress();
    let share = if run.state == Stands::Running { percent(done, all) } else { run.state.name().to_owned() };
    let again = matches!(have, Some(Have::Working | Have::Old(_))).then_some(3);
    let head = html! {
        h1 { (visible(&name)) }
        (tabs(&run, asked, Tab::Results))
    };
    let mut page = Page::new(Section::Runs, format!("{share} {name}"), head);
    page.icon = run.state;
    page.crumbs = vec![("Runs".to_owned(), Some(asked.links.to(""))), (name, None)];
    page.parts.push(Part { name: "head", body: standing(&run) });
    if let (Some(observer), Ok(outline), false) = (site.source.observer(), &run.outline, run.state.is_ended()) {
        let body = course(observer, Series::Rate(Some(outline.id)), "Results", rate);
        page.parts.push(Part { name: "course", body });
    }
    page.parts.push(Part { name: "results", body: results::part(&run, asked, have, tallies) });
    page.titled = true;
    page.again = again;
    page.follows = (!run.state.is_ended() || again.is_some()).then(|| Topic::Run(run.key.clone()));
    Ok(page)
}

/// How it stands.
fn standing(run: &Run) -> Markup {
    let outline = match &run.outline {
        Ok(outline) => outline,
        Err(why) => {
            return html! {
                p { (state(run.state)) }
                (message(Message::Alarm, why))
            };
        }
    };
    let (_, all) = run.progress();
    let kind = run.fact("kind").unwrap_or("unknown kind");
    let title = run.fact("title").unwrap_or_default();
    html! {
        @if !title.is_empty() && title != outline.name { p.lead { (visible(title)) } }
        p {
            (state(run.state)) " · " (visible(kind))
            @if let Some(game) = run.fact("game") { " of " code { (visible(game)) } }
            @if let Some(paper) = run.fact("paper") { " · paper " code { (visible(paper)) } }
        }
        (bar(run))
        p {
            (number(run, "percent")) ": " (number(run, "done")) " of " (thousands(all))
            @if outline.ahead > 0 && !run.state.is_ended() { " expected" }
            " trials are done."
            @if let Some(live) = run.live.as_ref().filter(|_| run.state == Stands::Running) {
                " Workers hold " (number(run, "leased")) ". " (number(run, "workers")) " with "
                (number(run, "threads")) ", " (number(run, "rate")) "; "
                @if live.left.is_some() {
                    "this stage ends in " (number(run, "left")) ", the run in " (number(run, "left-all"))
                    " if nothing ends it early and the fleet stays."
                } @else {
                    "when it ends is not known yet."
                }
            }
        }
        @if let Some(live) = run.live.as_ref().filter(|live| !live.obstacle.is_empty()) {
            (message(Message::Note, &live.obstacle))
        }
        @match run.state {
            Stands::Interrupted => {
                (message(Message::Note, "No process has it open. The command that began it, `redqueen run FILE`, goes on with it."))
            }
            Stands::Cancelled => {
                (message(Message::Note, "It was cancelled; `redqueen run FILE --resume-cancelled` or `redqueen resume` takes it up again."))
            }
            Stands::Paused => (message(Message::Note, "It is paused; `redqueen resume` at its coordinator goes on with it.")),
            _ => {}
        }
        @if !run.headline().is_empty() { p.headline { (visible(run.headline())) } }
        details data-keep="facts" {
            summary { "About the run" }
            (facts([
                ("run", html! { code { (outline.id.to_string()) } }),
                ("directory", html! { code { (visible(&run.place())) } }),
                ("stage", stage(run)),
                ("made", html! { (time(&outline.created_at)) " by redqueen " (visible(&outline.version)) }),
                ("ended", outline.ended_at.as_deref().map_or_else(|| html! { "not yet" }, time)),
                ("seed", html! { (outline.facts["seed"].as_u64().map_or_else(|| "–".to_owned(), |seed| seed.to_string())) }),
                ("reproducible", reproducible(outline.reproducible)),
                ("one hash of all results", html! { code { "redqueen digest " (visible(&run.place())) } }),
                ("tables in files", html! { code { "redqueen analyze " (visible(&run.place())) } }),
            ]))
        }
    }
}

fn stage(run: &Run) -> Markup {
    let Some(stage) = run.stage() else { return html! { "none yet" } };
    let stages = run.outline.as_ref().map_or(0, |outline| outline.stages.len());
    html! {
        (visible(&stage.name)) " (index " (stage.index) ", " (thousands(stages as u64)) " so far), "
        (number(run, "stored")) " of " (thousands(stage.trials)) " trials stored"
    }
}

fn reproducible(reproducible: bool) -> Markup {
    match reproducible {
        true => html! { "yes: the same file and seed give the same results on every machine" },
        false => html! { "no: a player has a time budget, so that results depend on machines" },
    }
}
