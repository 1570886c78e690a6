//! Arguments that are specs of games and players, and the lists of what they can name.

use serde_json::{Value, json};
use spec::{Entry, Fault};

use crate::error::CliError;

/// Faults of the spec that `argument` gives, as a usage error.
pub(crate) fn spec_error(argument: &str, faults: &[Fault]) -> CliError {
    let texts: Vec<String> = faults.iter().map(ToString::to_string).collect();
    let error = CliError::usage(format!("{argument}: {}", texts.join("; ")));
    match faults.iter().find_map(Fault::hint) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// An entry of a registry for people: name, description, and a line for each parameter.
pub(crate) fn to_text(entry: &Entry) -> String {
    let mut text = format!("{}: {}", entry.name, entry.doc);
    for param in entry.params() {
        let default = entry.default(param).map_or(String::new(), |value| format!(", default {value}"));
        text.push_str(&format!("\n    {:14} {} ({}{default})", param.name, param.doc, param.kind));
    }
    text
}

/// An entry of a registry for programs.
pub(crate) fn to_json(entry: &Entry) -> Value {
    let params: Vec<Value> = entry
        .params()
        .map(|param| {
            let default = entry.default(param).map(|value| value.to_string());
            json!({ "name": param.name, "doc": param.doc, "takes": param.kind.to_string(), "default": default })
        })
        .collect();
    json!({ "name": entry.name, "doc": entry.doc, "params": params })
}
