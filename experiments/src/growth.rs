//! Where trials and rows of a stage stand in a longer one.

use record::{Shape, Value};

/// Where the trials of a stage stand in the longer stage that it becomes. Both count through cells of equal size: the
/// games of a pair, the runs of a player at a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Growth {
    /// Trials of a cell, before and after.
    per_cell: [u64; 2],
    /// Where each cell stands now, ascending; where it stood, without a list.
    cells: Option<Vec<u64>>,
    /// Columns of a row that hold indices, and what each index is now.
    columns: Vec<(usize, Vec<u64>)>,
}

impl Growth {
    /// The same cells with more trials.
    pub(crate) fn of_cells(per_cell: [u64; 2]) -> Self {
        Growth { per_cell, cells: None, columns: Vec::new() }
    }

    /// More cells, too: `columns` of the rows of `shape` hold indices that become others.
    pub(crate) fn new(per_cell: [u64; 2], cells: Vec<u64>, columns: Vec<(&str, Vec<u64>)>, shape: &Shape) -> Self {
        let place = |(name, indices)| (shape.index(name).expect("a column of the shape"), indices);
        Growth { per_cell, cells: Some(cells), columns: columns.into_iter().map(place).collect() }
    }

    /// Where a trial stands now: nowhere before where it stood, and trials keep their order.
    pub fn trial(&self, trial: u64) -> u64 {
        let [before, after] = self.per_cell;
        let (cell, rest) = (trial / before, trial % before);
        let cell = match &self.cells {
            Some(cells) => usize::try_from(cell).ok().and_then(|cell| cells.get(cell).copied()).unwrap_or(cell),
            None => cell,
        };
        cell * after + rest
    }

    /// Makes a stored row that of the longer stage.
    pub fn row(&self, row: &mut [Value]) {
        for (column, indices) in &self.columns {
            if let Some(Value::Int(index)) = row.get_mut(*column)
                && let Some(now) = usize::try_from(*index).ok().and_then(|index| indices.get(index))
            {
                *index = now.cast_signed();
            }
        }
    }

    /// Whether a trial below `trials` stands elsewhere or has another row.
    pub fn moves(&self, trials: u64) -> bool {
        self.cells.is_some() || self.per_cell[0] != self.per_cell[1] && trials > self.per_cell[0]
    }
}

/// Where the items of `before` stand among those of `after`, in the same order; `None` if one is missing, or stands
/// before one that it stood behind.
pub(crate) fn places<T: PartialEq>(
    before: impl Iterator<Item = T>,
    mut after: impl Iterator<Item = T>,
) -> Option<Vec<u64>> {
    let mut next = 0;
    before
        .map(|item| {
            let skipped = after.position(|other| other == item)? as u64;
            next += skipped + 1;
            Some(next - 1)
        })
        .collect()
}
