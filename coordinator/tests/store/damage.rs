//! Damaged files: refused by name, never a panic, never a new start in their place (docs/failures.md, row 19).

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use coordinator::{
    ranges::RangeSet,
    store::{self, Error, Reply, RunDirectory, RunStore},
};
use tempfile::TempDir;

use crate::bench::{Bench, EVOLUTION, copy, number, open, sql};

/// Some pages of rows.
const SOME: &str = "format = 1\nname = \"some\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 5000\n";

/// A finished run, closed in order.
struct Whole {
    _place: TempDir,
    directory: PathBuf,
    digest: String,
}

fn whole() -> Whole {
    let place = TempDir::new().expect("a place");
    let directory = place.path().join("whole");
    let (mut bench, _) = Bench::start(&directory, SOME);
    bench.finish(&RangeSet::new());
    bench.end();
    let digest = store::digest(&directory).expect("a digest").hex;
    assert!(!directory.join("redqueen.sqlite-wal").exists(), "the log went into the database");
    Whole { _place: place, directory, digest }
}

/// Everything a person can ask of a run's directory, and opening it for writing.
fn outcomes(directory: &Path) -> Vec<(&'static str, Result<String, Error>)> {
    vec![
        ("digest", store::digest(directory).map(|digest| digest.hex)),
        ("summary", store::summary(directory).map(|summary| format!("{summary:?}"))),
        ("failures", store::failures(directory).map(|failures| format!("{failures:?}"))),
        ("folded", store::folded(directory).map(|folded| format!("{folded:?}"))),
        ("events", store::events(directory, 0, 1_000).map(|events| format!("{events:?}"))),
        ("create", open(directory, SOME).map(|(store, _)| store.id().to_string())),
        ("open", RunDirectory::open(directory).and_then(RunStore::open).map(|(store, _)| store.id().to_string())),
    ]
}

/// A message that says which file and what to do.
#[track_caller]
fn speaks_of(error: &Error, file: &str, case: &str) {
    assert!(error.to_string().contains(file), "{case}: {error}");
    assert!(error.hint().is_some(), "{case}: what can be done about {error:?}");
}

#[track_caller]
fn refused(directory: &Path, file: &str, case: &str) {
    for (what, outcome) in outcomes(directory) {
        match outcome {
            Err(error) => {
                assert!(matches!(error, Error::Damaged { .. }), "{case}, {what}: {error:?}");
                speaks_of(&error, file, &format!("{case}, {what}"));
            }
            Ok(value) => panic!("{case}, {what}: {value}"),
        }
    }
}

#[test]
fn a_database_cut_short_at_any_length_is_refused() {
    let whole = whole();
    let length = fs::metadata(whole.directory.join("redqueen.sqlite")).expect("there").len();
    assert!(length > 20 * 4_096, "{length}");
    for cut in [0, 1, 15, 16, 17, 50, 99, 100, 511, 512, 4_095, 4_096, 4_097, length / 2, length - 4_096, length - 1] {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        let path = place.path().join("redqueen.sqlite");
        OpenOptions::new().write(true).open(&path).expect("opens").set_len(cut).expect("cut");
        refused(place.path(), "redqueen.sqlite", &format!("{cut} of {length} bytes"));
        assert_eq!(fs::metadata(&path).expect("there").len(), cut, "left as it was");
    }
}

#[test]
fn a_database_that_is_something_else_is_refused() {
    let whole = whole();
    for bytes in [&b"not a database, whatever its name says"[..], &[0; 8_192], &[0xff; 100_000]] {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        fs::write(place.path().join("redqueen.sqlite"), bytes).expect("written");
        refused(place.path(), "redqueen.sqlite", "something else");
    }
    for table in ["run", "stages", "artifacts", "workers", "failures", "quarantined", "events", "claims"] {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        sql(place.path(), &format!("DROP TABLE {table}"));
        refused(place.path(), "redqueen.sqlite", &format!("no table {table}"));
    }
    for statement in
        ["DROP TABLE results_synthetic", "DELETE FROM run", "DELETE FROM stages", "UPDATE run SET state = 'x'"]
    {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        sql(place.path(), statement);
        let error = open(place.path(), SOME).err().expect("refused");
        assert!(matches!(error, Error::Damaged { .. }), "{statement}: {error:?}");
        speaks_of(&error, "redqueen.sqlite", statement);
    }
}

