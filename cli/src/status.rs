//! A coordinator's status of a run, as text and as JSON.

use redqueen_wire::{RunState, RunStatus};
use serde_json::{Value, json};

use crate::{
    output::{span, thousands},
    state,
};

/// For people: a line of facts, then the directory, the last stage's headline and what is in the run's way.
pub(crate) fn to_text(status: &RunStatus) -> String {
    let mut text = format!(
        "{} ({}): {}, stage {} ({}), {}/{} trials stored, {} leased, {} quarantined; {} workers, {} threads",
        status.name,
        short(&status.run),
        state::name(status.state()),
        status.stage,
        status.stage_name,
        thousands(status.stored),
        thousands(status.trials),
        thousands(status.leased),
        status.quarantined,
        status.workers,
        status.threads,
    );
    if status.rate > 0.0 {
        text.push_str(&format!("; {:.1} trials/s", status.rate));
    }
    if status.seconds_left >= 0.0 && status.state() == RunState::Running {
        text.push_str(&format!(", {} left", span(status.seconds_left)));
        if status.seconds_left_in_all > status.seconds_left + 0.5 {
            text.push_str(&format!(", about {} in all", span(status.seconds_left_in_all)));
        }
    }
    if status.priority > 1 {
        text.push_str(&format!("; priority {}", status.priority));
    }
    if status.max_threads > 0 {
        text.push_str(&format!("; at most {} threads", status.max_threads));
    }
    if !status.reproducible {
        text.push_str("; not reproducible: a player has a time budget");
    }
    text.push_str(&format!("\n  in {}", status.directory));
    for line in [&status.headline, &status.obstacle] {
        if !line.is_empty() {
            text.push_str(&format!("\n  {line}"));
        }
    }
    if !status.changed.is_empty() {
        text.push_str(&format!("\n  changed: {}", status.changed));
    }
    text
}

/// For programs; times that are not known yet are null.
pub(crate) fn to_json(status: &RunStatus) -> Value {
    let known = |seconds: f64| (seconds >= 0.0).then_some(seconds);
    json!({
        "run": status.run, "name": status.name, "state": state::name(status.state()), "stage": status.stage,
        "stage_name": status.stage_name, "trials": status.trials, "stored": status.stored, "leased": status.leased,
        "quarantined": status.quarantined, "rate": status.rate, "seconds_left": known(status.seconds_left),
        "seconds_left_in_all": known(status.seconds_left_in_all), "headline": status.headline,
        "workers": status.workers, "threads": status.threads, "reproducible": status.reproducible,
        "directory": status.directory, "obstacle": status.obstacle,
        "changed": status.changed, "priority": status.priority,
        "max_threads": (status.max_threads > 0).then_some(status.max_threads),
    })
}

/// The first digits of a run's id, which are enough to name it.
pub(crate) fn short(id: &str) -> &str {
    &id[..8.min(id.len())]
}
