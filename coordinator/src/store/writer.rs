//! The one thread that writes.
//!
//! Commands wait in a channel; the thread takes all that are there, makes them durable run by run, each run
//! in one transaction, and answers. While a transaction is synced the next commands gather, so commits group
//! themselves: one at a time when little comes, thousands of rows when much does.
//!
//! A full or failing disk answers nothing: the run's commands are kept and tried again, while other runs go on
//! ([`super::lane`]). Workers keep what is not acknowledged and stop when their outboxes are full; when there is
//! room again everything goes on.

use std::{
    any::Any,
    collections::BTreeMap,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use experiments::Experiment;
use redqueen_wire::breakage::{Part, may_break};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Blobs, RunStore, lane::Lane, retry::Refused, trouble::RETRY};
use crate::{
    core::{OpenRun, Repeat, RunState, StageView, Worker},
    ids::{RunId, StageKey, Ticket},
    ranges::RangeSet,
    rows::Rows,
};

/// Most commands taken from the channel before they are worked on.
const GROUP: usize = 256;
/// How long what cannot be written is still tried when everybody has left.
const LAST_TRIES: Duration = Duration::from_secs(3);

/// What the thread is asked.
pub enum Command {
    /// Take a run up.
    Adopt(Box<RunStore>),
    /// Make rows durable.
    Store {
        /// To be named in the answer.
        ticket: Ticket,
        /// Of this stage.
        stage: StageKey,
        /// Who ran them.
        worker: Worker,
        /// What came of it.
        rows: Rows,
    },
    /// Take what a worker delivered of the open stage out again: it computes wrongly.
    Retract {
        /// The stage.
        stage: StageKey,
        /// Who stored it.
        worker: String,
        /// How that was seen.
        why: String,
    },
    /// Note a failure.
    Failure {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// From 1.
        attempt: u32,
        /// Who ran it.
        worker: String,
        /// What it said.
        error: String,
        /// No further attempt.
        quarantine: bool,
    },
    /// Take a noted failure back.
    Acquit {
        /// Of this stage.
        stage: StageKey,
        /// Index.
        trial: u64,
        /// Number of the failure; later ones move up.
        attempt: u32,
    },
    /// Note a state.
    State {
        /// The run.
        run: RunId,
        /// Its state now.
        state: RunState,
    },
    /// Note what happened, for people.
    Note {
        /// The run.
        run: RunId,
        /// One of the kinds of docs/run-directory.md.
        kind: &'static str,
        /// JSON object.
        detail: Value,
    },
    /// Close the open stage.
    CloseStage(StageKey),
    /// Take over what changes no result, and questions ([`RunStore::change`]).
    Change {
        /// The run.
        run: RunId,
        /// The experiment as given.
        source: String,
        /// The same, read.
        experiment: Box<Experiment>,
        /// Told when it is done, behind [`Reply::Changed`]: false if the run has ended and its files are closed. An
        /// error says why nothing can be written.
        answer: oneshot::Sender<Result<bool, String>>,
    },
    /// Give a run back, behind everything that was told of it before.
    Release {
        /// The run.
        run: RunId,
        /// Where it goes, behind [`Reply::Released`]; nothing if its files are closed. An error says why nothing can be
        /// written.
        answer: oneshot::Sender<Result<Option<Box<RunStore>>, String>>,
    },
    /// Give trials that were given up another chance ([`RunStore::retry`]).
    Retry {
        /// The run.
        run: RunId,
        /// Whether stages behind the one that lacks such a trial may be dropped.
        discard_later: bool,
        /// Told when it is done, behind [`Reply::Reopened`]; dropped if it cannot be.
        answer: oneshot::Sender<Result<(), Refused>>,
    },
}

impl Command {
    fn run(&self) -> RunId {
        match self {
            Command::Adopt(store) => store.id(),
            Command::Store { stage, .. }
            | Command::Retract { stage, .. }
            | Command::Failure { stage, .. }
            | Command::Acquit { stage, .. }
            | Command::CloseStage(stage) => stage.run,
            Command::State { run, .. }
            | Command::Note { run, .. }
            | Command::Change { run, .. }
            | Command::Release { run, .. }
            | Command::Retry { run, .. } => *run,
        }
    }
}

/// What it answers.
#[derive(Debug)]
pub enum Reply {
    /// Durable.
    Committed {
        /// Whose.
        ticket: Ticket,
        /// Rows of trials that had one.
        repeats: Vec<Repeat>,
    },
    /// A transaction with rows was made durable.
    Wrote {
        /// Rows in it.
        rows: u64,
        /// How long it took.
        duration: Duration,
    },
    /// What a worker had delivered of a stage is not stored any more.
    Retracted {
        /// The stage.
        stage: StageKey,
        /// These trials; none if the stage is closed.
        trials: RangeSet,
    },
    /// Closed.
    Closed {
        /// The run.
        run: RunId,
        /// What the stage came to.
        headline: String,
        /// The next stage as a whole for whoever has to tell workers, or how the run ended.
        next: Result<(StageView, Box<Opened>), RunState>,
    },
    /// A run whose trials were given up goes on.
    Reopened {
        /// The run.
        run: RunId,
        /// Where it stands now.
        open: Box<OpenRun>,
        /// The stage that is open now.
        opened: Box<Opened>,
        /// What the last closed stage came to.
        headline: String,
    },
    /// What changes no result of a run is other than it was.
    Changed {
        /// The run.
        run: RunId,
        /// Its experiment now.
        experiment: Box<Experiment>,
        /// Where it stands.
        open: Box<OpenRun>,
        /// The stage that is open.
        opened: Box<Opened>,
    },
    /// A run was given back: it is to be forgotten.
    Released {
        /// The run.
        run: RunId,
    },
    /// Nothing of a run can be written for now. It is tried again; nothing is acknowledged meanwhile.
    Trouble {
        /// The run.
        run: RunId,
        /// What is in the way, with the path.
        message: String,
    },
    /// It can be written again.
    Recovered {
        /// The run.
        run: RunId,
    },
    /// The thread has panicked, with this.
    Panicked(Box<dyn Any + Send>),
    /// Nothing more will come of this run: its plan cannot go on, or its database is damaged.
    Stuck {
        /// The run.
        run: RunId,
        /// What is wrong.
        why: String,
    },
}

