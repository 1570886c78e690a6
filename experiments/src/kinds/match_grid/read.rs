//! A match grid from the tables of a file.

use std::collections::BTreeMap;

use games::{GameSpec, spec};
use players::PlayerSpec;

use super::{MatchGrid, Pairing, UNIT};
use crate::{
    document::{Data, Entry, Node, Origin},
    fault::FaultKind,
    reader::{Reader, Sink, nearest_hint},
};

/// Most games of a pair.
const GAMES_MAX: i128 = 1_000_000_000_000;
/// Most players of a grid.
const PLAYERS_MAX: usize = 1_000_000;

impl MatchGrid {
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<Self> {
        let sink = reader.sink;
        let game = reader.required("game", "`game = \"reversi\"`; `redqueen games` lists them").and_then(|entry| {
            let given = given(&entry.node, "game", "name", games::all(), sink)?;
            checked(GameSpec::check(&given), &entry.node, "game", sink)
        });
        let players = read_players(reader, game.as_ref());
        let entry = reader.required("match-grid", "a table with `pairing` and `games-per-pair`")?;
        let table = sink.table(&entry.node, "match-grid")?;
        let mut inner = Reader::new(table, &entry.key_origin, "match-grid", sink);
        let pairing = read_pairing(&mut inner, &players);
        let games = read_games(&mut inner);
        let opening = read_opening(&mut inner, game.as_ref());
        inner.finish();
        let players = players.into_iter().map(|(name, spec)| spec.map(|spec| (name, spec))).collect::<Option<Vec<_>>>();
        let grid = MatchGrid {
            game: game?,
            players: players?,
            pairing: pairing?,
            games_per_pair: games?,
            opening_plies: opening?,
        };
        let (pairs, games, most) = (grid.pairing.count(), grid.games_per_pair(scale), i64::MAX as u64);
        if pairs.checked_mul(games).is_none_or(|trials| trials > most) {
            sink.push(FaultKind::TooManyTrials { pairs, games, most }, &entry.key_origin, "match-grid", None);
            return None;
        }
        Some(grid)
    }
}

/// A spec as text or as a table whose `name_key` names the entry.
///
/// A table is strict: a number is no text. In one line, all are words until a parameter says what they are.
fn given(
    node: &Node,
    key: &str,
    name_key: &'static str,
    known: &[&spec::Entry],
    sink: &Sink<'_>,
) -> Option<spec::Given> {
    if let Data::Text(text) = &node.data {
        return match spec::parse(text) {
            Ok(given) => Some(given),
            Err(fault) => {
                sink.push(FaultKind::Spec(fault), &node.origin, key, None);
                None
            }
        };
    }
    let table = sink.table(node, key)?;
    let Some(name) = table.get(name_key) else {
        let hint = Some(format!("write `{name_key} = \"…\"`"));
        sink.push(FaultKind::MissingKey { key: name_key }, &node.origin, &format!("{key}.{name_key}"), hint);
        return None;
    };
    let name = sink.text(&name.node, &format!("{key}.{name_key}"))?.to_owned();
    let known = known.iter().find(|entry| entry.name == name);
    let takes = |param: &str| known?.params.iter().find(|known| known.name == param).map(|known| known.kind);
    let mut params = Some(Vec::new());
    for Entry { key: param, node, .. } in table.entries.iter().filter(|entry| entry.key != name_key) {
        let value = match &node.data {
            // Digits that do not fit are told of as they are.
            Data::Int(Ok(value)) => {
                i64::try_from(*value).map_or(spec::Value::Text(value.to_string()), spec::Value::Int)
            }
            Data::Int(Err(digits)) => spec::Value::Text(digits.clone()),
            Data::Real(value) => spec::Value::Real(*value),
            Data::Bool(value) => spec::Value::Bool(*value),
            Data::Word(value) => spec::Value::Text(value.clone()),
            Data::Text(value) if matches!(takes(param), None | Some(spec::Kind::Choice(_))) => {
                spec::Value::Text(value.clone())
            }
            Data::Text(_) | Data::Date | Data::Array(_) | Data::Table(_) => {
                let expected = match takes(param) {
                    Some(spec::Kind::Int(..)) => "an integer",
                    Some(spec::Kind::Real(..)) => "a number",
                    Some(spec::Kind::Bool) => "`true` or `false`",
                    Some(spec::Kind::Choice(_)) | None => "a text",
                };
                let unquoted = matches!(node.data, Data::Text(_)).then(|| "write it without quotes".to_owned());
                sink.wrong_type(node, &format!("{key}.{param}"), expected, unquoted);
                params = None;
                continue;
            }
        };
        if let Some(params) = &mut params {
            params.push((param.clone(), value));
        }
    }
    params.map(|params| spec::Given { name, params })
}

