//! Which run an experiment is: what results depend on, and what may change between two sessions of a run.
//!
//! The name, the title, the paper, the ceiling of a trial's time, the audit and the questions change no result, so
//! they are not part of a run's identity. [`crate::keys`] says of each key what another value means.

use std::fmt;

use crate::{
    Experiment,
    document::{self, Data, Node, Table},
    keys,
};

/// Longest value that a message shows whole.
const SHOWN_MAX: usize = 60;

/// A key whose value is another in two experiments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Keys joined by dots, as `--set` takes them.
    pub key: String,
    /// Its value in the one that stands, in TOML.
    pub there: Option<String>,
    /// Its value in the one that is given.
    pub here: Option<String>,
}

impl Difference {
    /// A key with another value: what it was, and what it is now.
    pub fn change(&self) -> String {
        format!("`{}` was {} and is {} now", self.key, shown(&self.there), shown(&self.here))
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is {} there and {} here", self.key, shown(&self.there), shown(&self.here))
    }
}

/// A value that may be long, or missing.
fn shown(value: &Option<String>) -> String {
    let Some(value) = value else { return "not set".to_owned() };
    match value.char_indices().nth(SHOWN_MAX) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    }
}

impl Experiment {
    /// The part of a resolved text that results depend on: without its questions and the keys that change no result. A
    /// text that is not TOML is returned whole.
    pub fn results_of(resolved: &str) -> String {
        without(resolved, &keys::free())
    }

    /// A resolved text without its questions. A text that is not TOML is returned whole.
    pub fn without_questions(resolved: &str) -> String {
        without(resolved, &[])
    }

    /// The resolved text of this experiment where `stands` is that of its run: what results depend on keeps its bytes,
    /// as the version of redqueen wrote them that made the run.
    pub fn resolved_over(&self, stands: &str) -> String {
        let (text, kept) = (self.to_resolved_toml(), Experiment::results_of(stands));
        if Experiment::results_of(&text) == kept {
            return text;
        }
        let free = keys::free();
        let lines = self.outermost().into_iter().filter(|(key, _)| free.contains(key));
        let lines: String = lines.map(|(key, value)| format!("{key} = {value}\n")).collect();
        lines + &kept + &self.questions_toml()
    }

    /// BLAKE3 of what results depend on in the resolved text: 64 hexadecimal digits. Experiments with equal hashes have
    /// equal results.
    pub fn hash(&self) -> String {
        hash_of(&Experiment::results_of(&self.to_resolved_toml()))
    }

    /// Names the run of the experiment: as [`Experiment::hash`], but experiments of different names have different ones.
    pub fn id(&self) -> String {
        let keys: Vec<&str> = keys::free().into_iter().filter(|key| *key != "name").collect();
        hash_of(&without(&self.to_resolved_toml(), &keys))
    }

    /// The keys of which this experiment has another value than `other`, in the order of a resolved text.
    pub fn differences(&self, other: &Experiment) -> Vec<Difference> {
        let texts = [other, self].map(Experiment::to_resolved_toml);
        let [Data::Table(there), Data::Table(here)] = texts.map(|text| tree(&text)) else { return Vec::new() };
        let mut found = Vec::new();
        compare("", &there, &here, &mut found);
        found
    }

    /// [`Experiment::differences`] of the keys that results depend on.
    pub fn results_differences(&self, other: &Experiment) -> Vec<Difference> {
        let (mut found, free) = (self.differences(other), keys::free());
        found.retain(|difference| difference.key != "analysis" && !free.contains(&difference.key.as_str()));
        found
    }
}

fn hash_of(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A resolved text without its questions, which stand last, and without some keys.
fn without(resolved: &str, keys: &[&str]) -> String {
    let mut text = resolved;
    if let Some(start) = document::find_list(resolved, "analysis") {
        let before = resolved[..start].trim_end_matches(['\n', '\r', ' ', '\t']);
        // With the end of its last line.
        text = &resolved[..before.len() + 1];
    }
    document::without(text, keys).unwrap_or_else(|| resolved.to_owned())
}

/// What a resolved text says.
fn tree(text: &str) -> Data {
    document::parse(text).0.data
}

/// Adds what differs between two tables under `path`.
fn compare(path: &str, there: &Table, here: &Table, found: &mut Vec<Difference>) {
    let names = |table: &Table| table.entries.iter().map(|entry| entry.key.clone()).collect::<Vec<_>>();
    let (old, new) = (names(there), names(here));
    let before = found.len();
    for key in new.iter().chain(old.iter().filter(|key| !new.contains(key))) {
        let inner = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
        let nodes = [there, here].map(|table| table.get(key).map(|entry| &entry.node));
        compare_nodes(inner, nodes, found);
    }
    // Who is listed first counts among players and problems.
    if found.len() == before && old != new && matches!(path, "players" | "problems") {
        let list = |names: &[String]| Some(format!("in the order {}", names.join(", ")));
        found.push(Difference { key: path.to_owned(), there: list(&old), here: list(&new) });
    }
}

fn compare_nodes(path: String, nodes: [Option<&Node>; 2], found: &mut Vec<Difference>) {
    if let [Some(Node { data: Data::Table(there), .. }), Some(Node { data: Data::Table(here), .. })] = nodes {
        return compare(&path, there, here, found);
    }
    let [there, here] = nodes.map(|node| node.map(|node| text(&node.data)));
    if there == here {
        return;
    }
    let specs = nodes.map(|node| node.and_then(|node| spec_of(&path, &node.data)));
    match specs {
        // The parameter says more than two long specs.
        [Some(there), Some(here)] if there.name == here.name => {
            let value = |of: &spec::Given, name: &str| {
                of.params.iter().find(|(found, _)| found == name).map(|(_, value)| value.to_string())
            };
            let mut names: Vec<&str> = here.params.iter().map(|(name, _)| name.as_str()).collect();
            let old = there.params.iter().map(|(name, _)| name.as_str());
            names.extend(old.filter(|name| value(&here, name).is_none()));
            for name in names {
                let [there, here] = [value(&there, name), value(&here, name)];
                if there != here {
                    found.push(Difference { key: format!("{path}.{name}"), there, here });
                }
            }
        }
        _ => found.push(Difference { key: path, there, here }),
    }
}

/// The spec in one line that stands at `path`.
fn spec_of(path: &str, data: &Data) -> Option<spec::Given> {
    let parts: Vec<&str> = path.split('.').collect();
    match data {
        Data::Text(text) if document::holds_spec(&parts) => spec::parse(text).ok(),
        _ => None,
    }
}

/// A value in TOML.
fn text(data: &Data) -> String {
    let list = |nodes: &[Node]| nodes.iter().map(|node| text(&node.data)).collect::<Vec<_>>().join(", ");
    match data {
        Data::Text(text) => format!("{text:?}"),
        Data::Word(word) => word.clone(),
        Data::Int(Ok(value)) => value.to_string(),
        Data::Int(Err(digits)) => digits.clone(),
        Data::Real(value) => format!("{value:?}"),
        Data::Bool(value) => value.to_string(),
        Data::Date => "a date".to_owned(),
        Data::Array(nodes) => format!("[{}]", list(nodes)),
        Data::Table(table) => {
            let entry = |entry: &document::Entry| format!("{} = {}", entry.key, text(&entry.node.data));
            format!("{{ {} }}", table.entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
    }
}
