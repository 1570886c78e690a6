//! A tuning from the tables of a file.

use games::GameSpec;
use players::PlayerSpec;
use record::facts::{DEFAULTS, Seat, WINNER};

use super::{
    Algorithm, CANDIDATE, Copies, Space, Tuning,
    differential::{self, DifferentialEvolution},
    genetic::{Crossover, Genetic},
    mutation::Mutation,
};
use crate::{
    document::{Entry, Origin},
    fault::FaultKind,
    reader::{Reader, Sink},
    specs,
};

mod parameters;

/// Most candidates of a generation.
const POPULATION_MAX: i128 = 10_000;
/// Most generations.
const GENERATIONS_MAX: i128 = 1_000_000;
/// Most games of a pair.
const GAMES_MAX: i128 = 1_000_000;

/// Keys that belong to one algorithm.
const GENETIC: [&str; 4] = ["kept", "mutation-rate", "crossover", "mutation"];
const DIFFERENTIAL: [&str; 2] = ["difference-weight", "crossover-rate"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Genetic,
    SuccessiveHalving,
    DifferentialEvolution,
    Random,
}

const NAMES: [(&str, Name); 4] = [
    ("genetic", Name::Genetic),
    ("successive-halving", Name::SuccessiveHalving),
    ("differential-evolution", Name::DifferentialEvolution),
    ("random", Name::Random),
];

impl Tuning {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let sink = reader.sink;
        let game = specs::game_for_two(reader);
        let opponents = specs::players(reader, game.as_slice(), 1);
        check_names(reader, &opponents);
        let entry = reader.required("tuning", "a table with `player` and `parameters`")?;
        let table = sink.table(&entry.node, "tuning")?;
        let mut inner = Reader::new(table, &entry.key_origin, "tuning", sink);
        let player = read_player(&mut inner, game.as_ref());
        let name = inner.choice_or("algorithm", "algorithm", &NAMES, Name::Genetic);
        let least = match name {
            Some(Name::DifferentialEvolution) => differential::POPULATION_MIN as i128,
            Some(Name::Genetic) => 3,
            _ => 2,
        };
        let population = inner.int_or("population", 20, least..=POPULATION_MAX);
        let generations = inner.int_or("generations", 10, 1..=GENERATIONS_MAX);
        let seat = inner.choice_or("seat", "seat", &Seat::ALL, Seat::Both);
        let games = read_games(&mut inner, 6, seat);
        let opening_plies = specs::opening_plies(&mut inner, game.as_ref());
        let algorithm = read_algorithm(&mut inner, name, population.unwrap_or(POPULATION_MAX));
        let stop_after = inner.int_or("stop-after", 0, 0..=GENERATIONS_MAX);
        let copies = inner.choice_or("copies", "copies", &Copies::NAMES, Copies::One);
        let max_games = inner.optional("max-games");
        let most = max_games.map(|entry| sink.int(&entry.node, "tuning.max-games", 1..=i64::MAX.into()));
        let parameters = parameters::read(&mut inner, player.as_ref());
        let final_games = read_final(&mut inner);
        let parameters_entry = inner.optional("parameters");
        inner.finish();
        let space = Space { player: player?, parameters: parameters? };
        let game = game?;
        let checked = match space.check(&game) {
            Ok(reproducible) => Some(reproducible),
            Err(reason) => {
                let fault = spec::Fault::Conflict { key: "parameters".to_owned(), reason };
                let origin = parameters_entry.map_or(&entry.key_origin, |entry| &entry.key_origin);
                sink.push(FaultKind::Spec(fault), origin, "tuning.parameters", None);
                None
            }
        };
        let opponents = specs::whole(opponents)?;
        let reproducible = checked? && space.player.reproducible() && opponents.iter().all(|(_, o)| o.reproducible());
        let most = most.map_or(Some(None), |most| Some(Some(u64::try_from(most?).ok()?)));
        let tuning = Tuning {
            game,
            opponents,
            space,
            algorithm: algorithm?,
            population: usize::try_from(population?).ok()?,
            generations: u32::try_from(generations?).ok()?,
            games: games?,
            seat: seat?,
            opening_plies: opening_plies?,
            copies: copies?,
            stop_after: u32::try_from(stop_after?).ok()?,
            max_games: most?,
            final_games: final_games?,
            reproducible,
        };
        tuning.check_sizes(max_games, &entry.key_origin, sink).then_some(tuning)
    }

    /// Tells of a budget that the first generation exceeds, and of more trials than can be numbered.
    fn check_sizes(&self, max_games: Option<&Entry>, origin: &Origin, sink: &Sink<'_>) -> bool {
        let first = self.generation_trials(0, 1.0);
        if let (Some(most), Some(entry)) = (self.max_games, max_games)
            && most < first
        {
            let hint = Some(format!("the first generation alone has {first} games"));
            let (low, high) = (first.to_string(), i64::MAX.to_string());
            let kind = FaultKind::OutOfRange { value: most.to_string(), low, high };
            sink.push(kind, &entry.node.origin, "tuning.max-games", hint);
            return false;
        }
        let (_, rungs) = self.algorithm.period(self.population);
        let most = i64::MAX as u64;
        let largest = (0..=rungs).map(|generation| self.generation_trials(generation, 1.0)).max().unwrap_or(first);
        if largest > most {
            let (group, part) = ("pairs", "games");
            let groups = (self.population * self.opponents.len()) as u64;
            sink.push(
                FaultKind::TooManyTrials { groups, group, parts: self.games, part, most },
                origin,
                "tuning",
                None,
            );
            return false;
        }
        true
    }
}

