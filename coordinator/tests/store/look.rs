//! What pages read of a run: outlines, pages of trials, what is wrong with some, and the newest events.

use coordinator::store::{
    self, Command,
    look::{self, Trouble},
};
use serde_json::json;
use tempfile::TempDir;

use crate::bench::{Bench, EVOLUTION, TINY, open};

#[test]
fn an_outline_says_how_a_run_stands() {
    let place = TempDir::new().expect("a place");
    let (mut bench, open_run) = Bench::start(place.path(), EVOLUTION);
    let rows = bench.rows(0..7);
    bench.send("w1", rows);
    bench.end();
    let outline = look::outline(place.path()).expect("read");
    assert_eq!((outline.name.as_str(), outline.state.as_str()), ("small", "interrupted"));
    assert_eq!(outline.facts["kind"], "coevolution");
    assert_eq!(outline.stages.len(), 1);
    let stage = &outline.stages[0];
    assert_eq!((stage.index, stage.trials, stage.closed_at.as_deref()), (0, open_run.stage.trials, None));
    assert_eq!(look::count(place.path(), stage).expect("counted"), 7);
    assert!(outline.ahead > 0, "two generations and a benchmark follow");

    let (mut bench, _) = Bench::take(open(place.path(), EVOLUTION).expect("opens"));
    bench.finish(&crate::bench::set(0..7));
    bench.end();
    let outline = look::outline(place.path()).expect("read");
    assert_eq!(outline.state, "finished");
    assert!(outline.ended_at.is_some());
    assert_eq!(outline.closed(), outline.stages.len());
    assert!(outline.stages.iter().all(|stage| !stage.headline.is_empty()), "{:?}", outline.stages);
    assert_eq!((outline.disputed, outline.distrusted.len()), (0, 0));
}

#[test]
fn a_page_of_trials_is_what_is_stored_of_them() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    let rows = bench.rows([2, 3, 5, 9]);
    bench.send("w1", rows);
    bench.give_up(4);
    let stage = bench.stage.clone();
    bench.end();
    let page = |from, limit| look::trials(place.path(), &stage, from, limit).expect("read");
    let trials = |page: &look::Given| page.rows.iter().map(|row| row.trial).collect::<Vec<_>>();
    let first = page(0, 5);
    assert_eq!((trials(&first), first.quarantined.clone()), (vec![2, 3], vec![4]));
    assert!(first.rows.iter().all(|row| row.worker == "w1" && row.elapsed_us == 1 && row.row.len() == 1));
    assert_eq!(trials(&page(5, 100)), [5, 9]);
    assert_eq!(page(u64::MAX, 100), look::Given::default());
    let known = look::looked(place.path(), &stage, 4).expect("read");
    assert!(known.quarantined && known.result.is_none());
    let attempts: Vec<_> = known.attempts.iter().map(|a| (a.attempt, a.worker.as_str(), a.error.as_str())).collect();
    assert_eq!(attempts, [(1, "w", "it does not end"), (2, "w", "it does not end"), (3, "w", "it does not end")]);
    let known = look::looked(place.path(), &stage, 5).expect("read");
    assert_eq!(known.result.map(|row| row.trial), Some(5));
    assert!(!known.quarantined && known.attempts.is_empty() && known.claims.is_empty());
}

#[test]
fn trials_with_which_something_is_wrong_come_in_pages() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    bench.store("w1", 0..3);
    for trial in [4, 6, 8] {
        bench.give_up(trial);
    }
    let mut other = bench.rows(1..2);
    let coordinator::rows::Cells::Ints(values) = &mut other.columns[0] else { panic!("integers") };
    values[0] ^= 1;
    bench.send("w2", other);
    bench.end();
    let page = |trouble, after| look::troubled(place.path(), trouble, after, 2).expect("read");
    let trials = |page: &[look::Troubled]| page.iter().map(|one| one.trial).collect::<Vec<_>>();
    for trouble in [Trouble::Failed, Trouble::GivenUp] {
        let first = page(trouble, None);
        assert_eq!(trials(&first), [4, 6]);
        assert_eq!((first[0].attempts, first[0].worker.as_str(), first[0].error.as_str()), (3, "w", "it does not end"));
        assert_eq!(trials(&page(trouble, Some((0, 6)))), [8]);
        assert_eq!(trials(&page(trouble, Some((0, 8)))), [0; 0]);
    }
    let disputed = page(Trouble::Disputed, None);
    assert_eq!((trials(&disputed), disputed[0].worker.as_str(), disputed[0].attempts), (vec![1], "w2", 0));
    let failed = look::failed_by(place.path(), "w", 4).expect("read");
    assert_eq!(failed.len(), 4);
    assert!(look::failed_by(place.path(), "w1", 4).expect("read").is_empty());
    let hands = look::hands(place.path(), None).expect("read");
    assert_eq!(hands.iter().map(|hand| hand.name.as_str()).collect::<Vec<_>>(), ["w1", "w2"]);
    assert_eq!(look::hands(place.path(), Some("w2")).expect("read"), hands[1..]);
    assert_eq!(look::outline(place.path()).expect("read").disputed, 1);
}

#[test]
fn the_newest_events_come_first_a_page_at_a_time() {
    let place = TempDir::new().expect("a place");
    let (bench, _) = Bench::start(place.path(), TINY);
    let first = store::newest(place.path(), None, 100, None, None).expect("read").events.len();
    for n in 0..10 {
        let kind = if n % 2 == 0 { "even" } else { "odd" };
        let detail = json!({ "n": n, "worker": format!("w{}", n % 3), "agreed": ["x"] });
        bench.tell(Command::Event { run: bench.run, kind, detail });
    }
    bench.end();
    let page = |before, limit, kind, worker| store::newest(place.path(), before, limit, kind, worker).expect("read");
    let numbers = |page: &store::Newest| page.events.iter().map(|event| event.detail["n"].as_u64()).collect::<Vec<_>>();
    let newest = page(None, 4, None, None);
    assert_eq!(numbers(&newest), [Some(9), Some(8), Some(7), Some(6)]);
    let next = page(newest.before, 4, None, None);
    assert_eq!(numbers(&next), [Some(5), Some(4), Some(3), Some(2)]);
    let last = page(next.before, 100, None, None);
    assert_eq!((last.events.len(), last.before), (2 + first, None));
    assert_eq!(numbers(&page(None, 2, Some("odd"), None)), [Some(9), Some(7)]);
    assert_eq!(numbers(&page(None, 9, Some("even"), Some("w0"))), [Some(6), Some(0)]);
    assert_eq!(page(None, 100, None, Some("x")).events.len(), 10);
    assert_eq!(page(None, 100, None, Some("nobody")).events.len(), 0);
}
