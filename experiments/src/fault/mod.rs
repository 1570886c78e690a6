//! Faults of an experiment file: all of them at once, each with its place and what to do.

mod render;

use std::fmt;
use std::ops::Range;
use std::path::Path;

use thiserror::Error;

/// What is wrong, with the values that are.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text is not TOML.
    #[error("this is not TOML: {message}")]
    Syntax {
        /// What the TOML reader says.
        message: String,
    },
    /// No such key in this table.
    #[error("unknown key `{key}`")]
    UnknownKey {
        /// The key as written.
        key: String,
    },
    /// A key that must be given is not.
    #[error("missing key `{key}`")]
    MissingKey {
        /// The key that is expected.
        key: &'static str,
    },
    /// A value of another type than the key has.
    #[error("expected {expected}, found {found}")]
    WrongType {
        /// What the key holds.
        expected: &'static str,
        /// What the file has.
        found: &'static str,
    },
    /// A number beyond its range.
    #[error("{value} is out of range: {low} to {high}")]
    OutOfRange {
        /// The number as written.
        value: String,
        /// Least number allowed.
        low: String,
        /// Greatest number allowed.
        high: String,
    },
    /// A word that is not among those the key takes.
    #[error("unknown {what} `{value}`")]
    UnknownChoice {
        /// What the word would name: `kind`, `pairing`.
        what: &'static str,
        /// The word as written.
        value: String,
    },
    /// A name with other characters than names have.
    #[error("`{name}` is not a name: lower-case letters, digits and single hyphens, at most {longest} of them")]
    BadName {
        /// The name as written.
        name: String,
        /// Greatest number of characters.
        longest: usize,
    },
    /// A paper key that has not the form `paper/table`.
    #[error("`{paper}` is not a paper's key: words of lower-case letters, digits and hyphens, joined by `/`")]
    BadPaper {
        /// The key as written.
        paper: String,
    },
    /// A file of a format this version does not read.
    #[error("format {found} is not known to this version, which reads format {known}")]
    UnknownFormat {
        /// Number in the file.
        found: i128,
        /// Number this version reads.
        known: i128,
    },
    /// A key that the rest of the file makes meaningless.
    #[error("`{key}` has no effect where {reason}")]
    NoEffect {
        /// The key.
        key: &'static str,
        /// The setting that makes it so: `the pairing is …`.
        reason: String,
    },
    /// Too little in a list or table.
    #[error("{what}: at least {needed}, found {found}")]
    TooFew {
        /// What there is too little of.
        what: &'static str,
        /// Least number.
        needed: usize,
        /// Number found.
        found: usize,
    },
    /// A list of another length than it must have.
    #[error("a pair names two players, found {found}")]
    NotAPair {
        /// Number of elements found.
        found: usize,
    },
    /// An odd number of games, though the two games of a unit swap seats.
    #[error("{games} games do not make whole units: the two games of a unit swap seats")]
    OddGames {
        /// Games per pair as written.
        games: i128,
    },
    /// More random opening plies than a game is sure to last.
    #[error("{plies} random opening plies are too many: {reason}")]
    OpeningTooLong {
        /// Plies as written.
        plies: i128,
        /// What the game says.
        reason: String,
    },
    /// More trials than an index can number.
    #[error("{groups} {group} of {parts} {part} are more trials than can be numbered ({most})")]
    TooManyTrials {
        /// How many groups of trials.
        groups: u64,
        /// What a group is: `pairs`.
        group: &'static str,
        /// Trials of a group.
        parts: u64,
        /// What a trial is: `games`.
        part: &'static str,
        /// Greatest number of trials.
        most: u64,
    },
    /// The name of a player that the file does not have.
    #[error("unknown player `{name}`")]
    UnknownPlayer {
        /// The name as written.
        name: String,
    },
    /// A player that would meet itself.
    #[error("`{name}` would play against itself")]
    SelfPair {
        /// The player.
        name: String,
    },
    /// Two players that meet twice.
    #[error("`{first}` and `{second}` are already a pair{}", on_line(*line))]
    DuplicatePair {
        /// First of the pair as written here.
        first: String,
        /// Second of the pair as written here.
        second: String,
        /// Line of the earlier pair; 0 if the command line has it.
        line: usize,
    },
    /// A name that stands in a list twice.
    #[error("`{name}` is already named{}", on_line(*line))]
    DuplicateName {
        /// The name.
        name: String,
        /// Line of the earlier one; 0 if the command line has it.
        line: usize,
    },
    /// A game or player that cannot be had as written.
    #[error(transparent)]
    Spec(spec::Fault),
    /// A problem whose trials cannot begin as asked.
    #[error(transparent)]
    Problem(players::PlayError),
    /// A champion's file that cannot be used; the text says which and why.
    #[error("{0}")]
    Champion(String),
    /// A file that a player needs and that cannot be read.
    #[error("`{path}` {reason}")]
    File {
        /// The file, as its name is given.
        path: String,
        /// Why not.
        reason: String,
    },
    /// A file that is not what its player needs; the text says why.
    #[error("{0}")]
    Artifact(String),
    /// A `--set` whose path does not lead to a value.
    #[error("`{path}` does not lead to a value: {reason}")]
    BadPath {
        /// The path as given.
        path: String,
        /// Where it ends.
        reason: String,
    },
    /// A scale that is not a positive number.
    #[error("a scale is a positive number, not {scale}")]
    BadScale {
        /// The scale as given.
        scale: f64,
    },
}

