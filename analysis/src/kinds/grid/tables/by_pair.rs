//! Tables with a row or two for every pair of a grid: whole, or too long to hold and written row by row.

use std::sync::Arc;

use crate::{
    Cell, Table,
    forms::table::LongTable,
    kinds::grid::{Grid, PairGames},
};

/// The rows of a pair, from its place in the grid and its games.
type Rows = dyn Fn(usize, &PairGames) -> Vec<Vec<Cell>> + Send + Sync;

/// A table whose rows follow from pairs one by one.
pub(crate) struct ByPair {
    /// Heads and notes.
    head: Table,
    rows: Box<Rows>,
}

impl ByPair {
    pub(crate) fn new(head: Table, rows: impl Fn(usize, &PairGames) -> Vec<Vec<Cell>> + Send + Sync + 'static) -> Self {
        ByPair { head, rows: Box::new(rows) }
    }

    /// The table with all rows.
    pub(crate) fn whole(self, grid: &Grid) -> Table {
        let ByPair { head: mut table, rows } = self;
        for (place, pair) in grid.pairs.iter().enumerate() {
            rows(place, pair).into_iter().for_each(|row| table.push(row));
        }
        table
    }

    /// The table whose rows are made when it is written.
    pub(crate) fn long(self, grid: &Arc<Grid>) -> LongTable {
        let ByPair { head, rows } = self;
        let grid = Arc::clone(grid);
        LongTable::new(head, grid.pairs.len(), move |place| rows(place, &grid.pairs[place]))
    }
}
