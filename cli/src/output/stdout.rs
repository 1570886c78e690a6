//! stdout: results. A failure to write is remembered and ends the process with an error, like a check of `ferror` at
//! the end of a C program.
//!
//! A reader that went away is not a failure: `redqueen events r | head` has seen enough.

use std::{
    io,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use rustix::fs::{FileType, fstat};

use super::{plain, stderr, write::write_all};

/// How long a result waits for earlier lines of stderr, which come before it on a terminal.
const ORDER: Duration = Duration::from_secs(1);

static STATE: Mutex<State> = Mutex::new(State::Open);

enum State {
    Open,
    /// The reader went away.
    Gone,
    Failed(io::Error),
}

/// Prints a line, or several.
pub(crate) fn print(text: &str) {
    print_as_is(plain::plain(text) + "\n");
}

/// Prints a JSON text.
pub(crate) fn print_json(text: &str) {
    print_as_is(plain::plain_json(text) + "\n");
}

/// Prints a line of a process that serves, which goes on if the line cannot be written.
///
/// # Errors
/// What the system said.
pub(crate) fn announce(line: &str) -> io::Result<()> {
    write_all(rustix::stdio::stdout(), format!("{line}\n").as_bytes())
}

/// Prints trusted text unchanged, with its colours and line breaks.
pub(crate) fn print_as_is(text: impl Into<Vec<u8>>) {
    let text = text.into();
    stderr::flush(ORDER);
    if !is_open() {
        return;
    }
    if let Err(error) = write_all(rustix::stdio::stdout(), &text) {
        let new = if is_gone(&error) { State::Gone } else { State::Failed(error) };
        *STATE.lock().unwrap_or_else(PoisonError::into_inner) = new;
    }
}

/// Whether to write in colours.
pub(crate) fn has_colour() -> bool {
    stderr::wants_colour(&io::stdout())
}

/// Whether printing still has a reader; commands that print without end ask.
pub(crate) fn is_open() -> bool {
    matches!(*STATE.lock().unwrap_or_else(PoisonError::into_inner), State::Open)
}

/// The failure to write a result, if there was one; given once.
pub(crate) fn take_failure() -> Option<io::Error> {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    match std::mem::replace(&mut *state, State::Gone) {
        State::Failed(error) => Some(error),
        before => {
            *state = before;
            None
        }
    }
}

/// Whether the error says that the reader left: of a pipe or a socket, or a terminal that was closed.
fn is_gone(error: &io::Error) -> bool {
    let closed_terminal = || {
        let file = fstat(rustix::stdio::stdout());
        let kind = file.map(|file| FileType::from_raw_mode(file.st_mode));
        error.raw_os_error() == Some(rustix::io::Errno::IO.raw_os_error()) && kind == Ok(FileType::CharacterDevice)
    };
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset) || closed_terminal()
}
