//! The connected workers of a coordinator: what each does.

use std::time::Duration;

use coordinator::{
    core::MemberView,
    observe::{WorkerState, WorkersSeen},
};
use maud::{Markup, html};

use super::Wrong;
use crate::{
    html::{facts, span, thousands, visible},
    site::{Site, asked::Asked, links::encoded, source::Run, words},
};

/// Workers of a page.
const PAGE: usize = 100;

/// A state in words: what it is called, whether it is a problem, and what it means.
fn state(seen: &WorkersSeen, member: &MemberView) -> (&'static str, bool, String) {
    match seen.state(member) {
        WorkerState::Works => ("works", false, String::new()),
        WorkerState::Idle => ("idle", false, format!("for {}", span(member.idle.as_secs_f64()))),
        WorkerState::Alone => ("alone", true, "with trials that may have killed workers".to_owned()),
        WorkerState::Leaving => ("leaving", false, String::new()),
        WorkerState::Silent => {
            let most = span((seen.heartbeat * 3).as_secs_f64());
            ("silent", true, format!("{} of {most}", span(member.silent.as_secs_f64())))
        }
    }
}

/// Whether a worker is to come before others.
fn is_problem(seen: &WorkersSeen, member: &MemberView) -> bool {
    state(seen, member).1 || member.counts.disputes > 0
}

/// Results a second and thread in the middle of the fleet.
fn median_rate(seen: &WorkersSeen) -> f64 {
    let mut rates: Vec<f64> = seen.workers.iter().filter(|member| member.rate > 0.0).map(per_thread).collect();
    rates.sort_by(f64::total_cmp);
    rates.get(rates.len() / 2).copied().unwrap_or_default()
}

fn per_thread(member: &MemberView) -> f64 {
    member.rate / f64::from(member.worker.threads.max(1))
}

/// What the fleet does, in a sentence.
pub(super) fn sentence(seen: &WorkersSeen) -> String {
    let threads: u64 = seen.workers.iter().map(|member| u64::from(member.worker.threads)).sum();
    let of = |wanted: WorkerState| seen.workers.iter().filter(|member| seen.state(member) == wanted).count() as u64;
    let rate: f64 = seen.workers.iter().map(|member| member.rate).sum();
    let mut text = format!(
        "{} with {}; {} idle",
        words::count(seen.workers.len() as u64, "worker"),
        words::count(threads, "thread"),
        thousands(of(WorkerState::Idle))
    );
    for (state, word) in [
        (WorkerState::Silent, "silent"),
        (WorkerState::Alone, "alone with suspects"),
        (WorkerState::Leaving, "leaving"),
    ] {
        if of(state) > 0 {
            text.push_str(&format!(", {} {word}", thousands(of(state))));
        }
    }
    if rate > 0.0 {
        text.push_str(&format!("; {} results", words::rate(rate)));
    }
    text + "."
}

/// The list, problems first and then by name.
pub(super) fn list(site: &Site, asked: &Asked, seen: &WorkersSeen, of: Option<&Run>) -> Result<Markup, Wrong> {
    let prefix = asked.query.get("name").unwrap_or_default();
    let from: usize = asked.query.number("from").map_err(Wrong::Asked)?.unwrap_or(0);
    let run = of.and_then(|run| run.outline.as_ref().ok()).map(|outline| outline.id);
    let is_of = |member: &&MemberView| {
        member.worker.name.starts_with(prefix)
            && run.is_none_or(|run| member.holds.iter().any(|(stage, _)| stage.run == run))
    };
    let mut members: Vec<&MemberView> = seen.workers.iter().filter(is_of).collect();
    members
        .sort_by(|a, b| is_problem(seen, b).cmp(&is_problem(seen, a)).then_with(|| a.worker.name.cmp(&b.worker.name)));
    let median = median_rate(seen);
    let path = of.map_or_else(|| asked.links.to("workers"), |run| asked.links.run(&run.key, "/workers"));
    let link = |from: usize| format!("{path}?name={}&from={from}", encoded(prefix));
    Ok(html! {
        p { (words::count(members.len() as u64, "connected worker")) "." }
        @if !members.is_empty() {
            div.table {
                div.scroll role="group" tabindex="0" aria-label="Connected workers" {
                    table {
                        caption { "Connected workers, those with a problem first" }
                        thead {
                            tr {
                                th scope="col" { "worker" }
                                th scope="col" { "does" }
                                th scope="col" { "for" }
                                th.n scope="col" { "runs" }
                                th.n scope="col" { "waits" }
                                th.n scope="col" { "oldest" }
                                th.n scope="col" { "outbox" }
                                th.n scope="col" { "results" }
                                th.n scope="col" { "of the median" }
                                th.n scope="col" { "delivered" }
                                th.n scope="col" { "failed" }
                                th.n scope="col" { "lost" }
                                th.n scope="col" { "disputes" }
                            }
                        }
                        tbody {
                            @for member in members.iter().skip(from).take(PAGE) { (row(site, asked, seen, member, median)) }
                        }
                    }
                }
                div.notes {
                    p {
                        "runs and waits: trials in its threads, and leased ones that wait for a thread. oldest: age of the oldest \
                         running trial. outbox: results that were not acknowledged yet. of the median: results a second and \
                         thread against the middle of the fleet. lost: trials taken back, since a lease or its connection was lost."
                    }
                }
            }
        }
        @if members.len() > PAGE {
            nav.pages aria-label="Pages of the list" {
                @if from > 0 { a rel="prev" href=(link(from.saturating_sub(PAGE))) { "← before" } }
                @if from + PAGE < members.len() { a rel="next" href=(link(from + PAGE)) { "behind →" } }
            }
        }
    })
}