#[test]
fn a_database_that_is_gone_is_never_begun_anew() {
    let whole = whole();
    for traces in [true, false] {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        let path = place.path().join("redqueen.sqlite");
        fs::remove_file(&path).expect("removed");
        if traces {
            fs::write(place.path().join("redqueen.sqlite-wal"), b"frames").expect("written");
            refused(place.path(), "redqueen.sqlite", "gone, its log there");
        } else {
            // Reading creates no database. A directory that a crash left before its database existed is completed,
            // but only when the experiment is given again.
            assert!(store::digest(place.path()).is_err());
            assert!(RunDirectory::open(place.path()).is_err());
            assert!(!path.exists());
            assert!(open(place.path(), SOME).is_ok());
        }
    }
}

#[test]
fn a_resolved_experiment_that_is_cut_or_gone_is_refused() {
    let whole = whole();
    let text = fs::read(whole.directory.join("resolved.toml")).expect("there");
    for cut in 0..=text.len() {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        let path = place.path().join("resolved.toml");
        match cut {
            // Cut behind its last byte: gone.
            _ if cut == text.len() => fs::remove_file(&path).expect("removed"),
            _ => fs::write(&path, &text[..cut]).expect("written"),
        }
        for outcome in [open(place.path(), SOME), RunDirectory::open(place.path()).and_then(RunStore::open)] {
            let error = outcome.err().unwrap_or_else(|| panic!("{cut} bytes are taken for the whole"));
            assert!(matches!(error, Error::Damaged { .. }), "{cut} bytes: {error:?}");
            speaks_of(&error, "resolved.toml", &format!("{cut} bytes"));
        }
        assert_eq!(store::digest(place.path()).expect("needs only the database").hex, whole.digest);
    }
}

/// Blocks of zeros and of noise anywhere. Zeros never change a result unseen; noise may look like a value, and then
/// only has to do no harm.
#[test]
fn a_block_overwritten_anywhere_is_refused_or_does_not_matter() {
    let whole = whole();
    let length = fs::metadata(whole.directory.join("redqueen.sqlite")).expect("there").len();
    let seed = 0x5eed_u64;
    let mut state = seed;
    let mut below = |n: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % n
    };
    let mut noticed = 0;
    for case in 0..80 {
        let place = TempDir::new().expect("a place");
        copy(&whole.directory, place.path());
        let zeros = case % 2 == 0;
        // Up to two pages, as a disk loses them: in blocks of 512 bytes.
        let (at, blocks) = (below(length / 512) * 512, 1 + below(16));
        let bytes: Vec<u8> = (0..blocks * 512).map(|_| if zeros { 0 } else { below(256) as u8 }).collect();
        let kept = bytes.len().min((length - at) as usize);
        let file = OpenOptions::new().write(true).open(place.path().join("redqueen.sqlite")).expect("opens");
        file.write_all_at(&bytes[..kept], at).expect("written");
        let name = format!("seed {seed:#x}, case {case}: {kept} bytes at {at}, zeros {zeros}");
        let mut seen = false;
        for (what, outcome) in outcomes(place.path()) {
            match outcome {
                Err(error) => {
                    speaks_of(&error, "redqueen.sqlite", &format!("{name}, {what}"));
                    seen = true;
                }
                Ok(digest) if zeros && what == "digest" => assert_eq!(digest, whole.digest, "{name}"),
                Ok(_) => {}
            }
        }
        noticed += u32::from(seen);
    }
    assert!(noticed >= 60, "{noticed} of 80 were noticed");
}

