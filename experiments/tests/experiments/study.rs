//! What holds of every study: trials by index, seeds that agents share, rows, resolved files, the order of trials.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::{AtomicU64, Ordering},
};

use experiments::{Experiment, Overrides, TrialDescription, plan, plan::Executor};
use games::Seed;
use proptest::prelude::*;
use record::{Adjust, ColumnType, Row, Stage, Test, Value};

const PROBLEMS: [(&str, &str); 4] = [
    ("f1", "fop:function=f1,width-min=0.01"),
    ("board", "dodgem:size=3"),
    ("reversi", "reversi"),
    ("line", "fop:expression=x*x,width-min=0.1,branching=3"),
];

const AGENTS: [(&str, &str); 4] = [
    ("few", "mcts:playouts=6,keep-tree=false,ties=random"),
    ("chance", "random"),
    ("ea", "ea-mcts:playouts=40,generations=1,fitness-iterations=2"),
    ("more", "mcts:playouts=11,terminals=fixed"),
];

/// A study of the first `problems` and `agents`, seed 7.
fn study(problems: usize, agents: usize, runs: u64, more: &str) -> String {
    let lines = |list: &[(&str, &str)]| -> String {
        list.iter().map(|(name, spec)| format!("{name} = \"{spec}\"\n")).collect()
    };
    format!(
        "format = 1\nname = \"small\"\nkind = \"study\"\nseed = 7\n[problems]\n{}[players]\n{}[study]\nruns = {runs}\n{more}",
        lines(&PROBLEMS[..problems]),
        lines(&AGENTS[..agents])
    )
}

fn parse_with(text: &str, overrides: &Overrides) -> Experiment {
    Experiment::parse(text, "f", overrides).unwrap_or_else(|faults| panic!("{faults}\n{text}"))
}

fn parse(text: &str) -> Experiment {
    parse_with(text, &Overrides::default())
}

fn stage(experiment: &Experiment) -> Stage {
    plan(experiment).first_stage().stage
}

fn executor(experiment: &Experiment) -> Box<dyn Executor> {
    plan(experiment).executor(&stage(experiment), &Vec::new()).expect("the study can be run")
}

/// The columns that depend on spec and seed alone, by name; labels as texts.
fn pure(stage: &Stage, row: &Row) -> BTreeMap<String, String> {
    assert_eq!(row.len(), stage.shape.columns.len());
    let columns = stage.shape.columns.iter().zip(row).filter(|(column, _)| column.pure);
    columns
        .map(|(column, value)| {
            let text = match (value, &column.labels) {
                (Value::Int(index), Some(labels)) => {
                    stage.labels[labels][usize::try_from(*index).expect("an index")].clone()
                }
                (Value::Real(real), _) => format!("{real:?}"),
                (Value::Int(int), None) => int.to_string(),
                (Value::Text(text), _) => text.clone(),
            };
            (column.name.clone(), text)
        })
        .collect()
}

fn run(experiment: &Experiment, trials: impl Iterator<Item = u64>) -> Vec<BTreeMap<String, String>> {
    let (stage, executor) = (stage(experiment), executor(experiment));
    trials.map(|trial| pure(&stage, &executor.run(trial).expect("it can be run"))).collect()
}