/// A checked spec, its faults at the parameter they are about.
fn checked<T>(result: Result<T, Vec<spec::Fault>>, node: &Node, key: &str, sink: &Sink<'_>) -> Option<T> {
    let faults = match result {
        Ok(value) => return Some(value),
        Err(faults) => faults,
    };
    for fault in faults {
        let place = match (&node.data, fault.key()) {
            (Data::Table(table), Some(param)) => table.get(param),
            _ => None,
        };
        let (origin, key) = match place {
            Some(entry) => (&entry.key_origin, format!("{key}.{}", entry.key)),
            None => (&node.origin, key.to_owned()),
        };
        let hint = fault.hint().map(str::to_owned);
        sink.push(FaultKind::Spec(fault), origin, &key, hint);
    }
    None
}

/// Every player named, `None` where its spec is wrong.
fn read_players(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Vec<(String, Option<PlayerSpec>)> {
    let sink = reader.sink;
    let Some(entry) = reader.required("players", "a table of names and specs: `a = \"mcts:playouts=100\"`") else {
        return Vec::new();
    };
    let Some(table) = sink.table(&entry.node, "players") else { return Vec::new() };
    let found = table.entries.len();
    if found < 2 {
        let kind = FaultKind::TooFew { what: "players", needed: 2, found };
        sink.push(kind, &entry.key_origin, "players", None);
    } else if found > PLAYERS_MAX {
        let kind =
            FaultKind::OutOfRange { value: found.to_string(), low: "2".to_owned(), high: PLAYERS_MAX.to_string() };
        sink.push(kind, &entry.key_origin, "players", None);
    }
    let read = |entry: &Entry| {
        let key = format!("players.{}", entry.key);
        sink.check_name(&entry.key, &entry.key_origin, &key);
        let spec = given(&entry.node, &key, "kind", players::registry::all(), sink)
            .and_then(|given| checked(PlayerSpec::check(&given), &entry.node, &key, sink))
            .and_then(|spec| {
                let fit = game.map_or(Ok(()), |game| spec.check_game(game));
                checked(fit.map(|()| spec).map_err(|fault| vec![fault]), &entry.node, &key, sink)
            });
        (entry.key.clone(), spec)
    };
    table.entries.iter().map(read).collect()
}

fn read_games(reader: &mut Reader<'_>) -> Option<u64> {
    let entry = reader.required("games-per-pair", "an even number of games")?;
    let games = reader.sink.int(&entry.node, "match-grid.games-per-pair", 2..=GAMES_MAX)?;
    if games % i128::from(UNIT) != 0 {
        let hint = Some(format!("write {} or {}", games - 1, games + 1));
        reader.sink.push(FaultKind::OddGames { games }, &entry.node.origin, "match-grid.games-per-pair", hint);
        return None;
    }
    u64::try_from(games).ok()
}

fn read_opening(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<u32> {
    let Some(entry) = reader.optional("opening-plies") else { return Some(0) };
    let key = "match-grid.opening-plies";
    let plies = reader.sink.int(&entry.node, key, 0..=i128::from(u32::MAX))?;
    if let Some(facts) = game.map(GameSpec::facts)
        && plies >= i128::from(facts.plies_max)
    {
        let reason = format!("no game of {} is longer than {} plies", facts.name, facts.plies_max);
        reader.sink.push(FaultKind::OpeningTooLong { plies, reason }, &entry.node.origin, key, None);
        return None;
    }
    u32::try_from(plies).ok()
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
        // Without a rule nobody can say which of these belong.
        for key in ["pairs", "champions", "against"] {
            reader.optional(key);
        }
        return None;
    };
    let names = Names::new(players, reader.sink);
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

/// Players by name, for lists that name them.
struct Names<'a> {
    index: BTreeMap<&'a str, u32>,
    sink: &'a Sink<'a>,
}

impl<'a> Names<'a> {
    fn new(players: &'a [(String, Option<PlayerSpec>)], sink: &'a Sink<'a>) -> Self {
        let index = players.iter().zip(0..).map(|((name, _), index)| (name.as_str(), index)).collect();
        Names { index, sink }
    }

    fn player(&self, node: &Node, key: &str) -> Option<u32> {
        let name = self.sink.text(node, key)?;
        let found = self.index.get(name).copied();
        if found.is_none() {
            let hint = nearest_hint(name, self.index.keys().copied());
            self.sink.push(FaultKind::UnknownPlayer { name: name.to_owned() }, &node.origin, key, hint);
        }
        found
    }

    /// A list of different players.
    fn list(&self, node: &Node, key: &str) -> Option<Vec<u32>> {
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
        let name = names.index.iter().find(|&(_, &index)| index == both).map_or("", |(name, _)| name).to_owned();
        reader.sink.push(FaultKind::SelfPair { name }, &entry.node.origin, "match-grid.champions", None);
        return None;
    }
    Some(Pairing::Gauntlet { champions, against })
}
