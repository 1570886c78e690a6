//! An executor process as its worker sees it: started, spoken to without ever blocking, and ended.

use std::{
    collections::VecDeque,
    io::{self, Read as _, Write as _},
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt as _},
    },
    path::PathBuf,
    process::{self, ChildStderr, Command, Stdio},
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
    progress::{Running, SharedProgress},
    slot::exit::{Exit, StderrTail},
};

/// Most stages that a process holds at a time.
const KNOWN_MAX: usize = 8;
/// Longest answer, in bytes; a process sends its results once they have a few MiB.
const ANSWER_MAX: usize = 64 << 20;
/// How long to wait for a killed process to end. One that hangs in the kernel is left behind.
const REAP_TIME: Duration = Duration::from_secs(10);
/// How long a process that has closed its socket may take to end by itself.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// Pause between two looks at such a process.
const LOOK: Duration = Duration::from_millis(1);

/// How executor processes are started.
#[derive(Clone, Debug, Default)]
pub struct Executors {
    /// A redqueen program whose `executor` command runs trials; this program if not given.
    pub program: Option<PathBuf>,
    /// Bytes of memory that each process may have; unlimited if not given.
    pub memory_bytes: Option<u64>,
}

/// An executor process. Dropping it kills it and all that its trials have started.
pub(super) struct Child {
    process: process::Child,
    group: Pid,
    socket: UnixStream,
    stderr: Option<ChildStderr>,
    progress: SharedProgress,
    /// Encoded orders, and how many of their bytes are sent.
    out: Vec<u8>,
    sent: usize,
    incoming: Incoming,
    stderr_tail: StderrTail,
    /// Stages it holds, the newest last.
    known: VecDeque<(u32, Arc<Job>)>,
    last_key: u32,
    closed: bool,
    reaped: bool,
}

