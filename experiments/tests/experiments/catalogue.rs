//! The files of the catalogue, and the paper's sizes in them.

use experiments::{Experiment, Overrides, catalogue, plan};
use record::Value;

use crate::pairs;

fn read(key: &str) -> Experiment {
    let item = catalogue::ALL.iter().find(|item| item.key == key).expect("an item of the catalogue");
    // Champions lie beside the catalogue.
    let file = format!("{}/catalogue/{key}.toml", env!("CARGO_MANIFEST_DIR"));
    Experiment::parse(item.source, &file, &Overrides::default()).unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn every_file_is_right_and_sorted_and_embedded() {
    assert!(catalogue::ALL.is_sorted_by_key(|item| item.key));
    for item in catalogue::ALL {
        let experiment = read(item.key);
        assert_eq!(experiment.reproducible(), !item.key.ends_with("-time"), "{}", item.key);
        assert_eq!(experiment.name(), item.key.replace('/', "-"), "the name tells where the file is");
        let path = format!("{}/catalogue/{}.toml", env!("CARGO_MANIFEST_DIR"), item.key);
        assert_eq!(std::fs::read_to_string(path).expect("a file of the catalogue"), item.source);
    }
    let mut found = 0;
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/catalogue"))];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder of the catalogue") {
            let path = entry.expect("an entry of the folder").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                // Networks stand beside the files that name them, which are read above.
                let is_net = path.extension().is_some_and(|end| end == "safetensors");
                found += usize::from(!is_net);
            }
        }
    }
    assert_eq!(found, catalogue::ALL.len(), "a file that is not in the list");
}

#[test]
fn the_quickstart_is_small_and_its_players_differ() {
    let experiment = read("quickstart");
    assert_eq!(experiment.trial_count(), 6 * 300);
    let plan = plan(&experiment);
    let opening = plan.first_stage();
    let executor = plan.executor(&opening.stage, &opening.artifacts).expect("the grid can be played");
    // The first pair: mcts-200 against mcts-50. Ten units are enough to see who searches more.
    let points: f64 = (0..20)
        .map(|trial| {
            let row = executor.run(trial).expect("the game can be played");
            let Value::Real(first) = row[4] else { panic!("points are a real number") };
            if trial % 2 == 0 { first } else { 1.0 - first }
        })
        .sum();
    assert!(points > 10.0, "mcts-200 took {points} of 20 points");
}

/// Benbassat and Sipper 2013, table V and section VI: six matches of 10,000 games, C = 0.7, the tree kept.
#[test]
fn table_5_has_the_paper_s_matches() {
    const MATCHES: [[u32; 2]; 6] = [[100, 50], [200, 100], [400, 200], [800, 400], [1000, 400], [2000, 1000]];
    let experiment = read("evomcts/table-5");
    assert_eq!(experiment.paper(), Some("evomcts/table-5"));
    assert_eq!(experiment.trial_count(), 6 * 10_000);
    let stage = plan(&experiment).first_stage().stage;
    assert_eq!(stage.meta["games_per_pair"], 10_000);
    assert_eq!(stage.meta["opening_plies"], 0);
    assert_eq!(stage.meta["game"], "reversi");
    for (pair, playouts) in MATCHES.iter().enumerate() {
        for (seat, playouts) in playouts.iter().enumerate() {
            let name = pairs::of(&stage)[pair][seat].clone();
            assert_eq!(name, format!("mcts-{playouts}"));
            let spec = stage.meta["specs"][&name].as_str().expect("a spec");
            for part in
                [&format!("playouts={playouts}"), "c=0.7", "factor=1", "keep-tree=true", "final-move=highest-mean"]
            {
                assert!(spec.split([':', ',']).any(|found| found == part), "{part} in {spec}");
            }
        }
    }
    assert_eq!(pairs::of(&stage).len(), MATCHES.len());
}

