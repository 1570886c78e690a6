//! The files of the catalogue, and the paper's sizes in them.

use experiments::{Experiment, Overrides, catalogue, plan, value::Value};

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
        assert!(experiment.reproducible(), "{}", item.key);
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
                found += 1;
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
            let name = stage.meta["pairs"][pair][seat].as_str().expect("a name");
            assert_eq!(name, format!("mcts-{playouts}"));
            let spec = stage.meta["specs"][name].as_str().expect("a spec");
            for part in
                [&format!("playouts={playouts}"), "c=0.7", "factor=1", "keep-tree=true", "final-move=highest-mean"]
            {
                assert!(spec.split([':', ',']).any(|found| found == part), "{part} in {spec}");
            }
        }
    }
    assert_eq!(stage.meta["pairs"].as_array().map(Vec::len), Some(MATCHES.len()));
}
