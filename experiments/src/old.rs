//! Old names in an experiment: they are replaced in the tree before it is read, so that every reader knows one name.
//!
//! What the names are is in `spec`; here is where they stand in a file.

use spec::{Given, Value};

use crate::document::{Data, Node, Table};

/// The key that named a player in a table of its parameters, and the one that does now, as in a game's table.
const KEY: (&str, &str) = ("kind", "name");

/// Keys of the table of a kind that have another name now: the table, the old key, the key. A probability ends in `-rate`,
/// since the same words without it name operators.
const KEYS: [(&str, &str, &str); 3] = [
    ("coevolution", "crossover", "crossover-rate"),
    ("coevolution", "mutation", "mutation-rate"),
    ("coevolution", "local-mutation", "local-mutation-rate"),
];

/// Old names that were found, each with the keys at which it stands.
#[derive(Debug, Default)]
pub(crate) struct OldNames {
    found: Vec<(&'static str, &'static str, Vec<String>)>,
}

impl OldNames {
    /// Replaces the old names in a file's tree.
    pub(crate) fn replace(&mut self, root: &mut Node) {
        let Data::Table(table) = &mut root.data else { return };
        for entry in &mut table.entries {
            let (key, node) = (entry.key.as_str(), &mut entry.node);
            match (key, &mut node.data) {
                ("game", _) => self.spec(node, key),
                ("problems" | "players", Data::Table(table)) => {
                    for entry in &mut table.entries {
                        let path = format!("{key}.{}", entry.key);
                        if key == "players" {
                            self.name_key(&mut entry.node, &path);
                        }
                        self.spec(&mut entry.node, &path);
                    }
                }
                ("tuning" | "coevolution", Data::Table(table)) => self.kind(key, table),
                _ => {}
            }
        }
    }

    /// The table of a kind.
    fn kind(&mut self, kind: &str, table: &mut Table) {
        for (_, old, now) in KEYS.iter().filter(|(of, ..)| *of == kind) {
            self.key(table, old, now, kind);
        }
        for entry in &mut table.entries {
            let path = format!("{kind}.{}", entry.key);
            if entry.key == "player" {
                self.name_key(&mut entry.node, &path);
                self.spec(&mut entry.node, &path);
            } else if let Data::Text(text) = &mut entry.node.data
                && let Some(renamed) = spec::renamed_value(kind, &entry.key, text)
            {
                *text = renamed.now.to_owned();
                self.add(renamed.old, renamed.now, &path);
            }
        }
    }

    /// The key that names the player of a table.
    fn name_key(&mut self, node: &mut Node, path: &str) {
        if let Data::Table(table) = &mut node.data {
            self.key(table, KEY.0, KEY.1, path);
        }
    }

    /// A key of the table at `path`. If both names are there, the old one stays and is refused as unknown.
    fn key(&mut self, table: &mut Table, old: &'static str, now: &'static str, path: &str) {
        if table.get(now).is_none()
            && let Some(entry) = table.entries.iter_mut().find(|entry| entry.key == old)
        {
            now.clone_into(&mut entry.key);
            self.add(old, now, path);
        }
    }

    /// A spec, as text or as a table.
    fn spec(&mut self, node: &mut Node, path: &str) {
        let renamed = match &mut node.data {
            Data::Text(text) => {
                let Ok(mut given) = spec::parse(text) else { return };
                let renamed = given.rename();
                if !renamed.is_empty() {
                    *text = given.to_string();
                }
                renamed
            }
            Data::Table(table) => rename_table(table),
            _ => return,
        };
        renamed.iter().for_each(|renamed| self.add(renamed.old, renamed.now, path));
    }

    fn add(&mut self, old: &'static str, now: &'static str, path: &str) {
        match self.found.iter_mut().find(|(o, n, _)| (*o, *n) == (old, now)) {
            Some((.., paths)) => paths.push(path.to_owned()),
            None => self.found.push((old, now, vec![path.to_owned()])),
        }
    }

    /// A line for each: what to write instead.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let line = |(old, now, paths): &(&str, &str, Vec<String>)| {
            let others = match paths.len() - 1 {
                0 => String::new(),
                others => format!(" and {others} more"),
            };
            format!("`{old}` is called `{now}` now (`{}`{others})", paths[0])
        };
        self.found.iter().map(line).collect()
    }
}

/// Replaces the old names in the table of a spec; gives the changes.
fn rename_table(table: &mut Table) -> Vec<&'static spec::Renamed> {
    let text = |node: &Node| match &node.data {
        Data::Text(text) | Data::Word(text) => Some(text.clone()),
        _ => None,
    };
    let texts = table.entries.iter().filter_map(|entry| Some((entry.key.clone(), text(&entry.node)?)));
    let (names, params): (Vec<_>, Vec<_>) = texts.partition(|(key, _)| key == KEY.1);
    let Some((_, name)) = names.into_iter().next() else { return Vec::new() };
    let params = params.into_iter().map(|(key, value)| (key, Value::Text(value))).collect();
    let mut given = Given { name, params };
    let renamed = given.rename();
    if !renamed.is_empty() {
        for entry in &mut table.entries {
            let now =
                if entry.key == KEY.1 { Some(given.name.clone()) } else { given.get(&entry.key).map(Value::to_string) };
            if let (Data::Text(text) | Data::Word(text), Some(now)) = (&mut entry.node.data, now) {
                *text = now;
            }
        }
    }
    renamed
}

/// The path that `--set` names, with the keys of now.
pub(crate) fn path_now(path: &str) -> String {
    let (old, now) = KEY;
    match path.split('.').collect::<Vec<_>>()[..] {
        ["players", player, last] if last == old => format!("players.{player}.{now}"),
        [kind @ ("tuning" | "coevolution"), "player", last] if last == old => format!("{kind}.player.{now}"),
        [kind, key] => match KEYS.iter().find(|(of, old, _)| (*of, *old) == (kind, key)) {
            Some((_, _, now)) => format!("{kind}.{now}"),
            None => path.to_owned(),
        },
        _ => path.to_owned(),
    }
}
