//! Errors in writing are kept apart by run, reported once and tried again, and never acknowledged (docs/failures.md,
//! row 14).

use std::time::{Duration, Instant};

use coordinator::{
    ranges::RangeSet,
    store::{self, Command, Reply, Writer},
};
use rusqlite::Connection;
use serde_json::json;
use tempfile::TempDir;

use crate::bench::{Bench, TINY, number, open, set, wait};

/// Another process's transaction, held open.
fn hold(bench_directory: &std::path::Path) -> Connection {
    let conn = Connection::open(bench_directory.join("redqueen.sqlite")).expect("opens");
    conn.execute_batch("BEGIN EXCLUSIVE").expect("held");
    conn
}

#[test]
fn trouble_of_one_run_is_said_once_and_stops_no_other() {
    let place = TempDir::new().expect("a place");
    let (one, two) = (place.path().join("one"), place.path().join("two"));
    let (mut bench, _) = Bench::start(&one, TINY);
    let other = open(&two, &TINY.replace("trials = 20", "trials = 30")).expect("made").0;
    let (other_id, other_stage) = (other.id(), other.stage().index);
    bench.tell(Command::Adopt(Box::new(other)));

    let held = hold(&one);
    let rows = bench.rows(0..10);
    let first = bench.send("w", rows);
    match bench.hear() {
        Reply::Trouble { run, message } => {
            assert_eq!(run, bench.run);
            assert!(message.contains("another process holds the database"), "{message}");
            assert!(message.contains(one.join("redqueen.sqlite").to_str().expect("UTF-8")), "{message}");
        }
        other => panic!("{other:?}"),
    }
    // More for the run in trouble, and something for the other, which is done at once.
    let rows = bench.rows(10..20);
    let second = bench.send("w", rows);
    let (run, kind, detail) = (other_id, "note", json!({ "n": 1 }));
    bench.tell(Command::Event { run, kind, detail });
    wait("the note of the other run", || number(&two, "SELECT COUNT(*) FROM events WHERE kind = 'note'") > 0);
    assert_eq!(other_stage, 0);
    // Some attempts later nothing more was said, and nothing was acknowledged.
    let quiet = bench.replies.recv_timeout(Duration::from_millis(2_500));
    assert!(quiet.is_err(), "{quiet:?}");
    drop(held);
    match bench.hear() {
        Reply::Committed { ticket, .. } => assert_eq!(ticket, first),
        other => panic!("{other:?}"),
    }
    match bench.hear() {
        Reply::Committed { ticket, .. } => assert_eq!(ticket, second),
        other => panic!("{other:?}"),
    }
    assert!(matches!(bench.hear(), Reply::Recovered { run } if run == bench.run));
    assert!(!bench.close());
    bench.end();
    let undisturbed = place.path().join("undisturbed");
    let (mut bench, _) = Bench::start(&undisturbed, TINY);
    bench.finish(&RangeSet::new());
    bench.end();
    assert_eq!(store::digest(&one).expect("read"), store::digest(&undisturbed).expect("read"));
}

#[test]
fn leaving_in_trouble_ends_and_acknowledges_nothing() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    let held = hold(place.path());
    let rows = bench.rows(0..10);
    bench.send("w", rows);
    assert!(matches!(bench.hear(), Reply::Trouble { .. }));
    let Bench { writer: Writer { commands, thread }, replies, .. } = bench;
    drop(commands);
    let begun = Instant::now();
    thread.join().expect("no panic");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    assert_eq!(replies.into_iter().count(), 0);
    drop(held);
    let (_, run) = open(place.path(), TINY).expect("opens");
    assert!(run.stored.is_empty());
}

#[test]
fn what_waits_is_written_when_room_comes_before_the_end() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    let held = hold(place.path());
    let rows = bench.rows(0..10);
    let sent = bench.send("w", rows);
    assert!(matches!(bench.hear(), Reply::Trouble { .. }));
    let Bench { writer: Writer { commands, thread }, replies, .. } = bench;
    drop(commands);
    drop(held);
    thread.join().expect("no panic");
    let committed = replies.into_iter().any(|reply| matches!(reply, Reply::Committed { ticket, .. } if ticket == sent));
    assert!(committed, "there was room again");
    assert_eq!(open(place.path(), TINY).expect("opens").1.all_stored(), set(0..10));
}

#[test]
fn the_newest_events_are_kept() {
    let place = TempDir::new().expect("a place");
    let (bench, _) = Bench::start(place.path(), TINY);
    let count = 103_500;
    for n in 0..count {
        bench.tell(Command::Event { run: bench.run, kind: "note", detail: json!({ "n": n }) });
        // So that none is left out as idle talk.
        if n % 5_000 == 0 {
            bench.tell(Command::CloseStage(coordinator::ids::StageKey { run: bench.run, stage: 7 }));
            wait("the events so far", || number(place.path(), "SELECT MAX(event) FROM events") >= n);
        }
    }
    bench.end();
    let kept = number(place.path(), "SELECT COUNT(*) FROM events");
    assert!((100_000..=101_000).contains(&kept), "{kept}");
    let last = store::events(place.path(), count as u64 - 1, 10).expect("read").events;
    assert_eq!(last.last().map(|event| event.detail.clone()), Some(json!({ "n": count - 1 })));
}
