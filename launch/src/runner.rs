//! Runs commands of batch systems: one at a time, within a time limit, in an environment that does not change what they
//! mean.
//!
//! The threads here are plain ones and wait; asynchronous callers run this where waiting is allowed.

use std::{
    io::{ErrorKind, Read, Write},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, mpsc},
    thread,
    time::Duration,
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
};

use crate::{
    call::{Call, NOT_EXECUTABLE, NOT_FOUND, Output},
    session,
};

/// How long a command may take.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);
/// Most bytes of an answer; a list of 100,000 jobs has less.
const LONGEST: usize = 32 << 20;
/// How long the rest of an answer may take once the command has ended. Processes that it left behind may hold the pipe
/// open, as the master of shared ssh connections does.
const REST: Duration = Duration::from_secs(1);

/// Variables that change what batch systems' commands do: set inside a job, or by a person for commands of their own.
const SCRUBBED: &[&str] = &[
    "SLURM_",
    "SLURMD_",
    "SBATCH_",
    "SRUN_",
    "SALLOC_",
    "SQUEUE_",
    "SCANCEL_",
    "SCONTROL_",
    "SINFO_",
    "SACCT_", // Slurm
    "PBS_",
    "QSUB_",
    "QSTAT_",
    "QDEL_", // PBS
    "SGE_O_",
    "SGE_TASK_",
    "SGE_JOB_",
    "SGE_STD",
    "SGE_BINARY_PATH",
    "SGE_ARCH", // SGE
    "LSB_",
    "BSUB_", // LSF
];
/// Variables of the same kind whose whole names are known, mostly of SGE's jobs.
const SCRUBBED_NAMES: &[&str] =
    &["JOB_ID", "JOB_NAME", "JOB_SCRIPT", "NSLOTS", "NHOSTS", "NQUEUES", "PE", "PE_HOSTFILE"];
/// What is kept of them: it says where the cluster is and who asks.
const KEPT: &[&str] = &[
    "SLURM_CONF",
    "SLURM_CONF_SERVER",
    "SLURM_JWT",
    "PBS_CONF_FILE",
    "PBS_SERVER",
    "PBS_DEFAULT",
    "PBS_EXEC",
    "PBS_PRIMARY",
    "PBS_SECONDARY",
];

/// Whether a variable of this name stays out of the environment of commands.
pub fn is_scrubbed(name: &str) -> bool {
    !KEPT.contains(&name) && (SCRUBBED_NAMES.contains(&name) || SCRUBBED.iter().any(|prefix| name.starts_with(prefix)))
}

/// Runs commands.
#[derive(Clone, Debug)]
pub struct Runner {
    /// What commands run under, such as `ssh login1`; nothing if empty.
    pub via: Vec<String>,
    /// How long a command may take; then it is killed with all that it started.
    pub limit: Duration,
}

impl Default for Runner {
    fn default() -> Self {
        Runner { via: Vec::new(), limit: TIME_LIMIT }
    }
}

impl Runner {
    /// Runs one command to its end or to the time limit.
    pub fn run(&mut self, call: &Call) -> Output {
        self.run_one(call)
    }

    /// Runs commands that do not depend on each other, `at_once` at a time; their outputs, in order.
    pub fn run_all(&mut self, calls: &[Call], at_once: usize) -> Vec<Output> {
        let (runner, mut outputs) = (&*self, Vec::with_capacity(calls.len()));
        for some in calls.chunks(at_once.max(1)) {
            thread::scope(|scope| {
                let running: Vec<_> = some.iter().map(|call| scope.spawn(move || runner.run_one(call))).collect();
                outputs.extend(running.into_iter().map(|thread| {
                    thread.join().unwrap_or_else(|_| no_answer("the thread that ran this command panicked"))
                }));
            });
        }
        outputs
    }

