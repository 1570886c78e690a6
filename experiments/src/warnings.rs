//! What is allowed in an experiment and hardly meant.

use crate::{Experiment, kinds::Kind};

impl Experiment {
    /// What a person should hear of before the experiment runs, a line each.
    pub fn warnings(&self) -> Vec<String> {
        let idle = match &self.kind {
            Kind::MatchGrid(grid) => grid.idle(),
            _ => Vec::new(),
        };
        idle.iter().map(|name| format!("player `{name}` is in no pair and plays no game")).collect()
    }
}
