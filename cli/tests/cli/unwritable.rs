//! stdout and stderr that cannot be written, in every command and at any moment: messages are lost and nothing else; a
//! result that cannot be written is an error, unless its reader went away.

use std::{
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    os::fd::OwnedFd,
    process::{Command, Output, Stdio},
};

use rustix::{
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
};

use crate::common::{
    self,
    experiments::GRID,
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{redqueen, text},
    runs::{digest, status, submit, wait_for_end},
    wait::wait,
};

/// A stream that does not take what is written.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Stream {
    /// A disk without room.
    Full,
    /// A pipe whose reader has gone.
    Closed,
    /// A pipe without a reader that reads.
    Stuck,
    /// The same one that does not wait, as some parents leave it.
    Refusing,
}

impl Stream {
    /// The stream for a child, and what the test must keep meanwhile.
    fn make(self) -> (Stdio, Option<OwnedFd>) {
        if self == Stream::Full {
            return (File::options().write(true).open("/dev/full").expect("a device").into(), None);
        }
        let (read, write) = std::io::pipe().expect("a pipe");
        if self == Stream::Closed {
            return (write.into(), None);
        }
        // Until not a byte more goes in.
        let flags = fcntl_getfl(&write).expect("its flags");
        fcntl_setfl(&write, flags | OFlags::NONBLOCK).expect("set");
        while rustix::io::write(&write, &[b'.'; 1]).is_ok() {}
        if self == Stream::Stuck {
            fcntl_setfl(&write, flags).expect("set");
        }
        (write.into(), Some(read.into()))
    }
}

/// Runs a command to its end with these streams; what is not given is read.
#[track_caller]
fn run(arguments: &[&str], stdout: Option<Stream>, stderr: Option<Stream>) -> Output {
    let (mut command, mut kept) = (redqueen(), Vec::new());
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (stream, is_stdout) in [(stdout, true), (stderr, false)] {
        let Some((stdio, keep)) = stream.map(Stream::make) else { continue };
        kept.push(keep);
        if is_stdout {
            command.stdout(stdio)
        } else {
            command.stderr(stdio)
        };
    }
    command.spawn().and_then(std::process::Child::wait_with_output).expect("the program runs")
}

/// Every command that prints a result and ends by itself, and its exit code.
fn commands<'a>(place: [&'a str; 5], url: &'a str, id: &'a str) -> Vec<Vec<&'a str>> {
    let [file, bad, table, run, out] = place;
    let at = ["--coordinator", url];
    let mut commands: Vec<Vec<&str>> = vec![
        vec!["--help"],
        vec!["--version"],
        vec!["run", "--help"],
        vec!["run", file, "--out", run],
        vec!["run", file, "--out", run, "--json"],
        vec!["run", file, "--out", run, "--no-tables", "--json"],
        vec!["check", file],
        vec!["check", file, "--print-config"],
        vec!["status", run],
        vec!["events", run],
        vec!["events", run, "--json", "--follow"],
        vec!["export", run, "--out", out],
        vec!["analyze", run, "--no-figures"],
        vec!["test", table, "--value", "score", "--group", "agent"],
        vec!["digest", run],
        vec!["replay", run, "0", "1"],
        vec!["play", "reversi", "--first", "random", "--second", "random", "--show", "--games", "3"],
        vec!["show", "reversi"],
        vec!["perft", "reversi", "3"],
        vec!["games"],
        vec!["players"],
        vec!["bench", "dodgem", "--repetitions", "1", "--seconds", "0.001"],
        vec!["check", bad, "--json"],
    ];
    for asked in [&["list"][..], &["status", id], &["events", id], &["watch", id], &["watch", id, "--json"]] {
        commands.push(asked.iter().chain(&at).copied().collect());
    }
    commands.push([&["submit", file][..], &at].concat());
    commands.push([&["export", id, "--out", out][..], &at].concat());
    commands
}

