//! `redqueen run`: coordinator and worker in one process, over loopback.

use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    process::ExitCode,
    time::{Duration, Instant},
};

use coordinator::{
    CONNECTIONS_MAX, Config, Coordinator, HEARTBEAT, Http, Retry, Root, Token, find_directory, find_shorter,
    is_run_directory,
    store::{self, Summary},
};
use experiments::Experiment;
use redqueen_wire::{RunState, tcp};
use serde_json::json;
use worker::{Options, Place, Route, Routes, Stop};

use super::{Command, report};
use crate::{
    connection::block_on,
    door::DoorArgs,
    error::{CliError, EXIT_INTERRUPTED},
    options::{ExperimentArgs, RetryArgs, ThreadArgs, warn},
    output::{Output, path_json, plain::quoted, span, stderr, thousands},
    progress::Progress,
    signals::Signals,
    state, tables,
};

/// How long an obstacle may last before the progress names it.
const PATIENCE: Duration = Duration::from_secs(2);
/// Run directories of `run` without `--out`.
const RUNS: &str = "runs";
/// Events read at once.
const EVENTS: u32 = 1_000;
/// How long running trials may go on after Ctrl-C.
const GRACE: Duration = Duration::from_secs(10);

/// Run an experiment here, on all cores; the same command again resumes it.
#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    threads: ThreadArgs,
    /// Directory of the run; `runs/NAME-HASH` if not given, so that the same command finds its run again.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Make no tables and no report; `redqueen analyze` and `redqueen report` make them later.
    #[arg(long)]
    no_tables: bool,
    /// Continue the run if it was cancelled.
    #[arg(long)]
    resume_cancelled: bool,
    #[command(flatten)]
    retry: RetryArgs,
    /// Continue a run of the same experiment with fewer games, runs or generations. Its results are kept, and it
    /// becomes the run of this experiment.
    #[arg(long)]
    extend: bool,
    #[command(flatten)]
    door: DoorArgs,
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        let (source, experiment) = self.experiment.load()?;
        let http = self.door.door()?;
        warn(&experiment, output);
        let out = directory(&self, &experiment)?;
        let threads = self.threads.count();
        if !experiment.reproducible() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            output.note("note: a player has a time budget, so this run is not reproducible");
            if threads > cores {
                output.note(&format!(
                    "warning: {threads} threads share {cores} cores, so players get less than their time"
                ));
            }
        }
        output.note(&format!("{}\nrun directory: {}", experiment.title(), out.display()));
        note_changes(&out, &experiment, self.extend, output);
        if let Some(holder) = store::leased_to(&out) {
            output
                .note(&format!("{holder} has the run; if that gives no sign of life, the run goes on within a minute"));
        }
        let begun = Instant::now();
        let Ran { ended, before } = block_on(execute(source, experiment, out.clone(), http, &self, output))?;
        let secs = begun.elapsed().as_secs_f64();
        // Trials of all stages; the run's status counts those of the last one.
        let Summary { id, stored_in_all: stored, stage, stage_name, trials, stored: of_stage, reproducible, .. } =
            store::summary(&out)?;
        let here = stored.saturating_sub(before);
        output.note(&if before == 0 {
            format!("{} trials in {} on {threads} threads", thousands(stored), span(secs))
        } else {
            // The time is this session's, so the trials are, too.
            format!(
                "{} trials in {} on {threads} threads; {} were stored before",
                thousands(here),
                span(secs),
                thousands(before)
            )
        });
        let state = ended.map_or("interrupted", state::name);
        let mut value = json!({
            "run": id, "directory": path_json(&out), "state": state, "trials": stored, "trials_before": before,
            "trials_run": here,
            "elapsed_secs": secs, "threads": threads, "reproducible": reproducible,
        });
        let so_far = || {
            let (of_stage, trials) = (thousands(of_stage), thousands(trials));
            format!("{of_stage} of {trials} trials of stage {stage} ({stage_name}) are stored in {}", out.display())
        };
        match ended {
            None => {
                output.note(&format!("interrupted; the same command goes on: {}", so_far()));
                output.facts(|| value);
                return Ok(ExitCode::from(EXIT_INTERRUPTED));
            }
            Some(RunState::Cancelled) => {
                output.note(&format!(
                    "the run was cancelled: {}\n  hint: the same command with --resume-cancelled goes on; \
                     `redqueen analyze` shows what it has",
                    so_far()
                ));
                output.facts(|| value);
                return Ok(state::exit_code(RunState::Cancelled));
            }
            Some(RunState::Failed) => report_failures(&out, output)?,
            Some(_) => {}
        }
        let tables = if self.no_tables || stored == 0 { None } else { tables::after_run(&out)? };
        if let Some(report) = &tables {
            value["tables"] = report.to_json();
            value["report"] = path_json(&write_report(&out, report, output)?);
        }
        output.result(|| tables.map(|report| report.to_markdown()).unwrap_or_default(), || value);
        Ok(ended.map_or(ExitCode::SUCCESS, state::exit_code))
    }
}

