//! A run on a file system whose locks hold nothing: two processes, of which the first is frozen, and one lease.

use std::{
    env, fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

use experiments::{Experiment, Overrides};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tempfile::TempDir;

use super::{FILE, Holder, Times, process};
use crate::{
    FileSystem,
    store::{Error, RunDirectory, RunStore, directory::patiently, storage::Storage},
};

const EXPERIMENT: &str = "format = 1\nname = \"tiny\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 20\n";
/// The directory of the run, for a process that is to own it.
const OWN: &str = "REDQUEEN_TEST_OWN";
/// Longest wait; only a fault reaches it.
const PATIENCE: Duration = Duration::from_secs(60);
const SHORT: Times = Times { renew: ms(200), stop: ms(1_000), expire: ms(2_500), settle: ms(600) };

const fn ms(ms: u64) -> Duration {
    Duration::from_millis(ms)
}

/// Locks are granted to everybody, those of SQLite, too.
fn lawless(times: Times) -> Storage {
    Storage { file_system: FileSystem::named("nfs").expect("known"), lock: |_| Ok(()), base: Some(c"unix-none"), times }
}

fn open(path: &Path, times: Times) -> Result<RunStore, Error> {
    let experiment = Experiment::parse(EXPERIMENT, "test.toml", &Overrides::default()).expect("an experiment");
    let directory = RunDirectory::create_on(lawless(times), path, EXPERIMENT, &experiment)?;
    Ok(RunStore::open(directory)?.0)
}

/// Stores an event, and much of it, so that a transaction takes a while.
fn write(store: &mut RunStore, events: u64) -> Result<(), Error> {
    let text = "x".repeat(400);
    let written = store.transaction(|writing| {
        // So small that the database changes before the transaction ends.
        writing.tx.pragma_update(None, "cache_size", 10)?;
        (0..events).try_for_each(|n| writing.event("note", &json!({ "n": n, "text": text })))
    });
    written.map_err(|error| store.shut_out().unwrap_or_else(|| store.database_error(error)))
}

/// Every file of a run but that of its owner, and what is in it.
fn bytes(path: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = fs::read_dir(path).expect("read").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| !path.to_string_lossy().contains(FILE)).collect();
    files.sort();
    files.into_iter().map(|path| (path.clone(), fs::read(path).expect("read"))).collect()
}

/// A process that owns a run and writes it without a pause, until it cannot.
struct Owner {
    child: Child,
    said: Receiver<String>,
    _stdin: ChildStdin,
}

impl Owner {
    fn start(path: &Path) -> Self {
        let mut child = Command::new(env::current_exe().expect("a path"))
            .args(["--exact", "store::owner::tests::an_owner_that_was_frozen_writes_nothing_more", "--nocapture"])
            .env(OWN, path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("a process");
        let (stdout, stdin) = (child.stdout.take().expect("piped"), child.stdin.take().expect("piped"));
        let (send, said) = channel();
        thread::spawn(move || BufReader::new(stdout).lines().map_while(Result::ok).all(|line| send.send(line).is_ok()));
        Owner { child, said, _stdin: stdin }
    }

    /// Waits for a line of it that has `part`.
    #[track_caller]
    fn says(&self, part: &str) -> String {
        let begun = Instant::now();
        loop {
            let line = self.said.recv_timeout(PATIENCE.saturating_sub(begun.elapsed())).expect(part);
            if line.contains(part) {
                return line;
            }
        }
    }

    fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).expect("an id")).expect("an id");
        kill_process(pid, signal).expect("a child of ours");
    }

    /// Stops it in the middle of a transaction, after or before the database has changed: SQLite writes the first byte
    /// of the journal between.
    fn freeze(&self, path: &Path, changed: bool) {
        let begun = Instant::now();
        loop {
            self.signal(Signal::STOP);
            wait("it stops", || process::stat(self.child.id()).is_some_and(|(state, _)| state == 'T'));
            let journal = fs::read(path.join("redqueen.sqlite-journal")).unwrap_or_default();
            if journal.first().is_some_and(|&first| (first != 0) == changed) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "it was never in the middle of a transaction");
            self.signal(Signal::CONT);
            thread::yield_now();
        }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[track_caller]
fn wait(what: &str, done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < PATIENCE, "waited in vain: {what}");
        thread::sleep(ms(2));
    }
}

