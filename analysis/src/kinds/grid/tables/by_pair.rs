//! Tables with a row or two for every pair of a grid: whole, or too long to hold and written row by row.

use std::{fmt, io, sync::Arc};

use crate::{
    Cell, Table,
    kinds::grid::{Grid, PairGames},
};

/// Rows that are made CSV at a time.
const ROWS_AT_ONCE: usize = 1_000;

/// The rows of a pair, from its place in the grid and its games.
type Rows = dyn Fn(usize, &PairGames) -> Vec<Vec<Cell>> + Send + Sync;

/// A table whose rows follow from pairs one by one.
pub(crate) struct ByPair {
    /// Its heads and notes.
    head: Table,
    rows: Box<Rows>,
}

impl ByPair {
    pub(crate) fn new(head: Table, rows: impl Fn(usize, &PairGames) -> Vec<Vec<Cell>> + Send + Sync + 'static) -> Self {
        ByPair { head, rows: Box::new(rows) }
    }

    /// With all of its rows.
    pub(crate) fn whole(self, grid: &Grid) -> Table {
        let ByPair { head: mut table, rows } = self;
        for (place, pair) in grid.pairs.iter().enumerate() {
            rows(place, pair).into_iter().for_each(|row| table.push(row));
        }
        table
    }

    /// With its rows made when it is written.
    pub(crate) fn long(self, grid: &Arc<Grid>) -> LongTable {
        LongTable { head: self.head, rows: Arc::from(self.rows), grid: Arc::clone(grid) }
    }
}

/// A table of more rows than are held or shown: it is written as CSV, row by row.
#[derive(Clone)]
pub struct LongTable {
    head: Table,
    rows: Arc<Rows>,
    grid: Arc<Grid>,
}

impl LongTable {
    /// Name of its file.
    pub fn name(&self) -> &str {
        &self.head.name
    }

    /// Pairs that it has rows of.
    pub fn pairs(&self) -> usize {
        self.grid.pairs.len()
    }

    /// Writes it as [`Table::to_csv`] would.
    ///
    /// # Errors
    /// As of `out`.
    pub fn write_csv(&self, out: &mut impl io::Write) -> io::Result<()> {
        let mut part = self.head.clone();
        let mut is_first = true;
        for (place, pair) in self.grid.pairs.iter().enumerate() {
            (self.rows)(place, pair).into_iter().for_each(|row| part.push(row));
            if part.rows.len() >= ROWS_AT_ONCE {
                write_part(&mut part, std::mem::take(&mut is_first), out)?;
            }
        }
        if is_first || !part.rows.is_empty() { write_part(&mut part, is_first, out) } else { Ok(()) }
    }
}

/// Writes rows and forgets them, with the heads before the first.
fn write_part(part: &mut Table, with_heads: bool, out: &mut impl io::Write) -> io::Result<()> {
    let text = part.to_csv();
    part.rows.clear();
    // Keys have no line breaks.
    let rows = if with_heads { &text } else { text.split_once('\n').map_or("", |(_, rows)| rows) };
    out.write_all(rows.as_bytes())
}

impl fmt::Debug for LongTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LongTable").field("head", &self.head).field("pairs", &self.pairs()).finish()
    }
}

impl PartialEq for LongTable {
    fn eq(&self, other: &Self) -> bool {
        self.head == other.head && Arc::ptr_eq(&self.grid, &other.grid)
    }
}
