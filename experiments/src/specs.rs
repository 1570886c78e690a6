//! Games and players in a file: what every kind of experiment reads alike.

use std::{ops::RangeInclusive, path::PathBuf};

use games::GameSpec;
use players::{PlayerSpec, artifacts::HeldArtifacts};

use crate::{
    brought::{self, Unread},
    champion::{self, Champion, ChampionError},
    document::{Data, Entry, Node, Origin},
    fault::FaultKind,
    matches::UNIT,
    reader::{Reader, Sink},
};

/// Most players of an experiment.
const PLAYERS_MAX: usize = 1_000_000;

/// Most problems of a study.
const PROBLEMS_MAX: usize = 1_000;

/// Key `game`.
pub(crate) fn game(reader: &mut Reader<'_>) -> Option<GameSpec> {
    let entry = reader.required("game", "`game = \"reversi\"`; `redqueen games` lists them")?;
    let given = given(&entry.node, "game", games::all(), reader.sink)?;
    checked(GameSpec::check(&given), &entry.node, "game", reader.sink)
}

/// Key `game`, of a kind whose trials are games between two.
pub(crate) fn game_for_two(reader: &mut Reader<'_>) -> Option<GameSpec> {
    let game = game(reader)?;
    let Err(error) = players::play::check_for_two(&game) else { return Some(game) };
    if let Some(entry) = reader.optional("game") {
        let fault = spec::Fault::Conflict { key: "game".to_owned(), reason: error.to_string() };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, "game", None);
    }
    None
}

/// Key `problems`: every game named, `None` where its spec is wrong.
pub(crate) fn problems<'a>(reader: &mut Reader<'a>) -> Vec<(&'a Entry, Option<GameSpec>)> {
    let sink = reader.sink;
    let entry = reader.required("problems", "a table of names and games: `f1 = \"fop:function=f1\"`");
    let Some((entry, table)) = entry.and_then(|entry| Some((entry, sink.table(&entry.node, "problems")?))) else {
        return Vec::new();
    };
    let found = table.entries.len();
    if found == 0 {
        let kind = FaultKind::TooFew { what: "problems", needed: 1, found };
        sink.push(kind, &entry.key_origin, "problems", None);
    } else if found > PROBLEMS_MAX {
        let (low, high) = ("1".to_owned(), PROBLEMS_MAX.to_string());
        sink.push(FaultKind::OutOfRange { value: found.to_string(), low, high }, &entry.key_origin, "problems", None);
    }
    let read = |entry: &'a Entry| {
        let key = format!("problems.{}", entry.key);
        sink.check_name(&entry.key, &entry.key_origin, &key);
        let given = given(&entry.node, &key, games::all(), sink);
        (entry, given.and_then(|given| checked(GameSpec::check(&given), &entry.node, &key, sink)))
    };
    table.entries.iter().map(read).collect()
}

/// Key `players`: every player named, `None` where its spec is wrong or cannot play one of `games`; at least `needed`,
/// and the key may be left out where none is.
pub(crate) fn players(reader: &mut Reader<'_>, games: &[GameSpec], needed: usize) -> Vec<(String, Option<PlayerSpec>)> {
    let sink = reader.sink;
    let entry = match needed {
        0 => reader.optional("players"),
        _ => reader.required("players", "a table of names and specs: `a = \"mcts:playouts=100\"`"),
    };
    let Some(entry) = entry else { return Vec::new() };
    let Some(table) = sink.table(&entry.node, "players") else { return Vec::new() };
    let found = table.entries.len();
    if found < needed {
        let kind = FaultKind::TooFew { what: "players", needed, found };
        sink.push(kind, &entry.key_origin, "players", None);
    } else if found > PLAYERS_MAX {
        let (low, high) = (needed.to_string(), PLAYERS_MAX.to_string());
        let kind = FaultKind::OutOfRange { value: found.to_string(), low, high };
        sink.push(kind, &entry.key_origin, "players", None);
    }
    let champion = champion_of_all(reader);
    let mut used = false;
    let mut read = |entry: &Entry| {
        let key = format!("players.{}", entry.key);
        sink.check_name(&entry.key, &entry.key_origin, &key);
        let spec = player(&entry.node, &key, games, sink, |given| {
            let lacks = takes_function(given) && given.get("tree").is_none();
            let Some(champion) = champion.as_ref().filter(|_| lacks) else { return Some(()) };
            used = true;
            let (path, file) = champion.as_ref()?;
            let report = |error: ChampionError| {
                sink.push(FaultKind::Champion(error.to_string()), &entry.node.origin, &key, None);
            };
            file.put_into(path, given, games).map_err(report).ok()
        });
        (entry.key.clone(), spec)
    };
    let players = table.entries.iter().map(&mut read).collect();
    if champion.is_some() && !used {
        reader.without_effect("champion", "no `evomcts` player is without a function");
    }
    players
}

