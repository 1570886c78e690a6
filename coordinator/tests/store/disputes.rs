//! Rows of trials that are stored already: equal ones, others, and whose word stands.

use std::collections::BTreeMap;

use coordinator::{
    core::Repeat,
    rows::{Cells, Rows},
    store::{self, Command, Reply},
};
use serde_json::json;
use tempfile::TempDir;

use crate::bench::{Bench, TINY, number, open, set};

/// `rows` with another value in each.
fn wrong(mut rows: Rows, by: i64) -> Rows {
    let [Cells::Ints(values)] = rows.columns.as_mut_slice() else { panic!("one column of integers") };
    values.iter_mut().for_each(|value| *value ^= by);
    rows
}

#[track_caller]
fn committed(bench: &Bench) -> Vec<Repeat> {
    match bench.hear() {
        Reply::Committed { repeats, .. } => repeats,
        other => panic!("{other:?}"),
    }
}

fn repeat(trial: u64, stored_by: &str, equal: bool, agrees_with: &[&str]) -> Repeat {
    let agrees_with = agrees_with.iter().map(ToString::to_string).collect();
    Repeat { trial, stored_by: stored_by.to_owned(), equal, agrees_with }
}

#[test]
fn a_second_row_is_compared_and_a_claim_is_kept() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    let right = bench.rows(0..3);
    bench.send("bad", wrong(right.clone(), 1));
    assert_eq!(committed(&bench), vec![]);
    // Rows of new trials beside those of old ones.
    let more = bench.rows(2..5);
    bench.send("good", more);
    assert_eq!(committed(&bench), vec![repeat(2, "bad", false, &[])]);
    // A second claim of the same worker is not a second witness.
    let again = bench.rows(2..3);
    bench.send("good", again.clone());
    assert_eq!(committed(&bench), vec![repeat(2, "bad", false, &[])]);
    bench.send("fair", again.clone());
    assert_eq!(committed(&bench), vec![repeat(2, "bad", false, &["good"])]);
    bench.send("third", wrong(again.clone(), 4));
    assert_eq!(committed(&bench), vec![repeat(2, "bad", false, &[])]);
    bench.send("fourth", wrong(again, 1));
    assert_eq!(committed(&bench), vec![repeat(2, "bad", true, &[])]);
    assert_eq!(number(place.path(), "SELECT COUNT(*) FROM claims WHERE stage = 0 AND trial = 2"), 3);
    let alarms: Vec<_> = store::events(place.path(), 0, 100)
        .expect("read")
        .events
        .into_iter()
        .filter(|event| event.kind == "alarm")
        .map(|event| event.detail)
        .collect();
    assert_eq!(alarms.len(), 3, "one a claim: {alarms:?}");
    let Cells::Ints(values) = &right.columns[0] else { panic!("integers") };
    let wanted = json!({
        "stage": 0, "trial": 2, "stored_by": "bad", "worker": "good", "stored": [values[2] ^ 1], "claimed": [values[2]],
    });
    assert_eq!(alarms[0], wanted);
    bench.end();
}

#[test]
fn a_worker_that_contradicts_itself_is_an_alarm() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    bench.store("w", 0..2);
    let rows = bench.rows(1..2);
    bench.send("w", wrong(rows, 1));
    assert_eq!(committed(&bench), vec![repeat(1, "w", false, &[])]);
    bench.end();
    let alarm = store::events(place.path(), 0, 100).expect("read").events.into_iter().find(|e| e.kind == "alarm");
    let detail = alarm.expect("an alarm").detail;
    assert_eq!((&detail["stored_by"], &detail["worker"]), (&json!("w"), &json!("w")));
}

#[test]
fn claims_are_bounded() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    bench.store("w", 0..1);
    for n in 1..60 {
        let rows = bench.rows(0..1);
        bench.send(&format!("w{n}"), wrong(rows, n));
        assert_eq!(committed(&bench), [repeat(0, "w", false, &[])]);
    }
    bench.end();
    assert_eq!(number(place.path(), "SELECT COUNT(*) FROM claims"), 16);
    assert_eq!(number(place.path(), "SELECT COUNT(*) FROM events WHERE kind = 'alarm'"), 16);
}

#[test]
fn rows_of_a_worker_are_taken_back_in_order_with_the_rest() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    let rows = bench.rows(0..10);
    bench.send("bad", wrong(rows, 1));
    bench.store_reply();
    bench.store("good", 10..15);
    let claim = bench.rows(3..4);
    bench.send("good", claim);
    bench.store_reply();
    let (stage, worker, why) = (bench.key(), "bad".to_owned(), "two others agree on trial 3".to_owned());
    bench.tell(Command::Retract { stage, worker, why });
    match bench.hear() {
        Reply::Retracted { trials, .. } => assert_eq!(trials, set(0..10)),
        other => panic!("{other:?}"),
    }
    let right = bench.rows(0..10);
    bench.send("good", right);
    assert_eq!(committed(&bench), [], "what was taken back is new again");
    bench.end();
    let event = store::events(place.path(), 0, 100).expect("read").events.into_iter().find(|e| e.kind == "retracted");
    let wanted = json!({ "stage": 0, "worker": "bad", "trials": 10, "why": "two others agree on trial 3" });
    assert_eq!(event.expect("an event").detail, wanted);
    let (_, run) = open(place.path(), TINY).expect("opens");
    assert_eq!(run.stored, BTreeMap::from([("good".to_owned(), set(0..15))]));
    assert_eq!(run.distrusted, ["bad"]);
    assert_eq!(number(place.path(), "SELECT COUNT(*) FROM claims WHERE trial = 3"), 0);
}

impl Bench {
    #[track_caller]
    fn store_reply(&self) {
        assert!(matches!(self.hear(), Reply::Committed { .. }));
    }
}
