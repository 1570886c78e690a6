//! The thread that writes all databases.
//!
//! Commands wait in a channel; the thread takes all that are there, makes them durable, each run in one transaction,
//! and answers. While a transaction is synced the next commands gather, so commits group themselves: single rows under
//! a low load, thousands under a high one.
//!
//! While the disk of a run is full or fails, its commands get no answer: they are kept and retried, and other runs go
//! on ([`super::lane`]). Workers keep unacknowledged results and stop when their outboxes are full; when the disk works
//! again, everything goes on.

use std::{
    collections::BTreeMap,
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use redqueen_wire::breakage::{Part, may_break};

use super::{Command, Counting, Reply, lane::Lane, retry::Refused, trouble::RETRY};
use crate::{core::RunState, ids::RunId};

/// Most commands taken from the channel at once.
const GROUP: usize = 256;
/// How long failing writes are retried after the senders of commands have gone.
const LAST_TRIES: Duration = Duration::from_secs(3);

/// Handle of the thread. Dropping the sender of commands ends it once all earlier commands are durable; those that
/// cannot be written are retried for a few seconds, and then get no answer.
pub struct Writer {
    /// Takes the commands.
    pub commands: Sender<Command>,
    /// The thread, to be joined.
    pub thread: thread::JoinHandle<()>,
}

impl Writer {
    /// Starts the thread; `reply` is called from it. Games that become durable are counted where `counting` was asked to.
    ///
    /// # Errors
    /// The system gave no thread.
    pub fn start(counting: Counting, reply: impl Fn(Reply) + Send + 'static) -> io::Result<Self> {
        let (commands, inbox) = channel();
        let work = move || {
            let done = catch_unwind(AssertUnwindSafe(|| run(&inbox, &counting, &reply)));
            // The driver ends with this panic: it must not go on without the thread.
            done.unwrap_or_else(|panic| reply(Reply::Panicked(panic)));
        };
        let thread = thread::Builder::new().name("store".into()).spawn(work)?;
        Ok(Writer { commands, thread })
    }
}

fn run(inbox: &Receiver<Command>, counting: &Counting, reply: &dyn Fn(Reply)) {
    let mut lanes: BTreeMap<RunId, Lane> = BTreeMap::new();
    // The final state of runs whose databases are closed, since nothing more is written to them.
    let mut over: BTreeMap<RunId, RunState> = BTreeMap::new();
    loop {
        let first = next(inbox, lanes.values().filter_map(Lane::next).min());
        // Commands of one run keep their order; different runs are independent.
        let put = |command: Command| match command {
            Command::Adopt(store) => drop(lanes.insert(store.id(), Lane::new(*store, counting.clone()))),
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

/// Answers a command for a run that has no lane.
fn too_late(command: Command, over: &BTreeMap<RunId, RunState>, reply: &dyn Fn(Reply)) {
    let run = command.run();
    match (over.get(&run), command) {
        // The sender may not wait for the answer any more.
        (Some(&state), Command::Retry { answer, .. }) => drop(answer.send(Err(Refused::Ended(state)))),
        (_, Command::Change { answer, .. }) => drop(answer.send(Ok(false))),
        (_, Command::Release { answer, .. }) => {
            reply(Reply::Released { run });
            let _ = answer.send(Ok(None));
        }
        // The run was released, which the driver did not know yet: the trials run again.
        (None, Command::Store { ticket, .. }) => reply(Reply::Committed { ticket, repeats: Vec::new() }),
        // An event of a run that had ended.
        (Some(_), _) => {}
        (None, _) => tracing::error!(run = %run, "a command for a run that was never adopted"),
    }
}

enum Next {
    Command(Command),
    Due,
    Closed,
}

/// Waits for the next command, but not beyond `due`.
fn next(inbox: &Receiver<Command>, due: Option<Instant>) -> Next {
    let Some(due) = due else { return inbox.recv().map_or(Next::Closed, Next::Command) };
    match inbox.recv_timeout(due.saturating_duration_since(Instant::now())) {
        Ok(command) => Next::Command(command),
        Err(RecvTimeoutError::Timeout) => Next::Due,
        Err(RecvTimeoutError::Disconnected) => Next::Closed,
    }
}
