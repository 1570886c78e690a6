//! `redqueen launch status`.

use std::{
    process::ExitCode,
    time::{SystemTime, UNIX_EPOCH},
};

use launch::directory::Status;
use serde_json::{Value, json};

use super::{DirectoryArgs, files};
use crate::{
    error::CliError,
    output::{Output, span},
};

/// A launcher writes where the launch stands every few seconds; after so long it hangs.
const OLD_SECS: u64 = 120;

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    launch: DirectoryArgs,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let directory = self.launch.open()?;
        let status = directory.status().map_err(|error| {
            CliError::usage(format!("no launcher has written where the launch stands: {error}"))
                .hint("the command that began it goes on with it; `redqueen launch logs` shows why it ended")
        })?;
        let at_work = directory.lock().map_err(|error| files(&error))?.is_none();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let age = now.saturating_sub(status.at);
        output.result(
            || text(&status, at_work, age),
            || {
                json!({
                    "system": status.system, "host": status.host, "pid": status.pid, "at_work": at_work,
                    "age_secs": age, "ended": status.ended, "launch": status.view,
                })
            },
        );
        Ok(ExitCode::SUCCESS)
    }
}

/// A launch for people.
pub(super) fn text(status: &Status, at_work: bool, age: u64) -> String {
    let view = &status.view;
    let launcher = match &status.ended {
        Some(how) => format!("the launch has ended: {how}"),
        None if !at_work => format!(
            "no launcher is at work (the last was process {} on {}, {} ago): the same command goes on",
            status.pid,
            status.host,
            span(age as f64)
        ),
        None if age > OLD_SECS => format!(
            "the launcher (process {} on {}) has written nothing for {}",
            status.pid,
            status.host,
            span(age as f64)
        ),
        None => format!("launcher: process {} on {}", status.pid, status.host),
    };
    let mut lines = vec![format!("{} ({launcher})", status.system)];
    let list = |key: &str| view[key].as_array().map(Vec::as_slice).unwrap_or_default();
    let hours = |value: &Value| hours(value.as_f64().unwrap_or(0.0));
    lines.push(format!(
        "jobs: {} with a worker, {} starting, {} waiting, {} leaving; the work could use {}",
        view["running"],
        list("starting").len(),
        list("waiting").len(),
        list("draining").len(),
        view["wanted"]
    ));
    for job in list("waiting") {
        let (name, reason, start) = (field(job, "name"), field(job, "reason"), field(job, "start"));
        let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
        let start = if start.is_empty() { String::new() } else { format!(", expected at {start}") };
        lines.push(format!("  {name} waits for {}{reason}{start}", span(job["secs"].as_f64().unwrap_or(0.0))));
    }
    for job in list("starting") {
        let (name, host) = (field(job, "name"), field(job, "host"));
        let secs = span(job["secs"].as_f64().unwrap_or(0.0));
        lines.push(format!("  {name} has run on {host} for {secs} and its worker is not connected"));
    }
    for job in list("in-doubt") {
        lines.push(format!("  it is unknown whether {} exists", job.as_str().unwrap_or_default()));
    }
    if let Some(ended) = view["ended"].as_object().filter(|ended| !ended.is_empty()) {
        let counts: Vec<String> = ended.iter().map(|(how, count)| format!("{how} {count}")).collect();
        lines.push(format!("ended: {}; put back into the queue: {}", counts.join(", "), view["requeued"]));
    }
    let costs = &view["costs"];
    let causes: Vec<String> = costs
        .as_object()
        .map(|costs| costs.iter().map(|(cause, secs)| format!("{cause} {}", hours(secs))).collect())
        .unwrap_or_default();
    let left = match &view["budget-left"] {
        Value::Null => String::new(),
        secs => format!("; {} left of the budget", hours(secs)),
    };
    lines.push(format!("core-hours: {} allocated ({}){left}", hours(&view["allocated"]), causes.join(", ")));
    if let Some(secs) = view["left"].as_f64() {
        lines.push(format!("work left: about {} core-hours", self::hours(secs)));
    }
    if let Some(secs) = view["queue-delay"].as_f64() {
        lines.push(format!("jobs wait in the queue for {} (median)", span(secs)));
    }
    for (key, what) in [("paused", "no jobs are asked for")] {
        if let Some(why) = view[key].as_str() {
            lines.push(format!("{what}: {why}"));
        }
    }
    for (key, what) in [("unreadable", "the queue cannot be read"), ("away", "the coordinator does not answer")] {
        if let Some(secs) = view[key].as_f64() {
            lines.push(format!("{what} since {}", span(secs)));
        }
    }
    let excluded: Vec<&str> = list("excluded").iter().filter_map(Value::as_str).collect();
    if !excluded.is_empty() {
        lines.push(format!("no jobs on {}: workers did not join there", excluded.join(", ")));
    }
    lines.join("\n")
}

/// Core-seconds in hours, with as many digits as tell something.
fn hours(secs: f64) -> String {
    match secs / 3_600.0 {
        hours if hours >= 100.0 => format!("{hours:.0}"),
        hours if hours >= 1.0 => format!("{hours:.1}"),
        hours => format!("{hours:.3}"),
    }
}

fn field<'a>(job: &'a Value, key: &str) -> &'a str {
    job[key].as_str().unwrap_or_default()
}
