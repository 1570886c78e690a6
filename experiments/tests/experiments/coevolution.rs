//! A coevolution from its first stage to its end, in memory: what the plan makes of rows, and of bad files.

use std::collections::BTreeMap;

use experiments::{Experiment, Overrides, Population, champion::Champion, plan, plan::Artifact};
use record::{Row, Stage, Value};
use serde_json::Value as Json;

use crate::driven::{Rows, Store, every_trial, parse, run_with};

const SMALL: &str = r#"
format = 1
name = "tiny"
kind = "coevolution"
game = "dodgem:size=3"
[players]
random = "random"
mcts-8 = "mcts:playouts=8"
[coevolution]
player = "evomcts:playouts=6"
population = 10
generations = 7
games-as-first = 3
[coevolution.benchmark]
every = 3
games = 4
samples = 2
final-games = 6
finalists = 3
"#;

/// A run: its stages with their folds, and the artifacts in all.
struct Run {
    stages: Vec<(Stage, Json)>,
    /// By stage.
    rows: Vec<Rows>,
    store: Store,
}

/// Runs an experiment to its end. `backwards` takes trials in the other order; `without` leaves one out of each stage,
/// as a quarantine does.
fn run(text: &str, backwards: bool, without: Option<u64>) -> Run {
    let experiment = parse(text);
    let (played, store) = run_with(&experiment, &mut every_trial(&experiment, backwards, without));
    let (stages, rows) = played.into_iter().map(|played| ((played.stage, played.fold), played.rows)).unzip();
    Run { stages, rows, store }
}

fn population(run: &Run, stage: &Stage) -> Population {
    let hash = stage.meta["population"].as_str().expect("a hash");
    assert!(stage.artifacts.contains(&hash.to_owned()), "workers fetch it");
    Population::parse(&run.store.0[hash]).expect("a population")
}

#[test]
fn stages_are_generations_with_benchmarks_between() {
    let run = run(SMALL, false, None);
    let names: Vec<&str> = run.stages.iter().map(|(stage, _)| stage.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "generation 0",
            "benchmark 0",
            "generation 1",
            "generation 2",
            "generation 3",
            "benchmark 3",
            "generation 4",
            "generation 5",
            "generation 6",
            "final benchmark"
        ]
    );
    // Every stage knows how many trials are still to come.
    let mut left: u64 = run.stages.iter().map(|(stage, _)| stage.trials).sum();
    for (index, (stage, fold)) in run.stages.iter().enumerate() {
        left -= stage.trials;
        assert_eq!((stage.index as usize, stage.ahead), (index, left), "{}", stage.name);
        assert!(fold["headline"].as_str().is_some_and(|line| line.contains(&stage.name)), "{fold}");
        match stage.meta["phase"].as_str() {
            Some("generation") => {
                assert_eq!(stage.trials, 10 * 3);
                let fitness: Vec<f64> = serde_json::from_value(fold["fitness"].clone()).expect("points");
                assert_eq!(fitness.iter().sum::<f64>(), 30.0, "every game has one point");
                let best = fold["best"].as_u64().expect("an index") as usize;
                assert_eq!(fitness.iter().position(|&points| points == fitness[best]), Some(best));
                assert!(fitness.iter().all(|&points| points <= fitness[best]));
            }
            _ => {
                let last = stage.meta["final"] == true;
                // The best (at the end the three best) and two at random, against two.
                assert_eq!(stage.trials, if last { 5 * 2 * 6 } else { 3 * 2 * 4 });
                let points = fold["scores"].as_array().expect("scores").iter().map(|s| s["points"].as_f64());
                assert!(points.clone().all(|points| points.is_some_and(|points| points <= 6.0)));
            }
        }
    }
    let (last, _) = &run.stages[8];
    let (_, fold) = &run.stages[8];
    let (end, _) = &run.stages[9];
    assert_eq!(last.name, "generation 6");
    assert_eq!(end.meta["contestants"][0]["individual"], fold["best"], "the champion is the fittest of the last");
}

