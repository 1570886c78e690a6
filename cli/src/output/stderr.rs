//! stderr: messages. A line that cannot be written is lost, and nothing else happens.
//!
//! One thread writes and all others queue lines for it, so that a pipe without a reader, or a stopped terminal, blocks
//! that thread alone. The queue is bounded; lines lost meanwhile are counted and reported when there is room again.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal},
    sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use super::{plain::plain, write::write_all};

/// Bytes that may wait to be written.
const WAITING_MAX: usize = 1 << 20;

/// Says a line, or several.
pub(crate) fn say(text: &str) {
    say_as_is(plain(text) + "\n");
}

/// Writes trusted text unchanged, with its colours and line breaks.
pub(crate) fn say_as_is(text: impl Into<Vec<u8>>) {
    SINK.push(text.into());
}

/// Waits until everything queued is written, for `patience` at most. After a wait that ran out it does not wait again
/// until something could be written.
pub(crate) fn flush(patience: Duration) {
    SINK.flush(patience);
}

/// Whether a line may change after it is written: on a terminal that can do it.
pub(crate) fn is_lively() -> bool {
    is_capable(&io::stderr())
}

/// Whether to write in colours.
pub(crate) fn has_colour() -> bool {
    wants_colour(&io::stderr())
}

/// Whether to write in colours to a stream.
pub(super) fn wants_colour(stream: &impl IsTerminal) -> bool {
    is_capable(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Whether a stream goes to a terminal with more than plain lines.
fn is_capable(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

static SINK: LazyLock<Sink> = LazyLock::new(|| {
    let started = thread::Builder::new().name("stderr".to_owned()).spawn(|| SINK.write());
    Sink { threaded: started.is_ok(), state: Mutex::default(), said: Condvar::new(), written: Condvar::new() }
});

struct Sink {
    /// False if the system gave no thread.
    threaded: bool,
    state: Mutex<State>,
    said: Condvar,
    written: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Vec<u8>>,
    bytes: usize,
    /// A text is being written.
    busy: bool,
    /// A wait for it ran out.
    stuck: bool,
    lost: u64,
}

impl State {
    fn is_done(&self) -> bool {
        self.waiting.is_empty() && !self.busy
    }
}

impl Sink {
    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics halfway through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, text: Vec<u8>) {
        if !self.threaded {
            let _ = write_all(rustix::stdio::stderr(), &text);
            return;
        }
        let mut state = self.state();
        if state.bytes + text.len() > WAITING_MAX {
            state.lost += 1;
            return;
        }
        if state.lost > 0 {
            let lost = std::mem::take(&mut state.lost);
            let note = format!("({lost} lines were lost here: stderr could not be written)\n").into_bytes();
            state.bytes += note.len();
            state.waiting.push_back(note);
        }
        state.bytes += text.len();
        state.waiting.push_back(text);
        self.said.notify_one();
    }

    fn flush(&self, patience: Duration) {
        let end = Instant::now() + patience;
        let mut state = self.state();
        while self.threaded && !state.is_done() && !state.stuck {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                state.stuck = true;
            }
            state = self.written.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The thread.
    fn write(&self) {
        let mut state = self.state();
        loop {
            let Some(text) = state.waiting.pop_front() else {
                state = self.said.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.busy = true;
            drop(state);
            // The reader is gone, the disk full or the terminal closed: there is no place to report it.
            let _ = write_all(rustix::stdio::stderr(), &text);
            state = self.state();
            state.bytes -= text.len();
            (state.busy, state.stuck) = (false, false);
            self.written.notify_all();
        }
    }
}

/// A writer of whole lines, for the log.
#[derive(Clone, Copy)]
pub(crate) struct Lines;

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        say_as_is(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
