//! Processes in sessions of their own.

use std::{os::unix::process::CommandExt as _, process::Command};

use rustix::process::setsid;

/// Lets `command` start in a session of its own: it outlives the terminal of its parent, asks for no password there, and is
/// killed with all that it starts as one group.
pub fn of_its_own(command: &mut Command) -> &mut Command {
    // SAFETY: between fork and exec, setsid is called alone, which is async-signal-safe and allocates nothing.
    unsafe { command.pre_exec(|| setsid().map(drop).map_err(Into::into)) }
}
