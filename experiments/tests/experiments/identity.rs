//! Which run an experiment is: each key either makes another, or changes nothing, or makes the run longer.

use experiments::{
    Experiment, Overrides,
    keys::{self, Change},
};

const GRID: &str = r#"
format = 1
name = "grid"
kind = "match-grid"
game = "dodgem:size=3"
[players]
a = "random"
b = "mcts:playouts=3"
c = "mcts:playouts=5"
[match-grid]
pairing = "listed"
pairs = [["a", "b"], ["b", "c"]]
games-per-pair = 6
"#;

const EVOLUTION: &str = r#"
format = 1
name = "evolution"
kind = "coevolution"
game = "dodgem:size=3"
[players]
random = "random"
[coevolution]
generations = 20
[coevolution.stop]
score = 0.5
core-hours = 2
"#;

const LEARNING: &str = r#"
format = 1
name = "learning"
kind = "learning"
game = "dots-and-boxes:rows=2,columns=2"
[players]
random = "random"
[learning]
player = "puct:playouts=8"
rounds = 3
nets.a = "encoding=mover hidden=8:relu value=sigmoid policy"
[learning.self-play]
player = "puct:playouts=9"
first = "mcts:playouts=7"
solve-from = 4
[learning.test]
from = 6
"#;

const STUDY: &str = r#"
format = 1
name = "study"
kind = "study"
[problems]
f1 = "fop:function=f1"
[players]
one = "mcts:playouts=4"
[study]
runs = 3
"#;

const SYNTHETIC: &str = "format = 1\nname = \"few\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";

const TUNING: &str = r#"
format = 1
name = "tuning"
kind = "tuning"
game = "dodgem:size=3"
[players]
random = "random"
[tuning]
player = "mcts:playouts=6"
stop-after = 2
max-games = 1000
[tuning.parameters]
c = { type = "real", min = 0.1, max = 2.0 }
"#;

fn set(text: &str, path: &str, value: &str) -> Experiment {
    let overrides = Overrides { set: vec![(path.to_owned(), value.to_owned())], ..Overrides::default() };
    Experiment::parse(text, "test.toml", &overrides).unwrap_or_else(|faults| panic!("{path}: {faults}"))
}

