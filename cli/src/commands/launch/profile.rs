//! `redqueen launch profile`.

use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use launch::{profile::maker, runner::Runner};
use serde_json::json;

use crate::{error::CliError, output::Output};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The batch system.
    ///
    /// Slurm is asked what it has; of the others the profile has every key, to be filled in.
    #[arg(value_parser = PossibleValuesParser::new(maker::BLANKS.into_iter().chain(["slurm"])))]
    system: String,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let text = match maker::blank(&self.system) {
            Some(text) => text,
            None => by_slurm()?,
        };
        output.result(|| text.clone(), || json!({ "profile": text }));
        Ok(ExitCode::SUCCESS)
    }
}

/// A profile from what Slurm says.
fn by_slurm() -> Result<String, CliError> {
    let mut runner = Runner::default();
    let outputs = maker::calls().map(|call| runner.run(&call));
    maker::slurm(&outputs).map_err(|why| {
        CliError::failed(format!("Slurm does not say what it has: {why}"))
            .hint("`redqueen launch doctor` looks for its commands")
    })
}