/// Going on needs only the open stage; what stands before it is looked at all the same.
#[test]
fn damage_in_a_closed_stage_is_found_before_a_run_goes_on() {
    let place = TempDir::new().expect("a place");
    let (directory, damaged) = (place.path().join("whole"), place.path().join("damaged"));
    let text = EVOLUTION.replace("population = 10", "population = 60").replace("as-first = 3", "as-first = 20");
    let (mut bench, _) = Bench::start(&directory, &text);
    bench.store("w", 0..bench.stage.trials);
    assert!(bench.close());
    bench.end();
    let pages = fs::metadata(directory.join("redqueen.sqlite")).expect("there").len() / 4_096;
    let mut found = 0;
    for page in 1..pages {
        let _ = fs::remove_dir_all(&damaged);
        copy(&directory, &damaged);
        let file = OpenOptions::new().write(true).open(damaged.join("redqueen.sqlite")).expect("opens");
        // The end of a page, where cells are: its head still looks well.
        file.write_all_at(&[0; 1_024], page * 4_096 + 3_072).expect("written");
        if store::digest(&damaged).is_err() {
            found += 1;
            let error = open(&damaged, &text).err().unwrap_or_else(|| panic!("page {page} is taken for sound"));
            assert!(matches!(error, Error::Damaged { .. }), "page {page}: {error:?}");
        }
    }
    assert!(found > 5, "{found} of {pages} pages matter to the digest");
}

/// SQLite ends a log at the first frame that is not whole, and says nothing.
#[test]
fn a_log_cut_short_is_noticed_and_its_trials_run_again() {
    let place = TempDir::new().expect("a place");
    let (directory, cut) = (place.path().join("run"), place.path().join("cut"));
    let (mut bench, _) = Bench::start(&directory, SOME);
    for part in 0..20 {
        bench.store("w", part * 50..(part + 1) * 50);
    }
    // As after kill -9: the writer is still at it.
    for keep in [100, 75, 50, 0] {
        let _ = fs::remove_dir_all(&cut);
        copy(&directory, &cut);
        let log = cut.join("redqueen.sqlite-wal");
        let length = fs::metadata(&log).expect("a log").len();
        OpenOptions::new().write(true).open(&log).expect("opens").set_len(length * keep / 100).expect("cut");
        let (_, run) = open(&cut, SOME).expect("what is there is sound");
        let lost: Vec<_> = store::events(&cut, 0, 100)
            .expect("read")
            .events
            .into_iter()
            .filter(|event| event.kind == "commits-lost")
            .collect();
        let commits = 20 - run.all_stored().len() / 50;
        match lost.first() {
            None => assert_eq!((keep, commits), (100, 0), "{keep} %: nothing said"),
            Some(event) => assert_eq!(event.detail["commits"], commits, "{keep} %"),
        }
        assert!(keep == 100 || commits > 0, "{keep} %: {commits}");
    }
    bench.end();
}

/// Damage that is met while a run is under way ends it; it is not tried again.
#[test]
fn damage_met_later_ends_the_run() {
    let place = TempDir::new().expect("a place");
    let (mut bench, _) = Bench::start(place.path(), SOME);
    bench.store("w", 0..2_000);
    // Another's commit makes the writer forget the pages it holds; then the file under it is overwritten.
    sql(place.path(), "INSERT INTO workers VALUES (99, 'x', 1, ''); PRAGMA wal_checkpoint(TRUNCATE)");
    let path = place.path().join("redqueen.sqlite");
    let length = fs::metadata(&path).expect("there").len();
    let file = OpenOptions::new().write(true).open(&path).expect("opens");
    file.write_all_at(&vec![0; length as usize - 4_096], 4_096).expect("written");
    let rows = bench.rows(2_000..2_100);
    bench.send("w", rows);
    match bench.hear() {
        Reply::Stuck { run, why } => {
            assert_eq!(run, bench.run);
            assert!(why.contains("redqueen.sqlite") && why.contains("damaged"), "{why}");
        }
        other => panic!("{other:?}"),
    }
    bench.end();
}

#[test]
fn a_start_that_was_interrupted_is_made_whole() {
    let place = TempDir::new().expect("a place");
    drop(RunDirectory::create(place.path(), SOME, &crate::bench::parse(SOME)).expect("made"));
    fs::write(place.path().join("redqueen.sqlite.new"), b"half").expect("written");
    let (_, run) = open(place.path(), SOME).expect("made whole");
    assert!(run.stored.is_empty());
    assert!(!place.path().join("redqueen.sqlite.new").exists());
    assert_eq!(number(place.path(), "PRAGMA user_version"), 4);
}
