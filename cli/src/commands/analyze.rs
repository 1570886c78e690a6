//! `redqueen analyze`: tables and figures of a run, or of several as replicates.

use std::{fs, path::Path, path::PathBuf, process::ExitCode};

use experiments::Experiment;
use serde_json::{Value, json};

use crate::{
    commands::run_directory,
    error::{CliError, EXIT_FAILED, EXIT_USAGE},
    output::{Output, path_json},
    standing,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The directory of a run; several are replicates of one experiment, which differ by their seed alone.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Replicates of another setting, to test the first against.
    #[arg(long, value_name = "RUN", num_args = 1..)]
    against: Vec<PathBuf>,
    /// Where `tables` and `figures` go; into RUN if not given, and nowhere for several runs.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Formats of the tables' files.
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Format::Md, Format::Csv, Format::Tex, Format::Json])]
    format: Vec<Format>,
    /// Draw nothing.
    #[arg(long)]
    no_figures: bool,
    /// Test two pairs of the grid against one another: `--test "a v o" --test …` wants `a v o,b v o`. May be repeated.
    #[arg(long = "test", value_name = "PAIR,PAIR", value_parser = contrast)]
    tests: Vec<(String, String)>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
pub(crate) enum Format {
    Md,
    Csv,
    Tex,
    Json,
}

impl Format {
    pub(crate) fn of_analysis(self) -> analysis::Format {
        match self {
            Format::Md => analysis::Format::Markdown,
            Format::Csv => analysis::Format::Csv,
            Format::Tex => analysis::Format::Latex,
            Format::Json => analysis::Format::Json,
        }
    }
}

fn contrast(text: &str) -> Result<(String, String), String> {
    let (one, other) = text.split_once(',').ok_or("write two pairs: `a v o,b v o`")?;
    Ok((one.trim().to_owned(), other.trim().to_owned()))
}

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    let directories = |runs: &[PathBuf]| runs.iter().map(|run| run_directory(run)).collect::<Result<Vec<_>, _>>();
    let (runs, others) = (directories(&args.runs)?, directories(&args.against)?);
    let states: Vec<(&PathBuf, Value)> =
        runs.iter().chain(&others).map(|run| (run, standing::of_directory(run))).collect();
    // Replicates that are under way are left out or refused by the report, in its own words.
    if let [(_, state)] = &states[..] {
        standing::note(state, output);
    }
    let one = if runs.len() == 1 && others.is_empty() { runs.first() } else { None };
    let report = match one {
        Some(run) => {
            let options = analysis::Options {
                contrasts: args.tests.clone(),
                questions: questions(run)?,
                figures: !args.no_figures,
                apart: args.out.is_some(),
                ..analysis::Options::default()
            };
            analysis::analyze(run, &options)
        }
        None if !args.tests.is_empty() => {
            return Err(CliError::usage("--test takes pairs of one grid, and several runs are given")
                .hint("run `redqueen analyze RUN --test …` for each"));
        }
        None => {
            // Nobody sees figures that go nowhere.
            let figures = !args.no_figures && args.out.is_some();
            analysis::replicates(&runs, &others, figures)
        }
    };
    let report = report.map_err(|error| analysis_error(&error))?;
    if let Some(directory) = args.out.as_ref().or(one) {
        let formats: Vec<analysis::Format> = args.format.iter().copied().map(Format::of_analysis).collect();
        match report.write(directory, &formats) {
            Ok(files) => list(directory, &files, output),
            Err(error) if args.out.is_none() => left_unwritten(&error, output)?,
            Err(error) => return Err(analysis_error(&error)),
        }
    }
    output.result(
        || report.to_markdown(),
        || {
            let mut value = report.to_json();
            value["runs"] =
                states.iter().map(|(run, state)| json!({ "directory": path_json(run), "state": state })).collect();
            value
        },
    );
    Ok(ExitCode::SUCCESS)
}

/// Tables that could not go beside their run, which may be another account's or on a disk that is only read: they are
/// shown all the same.
pub(crate) fn left_unwritten(error: &analysis::Error, output: &Output) -> Result<(), CliError> {
    let shown = analysis_error(error);
    if !error.is_forbidden() {
        return Err(shown.hint("name another place with --out DIR"));
    }
    output.note(&format!("warning: nothing was written beside the run: {}", shown.message));
    output.note("  hint: name another place with --out DIR");
    Ok(())
}

/// What the run's experiment asks of its results. A copy that holds nothing but results asks nothing.
fn questions(run: &Path) -> Result<Vec<analysis::Question>, CliError> {
    let path = run.join("resolved.toml");
    let Ok(text) = fs::read_to_string(&path) else { return Ok(Vec::new()) };
    let experiment = Experiment::from_resolved(&text).map_err(|faults| CliError {
        code: EXIT_FAILED,
        ..CliError::usage(format!("cannot read `{}`: {faults}", path.display()))
            .hint("use the version of redqueen that made the run, or put a copy of the file in its place")
    })?;
    Ok(experiment.questions().iter().map(question).collect())
}

fn question(asked: &experiments::Question) -> analysis::Question {
    use experiments::{Adjust, Test};
    analysis::Question {
        name: asked.name.clone(),
        question: asked.question.clone(),
        metric: asked.metric.clone(),
        test: match asked.test {
            Test::MannWhitney => analysis::Test::MannWhitney,
            Test::Welch => analysis::Test::Welch,
            Test::Student => analysis::Test::Student,
            Test::Wilcoxon => analysis::Test::Wilcoxon,
            Test::KruskalWallis => analysis::Test::KruskalWallis,
            Test::Friedman => analysis::Test::Friedman,
            Test::Normality => analysis::Test::Normality,
        },
        adjust: match asked.adjust {
            Adjust::None => analysis::Adjust::None,
            Adjust::Holm => analysis::Adjust::Holm,
            Adjust::BenjaminiHochberg => analysis::Adjust::BenjaminiHochberg,
        },
        alpha: asked.alpha,
        players: asked.players.clone(),
    }
}

/// Says what was written, a line a folder: `RUN/tables: pairs.md, …`.
fn list(directory: &Path, files: &[PathBuf], output: &Output) {
    for folder in ["tables", "figures"] {
        let folder = directory.join(folder);
        let inside = files.iter().filter(|file| file.parent() == Some(&folder));
        let names: Vec<_> = inside.filter_map(|file| Some(file.file_name()?.to_string_lossy())).collect();
        if !names.is_empty() {
            output.note(&format!("{}: {}", folder.display(), names.join(", ")));
        }
    }
}

/// The tables that `run` prints at its end, written too, with the figures. `None` where the kind has no tables.
pub(crate) fn tables_after_run(directory: &Path) -> Result<Option<analysis::Report>, CliError> {
    let options = analysis::Options { questions: questions(directory)?, figures: true, ..analysis::Options::default() };
    match analysis::analyze(directory, &options) {
        Ok(report) => {
            report.write(directory, &analysis::Format::ALL).map_err(|error| analysis_error(&error))?;
            Ok(Some(report))
        }
        Err(analysis::Error::NothingToTabulate { .. }) => Ok(None),
        Err(error) => Err(analysis_error(&error)),
    }
}

pub(crate) fn analysis_error(error: &analysis::Error) -> CliError {
    let code = if error.is_input() { EXIT_USAGE } else { EXIT_FAILED };
    let shown = CliError::chained(code, error);
    match error.hint() {
        Some(hint) => shown.hint(hint),
        None => shown,
    }
}
