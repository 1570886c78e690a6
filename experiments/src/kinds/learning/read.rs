//! A learning from the tables of a file.

use games::GameSpec;
use nets::{Architecture, Loss, Settings};
use players::{
    PlayerSpec,
    self_play::{self, Labels},
};
use record::facts::{LEARNED, NEW, OLD};

use super::{Gate, Learning, NET, SelfPlay, Start, Test, Training};
use crate::{artifacts::ANY, document::Entry, fault::FaultKind, reader::Reader, specs};

/// Most rounds.
const ROUNDS_MAX: i128 = 10_000;
/// Most games of a stage, or of a pair.
const GAMES_MAX: i128 = 100_000_000;
/// Most networks.
const NETS_MAX: usize = 64;
/// Most weights of a network: its file must fit a result.
const WEIGHTS_MAX: usize = 1_000_000;

impl Learning {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let sink = reader.sink;
        let game = specs::game_for_two(reader);
        let opponents = specs::players(reader, game.as_slice(), 0);
        for name in [NEW, OLD, LEARNED] {
            if opponents.iter().any(|(opponent, _)| opponent == name)
                && let Some(entry) = reader.optional("players")
            {
                let reason = format!("`{name}` is the name of a player that learns");
                let fault = spec::Fault::Conflict { key: name.to_owned(), reason };
                sink.push(FaultKind::Spec(fault), &entry.node.origin, &format!("players.{name}"), None);
            }
        }
        let entry = reader.required("learning", "a table with `player` and `nets`")?;
        let table = sink.table(&entry.node, "learning")?;
        let mut inner = Reader::new(table, &entry.key_origin, "learning", sink);
        let player = match inner.required("player", "a player with a network: `puct:playouts=200`") {
            Some(entry) => read_player(entry, "learning.player", game.as_ref(), &inner, true),
            None => None,
        };
        let rounds = inner.int_or("rounds", 1, 1..=ROUNDS_MAX);
        let nets = read_nets(&mut inner, game.as_ref());
        let self_play =
            table_of(&mut inner, "self-play", |inner| read_self_play(inner, game.as_ref(), player.as_ref()));
        let training = table_of(&mut inner, "training", read_training);
        let has_opponents = !opponents.is_empty();
        let gate = table_of(&mut inner, "gate", |inner| read_gate(inner, game.as_ref(), has_opponents));
        let test = match inner.optional("test") {
            Some(entry) => {
                let table = sink.table(&entry.node, "learning.test")?;
                let mut inner = Reader::new(table, &entry.key_origin, "learning.test", sink);
                let test = read_test(&mut inner, game.as_ref());
                inner.finish();
                test.map(Some)
            }
            None => Some(None),
        };
        let last = table_of(&mut inner, "final", |inner| specs::even_games(inner, "games", 400, 2..=GAMES_MAX));
        inner.finish();
        Some(Learning {
            game: game?,
            opponents: specs::whole(opponents)?,
            nets: nets?,
            player: player?,
            rounds: u32::try_from(rounds?).ok()?,
            self_play: self_play?,
            training: training?,
            gate: gate?,
            test: test?,
            final_games: last?,
        })
    }
}

/// A table whose keys all have defaults.
fn table_of<T>(
    reader: &mut Reader<'_>,
    key: &'static str,
    read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
) -> Option<T> {
    let path = reader.path(key);
    let empty = crate::document::Table::default();
    let entry = reader.optional(key);
    let (table, origin) = match entry {
        Some(entry) => (reader.sink.table(&entry.node, &path)?, &entry.key_origin),
        None => (&empty, reader.origin()),
    };
    let mut inner = Reader::new(table, origin, &path, reader.sink);
    let value = read(&mut inner);
    inner.finish();
    value
}

/// A player that may have a network without naming it. `learns`: it must.
fn read_player(
    entry: &Entry,
    key: &str,
    game: Option<&GameSpec>,
    reader: &Reader<'_>,
    learns: bool,
) -> Option<PlayerSpec> {
    let sink = reader.sink;
    let mut names_net = false;
    let spec = specs::player(&entry.node, key, game.map_or(&[], std::slice::from_ref), sink, |given| {
        let takes_net = players::registry::entry(&given.name).is_some_and(|entry| entry.param(NET).is_some());
        names_net = given.get(NET).is_some();
        // Kinds that may do without play without, unless they are to learn.
        if takes_net && !names_net && (learns || needs_net(&given.name)) {
            given.params.push((NET.to_owned(), spec::Value::Text(ANY.to_owned())));
        }
        Some(())
    })?;
    let reason = match learns {
        true if names_net => "the network is what is learned: leave `net` out",
        true if !super::has_any_net(&spec) => "a player that learns has a network, as `puct` does",
        _ => return Some(spec),
    };
    let fault = spec::Fault::Conflict { key: "player".to_owned(), reason: reason.to_owned() };
    sink.push(FaultKind::Spec(fault), &entry.node.origin, key, None);
    None
}

