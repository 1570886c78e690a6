//! The process that runs trials: what it is told over a socket, it does on one thread, trial after trial.
//!
//! It is a process so that a trial that hangs, overflows its stack or eats memory costs only itself. It must not
//! outlive its worker: it ends when the socket closes, whatever runs, and takes the processes that trials started with
//! it.

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
    progress::{Chalk, now_us},
};
use gather::Gather;

/// Stack of a trial: the same on every machine, so that what fits on one fits on all.
const STACK: usize = 16 << 20;
/// Results leave at least this often, but not before the trial that runs has ended.
const HOLD: Duration = Duration::from_millis(20);
/// Results leave when they have this many bytes.
const HOLD_BYTES: usize = 1 << 20;
/// At the end of an order, results leave if they are this old, half a portion, or this many bytes; else they wait for
/// those of the next order, if there is one: some orders are for one trial.
const GATHER: Duration = Duration::from_micros(2_500);
const GATHER_BYTES: usize = 32 << 10;
/// Longest error of a trial, in bytes.
const ERROR_MAX: usize = 16 << 10;
/// Longest message from the worker, in bytes: a plan and its artifacts.
const ORDER_MAX: usize = 1 << 30;
/// Name of the thread that runs trials.
const THREAD: &str = "trial";
/// What the kernel is to take first when memory runs out, on a scale to 1,000: a trial rather than its worker.
const OOM_SCORE: &str = "500";

/// Why a process cannot run trials.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// stdin and stdout are not what a worker gives.
    #[error("no worker started this process")]
    NoWorker(#[source] io::Error),
    /// The system refuses a setting.
    #[error("cannot set up a process to run trials in")]
    Limits(#[source] io::Error),
    /// The system gives no thread, perhaps for want of memory.
    #[error("cannot start the thread that runs trials")]
    Thread(#[source] io::Error),
}

/// Serves the worker that started this process, until it closes the socket. Does not return but for an error.
///
/// Its memory is limited to `memory_bytes`, if any: more is refused, which ends the process.
///
/// # Errors
/// It was not started by a worker, or the system refuses what it needs.
pub fn execute(memory_bytes: Option<u64>) -> Result<(), ExecuteError> {
    let (socket, chalk) = take_over().map_err(ExecuteError::NoWorker)?;
    limit(memory_bytes).map_err(ExecuteError::Limits)?;
    let watched = socket.try_clone().map_err(ExecuteError::Limits)?;
    let runner = Runner {
        socket,
        chalk,
        incoming: Incoming::new(ORDER_MAX),
        out: Vec::new(),
        stages: BTreeMap::new(),
        flushed_us: 0,
    };
    let serve = move || {
        match catch_unwind(AssertUnwindSafe(|| runner.serve())) {
            Ok(Ok(())) => {}
            Ok(Err(error)) => last_words(&format!("the socket of the worker: {error}")),
            Err(panic) => last_words(&format!("the executor itself {}; please report this", message(&*panic))),
        }
        end();
    };
    thread::Builder::new().name(THREAD.to_owned()).stack_size(STACK).spawn(serve).map_err(ExecuteError::Thread)?;
    // Asks for nothing but the end, which is always told.
    while let Err(rustix::io::Errno::INTR) = poll(&mut [PollFd::new(&watched, PollFlags::empty())], None) {}
    end()
}

/// Says something to the worker, if it still reads.
fn last_words(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Ends this process and whatever its trials started.
fn end() -> ! {
    let _ = kill_current_process_group(Signal::KILL);
    std::process::abort()
}

/// Takes socket and board from stdin and stdout, so that no trial and nothing that it starts reads or writes them:
/// stdin is empty from now on, and what is printed goes where errors go.
fn take_over() -> io::Result<(UnixStream, Chalk)> {
    let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let chalk = Chalk::take(&io::stdout())?;
    // Fails on what is no socket.
    rustix::net::sockopt::socket_type(&socket)?;
    stdio::dup2_stdin(File::open("/dev/null")?)?;
    stdio::dup2_stdout(io::stderr())?;
    Ok((UnixStream::from(socket), chalk))
}

/// Sets what the kernel and the terminal may do to this process.
fn limit(memory_bytes: Option<u64>) -> io::Result<()> {
    // A batch system tells every process of a job to leave; the worker says when this one is done.
    for signal in [signal_hook::consts::SIGTERM, signal_hook::consts::SIGINT, signal_hook::consts::SIGHUP] {
        signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)))?;
    }
    // Ends this process even where it is stopped and cannot see that the socket is closed.
    #[cfg(target_os = "linux")]
    rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
    // Dying is in the day's work here; `redqueen replay` dies in front of a debugger.
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    if let Some(bytes) = memory_bytes {
        setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?;
    }
    // Other systems have no such file, and some containers no right to it: then the kernel chooses by itself.
    let _ = std::fs::write("/proc/self/oom_score_adj", OOM_SCORE);
    let told = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        // That of a trial is its result, and would stand here as the last words of another.
        if thread::current().name() != Some(THREAD) {
            told(panic);
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
    chalk: Chalk,
    incoming: Incoming,
    /// Answers that have not left.
    out: Vec<u8>,
    /// By the worker's key.
    stages: BTreeMap<u32, Prepared>,
    /// When answers left last.
    flushed_us: u64,
}

impl Runner {
    /// Until the worker closes the socket.
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
        // A stage that is not there could not be prepared, and the worker knows.
        let Some(Prepared { executor, shape }) = self.stages.remove(&key) else { return Ok(()) };
        let (hold_us, mut now) = (HOLD.as_micros() as u64, now_us());
        if self.out.is_empty() {
            self.flushed_us = now;
        }
        let mut gather = Gather::new(&shape, trials.start);
        for trial in trials.start..trials.end {
            self.chalk.begin(key, trial, now);
            // An executor must stay whole whatever a trial does: it hands trials what they change.
            let row = catch_unwind(AssertUnwindSafe(|| executor.run(trial)));
            let after = now_us();
            let row = match row {
                Ok(row) => row.map_err(|error| error.to_string()),
                Err(panic) => Err(message(&*panic)),
            };
            if let Err(error) = row.and_then(|row| gather.push(trial, after - now, row)) {
                self.report(&mut gather, trial + 1);
                self.answer(Answer::Failure(wire::TrialFailure { trial, error: shortened(error) }));
            }
            now = after;
            if after - self.flushed_us >= hold_us || gather.bytes() + self.out.len() >= HOLD_BYTES {
                // A worker that does not read holds up no trial.
                self.chalk.clear();
                self.report(&mut gather, trial + 1);
                self.flush()?;
                now = now_us();
                self.flushed_us = now;
            }
        }
        self.chalk.clear();
        self.report(&mut gather, trials.end);
        self.stages.insert(key, Prepared { executor, shape });
        let old = now.saturating_sub(self.flushed_us) >= GATHER.as_micros() as u64;
        if old || self.out.len() >= GATHER_BYTES { self.flush() } else { Ok(()) }
    }

    /// Takes what has gathered; the next row is that of trial `next` or a later one.
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

/// The beginning of an error: some print whole positions.
fn shortened(mut error: String) -> String {
    error.truncate(error.floor_char_boundary(ERROR_MAX));
    error
}
