//! Formats of the database, and experiments that an older version resolved otherwise.

use std::{fs, path::Path};

use coordinator::store::{self, Error, RunDirectory, RunStore};
use tempfile::TempDir;

use crate::bench::{Bench, TINY, copy, number, open, parse, sql};

/// A grid of twenty games by redqueen 0.1.0 at format 2 (`redqueen run --threads 1`), killed with -9 when ten were
/// stored; its log still stands beside it.
fn half_done(place: &TempDir) -> std::path::PathBuf {
    let directory = place.path().join("half-done");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/format-2"), &directory);
    directory
}

/// Digests by that program: of the killed run, and of the same grid undisturbed.
const HALF: &str = "a72746de7f0a004ef3df60684c1d4b60c78f097e2038e6c36224aacb1c38ffda";
const WHOLE: &str = "43202fcb4f81cc66411b3ae692b4a266ef0633de687cad105fc42046d9482838";

#[test]
fn a_run_of_format_2_is_read_goes_on_and_ends_as_a_fresh_one() {
    let place = TempDir::new().expect("a place");
    let directory = half_done(&place);
    let digest = store::digest(&directory).expect("read");
    assert_eq!((digest.hex.as_str(), digest.trials, digest.complete), (HALF, 10, false));
    assert_eq!(store::summary(&directory).expect("read").stored, 10);
    assert_eq!(store::events(&directory, 0, 100).expect("read").events, []);
    assert_eq!(number(&directory, "PRAGMA user_version"), 2, "reading changes nothing");

    let (mut bench, open) = Bench::take(RunStore::open(RunDirectory::open(&directory).expect("free")).expect("opens"));
    assert_eq!(number(&directory, "PRAGMA user_version"), 4);
    assert_eq!((open.all_stored().len(), open.stored.len()), (10, 1), "one worker stored them all");
    bench.finish(&open.all_stored());
    bench.end();
    let digest = store::digest(&directory).expect("read");
    assert_eq!((digest.hex.as_str(), digest.trials, digest.complete), (WHOLE, 20, true));
    let kinds: Vec<String> =
        store::events(&directory, 0, 100).expect("read").events.into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["migrated", "stage-closed", "finished"]);
}

#[test]
fn other_formats_are_refused_by_name() {
    for format in [1, 5] {
        let place = TempDir::new().expect("a place");
        drop(open(place.path(), TINY).expect("made"));
        sql(place.path(), &format!("PRAGMA user_version = {format}"));
        let errors = [
            open(place.path(), TINY).err(),
            RunDirectory::open(place.path()).and_then(RunStore::open).err(),
            store::digest(place.path()).err(),
            store::summary(place.path()).err(),
            store::events(place.path(), 0, 1).err(),
        ];
        for error in errors {
            let text = error.expect("refused").to_string();
            let wanted = format!("has format {format}; this redqueen reads formats 2 to 4");
            assert!(text.contains(&wanted) && text.contains("redqueen.sqlite"), "{text}");
        }
    }
}

/// A version that did not know `cost-us` yet wrote a text without it, and named the run by that text's hash.
#[test]
fn a_key_that_is_new_does_not_make_another_run() {
    let place = TempDir::new().expect("a place");
    let (store, _) = open(place.path(), TINY).expect("made");
    let id = store.id();
    drop(store);
    let path = place.path().join("resolved.toml");
    let text = fs::read_to_string(&path).expect("read").replace("cost-us = 0\n", "");
    let hash = blake3::hash(experiments::Experiment::results_of(&text).as_bytes()).to_hex().to_string();
    fs::write(&path, &text).expect("written");
    let old = &hash[..32];
    sql(place.path(), &format!("UPDATE run SET id = '{old}', experiment_hash = '{hash}'"));

    let (store, _) = open(place.path(), TINY).expect("the same run");
    assert_eq!(store.id().to_string(), old);
    assert_ne!(store.id(), id);
    assert_eq!(fs::read_to_string(&path).expect("read"), text, "the run's text stays what its hash says");
    drop(store);
    let found = coordinator::find_directory(place.path().parent().expect("above"), &parse(TINY));
    assert!(!found.exists(), "only directories that are named after the experiment are looked at");

    let other = TINY.replace("trials = 20", "trials = 21");
    assert!(matches!(open(place.path(), &other).err(), Some(Error::OtherRun { .. })));
    let costly = format!("{TINY}cost-us = 5\n");
    assert!(matches!(open(place.path(), &costly).err(), Some(Error::OtherRun { .. })));
}

#[test]
fn a_run_of_an_older_version_is_found_by_what_its_experiment_means() {
    let place = TempDir::new().expect("a place");
    let experiment = parse(TINY);
    let fresh = coordinator::find_directory(place.path(), &experiment);
    assert_eq!(fresh, place.path().join(coordinator::directory_name(&experiment)));
    let (old, other) = (place.path().join("tiny-00000000"), place.path().join("tiny-11111111"));
    drop(open(&other, &TINY.replace("trials = 20", "trials = 21")).expect("made"));
    assert_eq!(coordinator::find_directory(place.path(), &experiment), fresh);
    drop(open(&old, TINY).expect("made"));
    assert_eq!(coordinator::find_directory(place.path(), &experiment), old);
}
