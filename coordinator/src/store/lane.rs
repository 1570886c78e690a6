//! One run in the writer thread: its queue of commands, and the trouble that delays them.

use std::{collections::VecDeque, time::Instant};

use tokio::sync::oneshot;

use super::{
    Blobs, Command, Counting, Error, Opened, Reply, RunStore,
    trouble::{Trouble, passing},
    writing::Writing,
};
use crate::{core::RunState, ids::StageKey};

/// Most commands in one transaction.
const GROUP: usize = 256;

/// Waiting commands from which on events are dropped.
const EVENTS_MAX: usize = 10_000;

/// A run and the commands for it.
pub(super) struct Lane {
    store: RunStore,
    /// Commands that are not durable yet, oldest first; bounded by what workers may send without acknowledgement.
    queue: VecDeque<Command>,
    trouble: Option<Trouble>,
    /// Whether the run cannot go on.
    stuck: bool,
    /// Takes the run when it is released.
    released: Option<oneshot::Sender<Result<Option<Box<RunStore>>, String>>>,
    counting: Counting,
}

impl Lane {
    pub(super) fn new(store: RunStore, counting: Counting) -> Self {
        // Whatever made it be opened may have changed its results.
        counting.unsettle(store.id());
        Lane { store, queue: VecDeque::new(), trouble: None, stuck: false, released: None, counting }
    }

    pub(super) fn push(&mut self, command: Command) {
        let surplus = matches!(command, Command::Event { .. }) && self.queue.len() >= EVENTS_MAX;
        if !self.stuck && !surplus {
            self.queue.push_back(command);
            self.refuse();
        }
    }

    /// While nothing can be written, refuses changes and releases, which do not wait.
    fn refuse(&mut self) {
        let Some(Trouble { message, .. }) = &self.trouble else { return };
        let waits = |command: &Command| !matches!(command, Command::Change { .. } | Command::Release { .. });
        let (kept, refused) = std::mem::take(&mut self.queue).into_iter().partition(waits);
        self.queue = kept;
        let refused: VecDeque<Command> = refused;
        for command in refused {
            match command {
                Command::Change { answer, .. } => drop(answer.send(Err(message.clone()))),
                Command::Release { answer, .. } => drop(answer.send(Err(message.clone()))),
                _ => {}
            }
        }
    }

    /// Whether any command waits.
    pub(super) fn waits(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether a command can be tried at `now`.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.waits() && self.trouble.as_ref().is_none_or(|trouble| trouble.next <= now)
    }

    /// When to retry what could not be written.
    pub(super) fn next(&self) -> Option<Instant> {
        self.trouble.as_ref().map(|trouble| trouble.next)
    }

    /// Makes waiting commands durable, as far as possible, and replies.
    pub(super) fn work(&mut self, reply: &dyn Fn(Reply)) {
        let run = self.store.id();
        while !self.queue.is_empty() {
            let done = match self.queue.front() {
                Some(Command::CloseStage(stage)) => self.close(*stage, reply),
                Some(Command::Retry { discard_later, .. }) => self.retry(*discard_later, reply),
                Some(Command::Change { .. }) => self.change(reply),
                Some(Command::Release { .. }) => return self.release(),
                _ => self.commit(reply),
            };
            let Err(error) = done else {
                if self.trouble.take().is_some() {
                    tracing::warn!(run = %run, "`{}` can be written again", self.store.database().display());
                    reply(Reply::Recovered { run });
                }
                continue;
            };
            let error = self.store.shut_out().unwrap_or(error);
            let Some(message) = passing(&error) else {
                let why = error.chain();
                tracing::error!(run = %run, "the run cannot go on: {why}");
                self.stuck = true;
                self.queue.clear();
                return reply(Reply::Stuck { run, why });
            };
            let now = Instant::now();
            match &mut self.trouble {
                None => {
                    tracing::error!(run = %run, "{message}; nothing is acknowledged until it works again");
                    self.trouble = Some(Trouble::new(now, message.clone()));
                    self.refuse();
                    reply(Reply::Trouble { run, message });
                }
                Some(trouble) => {
                    if let Some(since) = trouble.again(now) {
                        tracing::error!(run = %run, "{message}; for {} s now", since.as_secs());
                    }
                }
            }
            return;
        }
    }

    /// The state of the run if it has ended: then its database need not stay open. One that goes on is opened again.
    pub(super) fn over(&self) -> Option<RunState> {
        let state = self.store.state();
        (!self.waits() && !self.stuck && state.is_ended()).then_some(state)
    }

    /// Logs the commands that are lost at the end of the thread.
    pub(super) fn give_up(&self) {
        if !self.queue.is_empty() {
            let (run, count) = (self.store.id(), self.queue.len());
            tracing::error!(run = %run, "{count} commands were not written; none of them was acknowledged");
        }
    }

    /// Makes the commands up to the next one that needs a transaction of its own durable.
    fn commit(&mut self, reply: &dyn Fn(Reply)) -> Result<(), Error> {
        let alone = |command: &Command| {
            use Command::{Change, CloseStage, Release, Retry};
            matches!(command, CloseStage(_) | Retry { .. } | Change { .. } | Release { .. })
        };
        let count = self.queue.iter().take(GROUP).take_while(|command| !alone(command)).count();
        let commands = self.queue.range(..count);
        let rows = commands.clone().map(|command| match command {
            Command::Store { rows, .. } => rows.trials.len() as u64,
            _ => 0,
        });
        let (rows, begun): (u64, _) = (rows.sum(), Instant::now());
        let written = self
            .store
            .transaction(|writing| commands.map(|command| apply(writing, command)).collect::<Result<Vec<_>, _>>());
        let written = written.map_err(|error| self.store.database_error(error))?;
        if self.counting.is_asked() {
            self.count(&written);
        }
        if rows > 0 {
            reply(Reply::Wrote { rows, duration: begun.elapsed() });
        }
        written.into_iter().flatten().for_each(reply);
        self.queue.drain(..count);
        Ok(())
    }

