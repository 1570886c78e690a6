//! The `redqueen` program: a thin layer over the crates.

mod address;
mod commands;
mod completion;
mod connection;
mod door;
mod error;
mod listen;
mod logging;
mod options;
mod output;
mod place;
mod progress;
mod quota_argument;
mod run_argument;
mod signals;
mod spec_argument;
mod state;
mod status;
mod tables;
mod tls;

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic,
    process::ExitCode,
};

use error::EXIT_USAGE;
use output::{stderr, stdout};

fn main() -> ExitCode {
    // A process that runs trials replaces the hook by one of its own, for its worker.
    panic::set_hook(Box::new(say_panic));
    match completion::answer(commands::program) {
        Ok(false) => {}
        Ok(true) => return ExitCode::SUCCESS,
        Err(error) => return output::finish(explain(&error)),
    }
    let code = match commands::program().try_get_matches() {
        Ok(matches) => commands::dispatch(matches),
        Err(error) => explain(&error),
    };
    output::finish(code)
}

/// Prints what clap has to say: help and the version are results, the rest are errors.
fn explain(error: &clap::Error) -> ExitCode {
    let (help, text) = (!error.use_stderr(), error.render());
    // clap repeats the command line, whose control characters must not reach a terminal.
    let foreign = text.to_string().chars().any(|c| c.is_control() && c != '\n');
    match help {
        true if stdout::has_colour() => stdout::print_as_is(text.ansi().to_string()),
        true => stdout::print_as_is(text.to_string()),
        false if stderr::has_colour() && !foreign => stderr::say_as_is(text.ansi().to_string()),
        false => stderr::say(text.to_string().trim_end()),
    }
    if help { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) }
}

/// Reports a panic, which is a bug in redqueen: in the log, or on stderr where there is no log.
fn say_panic(panic: &panic::PanicHookInfo<'_>) {
    let thread = std::thread::current();
    let mut text = format!("{panic} in thread `{}`; please report this", thread.name().unwrap_or("?"));
    let trace = Backtrace::capture();
    if trace.status() == BacktraceStatus::Captured {
        text.push_str(&format!("\n{trace}"));
    }
    if tracing::dispatcher::has_been_set() {
        tracing::error!("{text}");
    } else {
        stderr::say(&text);
    }
}
