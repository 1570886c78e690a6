//! A match grid from the tables of a file.

use std::collections::BTreeMap;

use players::PlayerSpec;

use record::facts::Seat;

use super::MatchGrid;
use crate::{
    document::{Node, Origin},
    fault::FaultKind,
    matches::{Matches, Pairing},
    names::Names,
    reader::{Reader, Sink},
    specs,
};

/// Most games of a pair.
const GAMES_MAX: i128 = 1_000_000_000_000;

impl MatchGrid {
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<Self> {
        let sink = reader.sink;
        let game = specs::game_for_two(reader);
        let players = specs::players(reader, game.as_slice(), 2);
        let entry = reader.required("match-grid", "a table with `pairing` and `games-per-pair`")?;
        let table = sink.table(&entry.node, "match-grid")?;
        let mut inner = Reader::new(table, &entry.key_origin, "match-grid", sink);
        let pairing = read_pairing(&mut inner, &players);
        let seat = inner.choice_or("seat", "seat", &Seat::ALL, Seat::Both);
        let games = read_games(&mut inner, seat);
        let opening = specs::opening_plies(&mut inner, game.as_ref());
        let turn_times = inner.bool_or("turn-times", false);
        let turn_figures = inner.bool_or("turn-figures", false);
        inner.finish();
        let players = specs::whole(players);
        let matches = Matches {
            game: game?,
            players: players?,
            pairing: pairing?,
            opening_plies: opening?,
            seat: seat?,
            turn_times: turn_times?,
            turn_figures: turn_figures?,
        };
        let grid = MatchGrid { matches, games_per_pair: games? };
        let (pairs, games, most) = (grid.matches.pairing.count(), grid.games_per_pair(scale), i64::MAX as u64);
        if pairs.checked_mul(games).is_none_or(|trials| trials > most) {
            let (group, part) = ("pairs", "games");
            let too_many = FaultKind::TooManyTrials { groups: pairs, group, parts: games, part, most };
            sink.push(too_many, &entry.key_origin, "match-grid", None);
            return None;
        }
        Some(grid)
    }
}

fn read_games(reader: &mut Reader<'_>, seat: Option<Seat>) -> Option<u64> {
    let entry = reader.required("games-per-pair", "an even number of games")?;
    let unit = i128::from(seat?.unit());
    let games = reader.sink.int(&entry.node, "match-grid.games-per-pair", unit..=GAMES_MAX)?;
    if games % unit != 0 {
        let hint = Some(format!("write {} or {}", games - 1, games + 1));
        reader.sink.push(FaultKind::OddGames { games }, &entry.node.origin, "match-grid.games-per-pair", hint);
        return None;
    }
    u64::try_from(games).ok()
}

#[derive(Clone, Copy)]
enum Rule {
    Listed,
    RoundRobin,
    Gauntlet,
}

fn read_pairing(reader: &mut Reader<'_>, players: &[(String, Option<PlayerSpec>)]) -> Option<Pairing> {
    let rules = [("listed", Rule::Listed), ("round-robin", Rule::RoundRobin), ("gauntlet", Rule::Gauntlet)];
    let entry = reader.required("pairing", "`listed`, `round-robin` or `gauntlet`");
    let rule = entry.and_then(|entry| reader.sink.choice(&entry.node, "match-grid.pairing", "pairing", &rules));
    let Some(rule) = rule else {
        // Without a rule it is not known which of these keys belong.
        for key in ["pairs", "champions", "against"] {
            reader.optional(key);
        }
        return None;
    };
    let names = Names::new(players.iter().map(|(name, _)| name.as_str()), reader.sink);
    match rule {
        Rule::Listed => {
            reader.without_effect("champions", "the pairing is `listed`");
            reader.without_effect("against", "the pairing is `listed`");
            listed(reader, &names)
        }
        Rule::RoundRobin => {
            for key in ["pairs", "champions", "against"] {
                reader.without_effect(key, "the pairing is `round-robin`");
            }
            Some(Pairing::RoundRobin { players: u32::try_from(players.len()).ok()? })
        }
        Rule::Gauntlet => {
            reader.without_effect("pairs", "the pairing is `gauntlet`");
            gauntlet(reader, &names, players.len())
        }
    }
}

