//! Commands of batch systems, as values: what to run, and what came of it.

/// A command to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The program and its arguments; never empty.
    pub argv: Vec<String>,
    /// What it reads from its standard input; nothing if `None`.
    pub stdin: Option<String>,
}

/// What came of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its exit code; `None` if it was ended by a signal, ran out of time or could not be started. Whether it did what it was
    /// asked to is unknown then.
    pub code: Option<i32>,
    /// What it printed.
    pub stdout: String,
    /// What it complained of, or why it could not be started.
    pub stderr: String,
}
