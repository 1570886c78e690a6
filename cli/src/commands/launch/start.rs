//! `redqueen launch slurm` and its siblings: a launcher, from start to end.

use std::{
    fs::File,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    process::{Child, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use coordinator::Made;
use experiments::Experiment;
use launch::{
    control::Coordinator,
    core::Ended,
    directory::{Directory, Forecast, Lock},
    driver::{Driver, Parts, blocking},
    head::{Head, Life},
    profile::Place,
    session,
};
use redqueen_wire::{Address, RunRequest, RunState, RunStatus, Standing, SubmitRequest};
use serde_json::json;
use tokio::time::sleep;

use super::{
    super::check::CALIBRATION,
    files, finish,
    head_job::{self, InJob},
    probe::{Probe, probe},
    setup::{Setup, SetupArgs, program},
};
use crate::{
    connection::{self, block_on},
    error::{CliError, EXIT_INTERRUPTED},
    logging::LogArgs,
    options::{self, ExperimentArgs, warn},
    output::Output,
    place::host,
    progress::Progress,
    signals::Signals,
};

/// How long a coordinator may take until it answers after its start.
const PATIENCE: Duration = Duration::from_secs(60);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(100);
/// How long an obstacle of a run lasts before it is named; jobs wait in queues.
const OBSTACLES: Duration = Duration::from_secs(30);
/// How long a launcher in the background is watched before it is left alone.
const WATCHED: Duration = Duration::from_secs(15);

#[derive(clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    experiment: ExperimentArgs,
    #[command(flatten)]
    setup: SetupArgs,
    /// Print the script of a job, and do nothing.
    #[arg(long)]
    print: bool,
    /// Ask for one job and see whether its worker reaches the coordinator; if not, show which way is blocked. Nothing is run.
    #[arg(long, conflicts_with_all = ["detach", "print", "once"])]
    test: bool,
    /// Look once at work and queue, act, and end: a line for cron.
    #[arg(long, conflicts_with_all = ["detach", "print"])]
    once: bool,
    /// Go on in the background, in a session of its own.
    #[arg(long, conflicts_with = "print")]
    detach: bool,
    /// Do not end when every run has: others may be submitted (`redqueen submit FILE --access DIR`).
    #[arg(long)]
    stay: bool,
    /// Make no tables at the end.
    #[arg(long)]
    no_tables: bool,
    /// This process is in the job of the coordinator.
    #[arg(long, hide = true)]
    head: bool,
    #[command(flatten)]
    log: LogArgs,
}

impl Args {
    pub(super) fn run(self, system: &str, output: &Output) -> Result<ExitCode, CliError> {
        let (source, experiment) = self.experiment.load()?;
        let setup = self.setup.setup(system)?;
        let directory = Directory::make(&setup.data).map_err(|error| files(&error))?;
        if directory.data().to_str().is_none() {
            return Err(CliError::usage(format!(
                "`{}` is not UTF-8, and scripts of jobs name it",
                directory.data().display()
            ))
            .hint("name another --data directory"));
        }
        if self.print {
            return print(&setup, &directory, output);
        }
        warn(&experiment, output);
        let lock = match directory.lock().map_err(|error| files(&error))? {
            Some(lock) => lock,
            None if self.head => wait_for_lock(&directory)?,
            None => return Err(at_work(&directory)),
        };
        if !self.head {
            remember(&directory)?;
        }
        if self.test {
            self.log.start();
            let probe = block_on(Self::try_one(setup, directory))?;
            drop(lock);
            return probe.report(output);
        }
        if setup.place == Place::Job && !self.head {
            return head_job::begin(&setup, &directory, output);
        }
        if self.detach {
            drop(lock);
            return detach(&directory, output);
        }
        self.log.start();
        forecast(&directory, &experiment);
        let request = options::request(source, &experiment);
        let launched = block_on(self.launch(system, setup, directory.clone(), lock, request))?;
        match launched {
            Launched::GoesOn => {
                output.note(&format!(
                    "jobs and coordinator go on without a launcher; the same command goes on with them, and `redqueen \
                     launch stop {}` ends them",
                    directory.data().display()
                ));
                Ok(ExitCode::from(EXIT_INTERRUPTED))
            }
            Launched::Looked | Launched::HandsOver => Ok(ExitCode::SUCCESS),
            Launched::Ended(ended) => finish::finish(&directory, &ended, self.no_tables, output),
        }
    }

    /// Starts the coordinator, if it does not serve, and one job.
    async fn try_one(setup: Setup, directory: Directory) -> Result<Probe, CliError> {
        let mut head = Head::new(directory.clone(), program()?, coordinator(&directory, &setup), host());
        revive(&mut head, &directory).await?;
        let probe = probe(setup, &directory, Coordinator::new(connect(&directory.address()), true)).await;
        stop(head).await?;
        probe
    }

    /// Works until the launch has ended, or a signal comes.
    async fn launch(
        &self,
        system: &str,
        mut setup: Setup,
        directory: Directory,
        lock: Lock,
        request: SubmitRequest,
    ) -> Result<Launched, CliError> {
        // Jobs and coordinator live on without their launcher, so that a terminal that closes is no reason to end.
        let mut signals = Signals::take_but_hangup()?;
        let mut head = Head::new(directory.clone(), program()?, coordinator(&directory, &setup), host());
        let mut in_job = match self.head {
            true => Some(InJob::new(&setup, &directory)?.wait_for_turn(&head).await?),
            false => None,
        };
        let until = in_job.as_ref().and_then(InJob::until);
        let elsewhere = match &setup.place {
            Place::Url(url) => {
                point_to(url, &directory)?;
                true
            }
            Place::Here | Place::Job => false,
        };
        if !elsewhere {
            revive(&mut head, &directory).await?;
        }
        let address = directory.address();
        let run = connection::by_file(&address).await?.submit(request).await?.into_inner();
        tracing::info!("run {} ({}) is in {}", run.name, crate::status::short(&run.run), run.directory);
        let poll = setup.policy.poll;
        let parts = Parts {
            policy: setup.policy,
            system_name: system.to_owned(),
            system: setup.system,
            runner: setup.runner,
            worker: setup.worker,
            coordinator: Coordinator::new(connect(&address), self.stay),
            directory: directory.clone(),
            host: host(),
        };
        let mut driver = Driver::start(parts).map_err(|error| files(&error))?;
        let mut progress = Progress::new(OBSTACLES);
        let (mut looks, begun) = (0, Instant::now());
        let ended = loop {
            looks += 1;
            if let Some(machines) = &mut setup.machines {
                machines.look();
            }
            if let Some(ended) = driver.step().await.map_err(|error| files(&error))? {
                break ended;
            }
            if driver.away.is_some() && !elsewhere {
                revive(&mut head, &directory).await?;
            }
            if let Some(job) = in_job.take() {
                in_job = Some(job.look().await);
            }
            if let Some(status) = status(&address, &run.run).await {
                progress.show(&status);
            }
            // The first look asks, the second acts on the answers. When nothing is left to do, it waits until the queue shows
            // that no job is left.
            let looked = looks >= 2 && !driver.work_is_over;
            if self.once && (looked || begun.elapsed() > 2 * poll + PATIENCE) {
                progress.finish();
                return Ok(Launched::Looked);
            }
            tokio::select! {
                () = sleep(if self.once && looks == 1 { Duration::ZERO } else { setup.every }) => {}
                () = signals.next() => {
                    progress.finish();
                    if in_job.is_none() {
                        return Ok(Launched::GoesOn);
                    }
                    // The job ends, and with it the coordinator: its successor goes on from what is on disk.
                    stop(head).await?;
                    return Ok(Launched::HandsOver);
                }
                () = InJob::must_hand_over(until), if in_job.is_some() => {
                    tracing::info!("this job ends soon: handing over to the next one");
                    stop(head).await?;
                    return Ok(Launched::HandsOver);
                }
            }
        };
        progress.finish();
        signals.end_at_next();
        if !elsewhere {
            stop(head).await?;
        }
        if let Some(job) = in_job {
            job.end().await;
        }
        directory.forget_stop();
        drop(lock);
        Ok(Launched::Ended(ended))
    }
}

/// Finds out what the trials of the experiment will take, beside all else that a launcher does, unless that is known.
fn forecast(directory: &Directory, experiment: &Experiment) {
    if directory.forecasts().contains_key(&experiment.id()) {
        return;
    }
    let (directory, experiment) = (directory.clone(), experiment.clone());
    std::thread::spawn(move || {
        let begun = Instant::now();
        let forecast = match experiment.forecast(&|| begun.elapsed().as_secs_f64(), CALIBRATION) {
            Ok(forecast) => forecast,
            Err(error) => return tracing::warn!("there is no forecast of what the trials will take: {error}"),
        };
        let (name, core_secs) = (experiment.name().to_owned(), forecast.executor_secs);
        let forecast = Forecast { name, core_secs, sampled: forecast.sampled, host: host() };
        if let Err(error) = directory.write_forecast(&experiment.id(), &forecast) {
            tracing::warn!("the forecast of what the trials will take cannot be written: {error}");
        }
    });
}

/// What became of a launcher.
enum Launched {
    /// It was interrupted; its jobs go on.
    GoesOn,
    /// It has looked once.
    Looked,
    /// Its job ends, and the next one goes on.
    HandsOver,
    /// The launch has ended.
    Ended(Ended),
}

/// Arguments of the coordinator.
fn coordinator(directory: &Directory, setup: &Setup) -> Vec<String> {
    let data = directory.data().display().to_string();
    let mut arguments =
        ["coordinator", "--data", &data, "--listen", &setup.listen, "--tls"].map(str::to_owned).to_vec();
    let (http, public) = setup.http;
    arguments.extend(http.into_iter().flat_map(|address| ["--http".to_owned(), address.to_string()]));
    arguments.extend((http.is_some() && public).then(|| "--http-public".to_owned()));
    arguments
}

/// Makes sure that a coordinator serves: starts it, and waits until it answers.
async fn revive(head: &mut Head, directory: &Directory) -> Result<(), CliError> {
    let begun = Instant::now();
    loop {
        let life = head.ensure().map_err(CliError::failed)?;
        if life == Life::Started {
            tracing::info!("the coordinator is started; it logs to {}", directory.coordinator_log().display());
        }
        let error = match connection::by_file(&directory.address()).await {
            Ok(_) => return Ok(()),
            Err(error) => error,
        };
        if begun.elapsed() > PATIENCE {
            let Some(there) = head.elsewhere() else { return Err(error) };
            return Err(CliError::failed(format!(
                "the coordinator was started on {there} and does not answer: {}",
                error.message
            ))
            .hint(format!(
                "give the command there; or, if that machine is gone, remove `{}` first",
                directory.head().display()
            )));
        }
        sleep(PAUSE).await;
    }
}

/// Stops the coordinator, and waits until it has.
async fn stop(mut head: Head) -> Result<(), CliError> {
    blocking(move || head.stop()).await.map_err(|error| files(&error))
}

/// Waits until the launcher before this one has ended.
fn wait_for_lock(directory: &Directory) -> Result<Lock, CliError> {
    loop {
        if let Some(lock) = directory.lock().map_err(|error| files(&error))? {
            return Ok(lock);
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Writes an address file for a coordinator that is elsewhere, from the copies of its certificate and tokens beside it.
fn point_to(url: &str, directory: &Directory) -> Result<(), CliError> {
    let there = |name: &str| directory.data().join(name).exists().then(|| name.into());
    let address = Address {
        generation: 0,
        standing: Standing::Serving,
        urls: vec![url.to_owned()],
        certificate: there("redqueen.ca.pem"),
        token: there(Made::Coordinator.file()),
        worker_token: there(Made::Workers.file()),
    };
    address.write(&directory.address()).map(drop).map_err(CliError::failed)
}

fn connect(address: &Path) -> launch::control::Connect {
    let address = address.to_owned();
    Box::new(move || {
        let address = address.clone();
        Box::pin(async move { connection::by_file(&address).await.map_err(|error| error.message) })
    })
}

/// The status of a run that goes on; `None` if the coordinator does not answer.
async fn status(address: &Path, run: &str) -> Option<RunStatus> {
    let mut client = connection::by_file(address).await.ok()?;
    let status = client.status(RunRequest { run: run.to_owned() }).await.ok()?.into_inner();
    (status.state() == RunState::Running).then_some(status)
}

fn print(setup: &Setup, directory: &Directory, output: &Output) -> Result<ExitCode, CliError> {
    let name = format!("rq-{}-0001", directory.id());
    let job = Driver::job(&setup.worker, directory, &name, setup.policy.walltime, Vec::new());
    let call = setup.system.submit(&job).map_err(CliError::usage)?;
    let call = call.via(&setup.runner.via).map_err(CliError::usage)?;
    let command = launch::call::line(&call.argv).map_err(CliError::usage)?;
    output.result(
        || match &call.stdin {
            Some(stdin) => format!("# {command} <<'END'\n{stdin}"),
            None => command.clone(),
        },
        || json!({ "command": call.argv, "stdin": call.stdin }),
    );
    Ok(ExitCode::SUCCESS)
}

fn at_work(directory: &Directory) -> CliError {
    let who = directory
        .status()
        .map_or_else(|_| String::new(), |status| format!(" (process {} on {})", status.pid, status.host));
    let data = directory.data().display();
    CliError::usage(format!("a launcher is at work on `{data}`{who}")).hint(format!(
        "`redqueen launch status {data}` shows its jobs, and `redqueen submit FILE --access {data}` gives it more to do"
    ))
}

/// Writes down the arguments of this process, with which [`again`] starts another launcher.
fn remember(directory: &Directory) -> Result<(), CliError> {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let here = std::env::current_dir().map_err(|error| files(&error))?;
    directory.remember(&arguments, &here).map_err(|error| files(&error))
}

/// Starts the last launcher of a directory again, in the background.
pub(super) fn again(directory: &Directory) -> Result<Child, CliError> {
    let (arguments, place) = directory.remembered().map_err(|error| files(&error))?;
    let alone = ["--detach", "--once"];
    let arguments = launch::directory::without_value(arguments, "--place");
    let log = File::options()
        .append(true)
        .create(true)
        .mode(0o600)
        .open(directory.launcher_log())
        .map_err(|error| files(&error))?;
    let mut command = Command::new(program()?);
    command.args(arguments.iter().filter(|word| !alone.contains(&word.as_str())));
    // It ends here what a job has begun.
    command.args(["--place", "here"]).current_dir(place);
    command.stdin(Stdio::null()).stdout(log.try_clone().map_err(|error| files(&error))?).stderr(log);
    session::of_its_own(&mut command);
    command.spawn().map_err(|error| files(&error))
}

/// Starts a launcher in the background, and waits until it is at work.
fn detach(directory: &Directory, output: &Output) -> Result<ExitCode, CliError> {
    let before = directory.status().map(|status| status.at).ok();
    let mut child = again(directory)?;
    let begun = Instant::now();
    loop {
        if let Some(ended) = child.try_wait().map_err(|error| files(&error))? {
            let log = launch::directory::tail(&directory.launcher_log(), 2_000).unwrap_or_default();
            if ended.success() {
                break;
            }
            return Err(CliError::failed(format!("the launcher has ended:\n{log}")));
        }
        let status = directory.status().ok();
        if status.is_some_and(|s| s.pid == child.id() && Some(s.at) >= before) || begun.elapsed() > WATCHED {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    let data = directory.data().display().to_string();
    let text = format!(
        "launcher: process {}, which logs to {}\n`redqueen launch status {data}` shows its jobs",
        child.id(),
        directory.launcher_log().display()
    );
    output.result(|| text, || json!({ "pid": child.id(), "directory": data }));
    Ok(ExitCode::SUCCESS)
}