/// Counted again from the rows, by the columns' names.
#[test]
fn folds_are_what_the_games_say() {
    let run = run(SMALL, false, None);
    for ((stage, fold), rows) in run.stages.iter().zip(&run.rows) {
        let column = |name: &str| stage.shape.columns.iter().position(|c| c.name == name).expect("a column");
        let int = |row: &Row, name: &str| match row[column(name)] {
            Value::Int(value) => usize::try_from(value).expect("an index"),
            ref other => panic!("{other:?}"),
        };
        let first_points = |row: &Row| match row[column("first_points")] {
            Value::Real(points) => points,
            ref other => panic!("{other:?}"),
        };
        let mut points: BTreeMap<String, f64> = BTreeMap::new();
        for row in rows.values() {
            let names = ["first", "second"].map(|seat| match stage.labels.get("players") {
                Some(names) => names[int(row, seat)].clone(),
                None => int(row, seat).to_string(),
            });
            let shares = [first_points(row), 1.0 - first_points(row)];
            for (i, name) in names.iter().enumerate() {
                // In a benchmark a contestant's points count by opponent.
                let key = if stage.meta["phase"] == "benchmark" {
                    format!("{name} v {}", names[1 - i])
                } else {
                    name.clone()
                };
                *points.entry(key).or_default() += shares[i];
            }
        }
        if stage.meta["phase"] == "generation" {
            let fitness: Vec<f64> = serde_json::from_value(fold["fitness"].clone()).expect("points");
            let counted: Vec<f64> = (0..10).map(|individual: usize| points[&individual.to_string()]).collect();
            assert_eq!(fitness, counted, "{}", stage.name);
        } else {
            for score in fold["scores"].as_array().expect("scores") {
                let name = |key: &str| score[key].as_str().expect("a name");
                let counted = points[&format!("{} v {}", name("contestant"), name("opponent"))];
                assert_eq!(score["points"].as_f64(), Some(counted), "{}", stage.name);
            }
        }
    }
}

#[test]
fn a_run_does_not_depend_on_the_order_of_trials() {
    let (one, other) = (run(SMALL, false, None), run(SMALL, true, None));
    assert_eq!(one.stages, other.stages);
    assert_eq!(one.store.0, other.store.0);
    let seed = run(&SMALL.replace("[players]", "\n[players]").replace("kind =", "seed = 2\nkind ="), false, None);
    assert_ne!(seed.stages[0].1, one.stages[0].1);
    // Benchmarks look on: they change nothing of the evolution.
    let alone = run(&SMALL.replace("every = 3", "every = 1").replace("samples = 2", "samples = 0"), false, None);
    let fitness = |run: &Run| -> Vec<Json> {
        run.stages.iter().filter(|(s, _)| s.meta["phase"] == "generation").map(|(_, f)| f["fitness"].clone()).collect()
    };
    assert_eq!(fitness(&alone), fitness(&one));
}

#[test]
fn populations_keep_size_limits_and_parents() {
    let run = run(SMALL, false, None);
    let game = "dodgem:size=3".parse().expect("a game");
    let language = players::evomcts::language(&game).expect("it tells");
    let mut before: Option<Population> = None;
    for (stage, _) in run.stages.iter().filter(|(stage, _)| stage.meta["phase"] == "generation") {
        let population = population(&run, stage);
        assert_eq!(population.individuals.len(), 10);
        for individual in &population.individuals {
            let tree = gp::Tree::parse(&individual.tree, gp::Type::Float, &language).expect("a tree");
            assert!(tree.depth(&language) <= 15);
            assert!(!individual.made.is_empty());
            let Some(before) = &before else {
                assert_eq!((individual.made[0].as_str(), individual.parents.len()), ("initial", 0));
                continue;
            };
            let parents: Vec<&str> =
                individual.parents.iter().map(|&i| before.individuals[i as usize].tree.as_str()).collect();
            match individual.made[0].as_str() {
                "copy" => assert_eq!(parents, [individual.tree.as_str()], "a copy is its parent"),
                "one-way" | "two-way" => assert_eq!(parents.len(), 2),
                "too-deep" | "factor" | "subtree" => assert_eq!(parents.len(), 1),
                other => panic!("{other}"),
            }
        }
        before = Some(population);
    }
}

#[test]
fn a_trial_without_result_costs_nobody_points() {
    let with = run(SMALL, false, None);
    let without = run(SMALL, false, Some(4));
    let (first, fold) = &without.stages[0];
    assert_eq!(first, &with.stages[0].0);
    let games: Vec<u64> = serde_json::from_value(fold["games"].clone()).expect("counts");
    assert_eq!((games.iter().sum::<u64>(), games.iter().filter(|&&games| games == 5).count()), (58, 2));
    let fitness: Vec<f64> = serde_json::from_value(fold["fitness"].clone()).expect("points");
    let full: Vec<f64> = serde_json::from_value(with.stages[0].1["fitness"].clone()).expect("points");
    for individual in 0..10 {
        if games[individual] == 6 {
            assert_eq!(fitness[individual], full[individual]);
        } else {
            // Five games' points, as if a sixth had given their mean.
            assert!((0.0..=6.0).contains(&fitness[individual]));
            assert!((full[individual] - 1.0..=full[individual]).contains(&(fitness[individual] * 5.0 / 6.0)));
        }
    }
    assert_eq!(without.stages.len(), with.stages.len(), "the run goes on");
}

