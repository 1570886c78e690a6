//! What workers did, from the games of a stage.

use std::path::Path;

use polars::prelude::{IntoLazy as _, LazyFrame, col, len};

use super::{Work, Workers};
use crate::{
    Error,
    data::{
        Exported,
        parquet::{self, BATCH, Whole},
    },
};

/// What [`by_worker`] needs.
pub(crate) const COLUMNS: [&str; 9] = [
    "worker",
    "elapsed_us",
    "plies",
    "first_decisions",
    "second_decisions",
    "first_iterations",
    "second_iterations",
    "first_us",
    "second_us",
];

/// The games of a stage whose rows are games of whatever shape, as far as their cost goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Played {
    /// Games that the stage should have.
    pub(crate) trials: u64,
    /// Who played those that it has.
    pub(crate) workers: Workers,
}

impl Played {
    /// Reads them.
    pub(crate) fn of(stage: &Exported) -> Result<Self, Error> {
        let polars = |error| Error::parquet(&stage.path, error);
        let mut workers = Workers::new();
        let rows = parquet::rows(&stage.path)?;
        for at in (0..rows).step_by(BATCH) {
            let batch = parquet::load(&stage.path, &COLUMNS, at, BATCH).map_err(polars)?;
            add(&mut workers, batch.lazy(), &stage.path)?;
        }
        Ok(Played { trials: stage.spec.trials, workers })
    }

    /// What they took.
    pub(crate) fn work(&self) -> Work {
        Work::sum(self.workers.values())
    }
}

/// Adds the games of a batch.
pub(crate) fn add(workers: &mut Workers, games: LazyFrame, path: &Path) -> Result<(), Error> {
    let polars = |error| Error::parquet(path, error);
    let found = by_worker(games).collect().map_err(polars)?;
    let names = found.column("worker").and_then(|names| Ok(names.str()?.clone())).map_err(polars)?;
    let rows = Whole::of(found.lazy().drop(polars::prelude::cols(["worker"])), path)?;
    for (row, name) in names.iter().enumerate() {
        let count = |name: &str| rows.count(name, row);
        workers.entry(name.unwrap_or_default().to_owned()).or_default().add(&Work {
            games: count("games"),
            elapsed_us: count("elapsed_us"),
            iterations: count("iterations"),
            decisions: count("decisions"),
            deciding_us: count("us"),
            plies: count("plies"),
        });
    }
    Ok(())
}

fn by_worker(games: LazyFrame) -> LazyFrame {
    let both = |what: &str| (col(format!("first_{what}")) + col(format!("second_{what}"))).sum().alias(what);
    games.group_by([col("worker")]).agg([
        len().alias("games"),
        col("elapsed_us").sum(),
        col("plies").sum(),
        both("iterations"),
        both("decisions"),
        both("us"),
    ])
}
