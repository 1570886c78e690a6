//! From an experiment file to stages, trials and results.
//!
//! [`Experiment::parse`] reads a TOML file strictly and reports all of its faults at once; [`plan()`] gives the
//! state machine of its kind, which makes stages and runs trials by index. Kinds live in `kinds/`, one folder or
//! file each; a new kind is one there, a variant of `Kind` and an arm wherever the compiler then asks for one.

mod ahead;
mod artifacts;
mod brought;
pub mod catalogue;
pub mod champion;
mod costs;
mod document;
mod experiment;
pub mod fault;
mod forecast;
mod growth;
mod identity;
pub mod keys;
mod kinds;
pub mod lineage;
mod lone;
mod longer;
mod matches;
mod names;
mod old;
mod overrides;
mod own_columns;
pub mod plan;
mod pool;
mod population;
mod questions;
mod quoted;
mod reader;
mod specs;
pub mod text;
mod trial;
mod turn_figures;
mod warnings;

use std::sync::OnceLock;

pub use ahead::Ahead;
pub use brought::{FILE_MAX, Files, NotBrought};
pub use costs::{Costs, Part, Speeds};
pub use experiment::Experiment;
pub use fault::Faults;
pub use forecast::{CellForecast, Forecast};
pub use growth::Growth;
pub use identity::Difference;
pub use kinds::plan;
pub use lone::player;
pub use longer::{NotLonger, Place, place};
pub use overrides::Overrides;
pub use population::{Individual, Population, PopulationError};
pub use trial::TrialDescription;

/// Digest of fixed trials of every game: workers whose digest differs compute other results (ARCHITECTURE.md, invariant 8).
///
/// It is computed once in a process: `redqueen run` is a coordinator and a worker.
pub fn self_test() -> [u8; 32] {
    static DIGEST: OnceLock<[u8; 32]> = OnceLock::new();
    *DIGEST.get_or_init(players::self_test)
}
