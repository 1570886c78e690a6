//! The process that runs trials, one after the other on one thread, as its worker orders over a socket.
//!
//! It is a process of its own so that a trial that hangs, overflows its stack or exhausts memory costs only itself. It
//! must not outlive its worker: it ends when the socket closes, whatever runs, together with the processes that its
//! trials have started.

mod gather;

use std::{
    any::Any,
    collections::BTreeMap,
    fs::File,
    io::{self, Write as _},
    os::{
        fd::{AsFd as _, OwnedFd},
        unix::net::UnixStream,
    },
    panic::{self, AssertUnwindSafe, catch_unwind},
    sync::{Arc, atomic::AtomicBool},
    thread,
    time::Duration,
};

use experiments::{
    Experiment,
    plan::{Artifact, Executor},
};
use record::{Shape, Stage};
use redqueen_wire::{self as wire, from_executor::Kind as Answer, to_executor::Kind as Order};
use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{Resource, Rlimit, Signal, kill_current_process_group, setrlimit},
    stdio,
};

use crate::{
    frames::{self, Incoming},
    progress::{ProgressWriter, now_us},
};
use gather::Gather;

/// Stack of a trial, the same on every machine: a trial that fits on one fits on all.
const STACK: usize = 16 << 20;
/// Results are sent at least this often, though never before the running trial has ended.
const HOLD: Duration = Duration::from_millis(20);
/// Results are sent when they have this many bytes.
const HOLD_BYTES: usize = 1 << 20;
/// At the end of an order, results are sent if they are this old (half a portion) or have this many bytes. Otherwise
/// they wait for the results of the next order, if there is one, since an order may be for a single trial.
const GATHER: Duration = Duration::from_micros(2_500);
const GATHER_BYTES: usize = 32 << 10;
/// Longest error of a trial, in bytes.
const ERROR_MAX: usize = 16 << 10;
/// Longest message from the worker, in bytes: a plan and its artifacts.
const ORDER_MAX: usize = 1 << 30;
/// Name of the thread that runs trials.
const THREAD: &str = "trial";
/// Score by which the kernel chooses what to kill when memory runs out, up to 1,000: a trial rather than its worker.
const OOM_SCORE: &str = "500";

/// Why a process cannot run trials.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// stdin and stdout are not a socket and the memory of a worker.
    #[error("no worker started this process")]
    NoWorker(#[source] io::Error),
    /// The system refused a setting.
    #[error("cannot set up a process to run trials in")]
    Limits(#[source] io::Error),
    /// The system gave no thread, perhaps for lack of memory.
    #[error("cannot start the thread that runs trials")]
    Thread(#[source] io::Error),
}

/// Serves the worker that started this process until it closes the socket. Returns only on an error.
///
/// The process may have `memory_bytes` of memory, if given: beyond that, allocations fail, which ends it.
///
/// # Errors
/// No worker started it, or the system refuses what it needs.
pub fn execute(memory_bytes: Option<u64>) -> Result<(), ExecuteError> {
    let (socket, progress) = take_over().map_err(ExecuteError::NoWorker)?;
    limit(memory_bytes).map_err(ExecuteError::Limits)?;
    let watched = socket.try_clone().map_err(ExecuteError::Limits)?;
    let runner = Runner {
        socket,
        progress,
        incoming: Incoming::new(ORDER_MAX),
        out: Vec::new(),
        stages: BTreeMap::new(),
        flushed_us: 0,
    };
    let serve = move || {
        match catch_unwind(AssertUnwindSafe(|| runner.serve())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => last_words(&format!("the socket of the worker failed: {error}")),
            Err(panic) => last_words(&format!("the executor itself {}; please report this", message(&*panic))),
        }
        end();
    };
    thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(serve).map_err(ExecuteError::Thread)?;
    // No event is asked for: poll always reports that the other side has closed.
    while let Err(rustix::io::Errno::INTR) = poll(&mut [PollFd::new(&watched, PollFlags::empty())], None) {}
    end()
}

/// Writes a line to stderr, which the worker reads.
fn last_words(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Ends this process and all that its trials have started.
fn end() -> ! {
    let _ = kill_current_process_group(Signal::KILL);
    std::process::abort()
}

/// Takes the socket from stdin and the shared memory from stdout, so that no trial and no process of one reads or
/// writes them: from then on stdin is empty and stdout goes to stderr.
fn take_over() -> io::Result<(UnixStream, ProgressWriter)> {
    let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let progress = ProgressWriter::take(&io::stdout())?;
    // Fails if it is not a socket.
    rustix::net::sockopt::socket_type(&socket)?;
    stdio::dup2_stdin(File::open("/dev/null")?)?;
    stdio::dup2_stdout(io::stderr())?;
    Ok((UnixStream::from(socket), progress))
}

/// Sets this process's signals and limits.
fn limit(memory_bytes: Option<u64>) -> io::Result<()> {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGXCPU};
    // A batch system signals every process of a job; the worker decides when this one ends.
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2, SIGXCPU] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    // Ends this process even if it is stopped and cannot see that the socket is closed.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // No core files: this process is expected to die. `redqueen replay` runs a trial under a debugger.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    if let Some(bytes) = memory_bytes {
        setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    }
    // Other systems lack this file and some containers may not write it; the kernel then chooses by itself.
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // The panic of a trial is its result; on stderr it would be taken for the message of a later trial.
        if thread::current().name() != Some(THREAD) {
            default(panic);
        }
    }));
    Ok(())
}

