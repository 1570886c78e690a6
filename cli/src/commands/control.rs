//! `redqueen list`, `status`, `watch`, `pause`, `resume`, `cancel`: what a coordinator is asked about its runs.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use coordinator::store;
use redqueen_wire::{ListRequest, ResumeRequest, RunRequest, RunState, RunStatus};
use serde_json::{Value, json};

use crate::{
    commands::{id, run_directory},
    connection::{Control, CoordinatorArgs, block_on, refused},
    error::CliError,
    load::AgainArgs,
    output::{Output, path_json, plain::quoted, print, span, stdout, thousands},
    progress::Progress,
    standing,
};

#[derive(clap::Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct RunArgs {
    /// Id of the run, or its first digits (`redqueen list` shows them).
    run: String,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct StatusArgs {
    /// Id of a coordinator's run, or its first digits; or the directory of a run.
    run: PathBuf,
    #[command(flatten)]
    coordinator: CoordinatorArgs,
}

#[derive(clap::Args)]
pub(crate) struct ResumeArgs {
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    again: AgainArgs,
}

/// Most workers that the status of a directory lists for people.
const SHARES: usize = 16;

/// What a run can be told.
#[derive(Clone, Copy)]
pub(crate) enum Change {
    Pause,
    Cancel,
}

pub(crate) fn list(args: &ListArgs, output: &Output) -> Result<ExitCode, CliError> {
    let reply = block_on(async {
        let mut client = args.coordinator.connect().await?;
        client.list(ListRequest {}).await.map(tonic::Response::into_inner).map_err(|status| refused(&status))
    })?;
    let text = || {
        let mut lines =
            vec![format!("{:8}  {:24} {:10} {:>18} {:>8}", "run", "name", "state", "trials stored", "workers")];
        for run in &reply.runs {
            let stored = format!("{}/{}", thousands(run.stored), thousands(run.trials));
            let (id, state) = (&run.run[..8.min(run.run.len())], standing::name(run.state()));
            lines.push(format!("{id:8}  {:24} {state:10} {stored:>18} {:>8}", run.name, run.workers));
        }
        lines.join("\n")
    };
    output.result(text, || json!({ "runs": reply.runs.iter().map(status_json).collect::<Vec<_>>() }));
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn status(args: &StatusArgs, output: &Output) -> Result<ExitCode, CliError> {
    // A directory that is no run is meant as one all the same: no coordinator knows it.
    if args.run.is_dir() {
        return status_of_directory(&run_directory(&args.run)?, output);
    }
    let status = block_on(async {
        let mut client = args.coordinator.connect().await?;
        let request = RunRequest { run: id(&args.run) };
        client.status(request).await.map(tonic::Response::into_inner).map_err(|status| refused(&status))
    })?;
    output.result(|| describe(&status), || status_json(&status));
    Ok(ExitCode::SUCCESS)
}

fn status_of_directory(directory: &std::path::Path, output: &Output) -> Result<ExitCode, CliError> {
    let summary = store::summary(directory)?;
    let failures = store::failures(directory)?;
    let shares = store::shares(directory)?;
    let stages = store::folded(directory)?;
    let last = stages.iter().rev().find_map(|stage| stage.fold.as_ref());
    let headline = last.and_then(|fold| fold["headline"].as_str()).unwrap_or_default();
    let text = || {
        let mut text = format!(
            "{} ({}): {}, stage {} ({}), {}/{} trials stored, {} given up{}",
            summary.name,
            &summary.id[..8],
            summary.state,
            summary.stage,
            summary.stage_name,
            thousands(summary.stored),
            thousands(summary.trials),
            summary.quarantined,
            if summary.reproducible { "" } else { ", not reproducible" },
        );
        if !headline.is_empty() {
            text.push_str(&format!("\n  {headline}"));
        }
        match summary.state.as_str() {
            "cancelled" => text.push_str("\n  cancelled; `redqueen run FILE --resume-cancelled` takes it up again"),
            "interrupted" => text.push_str("\n  no process has it open; `redqueen run FILE` goes on with it"),
            _ => {}
        }
        // Where players have time budgets, how fast a machine is decides how well they play.
        for share in shares.iter().take(SHARES) {
            let each = 1e3 * share.secs / share.trials.max(1) as f64;
            text.push_str(&format!(
                "\n  {:>11} trials by `{}`, {each:.3} ms each",
                thousands(share.trials),
                share.worker
            ));
        }
        if shares.len() > SHARES {
            text.push_str(&format!("\n  and by {} more workers", shares.len() - SHARES));
        }
        for failure in &failures {
            let (stage, trial) = (failure.stage, failure.trial);
            text.push_str(&format!(
                "\n  trial {trial} of stage {stage}: {}\n    redqueen replay {} {stage} {trial}",
                failure.error,
                quoted(directory)
            ));
        }
        text
    };
    output.result(text, || {
        let failures: Vec<Value> = failures
            .iter()
            .map(|f| json!({ "stage": f.stage, "trial": f.trial, "error": f.error, "worker": f.worker }))
            .collect();
        json!({
            "run": summary.id, "name": summary.name, "state": summary.state, "version": summary.version,
            "stage": summary.stage, "stage_name": summary.stage_name, "trials": summary.trials,
            "stored": summary.stored, "quarantined": summary.quarantined, "stored_in_all": summary.stored_in_all,
            "reproducible": summary.reproducible, "directory": path_json(directory), "failures": failures,
            "headline": headline,
            "shares": shares
                .iter()
                .map(|s| json!({ "worker": s.worker, "trials": s.trials, "secs": s.secs }))
                .collect::<Vec<_>>(),
        })
    });
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn watch(args: &RunArgs, output: &Output) -> Result<ExitCode, CliError> {
    known_by_id(&args.run)?;
    let mut progress = Progress::new(Duration::ZERO);
    let last = block_on(async {
        let mut client = args.coordinator.connect().await?;
        let request = RunRequest { run: args.run.clone() };
        let mut replies = client.watch(request).await.map_err(|status| refused(&status))?.into_inner();
        let mut last = None;
        while let Some(status) = replies.message().await.map_err(|status| refused(&status))? {
            if output.json {
                // A line a change, so that programs can follow.
                stdout::print_json(&status_json(&status).to_string());
            } else {
                progress.show(&status);
            }
            last = Some(status);
            if !stdout::is_open() {
                break;
            }
        }
        Ok(last)
    })?;
    progress.finish();
    let Some(status) = last else { return Err(CliError::failed("the coordinator said nothing of the run")) };
    if !output.json {
        print(&describe(&status));
    }
    match status.state() {
        state @ (RunState::Finished | RunState::Failed | RunState::Cancelled) => Ok(standing::exit_code(state)),
        state => Err(CliError::failed(format!("the coordinator stopped; the run is {}", standing::name(state)))
            .hint("the run goes on when the coordinator is back: watch it again")),
    }
}

pub(crate) fn change(args: &RunArgs, change: Change, output: &Output) -> Result<ExitCode, CliError> {
    let request = RunRequest { run: args.run.clone() };
    tell(args, output, async |mut client| match change {
        Change::Pause => client.pause(request).await,
        Change::Cancel => client.cancel(request).await,
    })
}

pub(crate) fn resume(args: &ResumeArgs, output: &Output) -> Result<ExitCode, CliError> {
    let AgainArgs { retry_quarantined, discard_later } = args.again;
    let request = ResumeRequest { run: args.run.run.clone(), retry_quarantined, discard_later };
    tell(&args.run, output, async |mut client| client.resume(request).await)
}

/// Refuses the directory of a run where a coordinator is to be asked.
fn known_by_id(run: &str) -> Result<(), CliError> {
    let directory = PathBuf::from(run);
    if !::coordinator::is_run_directory(&directory) {
        return Ok(());
    }
    let message = format!("`{run}` is a directory, and coordinators know runs by their ids");
    Err(CliError::usage(message).hint(format!(
        "`redqueen list` shows the ids; without a coordinator `redqueen run FILE --out {}` goes on with it, \
         --resume-cancelled if it was cancelled",
        quoted(&directory)
    )))
}

/// Tells a coordinator something about a run and shows how it stands then.
fn tell(
    args: &RunArgs,
    output: &Output,
    call: impl AsyncFnOnce(Control) -> Result<tonic::Response<RunStatus>, tonic::Status>,
) -> Result<ExitCode, CliError> {
    known_by_id(&args.run)?;
    let status = block_on(async {
        let client = args.coordinator.connect().await?;
        call(client).await.map(tonic::Response::into_inner).map_err(|status| refused(&status))
    })?;
    output.result(|| describe(&status), || status_json(&status));
    Ok(ExitCode::SUCCESS)
}

/// A run's status for people.
pub(crate) fn describe(status: &RunStatus) -> String {
    let mut text = format!(
        "{} ({}): {}, stage {} ({}), {}/{} trials stored, {} leased, {} given up; {} workers, {} threads",
        status.name,
        &status.run[..8.min(status.run.len())],
        standing::name(status.state()),
        status.stage,
        status.stage_name,
        thousands(status.stored),
        thousands(status.trials),
        thousands(status.leased),
        status.quarantined,
        status.workers,
        status.threads,
    );
    if status.rate > 0.0 {
        text.push_str(&format!("; {:.1} trials/s", status.rate));
    }
    if status.seconds_left >= 0.0 && status.state() == RunState::Running {
        text.push_str(&format!(", {} left", span(status.seconds_left)));
        if status.seconds_left_in_all > status.seconds_left + 0.5 {
            text.push_str(&format!(", about {} in all", span(status.seconds_left_in_all)));
        }
    }
    if !status.reproducible {
        text.push_str("; not reproducible: a player has a time budget");
    }
    text.push_str(&format!("\n  in {}", status.directory));
    if !status.headline.is_empty() {
        text.push_str(&format!("\n  {}", status.headline));
    }
    if !status.note.is_empty() {
        text.push_str(&format!("\n  {}", status.note));
    }
    text
}

/// A run's status for programs.
pub(crate) fn status_json(status: &RunStatus) -> Value {
    json!({
        "run": status.run, "name": status.name, "state": standing::name(status.state()), "stage": status.stage,
        "stage_name": status.stage_name, "trials": status.trials, "stored": status.stored, "leased": status.leased,
        "quarantined": status.quarantined, "rate": status.rate,
        "seconds_left": (status.seconds_left >= 0.0).then_some(status.seconds_left),
        "seconds_left_in_all": (status.seconds_left_in_all >= 0.0).then_some(status.seconds_left_in_all),
        "headline": status.headline,
        "workers": status.workers, "threads": status.threads, "reproducible": status.reproducible,
        "directory": status.directory, "note": status.note,
    })
}
