//! `redqueen launch`: runs experiments on workers that are jobs of a batch system.

mod costs;
mod doctor;
mod finish;
mod head_job;
mod kubernetes;
mod logs;
mod probe;
mod profile;
mod setup;
mod start;
mod status;
mod stop;

use std::{io, path::PathBuf, process::ExitCode};

use launch::directory::Directory;

use super::Command;
use crate::{error::CliError, output::Output};

/// Directory of the coordinator's runs and of the launch, where none is given.
const DATA: &str = "launched";

/// Run experiments on workers that are jobs of a batch system.
///
/// A launcher starts a coordinator, gives it the experiments, and asks the batch system for workers: as many as the work
/// that is left can use, within the limits given. The same command starts a launch, goes on with it, and is the line for
/// cron (--once). It ends when every run has, with the tables of the experiments.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand)]
enum What {
    /// Workers as processes on this machine.
    Local(start::Args),
    /// Workers as jobs of Slurm.
    Slurm(start::Args),
    /// Workers on a list of machines, by ssh.
    Ssh(start::Args),
    /// Workers as jobs of Grid Engine.
    Sge(start::Args),
    /// Workers as jobs of PBS Pro, OpenPBS or Torque.
    Pbs(start::Args),
    /// Workers as jobs of LSF.
    Lsf(start::Args),
    /// Print manifests for Kubernetes: a coordinator with a volume, workers and their secrets.
    Kubernetes(kubernetes::Args),
    /// Show the jobs of a launch, what they cost and what is left to do.
    Status(status::Args),
    /// Show what core-hours were spent on, by cause and by job, beside the forecast.
    Costs(costs::Args),
    /// End a launch: workers finish what they run, then their jobs and the coordinator end. Nothing is lost.
    Stop(stop::Args),
    /// Show what the coordinator, the launcher and the jobs of a launch print.
    Logs(logs::Args),
    /// Look for what may go wrong with a launch on this machine.
    Doctor(doctor::Args),
    /// Print a profile (cluster.toml) of this machine's batch system, to be edited.
    Profile(profile::Args),
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        match self.what {
            What::Local(args) => args.run("local", output),
            What::Slurm(args) => args.run("slurm", output),
            What::Ssh(args) => args.run("ssh", output),
            What::Sge(args) => args.run("sge", output),
            What::Pbs(args) => args.run("pbs", output),
            What::Lsf(args) => args.run("lsf", output),
            What::Kubernetes(args) => args.run(output),
            What::Status(args) => args.run(output),
            What::Costs(args) => args.run(output),
            What::Stop(args) => args.run(output),
            What::Logs(args) => args.run(output),
            What::Doctor(args) => args.run(output),
            What::Profile(args) => args.run(output),
        }
    }
}

/// Which launch a command is about.
#[derive(clap::Args)]
struct DirectoryArgs {
    /// Directory of the launch: the --data of the command that started it.
    #[arg(value_name = "DIR", default_value = DATA)]
    data: PathBuf,
}

impl DirectoryArgs {
    fn open(&self) -> Result<Directory, CliError> {
        Directory::open(&self.data).map_err(|error| {
            let what = if error.kind() == io::ErrorKind::NotFound { "no launch".to_owned() } else { error.to_string() };
            CliError::usage(format!("`{}`: {what}", self.data.display()))
                .hint("name the --data directory of the launch; `redqueen launch slurm FILE` begins one")
        })
    }
}

/// An error of the files of a launch.
fn files(error: &io::Error) -> CliError {
    CliError::failed(format!("the files of the launch cannot be used: {error}"))
}
