//! A coevolution from the tables of a file. Defaults are the paper's (docs/papers/evomcts.md).

use games::GameSpec;
use gp::{Limits, NODES_MAX, Tree, Type};
use players::PlayerSpec;

use super::{Benchmark, Coevolution, Stop};
use crate::{
    document::{Data, Entry, Origin},
    fault::FaultKind,
    matches::UNIT,
    population::Population,
    reader::Reader,
    specs,
};

/// Most individuals.
const POPULATION_MAX: i128 = 100_000;
/// Most generations.
const GENERATIONS_MAX: i128 = 1_000_000;
/// Most games of an individual in each seat, or of a pair of a benchmark.
const GAMES_MAX: i128 = 1_000_000;
/// Deepest trees.
const DEPTH_MAX: i128 = 30;
/// Deepest trees of a first population: full ones double with each level.
const INITIAL_DEPTH_MAX: i128 = 12;

impl Coevolution {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let sink = reader.sink;
        let game = specs::game(reader);
        let opponents = specs::players(reader, game.as_slice(), 0);
        let language = game.as_ref().map(|game| players::evomcts::language(game).is_some());
        if let (Some(false), Some(entry), Some(game)) = (language, reader.optional("game"), &game) {
            let reason =
                format!("its positions tell nothing that a tree could ask, so {game} has no evolved functions");
            let fault = spec::Fault::Conflict { key: "game".to_owned(), reason };
            sink.push(FaultKind::Spec(fault), &entry.node.origin, "game", None);
        }
        let entry = reader.required("coevolution", "a table; all its keys have defaults, those of the paper")?;
        let table = sink.table(&entry.node, "coevolution")?;
        let mut inner = Reader::new(table, &entry.key_origin, "coevolution", sink);
        let player = read_player(&mut inner, game.as_ref());
        let population = inner.int_or("population", 120, 2..=POPULATION_MAX);
        let generations = inner.int_or("generations", 100, 1..=GENERATIONS_MAX);
        let games_as_first = inner.int_or("games-as-first", 25, 1..=GAMES_MAX);
        let opening_plies = specs::opening_plies(&mut inner, game.as_ref());
        let individuals = population.unwrap_or(POPULATION_MAX);
        let tournament = inner.int_or("tournament", 2, 1..=individuals);
        let elites = inner.int_or("elites", 0, 0..=individuals - 1);
        let crossover = inner.real_or("crossover-rate", 0.8, 0.0..=1.0);
        let mutation = inner.real_or("mutation-rate", 0.2, 0.0..=1.0);
        let local_mutation = inner.real_or("local-mutation-rate", 0.5, 0.0..=1.0);
        let factor_step = inner.real_or("factor-step", 0.1, 0.0..=100.0);
        let depth = inner.int_or("depth-max", 15, 1..=DEPTH_MAX);
        let subtree_depth = inner.int_or("subtree-depth-max", 5, 1..=INITIAL_DEPTH_MAX);
        let deepest = depth.unwrap_or(DEPTH_MAX).min(INITIAL_DEPTH_MAX);
        let least = inner.int_or("initial-depth-min", 2.min(deepest), 1..=deepest);
        let greatest = inner.int_or("initial-depth-max", 6.min(deepest), least.unwrap_or(1)..=deepest);
        let initial = read_initial(&mut inner, game.as_ref(), individuals);
        let benchmark = read_benchmark(&mut inner, opponents.is_empty(), individuals);
        let stop = read_stop(&mut inner, opponents.is_empty());
        inner.finish();
        if language == Some(false) {
            return None;
        }
        let whole = |value: Option<i128>| usize::try_from(value?).ok();
        let depths = |value: Option<i128>| u32::try_from(value?).ok();
        Some(Coevolution {
            game: game?,
            opponents: specs::whole(opponents)?,
            player: player?,
            population: whole(population)?,
            generations: depths(generations)?,
            games_as_first: whole(games_as_first)? as u64,
            opening_plies: opening_plies?,
            tournament: whole(tournament)?,
            elites: whole(elites)?,
            crossover_rate: crossover?,
            mutation_rate: mutation?,
            local_mutation_rate: local_mutation?,
            limits: Limits { depth: depths(depth)?, subtree_depth: depths(subtree_depth)?, factor_step: factor_step? },
            initial_depths: (depths(least)?, depths(greatest)?),
            initial: initial?,
            benchmark: benchmark?,
            stop: stop?,
        })
    }
}

/// Key `player`: how individuals search, without a function.
fn read_player(reader: &mut Reader<'_>, game: Option<&GameSpec>) -> Option<PlayerSpec> {
    let Some(entry) = reader.optional("player") else {
        return Some("evomcts:tree=Zero".parse().expect("a constant is in every language"));
    };
    let (sink, key) = (reader.sink, reader.path("player"));
    let (mut evolved, mut has_function) = (false, false);
    let spec = specs::player(&entry.node, &key, game.map_or(&[], std::slice::from_ref), sink, |given| {
        evolved = specs::takes_function(given);
        has_function = given.get("tree").is_some();
        if evolved && !has_function {
            given.params.push(("tree".to_owned(), spec::Value::Text("Zero".to_owned())));
        }
        Some(())
    });
    let reason = match (evolved, has_function) {
        (false, _) => Some("individuals of a coevolution are `evomcts` players"),
        (true, true) => {
            Some("the function is what is evolved: leave `tree` and `champion` out, or list it in `initial`")
        }
        (true, false) => None,
    };
    if let (Some(reason), Some(_)) = (reason, &spec) {
        let fault = spec::Fault::Conflict { key: "player".to_owned(), reason: reason.to_owned() };
        sink.push(FaultKind::Spec(fault), &entry.node.origin, &key, None);
        return None;
    }
    spec
}