/// A file, a key, another value of it, and one that would be less of it where there is such a thing.
const ROWS: &[(&str, &str, &str, &str)] = &[
    (GRID, "name", "other", ""),
    (GRID, "title", "Other", ""),
    (GRID, "seed", "2", ""),
    (GRID, "scale", "2.0", "0.5"),
    (GRID, "trial-timeout-secs", "5", ""),
    (GRID, "paper", "evomcts/table-5", ""),
    (GRID, "audit", "0", ""),
    (GRID, "game", "reversi", ""),
    (GRID, "players.d", "random", ""),
    (GRID, "match-grid.pairs", "[[\"a\", \"b\"], [\"b\", \"c\"], [\"c\", \"a\"]]", "[[\"a\", \"b\"]]"),
    (GRID, "match-grid.games-per-pair", "8", "4"),
    (GRID, "match-grid.seat", "first", ""),
    (GRID, "match-grid.opening-plies", "2", ""),
    (GRID, "match-grid.turn-times", "true", ""),
    (GRID, "match-grid.turn-figures", "true", ""),
    (EVOLUTION, "coevolution.player", "evomcts:playouts=7", ""),
    (EVOLUTION, "coevolution.population", "24", ""),
    (EVOLUTION, "coevolution.generations", "21", "19"),
    (EVOLUTION, "coevolution.games-as-first", "30", ""),
    (EVOLUTION, "coevolution.opening-plies", "1", ""),
    (EVOLUTION, "coevolution.tournament", "3", ""),
    (EVOLUTION, "coevolution.elites", "1", ""),
    (EVOLUTION, "coevolution.crossover-rate", "0.7", ""),
    (EVOLUTION, "coevolution.mutation-rate", "0.1", ""),
    (EVOLUTION, "coevolution.local-mutation-rate", "0.1", ""),
    (EVOLUTION, "coevolution.factor-step", "0.2", ""),
    (EVOLUTION, "coevolution.depth-max", "9", ""),
    (EVOLUTION, "coevolution.subtree-depth-max", "4", ""),
    (EVOLUTION, "coevolution.initial-depth-min", "1", ""),
    (EVOLUTION, "coevolution.initial-depth-max", "5", ""),
    (EVOLUTION, "coevolution.benchmark.every", "5", ""),
    (EVOLUTION, "coevolution.benchmark.games", "300", ""),
    (EVOLUTION, "coevolution.benchmark.samples", "2", ""),
    (EVOLUTION, "coevolution.benchmark.final-games", "1200", "800"),
    (EVOLUTION, "coevolution.benchmark.finalists", "2", ""),
    (EVOLUTION, "coevolution.stop.score", "0.6", "0.4"),
    (EVOLUTION, "coevolution.stop.core-hours", "3", "1"),
    (LEARNING, "learning.player", "puct:playouts=7", ""),
    (LEARNING, "learning.player.playouts", "7", ""),
    (LEARNING, "learning.rounds", "4", "2"),
    (LEARNING, "learning.nets.a", "encoding=mover hidden=9:relu value=sigmoid policy", ""),
    (LEARNING, "learning.nets.b", "encoding=paper hidden=9:relu outcome=softmax", ""),
    (LEARNING, "learning.self-play.player.noise", "0.25", ""),
    (LEARNING, "learning.self-play.first.playouts", "6", ""),
    (LEARNING, "learning.self-play.games", "7", ""),
    (LEARNING, "learning.self-play.opening-plies", "1", ""),
    (LEARNING, "learning.self-play.labels", "exact", ""),
    (LEARNING, "learning.self-play.solve-from", "5", ""),
    (LEARNING, "learning.self-play.window", "2", ""),
    (LEARNING, "learning.training.epochs", "2", ""),
    (LEARNING, "learning.training.batch", "2", ""),
    (LEARNING, "learning.training.learning-rate", "0.002", ""),
    (LEARNING, "learning.training.decay", "0.9", ""),
    (LEARNING, "learning.training.weight-decay", "0.1", ""),
    (LEARNING, "learning.training.loss", "mean-square", ""),
    (LEARNING, "learning.training.value-weight", "2", ""),
    (LEARNING, "learning.training.policy-weight", "2", ""),
    (LEARNING, "learning.training.held-out", "0.1", ""),
    (LEARNING, "learning.training.start", "fresh", ""),
    (LEARNING, "learning.gate.games", "0", ""),
    (LEARNING, "learning.gate.opponents", "false", ""),
    (LEARNING, "learning.gate.opening-plies", "1", ""),
    (LEARNING, "learning.gate.errors", "1", ""),
    (LEARNING, "learning.test.player", "mcts:playouts=3", ""),
    (LEARNING, "learning.test.games", "3", ""),
    (LEARNING, "learning.test.opening-plies", "3", ""),
    (LEARNING, "learning.test.from", "5", ""),
    (LEARNING, "learning.final.games", "500", "300"),
    (STUDY, "problems.f3", "fop:function=f3", ""),
    (STUDY, "players.two", "random", ""),
    (STUDY, "study.runs", "4", "2"),
    (STUDY, "study.measure", "game", ""),
    (STUDY, "study.histogram-bins", "4", ""),
    (STUDY, "study.position", "1/1", ""),
    (STUDY, "study.turn-figures", "true", ""),
    (SYNTHETIC, "synthetic.trials", "21", "19"),
    (SYNTHETIC, "synthetic.cost-us", "1", ""),
    (SYNTHETIC, "synthetic.sleep-us", "1", ""),
    (SYNTHETIC, "synthetic.fails", "[3]", ""),
    (TUNING, "tuning.player", "mcts:playouts=7", ""),
    (TUNING, "tuning.algorithm", "random", ""),
    (TUNING, "tuning.population", "12", ""),
    (TUNING, "tuning.generations", "11", "9"),
    (TUNING, "tuning.games", "8", ""),
    (TUNING, "tuning.seat", "second", ""),
    (TUNING, "tuning.opening-plies", "1", ""),
    (TUNING, "tuning.kept", "4", ""),
    (TUNING, "tuning.mutation-rate", "0.3", ""),
    (TUNING, "tuning.crossover", "uniform", ""),
    (TUNING, "tuning.mutation", "reset", ""),
    (TUNING, "tuning.copies", "apart", ""),
    (TUNING, "tuning.stop-after", "0", "1"),
    (TUNING, "tuning.max-games", "1200", "800"),
    (TUNING, "tuning.parameters.c.max", "3.0", ""),
    (TUNING, "tuning.final.games", "1200", "800"),
];