fn seed(description: &TrialDescription, stream: &str) -> String {
    description.seeds.iter().find(|(name, _)| name == stream).expect("a stream").1.clone()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// Trial (problem * agents + agent) * runs + run; equal runs of all agents share their seeds, and nothing else
    /// does.
    #[test]
    fn a_trial_is_a_problem_an_agent_and_a_run(problems in 1usize..5, agents in 1usize..5, runs in 1u64..6) {
        let experiment = parse(&study(problems, agents, runs, ""));
        let (stage, executor) = (stage(&experiment), executor(&experiment));
        prop_assert_eq!(stage.trials, problems as u64 * agents as u64 * runs);
        prop_assert_eq!(experiment.trial_count(), stage.trials);
        let mut trial = 0;
        let mut seeds = BTreeSet::new();
        for (problem, game) in &PROBLEMS[..problems] {
            for (agent, spec) in &AGENTS[..agents] {
                for run in 0..runs {
                    let described = executor.describe(trial).expect("a trial of the study");
                    prop_assert_eq!(described.seats.len(), 1);
                    prop_assert_eq!(&described.seats[0].0, agent);
                    prop_assert!(described.seats[0].1.starts_with(spec.split(',').next().expect("a part")));
                    prop_assert!(described.game.as_ref().expect("a game").starts_with(game.split(':').next().expect("a name")));
                    for stream in ["nature", "player"] {
                        // The agent's name is left out on purpose.
                        let wanted = Seed::derive(7, 0, run, &format!("{problem}: {stream}")).to_string();
                        prop_assert_eq!(&seed(&described, stream), &wanted);
                        seeds.insert(wanted);
                    }
                    trial += 1;
                }
            }
        }
        prop_assert_eq!(seeds.len() as u64, problems as u64 * runs * 2);
        prop_assert_eq!(executor.describe(trial), None);
        prop_assert!(executor.run(trial).is_err());
    }

    #[test]
    fn resolved_files_resolve_to_themselves(problems in 1usize..5, agents in 3usize..5, runs in 1u64..1000,
        seed in 0..i64::MAX as u64, scale in 1e-9f64..1e9, texts in prop::collection::vec("\\PC{1,30}", 0..4),
        test in 0..Test::ALL.len(), adjust in 0..Adjust::ALL.len(), alpha in 1e-9f64..0.999) {
        let test_of = |question: usize| Test::ALL[(test + question) % Test::ALL.len()].0;
        let adjust = Adjust::ALL[adjust].0;
        let questions: String = texts.iter().enumerate().map(|(i, text)| format!(
            "[[analysis]]\nname = \"q{i}\"\nquestion = {}\nmetric = \"leaf-depth\"\ntest = \"{}\"\nadjust = \"{}\"\nalpha = {alpha:?}\n",
            toml::Value::String(format!("{text}\n[[analysis]]\n")), test_of(i), adjust,
        )).collect();
        let overrides = Overrides { seed: Some(seed), scale: Some(scale), set: Vec::new() };
        let text = study(problems, agents, runs, &questions);
        let experiment = parse_with(&text, &overrides);
        prop_assert_eq!(experiment.questions().len(), texts.len());
        for (i, question) in experiment.questions().iter().enumerate() {
            prop_assert_eq!(question.test.name(), test_of(i));
            prop_assert_eq!(question.adjust.name(), adjust);
            prop_assert_eq!(question.players.len(), agents);
        }
        let resolved = experiment.to_resolved_toml();
        let again = Experiment::from_resolved(&resolved).unwrap_or_else(|faults| panic!("{faults}\n{resolved}"));
        prop_assert_eq!(&again, &experiment);
        prop_assert_eq!(again.to_resolved_toml(), resolved.clone());
        prop_assert_eq!(stage(&again), stage(&experiment));
        // Questions are not part of a run.
        let silent = parse_with(&study(problems, agents, runs, ""), &overrides);
        prop_assert_eq!(experiment.hash(), silent.hash());
        prop_assert_eq!(Experiment::without_questions(&resolved), silent.to_resolved_toml());
    }
}

