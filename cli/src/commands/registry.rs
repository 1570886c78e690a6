//! `redqueen games` and `redqueen players`: what specs can name.

use std::process::ExitCode;

use games::GameSpec;
use serde_json::{Value, json};
use spec::Entry;

use crate::{error::CliError, output::Output};

pub(crate) fn games(output: &Output) -> Result<ExitCode, CliError> {
    let text = || {
        let line = |entry: &&Entry| {
            let facts = entry.name.parse::<GameSpec>().map(|spec| spec.facts()).ok();
            let facts = facts.map_or(String::new(), |f| {
                let players = if f.players == 1 { "player" } else { "players" };
                let chance = if f.chance { ", chance" } else { "" };
                format!(
                    "\n    {} {players}{chance}, at most {} moves and {} plies; score in {}",
                    f.players, f.moves_max, f.plies_max, f.score_unit
                )
            });
            format!("{}{facts}", entry_text(entry))
        };
        games::all().iter().map(line).collect::<Vec<_>>().join("\n")
    };
    output.result(text, || json!({ "games": games::all().iter().map(|e| entry_json(e)).collect::<Vec<_>>() }));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn players(output: &Output) -> Result<ExitCode, CliError> {
    let all = players::registry::all();
    let text = || all.iter().map(|entry| entry_text(entry)).collect::<Vec<_>>().join("\n");
    output.result(text, || json!({ "players": all.iter().map(|e| entry_json(e)).collect::<Vec<_>>() }));
    Ok(ExitCode::SUCCESS)
}

fn entry_text(entry: &Entry) -> String {
    let mut text = format!("{}: {}", entry.name, entry.doc);
    for param in entry.params {
        let default = param.default.value().map_or(String::new(), |value| format!(", default {value}"));
        text.push_str(&format!("\n    {:14} {} ({}{default})", param.name, param.doc, param.kind));
    }
    text
}

fn entry_json(entry: &Entry) -> Value {
    let params: Vec<Value> = entry
        .params
        .iter()
        .map(|param| {
            let default = param.default.value().map(|value| value.to_string());
            json!({ "name": param.name, "doc": param.doc, "takes": param.kind.to_string(), "default": default })
        })
        .collect();
    json!({ "name": entry.name, "doc": entry.doc, "params": params })
}
