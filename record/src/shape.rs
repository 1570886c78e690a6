//! Rows and their shape: what a trial gives, from its executor to SQLite, Parquet and the tables.

use serde::{Deserialize, Serialize};

/// Type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    /// 64-bit signed integer.
    Int,
    /// IEEE double.
    Real,
    /// UTF-8 text.
    Text,
    /// Integer that indexes the stage's list of labels named by [`Column::labels`]; Parquet holds the text.
    Label,
}

/// One column of a shape.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Column {
    /// Name in SQLite and Parquet: lower-case words joined by `_`, unit last.
    pub name: String,
    /// Type of its values.
    pub kind: ColumnType,
    /// Whether the value depends on spec and seed alone. Impure columns (times) are left out of the digest.
    pub pure: bool,
    /// For [`ColumnType::Label`]: key of the list in [`crate::Stage::labels`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<String>,
}

/// Name and columns of the rows of a stage. Stages of one shape share a table in the run's database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// Lower-case; the database table is `results_NAME`.
    pub name: String,
    /// Columns in the order of a row.
    pub columns: Vec<Column>,
}

impl Shape {
    /// Place of the column `name` in a row, if the shape has one.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// Whether rows have a column `name`.
    pub fn has(&self, name: &str) -> bool {
        self.index(name).is_some()
    }
}

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Value of an `Int` or `Label` column.
    Int(i64),
    /// Value of a `Real` column; never NaN.
    Real(f64),
    /// Value of a `Text` column.
    Text(String),
}

impl Value {
    /// A count as a column's value; more than SQLite's integers hold is the largest of them.
    pub fn count(count: u64) -> Self {
        Value::Int(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// 64 bits as a column's value: the same bits, since SQLite has no unsigned type.
    pub fn bits(bits: u64) -> Self {
        Value::Int(bits.cast_signed())
    }
}

/// Values in the order of the shape's columns.
pub type Row = Vec<Value>;
