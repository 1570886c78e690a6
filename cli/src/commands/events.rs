//! `redqueen events`: what happened to a run, from its directory or from a coordinator.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Duration,
};

use clap_complete::ArgValueCompleter;
use coordinator::store::{self, StoredEvent};
use redqueen_wire::EventsRequest;
use serde_json::{Value, json};

use super::Command;
use crate::{
    completion,
    connection::{Control, CoordinatorArgs, block_on},
    error::CliError,
    output::{Output, print, stdout},
    run_argument::{id, run_directory},
};

/// Events read at once.
const PAGE: u32 = 1_000;
/// Pause between two looks at a directory that is followed.
const PAUSE: Duration = Duration::from_millis(300);

/// Facts that come first in a line.
const LEADING: [&str; 4] = ["stage", "name", "trial", "worker"];

/// List what happened to a run.
#[derive(clap::Args)]
pub(super) struct Args {
    /// The directory of a run; or the id of a coordinator's run, or its first digits.
    #[arg(add = ArgValueCompleter::new(completion::run))]
    run: PathBuf,
    /// Follow further events until the run has ended.
    #[arg(long)]
    follow: bool,
    /// Only events of this kind (docs/run-directory.md lists them). May be repeated.
    #[arg(long = "kind", value_name = "KIND")]
    kinds: Vec<String>,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let mut shown = Shown { args: &self, json: output.json, kept: Vec::new() };
        // No id is the name of a directory, so a directory that holds no run is an error, not an id.
        if self.run.is_dir() {
            from_directory(&run_directory(&self.run)?, &mut shown)?;
        } else {
            block_on(from_coordinator(&mut shown))?;
        }
        shown.finish();
        Ok(ExitCode::SUCCESS)
    }
}

fn from_directory(directory: &Path, shown: &mut Shown<'_>) -> Result<(), CliError> {
    let mut after = 0;
    loop {
        let page = store::events(directory, after, PAGE)?;
        let more = page.events.len() == PAGE as usize;
        after = page.events.last().map_or(after, |event| event.event);
        page.events.iter().for_each(|event| shown.show(event));
        if !stdout::is_open() {
            return Ok(());
        }
        if more {
            continue;
        }
        if !shown.args.follow || page.ended {
            return Ok(());
        }
        std::thread::sleep(PAUSE);
    }
}

async fn from_coordinator(shown: &mut Shown<'_>) -> Result<(), CliError> {
    let request = EventsRequest { run: id(&shown.args.run), after: 0, follow: shown.args.follow };
    let ask = async |mut client: Control| client.events(request.clone()).await;
    let mut replies = shown.args.coordinator.ask(ask).await?;
    while let Some(event) = replies.message().await? {
        let detail = serde_json::from_str(&event.detail).unwrap_or(Value::String(event.detail));
        shown.show(&StoredEvent { event: event.event, at: event.at, kind: event.kind, detail });
        if !stdout::is_open() {
            break;
        }
    }
    Ok(())
}

/// What has been read so far.
struct Shown<'a> {
    args: &'a Args,
    json: bool,
    /// For the one JSON value at the end; with --follow each event is a line.
    kept: Vec<Value>,
}

impl Shown<'_> {
    fn show(&mut self, event: &StoredEvent) {
        if !self.args.kinds.is_empty() && !self.args.kinds.contains(&event.kind) {
            return;
        }
        if !self.json {
            return print(format!("{}  {:14} {}", event.at, event.kind, words(&event.detail)).trim_end());
        }
        let value = json!({ "event": event.event, "at": event.at, "kind": event.kind, "detail": event.detail });
        if self.args.follow {
            stdout::print_json(&value.to_string());
        } else {
            self.kept.push(value);
        }
    }

    fn finish(self) {
        if self.json && !self.args.follow {
            stdout::print_json(&format!("{:#}", json!({ "events": self.kept })));
        }
    }
}

/// An event's facts in one line: `stage 3, trial 17, worker w1`.
fn words(detail: &Value) -> String {
    let plain = |value: &Value| match value {
        // One event is one line, whatever an error says.
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" "),
        other => other.to_string(),
    };
    match detail {
        Value::Object(facts) => {
            let mut facts: Vec<_> = facts.iter().filter(|(_, value)| value.as_str() != Some("")).collect();
            // The subject first, then the rest in its order.
            facts.sort_by_key(|(key, _)| LEADING.iter().position(|first| first == key).unwrap_or(LEADING.len()));
            let fact = |(key, value): (&String, &Value)| format!("{} {}", key.replace('_', " "), plain(value));
            facts.into_iter().map(fact).collect::<Vec<_>>().join(", ")
        }
        other => plain(other),
    }
}