/// Writes the report of a run whose tables are there, and names it; gives its path.
fn write_report(out: &Path, tables: &analysis::Report, output: &Output) -> Result<PathBuf, CliError> {
    let document = page::report::report_of(out, tables.clone(), &page::report::Options::default())?;
    let path = report::in_directory(out);
    report::write(&document, &path, output).map_err(|error| report::unwritable(&path, &error))?;
    output.note(&format!("report: {}", path.display()));
    Ok(path)
}

/// Where the run is or will be.
fn directory(args: &Args, experiment: &Experiment) -> Result<PathBuf, CliError> {
    let runs = Path::new(RUNS);
    let out = args.out.clone().unwrap_or_else(|| find_directory(runs, experiment));
    if !args.extend {
        return Ok(out);
    }
    let begin = "leave --extend away to begin a run";
    if args.out.is_some() {
        let none = || CliError::usage(format!("`{}` holds no run to go on with", out.display())).hint(begin);
        return if is_run_directory(&out) { Ok(out) } else { Err(none()) };
    }
    // The same command again finds the run that it made longer.
    if store::read_experiment(&out).is_ok_and(|there| there.hash() == experiment.hash()) {
        return Ok(out);
    }
    match &find_shorter(runs, experiment)[..] {
        [one] => Ok(one.clone()),
        [] => Err(CliError::usage(format!(
            "no run in `{RUNS}` is of this experiment and asks for less: there is none to go on with"
        ))
        .hint(format!("name its directory with --out, or {begin}"))),
        several => {
            let names: Vec<String> = several.iter().map(|path| format!("`{}`", path.display())).collect();
            Err(CliError::usage(format!("several runs could be made longer: {}", names.join(", ")))
                .hint("name one with --out"))
        }
    }
}

/// Notes which keys of the existing run get other values from the given experiment.
fn note_changes(out: &Path, experiment: &Experiment, extend: bool, output: &Output) {
    let Ok(there) = store::read_experiment(out) else { return };
    let accepted = if extend { experiment.lengthens(&there).is_ok() } else { experiment.hash() == there.hash() };
    if accepted {
        let changes = experiment.differences(&there).into_iter().filter(|change| change.key != "analysis");
        changes.for_each(|change| output.note(&format!("changed: {}", change.change())));
    }
}

/// Notes how many trials at the end of the shorter run were dropped when it was made longer.
fn note_dropped(out: &Path, output: &Output) -> Result<(), CliError> {
    let (mut after, mut dropped) = (0, 0);
    loop {
        let page = store::events(out, after, EVENTS)?.events;
        for event in page.iter().filter(|event| event.kind == "extended") {
            dropped = event.detail["dropped_trials"].as_u64().unwrap_or(0);
        }
        match page.last() {
            Some(last) => after = last.event,
            None => break,
        }
    }
    if dropped > 0 {
        output.note(&format!(
            "{} trials at the end of the shorter run are dropped: the longer run goes on there",
            thousands(dropped)
        ));
    }
    Ok(())
}

