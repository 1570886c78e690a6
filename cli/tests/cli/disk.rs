//! A coordinator whose disk is full or read-only, or whose database is locked by another process (docs/failures.md,
//! row 14): nothing is acknowledged falsely, the log names the path, and once there is room again the run ends like an
//! undisturbed one.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};
use tempfile::TempDir;

use crate::common::{
    files::{place, write},
    process::{Process, coordinator_by, worker},
    program::{ANNOUNCED, redqueen, run, succeed, text},
    runs::{digest, run_status, stored, submit, wait_for_end},
    wait::wait,
};

const TRIALS: u64 = 150_000;

fn experiment(place: &TempDir) -> PathBuf {
    let text = format!("format = 1\nname = \"many\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {TRIALS}\n");
    write(place, "many.toml", &text)
}

/// Digest of the experiment, run where nothing is in the way.
fn reference(place: &TempDir, file: &Path) -> String {
    let out = place.path().join("reference");
    succeed(&["run", text(file), "--no-tables", "--threads", "1", "--out", text(&out)]);
    digest(&out)
}

/// A coordinator with its log in a file.
fn server(program: Command, place: &TempDir, data: &Path) -> (Process, String, PathBuf) {
    let log = place.path().join("log");
    let (process, url) = coordinator_by(program, data, 0, &[], File::create(&log).expect("made").into());
    (process, url, log)
}

#[track_caller]
fn wait_for_line(log: &Path, parts: &[&str]) {
    wait(&format!("{parts:?} in the log"), || {
        let text = fs::read_to_string(log).ok()?;
        text.lines().any(|line| parts.iter().all(|part| line.contains(part))).then_some(())
    });
}

/// The run has ended as if nothing had happened.
#[track_caller]
fn ends_well(run: &str, url: &str, directory: &Path, wanted: &str) {
    assert_eq!(wait_for_end(run, url), "finished");
    assert_eq!(stored(directory, "synthetic"), (TRIALS, TRIALS));
    assert_eq!(digest(directory), wanted);
}

/// A small file system of the test's own, gone with it.
struct Mount(PathBuf);

impl Mount {
    /// None where mounting takes rights that the test does not have.
    fn new(path: PathBuf, options: &str) -> Option<Self> {
        fs::create_dir(&path).expect("made");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(&path).output();
        let mounted = mounted.is_ok_and(|output| output.status.success());
        println!("mounting a file system: {}", if mounted { "done" } else { "refused, so this test did not run" });
        mounted.then_some(Mount(path))
    }