/// Whether the player of a spec has an evolved function.
pub(crate) fn takes_function(given: &spec::Given) -> bool {
    players::registry::all().iter().any(|entry| entry.name == given.name && entry.param("tree").is_some())
}

/// Key `champion`: the file of the function of every `evomcts` player that has none of its own. Inside `None` where the
/// file cannot be used.
fn champion_of_all(reader: &mut Reader<'_>) -> Option<Option<(PathBuf, Champion)>> {
    let entry = reader.optional("champion")?;
    let (sink, node) = (reader.sink, &entry.node);
    let Some(path) = sink.text(node, "champion") else { return Some(None) };
    let path = from(&node.origin, sink).join(path);
    match Champion::read(&path) {
        Ok(champion) => Some(Some((path, champion))),
        Err(error) => {
            sink.push(FaultKind::Champion(error.to_string()), &node.origin, "champion", None);
            Some(None)
        }
    }
}

/// Where relative paths start: one in a file at that file's directory, one of the command line at the present one.
pub(crate) fn from(origin: &Origin, sink: &Sink<'_>) -> PathBuf {
    match origin {
        Origin::Span(_) => sink.directory(),
        Origin::Argument(_) => PathBuf::new(),
    }
}

/// A player's spec; `amend` may change what is given before it is checked, or give nothing, having reported why.
pub(crate) fn player(
    node: &Node,
    key: &str,
    games: &[GameSpec],
    sink: &Sink<'_>,
    amend: impl FnOnce(&mut spec::Given) -> Option<()>,
) -> Option<PlayerSpec> {
    let mut given = given(node, key, players::registry::all(), sink)?;
    read_champion(&mut given, node, key, games, sink)?;
    bring(&mut given, node, key, sink)?;
    amend(&mut given)?;
    let spec = checked(PlayerSpec::check(&given), node, key, sink)?;
    let fit = games.iter().try_for_each(|game| spec.check_game(game));
    let spec = checked(fit.map(|()| spec).map_err(|fault| vec![fault]), node, key, sink)?;
    check_brought(&spec, node, key, games, sink)?;
    Some(spec)
}

/// Where a parameter of a spec stands: in a table at its own place.
fn place_of<'n>(node: &'n Node, param: &str) -> &'n Origin {
    match &node.data {
        Data::Table(table) => table.get(param).map_or(&node.origin, |entry| &entry.node.origin),
        _ => &node.origin,
    }
}

/// Reads the files that parameters of artifacts name, and puts their hashes in the place of their paths.
fn bring(given: &mut spec::Given, node: &Node, key: &str, sink: &Sink<'_>) -> Option<()> {
    match brought::bring(given, |param| from(place_of(node, param), sink)) {
        Ok(files) => sink.brought.borrow_mut().extend(files),
        Err(Unread { param, path, reason }) => {
            let kind = FaultKind::File { path, reason };
            sink.push(kind, place_of(node, &param), &format!("{key}.{param}"), None);
            return None;
        }
    }
    Some(())
}

/// Checks that files which were read are what the player needs; those of a resolved experiment are not at hand.
fn check_brought(spec: &PlayerSpec, node: &Node, key: &str, games: &[GameSpec], sink: &Sink<'_>) -> Option<()> {
    let needed = spec.artifacts();
    let brought = sink.brought.borrow();
    let held: HeldArtifacts =
        needed.iter().filter_map(|hash| Some((hash.clone(), brought.get(hash)?.clone()))).collect();
    if needed.is_empty() || !needed.iter().all(|hash| brought.contains_key(hash)) {
        return Some(());
    }
    for game in games {
        if let Err(error) = spec.check_artifacts(game, &held) {
            sink.push(FaultKind::Artifact(error.to_string()), &node.origin, key, None);
            return None;
        }
    }
    Some(())
}