/// Names every quarantined trial, with the command that runs it again.
fn report_failures(out: &Path, output: &Output) -> Result<(), CliError> {
    for failure in store::failures(out)? {
        output.note(&format!(
            "trial {} of stage {} is quarantined: {}\n  run it again: redqueen replay {} {} {}",
            failure.trial,
            failure.stage,
            failure.error,
            quoted(out),
            failure.stage,
            failure.trial
        ));
    }
    Ok(())
}

/// What became of a run in this process.
struct Ran {
    /// The state in which it ended; none if interrupted.
    ended: Option<RunState>,
    /// Trials that earlier sessions had stored.
    before: u64,
}

async fn execute(
    source: String,
    experiment: Experiment,
    directory: PathBuf,
    http: Option<Http>,
    args: &Args,
    output: &Output,
) -> Result<Ran, CliError> {
    let mut signals = Signals::take()?;
    let token = Token::random();
    let config = Config {
        root: Root::Single(directory.clone()),
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        more_ports: 0,
        token: Some(token.clone()),
        worker_token: None,
        tls: None,
        connections_max: CONNECTIONS_MAX,
        http,
        heartbeat: HEARTBEAT,
        self_test: experiments::self_test(),
    };
    let mut coordinator = Coordinator::start(config).await?;
    if let Some(http) = coordinator.http_address() {
        output.note(&format!("pages at http://{http}/"));
    }
    if let Some(socket) = coordinator.http_socket() {
        output.note(&format!("HTTP at the socket {}", socket.display()));
    }
    let retry = Retry { cancelled: args.resume_cancelled, ..args.retry.retry() };
    let run = if args.extend {
        let run = coordinator.extend(source, experiment, retry).await?;
        note_dropped(&directory, output)?;
        run
    } else {
        coordinator.submit(source, experiment, retry).await?
    };
    let before = store::summary(&directory)?.stored_in_all;
    // Running a paused or interrupted run again resumes it. A cancelled run goes on only with --resume-cancelled.
    coordinator.resume(run).await;
    let (stop, shutdown) = Stop::channel();
    let options = Options {
        routes: Routes::Fixed(Route {
            url: format!("http://{}", coordinator.address()),
            credentials: Some(token.header()).into(),
            tls: None,
            dial: tcp(),
        }),
        place: Place::default(),
        name: format!("local-{}", std::process::id()),
        process: rand::random(),
        threads: args.threads.count(),
        executors: args.threads.executors(),
        grace: GRACE,
        patience: Duration::from_secs(30),
        lost: None,
        idle: None,
    };
    let mut worker = tokio::spawn(worker::run(options, shutdown));
    let mut watch = coordinator.watch(run);
    let mut progress = Progress::new(PATIENCE);
    let ended = loop {
        if let Some(status) = watch.now() {
            progress.show(&status);
            if !matches!(status.state(), RunState::Running | RunState::Paused) {
                break Some(status.state());
            }
        }
        tokio::select! {
            more = watch.changed() => if !more { return Err(coordinator.broken().await.into()) },
            broken = coordinator.broken() => return Err(broken.into()),
            () = signals.next() => break None,
            gone = &mut worker => {
                progress.finish();
                let gone = gone.map_err(|panic| CliError::broken("worker", &panic))?;
                return Err(gone.map_or_else(CliError::from, |()| CliError::failed("the worker ended")));
            }
        }
    };
    progress.finish();
    if ended.is_none() {
        signals.end_at_next();
        stderr::say("stopping; once more ends at once");
    }
    stop.stop();
    let _ = worker.await;
    coordinator.stop().await?;
    Ok(Ran { ended, before })
}
