//! Names and formats of the files in a run's directory (docs/run-directory.md).

use std::{
    ops::RangeInclusive,
    path::{Path, PathBuf},
};

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

/// Path of a stage's Parquet file under [`RESULTS`]. Each shape has a folder, whose files have the same columns.
pub fn stage_file(shape: &str, stage: u32) -> PathBuf {
    Path::new(shape).join(stage_name(stage))
}

/// Name of a stage's Parquet file. Up to version 0.1.0 all of them lay directly under [`RESULTS`].
pub fn stage_name(stage: u32) -> String {
    format!("stage={stage:05}.parquet")
}

/// The stage whose Parquet file has this name, if it is one.
pub fn stage_of(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("stage=")?.strip_suffix(".parquet")?;
    digits.parse().ok().filter(|stage| stage_name(*stage) == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_stages_are_read_as_they_are_written() {
        assert_eq!(stage_file("match", 7), Path::new("match/stage=00007.parquet"));
        for stage in [0, 99_999, 100_000, u32::MAX] {
            assert_eq!(stage_of(&stage_name(stage)), Some(stage));
        }
        for other in ["stage=7.parquet", "stage=+0007.parquet", "stage=00007.parquet.new", "stage=00007.csv", "match"] {
            assert_eq!(stage_of(other), None, "{other}");
        }
    }
}
