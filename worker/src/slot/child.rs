//! An executor process from the worker's side: starting it, talking to it without ever waiting for it, ending it.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::PathBuf,
    process::{self, ChildStderr, Command, ExitStatus, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use redqueen_wire::{self as wire, from_executor::Kind as Answer, to_executor::Kind as Order};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};

use crate::{
    frames::{self, Garbled, Incoming},
    job::{Job, Portion},
    progress::{Board, Running},
    slot::exit::Words,
};

/// Stages that a process holds at a time.
const KNOWN_MAX: usize = 4;
/// Longest answer, in bytes; results leave a process when they have a few MiB.
const ANSWER_MAX: usize = 64 << 20;
/// How long a process that was killed may take to be gone. One that hangs in the kernel stays longer, without us.
const REAP: Duration = Duration::from_secs(10);
/// How long a process that has closed its socket may take to end by itself.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Pause between two looks at it.
const LOOK: Duration = Duration::from_millis(1);

/// How executor processes are started.
#[derive(Clone, Debug, Default)]
pub struct Executors {
    /// A redqueen whose `executor` command runs trials; this very program if not given.
    pub program: Option<PathBuf>,
    /// Bytes of memory that each process may have; unlimited if not given.
    pub memory_bytes: Option<u64>,
}

/// A process. Dropping it kills it and whatever its trials started.
pub(super) struct Child {
    process: process::Child,
    group: Pid,
    socket: UnixStream,
    stderr: Option<ChildStderr>,
    board: Board,
    /// Orders that have not left, and how much of them has.
    out: Vec<u8>,
    left: usize,
    incoming: Incoming,
    words: Words,
    /// Stages it holds, the newest last.
    known: VecDeque<(u32, Arc<Job>)>,
    last_key: u32,
    closed: bool,
    reaped: bool,
}

/// What is known of a process that has ended.
pub(super) struct Remains {
    /// How it ended, where the kernel said so in time.
    pub(super) status: Option<ExitStatus>,
    /// The trial that ran, and its stage.
    pub(super) running: Option<(Arc<Job>, Running)>,
    /// The end of what it wrote to stderr.
    pub(super) words: Words,
}

impl Child {
    /// Starts one.
    pub(super) fn start(executors: &Executors) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        let board = Board::new()?;
        let mut command = match &executors.program {
            Some(program) => Command::new(program),
            None => Command::new(this_program()?),
        };
        command.arg0("redqueen").arg("executor");
        if let Some(bytes) = executors.memory_bytes {
            command.arg("--memory-bytes").arg(bytes.to_string());
        }
        command.stdin(OwnedFd::from(theirs)).stdout(board.share()?).stderr(Stdio::piped());
        // Of its own group, so that Ctrl-C does not reach it and a kill takes what it started.
        let mut process = command.process_group(0).spawn()?;
        let stderr = process.stderr.take();
        if let Some(stderr) = &stderr {
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        Ok(Child {
            group: Pid::from_child(&process),
            process,
            socket,
            stderr,
            board,
            out: Vec::new(),
            left: 0,
            incoming: Incoming::new(ANSWER_MAX),
            words: Words::default(),
            known: VecDeque::new(),
            last_key: 0,
            closed: false,
            reaped: false,
        })
    }

    /// Orders trials to be run, behind those that it has; [`Child::pump`] sends it.
    pub(super) fn order(&mut self, portion: &Portion) {
        let key = match self.known.iter().find(|(_, job)| Arc::ptr_eq(job, &portion.job)) {
            Some(&(key, _)) => key,
            None => self.prepare(&portion.job),
        };
        let trials = Some(wire::Range { start: portion.trials.start, end: portion.trials.end });
        self.say(Order::Run(wire::RunTrials { key, trials }));
    }

