//! Batches of rows of an exported stage, column by column.

use std::{fs::File, path::Path};

use polars::prelude::{Column, DataFrame, DataType, PolarsError};
use polars_io::{SerReader as _, parquet::read::ParquetReader};

use crate::Error;

/// Rows of a batch, and of a row group of a file. Even, so that the two games of a unit are in one as long as none is
/// missing.
pub(crate) const BATCH: usize = 131_072;

/// Rows of a file.
pub(crate) fn rows(path: &Path) -> Result<usize, Error> {
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    ParquetReader::new(file).num_rows().map_err(|error| Error::parquet(path, error))
}

/// Rows `from..from + rows` of some columns.
pub(crate) fn load(path: &Path, columns: &[&str], from: usize, rows: usize) -> Result<DataFrame, PolarsError> {
    let columns = columns.iter().map(|name| (*name).to_owned()).collect();
    ParquetReader::new(File::open(path)?).with_columns(Some(columns)).with_slice(Some((from, rows))).finish()
}

/// A batch of the rows of the file at `path`, none of whose values may be missing.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    pub(crate) frame: &'a DataFrame,
    pub(crate) path: &'a Path,
}

impl<'a> Batch<'a> {
    fn column(&self, name: &str) -> Result<&'a Column, Error> {
        self.frame.column(name).map_err(|error| Error::parquet(self.path, error))
    }

    fn missing(&self, name: &str) -> Error {
        Error::contract(self.path, format!("a value of `{name}` is missing"))
    }

    /// The whole numbers of a column.
    pub(crate) fn ints(&self, name: &str) -> Result<Vec<i64>, Error> {
        let polars = |error| Error::parquet(self.path, error);
        let values = self.column(name)?.cast(&DataType::Int64).map_err(polars)?;
        let values: Option<Vec<i64>> = values.i64().map_err(polars)?.iter().collect();
        values.ok_or_else(|| self.missing(name))
    }

    /// The same of a column of counts.
    pub(crate) fn counts(&self, name: &str) -> Result<Vec<u64>, Error> {
        Ok(self.ints(name)?.into_iter().map(i64::unsigned_abs).collect())
    }

    /// The numbers of a column, all of them finite.
    pub(crate) fn reals(&self, name: &str) -> Result<Vec<f64>, Error> {
        let polars = |error| Error::parquet(self.path, error);
        let values = self.column(name)?.cast(&DataType::Float64).map_err(polars)?;
        let finite = values.f64().map_err(polars)?.iter().map(|value| value.filter(|value| value.is_finite()));
        finite.collect::<Option<_>>().ok_or_else(|| self.missing(name))
    }

    /// The texts of a column.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<&'a str>, Error> {
        let texts = self.column(name)?.str().map_err(|error| Error::parquet(self.path, error))?;
        texts.iter().collect::<Option<_>>().ok_or_else(|| self.missing(name))
    }
}
