//! The program's errors and exit codes, which are a contract: 0 done, 1 failed, 2 wrong usage or input, 130
//! interrupted.

use std::fmt;

/// The command was right and did not succeed.
pub(crate) const EXIT_FAILED: u8 = 1;
/// Wrong usage or input: nothing was done.
pub(crate) const EXIT_USAGE: u8 = 2;
/// Ended by SIGINT or SIGTERM, with everything stored.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// An error for a person: what went wrong and why, and what to do about it.
#[derive(Debug)]
pub(crate) struct CliError {
    pub(crate) code: u8,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// Faults of an experiment file, kept whole for their rendering.
    pub(crate) faults: Option<Box<experiments::Faults>>,
}

impl CliError {
    /// Wrong usage or input.
    pub(crate) fn usage(message: impl fmt::Display) -> Self {
        CliError { code: EXIT_USAGE, message: message.to_string(), hint: None, faults: None }
    }

    /// A failure that is not the caller's fault.
    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        CliError { code: EXIT_FAILED, ..CliError::usage(message) }
    }

    /// A part of the process has ended, which is a bug.
    pub(crate) fn broken(part: &str, why: &dyn fmt::Display) -> Self {
        CliError::failed(format!("the {part} has ended: {why}; please report this"))
    }

    /// Adds what to do about it.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// An error followed by its causes, in a line.
    pub(crate) fn chained(code: u8, error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut cause = error.source();
        while let Some(error) = cause {
            // Some libraries repeat the cause in their own words.
            let text = error.to_string();
            if !message.ends_with(&text) {
                message.push_str(&format!(": {text}"));
            }
            cause = error.source();
        }
        CliError { code, ..CliError::usage(message) }
    }
}

impl From<experiments::Faults> for CliError {
    fn from(faults: experiments::Faults) -> Self {
        CliError { faults: Some(Box::new(faults)), ..CliError::usage("the experiment has faults") }
    }
}

impl From<coordinator::store::Error> for CliError {
    fn from(error: coordinator::store::Error) -> Self {
        use coordinator::store::Error as Store;
        let code = match &error {
            Store::NotARun { .. }
            | Store::Occupied { .. }
            | Store::OtherRun { .. }
            | Store::NotLonger { .. }
            | Store::InUse { .. }
            | Store::Unsuitable { .. }
            | Store::Format { .. }
            | Store::Refused { .. } => EXIT_USAGE,
            Store::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => EXIT_USAGE,
            _ => EXIT_FAILED,
        };
        CliError { hint: error.hint().map(str::to_owned), ..CliError::chained(code, &error) }
    }
}

impl From<coordinator::TokenError> for CliError {
    fn from(error: coordinator::TokenError) -> Self {
        let hint = error.hint();
        CliError::chained(EXIT_USAGE, &error).hint(hint)
    }
}

impl From<coordinator::StartError> for CliError {
    fn from(error: coordinator::StartError) -> Self {
        use coordinator::StartError as Start;
        let code = match error {
            Start::Store(error) => return error.into(),
            Start::Thread(_) => EXIT_FAILED,
            Start::Open(_) | Start::Listen { .. } | Start::Door(_) | Start::Tls(_) => EXIT_USAGE,
        };
        CliError { hint: error.hint().map(str::to_owned), ..CliError::chained(code, &error) }
    }
}

impl From<coordinator::DoorError> for CliError {
    fn from(error: coordinator::DoorError) -> Self {
        CliError::chained(EXIT_USAGE, &error).hint(error.hint())
    }
}

impl From<coordinator::Broken> for CliError {
    fn from(error: coordinator::Broken) -> Self {
        CliError::failed(error)
    }
}

impl From<worker::Error> for CliError {
    fn from(error: worker::Error) -> Self {
        use worker::Error as Worker;
        let code = match error {
            Worker::Threads(_) | Worker::Slot(_) | Worker::HeartbeatsEnded | Worker::Lost { .. } => EXIT_FAILED,
            Worker::Url(_) | Worker::Unreachable { .. } | Worker::Refused { .. } | Worker::Tls { .. } => EXIT_USAGE,
        };
        CliError { hint: error.hint().map(str::to_owned), ..CliError::chained(code, &error) }
    }
}

impl From<record::FactsError> for CliError {
    fn from(error: record::FactsError) -> Self {
        CliError::failed(error).hint("the version of redqueen that made the run reads it")
    }
}

impl From<analysis::Error> for CliError {
    fn from(error: analysis::Error) -> Self {
        let code = if error.is_input() { EXIT_USAGE } else { EXIT_FAILED };
        CliError { hint: error.hint().map(|hint| hint.to_string()), ..CliError::chained(code, &error) }
    }
}

impl From<page::Error> for CliError {
    fn from(error: page::Error) -> Self {
        use page::Error as Page;
        match error {
            Page::Store(error) => error.into(),
            Page::Analysis(error) => error.into(),
            Page::Champion(error) => error.into(),
            Page::Facts(error) => error.into(),
        }
    }
}

impl From<page::champion::Error> for CliError {
    fn from(error: page::champion::Error) -> Self {
        use page::champion::Error as Champion;
        match error {
            Champion::Store(error) => error.into(),
            Champion::Facts(error) => error.into(),
            error if error.is_input() => CliError::usage(error),
            error => CliError::failed(error),
        }
    }
}
