//! Runs beside one another: what differs in their settings, and what came out.

use std::{path::PathBuf, sync::Arc};

use axum::{
    extract::{Path, State},
    response::Response,
};
use coordinator::store;
use experiments::Experiment;
use maud::{Markup, html};

use super::{Made, Wrong, answer, find, given, page, results, run::PATIENCE};
use crate::{
    html::{Message, message, visible},
    site::{
        Site,
        analyses::{Have, Wanted, version_of},
        asked::Asked,
        frame::{Page, Part, Section},
        links::encoded,
        source::Run,
    },
};

/// Most runs that are compared.
const MOST: usize = 40;
/// Runs that can be chosen from.
const LISTED: usize = 200;
/// The one key by which replicates differ.
const SEED: &str = "seed";

/// A run with its experiment.
type Read = (Arc<Run>, Experiment);

pub(crate) async fn show(State(site): State<Arc<Site>>, asked: Asked) -> Response {
    let wanted = match chosen(&site, &asked) {
        Ok(runs) => wanted(runs).await,
        Err(_) => None,
    };
    let have = match &wanted {
        Some((_, Some((wanted, version)))) => Some(site.analyses.get_soon(wanted, version, PATIENCE).await),
        _ => None,
    };
    page(site, asked, move |site, asked| make(site, asked, wanted.as_ref(), have.as_ref())).await
}

/// The runs that the address names.
fn chosen(site: &Site, asked: &Asked) -> Result<Vec<Arc<Run>>, Wrong> {
    let keys = asked.query.all("runs").flat_map(|keys| keys.split(',')).chain(asked.query.all("run"));
    let mut runs: Vec<Arc<Run>> = Vec::new();
    for key in keys.filter(|key| !key.is_empty()) {
        let run = find(site, key)?;
        if !runs.iter().any(|known| known.key == run.key) {
            runs.push(run);
        }
    }
    match runs.len() > MOST {
        true => Err(Wrong::Asked(format!("At most {MOST} runs can be compared."))),
        false => Ok(runs),
    }
}

/// What is read of the runs: groups of replicates, and the tables to be made of them.
type Wants = (Result<Vec<Vec<Read>>, String>, Option<(Wanted, String)>);

async fn wanted(runs: Vec<Arc<Run>>) -> Option<Wants> {
    if runs.is_empty() {
        return None;
    }
    let done = tokio::task::spawn_blocking(move || {
        let groups = groups(runs);
        let wanted = match groups.as_deref() {
            Ok([one]) => Some(Wanted::Compared(directories(one), Vec::new())),
            Ok([one, other]) => Some(Wanted::Compared(directories(one), directories(other))),
            _ => None,
        };
        let version = groups.iter().flatten().flatten().map(|(run, _)| version_of(run)).collect::<Vec<_>>().join(" ");
        (groups, wanted.map(|wanted| (wanted, version)))
    });
    Some(done.await.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic())))
}

fn directories(group: &[Read]) -> Vec<PathBuf> {
    group.iter().map(|(run, _)| run.directory.clone()).collect()
}

/// Runs by their setting: those of one differ by their seed alone.
fn groups(runs: Vec<Arc<Run>>) -> Result<Vec<Vec<Read>>, String> {
    let mut groups: Vec<Vec<Read>> = Vec::new();
    for run in runs {
        let experiment = store::read_experiment(&run.directory)
            .map_err(|error| crate::site::directories::without_place(&error.to_string(), &run.directory))?;
        let is_of = |group: &&mut Vec<Read>| {
            let differences = experiment.differences(&group[0].1);
            differences.iter().all(|difference| difference.key == SEED || difference.key == "name")
        };
        match groups.iter_mut().find(is_of) {
            Some(group) => group.push((run, experiment)),
            None => groups.push(vec![(run, experiment)]),
        }
    }
    Ok(groups)
}

fn make(site: &Site, asked: &Asked, wants: Option<&Wants>, have: Option<&Have>) -> Made {
    let runs = chosen(site, asked)?;
    let waits = matches!(have, Some(Have::Working));
    let head = html! {
        h1 { "Compare runs" }
        (choice(site, asked, &runs))
    };
    let mut page = Page::new(Section::Compare, "Compare", head);
    if let Some((groups, _)) = wants {
        page.title = runs.iter().map(|run| run.name()).collect::<Vec<_>>().join(" v ");
        let body = match groups {
            Ok(groups) => html! {
                (settings(asked, groups))
                (outcomes(asked, groups, have))
            },
            Err(why) => message(Message::Note, why),
        };
        page.parts.push(Part { name: "results", body });
    }
    page.again = waits.then_some(3);
    Ok(page)
}