fn on_line(line: usize) -> String {
    if line == 0 { String::new() } else { format!(" on line {line}") }
}

impl FaultKind {
    /// Stable word for programs: `unknown-key`.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "syntax",
            Self::UnknownKey { .. } => "unknown-key",
            Self::MissingKey { .. } => "missing-key",
            Self::WrongType { .. } => "wrong-type",
            Self::OutOfRange { .. } => "out-of-range",
            Self::UnknownChoice { .. } => "unknown-choice",
            Self::BadName { .. } => "bad-name",
            Self::BadPaper { .. } => "bad-paper",
            Self::UnknownFormat { .. } => "unknown-format",
            Self::NoEffect { .. } => "no-effect",
            Self::TooFew { .. } => "too-few",
            Self::NotAPair { .. } => "not-a-pair",
            Self::OddGames { .. } => "odd-games",
            Self::OpeningTooLong { .. } => "opening-too-long",
            Self::TooManyTrials { .. } => "too-many-trials",
            Self::UnknownPlayer { .. } => "unknown-player",
            Self::SelfPair { .. } => "self-pair",
            Self::DuplicatePair { .. } => "duplicate-pair",
            Self::DuplicateName { .. } => "duplicate-name",
            Self::Spec(_) => "spec",
            Self::Problem(_) => "problem",
            Self::Champion(_) => "champion",
            Self::File { .. } => "file",
            Self::Artifact(_) => "artifact",
            Self::BadPath { .. } => "bad-path",
            Self::BadScale { .. } => "bad-scale",
        }
    }
}

/// Where a fault is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// In the file.
    File {
        /// Line, from 1.
        line: usize,
        /// Character of the line, from 1.
        column: usize,
        /// Bytes of the file.
        span: Range<usize>,
    },
    /// In an argument of the command line, quoted: `--set players.mcts-100.c=0.5`.
    Argument(String),
}

/// One thing that is wrong.
#[derive(Debug)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// Where.
    pub location: Location,
    /// Path of the key: `match-grid.pairs[3][1]`; empty for the file as a whole.
    pub key: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// Everything that is wrong with a file, in order of its places; never empty.
#[derive(Debug)]
pub struct Faults {
    file: String,
    source: String,
    faults: Vec<Fault>,
}

impl Faults {
    pub(crate) fn new(file: &Path, source: &str, mut faults: Vec<Fault>) -> Self {
        // Stable, so that faults of one place stay in the order in which they were found.
        faults.sort_by_key(|fault| match &fault.location {
            Location::File { span, .. } => (0, span.start),
            Location::Argument(_) => (1, 0),
        });
        Self { file: file.display().to_string(), source: source.to_owned(), faults }
    }

    /// The faults, those of the file first.
    #[must_use]
    pub fn all(&self) -> &[Fault] {
        &self.faults
    }

    /// Name of the file they are in, as it was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }
}

/// One line a fault, `file:line:column: key: what (hint)`.
impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            match &fault.location {
                Location::File { line, column, .. } => write!(f, "{}:{line}:{column}: ", self.file)?,
                Location::Argument(argument) => write!(f, "{argument}: ")?,
            }
            if !fault.key.is_empty() {
                write!(f, "{}: ", fault.key)?;
            }
            write!(f, "{}", fault.kind)?;
            if let Some(hint) = &fault.hint {
                write!(f, " ({hint})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Faults {}
