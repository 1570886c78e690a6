//! Names and formats of the files in a run's directory (docs/run-directory.md).

use std::ops::RangeInclusive;

/// The experiment as it was given.
pub const EXPERIMENT: &str = "experiment.toml";
/// The experiment with all defaults filled in.
pub const RESOLVED: &str = "resolved.toml";
/// The run itself.
pub const DATABASE: &str = "redqueen.sqlite";
/// Folder of files that the experiment's players need, by their hash.
pub const ARTIFACTS: &str = "artifacts";
/// Folder of the Parquet files of closed stages.
pub const RESULTS: &str = "results";
/// Folder of the tables that an analysis writes.
pub const TABLES: &str = "tables";
/// Folder of its figures.
pub const FIGURES: &str = "figures";

/// The report of the run.
pub const REPORT: &str = "report.html";

/// Format of a database that this version writes (`PRAGMA user_version`).
pub const FORMAT: i64 = 4;
/// Formats that it reads.
pub const FORMATS: RangeInclusive<i64> = 2..=FORMAT;

/// Key of a stage's spec in the metadata of its Parquet file.
pub const STAGE_KEY: &str = "redqueen.stage";
/// Key of its fold there.
pub const FOLD_KEY: &str = "redqueen.fold";

/// Name of a stage's Parquet file under [`RESULTS`].
pub fn stage_file(stage: u32) -> String {
    format!("stage={stage:05}.parquet")
}