#[test]
fn rules_end_a_run_before_its_last_generation() {
    let names =
        |text: &str| -> Vec<String> { run(text, false, None).stages.into_iter().map(|(s, _)| s.name).collect() };
    // Anything is enough of a score.
    let scored = names(&format!("{SMALL}[coevolution.stop]\nscore = 0.0\n"));
    assert_eq!(scored, ["generation 0", "benchmark 0", "final benchmark"]);
    // Exactly the score that is asked for is enough.
    let whole = run(SMALL, false, None);
    let first = &whole.stages[1].1["scores"][0];
    let (points, games) = (first["points"].as_f64().expect("points"), first["games"].as_f64().expect("games"));
    let exact = names(&format!("{SMALL}[coevolution.stop]\nscore = {:?}\n", points / games));
    assert_eq!(exact, scored);
    // A second a trial: 30 + 24 + 30 seconds are over after generation 1, but the generation is finished.
    let timed = format!("{SMALL}[coevolution.stop]\ncore-hours = 0.0162\n");
    assert_eq!(names(&timed), ["generation 0", "benchmark 0", "generation 1", "final benchmark"]);
    assert!(!parse(&timed).reproducible(), "how far it comes depends on the machines");
    assert!(parse(SMALL).reproducible());
    let alone = names(
        "format = 1\nname = \"x\"\nkind = \"coevolution\"\ngame = \"dodgem:size=3\"\n[coevolution]\ngenerations = 2\n\
         population = 4\ngames-as-first = 1\nplayer = \"evomcts:playouts=2\"\nelites = 1\n",
    );
    assert_eq!(alone, ["generation 0", "generation 1"], "without opponents there are no benchmarks");
}

#[test]
fn resolved_files_resolve_to_themselves() {
    let given = SMALL.replace("population = 10", "population = 10\ninitial = [\"(Plus  Mobility One*2.50)\"]");
    for text in [SMALL, &given, &format!("{SMALL}[coevolution.stop]\nscore = 0.9\ncore-hours = 3\n")] {
        let experiment = parse(text);
        let resolved = experiment.to_resolved_toml();
        let again = Experiment::from_resolved(&resolved).unwrap_or_else(|faults| panic!("{faults}\n{resolved}"));
        assert_eq!((&again, again.to_resolved_toml()), (&experiment, resolved));
    }
    let run = run(&given, false, None);
    let first = &population(&run, &run.stages[0].0).individuals[0];
    assert_eq!((first.tree.as_str(), first.made[0].as_str()), ("(Plus Mobility One*2.5)", "given"));
}

#[test]
fn scale_changes_games_and_not_the_population() {
    let scaled = |scale| {
        let overrides = Overrides { scale: Some(scale), ..Overrides::default() };
        let experiment = Experiment::parse(SMALL, "f", &overrides).unwrap_or_else(|faults| panic!("{faults}"));
        plan(&experiment).first_stage().stage
    };
    assert_eq!(scaled(1.0).trials, 30);
    assert_eq!((scaled(2.0).trials, scaled(1e-9).trials), (60, 10));
}

/// Writes files beside one another; gives the faults of an experiment among them.
fn faults(lines: &str, files: &[(&str, &str)]) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!("redqueen-coevolution-{}-{}", std::process::id(), files.len()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.join(name), content).expect("a file");
    }
    let path = folder.join("e.toml");
    let old = if lines.starts_with("player") { "player = \"evomcts:playouts=6\"" } else { "population = 10" };
    let text = SMALL.replace(old, lines);
    let faults = Experiment::parse(&text, path.to_str().expect("UTF-8"), &Overrides::default());
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
    match faults {
        Ok(_) => Vec::new(),
        Err(faults) => {
            let json = faults.to_json();
            let list = json["faults"].as_array().expect("faults").iter();
            list.map(|fault| fault["message"].as_str().expect("a message").to_owned()).collect()
        }
    }
}

#[track_caller]
fn fault(lines: &str, files: &[(&str, &str)], says: &str) {
    let faults = faults(lines, files);
    assert!(faults.iter().any(|fault| fault.contains(says)), "{says}: {faults:?}");
}

#[test]
fn bad_functions_are_told_of() {
    fault(
        "initial = [\"(Plus Mobility True)\"]",
        &[],
        "argument 2 of `Plus` must be a number, and `True` is a truth value",
    );
    fault("initial = [\"CornerCount\"]", &[], "there is no `CornerCount` here");
    fault("initial = [\"IsEmptySquare:3:0\"]", &[], "must be a number");
    fault(
        "population = 2\ninitial = [\"One\", \"One\", \"One\"]",
        &[],
        "3 functions are given, and the population has 2",
    );
    fault("player = \"mcts:playouts=3\"", &[], "individuals of a coevolution are `evomcts` players");
    fault("player = \"evomcts:tree=One\"", &[], "the function is what is evolved");
}

