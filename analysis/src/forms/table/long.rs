//! Tables of more rows than are held or shown.

use std::{fmt, io, sync::Arc};

use super::{
    Cell, Table,
    parquet::{Kinds, Writer},
};

/// Rows that are made CSV at a time.
const ROWS_AT_ONCE: usize = 1_000;
/// Rows of a group of Parquet, which is held while it is made.
const ROWS_OF_GROUP: usize = 50_000;

/// The rows of an item, by its place.
type Rows = dyn Fn(usize) -> Vec<Vec<Cell>> + Send + Sync;

/// A table that is written as CSV or Parquet, part by part: its rows are made while it is written.
#[derive(Clone)]
pub struct LongTable {
    /// Heads and notes.
    head: Table,
    items: usize,
    rows: Arc<Rows>,
}

impl LongTable {
    /// The table with the heads of `head` and the rows that `rows` gives for each of `0..items`.
    pub(crate) fn new(
        head: Table,
        items: usize,
        rows: impl Fn(usize) -> Vec<Vec<Cell>> + Send + Sync + 'static,
    ) -> Self {
        LongTable { head, items, rows: Arc::new(rows) }
    }

    /// Name of its file, without extension.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Writes what [`Table::to_csv`] would give.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_csv(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut text = self.head.to_csv();
        self.parts(ROWS_AT_ONCE, |part| {
            // Keys have no line breaks; the heads stand once.
            let rows = part.to_csv();
            text.push_str(rows.split_once('\n').map_or("", |(_, rows)| rows));
            out.write_all(std::mem::take(&mut text).as_bytes())
        })?;
        out.write_all(text.as_bytes())
    }

    /// Writes the rows of [`Table::to_parquet`], in several groups. They are made twice: types of columns, which stand
    /// before the rows, follow from all of them.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write_parquet(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut kinds = Kinds::default();
        kinds.take(&self.head);
        self.parts(ROWS_AT_ONCE, |part| {
            kinds.take(part);
            Ok(())
        })?;
        let mut writer = Writer::new(out, &self.head, kinds).map_err(io::Error::other)?;
        self.parts(ROWS_OF_GROUP, |part| writer.push(part).map_err(io::Error::other))?;
        writer.finish().map_err(io::Error::other)
    }

    /// Gives the rows to `take`, about so many at a time.
    fn parts(&self, rows: usize, mut take: impl FnMut(&Table) -> io::Result<()>) -> io::Result<()> {
        let mut part = self.head.clone();
        for item in 0..self.items {
            (self.rows)(item).into_iter().for_each(|row| part.push(row));
            if part.rows.len() >= rows || (item + 1 == self.items && !part.rows.is_empty()) {
                take(&part)?;
                part.rows.clear();
            }
        }
        Ok(())
    }
}

impl fmt::Debug for LongTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongTable").field("head", &self.head).field("items", &self.items).finish_non_exhaustive()
    }
}

impl PartialEq for LongTable {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head && Arc::ptr_eq(&self.rows, &other.rows)
    }
}
