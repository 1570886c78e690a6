//! `redqueen list`: a coordinator's runs.

use std::process::ExitCode;

use redqueen_wire::ListRequest;
use serde_json::json;

use super::Command;
use crate::{
    connection::{CoordinatorArgs, block_on},
    error::CliError,
    output::{Output, thousands},
    state, status,
};

/// List a coordinator's runs.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let reply = block_on(self.coordinator.ask(async |mut client| client.list(ListRequest {}).await))?;
        let text = || {
            let mut lines =
                vec![format!("{:8}  {:24} {:10} {:>18} {:>8}", "run", "name", "state", "trials stored", "workers")];
            for run in &reply.runs {
                let stored = format!("{}/{}", thousands(run.stored), thousands(run.trials));
                let (id, state) = (status::short(&run.run), state::name(run.state()));
                lines.push(format!("{id:8}  {:24} {state:10} {stored:>18} {:>8}", run.name, run.workers));
            }
            lines.join("\n")
        };
        output.result(text, || json!({ "runs": reply.runs.iter().map(status::to_json).collect::<Vec<_>>() }));
        Ok(ExitCode::SUCCESS)
    }
}
