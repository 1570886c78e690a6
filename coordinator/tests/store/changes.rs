//! Keys that change no result: they may change between two sessions of a run; others are named when they differ.

use std::{fs, path::Path};

use coordinator::store::{self, Error, RunDirectory, RunStore};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::bench::{Bench, EVOLUTION, copy, number, open, parse};

/// [`EVOLUTION`] with a line in front.
fn with(line: &str) -> String {
    format!("{line}\n{EVOLUTION}")
}

/// Facts of the stages.
fn metas(directory: &Path) -> Vec<Value> {
    store::folded(directory).expect("read").into_iter().map(|folded| folded.stage.meta).collect()
}

#[test]
fn what_changes_no_result_changes_with_the_next_session() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), EVOLUTION);
    let id = bench.run;
    bench.store("w", 0..bench.stage.trials);
    assert!(bench.close());
    bench.store("w", 0..3);
    bench.end();
    let other = with("title = \"Another\"\npaper = \"evomcts/table-6\"\naudit = 0.5\ntrial-timeout-secs = 2.5")
        .replace("name = \"small\"", "name = \"renamed\"");
    let (store, run) = open(place.path(), &other).expect("the same run");
    assert_eq!((store.id(), run.all_stored().len(), run.audit), (id, 3, 0.5));
    assert_eq!(store.experiment(), &parse(&other));
    assert_eq!(fs::read_to_string(place.path().join("resolved.toml")).expect("read"), parse(&other).to_resolved_toml());
    assert_eq!(fs::read_to_string(place.path().join("experiment.toml")).expect("read"), other);
    assert_eq!(store::summary(place.path()).expect("read").name, "renamed");
    for meta in metas(place.path()) {
        let facts = ["experiment", "title", "paper"].map(|key| meta[key].as_str().map(str::to_owned));
        assert_eq!(facts.map(Option::unwrap_or_default), ["renamed", "Another", "evomcts/table-6"]);
    }
    let event = store::events(place.path(), 0, 100).expect("read").events.pop().expect("events");
    assert_eq!(event.kind, "changed");
    assert_eq!(event.detail["keys"]["trial-timeout-secs"], json!(["3600.0", "2.5"]));
    assert_eq!(event.detail["keys"]["paper"], json!([null, "\"evomcts/table-6\""]));
    let (mut bench, run) = Bench::take((store, run));
    bench.finish(&run.all_stored());
    bench.end();
    let fresh = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(fresh.path(), EVOLUTION);
    bench.finish(&coordinator::ranges::RangeSet::new());
    bench.end();
    assert_eq!(store::digest(place.path()).expect("read"), store::digest(fresh.path()).expect("read"));
    // A finished run takes it, too, and takes the old title again.
    for text in [EVOLUTION, &other] {
        drop(open(place.path(), text).expect("the same run"));
        assert_eq!(metas(place.path())[0]["title"], parse(text).title());
    }
}

#[test]
fn keys_that_change_results_are_named_with_both_values() {
    let place = TempDir::new().expect("a place");
    drop(open(place.path(), EVOLUTION).expect("made"));
    for (from, to, wanted, longer) in [
        ("population = 10", "population = 11", "`coevolution.population` is 10 there and 11 here", false),
        (
            "playouts=6",
            "playouts=7,c=0.5",
            "`coevolution.player.playouts` is 6 there and 7 here; `coevolution.player.c`",
            false,
        ),
        (
            "random = \"random\"",
            "random = \"mcts:playouts=2\"",
            "`players.random` is \"random\" there and \"mcts:",
            false,
        ),
        ("generations = 3", "generations = 4", "`coevolution.generations` is 3 there and 4 here", true),
        ("generations = 3", "generations = 2", "`coevolution.generations` is 3 there and 2 here", false),
    ] {
        let other = EVOLUTION.replace(from, to);
        let error = open(place.path(), &other).err().expect("refused");
        let text = error.to_string();
        assert!(text.contains(wanted), "{text}");
        assert_eq!(error.hint().expect("a hint").contains("--extend"), longer, "{text}");
    }
    // What changes no result is not in the way, and is not named.
    let both = with("title = \"t\"").replace("population = 10", "population = 11");
    let text = open(place.path(), &both).err().expect("refused").to_string();
    assert!(!text.contains("title"), "{text}");
}

/// A run of 0.1.0 at format 2, whose database knows the whole text by hash.
#[test]
fn a_run_of_an_older_version_keeps_its_id_and_takes_other_values() {
    let place = TempDir::new().expect("a place");
    let directory = place.path().join("half-done");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-2"), &directory);
    let source = fs::read_to_string(directory.join("experiment.toml")).expect("read");
    let id = store::summary(&directory).expect("read").id;
    let changed = format!("title = \"Another\"\ntrial-timeout-secs = 7\n{}", source.replacen("title", "#title", 1));
    let experiment = parse(&changed);
    let (store, _) =
        RunStore::open(RunDirectory::create(&directory, &changed, &experiment).expect("the same run")).expect("opens");
    assert_eq!((store.id().to_string(), number(&directory, "PRAGMA user_version")), (id.clone(), 4));
    assert_eq!(store.experiment().trial_timeout().as_secs(), 7);
    drop(store);
    assert_eq!(store::read_experiment(&directory).expect("whole").title(), "Another");
    assert_eq!(store::summary(&directory).expect("read").id, id);
}

#[test]
fn a_text_that_results_depend_on_is_still_known_by_hash() {
    let place = TempDir::new().expect("a place");
    drop(open(place.path(), EVOLUTION).expect("made"));
    let path = place.path().join("resolved.toml");
    let text = fs::read_to_string(&path).expect("read");
    for (from, to, whole) in [
        ("audit = 0.01", "audit = 0.02", true),
        ("title = \"small\"", "title = \"\"\"several\n[lines]\n\"\"\"", true),
        ("seed = 1", "seed = 2", false),
        ("tournament = 2", "tournament = 3", false),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        fs::write(&path, &changed).expect("written");
        let read = store::read_experiment(place.path());
        assert_eq!(read.is_ok(), whole, "{to}");
        assert!(whole || matches!(read, Err(Error::Damaged { .. })), "{to}");
    }
}
