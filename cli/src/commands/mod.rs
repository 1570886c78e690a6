//! The commands, one file each: arguments and what the command does. A command's entry in [`ALL`] is the only place
//! that names it; help, dispatch, completions and manual pages follow from the entry.

mod analyze;
mod bench;
mod cancel;
mod champion;
mod check;
mod compare;
mod completions;
mod coordinator;
mod digest;
mod events;
mod executor;
mod export;
mod games;
mod launch;
mod list;
mod man;
mod net;
mod pause;
mod perft;
mod play;
mod players;
mod priority;
mod replay;
mod report;
mod resume;
mod run;
mod show;
mod status;
mod submit;
mod test;
mod view;
mod watch;
mod worker;

use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches};

use crate::{error::CliError, output::Output};

/// A command: its arguments, whose doc comments are the help, and what it does with them.
trait Command: clap::Args {
    /// Runs the command and gives the exit code.
    fn run(self, output: &Output) -> Result<ExitCode, CliError>;
}

/// A command of the program, its type forgotten.
struct Entry {
    name: &'static str,
    /// Adds help and arguments to a command that has only a name.
    augment: fn(clap::Command) -> clap::Command,
    run: fn(&mut ArgMatches, &Output) -> Result<ExitCode, CliError>,
}

const fn entry<C: Command>(name: &'static str) -> Entry {
    Entry {
        name,
        augment: C::augment_args,
        run: |matches, output| {
            C::from_arg_matches_mut(matches).expect("matches of the command's own arguments").run(output)
        },
    }
}

/// Every command, in the order of the help.
const ALL: [Entry; 33] = [
    entry::<run::Args>("run"),
    entry::<check::Args>("check"),
    entry::<coordinator::Args>("coordinator"),
    entry::<worker::Args>("worker"),
    entry::<launch::Args>("launch"),
    entry::<submit::Args>("submit"),
    entry::<list::Args>("list"),
    entry::<status::Args>("status"),
    entry::<watch::Args>("watch"),
    entry::<pause::Args>("pause"),
    entry::<resume::Args>("resume"),
    entry::<cancel::Args>("cancel"),
    entry::<priority::Args>("priority"),
    entry::<events::Args>("events"),
    entry::<export::Args>("export"),
    entry::<view::Args>("view"),
    entry::<analyze::Args>("analyze"),
    entry::<test::Args>("test"),
    entry::<compare::Args>("compare"),
    entry::<report::Args>("report"),
    entry::<champion::Args>("champion"),
    entry::<net::Args>("net"),
    entry::<digest::Args>("digest"),
    entry::<replay::Args>("replay"),
    entry::<play::Args>("play"),
    entry::<show::Args>("show"),
    entry::<perft::Args>("perft"),
    entry::<games::Args>("games"),
    entry::<players::Args>("players"),
    entry::<bench::Args>("bench"),
    entry::<completions::Args>("completions"),
    entry::<man::Args>("man"),
    entry::<executor::Args>("executor"),
];

/// The program's command line.
pub(crate) fn program() -> clap::Command {
    clap::Command::new("redqueen")
        .about("Evolve game players and compare search algorithms, from one TOML file to the paper's table")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(ALL.iter().map(|entry| (entry.augment)(clap::Command::new(entry.name))))
        .arg(
            Arg::new("json")
                .long("json")
                .global(true)
                .action(ArgAction::SetTrue)
                .help("Print one JSON value instead of text, errors too"),
        )
}

/// Runs the command that `matches`, those of [`program`], name.
pub(crate) fn dispatch(mut matches: ArgMatches) -> ExitCode {
    let output = Output { json: matches.get_flag("json") };
    let (name, mut arguments) = matches.remove_subcommand().expect("a command is required");
    let entry = ALL.iter().find(|entry| entry.name == name).expect("clap knows the commands listed");
    (entry.run)(&mut arguments, &output).unwrap_or_else(|error| {
        output.error(&error);
        ExitCode::from(error.code)
    })
}

#[cfg(test)]
mod tests {
    /// clap's own check of every command: no argument twice, no conflict with one that does not exist.
    #[test]
    fn the_command_line_is_consistent() {
        super::program().debug_assert();
    }
}