/// SIEA-MCTS thesis, section 5.5 and tables 5.4 to 5.8: five values of C and two evolutionary agents at five functions,
/// 100 runs of a decision of 5,000 iterations. Depth 17, one reward a terminal and no 2 under the root for vanilla
/// agents (docs/papers/siea-mcts.md).
#[test]
fn the_function_study_has_the_thesis_sizes() {
    const VANILLA: [(&str, &str); 5] = [
        ("mcts-c05", "0.5"),
        ("mcts-c1", "1"),
        ("mcts-csqrt2", "1.4142135623730951"),
        ("mcts-c2", "2"),
        ("mcts-c3", "3"),
    ];
    const FUNCTIONS: [&str; 5] = ["f1", "f2", "f3", "f4", "f5"];
    let experiment = read("siea-mcts/fop");
    assert_eq!(experiment.trial_count(), 5 * 7 * 100);
    let meta = plan(&experiment).first_stage().stage.meta;
    assert_eq!((meta["measure"].as_str(), &meta["histogram_bins"]), (Some("decision"), &128.into()));
    let has = |text: &serde_json::Value, parts: &[&str]| {
        let text = text.as_str().expect("a spec");
        for part in parts {
            assert!(text.split([':', ',']).any(|found| found == *part), "{part} in {text}");
        }
    };
    for function in FUNCTIONS {
        has(&meta["problems"][function], &["fop", &format!("function={function}"), "width-min=0.00001", "branching=2"]);
    }
    for (name, c) in VANILLA {
        let parts = ["mcts", "playouts=5000", &format!("c={c}"), "factor=1", "keep-tree=false"];
        has(&meta["specs"][name], &parts);
        has(&meta["specs"][name], &["final-move=visits-alone", "ties=random", "terminals=fixed"]);
    }
    for name in ["ea-mcts", "siea-mcts"] {
        let parts =
            [name, "playouts=5000", "lambda=4", "generations=20", "fitness-iterations=30", "terminals=resample"];
        has(&meta["specs"][name], &parts);
    }
    assert_eq!(meta["specs"].as_object().map(serde_json::Map::len), Some(7));
    let asked = |key: &str| -> Vec<(String, &str, &str, f64)> {
        let questions = read(key).questions().to_vec();
        questions.into_iter().map(|q| (q.metric, q.test.name(), q.adjust.name(), q.alpha)).collect()
    };
    // Section 5.5.6.
    let wanted = [("by-reward", "normality"), ("by-reward", "mann-whitney"), ("leaf-depth", "welch")]
        .map(|(metric, test)| (metric.to_owned(), test, "none", 0.05));
    assert_eq!(asked("siea-mcts/fop"), wanted);
    for table in 4..=8 {
        assert_eq!(asked(&format!("siea-mcts/table-5-{table}")), wanted);
    }
}

/// A table's runs are those of the study of all functions: one can stand for the other.
#[test]
fn the_tables_of_functions_have_the_rows_of_the_whole_study() {
    /// With 300 iterations: what holds of them holds of 5,000.
    const FEW: [&str; 7] = ["mcts-c05", "mcts-c1", "mcts-csqrt2", "mcts-c2", "mcts-c3", "ea-mcts", "siea-mcts"];
    let run = |key: &str| {
        let item = catalogue::ALL.iter().find(|item| item.key == key).expect("an item of the catalogue");
        let here = |agent: &&str| item.source.contains(&format!("\n{agent} = "));
        let mut set: Vec<_> =
            FEW.iter().filter(|a| here(a)).map(|a| (format!("players.{a}.playouts"), "300".to_owned())).collect();
        // Table 5.11 has no histograms.
        set.push(("study.histogram-bins".to_owned(), "0".to_owned()));
        let overrides = Overrides { scale: Some(0.02), set, ..Overrides::default() };
        let experiment = Experiment::parse(item.source, key, &overrides).unwrap_or_else(|faults| panic!("{faults}"));
        let plan = plan(&experiment);
        let stage = plan.first_stage().stage;
        let executor = plan.executor(&stage, &Vec::new()).expect("the study can be run");
        let rows = (0..stage.trials).map(|trial| {
            let mut row = executor.run(trial).expect("it can be run");
            // Time is the last column; labels are compared by their texts.
            row.pop();
            let label = |list: &str, value: &Value| match value {
                Value::Int(index) => stage.labels[list][usize::try_from(*index).expect("an index")].clone(),
                _ => panic!("a label is an index"),
            };
            (format!("{} {} {:?}", label("problems", &row[0]), label("players", &row[1]), row[2]), row.split_off(3))
        });
        rows.collect::<std::collections::BTreeMap<_, _>>()
    };
    let whole = run("siea-mcts/fop");
    assert_eq!(whole.len(), 5 * 7 * 2);
    let mut found = 0;
    for (table, rows) in [(4, 14), (5, 14), (6, 14), (7, 14), (8, 14), (11, 20)] {
        let part = run(&format!("siea-mcts/table-5-{table}"));
        assert_eq!(part.len(), rows);
        assert!(part.iter().all(|(key, row)| whole[key] == *row), "table 5.{table}");
        found += part.len();
    }
    assert_eq!(found, whole.len() + 20, "the five tables are the whole");
}

