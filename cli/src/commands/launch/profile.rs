//! `redqueen launch profile`.

use std::process::ExitCode;

use launch::{profile::maker, runner::Runner};
use serde_json::json;

use crate::{error::CliError, output::Output};

#[derive(clap::Args)]
pub(super) struct Args {
    /// The batch system.
    #[arg(value_parser = ["slurm"])]
    system: String,
}

impl Args {
    pub(super) fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let mut runner = Runner::default();
        let outputs = maker::calls().map(|call| runner.run(&call));
        let text = maker::slurm(&outputs).map_err(|why| {
            CliError::failed(format!("the batch system does not say what it has: {why}"))
                .hint(format!("`redqueen launch doctor` looks for {}'s commands", self.system))
        })?;
        output.result(|| text.clone(), || json!({ "profile": text }));
        Ok(ExitCode::SUCCESS)
    }
}