/// Key `initial`: functions, or the file of a population.
fn read_initial(reader: &mut Reader<'_>, game: Option<&GameSpec>, individuals: i128) -> Option<Vec<String>> {
    let Some(entry) = reader.optional("initial") else { return Some(Vec::new()) };
    let (sink, key) = (reader.sink, reader.path("initial"));
    let wrong = |reason: String, origin: &Origin, key: &str| {
        let fault = spec::Fault::Conflict { key: "initial".to_owned(), reason };
        sink.push(FaultKind::Spec(fault), origin, key, None);
        None
    };
    let trees: Vec<(String, &Origin, String)> = match &entry.node.data {
        Data::Text(path) => match Population::read_trees(&specs::from(&entry.node.origin, sink).join(path), game?) {
            Ok(trees) => trees.into_iter().map(|tree| (tree, &entry.node.origin, key.clone())).collect(),
            Err(error) => return wrong(error.to_string(), &entry.node.origin, &key),
        },
        _ => {
            let nodes = sink.list(&entry.node, &key)?;
            let named = nodes.iter().enumerate().map(|(i, node)| {
                let key = format!("{key}[{i}]");
                Some((sink.text(node, &key)?.to_owned(), &node.origin, key))
            });
            named.collect::<Option<_>>()?
        }
    };
    if trees.len() as i128 > individuals {
        let reason = format!("{} functions are given, and the population has {individuals}", trees.len());
        return wrong(reason, &entry.node.origin, &key);
    }
    let language = players::evomcts::language(game?)?;
    let mut checked = Some(Vec::new());
    for (tree, origin, key) in trees {
        match Tree::parse(&tree, Type::Float, &language) {
            Ok(tree) if !tree.is_usable(&language) => {
                let reason = format!(
                    "`{}` has {} nodes, and a function has at most {NODES_MAX}",
                    short(&tree.to_text(&language)),
                    tree.size()
                );
                checked = wrong(reason, origin, &key);
            }
            // As it would be written: texts are compared and hashed.
            Ok(tree) => {
                if let Some(checked) = &mut checked {
                    checked.push(tree.to_text(&language));
                }
            }
            Err(error) => {
                checked = wrong(format!("`{}` is not a tree of the game: {error}", short(&tree)), origin, &key);
            }
        }
    }
    checked
}

/// The beginning of a long text.
fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        text.to_owned()
    } else {
        text.chars().take(LONGEST).collect::<String>() + "…"
    }
}

fn read_benchmark(reader: &mut Reader<'_>, alone: bool, individuals: i128) -> Option<Benchmark> {
    if alone {
        reader.without_effect("benchmark", "no `players` are named to be opponents");
        return Some(Benchmark { every: 0, games: UNIT, samples: 0, final_games: UNIT, finalists: 1 });
    }
    let empty = empty_table();
    let entry = reader.optional("benchmark").unwrap_or(&empty);
    let table = reader.sink.table(&entry.node, "coevolution.benchmark")?;
    let mut inner = Reader::new(table, &entry.key_origin, "coevolution.benchmark", reader.sink);
    let every = inner.int_or("every", 10, 0..=GENERATIONS_MAX);
    let games = specs::even_games(&mut inner, "games", 200, 2..=GAMES_MAX);
    let samples = inner.int_or("samples", 1, 0..=individuals - 1);
    let final_games = specs::even_games(&mut inner, "final-games", 1000, 2..=GAMES_MAX);
    let finalists = inner.int_or("finalists", 1, 1..=individuals);
    inner.finish();
    Some(Benchmark {
        every: u32::try_from(every?).ok()?,
        games: games?,
        samples: usize::try_from(samples?).ok()?,
        final_games: final_games?,
        finalists: usize::try_from(finalists?).ok()?,
    })
}

fn read_stop(reader: &mut Reader<'_>, alone: bool) -> Option<Stop> {
    let Some(entry) = reader.optional("stop") else { return Some(Stop::default()) };
    let table = reader.sink.table(&entry.node, "coevolution.stop")?;
    let mut inner = Reader::new(table, &entry.key_origin, "coevolution.stop", reader.sink);
    if alone {
        inner.without_effect("score", "no `players` are named to be opponents");
    }
    let score = inner.real("score", 0.0..=1.0);
    let core_hours = inner.real("core-hours", 1e-6..=1e9);
    inner.finish();
    Some(Stop { score: score?, core_hours: core_hours? })
}

fn empty_table() -> Entry {
    let origin = Origin::Span(0..0);
    let node = crate::document::Node { data: Data::Table(crate::document::Table::default()), origin: origin.clone() };
    Entry { key: String::new(), key_origin: origin, node }
}