/// SIEA-MCTS thesis, tables 5.10, 6.3, 6.4 and 6.8: ten agents in four games for one, 30 games each; and in the base game
/// five constants against random play, 20 games a seat, all against one another, 10 a seating, and seven agents, 20 a
/// seating.
#[test]
fn the_carcassonne_tables_have_the_thesis_sizes() {
    const SIZES: [(&str, &str, u64, &str); 4] = [
        ("siea-mcts/table-5-10", "siea-mcts/single-player", 10 * 4 * 30, "playouts=10000"),
        ("siea-mcts/table-6-3", "siea-mcts/table-6-3", 5 * 2 * 20, "playouts=5000"),
        ("siea-mcts/table-6-4", "siea-mcts/round-robin", 5 * 4 * 10, "playouts=5000"),
        ("siea-mcts/table-6-8", "siea-mcts/tournament", 7 * 6 * 20, "playouts=5000"),
    ];
    for (key, paper, games, budget) in SIZES {
        let experiment = read(key);
        assert_eq!((experiment.paper(), experiment.trial_count()), (Some(paper), games), "{key}");
        let meta = plan(&experiment).first_stage().stage.meta;
        for (name, spec) in meta["specs"].as_object().expect("players") {
            let has = |part: &str| spec.as_str().expect("a spec").split([':', ',']).any(|found| found == part);
            let wanted: &[&str] = match name.as_str() {
                "mcts-c05" => &["mcts", budget, "c=0.5", "factor=1", "keep-tree=false", "final-move=visits-alone"],
                "ea-mcts" | "siea-mcts" => &[name, budget, "lambda=4", "generations=20", "fitness-iterations=30"],
                "expectimax-2-vs" => &["expectimax", "depth=2", "leaf=virtual", "pruning=none"],
                _ => &[],
            };
            assert!(wanted.iter().all(|part| has(part)), "{key}: {name} is {spec}");
        }
        match meta["measure"].as_str() {
            Some(measure) => assert_eq!(
                (measure, &meta["problems"]["1d"].as_str().map(|spec| spec.contains("variant=1d"))),
                ("game", &Some(true))
            ),
            None => assert!(
                meta["game"].as_str().expect("a game").contains("deck=thesis") && meta["seat"] == "both",
                "{key}"
            ),
        }
    }
    let questions = read("siea-mcts/table-5-10").questions().to_vec();
    assert_eq!(
        (questions[0].metric.as_str(), questions[0].test.name(), questions[0].alpha),
        ("score", "student", 0.05)
    );
}

/// Richoux 2024, tables I and II: MCTS-CO against eight others, 50 games in each seat, and six agents against themselves, 100
/// games, each as repaired and as released, by iterations and by time.
#[test]
fn the_boop_tables_have_the_paper_s_sizes() {
    for (table, games) in [("table-1", 8 * 100), ("table-2", 6 * 100)] {
        for (suffix, budget, k) in [
            ("", "playouts=80", "playout=20"),
            ("-released", "playouts=80", "playout=21"),
            ("-time", "time-ms=1000", "playout=20"),
            ("-released-time", "time-ms=1000", "playout=21"),
        ] {
            let key = format!("boop/{table}{suffix}");
            let experiment = read(&key);
            assert_eq!(experiment.paper(), Some(&*format!("boop/{table}")), "{key}");
            let meta = plan(&experiment).first_stage().stage.meta;
            let pairs = pairs::of(&plan(&experiment).first_stage().stage).len() as u64;
            assert_eq!(pairs * meta["games_per_pair"].as_u64().expect("games"), games, "{key}");
            let full = meta["specs"]["full"].as_str().expect("a spec");
            for part in [budget, k, "select=5", "expand=true", "discount=0.9", "c=0.3"] {
                assert!(full.split([':', ',']).any(|found| found == part), "{key}: {full} lacks {part}");
            }
            let released = suffix.contains("released");
            assert_eq!(full.contains("as-released=true"), released, "{key}: {full}");
            let game = meta["game"].as_str().expect("a game");
            assert!(game.contains("graduation=heuristic") && game.contains("search=released") == released, "{game}");
        }
    }
}