/// Whether players of this kind cannot do without a network.
fn needs_net(kind: &str) -> bool {
    format!("{kind}:").trim_end_matches(':').parse::<PlayerSpec>().is_err()
}

/// Key `nets`: architectures by name.
fn read_nets(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<Vec<(String, Architecture)>> {
    let sink = reader.sink;
    let entry = reader.required("nets", "a table of names and architectures")?;
    let table = sink.table(&entry.node, "learning.nets")?;
    let found = table.entries.len();
    if found == 0 {
        sink.push(FaultKind::TooFew { what: "nets", needed: 1, found }, &entry.key_origin, "learning.nets", None);
    } else if found > NETS_MAX {
        let (value, high) = (found.to_string(), NETS_MAX.to_string());
        let kind = FaultKind::OutOfRange { value, low: "1".to_owned(), high };
        sink.push(kind, &entry.key_origin, "learning.nets", None);
    }
    let read = |entry: &Entry| {
        let key = format!("learning.nets.{}", entry.key);
        sink.check_name(&entry.key, &entry.key_origin, &key);
        let text = sink.text(&entry.node, &key)?;
        let complete = |game| self_play::completed(game, text).map_err(|error| error.to_string());
        let text = game.map_or_else(|| Ok(text.to_owned()), complete);
        let parse = |text: String| text.parse::<Architecture>().map_err(|error| error.to_string());
        let checked = text.and_then(parse).and_then(|architecture| check_net(game, architecture));
        let report = |reason: String| sink.push(FaultKind::Artifact(reason), &entry.node.origin, &key, None);
        checked.map_err(report).ok().map(|architecture| (entry.key.clone(), architecture))
    };
    let nets: Vec<_> = table.entries.iter().map(read).collect();
    nets.into_iter().collect::<Option<Vec<_>>>().filter(|nets| (1..=NETS_MAX).contains(&nets.len()))
}

/// An architecture that networks of a learning may have.
///
/// # Errors
/// Why it may not.
fn check_net(game: Option<&GameSpec>, architecture: Architecture) -> Result<Architecture, String> {
    let weights = architecture.weights();
    if weights > WEIGHTS_MAX {
        return Err(format!("it has {weights} weights, and a network that is learned has {WEIGHTS_MAX} at most"));
    }
    match game.map_or(Ok(()), |game| self_play::check_architecture(game, &architecture)) {
        Ok(()) => Ok(architecture),
        Err(error) => Err(error.to_string()),
    }
}

/// The table `self-play`; `learner` plays where it names nobody.
fn read_self_play(reader: &mut Reader<'_>, game: Option<&GameSpec>, learner: Option<&PlayerSpec>) -> Option<SelfPlay> {
    let mut player = |key: &'static str| match reader.optional(key) {
        Some(entry) => read_player(entry, &reader.path(key), game, reader, false).map(Some),
        None => Some(None),
    };
    let (player, first) = (player("player"), player("first"));
    let games = reader.int_or("games", 1_000, 1..=GAMES_MAX);
    let opening_plies = specs::opening_plies(reader, game);
    let choices =
        [("outcome", Labels::Outcome as fn(u32) -> Labels), ("exact", Labels::Exact), ("searched", Labels::Searched)];
    let labels = reader.choice_or("labels", "label", &choices, Labels::Outcome as fn(u32) -> Labels);
    let from = reader.int_or("solve-from", 0, 0..=i128::from(u32::MAX));
    let window = reader.int_or("window", 5, 1..=ROUNDS_MAX);
    let first = first?;
    if let Some(entry) = reader.optional("first").filter(|_| first.as_ref().is_some_and(super::has_any_net)) {
        let reason = "there is no network before the first round: name one of another kind, or a file".to_owned();
        let fault = spec::Fault::Conflict { key: "first".to_owned(), reason };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, &reader.path("first"), None);
        return None;
    }
    let labels = labels?(u32::try_from(from?).ok()?);
    check_labels(reader, game, labels)?;
    let player = player?;
    let players = [player.as_ref().or(learner), first.as_ref()];
    if matches!(labels, Labels::Searched(_)) && !players.into_iter().flatten().all(PlayerSpec::tells_values) {
        let reason = "searches give values of positions where `best-first` plays, also in the first round".to_owned();
        let fault = spec::Fault::Conflict { key: "labels".to_owned(), reason };
        if let Some(entry) = reader.optional("labels") {
            reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, &reader.path("labels"), None);
        }
        return None;
    }
    Some(SelfPlay {
        player,
        first,
        games: u64::try_from(games?).ok()?,
        opening_plies: opening_plies?,
        labels,
        window: usize::try_from(window?).ok()?,
    })
}

