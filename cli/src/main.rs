//! The `redqueen` program: a thin layer over the crates.

mod commands;
mod connection;
mod error;
mod load;
mod logging;
mod output;
mod progress;
mod signals;
mod standing;
mod tls;

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    panic,
    process::ExitCode,
};

use clap::{Parser, Subcommand};

use error::{CliError, EXIT_USAGE};
use output::{Output, stderr, stdout};

/// Evolve game players and compare search algorithms, from one TOML file to the paper's table.
#[derive(Parser)]
#[command(name = "redqueen", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Print one JSON value instead of text, errors too.
    #[arg(long, global = true)]
    json: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Run an experiment here, on all cores; the same command again resumes it.
    Run(commands::run::Args),
    /// Validate an experiment; say what it would do and cost.
    Check(commands::check::Args),
    /// Serve runs to workers and to the command line.
    Coordinator(commands::coordinator::Args),
    /// Work for a coordinator.
    Worker(commands::worker::Args),
    /// Give an experiment to a coordinator.
    Submit(commands::submit::Args),
    /// List a coordinator's runs.
    List(commands::control::ListArgs),
    /// Say how a run stands.
    Status(commands::control::StatusArgs),
    /// Follow a run until it ends.
    Watch(commands::control::RunArgs),
    /// Stop leasing a run's trials.
    Pause(commands::control::RunArgs),
    /// Go on with a run that was paused, cancelled, or failed.
    Resume(commands::control::ResumeArgs),
    /// End a run.
    Cancel(commands::control::RunArgs),
    /// Say what happened to a run.
    Events(commands::events::Args),
    /// Copy a run: from its directory, or from a coordinator.
    Export(commands::export::Args),
    /// Make the tables of a run.
    Analyze(commands::analyze::Args),
    /// Test groups of numbers in a CSV or Parquet file against one another.
    Test(commands::test::Args),
    /// Set a run's figures beside the paper's.
    Compare(commands::compare::Args),
    /// Show what an evolution came to, save it as a player, and draw its ancestors; or the winner of a tuning.
    Champion(commands::champion::Args),
    /// Print one hash of all results: equal runs print equal hashes.
    Digest(commands::digest::Args),
    /// Run one trial of a run again and show it.
    Replay(commands::replay::Args),
    /// Play games between two players and show them.
    Play(commands::play::Args),
    /// Count the leaves of a game's tree.
    Perft(commands::perft::Args),
    /// List the games.
    Games,
    /// List the kinds of players and their parameters.
    Players,
    /// Measure playouts and searches a second.
    Bench(commands::bench::Args),
    /// Run trials for the worker that started this process.
    #[command(hide = true)]
    Executor(commands::executor::Args),
}

fn main() -> ExitCode {
    let code = match Arguments::try_parse() {
        Ok(arguments) => start(arguments),
        Err(error) => explain(&error),
    };
    output::finish(code)
}

fn start(arguments: Arguments) -> ExitCode {
    // A process that runs trials has a hook of its own, and its worker reads what it writes.
    if !matches!(arguments.command, Command::Executor(_)) {
        panic::set_hook(Box::new(say_panic));
    }
    let output = Output { json: arguments.json };
    dispatch(arguments.command, &output).unwrap_or_else(|error| {
        output.error(&error);
        ExitCode::from(error.code)
    })
}

/// Prints what clap has to say: help and the version are results, the rest are errors.
fn explain(error: &clap::Error) -> ExitCode {
    let (help, text) = (!error.use_stderr(), error.render());
    // What it repeats of the command line is not ours.
    let foreign = text.to_string().chars().any(|c| c.is_control() && c != '\n');
    match help {
        true if stdout::has_colour() => stdout::print_as_is(text.ansi().to_string()),
        true => stdout::print_as_is(text.to_string()),
        false if stderr::has_colour() && !foreign => stderr::say_as_is(text.ansi().to_string()),
        false => stderr::say(text.to_string().trim_end()),
    }
    if help { ExitCode::SUCCESS } else { ExitCode::from(EXIT_USAGE) }
}

/// A panic in the log, or on stderr where there is none; it is a fault of ours.
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

fn dispatch(command: Command, output: &Output) -> Result<ExitCode, CliError> {
    match command {
        Command::Run(args) => commands::run::run(&args, output),
        Command::Check(args) => commands::check::run(&args, output),
        Command::Coordinator(args) => commands::coordinator::run(args),
        Command::Worker(args) => commands::worker::run(args),
        Command::Submit(args) => commands::submit::run(&args, output),
        Command::List(args) => commands::control::list(&args, output),
        Command::Status(args) => commands::control::status(&args, output),
        Command::Watch(args) => commands::control::watch(&args, output),
        Command::Pause(args) => commands::control::change(&args, commands::control::Change::Pause, output),
        Command::Resume(args) => commands::control::resume(&args, output),
        Command::Cancel(args) => commands::control::change(&args, commands::control::Change::Cancel, output),
        Command::Events(args) => commands::events::run(&args, output),
        Command::Export(args) => commands::export::run(&args, output),
        Command::Analyze(args) => commands::analyze::run(&args, output),
        Command::Test(args) => commands::test::run(&args, output),
        Command::Compare(args) => commands::compare::run(&args, output),
        Command::Champion(args) => commands::champion::run(&args, output),
        Command::Digest(args) => commands::digest::run(&args, output),
        Command::Replay(args) => commands::replay::run(&args, output),
        Command::Play(args) => commands::play::run(&args, output),
        Command::Perft(args) => commands::perft::run(&args, output),
        Command::Games => commands::registry::games(output),
        Command::Players => commands::registry::players(output),
        Command::Bench(args) => commands::bench::run(&args, output),
        Command::Executor(args) => commands::executor::run(&args),
    }
}