#[test]
fn results_do_not_depend_on_order_threads_or_what_else_is_run() {
    let experiment = parse(&study(4, 4, 3, "histogram-bins = 8\n"));
    let trials = experiment.trial_count();
    let straight = run(&experiment, 0..trials);
    // 48 trials; 11 has no factor in common with it.
    let mut shuffled: Vec<_> =
        (0..trials).map(|i| i * 11 % trials).zip(run(&experiment, (0..trials).map(|i| i * 11 % trials))).collect();
    shuffled.sort_by_key(|(trial, _)| *trial);
    assert!(shuffled.into_iter().map(|(_, row)| row).eq(straight.iter().cloned()));
    let (stage, executor, next) = (stage(&experiment), executor(&experiment), AtomicU64::new(0));
    let work = || {
        let mut rows = Vec::new();
        loop {
            match next.fetch_add(1, Ordering::Relaxed) {
                trial if trial < trials => {
                    rows.push((trial, pure(&stage, &executor.run(trial).expect("it can be run"))));
                }
                _ => return rows,
            }
        }
    };
    let threaded: BTreeMap<u64, _> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    assert!(threaded.into_values().eq(straight.iter().cloned()));
    // Fewer problems, agents and runs: the same rows, by their names.
    let half = Overrides { scale: Some(0.5), ..Overrides::default() };
    let key = |row: &BTreeMap<String, String>| ["problem", "agent", "run"].map(|column| row[column].clone());
    let all: BTreeMap<_, _> = straight.into_iter().map(|row| (key(&row), row)).collect();
    let part = parse_with(&study(3, 2, 3, "histogram-bins = 8\n"), &half);
    assert_eq!(part.trial_count(), 3 * 2 * 2);
    for row in run(&part, 0..part.trial_count()) {
        assert_eq!(row, all[&key(&row)]);
    }
}

#[test]
fn rows_fit_the_shape_and_say_what_was_searched() {
    let experiment = parse(&study(2, 3, 2, "histogram-bins = 8\n"));
    let (stage, executor) = (stage(&experiment), executor(&experiment));
    assert_eq!((stage.shape.name.as_str(), stage.name.as_str()), ("study", "study"));
    for trial in 0..stage.trials {
        let row = executor.run(trial).expect("it can be run");
        for (column, value) in stage.shape.columns.iter().zip(&row) {
            let fits = match column.kind {
                ColumnType::Int | ColumnType::Label => matches!(value, Value::Int(_)),
                ColumnType::Real => matches!(value, Value::Real(real) if real.is_finite()),
                ColumnType::Text => matches!(value, Value::Text(_)),
            };
            assert!(fits, "{}: {value:?}", column.name);
        }
        let mut moves = Vec::new();
        let again = executor.watch(trial, &mut |_, _, played| moves.push(played.to_owned())).expect("it can be run");
        let row = pure(&stage, &row);
        assert_eq!(pure(&stage, &again), row);
        // The move, then the position behind it.
        assert_eq!((moves.len(), row["plies"].as_str()), (2, "1"));
        let number = |column: &str| row[column].parse::<f64>().expect("a number");
        let (agent, problem) = (row["agent"].as_str(), row["problem"].as_str());
        let iterations = BTreeMap::from([("few", 6.0), ("chance", 0.0), ("ea", 40.0)])[agent];
        assert_eq!(number("iterations"), iterations);
        assert_eq!(number("decisions"), if agent == "chance" { 0.0 } else { 1.0 });
        assert_eq!(row["formula"].is_empty(), agent != "ea");
        assert_eq!(number("formula_nodes") > 0.0, agent == "ea");
        if agent == "chance" {
            assert_eq!((row["root_visits"].as_str(), row["histogram"].as_str(), number("nodes")), ("", "", 0.0));
            continue;
        }
        // Most visited first, and every iteration goes through one of them.
        let visits: Vec<f64> = row["root_visits"]
            .split(' ')
            .map(|child| child.rsplit_once(':').expect("move:visits").1.parse().expect("a number"))
            .collect();
        assert!(visits.is_sorted_by(|a, b| a >= b), "{visits:?}");
        assert_eq!(visits.iter().sum::<f64>(), iterations);
        assert!((number("root_share") - visits[0] / iterations).abs() < 1e-12);
        assert!((number("expansion_rate") - (number("nodes") - 1.0) / iterations).abs() < 1e-12);
        // Only games on a line have a histogram; it counts all nodes but the root.
        let thirds: Vec<Vec<f64>> = row["histogram"]
            .split(';')
            .filter(|third| !third.is_empty())
            .map(|third| third.split(',').map(|count| count.parse().expect("a number")).collect())
            .collect();
        assert_eq!(thirds.iter().map(Vec::len).collect::<Vec<_>>(), if problem == "f1" { vec![8; 3] } else { vec![] });
        if problem == "f1" {
            assert_eq!(thirds.iter().flatten().sum::<f64>(), number("nodes") - 1.0);
        }
    }
}

