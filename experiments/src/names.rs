//! Lists in a file that name players.

use std::collections::BTreeMap;

use crate::{
    document::{Node, Origin},
    fault::FaultKind,
    reader::Sink,
};

/// Players by name, for lists that name them.
pub(crate) struct Names<'a> {
    index: BTreeMap<&'a str, u32>,
    sink: &'a Sink<'a>,
}

impl<'a> Names<'a> {
    /// Names of players in their order.
    pub(crate) fn new(players: impl Iterator<Item = &'a str>, sink: &'a Sink<'a>) -> Self {
        Names { index: players.zip(0..).collect(), sink }
    }

    /// Name of the player of an index; empty if there is none.
    pub(crate) fn name(&self, player: u32) -> &'a str {
        self.index.iter().find(|&(_, &index)| index == player).map_or("", |(name, _)| name)
    }

    /// Index of the player that `node` names.
    pub(crate) fn player(&self, node: &Node, key: &str) -> Option<u32> {
        let name = self.sink.text(node, key)?;
        let found = self.index.get(name).copied();
        if found.is_none() {
            let hint = spec::hint(name, self.index.keys().copied());
            self.sink.push(FaultKind::UnknownPlayer { name: name.to_owned() }, &node.origin, key, hint);
        }
        found
    }

    /// A list of different players.
    pub(crate) fn list(&self, node: &Node, key: &str) -> Option<Vec<u32>> {
        let nodes = self.sink.list(node, key)?;
        let mut seen: BTreeMap<u32, Origin> = BTreeMap::new();
        let mut list = Some(Vec::new());
        for (i, node) in nodes.iter().enumerate() {
            let key = format!("{key}[{i}]");
            let Some(player) = self.player(node, &key) else {
                list = None;
                continue;
            };
            if let Some(earlier) = seen.get(&player) {
                let name = self.sink.text(node, &key).unwrap_or_default().to_owned();
                let line = self.sink.line(earlier);
                self.sink.push(FaultKind::DuplicateName { name, line }, &node.origin, &key, None);
                list = None;
            }
            seen.insert(player, node.origin.clone());
            if let Some(list) = &mut list {
                list.push(player);
            }
        }
        list
    }
}