#[test]
fn populations_and_champions_of_another_game_or_not_whole_are_told_of() {
    let other = run(&SMALL.replace("size=3", "size=4"), false, None);
    let hash = other.stages[0].0.meta["population"].as_str().expect("a hash");
    let file = String::from_utf8(other.store.0[hash].clone()).expect("text");
    fault("initial = \"p.json\"", &[("p.json", &file)], "and the game here is dodgem:size=3");
    fault("initial = \"p.json\"", &[("p.json", "{}")], "is not a population");
    fault("initial = \"p.json\"", &[("p.json", &file.replacen("\"format\": 1", "\"format\": 7", 1))], "has format 7");
    fault("initial = \"none.json\"", &[], "cannot be read");
    let own = run(SMALL, false, None);
    let hash = own.stages[0].0.meta["population"].as_str().expect("a hash");
    let whole = String::from_utf8(own.store.0[hash].clone()).expect("text");
    assert_eq!(faults("population = 10\ninitial = \"p.json\"", &[("p.json", &whole)]), Vec::<String>::new());

    let champion =
        |game: &str, tree: &str| Champion::new(&game.parse().expect("a game"), tree, 4, "mover", None).to_toml();
    let text = |file: &str| {
        let folder = std::env::temp_dir().join(format!("redqueen-champion-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join("c.toml"), file).expect("a file");
        let text = SMALL.replace("mcts-8 = \"mcts:playouts=8\"", "a = \"evomcts:champion=c.toml,playouts=3\"");
        let path = folder.join("e.toml");
        let parsed = Experiment::parse(&text, path.to_str().expect("UTF-8"), &Overrides::default());
        std::fs::remove_dir_all(&folder).expect("the folder is ours");
        parsed.map_err(|faults| faults.to_string())
    };
    let good = champion("dodgem:size=3,plies-max=50", "(Minus EnemyPosCount FriendlyPosCount)");
    let resolved = text(&good).expect("caps may differ").to_resolved_toml();
    assert!(resolved.contains("tree=(Minus EnemyPosCount FriendlyPosCount)"), "{resolved}");
    let says = |file: &str, says: &str| {
        let fault = text(file).expect_err("a fault");
        assert!(fault.contains(says), "{says}: {fault}");
    };
    says(&champion("reversi", "Mobility"), "it plays reversi");
    says(&champion("dodgem:size=5", "Mobility"), "it plays dodgem:size=5");
    says(&good.replacen("EnemyPosCount", "EnemyManCount", 1), "does not have the hash");
    says(&champion("dodgem:size=3", "(Plus One True)"), "none of the language");
    says("tree = 3", "is not a champion's file");
    // One file for every player without a function; it must be wanted.
    let own = "champion = \"none.toml\"\n[players]\na = \"evomcts:playouts=3\"";
    let missing = Experiment::parse(&SMALL.replace("[players]", own), "e.toml", &Overrides::default());
    assert!(missing.expect_err("a fault").to_string().contains("champion `none.toml`: cannot be read"));
}

#[test]
fn a_damaged_artifact_is_no_population() {
    let experiment = parse(SMALL);
    let plan = plan(&experiment);
    let opening = plan.first_stage();
    let store = vec![Artifact { kind: "population".to_owned(), data: b"{}".to_vec() }];
    assert!(plan.executor(&opening.stage, &store).is_err());
}

/// What cannot be compiled is reported before the run: 16,384 nodes, one more than fit.
#[test]
fn a_function_that_is_too_large_is_a_fault_of_its_file() {
    fn sums(depth: u32) -> String {
        if depth == 1 { "One".to_owned() } else { format!("(Plus {0} {0})", sums(depth - 1)) }
    }
    let with = |tree: String| {
        let text = format!(
            "format = 1\nname = \"x\"\nkind = \"coevolution\"\ngame = \"dodgem:size=3\"\n[coevolution]\npopulation = 2\n\
             initial = ['{tree}']\n"
        );
        Experiment::parse(&text, "f", &Overrides::default())
    };
    let largest = format!("(Plus {} {})", sums(13), sums(13));
    assert!(with(largest).is_ok());
    let (a, b) = (sums(12), sums(13));
    let faults = with(format!("(Plus (IfTrue True {a} {a}) {b})")).expect_err("a fault").to_string();
    assert!(faults.starts_with("f:7:12: coevolution.initial[0]: `(Plus (IfTrue True"), "{faults}");
    assert!(faults.ends_with("has 16384 nodes, and a function has at most 16383"), "{faults}");
}
