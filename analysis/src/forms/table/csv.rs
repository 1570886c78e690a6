//! Tables as CSV (RFC 4180).

use super::Table;

/// A line of heads and one a row, with every digit; notes are left out.
pub(super) fn render(table: &Table) -> String {
    let mut text = String::new();
    line(&mut text, table.columns.iter().flat_map(super::Column::keys));
    for row in &table.rows {
        line(&mut text, row.iter().zip(&table.columns).flat_map(|(cell, column)| cell.fields(column.form)));
    }
    text
}

fn line(text: &mut String, fields: impl Iterator<Item = String>) {
    for (place, field) in fields.enumerate() {
        if place > 0 {
            text.push(',');
        }
        if field.contains([',', '"', '\n', '\r']) {
            text.push_str(&format!("\"{}\"", field.replace('"', "\"\"")));
        } else {
            text.push_str(&field);
        }
    }
    text.push('\n');
}
