//! Scripts of jobs: a head of options in the batch system's own form, then shell.

use super::{Refusal, RefusalClass};
use crate::{
    call::{line, quote},
    job::Job,
};

/// Tells the worker when its job ends, in seconds since 1970, where the batch system does not.
pub const ENDS_AT: &str = "REDQUEEN_JOB_ENDS_AT";
/// Tells the worker how many cores it may use, where the batch system does not.
pub const CORES: &str = "REDQUEEN_JOB_CORES";
/// Tells the worker the name of its job.
pub const NAME: &str = "REDQUEEN_JOB";

/// A script in the making.
pub(super) struct Script {
    marker: &'static str,
    head: Vec<String>,
    body: Vec<String>,
}

impl Script {
    /// A script whose options stand behind `marker`, as in `#SBATCH`.
    pub(super) fn new(marker: &'static str) -> Script {
        Script { marker, head: Vec::new(), body: Vec::new() }
    }

    /// Adds an option.
    pub(super) fn option(&mut self, option: impl Into<String>) {
        self.head.push(option.into());
    }

    /// Adds an option with a value, if there is one.
    pub(super) fn valued(&mut self, option: &str, value: Option<impl std::fmt::Display>) {
        if let Some(value) = value {
            self.head.push(format!("{option}{value}"));
        }
    }

    /// Removes the options of ours that `skip` names, up to their values, then adds those of `extra` as they are.
    pub(super) fn amend(&mut self, skip: &[String], extra: &[String]) {
        self.head.retain(|option| !skip.iter().any(|name| names(name, option)));
        self.head.extend(extra.iter().cloned());
    }

    /// Adds a line of shell.
    pub(super) fn line(&mut self, line: impl Into<String>) {
        self.body.push(line.into());
    }

    /// Adds what every job does: it says its name and its end, runs the prologue and becomes the worker, started by
    /// `launcher`, a piece of shell.
    pub(super) fn worker(&mut self, job: &Job, launcher: &str) -> Result<(), Refusal> {
        let worker = line(&job.command).map_err(|nul| unwritable(&nul.to_string()))?;
        let name = quote(&job.name).map_err(|nul| unwritable(&nul.to_string()))?;
        self.line(format!("export {NAME}={name} {ENDS_AT}=$(($(date +%s) + {}))", job.walltime.as_secs()));
        self.body.extend(job.prologue.iter().cloned());
        let space = if launcher.is_empty() { "" } else { " " };
        self.line(format!("exec {launcher}{space}{worker}"));
        Ok(())
    }

    /// Adds that what the job prints is appended to its log.
    pub(super) fn log(&mut self, job: &Job) -> Result<(), Refusal> {
        let log = quote(log(job)?).map_err(|nul| unwritable(&nul.to_string()))?;
        self.line(format!("exec >>{log} 2>&1"));
        Ok(())
    }

    /// The text.
    ///
    /// # Errors
    /// An option holds a line break, after which its rest would be shell.
    pub(super) fn text(&self) -> Result<String, Refusal> {
        let mut text = String::from("#!/bin/sh\n");
        for option in &self.head {
            if option.contains(['\n', '\r', '\0']) {
                return Err(unwritable(&format!("the option `{}` holds a line break", option.escape_debug())));
            }
            text += &format!("{} {option}\n", self.marker);
        }
        for line in &self.body {
            if line.contains('\0') {
                return Err(unwritable(&format!("the line `{}` holds a NUL character", line.escape_debug())));
            }
            text += line;
            text.push('\n');
        }
        Ok(text)
    }
}

/// Whether `name` is that of `option`: all of it, or what stands before its value.
fn names(name: &str, option: &str) -> bool {
    option.strip_prefix(name.trim_end_matches('=')).is_some_and(|rest| rest.is_empty() || rest.starts_with(['=', ' ']))
}

/// Where the job prints.
pub(super) fn log(job: &Job) -> Result<&str, Refusal> {
    job.log.to_str().ok_or_else(|| unwritable(&format!("the path {} is not UTF-8", job.log.display())))
}

/// A job that no script can express.
pub(super) fn unwritable(why: &str) -> Refusal {
    Refusal { class: RefusalClass::Permanent, text: format!("the job cannot be written down: {why}") }
}

/// Whole minutes of a walltime, at least one.
pub(super) fn minutes(job: &Job) -> u64 {
    job.walltime.as_secs().div_ceil(60).max(1)
}