/// A stage that was opened, and its artifacts by hash.
#[derive(Debug)]
pub struct Opened {
    /// The stage.
    pub stage: experiments::plan::Stage,
    /// What its trials need.
    pub artifacts: Blobs,
}

/// Handle of the thread. Dropping the sender of commands ends it once everything before is durable; what cannot be
/// written is tried for a few seconds more, and its senders get no answer.
pub struct Writer {
    /// Where commands go.
    pub commands: Sender<Command>,
    /// To wait for its end.
    pub thread: thread::JoinHandle<()>,
}

impl Writer {
    /// Starts the thread; `reply` is called from it.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn start(reply: impl Fn(Reply) + Send + 'static) -> io::Result<Self> {
        let (commands, inbox) = channel();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| run(&inbox, &reply)));
            // Whoever relies on this thread must not live on without it.
            done.unwrap_or_else(|panic| reply(Reply::Panicked(panic)));
        };
        let thread = thread::Builder::new().name("store".into()).spawn(work)?;
        Ok(Writer { commands, thread })
    }
}

fn run(inbox: &Receiver<Command>, reply: &dyn Fn(Reply)) {
    let mut lanes: BTreeMap<RunId, Lane> = BTreeMap::new();
    // Runs that have ended for good keep no database open, however many there are.
    let mut over: BTreeMap<RunId, RunState> = BTreeMap::new();
    loop {
        let first = next(inbox, lanes.values().filter_map(Lane::next).min());
        // Commands of one run keep their order; those of different runs are independent.
        let put = |command: Command| match command {
            Command::Adopt(store) => drop(lanes.insert(store.id(), Lane::new(*store))),
            command => match lanes.get_mut(&command.run()) {
                Some(lane) => lane.push(command),
                None => too_late(command, &over, reply),
            },
        };
        match first {
            Next::Command(command) => std::iter::once(command).chain(inbox.try_iter().take(GROUP)).for_each(put),
            Next::Due => {}
            Next::Closed => break,
        }
        may_break(Part::Store);
        let now = Instant::now();
        lanes.values_mut().filter(|lane| lane.is_due(now)).for_each(|lane| lane.work(reply));
        lanes.retain(|&run, lane| {
            let ended = lane.over();
            over.extend(ended.map(|state| (run, state)));
            ended.is_none()
        });
        let given: Vec<RunId> = lanes.iter().filter(|(_, lane)| lane.is_given_back()).map(|(&run, _)| run).collect();
        given.into_iter().filter_map(|run| lanes.remove(&run)).for_each(|lane| lane.give_back(reply));
    }
    let end = Instant::now() + LAST_TRIES;
    while lanes.values().any(Lane::waits) {
        lanes.values_mut().for_each(|lane| lane.work(reply));
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if lanes.values().any(Lane::waits) {
            thread::sleep(RETRY.min(left));
        }
    }
    lanes.values().for_each(Lane::give_up);
}

/// A command for a run that has no lane.
fn too_late(command: Command, over: &BTreeMap<RunId, RunState>, reply: &dyn Fn(Reply)) {
    let run = command.run();
    match (over.get(&run), command) {
        // Nobody may wait for the answer any more.
        (Some(&state), Command::Retry { answer, .. }) => drop(answer.send(Err(Refused::Ended(state)))),
        (_, Command::Change { answer, .. }) => drop(answer.send(Ok(false))),
        (_, Command::Release { answer, .. }) => {
            reply(Reply::Released { run });
            let _ = answer.send(Ok(None));
        }
        // The run was given back, which those who sent them do not know yet: their trials run again.
        (None, Command::Store { ticket, .. }) => reply(Reply::Committed { ticket, repeats: Vec::new() }),
        // What people would have been told of a run when it had ended.
        (Some(_), _) => {}
        (None, _) => tracing::error!(run = %run, "a command for a run that was never taken up"),
    }
}

enum Next {
    Command(Command),
    Due,
    Closed,
}

/// The next command, or `due` at the latest.
fn next(inbox: &Receiver<Command>, due: Option<Instant>) -> Next {
    let Some(due) = due else { return inbox.recv().map_or(Next::Closed, Next::Command) };
    match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
        Ok(command) => Next::Command(command),
        Err(RecvTimeoutError::Timeout) => Next::Due,
        Err(RecvTimeoutError::Disconnected) => Next::Closed,
    }
}
