//! What the command line changes in a file: done to the tree before it is read, so that every check sees it.

use std::rc::Rc;

use crate::{
    document::{self, Data, Entry, Node, Origin, Table},
    fault::FaultKind,
    old,
    reader::Sink,
};

/// What the command line changes in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overrides {
    /// `--seed`.
    pub seed: Option<u64>,
    /// `--set path=value`, in order: keys joined by dots, and a value in TOML or a bare word.
    pub set: Vec<(String, String)>,
    /// `--scale`: games are multiplied by it.
    pub scale: Option<f64>,
}

impl Overrides {
    pub(crate) fn apply(&self, root: &mut Node, sink: &Sink<'_>) {
        for (path, value) in &self.set {
            let argument = format!("--set {path}={value}");
            set(root, path, value, &argument, sink);
        }
        if let Some(seed) = self.seed {
            set(root, "seed", &seed.to_string(), &format!("--seed {seed}"), sink);
        }
        if let Some(scale) = self.scale {
            set(root, "scale", &toml_real(scale), &format!("--scale {scale}"), sink);
        }
    }
}

/// TOML writes infinities and NaN in lower case.
fn toml_real(real: f64) -> String {
    if real.is_nan() { "nan".to_owned() } else { format!("{real:?}") }
}

/// Puts `value` where `path` leads, making tables on the way.
fn set(root: &mut Node, path: &str, value: &str, argument: &str, sink: &Sink<'_>) {
    let origin = Origin::Argument(Rc::from(argument));
    let bad = |reason: String| {
        let kind = FaultKind::BadPath { path: path.to_owned(), reason };
        sink.push(kind, &origin, "", Some("keys joined by dots: `players.mcts-100.c`".to_owned()));
    };
    let path = old::path_now(path);
    let mut node = root;
    let mut parents: Vec<&str> = Vec::new();
    for key in path.split('.') {
        if key.is_empty() {
            return bad("a key is empty".to_owned());
        }
        open_spec(node, &parents);
        let found = node.data.type_name();
        let Data::Table(table) = &mut node.data else {
            return bad(format!("`{}` is {found} and has nothing below it", parents.join(".")));
        };
        parents.push(key);
        let entry = table.entry(key, &origin);
        if parents.join(".") == path {
            // What is wrong with the new value is the argument's fault, though the key may stand in the file.
            entry.key_origin = origin.clone();
        }
        node = &mut entry.node;
    }
    *node = document::parse_argument(value, &origin);
}

/// Makes a spec in one line (`mcts:playouts=100`) the table that says the same, so that a path can go below it.
fn open_spec(node: &mut Node, parents: &[&str]) {
    if !document::holds_spec(parents) {
        return;
    }
    let Data::Text(text) = &node.data else { return };
    // What is not a spec stays a text, and is reported as one.
    let Ok(given) = spec::parse(text) else { return };
    let entry = |key: &str, data: Data| Entry {
        key: key.to_owned(),
        key_origin: node.origin.clone(),
        node: Node { data, origin: node.origin.clone() },
    };
    let mut entries = vec![entry("name", Data::Text(given.name))];
    entries.extend(given.params.iter().map(|(key, value)| entry(key, Data::Word(value.to_string()))));
    node.data = Data::Table(Table { entries });
}
