//! Facts and folds that version 0.1.0 wrote (`facts-0.1.0.json`, from two of its databases) are read, and nothing of
//! them is lost when they are written again.

use record::{
    Stage,
    facts::{GridFacts, Header, Kind, Pairs, Seat, TuningFacts, TuningPhase, to_json},
    folds::TuningFold,
};
use serde_json::{Value as Json, json};

fn older(run: &str) -> (Stage, Json) {
    let runs: Json = serde_json::from_str(include_str!("facts-0.1.0.json")).expect("JSON");
    let stage = serde_json::from_value(runs[run]["stage"].clone()).expect("a stage");
    (stage, runs[run]["fold"].clone())
}

/// `written` without the keys that 0.1.0 did not have.
fn without(mut written: Json, keys: &[&str]) -> Json {
    for key in keys {
        written.as_object_mut().expect("an object").remove(*key);
    }
    written
}

#[test]
fn a_grid() {
    let (stage, _) = older("quickstart");
    let facts: GridFacts = stage.facts().expect("facts of a grid");
    assert_eq!((facts.header.kind, facts.header.seed, facts.header.scale), (Kind::MatchGrid, None, 0.1));
    assert_eq!((facts.pairs.seat(), facts.pairs.games_per_pair, facts.pairs.specs.len()), (Seat::Both, 30, 4));
    assert!(matches!(&facts.pairs.pairs, Pairs::Listed { pairs } if pairs.len() == 6));
    assert_eq!(without(to_json(&facts), &["seed", "title"]), stage.meta);
}

#[test]
fn a_tuning() {
    let (stage, fold) = older("tuning-dodgem");
    let facts: TuningFacts = stage.facts().expect("facts of a tuning");
    assert_eq!((facts.header.kind, facts.header.seed), (Kind::Tuning, Some(1)));
    assert!(matches!(&facts.phase, TuningPhase::Generation { candidates, .. } if candidates.len() == 2));
    assert_eq!(
        facts.parameters.iter().map(|parameter| &parameter.name[..]).collect::<Vec<_>>(),
        ["c", "final-move", "keep-tree"]
    );
    assert_eq!(to_json(&facts), stage.meta);
    let read: TuningFold = stage.fold(&fold).expect("a fold");
    assert_eq!((read.games.len(), read.leader.points), (20, 7.0));
    assert_eq!(to_json(&read), fold);
}

#[test]
fn a_fact_that_is_missing_is_named() {
    let (mut stage, _) = older("quickstart");
    stage.meta.as_object_mut().expect("an object").remove("games_per_pair");
    let error = stage.facts::<GridFacts>().expect_err("it is missing").to_string();
    assert!(error.contains("facts of stage 0") && error.contains("games_per_pair"), "{error}");
}

#[test]
fn another_name_changes_nothing_else() {
    let (mut stage, _) = older("tuning-dodgem");
    let before: TuningFacts = stage.facts().expect("facts");
    stage.meta["unknown"] = json!({ "of": "another version" });
    assert!(Header::rename(&mut stage.meta, "new", "New", Some("paper/table")));
    assert!(!Header::rename(&mut stage.meta, "new", "New", Some("paper/table")));
    let after: TuningFacts = stage.facts().expect("facts");
    let title = after.header.title.clone();
    assert_eq!(
        (&after.header.experiment[..], title.as_deref(), after.header.paper.as_deref()),
        ("new", Some("New"), Some("paper/table"))
    );
    let header = Header { experiment: "new".into(), title, paper: Some("paper/table".into()), ..before.header.clone() };
    assert_eq!(after, TuningFacts { header, ..before });
    assert_eq!(stage.meta["unknown"]["of"], "another version");
}
