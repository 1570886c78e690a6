//! Commits while the disk is slow (docs/failures.md, row 33): fsync waits in a library that is loaded before the
//! system's.
//!
//! `REDQUEEN_FSYNC_MS=0,1,10,100` prints rows a second for these delays, with each kind of journal.

use std::{
    env, fs,
    path::Path,
    process::Command,
    sync::mpsc::RecvTimeoutError,
    time::{Duration, Instant},
};

use coordinator::store::Reply;
use tempfile::TempDir;

use crate::bench::{Bench, number};

/// The directory of the run, for a process that measures.
const MEASURE: &str = "REDQUEEN_TEST_MEASURE";
/// Rows in a batch, and batches that wait for their commit at once, as those of a few hundred workers may.
const ROWS: u64 = 50;
const WAITING: usize = 512;

const SLOW: &str = r#"
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static void pause_of(void) { const char *ms = getenv("FSYNC_MS"); if (ms) usleep(1000 * atoi(ms)); }
int fsync(int fd) { pause_of(); return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { pause_of(); return syscall(SYS_fdatasync, fd); }
"#;

/// Stores `batches` batches; prints rows a second and the number of commits.
fn measure(path: &Path, batches: u64) {
    let trials = batches * ROWS;
    let text = format!("format = 1\nname = \"many\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {trials}\n");
    let (mut bench, _) = Bench::start(path, &text);
    let batches: Vec<_> = (0..batches).map(|n| bench.rows(n * ROWS..(n + 1) * ROWS)).collect();
    let commits = |path| number(path, "SELECT commits FROM run");
    let (before, begun, mut waiting) = (commits(path), Instant::now(), 0);
    for rows in batches {
        bench.send("w", rows);
        waiting += 1;
        while waiting >= WAITING {
            waiting -= usize::from(matches!(bench.hear(), Reply::Committed { .. }));
        }
    }
    while waiting > 0 {
        waiting -= usize::from(matches!(bench.hear(), Reply::Committed { .. }));
    }
    let rate = trials as f64 / begun.elapsed().as_secs_f64();
    // Without a file of the test's own: closing it would end the writer's locks.
    let quiet = bench.replies.recv_timeout(Duration::ZERO);
    assert!(matches!(quiet, Err(RecvTimeoutError::Timeout) | Ok(Reply::Wrote { .. })), "{quiet:?}");
    bench.end();
    println!("measured {rate:.0} {}", commits(path) - before);
}

#[test]
fn commits_group_while_the_disk_is_slow() {
    let shown = env::var("REDQUEEN_FSYNC_MS").ok();
    let batches = if shown.is_some() { 20_000 } else { 2_000 };
    if let Some(path) = env::var_os(MEASURE) {
        return measure(Path::new(&path), batches);
    }
    let place = TempDir::new().expect("a place");
    let (source, library) = (place.path().join("slow.c"), place.path().join("slow.so"));
    fs::write(&source, SLOW).expect("written");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).args([&library, &source]).status();
    assert!(compiled.expect("a C compiler").success());
    for delay in shown.as_deref().unwrap_or("20").split(',') {
        for kind in ["ext4", "nfs"] {
            let out = place.path().join(format!("{kind}-{delay}"));
            let output = Command::new(env::current_exe().expect("a path"))
                .args(["--exact", "slow::commits_group_while_the_disk_is_slow", "--nocapture"])
                .envs([("LD_PRELOAD", library.as_os_str()), (MEASURE, out.as_os_str())])
                .envs([("FSYNC_MS", delay), ("REDQUEEN_FILE_SYSTEM", kind)])
                .output()
                .expect("a process");
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            let line = text.lines().find_map(|line| line.strip_prefix("measured ")).unwrap_or_else(|| panic!("{text}"));
            let (rate, commits) = line.split_once(' ').expect("two numbers");
            println!("{kind}, {delay} ms: {rate} rows a second, {commits} commits");
            // A commit takes what has come while the last one was made durable, 256 batches at most.
            let commits: u64 = commits.parse().expect("a number");
            assert!(commits >= batches / 256 && commits <= batches / 40, "{kind}, {delay} ms: {commits} commits");
        }
    }
}