/// The other process: writes until that fails, and says so.
fn own(path: &Path) {
    let mut store = open(path, SHORT).expect("it opens");
    println!("\nowns");
    let lost = loop {
        match write(&mut store, 2_000) {
            Ok(()) => {}
            Err(error @ Error::LeaseLost { .. }) => break error,
            // Another attempt would come in a second.
            Err(Error::LeaseLapsed { .. }) => thread::sleep(ms(10)),
            Err(error) => panic!("{error:?}"),
        }
    };
    drop(store);
    println!("lost: {lost}");
    // It ends with the test: until then its files are as it left them.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

#[test]
fn an_owner_that_was_frozen_writes_nothing_more() {
    if let Some(path) = env::var_os(OWN) {
        return own(Path::new(&path));
    }
    let place = TempDir::new().expect("a place");
    for changed in [true, false] {
        let owner = Owner::start(place.path());
        owner.says("owns");
        owner.freeze(place.path(), changed);
        let frozen = Instant::now();
        // Its process is there, so the other one waits until the lease is old, and then undoes the transaction.
        let mut store = patiently(|| open(place.path(), SHORT)).expect("taken");
        assert!(frozen.elapsed() >= SHORT.expire - SHORT.renew, "{:?}", frozen.elapsed());
        write(&mut store, 3).expect("written");
        let before = bytes(place.path());
        owner.signal(Signal::CONT);
        let lost = owner.says("lost: ");
        assert!(lost.contains(&format!("process {} on", std::process::id())), "{lost}");
        assert!(bytes(place.path()) == before, "it changed a file of the run");
        write(&mut store, 3).expect("the other one goes on");
        drop(store);
        assert!(!place.path().join(FILE).exists());
    }
}

#[test]
fn an_owner_that_was_frozen_goes_on_if_its_run_was_left_alone() {
    let place = TempDir::new().expect("a place");
    let owner = Owner::start(place.path());
    owner.says("owns");
    owner.freeze(place.path(), true);
    let commits = || fs::read_to_string(place.path().join("redqueen.commits")).unwrap_or_default();
    let (then, begun) = (commits(), Instant::now());
    wait("the lease is old", || begun.elapsed() > SHORT.expire + SHORT.stop);
    owner.signal(Signal::CONT);
    wait("another commit", || commits() > then);
}

#[test]
fn a_dead_owner_s_run_is_taken_at_once() {
    let place = TempDir::new().expect("a place");
    let mut owner = Owner::start(place.path());
    owner.says("owns");
    let Err(Error::InUse { holder: Some(holder), left: Some(left), .. }) = open(place.path(), Times::USUAL) else {
        panic!("it is in use");
    };
    assert_eq!((holder.pid, &holder.host), (owner.child.id(), &Holder::this().host));
    assert!(left > Duration::from_secs(50));
    owner.child.kill().expect("killed");
    wait("it is dead", || process::stat(owner.child.id()).is_some_and(|(state, _)| state == 'Z'));
    let begun = Instant::now();
    let mut store = open(place.path(), Times { settle: ms(400), ..Times::USUAL }).expect("it is free");
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    write(&mut store, 1).expect("written");
    owner.child.wait().expect("it has ended");
}

/// A living owner renews its file, which shows that waiting is of no use.
#[test]
fn a_living_owner_is_not_waited_for() {
    let place = TempDir::new().expect("a place");
    let _store = open(place.path(), SHORT).expect("it opens");
    let begun = Instant::now();
    let refused = patiently(|| open(place.path(), Times::USUAL)).err().expect("it is in use");
    assert!(matches!(refused, Error::InUse { left: None, holder: Some(_), .. }), "{refused:?}");
    assert!(begun.elapsed() < PATIENCE / 2);
    assert!(refused.to_string().contains(&format!("(process {} on `", std::process::id())), "{refused}");
}

/// Where there are no locks, the lease alone keeps others out, whatever the file system.
#[test]
fn a_file_system_without_locks_has_leases() {
    let place = TempDir::new().expect("a place");
    let without = || Storage {
        file_system: FileSystem::named("ext4").expect("known"),
        lock: |_| Err(fs::TryLockError::Error(rustix::io::Errno::NOLCK.into())),
        base: None,
        times: SHORT,
    };
    let experiment = Experiment::parse(EXPERIMENT, "test.toml", &Overrides::default()).expect("an experiment");
    let first = RunDirectory::create_on(without(), place.path(), EXPERIMENT, &experiment).expect("made");
    let second = RunDirectory::create_on(without(), place.path(), EXPERIMENT, &experiment);
    assert!(matches!(second, Err(Error::InUse { .. })), "{second:?}");
    drop(first);
    RunDirectory::create_on(without(), place.path(), EXPERIMENT, &experiment).expect("it is free");
}

#[test]
fn a_file_that_is_shown_only_when_closed_keeps_no_run() {
    let place = TempDir::new().expect("a place");
    let storage = || Storage { file_system: FileSystem::named("afs").expect("known"), ..lawless(SHORT) };
    let experiment = Experiment::parse(EXPERIMENT, "test.toml", &Overrides::default()).expect("an experiment");
    let path = place.path().join("run");
    let refused = RunDirectory::create_on(storage(), &path, EXPERIMENT, &experiment).expect_err("refused");
    assert!(refused.to_string().contains("is on afs"), "{refused}");
    assert!(refused.hint().is_some_and(|hint| hint.contains("NFS")));
    assert!(!path.exists());
    drop(open(&path, SHORT).expect("made elsewhere"));
    assert!(matches!(RunDirectory::open_on(storage(), &path), Err(Error::Unsuitable { .. })));
}
