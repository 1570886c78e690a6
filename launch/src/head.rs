//! The coordinator as a process of its own, which outlives its launcher and is started again when it dies.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::OpenOptionsExt as _,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

use crate::{
    directory::{Directory, replace, tail},
    session,
};

/// A coordinator that ends sooner than this after its start has not really started.
const YOUNG: Duration = Duration::from_secs(10);
/// How often that may happen, one after the other.
const FALSE_STARTS_MAX: u32 = 5;
/// How much of its log is shown then, in bytes.
const SHOWN: u64 = 2_000;
/// How long it may take to stop.
const STOPPING: Duration = Duration::from_secs(30);
/// Pause between two looks at one that stops.
const LOOK: Duration = Duration::from_millis(50);

/// The coordinator that was started last, as it stands in its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Started {
    /// Name of the machine.
    host: String,
    pid: u32,
    /// When the process started, as the system counts: another process may get its number.
    began: u64,
}

/// Starts and stops a launch's coordinator.
#[derive(Debug)]
pub struct Head {
    directory: Directory,
    program: PathBuf,
    arguments: Vec<String>,
    host: String,
    child: Option<Child>,
    started: Option<Instant>,
    false_starts: u32,
}

/// What became of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It lives, as far as this machine can tell.
    Lives,
    /// It was not there and has been started.
    Started,
}

/// Why there is no coordinator.
#[derive(Debug, thiserror::Error)]
pub enum HeadError {
    /// It cannot be started, or its file cannot be used.
    #[error("the coordinator cannot be started: {0}")]
    Io(#[from] io::Error),
    /// It ends as soon as it is started.
    #[error("the coordinator ends as soon as it is started; its log ends with\n{0}")]
    EndsAtOnce(String),
}

impl Head {
    /// The coordinator of a launch, as `program` with `arguments` on this machine, `host`.
    pub fn new(directory: Directory, program: PathBuf, arguments: Vec<String>, host: String) -> Self {
        Head { directory, program, arguments, host, child: None, started: None, false_starts: 0 }
    }

    /// Name of the machine on which the coordinator was started, if it is another one.
    pub fn elsewhere(&self) -> Option<String> {
        self.read().map(|started| started.host).filter(|host| *host != self.host)
    }

    /// Forgets the coordinator that was started last; for one that is known to have ended, with its machine or its job.
    pub fn forget(&self) {
        let _ = fs::remove_file(self.directory.head());
    }

    /// Starts the coordinator if it does not live. One on another machine is taken to live.
    ///
    /// # Errors
    /// It cannot be started, or ends each time as soon as it was.
    pub fn ensure(&mut self) -> Result<Life, HeadError> {
        if self.elsewhere().is_some() || self.lives() {
            if self.started.is_some_and(|at| at.elapsed() > YOUNG) {
                self.false_starts = 0;
            }
            return Ok(Life::Lives);
        }
        if self.started.is_some_and(|at| at.elapsed() <= YOUNG) {
            self.false_starts += 1;
        }
        if self.false_starts >= FALSE_STARTS_MAX {
            let log = tail(&self.directory.coordinator_log(), SHOWN).unwrap_or_default();
            return Err(HeadError::EndsAtOnce(log));
        }
        self.start()?;
        Ok(Life::Started)
    }

    fn start(&mut self) -> io::Result<()> {
        let log = self.directory.coordinator_log();
        let log = File::options().append(true).create(true).mode(0o600).open(log)?;
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        session::of_its_own(&mut command);
        let child = command.spawn()?;
        let started = Started { host: self.host.clone(), pid: child.id(), began: began(child.id()).unwrap_or(0) };
        replace(&self.directory.head(), &serde_json::to_vec(&started)?)?;
        (self.child, self.started) = (Some(child), Some(Instant::now()));
        Ok(())
    }

    /// Stops the coordinator in order, if it lives on this machine, and waits until it has.
    ///
    /// # Errors
    /// It does not stop, or cannot be signalled.
    pub fn stop(&mut self) -> io::Result<()> {
        let Some(started) = self.read().filter(|started| started.host == self.host) else { return Ok(()) };
        let Some(pid) = i32::try_from(started.pid).ok().and_then(Pid::from_raw).filter(|_| self.lives()) else {
            return Ok(());
        };
        kill_process(pid, Signal::TERM)?;
        let asked = Instant::now();
        while self.lives() {
            if asked.elapsed() > STOPPING {
                return Err(io::Error::other(format!("the coordinator (process {}) does not stop", started.pid)));
            }
            std::thread::sleep(LOOK);
        }
        self.forget();
        Ok(())
    }

    fn read(&self) -> Option<Started> {
        serde_json::from_slice(&fs::read(self.directory.head()).ok()?).ok()
    }

    /// Whether the coordinator that was started last lives on this machine.
    fn lives(&mut self) -> bool {
        // A child of this process stays as a zombie until it is waited for.
        if let Some(child) = &mut self.child {
            return child.try_wait().is_ok_and(|ended| ended.is_none());
        }
        self.read().is_some_and(|started| started.host == self.host && began(started.pid) == Some(started.began))
    }
}

/// When a process started, in ticks since the machine did; `None` if it does not live.
fn began(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace();
    let state = fields.next()?;
    if state == "Z" { None } else { fields.nth(18)?.parse().ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(place: &tempfile::TempDir, script: &str) -> Head {
        let directory = Directory::make(place.path()).expect("made");
        Head::new(directory, "sh".into(), vec!["-c".to_owned(), script.to_owned()], "here".to_owned())
    }

    #[test]
    fn a_coordinator_is_started_once_and_found_by_the_next_launcher() {
        let place = tempfile::tempdir().expect("a directory");
        let mut first = head(&place, "exec sleep 600");
        assert_eq!(first.ensure().expect("started"), Life::Started);
        assert_eq!(first.ensure().expect("lives"), Life::Lives);
        // The next launcher is no parent of it.
        let mut next = head(&place, "exit 9");
        assert_eq!(next.ensure().expect("found"), Life::Lives);
        let mut other = head(&place, "exit 9");
        other.host = "there".to_owned();
        assert_eq!((other.elsewhere(), other.ensure().expect("elsewhere")), (Some("here".to_owned()), Life::Lives));
        first.stop().expect("stopped");
        assert_eq!(first.ensure().expect("started again"), Life::Started);
        first.stop().expect("stopped");
    }

    #[test]
    fn one_that_ends_at_once_is_given_up_with_the_end_of_its_log() {
        let place = tempfile::tempdir().expect("a directory");
        let mut head = head(&place, "echo no such disk >&2; exit 1");
        let error = loop {
            match head.ensure() {
                Ok(_) => {
                    if let Some(child) = &mut head.child {
                        let _ = child.wait();
                    }
                }
                Err(error) => break error.to_string(),
            }
        };
        assert!(error.contains("no such disk"), "{error}");
    }
}
