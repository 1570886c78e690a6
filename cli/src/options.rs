//! Options that several commands share: the experiment with its overrides, threads, and what a retry does.

use std::{collections::BTreeSet, path::PathBuf};

use clap::Args;
use clap_complete::ArgValueCompleter;
use coordinator::Retry;
use experiments::{Experiment, Overrides};
use launch::systems::inside::Allocation;
use redqueen_wire::SubmitRequest;
use worker::Executors;

use crate::{completion, error::CliError, output::Output, place};

/// Options of every command that reads an experiment.
#[derive(Args)]
pub(crate) struct ExperimentArgs {
    /// The experiment (TOML).
    pub(crate) file: PathBuf,
    /// Seed of every random stream, instead of the file's.
    #[arg(long)]
    seed: Option<u64>,
    /// Set a key of the file: `--set players.mcts-100.c=0.5`. May be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE", value_parser = assignment)]
    #[arg(add = ArgValueCompleter::new(completion::experiment_key))]
    set: Vec<(String, String)>,
    /// Multiply the number of games by this: 0.1 runs a tenth.
    #[arg(long, value_name = "F")]
    scale: Option<f64>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (path, value) = text.split_once('=').ok_or("write `path=value`")?;
    Ok((path.to_owned(), value.to_owned()))
}

impl ExperimentArgs {
    /// The text of the file and the experiment in it.
    pub(crate) fn load(&self) -> Result<(String, Experiment), CliError> {
        let source = experiments::text::read(&self.file).map_err(|reason| {
            let error = CliError::usage(format!("the experiment `{}` {reason}", self.file.display()));
            if self.file.exists() {
                error
            } else {
                error.hint("files of the catalogue are under experiments/catalogue")
            }
        })?;
        let overrides = Overrides { seed: self.seed, set: self.set.clone(), scale: self.scale };
        let experiment = Experiment::parse(&source, &self.file, &overrides)?;
        Ok((source, experiment))
    }
}

/// What submits an experiment, with the files that it brings.
pub(crate) fn request(source: String, experiment: &Experiment) -> SubmitRequest {
    let artifacts = experiment.brought().into_iter().map(|artifact| artifact.data).collect();
    SubmitRequest { source, resolved: experiment.to_resolved_toml(), artifacts, ..SubmitRequest::default() }
}

/// Prints warnings about what is allowed in an experiment and hardly meant.
pub(crate) fn warn(experiment: &Experiment, output: &Output) {
    experiment.warnings().iter().for_each(|warning| output.note(&format!("warning: {warning}")));
}

/// How many trials run at a time, and how much memory each may have.
#[derive(Args)]
pub(crate) struct ThreadArgs {
    /// Trials that run at once, each in a process of its own. If not given, the cores that the system and the batch
    /// system leave to this process.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    threads: Option<u32>,
    /// Run one trial for each core and not for each hyperthread, where --threads is not given.
    #[arg(long)]
    physical_cores: bool,
    /// Address space of each trial's process, in MiB; unlimited if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(64..=1 << 30))]
    memory_mb: Option<u64>,
}

impl ThreadArgs {
    pub(crate) fn count(&self) -> usize {
        if let Some(threads) = self.threads {
            return threads as usize;
        }
        let available = if self.physical_cores { physical_cores() } else { None };
        let available = available.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
        cores(available, &place::job().unwrap_or_default(), self.memory_mb)
    }

    pub(crate) fn executors(&self) -> Executors {
        Executors { program: None, memory_bytes: self.memory_mb.map(|mb| mb << 20) }
    }
}

/// The least of what the system leaves to a process, what its job grants, and what memory the job has for trials of
/// `each_mb`. Where a batch system enforces its cores, by affinity or cgroups, the system says so, too; many sites do not.
fn cores(available: usize, job: &Allocation, each_mb: Option<u64>) -> usize {
    let granted = job.cores.filter(|cores| *cores > 0).map(|cores| cores as usize);
    let room = job.memory_mb.zip(each_mb).map(|(all, each)| usize::try_from(all / each.max(1)).unwrap_or(usize::MAX));
    [granted, room].into_iter().flatten().fold(available, usize::min).max(1)
}

/// The cores on which this process may run, hyperthreads of one core counted once; `None` where the system does not tell.
fn physical_cores() -> Option<usize> {
    let may_run = rustix::thread::sched_getaffinity(None).ok()?;
    let mut cores = BTreeSet::new();
    for cpu in (0..rustix::thread::CpuSet::MAX_CPU).filter(|&cpu| may_run.is_set(cpu)) {
        let path = format!("/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list");
        cores.insert(std::fs::read_to_string(path).ok()?);
    }
    Some(cores.len()).filter(|count| *count > 0)
}

/// What becomes of quarantined trials.
#[derive(Args)]
pub(crate) struct RetryArgs {
    /// Run quarantined trials again; a failed run goes on.
    #[arg(long)]
    pub(crate) retry_quarantined: bool,
    /// Drop the stages that follow from results without those trials, and run them again.
    #[arg(long, requires = "retry_quarantined")]
    pub(crate) discard_later: bool,
}

impl RetryArgs {
    pub(crate) fn retry(&self) -> Retry {
        Retry { quarantined: self.retry_quarantined, discard_later: self.discard_later, cancelled: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_may_have_less_than_its_machine() {
        // (cores granted, memory, memory of each trial) and threads
        let rows = [
            (None, None, None::<u64>, 8),
            (Some(2), None::<u64>, None, 2),
            (Some(16), None, None, 8),
            (Some(0), None, None, 8),
            (Some(4), Some(1_000), Some(300), 3),
            (Some(4), Some(1_000), None, 4),
            (None, Some(100), Some(300), 1),
        ];
        for (cores_granted, memory_mb, each_mb, wanted) in rows {
            let job = Allocation { cores: cores_granted, memory_mb, ..Allocation::default() };
            assert_eq!(cores(8, &job, each_mb), wanted, "{cores_granted:?} {memory_mb:?} {each_mb:?}");
        }
    }

    #[test]
    fn there_are_at_most_as_many_cores_as_hyperthreads() {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        assert!(physical_cores().is_none_or(|cores| (1..=threads).contains(&cores)));
    }
}