impl Child {
    /// Starts a process.
    pub(super) fn start(executors: &Executors) -> io::Result<Self> {
        let (socket, theirs) = UnixStream::pair()?;
        socket.set_nonblocking(true)?;
        let progress = SharedProgress::new()?;
        let mut command = match &executors.program {
            Some(program) => Command::new(program),
            None => Command::new(this_program()?),
        };
        command.arg0("redqueen").arg("executor");
        if let Some(bytes) = executors.memory_bytes {
            command.arg("--memory-bytes").arg(bytes.to_string());
        }
        command.stdin(OwnedFd::from(theirs)).stdout(progress.share()?).stderr(Stdio::piped());
        // In a group of its own, so that Ctrl-C does not reach it and a kill also ends what it has started.
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
            progress,
            out: Vec::new(),
            sent: 0,
            incoming: Incoming::new(ANSWER_MAX),
            stderr_tail: StderrTail::default(),
            known: VecDeque::new(),
            last_key: 0,
            closed: false,
            reaped: false,
        })
    }

    /// Orders trials to be run after those that it already has, `pending`; [`Child::pump`] sends the order.
    pub(super) fn order(&mut self, portion: &Portion, pending: &VecDeque<Portion>) {
        let key = match self.known.iter().find(|(_, job)| Arc::ptr_eq(job, &portion.job)) {
            Some(&(key, _)) => key,
            None => self.prepare(&portion.job, pending),
        };
        let trials = Some(wire::Range { start: portion.trials.start, end: portion.trials.end });
        self.say(Order::Run(wire::RunTrials { key, trials }));
    }

    fn prepare(&mut self, job: &Arc<Job>, pending: &VecDeque<Portion>) -> u32 {
        // A run has one open stage: what its earlier ones hold, networks and tables of solvers, is of no more use.
        let is_over = |known: &Arc<Job>| {
            known.stage.run == job.stage.run && !pending.iter().any(|portion| Arc::ptr_eq(&portion.job, known))
        };
        let (gone, known) = self.known.drain(..).partition(|(_, known)| is_over(known));
        self.known = known;
        let oldest = if self.known.len() == KNOWN_MAX { self.known.pop_front() } else { None };
        for (key, _) in VecDeque::into_iter(gone).chain(oldest) {
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

    /// Sends and receives what it can; waits for at most `patience` if there is nothing to do.
    pub(super) fn pump(&mut self, patience: Duration) {
        self.send();
        let sending = if self.out.is_empty() { PollFlags::empty() } else { PollFlags::OUT };
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN | sending)];
        fds.extend(self.stderr.as_ref().map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        let patience = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
        // An error is a signal or a kernel without memory: the caller looks at the clock and calls again.
        if poll(&mut fds, Some(&patience)).is_ok_and(|ready| ready > 0) {
            drop(fds);
            self.send();
            self.listen();
        }
    }

    fn send(&mut self) {
        while self.sent < self.out.len() {
            match self.socket.write(&self.out[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                // Reading will show that the process has ended.
                Err(_) => break,
            }
        }
        self.out.clear();
        self.sent = 0;
    }

    /// Reads what is there, stderr first, since the socket shows the end. Returns whether an answer may have come.
    fn listen(&mut self) -> bool {
        while let Some(stderr) = &mut self.stderr {
            let mut bytes = [0; 4_096];
            match stderr.read(&mut bytes) {
                Ok(0) => self.stderr = None,
                Ok(count) => self.stderr_tail.push(&bytes[..count]),
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

    /// The next complete answer.
    pub(super) fn answer(&mut self) -> Result<Option<Answer>, Garbled> {
        match self.incoming.next::<wire::FromExecutor>()? {
            Some(message) => message.kind.map(Some).ok_or(Garbled),
            None => Ok(None),
        }
    }

    /// Whether the process has closed its socket: it is dead or dying.
    pub(super) fn is_closed(&self) -> bool {
        self.closed
    }

    /// The trial that runs, or ran when it died, and its stage.
    pub(super) fn running(&self) -> Option<(&Arc<Job>, Running)> {
        let running = self.progress.running()?;
        let (_, job) = self.known.iter().find(|(key, _)| *key == running.key)?;
        Some((job, running))
    }

    /// Kills the process. Answers that it sent before can still be read.
    pub(super) fn kill(&mut self) -> Exit {
        if self.closed {
            // It is ending by itself: learn how.
            let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
            until(LAST_WORDS, || waitid(WaitId::Pid(self.group), options).transpose());
        }
        // The group's id is not reused before its first process is reaped, so this hits no other process.
        let _ = kill_process_group(self.group, Signal::KILL);
        let status = until(REAP_TIME, || self.process.try_wait().transpose()).and_then(Result::ok);
        self.reaped = true;
        // What it wrote before it died counts; that is what the socket still holds.
        while self.listen() {}
        let running = self.running().map(|(job, running)| (Arc::clone(job), running));
        Exit { status, running, stderr: std::mem::take(&mut self.stderr_tail) }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.reaped {
            self.kill();
        }
    }
}

/// Calls `look` until it returns something, for at most `time`.
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

/// This program, even if its file has been replaced or removed.
#[cfg(target_os = "linux")]
fn this_program() -> io::Result<&'static str> {
    Ok("/proc/self/exe")
}

#[cfg(not(target_os = "linux"))]
fn this_program() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::tests::job;

    #[test]
    fn stages_of_a_run_that_are_over_are_released() {
        // The program ends at once and reads nothing: orders are only written down.
        let executors = Executors { program: Some("true".into()), memory_bytes: None };
        let mut child = Child::start(&executors).expect("every Unix has `true`");
        let job = |run, index| {
            let mut job = job(index);
            job.stage.run = vec![run; 16];
            Arc::new(job)
        };
        let [first, other, second, third] = [(1, 0), (2, 0), (1, 1), (1, 2)].map(|(run, index)| job(run, index));
        let held = |child: &Child| -> Vec<u32> { child.known.iter().map(|(key, _)| *key).collect() };
        let portion = |job: &Arc<Job>| Portion::new(Arc::clone(job), 0..10);
        let mut pending = VecDeque::new();
        for job in [&first, &other] {
            child.order(&portion(job), &pending);
            pending.push_back(portion(job));
        }
        // Trials of the first stage may still run.
        child.order(&portion(&second), &pending);
        assert_eq!(held(&child), [1, 2, 3]);
        pending.clear();
        child.order(&portion(&third), &pending);
        assert_eq!(held(&child), [2, 4]);
        child.order(&portion(&other), &pending);
        assert_eq!(held(&child), [2, 4], "the other run's stage is still there");
    }
}
