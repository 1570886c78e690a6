//! Results in columns, as they are sent and stored.

use record::{ColumnType, Row, Shape, Value};
use redqueen_wire as wire;

/// Most trials of one batch.
pub const MAX_BATCH_TRIALS: usize = 16_384;

/// Results of one stage; every column is as long as `trials`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rows {
    /// Trial indices.
    pub trials: Vec<u64>,
    /// Microseconds each trial took on its executor.
    pub elapsed_us: Vec<u64>,
    /// The columns, in the order of the shape.
    pub columns: Vec<Cells>,
}

/// The values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Values of an `int` or `label` column.
    Ints(Vec<i64>),
    /// Values of a `real` column.
    Reals(Vec<f64>),
    /// Values of a `text` column.
    Texts(Vec<String>),
}

/// Why a batch from the wire is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// Too many trials.
    #[error("a batch of {0} trials is longer than {MAX_BATCH_TRIALS}")]
    TooLong(usize),
    /// Columns of unequal length.
    #[error("the columns of a batch differ in length")]
    Ragged,
    /// A column without values.
    #[error("a column of a batch has no type")]
    Untyped,
    /// Other columns than those of the stage's shape.
    #[error("a batch does not have the columns of shape `{0}`")]
    OtherShape(String),
    /// NaN in a real column.
    #[error("a batch holds a value that is not a number")]
    NotANumber,
}

impl Rows {
    /// Empty rows of `shape`.
    pub fn empty(shape: &Shape) -> Self {
        let columns = shape
            .columns
            .iter()
            .map(|column| match column.kind {
                ColumnType::Int | ColumnType::Label => Cells::Ints(Vec::new()),
                ColumnType::Real => Cells::Reals(Vec::new()),
                ColumnType::Text => Cells::Texts(Vec::new()),
            })
            .collect();
        Rows { columns, ..Rows::default() }
    }

    /// Rows of a batch from the wire, checked as far as possible without its stage.
    ///
    /// # Errors
    /// The batch is malformed.
    pub fn from_wire(batch: wire::ResultBatch) -> Result<Self, Malformed> {
        let count = batch.trials.len();
        if count > MAX_BATCH_TRIALS {
            return Err(Malformed::TooLong(count));
        }
        let mut columns = Vec::with_capacity(batch.columns.len());
        for column in batch.columns {
            columns.push(match column.values.ok_or(Malformed::Untyped)? {
                wire::column::Values::Ints(ints) => Cells::Ints(ints.values),
                wire::column::Values::Reals(reals) => Cells::Reals(reals.values),
                wire::column::Values::Texts(texts) => Cells::Texts(texts.values),
            });
        }
        if batch.elapsed_us.len() != count || columns.iter().any(|c| c.len() != count) {
            return Err(Malformed::Ragged);
        }
        Ok(Rows { trials: batch.trials, elapsed_us: batch.elapsed_us, columns })
    }

    /// Checks that the columns are those of `shape` and hold no NaN.
    ///
    /// # Errors
    /// They are not, or hold one.
    pub fn check(&self, shape: &Shape) -> Result<(), Malformed> {
        let fits = |cells: &Cells, kind| {
            matches!(
                (cells, kind),
                (Cells::Ints(_), ColumnType::Int | ColumnType::Label)
                    | (Cells::Reals(_), ColumnType::Real)
                    | (Cells::Texts(_), ColumnType::Text)
            )
        };
        if self.columns.len() != shape.columns.len()
            || !self.columns.iter().zip(&shape.columns).all(|(cells, column)| fits(cells, column.kind))
        {
            return Err(Malformed::OtherShape(shape.name.clone()));
        }
        let nan = |cells: &Cells| matches!(cells, Cells::Reals(v) if v.iter().any(|x| x.is_nan()));
        if self.columns.iter().any(nan) {
            return Err(Malformed::NotANumber);
        }
        Ok(())
    }

    /// Value of column `column` in row `row`.
    pub fn value(&self, column: usize, row: usize) -> Value {
        match &self.columns[column] {
            Cells::Ints(v) => Value::Int(v[row]),
            Cells::Reals(v) => Value::Real(v[row]),
            Cells::Texts(v) => Value::Text(v[row].clone()),
        }
    }

    /// Row `row`, in the order of the shape.
    pub fn row(&self, row: usize) -> Row {
        (0..self.columns.len()).map(|column| self.value(column, row)).collect()
    }
}

impl Cells {
    fn len(&self) -> usize {
        match self {
            Cells::Ints(v) => v.len(),
            Cells::Reals(v) => v.len(),
            Cells::Texts(v) => v.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ints(values: Vec<i64>) -> wire::Column {
        wire::Column { values: Some(wire::column::Values::Ints(wire::Ints { values })) }
    }

    #[test]
    fn malformed_batches_are_refused() {
        let batch = |trials: Vec<u64>, elapsed_us: Vec<u64>, columns| wire::ResultBatch {
            trials,
            elapsed_us,
            columns,
            ..wire::ResultBatch::default()
        };
        let refused = |b| Rows::from_wire(b).unwrap_err();
        assert_eq!(refused(batch(vec![1, 2], vec![5], vec![])), Malformed::Ragged);
        assert_eq!(refused(batch(vec![1], vec![5], vec![ints(vec![])])), Malformed::Ragged);
        assert_eq!(refused(batch(vec![1], vec![5], vec![wire::Column { values: None }])), Malformed::Untyped);
        let many = MAX_BATCH_TRIALS + 1;
        assert_eq!(refused(batch(vec![0; many], vec![0; many], vec![])), Malformed::TooLong(many));
        assert!(Rows::from_wire(batch(vec![1], vec![5], vec![ints(vec![7])])).is_ok());
    }

    #[test]
    fn checks_the_shape() {
        let column = |kind| record::Column { name: "x".into(), kind, pure: true, labels: None };
        let shape = |kind| Shape { name: "s".into(), columns: vec![column(kind)] };
        let rows = |cells| Rows { trials: vec![0], elapsed_us: vec![1], columns: vec![cells] };
        assert_eq!(rows(Cells::Ints(vec![1])).check(&shape(ColumnType::Label)), Ok(()));
        let other = Err(Malformed::OtherShape("s".into()));
        assert_eq!(rows(Cells::Ints(vec![1])).check(&shape(ColumnType::Real)), other);
        assert_eq!(Rows::default().check(&shape(ColumnType::Int)), other);
        assert_eq!(rows(Cells::Reals(vec![f64::NAN])).check(&shape(ColumnType::Real)), Err(Malformed::NotANumber));
    }
}
