//! Runs on a file system that machines share: a rollback journal, and readers that never write.

use std::{fs, path::Path, thread, time::Duration};

use experiments::{Experiment, Overrides};
use serde_json::json;
use tempfile::TempDir;

use super::{
    DATABASE, Error, RunDirectory, RunStore, connect_to_read, copy_out, database::connect_within, digest, events,
    storage::Storage, summary,
};
use crate::FileSystem;

const EXPERIMENT: &str = "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";

/// Opens the run at `path` as if it were on the named file system.
fn open_on(name: &str, path: &Path) -> Result<RunStore, Error> {
    let experiment = Experiment::parse(EXPERIMENT, "test.toml", &Overrides::default()).expect("an experiment");
    let storage = Storage { file_system: FileSystem::named(name).expect("known"), ..Storage::of(path) };
    Ok(RunStore::open(RunDirectory::create_on(storage, path, EXPERIMENT, &experiment)?)?.0)
}

fn note(store: &mut RunStore, n: u64) {
    store.transaction(|writing| writing.event("note", &json!({ "n": n }))).expect("written");
}

fn notes(path: &Path) -> usize {
    let events = events(path, 0, 1_000).expect("read").events;
    events.iter().filter(|event| event.kind == "note").count()
}

fn names(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).expect("read").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A copy of the files of a run, but not of its owner's.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for name in names(from).iter().filter(|name| !name.contains("owner")) {
        fs::copy(from.join(name), to.join(name)).expect("copied");
    }
}

fn mode(path: &Path) -> String {
    let conn = connect_to_read(path).expect("read");
    conn.query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("a mode")
}

/// Locks of this process on the database.
fn locks(path: &Path) -> usize {
    use std::os::unix::fs::MetadataExt as _;
    let inode = format!(":{} ", fs::metadata(path.join(DATABASE)).expect("it is there").ino());
    let pid = format!(" {} ", std::process::id());
    let locks = fs::read_to_string("/proc/locks").expect("Linux");
    locks.lines().filter(|line| line.contains("POSIX") && line.contains(&inode) && line.contains(&pid)).count()
}

#[test]
fn readers_read_beside_the_writer_without_shared_memory() {
    let place = TempDir::new().expect("a place");
    let path = place.path();
    let mut store = open_on("nfs", path).expect("made");
    note(&mut store, 1);
    let beside = |n| {
        assert_eq!(notes(path), n);
        assert_eq!(summary(path).expect("read").state, "running");
        assert_eq!(digest(path).expect("read").trials, 0);
    };
    beside(1);
    // In the middle of a transaction, which they do not see, and whose lock they leave alone.
    store
        .transaction(|writing| {
            writing.event("note", &json!({ "n": 2 }))?;
            let held = locks(path);
            assert!(held > 0);
            beside(1);
            copy_out(path, 1 << 16, |_, _| Ok(())).expect("copied");
            assert_eq!(locks(path), held);
            Ok(())
        })
        .expect("written");
    beside(2);
    let files = names(path);
    assert!(!files.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{files:?}");
    assert!(files.iter().any(|name| name == "redqueen.owner"), "{files:?}");
    drop(store);
    assert_eq!(summary(path).expect("read").state, "interrupted");
    assert!(!path.join("redqueen.owner").exists());
}

#[test]
fn a_reader_undoes_no_transaction() {
    let place = TempDir::new().expect("a place");
    let (path, left) = (place.path().join("run"), place.path().join("left"));
    let mut store = open_on("nfs", &path).expect("made");
    note(&mut store, 1);
    // What a writer that is killed in a transaction leaves, or one whose locks do not show here.
    store
        .transaction(|writing| {
            // So many pages that some are written before the end, for which the journal is made durable.
            writing.tx.pragma_update(None, "cache_size", 10)?;
            let text = "x".repeat(400);
            (0..1_000).try_for_each(|n| writing.event("note", &json!({ "n": n, "text": text })))?;
            copy(&path, &left);
            Ok(())
        })
        .expect("written");
    let journal = left.join("redqueen.sqlite-journal");
    let bytes = || (fs::read(left.join(DATABASE)).expect("read"), fs::read(&journal).expect("read"));
    let before = bytes();
    // SQLite writes the first byte when the rest is durable.
    assert_ne!(before.1[0], 0);
    let met = connect_within(&left, Duration::from_millis(100)).expect_err("it is in the middle");
    assert!(matches!(met, Error::Unfinished { .. }), "{met:?}");
    assert!(met.to_string().contains("redqueen.sqlite") && met.hint().is_some());
    assert!(bytes() == before);
    // It waits for the end of the transaction, as it comes beside a living writer.
    let reader = thread::spawn({
        let left = left.clone();
        move || connect_to_read(&left).map(drop)
    });
    let writer = open_on("nfs", &left).expect("its owner undoes it");
    reader.join().expect("no panic").expect("it reads then");
    assert_eq!(notes(&left), 1);
    drop(writer);
}

#[test]
fn a_run_that_is_moved_between_file_systems_gets_the_journal_of_each() {
    let place = TempDir::new().expect("a place");
    let (here, there, back) = (place.path().join("here"), place.path().join("there"), place.path().join("back"));
    let mut store = open_on("ext4", &here).expect("made");
    assert_eq!(mode(&here), "wal");
    note(&mut store, 1);
    // With the log and the shared memory that stand beside an open database.
    copy(&here, &there);
    assert!(record::journal::has(&there.join(DATABASE), "-wal"));
    let mut store = open_on("lustre", &there).expect("opened");
    // What a connection says that does not write and finds no log.
    assert_eq!((mode(&there).as_str(), notes(&there)), ("delete", 1));
    note(&mut store, 2);
    let files = names(&there);
    assert!(!files.iter().any(|name| name.ends_with("-wal") || name.ends_with("-shm")), "{files:?}");
    // Another process can read it: no lock is left from the conversion.
    assert_eq!(locks(&there), 0);
    drop(store);
    copy(&there, &back);
    let mut store = open_on("ext4", &back).expect("opened");
    note(&mut store, 3);
    assert_eq!((mode(&back).as_str(), notes(&back)), ("wal", 3));
    assert!(!back.join("redqueen.owner").exists() && !back.join("redqueen.sqlite-journal").exists());
}