/// What runs the trials of a stage.
struct Prepared {
    executor: Box<dyn Executor>,
    shape: Shape,
}

struct Runner {
    socket: UnixStream,
    progress: ProgressWriter,
    incoming: Incoming,
    /// Answers that are not sent yet.
    out: Vec<u8>,
    /// The prepared stages, by the worker's key.
    stages: BTreeMap<u32, Prepared>,
    /// When answers were last sent.
    flushed_us: u64,
}

impl Runner {
    /// Serves until the worker closes the socket.
    fn serve(mut self) -> io::Result<()> {
        loop {
            while let Some(order) = self.incoming.next::<wire::ToExecutor>().map_err(io::Error::other)? {
                match order.kind {
                    Some(Order::Prepare(stage)) => self.prepare(stage),
                    Some(Order::Run(wire::RunTrials { key, trials: Some(trials) })) => self.run(key, trials)?,
                    Some(Order::Release(key)) => drop(self.stages.remove(&key)),
                    Some(Order::Run(_)) | None => {}
                }
            }
            self.flush()?;
            if self.incoming.read(&mut self.socket)? == 0 {
                return Ok(());
            }
        }
    }

    fn prepare(&mut self, stage: wire::PrepareStage) {
        let key = stage.key;
        let prepared = catch_unwind(AssertUnwindSafe(|| prepared(stage)));
        match prepared.unwrap_or_else(|panic| Err(message(&*panic))) {
            Ok(prepared) => drop(self.stages.insert(key, prepared)),
            Err(what) => self.answer(Answer::Unusable(what)),
        }
    }

    fn run(&mut self, key: u32, trials: wire::Range) -> io::Result<()> {
        // A stage that is missing could not be prepared, which the worker was told.
        let Some(Prepared { executor, shape }) = self.stages.remove(&key) else { return Ok(()) };
        let (hold_us, mut now) = (HOLD.as_micros() as u64, now_us());
        if self.out.is_empty() {
            self.flushed_us = now;
        }
        let mut gather = Gather::new(&shape, trials.start);
        for trial in trials.start..trials.end {
            self.progress.begin(key, trial, now);
            // Unwind safe: an executor changes nothing of its own in a trial.
            let row = catch_unwind(AssertUnwindSafe(|| executor.run(trial)));
            let after = now_us();
            let row = match row {
                Ok(row) => row.map_err(|error| error.to_string()),
                Err(panic) => Err(message(&*panic)),
            };
            let pushed = row.and_then(|row| gather.push(trial, after - now, row).map_err(|error| error.to_string()));
            if let Err(error) = pushed {
                self.report(&mut gather, trial + 1);
                self.answer(Answer::Failure(wire::TrialFailure { trial, error: shortened(error) }));
            }
            now = after;
            if after - self.flushed_us >= hold_us || gather.bytes() + self.out.len() >= HOLD_BYTES {
                // Not counted as the time of a trial, in case the worker does not read.
                self.progress.clear();
                self.report(&mut gather, trial + 1);
                self.flush()?;
                now = now_us();
                self.flushed_us = now;
            }
        }
        self.progress.clear();
        self.report(&mut gather, trials.end);
        self.stages.insert(key, Prepared { executor, shape });
        let old = now.saturating_sub(self.flushed_us) >= GATHER.as_micros() as u64;
        if old || self.out.len() >= GATHER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Queues the gathered rows; the next row is that of trial `next` or a later one.
    fn report(&mut self, gather: &mut Gather, next: u64) {
        if let Some(rows) = gather.take(next) {
            self.answer(Answer::Rows(rows));
        }
    }

    fn answer(&mut self, kind: Answer) {
        frames::append(&wire::FromExecutor { kind: Some(kind) }, &mut self.out);
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }
}

fn prepared(stage: wire::PrepareStage) -> Result<Prepared, String> {
    let experiment = Experiment::from_resolved(&stage.experiment).map_err(|faults| faults.to_string())?;
    let spec: Stage = serde_json::from_str(&stage.stage_json).map_err(|error| error.to_string())?;
    let artifacts: Vec<Artifact> =
        stage.artifacts.into_iter().map(|data| Artifact { kind: String::new(), data }).collect();
    let executor = experiments::plan(&experiment).executor(&spec, &artifacts).map_err(|error| error.to_string())?;
    Ok(Prepared { executor, shape: spec.shape })
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panicked: {}", text.unwrap_or_else(|| "without a message".to_owned()))
}

/// The beginning of an error, since some contain whole positions.
fn shortened(mut error: String) -> String {
    error.truncate(error.floor_char_boundary(ERROR_MAX));
    error
}