    fn run_one(&self, call: &Call) -> Output {
        let call = match call.via(&self.via) {
            Ok(call) => call,
            Err(nul) => return Output { code: Some(NOT_EXECUTABLE), stdout: String::new(), stderr: nul.to_string() },
        };
        let [program, arguments @ ..] = call.argv.as_slice() else { return no_answer("an empty command") };
        match command(program, arguments, &call).spawn() {
            Ok(child) => self.follow(child, call.stdin),
            Err(error) => {
                let code = match error.kind() {
                    ErrorKind::NotFound => Some(NOT_FOUND),
                    ErrorKind::PermissionDenied | ErrorKind::InvalidInput => Some(NOT_EXECUTABLE),
                    _ => None,
                };
                Output { code, stdout: String::new(), stderr: format!("{program}: {error}") }
            }
        }
    }

    /// Waits for a command that was started.
    fn follow(&self, mut child: Child, stdin: Option<String>) -> Output {
        let pid = Pid::from_child(&child);
        if let (Some(mut pipe), Some(text)) = (child.stdin.take(), stdin) {
            // A command that ends without reading it all says why itself.
            thread::spawn(move || pipe.write_all(text.as_bytes()));
        }
        let (stdout, stderr) = (child.stdout.take().map(Answer::collect), child.stderr.take().map(Answer::collect));
        let (ended, end) = mpsc::channel();
        // Its process id is not given away until `wait` below, so that the kill hits no other process.
        thread::spawn(move || {
            let end = || waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
            while end().is_err_and(|error| error == Errno::INTR) {}
            ended.send(())
        });
        let in_time = end.recv_timeout(self.limit).is_ok();
        if !in_time {
            let _ = kill_process_group(pid, Signal::KILL);
        }
        let status = child.wait();
        let (stdout, stdout_whole) = stdout.map(Answer::take).unwrap_or_default();
        let (mut stderr, _) = stderr.map(Answer::take).unwrap_or_default();
        let mut code = status.ok().and_then(|status| status.code());
        if !in_time {
            code = None;
            stderr += &format!("\nno answer within {} s", self.limit.as_secs_f32());
        } else if !stdout_whole {
            code = None;
            stderr += "\nthe answer is too long";
        }
        Output { code, stdout, stderr }
    }
}

fn no_answer(why: &str) -> Output {
    Output { code: None, stdout: String::new(), stderr: why.into() }
}

/// A command in a session of its own: its group can be killed, and it asks for no password on a terminal.
fn command(program: &str, arguments: &[String], call: &Call) -> Command {
    let mut command = Command::new(program);
    command.args(arguments);
    let stdin = if call.stdin.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    for (name, _) in std::env::vars_os() {
        if !call.belongs && name.to_str().is_some_and(is_scrubbed) {
            command.env_remove(name);
        }
    }
    command.env("LC_ALL", "C");
    session::of_its_own(&mut command);
    command
}

/// What a command prints, as far as it has come.
struct Answer {
    /// The text, and whether there was no more than the bound.
    text: Arc<Mutex<(Vec<u8>, bool)>>,
    end: mpsc::Receiver<()>,
}

impl Answer {
    fn collect(mut pipe: impl Read + Send + 'static) -> Answer {
        let text = Arc::new(Mutex::new((Vec::new(), true)));
        let (sender, end) = mpsc::channel::<()>();
        let filled = Arc::clone(&text);
        thread::spawn(move || {
            // Dropped at the end of the pipe, which is how `take` learns of it.
            let _sender = sender;
            let mut part = vec![0; 1 << 16];
            loop {
                match pipe.read(&mut part) {
                    Ok(0) => return,
                    Ok(read) => {
                        let Ok(mut filled) = filled.lock() else { return };
                        let (text, whole) = &mut *filled;
                        // Read on beyond the bound, or the command would wait for ever.
                        let kept = read.min(LONGEST - text.len());
                        text.extend_from_slice(&part[..kept]);
                        *whole &= kept == read;
                    }
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Err(_) => return,
                }
            }
        });
        Answer { text, end }
    }

    /// The text, and whether there was no more than the bound.
    fn take(self) -> (String, bool) {
        let _ = self.end.recv_timeout(REST);
        let Ok(text) = self.text.lock() else { return (String::new(), false) };
        (String::from_utf8_lossy(&text.0).into_owned(), text.1)
    }
}