#[test]
fn a_result_without_room_is_an_error_and_one_that_nobody_reads_is_none() {
    let place = place();
    let file = write(&place, "grid.toml", &GRID.replace("= 200", "= 4"));
    let bad = write(&place, "bad.toml", "format = 1\n");
    let table = write(&place, "scores.csv", "agent,score\na,1\na,3\na,4\nb,2\nb,6\nb,7\n");
    let (_server, url) = coordinator(&place.path().join("data"), 0, &[]);
    let (id, _) = submit(&file, &url);
    let _worker = worker(&url, "w", 1, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
    let (directory, out) = (place.path().join("run"), place.path().join("copy"));
    common::program::succeed(&["run", text(&file), "--out", text(&directory)]);
    for command in commands([&file, &bad, &table, &directory, &out].map(|path| text(path)), &url, &id) {
        let fresh = || drop(fs::remove_dir_all(&out));
        fresh();
        let usual = run(&command, None, None);
        assert!(!usual.stdout.is_empty(), "{command:?}");
        for stream in [Stream::Full, Stream::Closed] {
            fresh();
            let done = run(&command, Some(stream), None);
            let told = String::from_utf8_lossy(&done.stderr);
            let code = if stream == Stream::Full { usual.status.code().max(Some(1)) } else { usual.status.code() };
            assert_eq!(done.status.code(), code, "{command:?} with stdout {stream:?}: {told}");
            let wanted = stream == Stream::Full;
            assert_eq!(told.contains("error: cannot write to stdout: No space left"), wanted, "{command:?}: {told}");
            assert!(!told.contains("panic"), "{command:?}: {told}");
        }
        let silent = usual.stderr.is_empty();
        for stream in [Stream::Full, Stream::Closed, Stream::Stuck] {
            if silent && stream != Stream::Closed {
                continue;
            }
            fresh();
            let done = run(&command, None, Some(stream));
            assert_eq!(done.status.code(), usual.status.code(), "{command:?} with stderr {stream:?}");
            assert!(!done.stdout.is_empty(), "{command:?} with stderr {stream:?}");
        }
        fresh();
        let done = run(&command, Some(Stream::Full), Some(Stream::Full));
        assert_eq!(done.status.code(), usual.status.code().max(Some(1)), "{command:?} with both full");
    }
}

#[test]
fn a_wrong_command_line_stays_one_whoever_hears_of_it() {
    for stream in [Stream::Full, Stream::Closed, Stream::Stuck] {
        for command in [&["run"][..], &["no-such-command"], &["run", "no-such-file.toml"], &["digest", "/"]] {
            assert_eq!(run(command, None, Some(stream)).status.code(), Some(2), "{command:?} with stderr {stream:?}");
        }
    }
}

/// A run from its first line to its tables.
#[test]
fn a_run_whose_progress_nobody_takes_ends_with_its_tables() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let wanted = place.path().join("wanted");
    common::program::succeed(&["run", text(&file), "--out", text(&wanted), "--no-tables"]);
    for stream in [Stream::Full, Stream::Closed, Stream::Stuck, Stream::Refusing] {
        let out = place.path().join(format!("{stream:?}"));
        let done = run(&["run", text(&file), "--out", text(&out)], None, Some(stream));
        assert_eq!(done.status.code(), Some(0), "stderr {stream:?}");
        assert!(String::from_utf8_lossy(&done.stdout).contains("test-grid: reversi by pair"), "stderr {stream:?}");
        assert!(out.join("tables/pairs.md").exists(), "stderr {stream:?}");
        assert_eq!(digest(&out), digest(&wanted));
    }
}

/// A result for a pipe that is in no hurry and does not wait is whole all the same.
#[test]
fn a_pipe_that_does_not_wait_gets_all_of_a_result() {
    let (read, write) = std::io::pipe().expect("a pipe");
    let flags = fcntl_getfl(&write).expect("its flags");
    fcntl_setfl(&write, flags | OFlags::NONBLOCK).expect("set");
    let long = ["play", "reversi", "--first", "random", "--second", "random", "--show", "--games", "40"];
    let mut child = redqueen().args(long).stdout(write).spawn().expect("the program starts");
    let (mut all, mut read) = (Vec::new(), BufReader::with_capacity(512, read));
    read.read_to_end(&mut all).expect("read");
    assert_eq!(child.wait().expect("it ends").code(), Some(0));
    assert!(all.len() > 1 << 17, "longer than a pipe");
    assert_eq!(all, run(&long, None, None).stdout);
}

