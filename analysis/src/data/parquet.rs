//! Batches of rows of an exported stage.

use std::{collections::BTreeMap, fs::File, path::Path};

use polars::prelude::{DataFrame, DataType, LazyFrame, PolarsError};
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

/// A small frame of whole numbers.
pub(crate) struct Whole {
    pub(crate) height: usize,
    columns: BTreeMap<String, Vec<i64>>,
}

impl Whole {
    pub(crate) fn of(frame: LazyFrame, path: &Path) -> Result<Self, Error> {
        let polars = |error| Error::parquet(path, error);
        let frame = frame.collect().map_err(polars)?;
        let mut columns = BTreeMap::new();
        for column in frame.columns() {
            let values = column.cast(&DataType::Int64).map_err(polars)?;
            let values: Option<Vec<i64>> = values.i64().map_err(polars)?.iter().collect();
            let missing = || Error::contract(path, format!("a value of `{}` is missing", column.name()));
            columns.insert(column.name().to_string(), values.ok_or_else(missing)?);
        }
        Ok(Whole { height: frame.height(), columns })
    }

    /// # Panics
    /// Without such a column: the queries above name them.
    pub(crate) fn int(&self, name: &str, row: usize) -> i64 {
        self.columns[name][row]
    }

    pub(crate) fn count(&self, name: &str, row: usize) -> u64 {
        self.int(name, row).unsigned_abs()
    }

    pub(crate) fn flag(&self, name: &str, row: usize) -> bool {
        self.int(name, row) != 0
    }
}
