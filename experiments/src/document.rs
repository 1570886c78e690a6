//! A TOML file as a tree that knows where each key and value stands.
//!
//! A reader of our own, since serde stops at the first fault and loses the place of most; this tree is
//! walked to the end whatever it meets. Tables keep the order of the file.

use std::ops::Range;
use std::rc::Rc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::fault::FaultKind;

/// Where a key or value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Bytes of the file.
    Span(Range<usize>),
    /// An argument of the command line, as one would type it.
    Argument(Rc<str>),
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) data: Data,
    pub(crate) origin: Origin,
}

/// A value.
#[derive(Clone, Debug)]
pub(crate) enum Data {
    Text(String),
    /// A word of a spec in one line, where `100` may be a number or not.
    Word(String),
    /// As written where it does not fit: a message about the range of a key shows the digits of the file.
    Int(Result<i128, String>),
    Real(f64),
    Bool(bool),
    /// Nothing here is a date.
    Date,
    Array(Vec<Node>),
    Table(Table),
}

impl Data {
    /// For messages: what a person calls it.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::Text(_) | Self::Word(_) => "a text",
            Self::Int(_) => "an integer",
            Self::Real(_) => "a real number",
            Self::Bool(_) => "a truth value",
            Self::Date => "a date",
            Self::Array(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// Whether the key at the end of this path holds the spec of a game or a player.
pub(crate) fn holds_spec(path: &[&str]) -> bool {
    matches!(
        path,
        ["game"]
            | ["players" | "problems", _]
            | ["coevolution" | "learning" | "tuning", "player"]
            | ["learning", "self-play", "player" | "first"]
            | ["learning", "test", "player"]
    )
}

/// Keys and values in the order of the file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<Entry>,
}

/// A key with its value.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_origin: Origin,
    pub(crate) node: Node,
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The value of `key`, made an empty table if there is none.
    pub(crate) fn entry(&mut self, key: &str, origin: &Origin) -> &mut Entry {
        let index = self.entries.iter().position(|entry| entry.key == key);
        let index = index.unwrap_or_else(|| {
            self.entries.push(Entry {
                key: key.to_owned(),
                key_origin: origin.clone(),
                node: Node { data: Data::Table(Table::default()), origin: origin.clone() },
            });
            self.entries.len() - 1
        });
        &mut self.entries[index]
    }
}

/// The tree of `source`, as far as it can be read, and what is not TOML.
pub(crate) fn parse(source: &str) -> (Node, Vec<(FaultKind, Origin)>) {
    let (tree, errors) = DeTable::parse_recoverable(source);
    let fault = |error: toml::de::Error| {
        let message = error.message().replace('\n', ", ");
        (FaultKind::Syntax { message }, Origin::Span(error.span().unwrap_or(0..0)))
    };
    let node = Node { origin: Origin::Span(0..0), data: Data::Table(table(tree.get_ref())) };
    (node, errors.into_iter().map(fault).collect())
}

/// Where the list of tables `[[key]]` begins in `source`; `None` without one, and where the source is not TOML.
pub(crate) fn find_list(source: &str, key: &str) -> Option<usize> {
    let tree = DeTable::parse(source).ok()?;
    let (key, _) = tree.get_ref().get_key_value(key)?;
    // The span is that of the key in the first header.
    Some(source[..key.span().start].trim_end().strip_suffix("[[")?.len())
}

/// `source` without the lines of some keys of its outermost table; `None` where it is not TOML.
pub(crate) fn without(source: &str, keys: &[&str]) -> Option<String> {
    let tree = DeTable::parse(source).ok()?;
    let found = tree.get_ref().iter().filter(|(key, _)| keys.contains(&key.get_ref().as_ref()));
    let mut lines: Vec<Range<usize>> = found
        .map(|(key, value)| {
            let start = source[..key.span().start].rfind('\n').map_or(0, |end| end + 1);
            let last = value.span().end;
            start..source[last..].find('\n').map_or(source.len(), |end| last + end + 1)
        })
        .collect();
    lines.sort_unstable_by_key(|lines| lines.start);
    let (mut text, mut from) = (String::with_capacity(source.len()), 0);
    for lines in lines {
        text.push_str(&source[from..lines.start]);
        from = lines.end;
    }
    text.push_str(&source[from..]);
    Some(text)
}

/// The value written as `text` on the command line: TOML, or else a text without its quotes.
pub(crate) fn parse_argument(text: &str, origin: &Origin) -> Node {
    let data = match DeValue::parse(text.trim()) {
        Ok(value) => node(&value).data,
        Err(_) => Data::Text(text.to_owned()),
    };
    let mut node = Node { data, origin: origin.clone() };
    relocate(&mut node, origin);
    node
}

/// Gives `node` and all below it the place `origin`.
fn relocate(node: &mut Node, origin: &Origin) {
    node.origin = origin.clone();
    match &mut node.data {
        Data::Array(nodes) => nodes.iter_mut().for_each(|node| relocate(node, origin)),
        Data::Table(table) => {
            for entry in &mut table.entries {
                entry.key_origin = origin.clone();
                relocate(&mut entry.node, origin);
            }
        }
        _ => {}
    }
}

fn table(tree: &DeTable<'_>) -> Table {
    let mut entries: Vec<_> = tree
        .iter()
        .map(|(key, value)| {
            let entry =
                Entry { key: key.get_ref().to_string(), key_origin: Origin::Span(key.span()), node: node(value) };
            (key.span().start, entry)
        })
        .collect();
    entries.sort_by_key(|(start, _)| *start);
    Table { entries: entries.into_iter().map(|(_, entry)| entry).collect() }
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let data = match value.get_ref() {
        DeValue::String(text) => Data::Text(text.to_string()),
        DeValue::Integer(digits) => {
            Data::Int(i128::from_str_radix(digits.as_str(), digits.radix()).map_err(|_| digits.to_string()))
        }
        // Every TOML float is a Rust float; too great ones are infinite, and no key takes that.
        DeValue::Float(digits) => Data::Real(digits.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(truth) => Data::Bool(*truth),
        DeValue::Datetime(_) => Data::Date,
        DeValue::Array(values) => Data::Array(values.iter().map(node).collect()),
        DeValue::Table(tree) => Data::Table(table(tree)),
    };
    Node { data, origin: Origin::Span(value.span()) }
}