#[test]
fn a_run_outlives_its_terminal() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).expect("a terminal");
    grantpt(&ours).and_then(|()| unlockpt(&ours)).expect("unlocked");
    let name = ptsname(&ours, Vec::new()).expect("its name").into_string().expect("UTF-8");
    let theirs = || -> Stdio { File::options().read(true).write(true).open(&name).expect("opens").into() };
    let out = place.path().join("run");
    let mut command = Command::new("setsid");
    command.arg(redqueen().get_program()).args(["run", text(&file), "--out", text(&out), "--threads", "1"]);
    command.env("TERM", "xterm").stdin(Stdio::null()).stdout(theirs()).stderr(theirs());
    let mut child = Process(command.spawn().expect("setsid runs"));
    drop(command);
    let mut first = [0; 256];
    assert!(File::from(ours).read(&mut first).expect("something is said") > 0);
    // It was closed with that.
    assert_eq!(child.end(), Some(0));
    assert!(out.join("tables/pairs.md").exists());
}

/// Coordinator and worker, whose logs are lost from some moment on.
#[test]
fn a_fleet_goes_on_without_its_logs() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let bad = write(&place, "killer.toml", KILLER);
    for stream in [Stream::Full, Stream::Closed, Stream::Stuck] {
        let data = place.path().join(format!("{stream:?}"));
        let log = stream.make();
        let mut server = redqueen();
        server.env("RUST_LOG", "debug");
        let (mut server, url) = common::process::coordinator_by(server, &data, 0, &[], log.0);
        let log = stream.make();
        let mut process = redqueen();
        process.env("RUST_LOG", "debug").args(["worker", "--coordinator", &url, "--name", "w", "--threads", "2"]);
        let mut process = Process(process.stdout(Stdio::null()).stderr(log.0).spawn().expect("the worker starts"));
        // Failing trials are what both have most to say about.
        let (killer, _) = submit(&bad, &url);
        let (id, directory) = submit(&file, &url);
        assert_eq!(wait_for_end(&killer, &url), "failed", "{stream:?}");
        assert_eq!(wait_for_end(&id, &url), "finished", "{stream:?}");
        assert_eq!(status(&id, &url)["stored"], common::experiments::GRID_TRIALS);
        digest(&directory);
        process.signal("TERM");
        assert_eq!(process.end(), Some(0), "{stream:?}");
        server.signal("TERM");
        assert_eq!(server.end(), Some(0), "{stream:?}");
    }
}

/// Some trials fail, and one ends its process.
const KILLER: &str = r#"
format = 1
name = "killer"
kind = "synthetic"
[synthetic]
trials = 40
fails = [3, 30]
aborts = [7]
"#;

/// A coordinator that cannot say where it listens serves all the same.
#[test]
fn a_coordinator_serves_though_nobody_hears_where() {
    for stream in [Stream::Full, Stream::Closed] {
        let place = place();
        let port = common::process::free_port();
        let url = format!("http://127.0.0.1:{port}");
        let mut server = redqueen();
        server.args(["coordinator", "--data", text(place.path()), "--listen", &url[7..]]).env("RUST_LOG", "warn");
        let server = server.stdout(stream.make().0).stderr(Stdio::piped()).spawn().expect("the coordinator starts");
        let mut server = Process(server);
        let mut line = String::new();
        BufReader::new(server.0.stderr.take().expect("piped")).read_line(&mut line).expect("a line");
        assert!(line.contains(&format!("listening on {url}; stdout cannot be written")), "{line}");
        wait("it to answer", || run(&["list", "--coordinator", &url], None, None).status.success().then_some(()));
        server.signal("TERM");
        assert_eq!(server.end(), Some(0));
    }
}
