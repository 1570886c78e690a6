//! Tables of more rows than are held or shown.

use std::{fmt, io, sync::Arc};

use super::{Cell, Table};

/// Rows that are made CSV at a time.
const ROWS_AT_ONCE: usize = 1_000;

/// The rows of an item, by its place.
type Rows = dyn Fn(usize) -> Vec<Vec<Cell>> + Send + Sync;

/// A table that is written as CSV, row by row: its rows are made while it is written.
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
        let mut part = self.head.clone();
        let mut is_first = true;
        for item in 0..self.items {
            (self.rows)(item).into_iter().for_each(|row| part.push(row));
            if part.rows.len() >= ROWS_AT_ONCE {
                write_part(&mut part, std::mem::take(&mut is_first), out)?;
            }
        }
        if is_first || !part.rows.is_empty() { write_part(&mut part, is_first, out) } else { Ok(()) }
    }
}

/// Writes the rows and removes them, with the heads before the first.
fn write_part(part: &mut Table, with_heads: bool, out: &mut impl io::Write) -> io::Result<()> {
    let text = part.to_csv();
    part.rows.clear();
    // Keys have no line breaks.
    let rows = if with_heads { &text } else { text.split_once('\n').map_or("", |(_, rows)| rows) };
    out.write_all(rows.as_bytes())
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
