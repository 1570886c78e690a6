//! Reading tables strictly: every key known, every value of its type and range, all faults collected.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::document::{Data, Entry, Node, Origin, Table};
use crate::fault::{Fault, FaultKind, Faults, Location};
use crate::keys;

/// Longest name of an experiment or player.
const NAME_LONGEST: usize = 64;

/// Where faults go.
#[derive(Debug)]
pub(crate) struct Sink<'a> {
    file: &'a Path,
    source: &'a str,
    faults: RefCell<Vec<Fault>>,
    /// Contents of files that players name, by their hash.
    pub(crate) brought: RefCell<BTreeMap<String, Vec<u8>>>,
}

impl<'a> Sink<'a> {
    pub(crate) fn new(file: &'a Path, source: &'a str) -> Self {
        Self { file, source, faults: RefCell::default(), brought: RefCell::default() }
    }

    pub(crate) fn push(&self, kind: FaultKind, origin: &Origin, key: &str, hint: Option<String>) {
        let location = match origin {
            Origin::Span(span) => {
                let (line, column) = self.line_column(span.start);
                Location::File { line, column, span: span.clone() }
            }
            Origin::Argument(argument) => Location::Argument(argument.to_string()),
        };
        self.faults.borrow_mut().push(Fault { kind, location, key: key.to_owned(), hint });
    }

    /// Line and character of a byte, both from 1.
    fn line_column(&self, byte: usize) -> (usize, usize) {
        let before = &self.source[..byte.min(self.source.len())];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        (line, column)
    }

    /// Directory of the file: where paths in it start.
    pub(crate) fn directory(&self) -> PathBuf {
        self.file.parent().map(Path::to_owned).unwrap_or_default()
    }

    /// Line of a place in the file; 0 for an argument.
    pub(crate) fn line(&self, origin: &Origin) -> usize {
        match origin {
            Origin::Span(span) => self.line_column(span.start).0,
            Origin::Argument(_) => 0,
        }
    }

    /// `value` if nothing is wrong.
    pub(crate) fn finish<T>(self, value: Option<T>) -> Result<T, Faults> {
        let faults = self.faults.into_inner();
        match value {
            Some(value) if faults.is_empty() => Ok(value),
            None if faults.is_empty() => unreachable!("what cannot be read is reported"),
            _ => Err(Faults::new(self.file, self.source, faults)),
        }
    }

    /// Tells that `node` is not `expected`.
    pub(crate) fn wrong_type(&self, node: &Node, key: &str, expected: &'static str, hint: Option<String>) {
        let found = node.data.type_name();
        self.push(FaultKind::WrongType { expected, found }, &node.origin, key, hint);
    }

    pub(crate) fn text<'n>(&self, node: &'n Node, key: &str) -> Option<&'n str> {
        if let Data::Text(text) = &node.data {
            return Some(text);
        }
        self.wrong_type(node, key, "a text", None);
        None
    }

    pub(crate) fn list<'n>(&self, node: &'n Node, key: &str) -> Option<&'n [Node]> {
        if let Data::Array(nodes) = &node.data {
            return Some(nodes);
        }
        self.wrong_type(node, key, "a list", None);
        None
    }

    pub(crate) fn table<'n>(&self, node: &'n Node, key: &str) -> Option<&'n Table> {
        if let Data::Table(table) = &node.data {
            return Some(table);
        }
        self.wrong_type(node, key, "a table", None);
        None
    }

    /// An integer of `range`.
    pub(crate) fn int(&self, node: &Node, key: &str, range: RangeInclusive<i128>) -> Option<i128> {
        let value = match &node.data {
            Data::Int(Ok(value)) if range.contains(value) => return Some(*value),
            Data::Int(Ok(value)) => value.to_string(),
            Data::Int(Err(digits)) => digits.clone(),
            Data::Real(real) if real.fract() == 0.0 => {
                let hint = format!("write it without a fraction: `{real:.0}`");
                self.wrong_type(node, key, "an integer", Some(hint));
                return None;
            }
            _ => {
                self.wrong_type(node, key, "an integer", None);
                return None;
            }
        };
        let kind = FaultKind::OutOfRange { value, low: range.start().to_string(), high: range.end().to_string() };
        self.push(kind, &node.origin, key, None);
        None
    }

    /// One of `choices`.
    pub(crate) fn choice<T: Copy>(
        &self,
        node: &Node,
        key: &str,
        what: &'static str,
        choices: &[(&str, T)],
    ) -> Option<T> {
        let text = self.text(node, key)?;
        if let Some((_, choice)) = choices.iter().find(|(name, _)| *name == text) {
            return Some(*choice);
        }
        let kind = FaultKind::UnknownChoice { what, value: text.to_owned() };
        let hint = spec::hint(text, choices.iter().map(|(name, _)| *name));
        self.push(kind, &node.origin, key, hint);
        None
    }

    /// Reports `name`, which stands at `origin`, if it is not a name.
    pub(crate) fn check_name(&self, name: &str, origin: &Origin, key: &str) {
        if is_name(name) && name.len() <= NAME_LONGEST {
            return;
        }
        let kind = FaultKind::BadName { name: name.to_owned(), longest: NAME_LONGEST };
        let better = as_name(name);
        let hint = (!better.is_empty() && better != name).then(|| format!("write `{better}`"));
        self.push(kind, origin, key, hint);
    }
}