fn listed(reader: &mut Reader<'_>, names: &Names<'_>) -> Option<Pairing> {
    let sink = reader.sink;
    let entry = reader.required("pairs", "`pairs = [[\"a\", \"b\"]]`")?;
    let nodes = sink.list(&entry.node, "match-grid.pairs")?;
    if nodes.is_empty() {
        let kind = FaultKind::TooFew { what: "pairs", needed: 1, found: 0 };
        sink.push(kind, &entry.node.origin, "match-grid.pairs", Some("`pairs = [[\"a\", \"b\"]]`".to_owned()));
        return None;
    }
    let mut seen: BTreeMap<[u32; 2], Origin> = BTreeMap::new();
    let mut pairs = Some(Vec::new());
    for (i, node) in nodes.iter().enumerate() {
        let pair = read_pair(node, &format!("match-grid.pairs[{i}]"), names, &mut seen, sink);
        pairs = pairs.zip(pair).map(|(mut pairs, pair)| {
            pairs.push(pair);
            pairs
        });
    }
    pairs.map(Pairing::Listed)
}

fn read_pair(
    node: &Node,
    key: &str,
    names: &Names<'_>,
    seen: &mut BTreeMap<[u32; 2], Origin>,
    sink: &Sink<'_>,
) -> Option<[u32; 2]> {
    let nodes = sink.list(node, key)?;
    let [first, second] = nodes else {
        let hint = Some("two players: `[\"a\", \"b\"]`".to_owned());
        sink.push(FaultKind::NotAPair { found: nodes.len() }, &node.origin, key, hint);
        return None;
    };
    let players = [names.player(first, &format!("{key}[0]")), names.player(second, &format!("{key}[1]"))];
    let (Some(a), Some(b)) = (players[0], players[1]) else { return None };
    let name = |node: &Node| sink.text(node, key).unwrap_or_default().to_owned();
    if a == b {
        sink.push(FaultKind::SelfPair { name: name(first) }, &node.origin, key, None);
        return None;
    }
    let unordered = [a.min(b), a.max(b)];
    if let Some(earlier) = seen.get(&unordered) {
        let kind = FaultKind::DuplicatePair { first: name(first), second: name(second), line: sink.line(earlier) };
        sink.push(kind, &node.origin, key, Some("raise `games-per-pair` instead".to_owned()));
        return None;
    }
    seen.insert(unordered, node.origin.clone());
    Some([a, b])
}

fn gauntlet(reader: &mut Reader<'_>, names: &Names<'_>, players: usize) -> Option<Pairing> {
    let entry = reader.required("champions", "`champions = [\"a\"]`: whose score is asked for")?;
    let champions = names.list(&entry.node, "match-grid.champions");
    let against = match reader.optional("against") {
        Some(entry) => names.list(&entry.node, "match-grid.against"),
        // Everybody else, in the order of the file.
        None => champions
            .as_ref()
            .map(|champions| (0..players as u32).filter(|player| !champions.contains(player)).collect()),
    };
    let (champions, against) = (champions?, against?);
    for (key, what, list) in [("champions", "champions", &champions), ("against", "players against them", &against)] {
        if list.is_empty() {
            let kind = FaultKind::TooFew { what, needed: 1, found: 0 };
            reader.sink.push(kind, &entry.node.origin, &reader.path(key), None);
        }
    }
    if champions.is_empty() || against.is_empty() {
        return None;
    }
    if let Some(&both) = champions.iter().find(|player| against.contains(player)) {
        let name = names.name(both).to_owned();
        reader.sink.push(FaultKind::SelfPair { name }, &entry.node.origin, "match-grid.champions", None);
        return None;
    }
    Some(Pairing::Gauntlet { champions, against })
}
