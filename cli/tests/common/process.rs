//! Coordinators, workers and other processes, which end with the test that started them.

use std::{
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{program::redqueen, wait::wait};

/// A process that is killed when the test is done with it.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// kill -9.
    pub(crate) fn kill(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &pid]).status().expect("kill runs");
        assert!(sent.success(), "no signal to {pid}");
    }

    /// Waits for its end and gives its exit code.
    #[track_caller]
    pub(crate) fn end(&mut self) -> Option<i32> {
        let child = &mut self.0;
        wait("a process to end", || child.try_wait().expect("a child of ours")).code()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A coordinator of the test's own, on a free port or on `port`.
pub(crate) fn coordinator(data: &Path, port: u16, extra: &[&str]) -> (Process, String) {
    coordinator_by(redqueen(), data, port, extra, Stdio::null())
}

/// The same, started by a command of the test's own, with its log somewhere.
pub(crate) fn coordinator_by(
    mut program: Command,
    data: &Path,
    port: u16,
    extra: &[&str],
    log: Stdio,
) -> (Process, String) {
    let listen = format!("127.0.0.1:{port}");
    let child = program
        .args(["coordinator", "--data"])
        .arg(data)
        .args(["--listen", &listen])
        .args(if extra.contains(&"--heartbeat-secs") { &[][..] } else { &["--heartbeat-secs", "1"] })
        .args(extra)
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .expect("the coordinator starts");
    let mut process = Process(child);
    let stdout = process.0.stdout.take().expect("piped");
    let mut line = String::new();
    BufReader::new(stdout).read_line(&mut line).expect("a line");
    let url = line.trim().strip_prefix("listening on ").unwrap_or_else(|| panic!("no address in {line:?}"));
    (process, url.to_owned())
}

/// A worker of the test's own.
pub(crate) fn worker(url: &str, name: &str, threads: u32, extra: &[&str]) -> Process {
    let child = redqueen()
        .args(["worker", "--coordinator", url, "--name", name, "--threads", &threads.to_string()])
        .args(extra)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the worker starts");
    Process(child)
}

/// A free port of loopback.
pub(crate) fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    listener.local_addr().expect("bound").port()
}

/// Highest memory a process ever had, bytes.
pub(crate) fn peak_memory(process: &Process) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id())).expect("alive");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number") * 1_024
}
