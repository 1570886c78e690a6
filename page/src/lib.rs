//! What people look at: one self-contained `report.html` for a run, and pages of runs, live from a coordinator or from
//! their directories.
//!
//! This is the only crate that writes HTML. Figures come from `analysis`, states from `coordinator`; it knows neither
//! SQLite nor polars.

pub mod champion;
mod error;
mod html;
pub mod report;
mod site;

pub use error::Error;
pub use html::{span, thousands};
pub use site::{Guard, of_coordinator, of_directories};
