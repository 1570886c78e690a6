//! Tables as CSV (RFC 4180).

use super::{Table, cell::Field, number::exact};

/// A line of heads and one a row, with every digit; notes are left out.
pub(super) fn render(table: &Table) -> String {
    let mut text = String::new();
    line(&mut text, table.columns.iter().flat_map(super::Column::keys));
    for row in &table.rows {
        line(&mut text, table.fields(row).into_iter().map(shown));
    }
    text
}

fn shown(field: Field) -> String {
    match field {
        Field::Text(text) => text,
        Field::Count(value) => value.to_string(),
        Field::Number(value) => exact(value),
        Field::Missing => String::new(),
    }
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