    fn prepare(&mut self, job: &Arc<Job>) -> u32 {
        if self.known.len() == KNOWN_MAX
            && let Some((key, _)) = self.known.pop_front()
        {
            self.say(Order::Release(key));
        }
        self.last_key += 1;
        let key = self.last_key;
        let artifacts = job.artifacts.iter().map(|data| data.to_vec()).collect();
        let (experiment, stage_json) = (job.experiment.clone(), job.stage_json.clone());
        self.say(Order::Prepare(wire::PrepareStage { key, experiment, stage_json, artifacts }));
        self.known.push_back((key, Arc::clone(job)));
        key
    }

    fn say(&mut self, kind: Order) {
        frames::append(&wire::ToExecutor { kind: Some(kind) }, &mut self.out);
    }

    /// Sends and takes in what goes without waiting; if that is nothing, waits for `patience` at most.
    pub(super) fn pump(&mut self, patience: Duration) {
        self.send();
        let sending = if self.out.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN | sending)];
        fds.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        let patience = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
        // An error is a signal or a kernel without memory: whoever called looks at the clock and comes again.
        if poll(&mut fds, Some(&patience)).is_ok_and(|ready| ready > 0) {
            drop(fds);
            self.send();
            self.listen();
        }
    }

    fn send(&mut self) {
        while self.left < self.out.len() {
            match self.socket.write(&self.out[self.left..]) {
                Ok(count) => self.left += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Its end is told by what is read.
                Err(_) => break,
            }
        }
        self.out.clear();
        self.left = 0;
    }

    /// Takes in what is there, last words first, since an end is told by the socket; whether an answer may have come.
    fn listen(&mut self) -> bool {
        while let Some(stderr) = &mut self.stderr {
            let mut bytes = [0; 4_096];
            match stderr.read(&mut bytes) {
                Ok(0) => self.stderr = None,
                Ok(count) => self.words.hear(&bytes[..count]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        match self.incoming.read(&mut self.socket) {
            Ok(count) if count > 0 => return true,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Ok(_) | Err(_) => self.closed = true,
        }
        false
    }

    /// The next answer that has come whole.
    pub(super) fn answer(&mut self) -> Result<Option<Answer>, Garbled> {
        match self.incoming.next::<wire::FromExecutor>()? {
            Some(message) => message.kind.map(Some).ok_or(Garbled),
            None => Ok(None),
        }
    }

    /// Whether it has closed the socket: it is dead or dying.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The trial that runs, or ran when it died, and its stage.
    pub(super) fn running(&self) -> Option<(&Arc<Job>, Running)> {
        let running = self.board.running()?;
        let (_, job) = self.known.iter().find(|(key, _)| *key == running.key)?;
        Some((job, running))
    }

    /// Kills it. Answers that it gave before can still be read.
    pub(super) fn kill(&mut self) -> Remains {
        if self.closed {
            // It is ending by itself, and how is worth to be known.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            until(LAST_WORDS, || waitid(WaitId::Pid(self.group), options).transpose());
        }
        // The group's name is taken as long as its first process is not reaped, so this hits no stranger.
        let _ = kill_process_group(self.group, Signal::KILL);
        let status = until(REAP, || self.process.try_wait().transpose()).and_then(Result::ok);
        self.reaped = true;
        // What it said before it died counts; a socket holds little, and the dead say nothing more.
        while self.listen() {}
        let running = self.running().map(|(job, running)| (Arc::clone(job), running));
        Remains { status, running, words: std::mem::take(&mut self.words) }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
        }
    }
}

/// Looks for something again and again, for `time` at most.
fn until<T>(time: Duration, mut look: impl FnMut() -> Option<T>) -> Option<T> {
    let begun = Instant::now();
    loop {
        let found = look();
        if found.is_some() || begun.elapsed() >= time {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// What to start: this program, even where its file was replaced or removed meanwhile.
#[cfg(target_os = "linux")]
fn this_program() -> io::Result<&'static str> {
    Ok("/proc/self/exe")
}

#[cfg(not(target_os = "linux"))]
fn this_program() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
