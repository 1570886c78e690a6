//! What can go wrong on the way from a run to its tables.

use std::{io, path::Path, path::PathBuf};

use polars::prelude::PolarsError;

/// Why there are no tables.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No stage is closed yet.
    #[error("the run in `{}` has no closed stage: {stored} of {trials} trials are stored", path.display())]
    NoClosedStage {
        /// The run's directory.
        path: PathBuf,
        /// Trials stored in the open stage.
        stored: u64,
        /// Its trials.
        trials: u64,
    },
    /// A kind without tables.
    #[error("runs of kind `{kind}` have no tables")]
    NothingToTabulate {
        /// The kind.
        kind: String,
    },
    /// An evolution whose champion, or a tuning whose winner, has not met its opponents yet.
    #[error("the run in `{}` has not closed its final stage yet: {generations} generations are closed", path.display())]
    NoFinalStage {
        /// The run's directory.
        path: PathBuf,
        /// Its closed generations.
        generations: u64,
    },
    /// No paper named, neither by the experiment nor by the caller.
    #[error("the experiment names no paper's table")]
    NoPaper,
    /// A paper's table that is not here.
    #[error("there is no paper's table `{key}`")]
    UnknownPaper {
        /// What was asked for.
        key: String,
        /// What there is.
        known: String,
    },
    /// A paper's table of another kind of experiment.
    #[error("`{key}` is a table of {wants}, and the run is of {run}")]
    OtherPaper {
        /// The table.
        key: &'static str,
        /// What it is a table of.
        wants: &'static str,
        /// What the run is.
        run: &'static str,
    },
    /// A pair that the grid does not have.
    #[error("the grid has no pair `{pair}`")]
    UnknownPair {
        /// What was asked for.
        pair: String,
        /// Some of the pairs there are.
        known: String,
    },
    /// A question that a study cannot answer.
    #[error("the question `{question}` has no answer here: {reason}")]
    Question {
        /// Its name.
        question: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Runs given as replicates of one experiment that are of different ones.
    #[error("`{}` is not a replicate of `{}`: {}", other.display(), one.display(), some(differences))]
    NoReplicate {
        /// The directory of one.
        one: PathBuf,
        /// That of the other.
        other: PathBuf,
        /// What differs, with its values in one and in the other.
        differences: Vec<String>,
    },
    /// Replicates that do not even differ by their seed.
    #[error("`{}` and `{}` are the same run or have the same seed", one.display(), other.display())]
    SameSeed {
        /// The directory of one.
        one: PathBuf,
        /// That of the other.
        other: PathBuf,
    },
    /// A table in a file without a column that is asked for.
    #[error("`{}` has no column `{column}`", path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        column: String,
        /// What there is.
        known: Vec<String>,
        /// What to do, if that is known.
        advice: Option<String>,
    },
    /// A field of a table in a file that is not what its column is taken for.
    #[error("{place} of `{}`: column `{column}` has {}, which is not {wanted}", path.display(), field(found))]
    BadCell {
        /// The file.
        path: PathBuf,
        /// Line of a text, from 1 with the heads; row of Parquet, from 1.
        place: Box<str>,
        /// The column's name.
        column: String,
        /// What stands there.
        found: String,
        /// What should.
        wanted: &'static str,
        /// What to do.
        advice: Box<str>,
    },
    /// A test of values that belong together, and nothing says which do.
    #[error("the test `{test}` compares values that belong together, and no column says which do")]
    NoBlocks {
        /// Its name.
        test: &'static str,
    },
    /// A column that is asked for in two roles.
    #[error("column `{column}` is asked for twice")]
    ColumnTwice {
        /// Its name.
        column: String,
    },
    /// A file that is not a table, or not one of the formats that are read.
    #[error("`{}` cannot be read as a table: {reason}", path.display())]
    BadTable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
        /// What to do.
        advice: String,
    },
    /// The database or a stage's facts are not of the format this version knows.
    #[error("`{}` is not a run this version of redqueen understands: {reason}", path.display())]
    Contract {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A file could not be read or written.
    #[error("cannot use `{}`", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database is damaged: cut short or overwritten.
    #[error("`{}` is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What shows it.
        reason: String,
    },
    /// The database is in the middle of a transaction, whose writer does not end it or was killed.
    #[error("`{}` is in the middle of a transaction, which a reader must not undo", path.display())]
    Unfinished {
        /// The file.
        path: PathBuf,
    },
    /// The database could not be read.
    #[error("cannot read the database `{}`", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// A figure could not be made into a picture.
    #[error("cannot draw the figure `{figure}`: {reason}")]
    Figure {
        /// Its name.
        figure: String,
        /// What the renderer said.
        reason: String,
    },
    /// Parquet could not be read or written.
    #[error("cannot use the table `{}`", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// What polars said.
        source: PolarsError,
    },
}

