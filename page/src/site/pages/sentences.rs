//! Events as sentences.

use coordinator::store::StoredEvent;
use maud::{Markup, html};
use serde_json::Value;

use crate::{
    html::{thousands, visible},
    site::{asked::Asked, source::Run, words::count},
};

/// What an event says. Kinds that this version does not know are shown as they are.
pub(super) fn sentence(event: &StoredEvent, run: &Run, asked: &Asked) -> Markup {
    let detail = &event.detail;
    let worker = |key: &str| named(&detail[key], asked);
    let trial = trial(detail, run, asked);
    let number = |key: &str| detail[key].as_u64().unwrap_or_default();
    let words = |key: &str| visible(detail[key].as_str().unwrap_or_default());
    let stage = || html! { "stage " (number("stage")) };
    html! {
        @match event.kind.as_str() {
            "created" => { "The run was made by redqueen " (words("version")) "." }
            "migrated" => { "Its database was brought to the format of redqueen " (words("version")) "." }
            "running" => { "It runs." }
            "paused" => { "It was paused." }
            "cancelled" => { "It was cancelled." }
            "prioritized" => {
                "It has priority " (number("priority"))
                @if let Some(threads) = detail["max_threads"].as_u64() { " and at most " (count(threads, "thread")) } "."
            }
            "stage-closed" => {
                "Stage " (number("stage")) ", " (words("name")) ", was closed"
                @if detail["headline"].as_str().is_some_and(|line| !line.is_empty()) { ": " (words("headline")) } "."
            }
            "finished" => { "It is finished." }
            "failed" => { "It ended with trials that were given up." }
            "quarantined" => { (trial) " failed three times and was given up; the last time by " (worker("worker")) ": " (words("error")) }
            "changed" => { "Keys that change no result have other values." }
            "extended" => { "It was made longer." }
            "retried" => {
                (count(number("trials"), "trial")) " that had been given up wait again."
                @if number("discarded_stages") > 0 { " " (count(number("discarded_stages"), "later stage")) " were dropped." }
            }
            "alarm" => { "A result of " (trial) " by " (worker("worker")) " differs from the one stored by " (worker("stored_by")) "." }
            "worker-joined" => { (worker("worker")) " joined with " (count(number("threads"), "thread")) "." }
            "worker-left" => {
                (worker("worker")) " left: " (words("why")) "."
                @if number("lost") > 0 { " " (count(number("lost"), "trial")) " that it held wait again." }
            }
            "lease-dropped" => {
                (worker("worker")) " had nothing to do and " (count(number("trials"), "trial")) " of " (stage()) "; they wait again."
            }
            "copy-issued" => {
                (count(number("trials"), "trial")) " of " (stage()) " that " (worker("of")) " holds were given to " (worker("to")) ", too."
            }
            "suspected" => {
                (count(number("trials"), "trial")) " of " (stage()) " were in the hands of two workers that died; they run with nothing beside them."
            }
            "audit-skipped" => {
                (count(number("trials"), "trial")) " of " (stage()) " were not run twice: " (words("why")) "."
            }
            "distrusted" => {
                (worker("worker")) " computes wrongly: others agree on another result of " (trial) ". It was sent away."
            }
            "retracted" => {
                (count(number("trials"), "result")) " of " (worker("worker")) " in " (stage()) " were taken out again."
            }
            "commits-lost" => { (thousands(number("commits"))) " commits that had been acknowledged are gone; their trials run again." }
            other => { (visible(other)) }
        }
    }
}

/// A worker, or several, as links.
fn named(value: &Value, asked: &Asked) -> Markup {
    let names: Vec<&str> = match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    html! {
        @if names.is_empty() { "a worker" }
        @for (place, name) in names.iter().enumerate() {
            @if place > 0 { ", " }
            a href=(asked.links.worker(name)) { (visible(name)) }
        }
    }
}

/// The trial that an event names, as a link.
fn trial(detail: &Value, run: &Run, asked: &Asked) -> Markup {
    match (detail["stage"].as_u64().and_then(|stage| u32::try_from(stage).ok()), detail["trial"].as_u64()) {
        (Some(stage), Some(trial)) => html! {
            a href=(asked.links.trial(&run.key, stage, trial)) { "trial " (thousands(trial)) " of stage " (stage) }
        },
        _ => html! { "a trial" },
    }
}