    #[track_caller]
    fn remount(&self, options: &str) {
        let options = format!("remount,{options}");
        let done = Command::new("mount").args(["-o", &options]).arg(&self.0).status().expect("mount runs");
        assert!(done.success(), "{options}");
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_holds_a_run_up_and_no_more() {
    let place = place();
    let file = experiment(&place);
    let wanted = reference(&place, &file);
    let Some(mount) = Mount::new(place.path().join("data"), "size=1m") else { return };
    let (_server, url, log) = server(redqueen(), &place, &mount.0);
    let (run, directory) = submit(&file, &url);
    let _workers: Vec<_> = (0..2).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
    wait_for_line(&log, &["disk full at", text(&directory.join("redqueen.sqlite")), "nothing is acknowledged"]);
    // It still answers, and has counted nothing that is not there.
    let counted = run_status(&run, &url).expect("it answers")["stored"].as_u64().expect("a number");
    assert!(counted <= stored(&directory, "synthetic").0);
    mount.remount("size=64m");
    wait_for_line(&log, &["can be written again"]);
    ends_well(&run, &url, &directory, &wanted);
}

/// The same without any rights: the system refuses to make a file longer.
#[test]
fn writing_that_fails_holds_a_run_up_and_no_more() {
    let place = place();
    let file = experiment(&place);
    let wanted = reference(&place, &file);
    // The signal that comes with the refusal would end the process; an ignored one stays ignored behind `exec`.
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(redqueen().get_program()).env("RUST_LOG", "warn");
    shell.env("XDG_RUNTIME_DIR", ANNOUNCED).env("XDG_CACHE_HOME", ANNOUNCED);
    let (server, url, log) = server(shell, &place, &place.path().join("data"));
    let (run, directory) = submit(&file, &url);
    let pid = Pid::from_raw(i32::try_from(server.0.id()).expect("a process id"));
    let limit = |current| {
        let old = prlimit(pid, Resource::Fsize, Rlimit { current, maximum: None }).expect("a limit of a child of ours");
        assert_eq!(old.maximum, None);
    };
    limit(Some(300_000));
    let _workers: Vec<_> = (0..2).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
    wait_for_line(&log, &["fails at", text(&directory.join("redqueen.sqlite")), "nothing is acknowledged"]);
    limit(None);
    ends_well(&run, &url, &directory, &wanted);
}

/// `redqueen run` has no log: its progress says what is in the way, as plain lines here, and that it goes on.
#[test]
fn a_run_names_what_is_in_its_way_and_goes_on() {
    let place = place();
    let file = experiment(&place);
    let wanted = reference(&place, &file);
    let (out, told) = (place.path().join("run"), place.path().join("told"));
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -Sf 600; exec \"$0\" \"$@\""]).arg(redqueen().get_program());
    shell.args(["run", text(&file), "--no-tables", "--threads", "2", "--json", "--out", text(&out)]);
    let told_file = File::create(&told).expect("made");
    let mut process = Process(shell.stdout(Stdio::null()).stderr(told_file).spawn().expect("a shell"));
    wait_for_line(&told, &["nothing is leased or acknowledged", "fails at", text(&out.join("redqueen.sqlite"))]);
    let pid = Pid::from_raw(i32::try_from(process.0.id()).expect("a process id"));
    prlimit(pid, Resource::Fsize, Rlimit { current: None, maximum: None }).expect("a limit of a child of ours");
    wait_for_line(&told, &["(it goes on)"]);
    assert_eq!(process.end(), Some(0));
    assert_eq!(stored(&out, "synthetic"), (TRIALS, TRIALS));
    assert_eq!(digest(&out), wanted);
}

#[test]
fn a_database_held_by_another_holds_a_run_up_and_no_more() {
    let place = place();
    let file = experiment(&place);
    let wanted = reference(&place, &file);
    let (_server, url, log) = server(redqueen(), &place, &place.path().join("data"));
    let (run, directory) = submit(&file, &url);
    // A reader that does not leave costs the log its end, and nothing else.
    let reader = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    reader.execute_batch("BEGIN; SELECT COUNT(*) FROM run").expect("reads");
    let holder = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    holder.execute_batch("BEGIN EXCLUSIVE").expect("held");
    let _workers: Vec<_> = (0..2).map(|i| worker(&url, &format!("w{i}"), 1, &[])).collect();
    let held = "another process holds the database";
    wait_for_line(&log, &[held, text(&directory.join("redqueen.sqlite")), "nothing is acknowledged"]);
    let status = run_status(&run, &url).expect("it answers");
    assert_eq!(status["stored"], 0, "{status}");
    drop(holder);
    ends_well(&run, &url, &directory, &wanted);
}

#[test]
fn a_disk_that_cannot_be_written_is_refused_by_its_path_and_can_be_read() {
    let place = place();
    let file = experiment(&place);
    let Some(mount) = Mount::new(place.path().join("runs"), "size=64m") else { return };
    // A name that would mean something else in a URL.
    let out = mount.0.join("run 100%?#");
    let go = ["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out)];
    succeed(&go);
    let wanted = digest(&out);
    let another = mount.0.join("another");
    mount.remount("ro");
    for out in [&out, &another] {
        let output = run(&["run", text(&file), "--no-tables", "--threads", "2", "--out", text(out)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(text(out)) && stderr.contains("Read-only file system"), "{stderr}");
    }
    assert_eq!(digest(&out), wanted);
    succeed(&["status", text(&out)]);
    mount.remount("rw");
    succeed(&go);
    assert_eq!(digest(&out), wanted);
}
