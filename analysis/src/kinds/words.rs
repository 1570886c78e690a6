//! What a report says of a run in words. Every number in it is one of a table's cells, with the table's digits.

use crate::{Cell, Table};

/// What was asked, and what came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What the experiment asks, in a sentence.
    pub question: String,
    /// What came out, in a few sentences.
    pub findings: Vec<String>,
}

/// A table that sentences are made of.
#[derive(Clone, Copy)]
pub(crate) struct Source<'a>(&'a Table);

/// One of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    table: &'a Table,
    row: &'a [Cell],
}

impl<'a> Source<'a> {
    /// The table of this name, if it is there.
    pub(crate) fn named(tables: &'a [Table], name: &str) -> Option<Self> {
        tables.iter().find(|table| table.name == name).map(Source)
    }

    /// The first table with this entry in docs/tables.md.
    pub(crate) fn of_kind(tables: &'a [Table], kind: &str) -> Option<Self> {
        tables.iter().find(|table| table.kind == kind).map(Source)
    }

    /// The head of a column.
    pub(crate) fn head(self, key: &str) -> &'a str {
        self.0.columns.iter().find(|column| column.key == key).map_or("", |column| &column.head)
    }

    /// Its rows.
    pub(crate) fn lines(self) -> impl Iterator<Item = Line<'a>> {
        self.0.rows.iter().map(move |row| Line { table: self.0, row })
    }
}

impl<'a> From<&'a Table> for Source<'a> {
    fn from(table: &'a Table) -> Self {
        Source(table)
    }
}

impl<'a> Line<'a> {
    fn cell(self, key: &str) -> &'a Cell {
        let column = self.table.columns.iter().position(|column| column.key == key);
        &self.row[column.unwrap_or_else(|| panic!("`{}` has no column `{key}`", self.table.name))]
    }

    /// What a cell shows.
    ///
    /// # Panics
    /// If there is no such column, as all methods.
    pub(crate) fn shown(self, key: &str) -> String {
        match self.cell(key) {
            Cell::Count(count) => grouped(*count),
            cell => cell.shown(),
        }
    }

    /// Whether a cell has a value.
    pub(crate) fn has(self, key: &str) -> bool {
        !matches!(self.cell(key), Cell::Missing | Cell::Without(_))
    }

    /// The number in a cell; the mean of a spread.
    pub(crate) fn number(self, key: &str) -> Option<f64> {
        match self.cell(key) {
            Cell::Count(value) => Some(*value as f64),
            Cell::Real(value, _) | Cell::Spread(value, _, _) | Cell::Probability(value) => Some(*value),
            Cell::Text(_) | Cell::Interval(..) | Cell::Missing | Cell::Without(_) => None,
        }
    }

    /// ` (95 % interval 0.41 to 0.52)` of the first of these columns that has one; nothing without.
    pub(crate) fn interval(self, keys: &[&str]) -> String {
        let found = keys.iter().find(|key| self.has(key));
        found.map_or_else(String::new, |key| format!(" (95 % interval {})", self.shown(key)))
    }
}

/// A count with its thousands apart: `12,000`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let first = digits.len() % 3;
    let (head, rest) = digits.split_at(first);
    let mut groups: Vec<&str> = if head.is_empty() { Vec::new() } else { vec![head] };
    groups.extend((0..rest.len() / 3).map(|group| &rest[3 * group..3 * group + 3]));
    groups.join(",")
}

/// A spec without its parameters, for a sentence: the methods of a report have the whole.
pub(crate) fn short(spec: &str) -> &str {
    spec.split(':').next().unwrap_or(spec)
}

/// `a`, `a and b`, `a, b and c`; of more than `most` the first ones and how many others there are.
pub(crate) fn listed(names: &[String], most: usize) -> String {
    let others = names.len().saturating_sub(most);
    let mut shown: Vec<String> = names.iter().take(most).cloned().collect();
    if others > 0 {
        shown.push(format!("{others} more"));
    }
    match shown.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => shown.concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Reason;

    #[test]
    fn sentences_are_made_of_cells() {
        let mut table =
            Table::new("t", "t", &[("who", "who"), ("games", "games"), ("share", "share"), ("a_95", "95 %")]);
        table.push(vec![
            Cell::text("a"),
            Cell::Count(1_234_567),
            Cell::real(0.25, 3),
            Cell::interval(Err(Reason::NoSpread), 1),
        ]);
        table.push(vec![Cell::text("b"), Cell::Count(12), Cell::Missing, Cell::interval(Some((0.1, 0.4)), 2)]);
        let tables = [table];
        let lines: Vec<Line<'_>> = Source::named(&tables, "t").expect("a table").lines().collect();
        assert_eq!(["who", "games", "share"].map(|key| lines[0].shown(key)), ["a", "1,234,567", "0.250"]);
        assert_eq!((lines[0].number("share"), lines[1].number("share")), (Some(0.25), None));
        assert_eq!([lines[0], lines[1]].map(|line| line.interval(&["a_95"])), ["", " (95 % interval 0.10 to 0.40)"]);
        assert!(Source::named(&tables, "u").is_none());
    }

    #[test]
    fn names_are_listed() {
        let names = ["a", "b", "c"].map(str::to_owned);
        let found = [listed(&names[..1], 3), listed(&names[..2], 3), listed(&names, 3), listed(&names, 1)];
        assert_eq!(found, ["a", "a and b", "a, b and c", "a and 2 more"]);
        assert_eq!(listed(&[], 3), "");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 12_345_678].map(grouped), ["0", "999", "1,000", "12,345,678"]);
    }
}