/// Tells of opponents that are called as the players of a tuning are.
fn check_names(reader: &mut Reader<'_>, opponents: &[(String, Option<PlayerSpec>)]) {
    let sink = reader.sink;
    let Some(table) = reader.optional("players").and_then(|entry| match &entry.node.data {
        crate::document::Data::Table(table) => Some(table),
        _ => None,
    }) else {
        return;
    };
    for (name, _) in opponents {
        let taken = [WINNER, DEFAULTS].contains(&name.as_str())
            || name.strip_prefix(CANDIDATE).is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
        if let (true, Some(entry)) = (taken, table.get(name)) {
            let reason = format!("`{name}` is what a tuning calls one of its own players: call the opponent otherwise");
            let fault = spec::Fault::Conflict { key: name.clone(), reason };
            sink.push(FaultKind::Spec(fault), &entry.key_origin, &format!("players.{name}"), None);
        }
    }
}

/// Key `player`: whose parameters are tuned.
fn read_player(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<PlayerSpec> {
    let entry = reader.required("player", "whose parameters are tuned: `player = \"mcts:playouts=100\"`")?;
    specs::player(
        &entry.node,
        &reader.path("player"),
        game.map_or(&[], std::slice::from_ref),
        reader.sink,
        |_| Some(()),
    )
}

/// A key `games` of whole units.
fn read_games(reader: &mut Reader<'_>, default: i128, seat: Option<Seat>) -> Option<u64> {
    let games = reader.int_or("games", default, 1..=GAMES_MAX)?;
    let unit = i128::from(seat?.unit());
    if games % unit != 0
        && let Some(entry) = reader.optional("games")
    {
        let hint =
            Some(if games == 1 { "write 2".to_owned() } else { format!("write {} or {}", games - 1, games + 1) });
        reader.sink.push(FaultKind::OddGames { games }, &entry.node.origin, &reader.path("games"), hint);
        return None;
    }
    u64::try_from(games).ok()
}

fn read_algorithm(reader: &mut Reader<'_>, name: Option<Name>, population: i128) -> Option<Algorithm> {
    let Some(name) = name else {
        // Without an algorithm it is not known which of these keys belong.
        for key in GENETIC.iter().chain(&DIFFERENTIAL) {
            reader.optional(key);
        }
        return None;
    };
    let reason = NAMES
        .iter()
        .find(|(_, known)| *known == name)
        .map_or_else(String::new, |(name, _)| format!("the algorithm is `{name}`"));
    let others = [(Name::Genetic, &GENETIC[..]), (Name::DifferentialEvolution, &DIFFERENTIAL)];
    for key in others.iter().filter(|(of, _)| *of != name).flat_map(|(_, keys)| *keys) {
        reader.without_effect(key, &reason);
    }
    match name {
        Name::Genetic => read_genetic(reader, population).map(Algorithm::Genetic),
        Name::DifferentialEvolution => {
            let weight = reader.real_or("difference-weight", 0.5, 0.0..=2.0);
            let rate = reader.real_or("crossover-rate", 0.9, 0.0..=1.0);
            Some(Algorithm::DifferentialEvolution(DifferentialEvolution { weight: weight?, rate: rate? }))
        }
        Name::SuccessiveHalving => Some(Algorithm::SuccessiveHalving),
        Name::Random => Some(Algorithm::Random),
    }
}

fn read_genetic(reader: &mut Reader<'_>, population: i128) -> Option<Genetic> {
    let crossover = reader.choice_or("crossover", "crossover", &Crossover::NAMES, Crossover::SinglePoint);
    // Pairs are of two.
    let least = if crossover == Some(Crossover::None) { 1 } else { 2 };
    let kept = reader.int_or("kept", 3.min(population - 1), least..=population - 1);
    let mutation_rate = reader.real_or("mutation-rate", 0.2, 0.0..=1.0);
    let mutation = reader.choice_or("mutation", "mutation", &Mutation::NAMES, Mutation::SingleGene);
    Some(Genetic {
        kept: usize::try_from(kept?).ok()?,
        mutation_rate: mutation_rate?,
        crossover: crossover?,
        mutation: mutation?,
    })
}

/// Table `final`: games of a pair.
fn read_final(reader: &mut Reader<'_>) -> Option<u64> {
    const GAMES: u64 = 1_000;
    let Some(entry) = reader.optional("final") else { return Some(GAMES) };
    let table = reader.sink.table(&entry.node, "tuning.final")?;
    let mut inner = Reader::new(table, &entry.key_origin, "tuning.final", reader.sink);
    let games = read_games(&mut inner, GAMES.into(), Some(Seat::Both));
    inner.finish();
    games
}