/// What the list of keys says of a key, or of the table that it is in.
fn listed(path: &str) -> Change {
    let key = keys::ALL.iter().find(|key| key.path == path);
    key.or_else(|| keys::ALL.iter().find(|key| path.starts_with(&format!("{}.", key.path)))).expect("listed").change
}

#[test]
fn every_key_does_what_the_list_says() {
    for &(text, path, more, less) in ROWS {
        let stands = Experiment::parse(text, "test.toml", &Overrides::default()).expect("read");
        let other = set(text, path, more);
        let named: Vec<String> = other.differences(&stands).into_iter().map(|difference| difference.key).collect();
        assert!(named.iter().any(|key| key.starts_with(path) || path.starts_with(key)), "{path}: {named:?}");
        let change = listed(path);
        assert_eq!(stands.hash() == other.hash(), change == Change::Free, "{path}");
        assert_eq!(stands.id() == other.id(), change == Change::Free && path != "name", "{path}");
        assert_eq!(other.results_differences(&stands).is_empty(), change == Change::Free, "{path}");
        assert_eq!(other.lengthens(&stands).is_ok(), change != Change::Another, "{path}");
        if !less.is_empty() {
            let shorter = set(text, path, less);
            assert!(shorter.lengthens(&stands).is_err(), "{path}");
            assert!(stands.lengthens(&shorter).is_ok(), "{path}");
        }
        assert!(Experiment::from_resolved(&other.resolved_over(&stands.to_resolved_toml())).is_ok());
    }
}

#[test]
fn the_scale_of_a_grid_is_how_long_it_is_and_that_of_an_evolution_is_another() {
    let scaled = |text: &str, scale| {
        let overrides = Overrides { scale: Some(scale), ..Overrides::default() };
        Experiment::parse(text, "test.toml", &overrides).expect("read")
    };
    for (text, grows) in
        [(GRID, true), (STUDY, true), (SYNTHETIC, true), (EVOLUTION, false), (LEARNING, false), (TUNING, false)]
    {
        let (whole, tenth) = (scaled(text, 1.0), scaled(text, 0.1));
        assert_eq!(whole.lengthens(&tenth).is_ok(), grows, "{text}");
        assert!(tenth.lengthens(&whole).is_err(), "{text}");
    }
    // As many games by another scale are as many games.
    let twice = set(GRID, "match-grid.games-per-pair", "12");
    assert!(twice.lengthens(&scaled(GRID, 2.0)).is_ok() && scaled(GRID, 2.0).lengthens(&twice).is_ok());
}

#[test]
fn differences_show_both_values_and_cut_long_ones() {
    let stands = Experiment::parse(GRID, "test.toml", &Overrides::default()).expect("read");
    let other = set(GRID, "players.b.playouts", "30");
    let [difference] = &other.differences(&stands)[..] else { panic!("one key") };
    assert_eq!(difference.to_string(), "`players.b.playouts` is 3 there and 30 here");
    assert_eq!(difference.change(), "`players.b.playouts` was 3 and is 30 now");
    let [title] = &set(GRID, "title", &"x".repeat(500)).differences(&stands)[..] else { panic!("one key") };
    assert!(title.to_string().len() < 150 && title.to_string().contains("xxx…"), "{title}");
    let [paper] = &set(GRID, "paper", "a/b").differences(&stands)[..] else { panic!("one key") };
    assert_eq!(paper.to_string(), "`paper` is not set there and \"a/b\" here");
}

/// What an older version wrote lacks keys that are new, and may have its lines in another order.
#[test]
fn a_resolved_text_keeps_the_bytes_that_results_depend_on() {
    let changed = set(GRID, "title", "Several\nlines [here]");
    let today = changed.to_resolved_toml();
    let old = today.replace("opening-plies = 0\n", "").replace("audit = 0.01\n", "");
    assert_ne!(old, today);
    let text = set(GRID, "title", "Now").resolved_over(&old);
    assert_eq!(Experiment::results_of(&text), Experiment::results_of(&old));
    assert_eq!(Experiment::from_resolved(&text).expect("read"), set(GRID, "title", "Now"));
    assert_eq!(changed.resolved_over(&today), today);
}
