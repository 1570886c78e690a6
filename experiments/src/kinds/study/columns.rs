//! The shape `study`: what a row holds, and which of it a question may be about (docs/run-directory.md).

use players::{readout::Metrics, solo::SoloRecord};

use crate::value::{Column, ColumnType, Row, Shape, Value};

/// Columns before the figures of trees.
const BEFORE: [(&str, ColumnType); 9] = [
    ("problem", ColumnType::Label),
    ("agent", ColumnType::Label),
    ("run", ColumnType::Int),
    ("points", ColumnType::Real),
    ("score", ColumnType::Int),
    ("plies", ColumnType::Int),
    ("moves_hash", ColumnType::Int),
    ("decisions", ColumnType::Int),
    ("iterations", ColumnType::Int),
];

/// Texts behind them.
const TEXTS: [&str; 3] = ["root_visits", "histogram", "formula"];

/// The only column that is a measurement: no part of the digest.
const DECIDING_US: &str = "deciding_us";

/// Columns among [`BEFORE`] that a question may be about.
const COUNTS: [&str; 5] = ["points", "score", "plies", "decisions", "iterations"];

/// Columns that a question may be about: numbers that spec and seed decide and that mean more when they are greater.
pub(crate) fn metrics() -> impl Iterator<Item = &'static str> {
    COUNTS.iter().chain(Metrics::NAMES).copied()
}

/// Place of a column in a row.
///
/// # Panics
/// If there is no such column.
pub(crate) fn index(name: &str) -> usize {
    let names = BEFORE.iter().map(|(name, _)| *name).chain(Metrics::NAMES.iter().copied()).chain(TEXTS);
    names.chain([DECIDING_US]).position(|known| known == name).expect("a column of the shape")
}

/// The shape.
pub(super) fn shape() -> Shape {
    let column = |name: &str, kind, pure| {
        let labels = match name {
            "problem" => Some("problems".to_owned()),
            "agent" => Some("players".to_owned()),
            _ => None,
        };
        Column { name: name.to_owned(), kind, pure, labels }
    };
    let before = BEFORE.iter().map(|&(name, kind)| column(name, kind, true));
    let metrics = Metrics::NAMES.iter().map(|name| column(name, ColumnType::Real, true));
    let texts = TEXTS.iter().map(|name| column(name, ColumnType::Text, true));
    let columns = before.chain(metrics).chain(texts).chain([column(DECIDING_US, ColumnType::Int, false)]);
    Shape { name: "study".to_owned(), columns: columns.collect() }
}

/// The row of a run.
pub(super) fn row([problem, agent]: [usize; 2], run: u64, record: SoloRecord) -> Row {
    let mut row = vec![
        int(problem as u64),
        int(agent as u64),
        int(run),
        Value::Real(record.points),
        Value::Int(record.score),
        Value::Int(record.plies.into()),
        // The same 64 bits, as SQLite has no unsigned type.
        Value::Int(record.moves_hash.cast_signed()),
        Value::Int(record.decisions.into()),
        int(record.iterations),
    ];
    row.extend(record.metrics.values().map(Value::Real));
    row.extend([record.root_visits, record.histogram, record.formula].map(Value::Text));
    row.push(int(record.micros));
    row
}

fn int(value: u64) -> Value {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}