#[test]
fn a_whole_game_is_played_to_its_end_and_a_position_is_where_it_begins() {
    let game = |more: &str| parse(&study(1, 3, 2, &format!("measure = \"game\"\n{more}")));
    // 2^-7 is the first width below 0.01.
    for row in run(&game(""), 0..6) {
        assert_eq!(row["plies"], "7");
        assert!(row["agent"] == "chance" || row["decisions"] == "7", "{row:?}");
    }
    for row in run(&game("position = \"5/30\"\n"), 0..6) {
        assert_eq!(row["plies"], "2");
        // f1 is sin(pi x); the interval begins at 30/32.
        let points: f64 = row["points"].parse().expect("a number");
        assert!((0.0..=libm::sin(std::f64::consts::PI * 30.0 / 32.0)).contains(&points), "{points}");
    }
}

/// Of each agent its own figures, turn by turn of a whole game; of others nothing.
#[test]
fn turn_figures_are_of_every_decision_and_change_no_run() {
    let game = |more: &str| parse(&study(1, 3, 2, &format!("measure = \"game\"\n{more}")));
    let (without, with) = (run(&game(""), 0..6), run(&game("turn-figures = true\n"), 0..6));
    for (plain, row) in without.iter().zip(&with) {
        assert!(plain.iter().all(|(name, value)| row[name] == *value), "{row:?}");
        let turns = |name: &str| -> Vec<(u64, f64)> {
            let words = row[name].split_whitespace().map(|word| word.split_once(':').expect("turn:value"));
            words.map(|(turn, value)| (turn.parse().expect("a turn"), value.parse().expect("a value"))).collect()
        };
        // Means over decisions are in the row as they always were.
        let mean = |name: &str| row[name].parse::<f64>().expect("a number");
        for name in ["root_share", "formula_nodes", "uses_q", "uses_visits"] {
            let found = turns(&format!("{name}_by_turn"));
            let has = match row["agent"].as_str() {
                "chance" => false,
                "few" => name == "root_share",
                _ => true,
            };
            assert_eq!(found.len(), if has { 7 } else { 0 }, "{name} of {}", row["agent"]);
            assert!(found.iter().map(|(turn, _)| *turn).eq(0..found.len() as u64), "{found:?}");
            let sum: f64 = found.iter().map(|(_, value)| value).sum();
            assert!(!has || (sum / 7.0 - mean(name)).abs() < 1e-12, "{name}: {found:?}");
        }
    }
}