/// Puts what a champion's file says in the place of its path.
fn read_champion(given: &mut spec::Given, node: &Node, key: &str, games: &[GameSpec], sink: &Sink<'_>) -> Option<()> {
    let origin = match &node.data {
        Data::Table(table) => table.get("champion").map_or(&node.origin, |entry| &entry.node.origin),
        _ => &node.origin,
    };
    match champion::read_into(given, &from(origin, sink), games) {
        Ok(()) => Some(()),
        Err(error) => {
            sink.push(FaultKind::Champion(error.to_string()), origin, &format!("{key}.champion"), None);
            None
        }
    }
}

/// All of `players` if none is wrong.
pub(crate) fn whole(players: Vec<(String, Option<PlayerSpec>)>) -> Option<Vec<(String, PlayerSpec)>> {
    players.into_iter().map(|(name, spec)| spec.map(|spec| (name, spec))).collect()
}

/// Key `opening-plies`: random plies before the players take over.
pub(crate) fn opening_plies(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<u32> {
    let Some(entry) = reader.optional("opening-plies") else { return Some(0) };
    let key = reader.path("opening-plies");
    let plies = reader.sink.int(&entry.node, &key, 0..=i128::from(u32::MAX))?;
    if let Some(facts) = game.map(GameSpec::facts)
        && plies >= i128::from(facts.plies_max)
    {
        let reason = format!("no game of {} is longer than {} plies", facts.name, facts.plies_max);
        reader.sink.push(FaultKind::OpeningTooLong { plies, reason }, &entry.node.origin, &key, None);
        return None;
    }
    u32::try_from(plies).ok()
}

/// A number of games in `range`, half of which are played in either seat.
pub(crate) fn even_games(
    reader: &mut Reader<'_>,
    key: &'static str,
    default: i128,
    range: RangeInclusive<i128>,
) -> Option<u64> {
    let games = reader.int_or(key, default, range)?;
    if games % i128::from(UNIT) != 0
        && let Some(entry) = reader.optional(key)
    {
        let hint = Some(format!("write {} or {}", games - 1, games + 1));
        reader.sink.push(FaultKind::OddGames { games }, &entry.node.origin, &reader.path(key), hint);
        return None;
    }
    u64::try_from(games).ok()
}

/// A spec as text or as a table with the key `name`.
///
/// A table is strict: a number is not a text. In one line, all are words until a parameter says what they are.
fn given(node: &Node, key: &str, known: &[&spec::Entry], sink: &Sink<'_>) -> Option<spec::Given> {
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
    let Some(name) = table.get("name") else {
        let hint = Some("write `name = \"…\"`".to_owned());
        sink.push(FaultKind::MissingKey { key: "name" }, &node.origin, &format!("{key}.name"), hint);
        return None;
    };
    let name = sink.text(&name.node, &format!("{key}.name"))?.to_owned();
    let known = known.iter().find(|entry| entry.name == name);
    let takes = |param: &str| known?.param(param).map(|known| known.kind);
    let mut params = Some(Vec::new());
    for Entry { key: param, node, .. } in table.entries.iter().filter(|entry| entry.key != "name") {
        let value = match &node.data {
            // Digits that do not fit are reported as they are.
            Data::Int(Ok(value)) => {
                i64::try_from(*value).map_or(spec::Value::Text(value.to_string()), spec::Value::Int)
            }
            Data::Int(Err(digits)) => spec::Value::Text(digits.clone()),
            Data::Real(value) => spec::Value::Real(*value),
            Data::Bool(value) => spec::Value::Bool(*value),
            Data::Word(value) => spec::Value::Text(value.clone()),
            Data::Text(value)
                if matches!(
                    takes(param),
                    None | Some(spec::Kind::Choice(_) | spec::Kind::Text(_) | spec::Kind::Artifact(_))
                ) =>
            {
                spec::Value::Text(value.clone())
            }
            Data::Text(_) | Data::Date | Data::Array(_) | Data::Table(_) => {
                let expected = match takes(param) {
                    Some(spec::Kind::Int(..)) => "an integer",
                    Some(spec::Kind::Real(..)) => "a number",
                    Some(spec::Kind::Bool) => "`true` or `false`",
                    Some(spec::Kind::Choice(_) | spec::Kind::Text(_) | spec::Kind::Artifact(_)) | None => "a text",
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
