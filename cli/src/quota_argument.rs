//! Arguments that say what a run gets of the fleet beside other runs.

use std::str::FromStr;

use clap::Args;
use coordinator::core::PRIORITIES;

/// Reads a priority.
pub(crate) fn priority(text: &str) -> Result<u32, String> {
    let (least, most) = (PRIORITIES.start(), PRIORITIES.end());
    let number = text.parse().ok().filter(|number| PRIORITIES.contains(number));
    number.ok_or_else(|| format!("write a whole number from {least} to {most}"))
}

/// The limit of threads.
#[derive(Args)]
pub(crate) struct LimitArgs {
    /// Most threads that run trials of the run at once, or `none`. On a worker with more threads than are left, as many
    /// trials are leased as threads are left, so that short trials run slower than on that many threads of their own.
    #[arg(long, value_name = "N|none")]
    max_threads: Option<Limit>,
}

impl LimitArgs {
    /// The limit as requests have it: 0 for none; `None` if it is to stay as it is.
    pub(crate) fn to_wire(&self) -> Option<u32> {
        self.max_threads.map(|Limit(most)| most)
    }
}

/// A number of threads; 0 for `none`.
#[derive(Clone, Copy)]
struct Limit(u32);

impl FromStr for Limit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.parse()) {
            ("none", _) => Ok(Limit(0)),
            (_, Ok(most)) if most > 0 => Ok(Limit(most)),
            _ => Err("write a number of threads, at least 1, or `none`".to_owned()),
        }
    }
}