#[test]
fn the_stage_tells_what_the_study_is() {
    let file = study(4, 2, 8, "histogram-bins = 16\n")
        .replace("seed = 7", "title = \"A study\"\npaper = \"siea-mcts/fop\"\nseed = 7");
    let half = Overrides { scale: Some(0.5), ..Overrides::default() };
    let stage = stage(&parse_with(&file, &half));
    assert_eq!(stage.labels["problems"], PROBLEMS.map(|(name, _)| name));
    assert_eq!(stage.labels["players"], ["few", "chance"]);
    let mut meta = stage.meta;
    let plots = meta.as_object_mut().expect("an object").remove("plots").expect("lines");
    let specs = meta["specs"].as_object_mut().expect("specs");
    assert!(specs["few"].as_str().expect("a spec").starts_with("mcts:playouts=6,"));
    specs.clear();
    assert_eq!(
        meta,
        serde_json::json!({
            "kind": "study", "experiment": "small", "title": "A study", "paper": "siea-mcts/fop", "reproducible": true,
            "scale": 0.5, "seed": 7, "runs": 4, "measure": "decision", "histogram_bins": 16, "position": null,
            "problems": {
                "f1": "fop:function=f1,width-min=0.01,branching=2", "board": "dodgem:size=3,plies-max=200,playout-plies=100",
                "reversi": "reversi", "line": "fop:expression=x*x,width-min=0.1,branching=3",
            },
            "specs": {}, "problem_order": ["f1", "board", "reversi", "line"], "player_order": ["few", "chance"],
            "score_unit": null,
        })
    );
    let plots: BTreeMap<String, Vec<[f64; 2]>> = serde_json::from_value(plots).expect("points by problem");
    assert_eq!(
        plots.iter().map(|(name, line)| (name.as_str(), line.len())).collect::<Vec<_>>(),
        [("f1", 128), ("line", 27)]
    );
    for [x, y] in &plots["line"] {
        assert!((y - x * x).abs() < 1e-12, "{y} at {x}");
    }
    let time = parse(&study(1, 1, 1, "").replace("playouts=6", "time-ms=5"));
    assert!(!time.reproducible());
}

#[test]
fn scales_keep_a_run() {
    for (scale, runs) in [(1e-9, 1), (0.1, 1), (0.3, 3), (0.5, 5), (1.0, 10), (2.5, 25)] {
        let overrides = Overrides { scale: Some(scale), ..Overrides::default() };
        assert_eq!(parse_with(&study(2, 3, 10, ""), &overrides).trial_count(), 6 * runs, "at scale {scale}");
    }
}

#[test]
fn questions_have_their_defaults_and_players_their_order() {
    let text = study(
        1,
        4,
        2,
        "[[analysis]]\nname = \"a\"\nquestion = \"Which?\"\nmetric = \"semantic-choices\"\ntest = \"friedman\"\n\
        [[analysis]]\nname = \"b\"\nquestion = \"?\"\nmetric = \"points\"\ntest = \"normality\"\nadjust = \"none\"\nalpha = 0.01\nplayers = [\"more\", \"few\"]\n",
    );
    let experiment = parse(&text);
    let [one, other] = experiment.questions() else { panic!("two questions") };
    assert_eq!((one.name.as_str(), one.question.as_str(), one.metric.as_str()), ("a", "Which?", "semantic-choices"));
    assert_eq!((one.test, one.adjust, one.alpha), (Test::Friedman, Adjust::Holm, 0.05));
    assert_eq!(one.players, ["few", "chance", "ea", "more"]);
    assert_eq!((other.test, other.adjust, other.alpha), (Test::Normality, Adjust::None, 0.01));
    assert_eq!(other.players, ["more", "few"]);
}

#[test]
fn every_number_but_times_and_fingerprints_can_be_asked_about() {
    let shape = stage(&parse(&study(1, 2, 2, ""))).shape;
    for column in shape.columns {
        let metric = column.name.replace('_', "-");
        let text = study(
            1,
            2,
            2,
            &format!("[[analysis]]\nname = \"a\"\nquestion = \"?\"\nmetric = \"{metric}\"\ntest = \"welch\"\n"),
        );
        let number = matches!(column.kind, ColumnType::Int | ColumnType::Real);
        let asked = number && column.pure && !["run", "moves_hash"].contains(&column.name.as_str());
        assert_eq!(Experiment::parse(&text, "f", &Overrides::default()).is_ok(), asked, "{metric}");
        let row = include_str!("../../FORMAT.md")
            .lines()
            .find(|line| line.starts_with("| `analysis.metric`"))
            .expect("a row");
        let listed = row.split(" | ").nth(4).expect("what").contains(&format!("`{metric}`"));
        assert_eq!(listed, asked, "FORMAT.md lists {metric}");
    }
}