fn row(site: &Site, asked: &Asked, seen: &WorkersSeen, member: &MemberView, median: f64) -> Markup {
    let (word, problem, more) = state(seen, member);
    let share = (median > 0.0 && member.rate > 0.0).then(|| 100.0 * per_thread(member) / median);
    html! {
        tr {
            th scope="row" {
                a href=(asked.links.worker(&member.worker.name)) { (visible(&member.worker.name)) }
                " " span.soft { (words::count(member.worker.threads.into(), "thread")) }
            }
            td {
                @if problem { strong { "! " (word) } } @else { (word) }
                @if !more.is_empty() { " " (more) }
            }
            td { (held(site, asked, member)) }
            td.n { (thousands(member.load.running.into())) }
            td.n { (thousands(member.load.queued)) }
            td.n { (age(member.load.oldest)) }
            td.n { (thousands(member.load.outbox)) }
            td.n { (words::rate(member.rate)) }
            td.n { @match share { Some(share) => { (format!("{share:.0} %")) } None => "–" } }
            td.n { (thousands(member.counts.delivered)) }
            td.n { (thousands(member.counts.failed)) }
            td.n { (thousands(member.counts.lost)) }
            td.n { @if member.counts.disputes > 0 { strong { (thousands(member.counts.disputes)) } } @else { "0" } }
        }
    }
}

fn age(age: Duration) -> String {
    if age.is_zero() { "–".to_owned() } else { span(age.as_secs_f64()) }
}

/// The stages of which it holds trials.
fn held(site: &Site, asked: &Asked, member: &MemberView) -> Markup {
    let runs = site.source.runs();
    html! {
        @for (place, (stage, trials)) in member.holds.iter().enumerate() {
            @if place > 0 { ", " }
            @match runs.iter().find(|run| run.outline.as_ref().is_ok_and(|outline| outline.id == stage.run)) {
                Some(run) => a href=(asked.links.run(&run.key, "")) { (visible(&run.name())) },
                None => "a run that was ended",
            }
            " stage " (stage.stage) " (" (thousands(*trials)) ")"
        }
    }
}

/// What is known of a connected worker.
pub(super) fn about(site: &Site, asked: &Asked, seen: &WorkersSeen, name: &str) -> Markup {
    let found: Vec<&MemberView> = seen.workers.iter().filter(|member| member.worker.name == name).collect();
    html! {
        @if found.is_empty() { p { "It is not connected now." } }
        @for member in found {
            @let (word, _, more) = state(seen, member);
            @let place = &member.worker.place;
            (facts([
                ("does", html! { (word) " " (more) }),
                ("holds", html! { @if member.holds.is_empty() { "nothing" } @else { (held(site, asked, member)) } }),
                ("threads", html! { (member.worker.threads) ", of which " (member.load.running) " run trials; " (member.load.queued) " trials wait" }),
                ("results", html! {
                    (words::rate(member.rate)) "; " (words::count(member.counts.delivered, "trial")) " delivered, "
                    (thousands(member.counts.failed)) " failed, " (thousands(member.counts.lost)) " lost, "
                    (thousands(member.counts.disputes)) " disputed"
                }),
                ("joined", html! { (span(member.joined.as_secs_f64())) " ago; last heard of " (span(member.silent.as_secs_f64())) " ago" }),
                ("stays", html! {
                    @match member.stays { Some(stays) => { "another " (span(stays.as_secs_f64())) } None => "without an end that is known" }
                }),
                ("machine", html! {
                    (visible(or_unknown(&place.host))) ": " (visible(or_unknown(&place.machine.cpu)))
                    @if place.machine.cores > 0 { ", " (words::count(place.machine.cores.into(), "processor")) }
                    @if place.machine.memory > 0 { ", " (thousands(place.machine.memory >> 30)) " GiB" }
                }),
                ("job", html! { (visible(or_unknown(&place.allocation))) }),
                ("build", html! { (visible(or_unknown(&place.build))) }),
            ]))
        }
    }
}

fn or_unknown(text: &str) -> &str {
    if text.is_empty() { "unknown" } else { text }
}
