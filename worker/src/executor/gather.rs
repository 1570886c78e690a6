//! Rows of consecutive trials, gathered in columns.

use record::{ColumnType, Row, Shape, Value};
use redqueen_wire::{self as wire, slot_column::Values};

/// Longest row, in bytes, such as that of a trained network: with the rows before it, it must fit a message to the coordinator.
const ROW_BYTES_MAX: usize = 6 << 20;
/// Bytes of a number, and about the overhead of a text.
const WORD: usize = 8;

/// Why a row cannot be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum RowError {
    /// A row without the columns of its stage: a bug of the executor.
    #[error("its row {0:?} does not have the columns of the stage; please report this")]
    Shape(Row),
    /// Too many bytes of text.
    #[error("its result has {0} bytes of text; at most {ROW_BYTES_MAX} can be sent")]
    Long(usize),
}

/// Rows of consecutive trials from `start`.
pub(super) struct Gather {
    kinds: Vec<ColumnType>,
    start: u64,
    elapsed_us: Vec<u64>,
    columns: Vec<Values>,
    bytes: usize,
}

impl Gather {
    /// No rows yet; the first will be that of trial `start` or a later one.
    pub(super) fn new(shape: &Shape, start: u64) -> Self {
        let kinds: Vec<ColumnType> = shape.columns.iter().map(|column| column.kind).collect();
        let columns = kinds.iter().map(empty).collect();
        Gather { kinds, start, elapsed_us: Vec::new(), columns, bytes: 0 }
    }

    /// Bytes of the gathered rows.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the row of the next trial.
    ///
    /// # Errors
    /// The row does not have this shape or is too long to be sent; it is not added then.
    pub(super) fn push(&mut self, trial: u64, elapsed_us: u64, row: Row) -> Result<(), RowError> {
        debug_assert_eq!(trial, self.start + self.elapsed_us.len() as u64, "rows come in order");
        let fits = row.len() == self.columns.len()
            && row.iter().zip(&self.columns).all(|(value, column)| {
                matches!(
                    (value, column),
                    (Value::Int(_), Values::Ints(_))
                        | (Value::Real(_), Values::Reals(_))
                        | (Value::Text(_), Values::Texts(_))
                )
            });
        if !fits {
            return Err(RowError::Shape(row));
        }
        let texts: usize = row.iter().map(|value| if let Value::Text(text) = value { text.len() } else { 0 }).sum();
        if texts > ROW_BYTES_MAX {
            return Err(RowError::Long(texts));
        }
        self.bytes += texts + WORD * (row.len() + 1);
        self.elapsed_us.push(elapsed_us);
        for (value, column) in row.into_iter().zip(&mut self.columns) {
            match (value, column) {
                (Value::Int(value), Values::Ints(ints)) => ints.values.push(value),
                (Value::Real(value), Values::Reals(reals)) => reals.values.push(value),
                (Value::Text(value), Values::Texts(texts)) => texts.values.push(value),
                _ => unreachable!("the row fits"),
            }
        }
        Ok(())
    }

    /// Takes out the rows so far, if any; the next row will be that of trial `next` or a later one.
    pub(super) fn take(&mut self, next: u64) -> Option<wire::TrialRows> {
        let start = std::mem::replace(&mut self.start, next);
        if self.elapsed_us.is_empty() {
            return None;
        }
        self.bytes = 0;
        let columns = std::mem::replace(&mut self.columns, self.kinds.iter().map(empty).collect());
        let columns = columns.into_iter().map(|values| wire::SlotColumn { values: Some(values) }).collect();
        Some(wire::TrialRows { start, elapsed_us: std::mem::take(&mut self.elapsed_us), columns })
    }
}

fn empty(kind: &ColumnType) -> Values {
    match kind {
        ColumnType::Int | ColumnType::Label => Values::Ints(wire::FixedInts::default()),
        ColumnType::Real => Values::Reals(wire::Reals::default()),
        ColumnType::Text => Values::Texts(wire::Texts::default()),
    }
}

#[cfg(test)]
mod tests {
    use record::Column;

    use super::*;

    fn gather() -> Gather {
        let column = |kind| Column { name: "c".to_owned(), kind, pure: true, labels: None };
        let columns = [ColumnType::Label, ColumnType::Real, ColumnType::Text].map(column).to_vec();
        Gather::new(&Shape { name: "s".to_owned(), columns }, 5)
    }

    fn row(value: i64) -> Row {
        vec![Value::Int(value), Value::Real(0.5), Value::Text("x".to_owned())]
    }

    #[test]
    fn rows_become_columns_and_a_gap_starts_new_ones() {
        let mut gather = gather();
        gather.push(5, 10, row(1)).expect("it fits");
        gather.push(6, 20, row(-2)).expect("it fits");
        let rows = gather.take(8).expect("two rows");
        assert_eq!((rows.start, rows.elapsed_us), (5, vec![10, 20]));
        assert_eq!(rows.columns[0].values, Some(Values::Ints(wire::FixedInts { values: vec![1, -2] })));
        assert_eq!((gather.bytes(), gather.take(8)), (0, None));
        gather.push(8, 30, row(3)).expect("it fits");
        let rows = gather.take(9).expect("a row");
        assert_eq!((rows.start, rows.elapsed_us, rows.columns.len()), (8, vec![30], 3));
    }

    #[test]
    fn a_row_of_another_shape_or_too_long_is_not_added() {
        let mut gather = gather();
        let mut wrong = row(1);
        wrong[1] = Value::Int(1);
        assert!(gather.push(5, 1, wrong).is_err());
        assert!(gather.push(5, 1, vec![Value::Int(1)]).is_err());
        let mut long = row(1);
        long[2] = Value::Text("x".repeat(ROW_BYTES_MAX + 1));
        assert!(gather.push(5, 1, long).is_err());
        assert_eq!((gather.bytes(), gather.take(5)), (0, None));
    }
}