    /// Counts what the first commands of the queue made durable, for those who ask; `written` are their replies.
    fn count(&self, written: &[Option<Reply>]) {
        let (run, commit) = (self.store.id(), self.store.commits());
        for (command, reply) in self.queue.iter().zip(written) {
            match (command, reply) {
                (Command::Store { stage, rows, .. }, Some(Reply::Committed { repeats, .. }))
                    if stage.stage == self.store.stage().index =>
                {
                    self.counting.stored(run, self.store.stage(), commit, rows, repeats);
                }
                (_, Some(Reply::Retracted { trials, .. })) if !trials.is_empty() => self.counting.unsettle(run),
                _ => {}
            }
        }
    }

    fn close(&mut self, stage: StageKey, reply: &dyn Fn(Reply)) -> Result<(), Error> {
        if stage.stage != self.store.stage().index {
            // It is closed already.
            self.queue.pop_front();
            return Ok(());
        }
        let next = self.store.close_stage()?;
        self.counting.unsettle(stage.run);
        self.queue.pop_front();
        let next = next.map(|(view, artifacts)| (view, Box::new(self.opened(artifacts))));
        reply(Reply::Closed { run: stage.run, headline: self.store.headline().to_owned(), next });
        Ok(())
    }

    fn retry(&mut self, discard_later: bool, reply: &dyn Fn(Reply)) -> Result<(), Error> {
        let retried = self.store.retry(discard_later)?;
        self.counting.unsettle(self.store.id());
        let Some(Command::Retry { run, answer, .. }) = self.queue.pop_front() else { return Ok(()) };
        let done = retried.map(|(open, artifacts)| {
            let (opened, headline) = (Box::new(self.opened(artifacts)), self.store.headline().to_owned());
            reply(Reply::Reopened { run, open: Box::new(open), opened, headline });
        });
        // The sender may not wait for the answer any more; the run goes on all the same.
        let _ = answer.send(done);
        Ok(())
    }

    fn change(&mut self, reply: &dyn Fn(Reply)) -> Result<(), Error> {
        let Some(Command::Change { source, experiment, .. }) = self.queue.front() else { return Ok(()) };
        let changed = self.store.change(source, experiment);
        let refused = changed.as_ref().err().and_then(passing);
        if refused.is_none() && changed.is_err() {
            return changed.map(drop);
        }
        let Some(Command::Change { run, answer, .. }) = self.queue.pop_front() else { return Ok(()) };
        if let Some(message) = refused {
            // Not retried: the sender gets the reason.
            let _ = answer.send(Err(message));
            return Ok(());
        }
        if let Some((open, artifacts)) = changed? {
            let (open, opened) = (Box::new(open), Box::new(self.opened(artifacts)));
            let experiment = Box::new(self.store.experiment().clone());
            reply(Reply::Changed { run, experiment, open, opened });
        }
        let _ = answer.send(Ok(true));
        Ok(())
    }

    fn release(&mut self) {
        if let Some(Command::Release { answer, .. }) = self.queue.pop_front() {
            self.released = Some(answer);
        }
    }

    /// Whether the run is to be given back.
    pub(super) fn is_given_back(&self) -> bool {
        self.released.is_some()
    }

    /// Gives the run to the sender of the release.
    pub(super) fn give_back(self, reply: &dyn Fn(Reply)) {
        reply(Reply::Released { run: self.store.id() });
        if let Some(answer) = self.released {
            let _ = answer.send(Ok(Some(Box::new(self.store))));
        }
    }

    fn opened(&self, artifacts: Blobs) -> Opened {
        Opened { stage: self.store.stage().clone(), artifacts }
    }
}

/// Carries out a command in a transaction; returns the reply for when it is durable.
fn apply(writing: &mut Writing<'_>, command: &Command) -> rusqlite::Result<Option<Reply>> {
    match command {
        Command::Store { ticket, stage, worker, rows } => {
            let repeats = if writing.is_open(stage.stage) { writing.store(worker, rows)? } else { Vec::new() };
            return Ok(Some(Reply::Committed { ticket: *ticket, repeats }));
        }
        Command::Failure { stage, trial, attempt, worker, error, quarantine } if writing.is_open(stage.stage) => {
            writing.failure(*trial, *attempt, worker, error, *quarantine)?;
        }
        Command::Acquit { stage, trial, attempt } if writing.is_open(stage.stage) => {
            writing.acquit(*trial, *attempt)?;
        }
        Command::Retract { stage, worker, why } => {
            let open = writing.is_open(stage.stage);
            let trials = if open { writing.retract(worker, why)? } else { writing.distrust(worker, why)? };
            return Ok(Some(Reply::Retracted { stage: *stage, trials }));
        }
        Command::State { state, .. } => writing.set_state(*state)?,
        Command::Quota { quota, .. } => writing.set_quota(*quota)?,
        Command::Event { kind, detail, .. } => writing.event(kind, detail)?,
        _ => {}
    }
    Ok(None)
}
