//! Questions asked of a run's results (`[[analysis]]`): they may change, the run stays what it is.

use std::fs;

use coordinator::store::{self, Error, RunDirectory, RunStore};
use tempfile::TempDir;

use crate::bench::{open, parse};

const STUDY: &str = r#"format = 1
name = "small"
kind = "study"
title = """with a line that looks like one:
[[analysis]]
"""
[problems]
f1 = "fop:function=f1,width-min=0.1"
[players]
one = "mcts:playouts=4"
two = "random"
[study]
runs = 2
"#;

/// [`STUDY`] with a question about each metric.
fn asking(metrics: &[&str]) -> String {
    let question = |metric: &&str| {
        format!("[[analysis]]\nname = \"about-{metric}\"\nquestion = \"?\"\nmetric = \"{metric}\"\ntest = \"welch\"\n")
    };
    STUDY.to_owned() + &metrics.iter().map(question).collect::<String>()
}

#[test]
fn other_questions_are_put_to_the_same_run() {
    let place = TempDir::new().expect("a place");
    let file = |name: &str| fs::read_to_string(place.path().join(name)).expect("a file of the run");
    let (first, _) = open(place.path(), STUDY).expect("made");
    let id = first.id();
    drop(first);
    let plain = file("resolved.toml");
    assert!(plain.ends_with("runs = 2\nmeasure = \"decision\"\nhistogram-bins = 0\n"), "{plain}");
    for metrics in [&["points", "nodes"][..], &["points"], &[], &["plies"]] {
        let text = asking(metrics);
        let (run, _) = open(place.path(), &text).expect("the same run");
        assert_eq!(run.id(), id, "{metrics:?}");
        assert_eq!(run.experiment().questions().len(), metrics.len());
        drop(run);
        assert_eq!(file("resolved.toml"), parse(&text).to_resolved_toml(), "{metrics:?}");
        assert!(file("resolved.toml").starts_with(&plain), "what was run stays as it was");
        assert_eq!(file("experiment.toml"), text);
        // A reader, and a coordinator that starts again, find nothing wrong.
        assert_eq!(store::read_experiment(place.path()).expect("whole"), parse(&text));
        drop(RunStore::open(RunDirectory::open(place.path()).expect("free")).expect("opens"));
    }
    let events = store::events(place.path(), 0, 100).expect("read").events;
    assert_eq!(events.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(), ["created"]);
}

#[test]
fn the_same_directory_is_found_whatever_is_asked() {
    let place = TempDir::new().expect("a place");
    let [plain, asked] = [parse(STUDY), parse(&asking(&["points"]))];
    assert_eq!(coordinator::directory_name(&plain), coordinator::directory_name(&asked));
    // As an older version may have named it.
    let old = place.path().join("small-00000000");
    drop(open(&old, &asking(&["nodes"])).expect("made"));
    for experiment in [plain, asked] {
        assert_eq!(coordinator::find_directory(place.path(), &experiment), old);
    }
    let other = parse(&STUDY.replace("runs = 2", "runs = 3"));
    assert_ne!(coordinator::find_directory(place.path(), &other), old);
}

#[test]
fn what_was_run_cannot_be_changed_with_the_questions() {
    let place = TempDir::new().expect("a place");
    drop(open(place.path(), &asking(&["points"])).expect("made"));
    let path = place.path().join("resolved.toml");
    let text = fs::read_to_string(&path).expect("read");
    // A file with other questions, however they came there, is the run's; another run, or half a question, is not.
    for (changed, whole) in [
        (text.replace("about-points", "about-them"), true),
        (text.replace("runs = 2", "runs = 3"), false),
        (text[..text.len() - 5].to_owned(), false),
    ] {
        assert_ne!(changed, text);
        fs::write(&path, &changed).expect("written");
        let read = store::read_experiment(place.path());
        assert_eq!(read.is_ok(), whole, "{changed}");
        assert!(whole || matches!(read, Err(Error::Damaged { .. })), "{changed}");
    }
    let other = asking(&["points"]).replace("runs = 2", "runs = 3");
    fs::write(&path, &text).expect("written");
    assert!(matches!(open(place.path(), &other).err(), Some(Error::OtherRun { .. })));
    assert_eq!(fs::read_to_string(&path).expect("read"), text);
}
