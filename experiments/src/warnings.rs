//! Warnings: what an experiment may have and its author should still know.

use crate::{Experiment, kinds::Kind};

/// How a file could be written better. It says nothing of the experiment: any two are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Remarks(pub(crate) Vec<String>);

impl PartialEq for Remarks {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Experiment {
    /// What a person should know before the experiment runs, a line each.
    pub fn warnings(&self) -> Vec<String> {
        let idle = match &self.kind {
            Kind::MatchGrid(grid) => grid.idle(),
            _ => Vec::new(),
        };
        let idle = idle.iter().map(|name| format!("player `{name}` is in no pair and plays no game"));
        self.remarks.0.iter().cloned().chain(idle).collect()
    }
}