/// The first few of a list.
fn some(differences: &[String]) -> String {
    const SHOWN: usize = 4;
    let shown = differences.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match differences.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

impl Error {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Error::Io { path: path.to_owned(), source }
    }

    pub(crate) fn database(path: &Path, source: rusqlite::Error) -> Self {
        match record::damage(&source) {
            Some(reason) => Error::damaged(path, reason),
            None if record::is_unfinished(&source) => Error::Unfinished { path: path.to_owned() },
            None => Error::Database { path: path.to_owned(), source },
        }
    }

    pub(crate) fn damaged(path: &Path, reason: impl Into<String>) -> Self {
        Error::Damaged { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn parquet(path: &Path, source: PolarsError) -> Self {
        Error::Parquet { path: path.to_owned(), source }
    }

    /// A file that is not a table.
    pub(crate) fn table(path: &Path, reason: impl Into<String>, advice: impl Into<String>) -> Self {
        Error::BadTable { path: path.to_owned(), reason: reason.into(), advice: advice.into() }
    }

    pub(crate) fn contract(path: &Path, reason: impl Into<String>) -> Self {
        Error::Contract { path: path.to_owned(), reason: reason.into() }
    }

    /// Whether this account, or any, may not write there.
    pub fn is_forbidden(&self) -> bool {
        let kind = match self {
            Error::Io { source, .. } => source.kind(),
            _ => return false,
        };
        matches!(kind, io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
    }

    /// Whether what was asked for is wrong, not how it went.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Error::NoPaper
                | Error::UnknownPaper { .. }
                | Error::OtherPaper { .. }
                | Error::UnknownPair { .. }
                | Error::Question { .. }
                | Error::NoReplicate { .. }
                | Error::SameSeed { .. }
                | Error::Contract { .. }
                | Error::UnknownColumn { .. }
                | Error::BadCell { .. }
                | Error::NoBlocks { .. }
                | Error::ColumnTwice { .. }
                | Error::BadTable { .. }
        )
    }

    /// What to do about it, if that is known.
    pub fn hint(&self) -> Option<String> {
        match self {
            Error::NoClosedStage { .. } => {
                Some("let the run finish: early games are the short ones, and biased".into())
            }
            Error::NoFinalStage { .. } => Some("let the run finish; `redqueen analyze` shows how far it is".into()),
            Error::NoPaper => Some("name one with --paper KEY".into()),
            Error::UnknownPaper { known, .. } => Some(format!("known are: {known}")),
            Error::NoReplicate { .. } => {
                Some("replicates differ by their seed alone; set two experiments side by side with --against".into())
            }
            Error::Damaged { .. } => Some(
                "put a copy of the run's directory in its place (`redqueen export` makes one), or run it anew".into(),
            ),
            Error::Unfinished { .. } => Some(
                "analyse it again if a process writes the run; if it was killed, `redqueen run` or a coordinator undoes \
                 the transaction when it opens the run"
                    .into(),
            ),
            Error::SameSeed { .. } => Some("give every run once, and run others with `--seed`".into()),
            Error::Question { .. } => Some("`[[analysis]]` in the experiment's file asks it".into()),
            Error::UnknownColumn { advice: Some(advice), .. } => Some(advice.clone()),
            Error::UnknownColumn { column, known, .. } => {
                Some(match spec::nearest(column, known.iter().map(String::as_str)) {
                    Some(nearest) => format!("did you mean `{nearest}`? Columns are: {}", columns(known)),
                    None => format!("columns are: {}", columns(known)),
                })
            }
            Error::BadCell { advice, .. } => Some(advice.to_string()),
            Error::BadTable { advice, .. } => Some(advice.clone()),
            Error::NoBlocks { .. } => Some("name the column of the seed, the run or the like with --block".into()),
            Error::UnknownPair { known, .. } => Some(format!("write `A v B`; pairs are: {known}")),
            _ => None,
        }
    }
}

/// A field of a file as a person can read it: not too long, on one line, and without control characters.
fn field(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut shown: String = text.chars().take(SHOWN).flat_map(shown).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    if text.is_empty() { "nothing".to_owned() } else { format!("`{shown}`") }
}

/// A character; one that a terminal would obey is escaped.
fn shown(character: char) -> impl Iterator<Item = char> {
    let escaped = character.is_control().then(|| character.escape_default());
    let plain = (!character.is_control()).then_some(character);
    escaped.into_iter().flatten().chain(plain)
}

/// The names of columns, the first of many.
fn columns(known: &[String]) -> String {
    const SHOWN: usize = 30;
    let name = |name: &String| name.chars().take(SHOWN).flat_map(shown).collect::<String>();
    let names = known.iter().take(SHOWN).map(name).collect::<Vec<_>>().join(", ");
    match known.len().saturating_sub(SHOWN) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}
