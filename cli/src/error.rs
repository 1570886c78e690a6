//! The program's errors and exit codes.
//!
//! Exit codes are a contract: 0 done, 1 failed, 2 wrong usage or input, 130 interrupted.

use std::fmt;

/// Something did not work that might have.
pub(crate) const EXIT_FAILED: u8 = 1;
/// Wrong usage or input: nothing was done.
pub(crate) const EXIT_USAGE: u8 = 2;
/// Ended by a signal, in order.
pub(crate) const EXIT_INTERRUPTED: u8 = 130;

/// An error on its way to a person: what, its causes, and what to do.
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

    /// Something did not work.
    pub(crate) fn failed(message: impl fmt::Display) -> Self {
        CliError { code: EXIT_FAILED, ..CliError::usage(message) }
    }

    /// A part of the process has ended, which is a fault of ours.
    pub(crate) fn broken(part: &str, why: &dyn fmt::Display) -> Self {
        CliError::failed(format!("the {part} has ended: {why}; please report this"))
    }

    /// With what to do about it.
    pub(crate) fn hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string());
        self
    }

    /// An error with its causes behind it.
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
        match error {
            Start::Store(error) => error.into(),
            Start::Open(_) => CliError::chained(EXIT_USAGE, &error)
                .hint("give --token-file, or listen on 127.0.0.1 and reach it through an SSH tunnel"),
            Start::Listen { .. } => CliError::chained(EXIT_USAGE, &error).hint("choose another --listen"),
            Start::Tls(_) => {
                CliError::chained(EXIT_USAGE, &error).hint("check --tls-cert, --tls-key and --tls-client-ca")
            }
            Start::Thread(_) => CliError::chained(EXIT_FAILED, &error),
        }
    }
}

impl From<coordinator::Broken> for CliError {
    fn from(error: coordinator::Broken) -> Self {
        CliError::failed(error)
    }
}

impl From<worker::Error> for CliError {
    fn from(error: worker::Error) -> Self {
        let hint = match &error {
            worker::Error::Url(_) => "write `http://HOST:PORT`, or `https://HOST:PORT` and --tls-ca",
            worker::Error::Unreachable { .. } => "start it with `redqueen coordinator`, or raise --patience",
            worker::Error::Tls { fault, .. } => fault.hint(),
            worker::Error::Refused { .. } => {
                "check --token-file, that both sides are the same build of redqueen, and, where results were wrong, this machine"
            }
            worker::Error::Threads(_) => "ask for fewer --threads",
            worker::Error::Broken(_) => return CliError::failed(error),
            worker::Error::Slot(_) => "trials run in processes of their own; raise --memory-mb, if it is given",
        };
        let failed = matches!(error, worker::Error::Threads(_) | worker::Error::Slot(_));
        let code = if failed { EXIT_FAILED } else { EXIT_USAGE };
        CliError::chained(code, &error).hint(hint)
    }
}
