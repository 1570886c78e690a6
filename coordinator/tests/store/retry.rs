//! Another chance for trials that were given up.

use std::{collections::BTreeSet, path::Path};

use std::collections::BTreeMap;

use coordinator::{
    core::{OpenRun, RunState},
    ranges::RangeSet,
    store::{self, Command, Refused, Reply},
};
use record::Stage;
use serde_json::json;
use tempfile::TempDir;
use tokio::sync::oneshot;

use crate::bench::{Bench, EVOLUTION, TINY, number, open, set};

/// Tells the writer to try again; gives its answer and, if it went on, where the run stands.
fn retry(bench: &mut Bench, discard_later: bool) -> Result<(OpenRun, String), Refused> {
    let (answer, done) = oneshot::channel();
    bench.tell(Command::Retry { run: bench.run, discard_later, answer });
    done.blocking_recv().expect("an answer")?;
    match bench.hear() {
        Reply::Reopened { run, open, opened, headline } => {
            assert_eq!(run, bench.run);
            bench.enter(*opened);
            Ok((*open, headline))
        }
        other => panic!("{other:?}"),
    }
}

/// Tries a run again that has failed: its writer has closed it, and it is opened anew. Gives also the headline then.
fn again(directory: &Path, text: &str, discard_later: bool) -> Result<(Bench, OpenRun, String), Refused> {
    let (mut store, _) = open(directory, text).expect("opens");
    let (run, _) = store.retry(discard_later).expect("written")?;
    let headline = store.headline().to_owned();
    let (bench, run) = Bench::take((store, run));
    Ok((bench, run, headline))
}

fn hashes(directory: &Path) -> BTreeSet<String> {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    let mut statement = conn.prepare("SELECT hash FROM artifacts").expect("a table");
    let hashes = statement.query_map([], |row| row.get(0)).expect("read");
    hashes.map(|hash| hash.expect("a text")).collect()
}

fn undisturbed(text: &str) -> store::Digest {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), text);
    bench.finish(&RangeSet::new());
    bench.end();
    store::digest(place.path()).expect("read")
}

#[test]
fn a_failure_that_was_none_is_taken_back() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    bench.give_up(12);
    bench.store("w", 0..2);
    let (stage, trial) = (bench.key(), 12);
    let of_trial = |sql: &str| number(place.path(), &format!("SELECT {sql} WHERE stage = 0 AND trial = 12"));
    assert_eq!((of_trial("COUNT(*) FROM failures"), of_trial("COUNT(*) FROM quarantined")), (3, 1));
    // The second of three; and one that is not there.
    for attempt in [2, 9] {
        bench.tell(Command::Acquit { stage, trial, attempt });
    }
    bench.store("w", 2..4);
    assert_eq!((of_trial("COUNT(*) FROM failures"), of_trial("MAX(attempt) FROM failures")), (2, 2));
    bench.end();
    let (_, run) = open(place.path(), TINY).expect("opens");
    assert!(run.quarantined.is_empty());
    assert_eq!(run.failures, BTreeMap::from([(12, 2)]));
}

#[test]
fn trials_of_the_open_stage_wait_again() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    assert_eq!(retry(&mut bench, false).err(), Some(Refused::Nothing));
    bench.store("w", 0..10);
    bench.give_up(12);
    // One strike of a trial that is still tried.
    let (stage, worker, error) = (bench.key(), "w".to_owned(), "once".to_owned());
    bench.tell(Command::Failure { stage, trial: 13, attempt: 1, worker, error, quarantine: false });
    let (run, _) = retry(&mut bench, false).expect("goes on");
    assert_eq!((run.state, run.all_stored()), (RunState::Running, set(0..10)));
    assert!(run.quarantined.is_empty());
    assert_eq!(run.failures, BTreeMap::from([(13, 1)]), "strikes of the others stand");
    bench.finish(&run.all_stored());
    bench.end();
    let digest = store::digest(place.path()).expect("read");
    assert!(digest.complete);
    assert_eq!(digest, undisturbed(TINY));
    let event = store::events(place.path(), 0, 100).expect("read").events.into_iter().find(|e| e.kind == "retried");
    let wanted = json!({ "stage": 0, "trials": 1, "discarded_stages": 0, "discarded_trials": 0 });
    assert_eq!(event.expect("an event").detail, wanted);
}

#[test]
fn a_failed_run_goes_on_where_it_lacks_a_trial() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), TINY);
    bench.store("w", 0..19);
    bench.give_up(19);
    assert!(!bench.close());
    bench.end();
    assert_eq!(store::summary(place.path()).expect("read").state, "failed");
    let (mut bench, run, _) = again(place.path(), TINY, false).expect("goes on");
    assert_eq!((run.state, run.all_stored()), (RunState::Running, set(0..19)));
    assert_eq!(number(place.path(), "SELECT COUNT(*) FROM run WHERE ended_at IS NULL"), 1);
    bench.finish(&run.all_stored());
    bench.end();
    assert_eq!(store::summary(place.path()).expect("read").state, "finished");
    assert_eq!(store::digest(place.path()).expect("read"), undisturbed(TINY));
    let (mut bench, _) = Bench::start(place.path(), TINY);
    assert_eq!(retry(&mut bench, true).err(), Some(Refused::Ended(RunState::Finished)));
    bench.end();
}

#[test]
fn later_stages_are_dropped_only_if_that_is_said() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), EVOLUTION);
    let first = hashes(place.path());
    let trials = bench.stage.trials;
    let mut later = 0;
    let mut exported = Vec::new();
    let mut export = |stage: &Stage| {
        let name = format!("stage={:05}.parquet", stage.index);
        // In the folder of its shape, and where version 0.1.0 had it.
        exported.extend([format!("results/{}/{name}", stage.shape.name), format!("results/{name}")]);
    };
    export(&bench.stage);
    bench.store("w", (0..trials).filter(|&trial| trial != 3));
    bench.give_up(3);
    while bench.close() {
        export(&bench.stage);
        later += bench.stage.trials;
        bench.store("w", 0..bench.stage.trials);
    }
    let stages = bench.stage.index as usize;
    assert!(stages >= 3, "{stages}");
    for path in exported.iter().map(|path| place.path().join(path)) {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, b"out of date").expect("written");
    }
    let standing = || exported.iter().filter(|path| place.path().join(path).exists()).count();
    assert_eq!(standing(), 2 * (stages + 1));
    let before = store::digest(place.path()).expect("read");

    bench.end();
    let refused = again(place.path(), EVOLUTION, false).err();
    assert_eq!(refused, Some(Refused::Later { stage: 0, stages, trials: later }));
    assert_eq!(store::digest(place.path()).expect("read"), before, "refused, and nothing done");
    assert_eq!(standing(), exported.len());

    let (mut bench, run, headline) = again(place.path(), EVOLUTION, true).expect("goes on");
    assert_eq!((run.stage.index, headline.as_str()), (0, ""));
    assert_eq!(run.all_stored(), set((0..trials).filter(|&trial| trial != 3)));
    assert!(run.quarantined.is_empty() && run.failures.is_empty());
    assert_eq!(hashes(place.path()), first, "populations that nobody names any more are gone");
    assert_eq!(standing(), 0);
    bench.finish(&run.all_stored());
    bench.end();
    let digest = store::digest(place.path()).expect("read");
    assert!(digest.complete && digest != before);
    assert_eq!(digest, undisturbed(EVOLUTION));
    // A restart in between finds the same.
    let (_, run) = open(place.path(), EVOLUTION).expect("opens");
    assert_eq!(run.state, RunState::Finished);
}
