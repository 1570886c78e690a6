//! What arguments of the command line may be.

use std::{ffi::OsStr, fs, time::Duration};

use analysis::papers;
use clap::{Args as _, FromArgMatches as _};
use clap_complete::{
    CompletionCandidate,
    engine::{PathCompleter, ValueCompleter as _},
};
use redqueen_wire::{ListRequest, RunStatus};
use spec::{Entry, Kind};

use crate::{
    connection::{CoordinatorArgs, block_on},
    error::CliError,
    state, status,
};

/// Where `redqueen run` leaves runs unless told otherwise.
const RUNS: &str = "runs";
/// How long a coordinator may take to name its runs.
const PATIENCE: Duration = Duration::from_millis(500);

/// A run: of the coordinator in the environment by its id, or a directory.
pub(crate) fn run(current: &OsStr) -> Vec<CompletionCandidate> {
    run_id(current).into_iter().chain(directories(current)).collect()
}

/// Ids of the runs of the coordinator that the environment names, or of the one at the usual address.
pub(crate) fn run_id(current: &OsStr) -> Vec<CompletionCandidate> {
    let candidate = |run: &RunStatus| {
        let help = format!("{}, {}", run.name, state::name(run.state()));
        CompletionCandidate::new(status::short(&run.run)).help(Some(help.into()))
    };
    // Nobody waits for a message here: without an answer there are no candidates.
    starting(current, runs().unwrap_or_default().iter().map(candidate))
}

fn runs() -> Result<Vec<RunStatus>, CliError> {
    let matches = CoordinatorArgs::augment_args(clap::Command::new("")).get_matches_from([""]);
    let coordinator = CoordinatorArgs::from_arg_matches(&matches).map_err(CliError::failed)?;
    block_on(async {
        let listed = async {
            let mut client = coordinator.connect().await?;
            Ok::<_, CliError>(client.list(ListRequest {}).await?.into_inner().runs)
        };
        tokio::time::timeout(PATIENCE, listed).await.map_err(CliError::failed)?
    })
}

/// Directories of runs under `runs/`, then any directory.
pub(crate) fn directories(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut found: Vec<_> = fs::read_dir(RUNS).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    found.retain(|path| coordinator::is_run_directory(path));
    found.sort();
    let runs = starting(current, found.into_iter().map(CompletionCandidate::new));
    if runs.is_empty() { PathCompleter::dir().complete(current) } else { runs }
}

/// A game's spec.
pub(crate) fn game(current: &OsStr) -> Vec<CompletionCandidate> {
    spec(current, games::all())
}

/// A player's spec.
pub(crate) fn player(current: &OsStr) -> Vec<CompletionCandidate> {
    spec(current, players::registry::all())
}

/// A published table that a run can be compared with.
pub(crate) fn paper(current: &OsStr) -> Vec<CompletionCandidate> {
    starting(current, papers::ALL.iter().map(|paper| CompletionCandidate::new(paper.key)))
}

/// A key of an experiment file, with the `=` that follows it in `--set`.
pub(crate) fn experiment_key(current: &OsStr) -> Vec<CompletionCandidate> {
    let keys = experiments::keys::ALL.iter().filter(|key| !key.takes.starts_with("table"));
    let candidate =
        |key: &experiments::keys::Key| CompletionCandidate::new(format!("{}=", key.path)).help(Some(key.takes.into()));
    starting(current, keys.map(candidate))
}

/// `name`, `name:parameter=` and `name:parameter=value`, as far as the text goes.
fn spec(current: &OsStr, entries: &[&Entry]) -> Vec<CompletionCandidate> {
    let text = current.to_string_lossy();
    let Some((name, parameters)) = text.split_once(':') else {
        let names = entries.iter().map(|entry| CompletionCandidate::new(entry.name).help(Some(entry.doc.into())));
        return starting(current, names);
    };
    let Some(entry) = entries.iter().find(|entry| entry.name == name) else { return Vec::new() };
    let given = parameters.rsplit_once(',').map_or("", |(given, _)| given);
    let last = parameters.rsplit(',').next().expect("a part");
    let before = if given.is_empty() { format!("{name}:") } else { format!("{name}:{given},") };
    let is_given = |parameter: &str| given.split(',').any(|part| part.split('=').next() == Some(parameter));
    if let Some((key, _)) = last.split_once('=') {
        let words: &[&str] = match entry.params().find(|param| param.name == key).map(|param| param.kind) {
            Some(Kind::Choice(words)) => words,
            Some(Kind::Bool) => &["true", "false"],
            _ => &[],
        };
        return starting(current, words.iter().map(|word| CompletionCandidate::new(format!("{before}{key}={word}"))));
    }
    let open = entry.params().filter(|param| !is_given(param.name));
    let candidate =
        |param: &spec::Param| CompletionCandidate::new(format!("{before}{}=", param.name)).help(Some(param.doc.into()));
    starting(current, open.map(candidate))
}

/// The candidates that begin with what is typed.
fn starting(current: &OsStr, all: impl Iterator<Item = CompletionCandidate>) -> Vec<CompletionCandidate> {
    let typed = current.as_encoded_bytes();
    all.filter(|candidate| candidate.get_value().as_encoded_bytes().starts_with(typed)).collect()
}
