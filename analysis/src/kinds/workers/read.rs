//! What workers did, from the games of a stage.

use super::{Work, Workers};
use crate::{
    Error,
    data::{
        Exported,
        parquet::{self, BATCH, Batch},
    },
};

/// Columns that [`add`] needs.
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
        let path = &stage.path;
        let mut workers = Workers::new();
        let rows = parquet::rows(path)?;
        for at in (0..rows).step_by(BATCH) {
            let frame = parquet::load(path, &COLUMNS, at, BATCH).map_err(|error| Error::parquet(path, error))?;
            add(&mut workers, Batch { frame: &frame, path })?;
        }
        Ok(Played { trials: stage.spec.trials, workers })
    }

    /// What they took.
    pub(crate) fn work(&self) -> Work {
        Work::sum(self.workers.values())
    }
}

/// Executor hours of a stage, whatever its rows are.
pub(crate) fn hours(stage: &Exported) -> Result<f64, Error> {
    let path = &stage.path;
    let mut elapsed_us = 0u64;
    for at in (0..parquet::rows(path)?).step_by(BATCH) {
        let frame = parquet::load(path, &["elapsed_us"], at, BATCH).map_err(|error| Error::parquet(path, error))?;
        elapsed_us += Batch { frame: &frame, path }.counts("elapsed_us")?.iter().sum::<u64>();
    }
    Ok(Work { elapsed_us, ..Work::default() }.hours())
}

/// Adds the games of a batch.
pub(crate) fn add(workers: &mut Workers, batch: Batch<'_>) -> Result<(), Error> {
    let names = batch.texts("worker")?;
    let (elapsed_us, plies) = (batch.counts("elapsed_us")?, batch.counts("plies")?);
    let of = |seat: &str, what: &str| batch.counts(&format!("{seat}_{what}"));
    let both = |what: &str| -> Result<Vec<u64>, Error> {
        Ok(of("first", what)?.iter().zip(of("second", what)?).map(|(first, second)| first + second).collect())
    };
    let (iterations, decisions, deciding_us) = (both("iterations")?, both("decisions")?, both("us")?);
    let mut at = 0;
    // A worker's rows stand together, as it delivered them.
    for same in names.chunk_by(|one, next| one == next) {
        let rows = at..at + same.len();
        at = rows.end;
        let sum = |column: &[u64]| column[rows.clone()].iter().sum();
        workers.entry(same[0].to_owned()).or_default().add(&Work {
            games: same.len() as u64,
            elapsed_us: sum(&elapsed_us),
            iterations: sum(&iterations),
            decisions: sum(&decisions),
            deciding_us: sum(&deciding_us),
            plies: sum(&plies),
        });
    }
    Ok(())
}