/// The form that chooses.
fn choice(site: &Site, asked: &Asked, chosen: &[Arc<Run>]) -> Markup {
    let all = site.source.runs();
    let listed = all.iter().filter(|run| run.outline.is_ok()).take(LISTED);
    html! {
        details data-keep="choice" open[chosen.is_empty()] {
            summary { "Which runs" }
            form.choice method="get" {
                fieldset {
                    legend { "Runs of one setting under several seeds, or of two settings" }
                    @for run in listed {
                        label {
                            input type="checkbox" name="run" value=(run.key) checked[chosen.iter().any(|known| known.key == run.key)];
                            " " (visible(&run.name())) " " span.soft { (run.key) ", " (run.state.name()) }
                        }
                    }
                }
                button type="submit" { "Compare" }
            }
            @if all.is_empty() { p { "There are no runs yet. " a href=(asked.links.to("")) { "All runs" } } }
        }
    }
}

/// Settings, and what differs between them.
fn settings(asked: &Asked, groups: &[Vec<Read>]) -> Markup {
    let Some(first) = groups.first() else { return html! {} };
    let mut keys: Vec<(String, Vec<Option<String>>)> = Vec::new();
    for (place, group) in groups.iter().enumerate().skip(1) {
        for difference in group[0].1.differences(&first[0].1) {
            if difference.key == SEED {
                continue;
            }
            let at = match keys.iter().position(|(key, _)| *key == difference.key) {
                Some(at) => at,
                None => {
                    keys.push((difference.key.clone(), vec![difference.there.clone(); groups.len()]));
                    keys.len() - 1
                }
            };
            keys[at].1[place] = difference.here;
        }
    }
    html! {
        h2 { "Settings" }
        @for (place, group) in groups.iter().enumerate() {
            p {
                strong { (letter(place)) ": " }
                @for (at, (run, experiment)) in group.iter().enumerate() {
                    @if at > 0 { ", " }
                    a href=(asked.links.run(&run.key, "")) { (visible(experiment.name())) } " (seed " (experiment.seed()) ")"
                }
            }
        }
        @if groups.len() > 1 {
            div.table {
                div.scroll role="group" tabindex="0" aria-label="What differs" {
                    table {
                        caption { "What differs, as experiments write it" }
                        thead {
                            tr {
                                th scope="col" { "key" }
                                @for place in 0..groups.len() { th scope="col" { (letter(place)) } }
                            }
                        }
                        tbody {
                            @for (key, values) in &keys {
                                tr {
                                    th scope="row" { code { (visible(key)) } }
                                    @for value in values {
                                        td { @match value { Some(value) => code { (visible(value)) }, None => "–" } }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn letter(place: usize) -> String {
    u8::try_from(place)
        .ok()
        .filter(|place| *place < 26)
        .map_or_else(|| place.to_string(), |place| char::from(b'A' + place).to_string())
}

fn outcomes(asked: &Asked, groups: &[Vec<Read>], have: Option<&Have>) -> Markup {
    match have {
        None if groups.len() > 2 => message(
            Message::Note,
            "These are runs of more than two settings. Tests compare two; choose fewer, or run under several seeds.",
        ),
        None => html! {},
        Some(Have::Working) => html! {
            p.message data-again="1000" role="status" { strong { "Wait: " } "the comparison is being made." }
        },
        Some(Have::Failed(why)) => message(Message::Note, why),
        Some(Have::Ready(made) | Have::Old(made)) => html! {
            h2 { "What came out" }
            @for warning in &made.report.warnings { (message(Message::Warning, warning)) }
            @for part in &made.report.tables { (crate::html::table(part)) }
            (results::figures_of(&made.report, |figure| {
                let runs: Vec<String> = groups.iter().flatten().map(|(run, _)| encoded(&run.key)).collect();
                asked.links.to(&format!("compare/figures/{}.svg?runs={}", encoded(&figure.name), runs.join(",")))
            }))
            @for reason in &made.report.left_out { p.soft { (visible(reason)) "." } }
        },
    }
}

pub(crate) async fn figure(State(site): State<Arc<Site>>, asked: Asked, Path(name): Path<String>) -> Response {
    let wanted = match chosen(&site, &asked) {
        Ok(runs) => wanted(runs).await.and_then(|(_, wanted)| wanted),
        Err(_) => None,
    };
    if let Some((wanted, version)) = &wanted {
        site.analyses.get_soon(wanted, version, PATIENCE).await;
    }
    answer(site, asked, move |site, asked| {
        let (wanted, version) = wanted.ok_or_else(|| Wrong::NotFound("There is no such comparison.".to_owned()))?;
        let made = given::made(site.analyses.get(&wanted, &version))?;
        given::figure_of(site, asked, &made.report, &name)
    })
    .await
}