/// Cotarelo et al. 2021, tables 3, 4 and 6: the stand-in of QDab first, 100 games a row.
#[test]
fn the_dots_and_boxes_tables_have_the_paper_s_sizes() {
    let table_4 = [1_000, 5_000, 10_000, 30_000, 50_000, 100_000];
    for (key, start, paper, counter, rows) in [
        ("table-3", "S1", Some("dots-and-boxes/table-3"), "unique", &[10_000, 100_000][..]),
        ("table-4", "S1", Some("dots-and-boxes/table-4"), "double", &table_4),
        ("table-4-s2", "S2", None, "double", &table_4),
        ("table-4-s3", "S3", None, "double", &table_4),
    ] {
        let experiment = read(&format!("dots-and-boxes/{key}"));
        assert_eq!((experiment.trial_count(), experiment.paper()), (100 * rows.len() as u64, paper));
        let stage = plan(&experiment).first_stage().stage;
        assert_eq!((&stage.meta["seat"], &stage.meta["games_per_pair"]), (&"first".into(), &100.into()));
        let game = stage.meta["game"].as_str().expect("a game");
        assert_eq!(game, format!("dots-and-boxes:rows=5,columns=5,start={start}"));
        for iterations in rows {
            let name = format!("{}-{}k", if counter == "double" { "dc" } else { "uc" }, iterations / 1_000);
            let spec = stage.meta["specs"][&name].as_str().expect("a spec");
            assert!(spec.starts_with(&format!("mcts-dc:playouts={iterations},counter={counter}")), "{spec}");
        }
    }
    // Table 6: whole games in either seat.
    let experiment = read("dots-and-boxes/table-6");
    assert_eq!((experiment.trial_count(), experiment.paper()), (200, Some("dots-and-boxes/table-6")));
    let stage = plan(&experiment).first_stage().stage;
    assert_eq!(
        (&stage.meta["seat"], &stage.meta["game"]),
        (&"both".into(), &"dots-and-boxes:rows=5,columns=5,start=empty".into())
    );
}

/// The Checkers project (report, section 4.2), with the p of its program and database: 4 n by 8 p, 10 games each, MCTS
/// first.
#[test]
fn the_checkers_benchmark_has_the_report_s_cells() {
    for key in ["checkers/benchmark", "checkers/benchmark-repaired"] {
        let experiment = read(key);
        assert_eq!((experiment.trial_count(), experiment.paper()), (320, Some("checkers/benchmark")));
        let stage = plan(&experiment).first_stage().stage;
        assert_eq!((&stage.meta["seat"], &stage.meta["games_per_pair"]), (&"first".into(), &10.into()));
        let mut wanted = Vec::new();
        for n in [5_000, 10_000, 15_000, 20_000] {
            wanted.extend([0.25, 0.5, 0.75, 1.0, 1.5, 1.75, 2.0, 4.0].map(|p| (n, p)));
        }
        let specs = &stage.meta["specs"];
        let found = pairs::of(&stage).into_iter().map(|[player, opponent]| {
            assert_eq!(opponent, "minimax-3");
            let spec = specs[player].as_str().expect("a spec");
            let parameter = |name: &str| {
                let rest = spec.split_once(&format!("{name}=")).expect("a parameter").1;
                rest.split(',').next().expect("a value").parse::<f64>().expect("a number")
            };
            assert_eq!(spec.contains("as-released=true"), key == "checkers/benchmark");
            (parameter("playouts") as u32, parameter(",p"))
        });
        assert_eq!(found.collect::<Vec<_>>(), wanted);
    }
}