/// Whether `text` is words of lower-case letters and digits joined by single hyphens.
pub(crate) fn is_name(text: &str) -> bool {
    text.split('-')
        .all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit()))
}

/// The name nearest to `text`, perhaps empty.
fn as_name(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words: Vec<_> =
        lower.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut name = words.join("-");
    name.truncate(NAME_LONGEST);
    name.trim_end_matches('-').to_owned()
}

/// A table whose keys are asked for by name; [`Reader::finish`] reports the keys that were not asked for.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    table: &'a Table,
    origin: &'a Origin,
    path: String,
    asked: Vec<&'static str>,
    pub(crate) sink: &'a Sink<'a>,
}

impl<'a> Reader<'a> {
    /// `origin` is where a missing key is reported, `path` the keys that lead here.
    pub(crate) fn new(table: &'a Table, origin: &'a Origin, path: &str, sink: &'a Sink<'a>) -> Self {
        Self { table, origin, path: path.to_owned(), asked: Vec::new(), sink }
    }

    /// Where a missing key is reported.
    pub(crate) fn origin(&self) -> &'a Origin {
        self.origin
    }

    /// Path of a key of this table.
    pub(crate) fn path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    /// A key that may be left out.
    pub(crate) fn optional(&mut self, key: &'static str) -> Option<&'a Entry> {
        debug_assert!(keys::known(&self.path(key)), "`{}` is not in the list of keys", self.path(key));
        self.asked.push(key);
        self.table.get(key)
    }

    /// A key that must be there; `hint` says what to write.
    pub(crate) fn required(&mut self, key: &'static str, hint: &str) -> Option<&'a Entry> {
        let entry = self.optional(key);
        if entry.is_none() {
            self.missing(key, hint);
        }
        entry
    }

    /// Tells that `key` is missing.
    pub(crate) fn missing(&self, key: &'static str, hint: &str) {
        let path = self.path(key);
        let kind = FaultKind::MissingKey { key };
        self.sink.push(kind, self.origin, &path, Some(hint.to_owned()));
    }

    /// Tells of `key`, if it is there, that it has no effect with `reason`.
    pub(crate) fn without_effect(&mut self, key: &'static str, reason: &str) {
        if let Some(entry) = self.optional(key) {
            let kind = FaultKind::NoEffect { key, reason: reason.to_owned() };
            let hint = Some(format!("leave `{key}` out"));
            self.sink.push(kind, &entry.key_origin, &self.path(key), hint);
        }
    }

    /// An integer of `range`, `default` where the key is left out.
    pub(crate) fn int_or(&mut self, key: &'static str, default: i128, range: RangeInclusive<i128>) -> Option<i128> {
        match self.optional(key) {
            Some(entry) => self.sink.int(&entry.node, &self.path(key), range),
            None => Some(default),
        }
    }

    /// A number of `range`; inside `None` where the key is left out.
    pub(crate) fn real(&mut self, key: &'static str, range: RangeInclusive<f64>) -> Option<Option<f64>> {
        let Some(entry) = self.optional(key) else { return Some(None) };
        let value = match entry.node.data {
            Data::Int(Ok(value)) => value as f64,
            Data::Real(value) => value,
            _ => {
                self.sink.wrong_type(&entry.node, &self.path(key), "a number", None);
                return None;
            }
        };
        if range.contains(&value) {
            return Some(Some(value));
        }
        let (low, high) = (range.start().to_string(), range.end().to_string());
        let kind = FaultKind::OutOfRange { value: value.to_string(), low, high };
        self.sink.push(kind, &entry.node.origin, &self.path(key), None);
        None
    }

    /// A number of `range`, `default` where the key is left out.
    pub(crate) fn real_or(&mut self, key: &'static str, default: f64, range: RangeInclusive<f64>) -> Option<f64> {
        self.real(key, range).map(|value| value.unwrap_or(default))
    }

    /// A key with one of `choices`, `default` where it is left out.
    pub(crate) fn choice_or<T: Copy>(
        &mut self,
        key: &'static str,
        what: &'static str,
        choices: &[(&str, T)],
        default: T,
    ) -> Option<T> {
        match self.optional(key) {
            Some(entry) => self.sink.choice(&entry.node, &self.path(key), what, choices),
            None => Some(default),
        }
    }

    /// Whether something is so, `default` where the key is left out.
    pub(crate) fn bool_or(&mut self, key: &'static str, default: bool) -> Option<bool> {
        let Some(entry) = self.optional(key) else { return Some(default) };
        if let Data::Bool(value) = entry.node.data {
            return Some(value);
        }
        self.sink.wrong_type(&entry.node, &self.path(key), "`true` or `false`", None);
        None
    }

    /// A text, `default` where the key is left out.
    pub(crate) fn text_or(&mut self, key: &'static str, default: &str) -> Option<String> {
        match self.optional(key) {
            Some(entry) => self.sink.text(&entry.node, &self.path(key)).map(str::to_owned),
            None => Some(default.to_owned()),
        }
    }

    /// Tells of the keys that were not asked for.
    pub(crate) fn finish(self) {
        for entry in &self.table.entries {
            if self.asked.contains(&entry.key.as_str()) {
                continue;
            }
            let kind = FaultKind::UnknownKey { key: entry.key.clone() };
            let hint = spec::hint(&entry.key, self.asked.iter().copied());
            self.sink.push(kind, &entry.key_origin, &self.path(&entry.key), hint);
        }
    }
}
