//! Options that several commands share: the experiment with its overrides, threads, and what a retry does.

use std::path::PathBuf;

use clap::Args;
use clap_complete::ArgValueCompleter;
use coordinator::Retry;
use experiments::{Experiment, Overrides};
use worker::Executors;

use crate::{completion, error::CliError, output::Output};

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
    /// Address space of each trial's process, in MiB; unlimited if not given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(64..=1 << 30))]
    memory_mb: Option<u64>,
}

impl ThreadArgs {
    pub(crate) fn count(&self) -> usize {
        match self.threads {
            Some(threads) => threads as usize,
            None => cores(
                std::thread::available_parallelism().map_or(1, usize::from),
                GRANTED.iter().filter_map(|name| std::env::var(name).ok()),
            ),
        }
    }

    pub(crate) fn executors(&self) -> Executors {
        Executors { program: None, memory_bytes: self.memory_mb.map(|mb| mb << 20) }
    }
}

/// Where batch systems say how many cores a task has on its machine: Slurm, Grid Engine, PBS and LSF. Where they enforce it,
/// by affinity or cgroups, the system says so, too; many sites do not.
const GRANTED: [&str; 4] = ["SLURM_CPUS_PER_TASK", "NSLOTS", "PBS_NCPUS", "LSB_DJOB_NUMPROC"];

/// The least of what the system leaves to a process and what batch systems grant it; a text that is no number grants nothing.
fn cores(available: usize, granted: impl Iterator<Item = String>) -> usize {
    let granted = granted.filter_map(|text| text.trim().parse().ok()).filter(|cores| *cores > 0);
    granted.chain([available]).min().unwrap_or(available)
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
    use super::cores;

    #[test]
    fn a_batch_system_may_grant_less_than_there_is() {
        let rows: [(&[&str], usize); 6] =
            [(&[], 8), (&["2"], 2), (&["16"], 8), (&["4", "3"], 3), (&["24(x2)", " 6\n"], 6), (&["0", ""], 8)];
        for (granted, wanted) in rows {
            assert_eq!(cores(8, granted.iter().map(|text| (*text).to_owned())), wanted, "{granted:?}");
        }
    }
}
