//! What a report shows, by name and row.

use analysis::{Report, Table};
use serde_json::Value;

/// A table of a report.
pub(crate) fn table<'a>(report: &'a Report, name: &str) -> &'a Table {
    report.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table `{name}`"))
}

/// Row of a table as JSON.
pub(crate) fn row(report: &Report, name: &str, row: usize) -> Value {
    table(report, name).to_json()["rows"][row].clone()
}

/// Whether a cell is a number, to rounding.
#[track_caller]
pub(crate) fn near(found: &Value, wanted: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is not a number"));
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{found} is not {wanted}");
}
