//! The one thread that writes.
//!
//! Commands wait in a channel; the thread takes all that are there, makes them durable run by run, each run
//! in one transaction, and answers. While a transaction is synced the next commands gather, so commits group
//! themselves: one at a time when little comes, thousands of rows when much does.
//!
//! A full or failing disk answers nothing: the thread says so in the log and tries again. Workers keep what is
//! not acknowledged and stop when their outboxes are full; when there is room again everything goes on.

use std::{
    collections::BTreeMap,
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

use super::{Error, RunStore, run::Writing};
use crate::{
    core::{RunState, StageView, Worker},
    ids::{RunId, StageKey, Ticket},
    rows::Rows,
};

/// Most commands in one transaction.
const GROUP: usize = 256;
/// Pause between two attempts at a transaction that failed.
const RETRY: Duration = Duration::from_secs(1);

/// What the thread is asked.
pub(crate) enum Command {
    /// Take a run up.
    Adopt(Box<RunStore>),
    /// Make rows durable.
    Store { ticket: Ticket, stage: StageKey, worker: Worker, rows: Rows },
    /// Note a failure.
    Failure { stage: StageKey, trial: u64, attempt: u32, worker: String, error: String, quarantine: bool },
    /// Note a state.
    State { run: RunId, state: RunState },
    /// Close the open stage.
    CloseStage(StageKey),
}

impl Command {
    fn run(&self) -> RunId {
        match self {
            Command::Adopt(store) => store.id(),
            Command::Store { stage, .. } | Command::Failure { stage, .. } | Command::CloseStage(stage) => stage.run,
            Command::State { run, .. } => *run,
        }
    }
}

/// What it answers.
#[derive(Debug)]
pub(crate) enum Reply {
    /// Durable.
    Committed(Ticket),
    /// Closed; the next stage as a whole for whoever has to tell workers, or how the run ended.
    Closed { run: RunId, headline: String, next: Result<(StageView, Box<Opened>), RunState> },
    /// The plan cannot go on; nothing more will come of this run.
    Stuck { run: RunId },
}

/// A stage that was opened, and its artifacts by hash.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) stage: experiments::plan::Stage,
    pub(crate) artifacts: BTreeMap<String, Vec<u8>>,
}

/// Handle of the thread. Dropping the sender of commands ends it once everything before is durable.
pub(crate) struct Writer {
    pub(crate) commands: Sender<Command>,
    pub(crate) thread: thread::JoinHandle<()>,
}

impl Writer {
    /// Starts the thread; `reply` is called from it.
    pub(crate) fn start(reply: impl Fn(Reply) + Send + 'static) -> std::io::Result<Self> {
        let (commands, inbox) = channel();
        let thread = thread::Builder::new().name("store".into()).spawn(move || run(&inbox, &reply))?;
        Ok(Writer { commands, thread })
    }
}

fn run(inbox: &Receiver<Command>, reply: &dyn Fn(Reply)) {
    let mut stores: BTreeMap<RunId, RunStore> = BTreeMap::new();
    while let Ok(first) = inbox.recv() {
        let mut group = vec![first];
        while group.len() < GROUP
            && let Ok(more) = inbox.try_recv()
        {
            group.push(more);
        }
        // Commands of one run keep their order; those of different runs are independent.
        let mut by_run: BTreeMap<RunId, Vec<Command>> = BTreeMap::new();
        for command in group {
            by_run.entry(command.run()).or_default().push(command);
        }
        for (id, commands) in by_run {
            let mut pending = Vec::new();
            for command in commands {
                match command {
                    Command::Adopt(store) => {
                        stores.insert(id, *store);
                    }
                    Command::CloseStage(stage) => {
                        commit(&mut stores, id, std::mem::take(&mut pending), reply);
                        close(&mut stores, stage, reply);
                    }
                    other => pending.push(other),
                }
            }
            commit(&mut stores, id, pending, reply);
        }
    }
}

/// Makes commands of one run durable in one transaction and answers.
fn commit(stores: &mut BTreeMap<RunId, RunStore>, id: RunId, commands: Vec<Command>, reply: &dyn Fn(Reply)) {
    if commands.is_empty() {
        return;
    }
    let Some(store) = stores.get_mut(&id) else { return };
    loop {
        match store.transaction(|writing| commands.iter().try_for_each(|command| apply(writing, command))) {
            Ok(()) => break,
            Err(error) => {
                complain(&store.database_error(error));
                thread::sleep(RETRY);
            }
        }
    }
    for command in commands {
        if let Command::Store { ticket, .. } = command {
            reply(Reply::Committed(ticket));
        }
    }
}

fn apply(writing: &mut Writing<'_>, command: &Command) -> rusqlite::Result<()> {
    match command {
        Command::Store { stage, worker, rows, .. } if writing.is_open(stage.stage) => {
            for alarm in writing.store(worker, rows)? {
                tracing::error!(
                    stage = alarm.stage,
                    trial = alarm.trial,
                    stored_by = alarm.stored_by,
                    worker = alarm.worker,
                    "two workers disagree about a trial: one of their machines computes wrongly"
                );
            }
            Ok(())
        }
        Command::Failure { stage, trial, attempt, worker, error, quarantine } if writing.is_open(stage.stage) => {
            writing.failure(*trial, *attempt, worker, error, *quarantine)
        }
        Command::State { state, .. } => writing.state(*state),
        _ => Ok(()),
    }
}

fn close(stores: &mut BTreeMap<RunId, RunStore>, stage: StageKey, reply: &dyn Fn(Reply)) {
    let Some(store) = stores.get_mut(&stage.run) else { return };
    loop {
        match store.close_stage() {
            Ok(closed) => {
                let next = match closed {
                    Err(state) => Err(state),
                    Ok(view) => match store.artifacts() {
                        Ok(artifacts) => Ok((view, Box::new(Opened { stage: store.stage().clone(), artifacts }))),
                        Err(error) => {
                            complain(&error);
                            return reply(Reply::Stuck { run: stage.run });
                        }
                    },
                };
                return reply(Reply::Closed { run: stage.run, headline: store.headline().to_owned(), next });
            }
            Err(error @ Error::Plan { .. }) => {
                complain(&error);
                return reply(Reply::Stuck { run: stage.run });
            }
            Err(error) => {
                complain(&error);
                thread::sleep(RETRY);
            }
        }
    }
}

fn complain(error: &Error) {
    let cause = std::error::Error::source(error).map(ToString::to_string).unwrap_or_default();
    tracing::error!(cause, "{error}; nothing is acknowledged until it works again");
}
