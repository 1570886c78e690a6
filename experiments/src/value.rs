//! What a trial gives: a row of values under a shape.

use serde::{Deserialize, Serialize};

/// Type of a column, from the TOML of an experiment to SQLite, Parquet and the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnType {
    /// 64-bit signed integer.
    Int,
    /// IEEE double.
    Real,
    /// UTF-8 text.
    Text,
    /// Integer that indexes the stage's list of labels of the same name as [`Column::labels`]; Parquet holds the text.
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
    /// For [`ColumnType::Label`]: key of the list in [`crate::plan::Stage::labels`].
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

/// A value of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of an `Int` or `Label` column.
    Int(i64),
    /// Of a `Real` column; never NaN.
    Real(f64),
    /// Of a `Text` column.
    Text(String),
}

/// Values in the order of the shape's columns.
pub type Row = Vec<Value>;