/// Checks that the game has exact values where labels need them.
fn check_labels(reader: &mut Reader<'_>, game: Option<&GameSpec>, labels: Labels) -> Option<()> {
    let Some(game) = game else { return Some(()) };
    let reason = match labels {
        Labels::Outcome(0) | Labels::Searched(0) => return Some(()),
        _ if !self_play::is_solvable(game) => format!("{} has no exact values", game.facts().name),
        Labels::Exact(0) => "with `labels = \"exact\"` it says how far from the end positions are labelled".to_owned(),
        _ => return Some(()),
    };
    let key = reader.path("solve-from");
    let entry = reader.optional("solve-from").or_else(|| reader.optional("labels"));
    if let Some(entry) = entry {
        let fault = spec::Fault::Conflict { key: "solve-from".to_owned(), reason };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, &key, None);
    }
    None
}

fn read_training(reader: &mut Reader<'_>) -> Option<Training> {
    let default = Settings::default();
    let epochs = reader.int_or("epochs", 10, 1..=100_000);
    let batch = reader.int_or("batch", 256, 1..=65_536);
    let learning_rate = reader.real_or("learning-rate", default.learning_rate, 1e-9..=10.0);
    let decay = reader.real_or("decay", default.decay, 1e-3..=1.0);
    let weight_decay = reader.real_or("weight-decay", default.weight_decay, 0.0..=1.0);
    let losses = [("cross-entropy", Loss::CrossEntropy), ("mean-square", Loss::MeanSquare)];
    let loss = reader.choice_or("loss", "loss", &losses, Loss::CrossEntropy);
    let value_weight = reader.real_or("value-weight", default.value_weight, 0.0..=1e3);
    let policy_weight = reader.real_or("policy-weight", default.policy_weight, 0.0..=1e3);
    let held_out = reader.real_or("held-out", 0.05, 0.0..=0.9);
    let start = reader.choice_or("start", "start", &Start::ALL, Start::Last);
    let settings = Settings {
        epochs: u32::try_from(epochs?).ok()?,
        batch: usize::try_from(batch?).ok()?,
        learning_rate: learning_rate?,
        decay: decay?,
        weight_decay: weight_decay?,
        loss: loss?,
        value_weight: value_weight?,
        policy_weight: policy_weight?,
        held_out: held_out?,
        seed: [0; 32],
    };
    Some(Training { settings, start: start? })
}

fn read_gate(reader: &mut Reader<'_>, game: Option<&GameSpec>, has_opponents: bool) -> Option<Gate> {
    let games = specs::even_games(reader, "games", 200, 0..=GAMES_MAX);
    let opponents = reader.bool_or("opponents", has_opponents);
    let opening_plies = specs::opening_plies(reader, game);
    let errors = reader.real_or("errors", 0.0, -100.0..=100.0);
    Some(Gate { games: games?, opponents: opponents?, opening_plies: opening_plies?, errors: errors? })
}

fn read_test(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<Test> {
    let player = match reader.optional("player") {
        Some(entry) => read_player(entry, "learning.test.player", game, reader, false),
        None => Some("random".parse().expect("a player")),
    };
    let games = reader.int_or("games", 1_000, 1..=GAMES_MAX);
    let opening_plies = specs::opening_plies(reader, game);
    let from = reader.required("from", "the greatest distance from the end: `from = 30`")?;
    let from = reader.sink.int(&from.node, "learning.test.from", 1..=i128::from(u32::MAX))?;
    let from = u32::try_from(from).ok()?;
    if let (Some(game), Some(entry)) = (game, reader.optional("from"))
        && !self_play::is_solvable(game)
    {
        let reason = format!("{} has no exact values", game.facts().name);
        let fault = spec::Fault::Conflict { key: "from".to_owned(), reason };
        reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, "learning.test.from", None);
        return None;
    }
    let player = player?;
    if super::has_any_net(&player) {
        if let Some(entry) = reader.optional("player") {
            let reason = "test positions are made before there is a network".to_owned();
            let fault = spec::Fault::Conflict { key: "player".to_owned(), reason };
            reader.sink.push(FaultKind::Spec(fault), &entry.node.origin, "learning.test.player", None);
        }
        return None;
    }
    Some(Test { player, games: u64::try_from(games?).ok()?, opening_plies: opening_plies?, from })
}
