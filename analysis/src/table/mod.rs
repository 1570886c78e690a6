//! A table as data, and its renderings: Markdown, CSV, LaTeX, JSON.
//!
//! Every rendering has the same facts. A value that is not there is a dash for people, an empty field in CSV and null
//! in JSON; where a statistic says why, a note under the table does too, and a list `reasons` in JSON. What is not a
//! finite number never gets in.

mod cell;

use serde_json::{Value, json};

use crate::statistics::Reason;

pub use cell::{Cell, Known};

/// A column's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Lower-case words joined by `_`, for CSV and JSON. In CSV an interval `x` has `x_low` and `x_high`, a mean with
    /// its deviation `x` and `x_sd`.
    pub key: String,
    /// For people, unit in brackets.
    pub head: String,
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of its files: lower-case words joined by `-`.
    pub name: String,
    /// One line above it.
    pub title: String,
    /// Heads.
    pub columns: Vec<Column>,
    /// Cells, as many in each row as there are columns.
    pub rows: Vec<Vec<Cell>>,
    /// Lines below it.
    pub notes: Vec<String>,
}

impl Table {
    /// A table without rows; heads are (key, text).
    pub fn new(name: impl Into<String>, title: impl Into<String>, heads: &[(&str, &str)]) -> Self {
        let columns = heads.iter().map(|&(key, head)| Column { key: key.to_owned(), head: head.to_owned() }).collect();
        Table { name: name.into(), title: title.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has another number of cells than the table has columns.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row of `{}` has a cell a column", self.name);
        self.rows.push(row.into_iter().map(Cell::finite).collect());
    }

    /// For a terminal and for documents.
    pub fn to_markdown(&self) -> String {
        let escape = |text: String| text.replace('|', "\\|");
        let heads: Vec<String> = self.columns.iter().map(|column| escape(column.head.clone())).collect();
        let rows: Vec<Vec<String>> =
            self.rows.iter().map(|row| row.iter().map(|cell| escape(cell.shown())).collect()).collect();
        let width = |c: usize| {
            let cells = rows.iter().map(|row| row[c].chars().count());
            cells.chain([heads[c].chars().count(), 3]).max().unwrap_or(3)
        };
        let widths: Vec<usize> = (0..heads.len()).map(width).collect();
        let right: Vec<bool> =
            (0..heads.len()).map(|c| !self.rows.iter().any(|row| matches!(row[c], Cell::Text(_)))).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().enumerate().map(|(c, cell)| {
                let space = " ".repeat(widths[c] - cell.chars().count());
                if right[c] { format!("{space}{cell}") } else { format!("{cell}{space}") }
            });
            format!("| {} |\n", padded.collect::<Vec<_>>().join(" | "))
        };
        let rule: Vec<String> = (0..heads.len())
            .map(|c| if right[c] { format!("{}:", "-".repeat(widths[c] - 1)) } else { "-".repeat(widths[c]) })
            .collect();
        let mut text = format!("### {}\n\n{}{}", self.title, line(&heads), line(&rule));
        for row in &rows {
            text.push_str(&line(row));
        }
        for note in self.notes.iter().chain(self.dashes().as_ref()) {
            text.push_str(&format!("\n{note}\n"));
        }
        text
    }

    /// What dashes stand for, as far as it is known.
    fn dashes(&self) -> Option<String> {
        let mut reasons: Vec<Reason> = self.without().map(|(_, _, reason)| reason).collect();
        reasons.sort_unstable();
        reasons.dedup();
        let reasons: Vec<String> = reasons.iter().map(Reason::to_string).collect();
        (!reasons.is_empty()).then(|| format!("–: {}.", reasons.join("; ")))
    }

    /// Row, column and reason of each value that is not there for one.
    fn without(&self) -> impl Iterator<Item = (usize, &Column, Reason)> {
        self.rows.iter().enumerate().flat_map(move |(r, row)| {
            row.iter().zip(&self.columns).filter_map(move |(cell, column)| match cell {
                Cell::Without(reason) => Some((r, column, *reason)),
                _ => None,
            })
        })
    }

    /// RFC 4180, full precision, one header line; notes are left out.
    pub fn to_csv(&self) -> String {
        let quote = |text: &str| {
            if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
        };
        let is_interval = |c: usize| self.rows.iter().any(|row| matches!(row[c], Cell::Interval(..)));
        let is_spread = |c: usize| self.rows.iter().any(|row| matches!(row[c], Cell::Spread(..)));
        let mut heads = Vec::new();
        for (c, column) in self.columns.iter().enumerate() {
            if is_interval(c) {
                heads.extend([format!("{}_low", column.key), format!("{}_high", column.key)]);
            } else if is_spread(c) {
                heads.extend([column.key.clone(), format!("{}_sd", column.key)]);
            } else {
                heads.push(column.key.clone());
            }
        }
        let mut text = heads.join(",") + "\n";
        for row in &self.rows {
            let mut fields = Vec::new();
            for (c, cell) in row.iter().enumerate() {
                match cell {
                    Cell::Interval(low, high, _) => fields.extend([low.to_string(), high.to_string()]),
                    Cell::Spread(mean, sd, _) => {
                        fields.extend([mean.to_string(), sd.map_or(String::new(), |sd| sd.to_string())]);
                    }
                    Cell::Missing | Cell::Without(_) => {
                        let fields_of = 1 + usize::from(is_interval(c) || is_spread(c));
                        fields.extend(std::iter::repeat_n(String::new(), fields_of));
                    }
                    Cell::Text(text) => fields.push(quote(text)),
                    Cell::Count(value) => fields.push(value.to_string()),
                    Cell::Real(value, _) | Cell::Probability(value) => fields.push(value.to_string()),
                }
            }
            text.push_str(&(fields.join(",") + "\n"));
        }
        text
    }

    /// A `tabular` with the rules of the booktabs package, in a `table`.
    pub fn to_latex(&self) -> String {
        let right = |c: usize| !self.rows.iter().any(|row| matches!(row[c], Cell::Text(_)));
        let spec: String = (0..self.columns.len()).map(|c| if right(c) { 'r' } else { 'l' }).collect();
        let line = |cells: Vec<String>| format!("    {} \\\\\n", cells.join(" & "));
        let mut text = format!(
            "% \\usepackage{{booktabs}}\n\\begin{{table}}\n  \\caption{{{}}}\n  \\begin{{tabular}}{{{spec}}}\n    \\toprule\n",
            latex(&self.title)
        );
        text.push_str(&line(self.columns.iter().map(|column| latex(&column.head)).collect()));
        text.push_str("    \\midrule\n");
        for row in &self.rows {
            text.push_str(&line(row.iter().map(|cell| latex(&cell.shown())).collect()));
        }
        text.push_str("    \\bottomrule\n  \\end{tabular}\n");
        for note in self.notes.iter().chain(self.dashes().as_ref()) {
            text.push_str(&format!("  \\par\\footnotesize {}\n", latex(note)));
        }
        text + "\\end{table}\n"
    }

    /// The facts of the table: name, title, rows as objects by key, notes, and why values are null where it is known:
    /// row (from 0), column, reason.
    pub fn to_json(&self) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| self.columns.iter().zip(row).map(|(column, cell)| (column.key.clone(), cell.json())).collect())
            .collect();
        let reasons: Vec<Value> = self
            .without()
            .map(|(row, column, reason)| json!({ "row": row, "column": column.key, "reason": reason.to_string() }))
            .collect();
        json!({ "name": self.name, "title": self.title, "rows": rows, "notes": self.notes, "reasons": reasons })
    }
}

fn latex(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("$<$"),
            '>' => escaped.push_str("$>$"),
            '–' => escaped.push_str("--"),
            '±' => escaped.push_str("$\\pm$"),
            '−' => escaped.push_str("$-$"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::moments::Moments;

    fn sample() -> Table {
        let mut table = Table::new("t", "A & B", &[("who", "who"), ("share", "share [%]"), ("ci", "95 %"), ("p", "p")]);
        table.push(vec![
            Cell::text("a|b, \"c\""),
            Cell::real(0.25, 1),
            Cell::interval(Some((0.1, 0.4)), 1),
            Cell::probability(0.5),
        ]);
        table.push(vec![
            Cell::text("d"),
            Cell::real(f64::NAN, 1),
            Cell::interval(None::<(f64, f64)>, 1),
            Cell::probability(1e-9),
        ]);
        table
    }

    #[test]
    fn every_format_has_the_same_facts() {
        let table = sample();
        assert_eq!(
            table.to_markdown(),
            "### A & B\n\n\
             | who       | share [%] |       95 % |      p |\n\
             | --------- | --------: | ---------: | -----: |\n\
             | a\\|b, \"c\" |       0.2 | 0.1 to 0.4 | 0.5000 |\n\
             | d         |         – |          – | 1.0e-9 |\n"
        );
        assert_eq!(
            table.to_csv(),
            "who,share,ci_low,ci_high,p\n\"a|b, \"\"c\"\"\",0.25,0.1,0.4,0.5\nd,,,,0.000000001\n"
        );
        let json = table.to_json();
        assert_eq!(json["rows"][0]["ci"], json!([0.1, 0.4]));
        assert_eq!(json["rows"][1]["share"], Value::Null);
        assert!(table.to_latex().contains("A \\& B"));
        assert!(table.to_latex().contains("share [\\%]"));
    }

    #[test]
    fn a_row_takes_nothing_that_is_not_finite() {
        let mut table = Table::new("t", "t", &[("a", "a"), ("b", "b"), ("c", "c")]);
        let infinity = f64::INFINITY;
        table.push(vec![Cell::Real(f64::NAN, 1), Cell::Interval(0.0, infinity, 1), Cell::Probability(infinity)]);
        assert_eq!(table.rows, [[Cell::Missing, Cell::Missing, Cell::Missing]]);
    }

    #[test]
    fn a_dash_may_have_a_reason() {
        let mut table = Table::new("t", "t", &[("p", "p"), ("ci", "95 %")]);
        table.push(vec![Cell::probability(Err(Reason::NoSpread)), Cell::interval(Some((0.0, 1.0)), 1)]);
        let few = Reason::TooFew { needed: 2, found: 1 };
        table.push(vec![Cell::probability(Err(few)), Cell::interval(Err(few), 1)]);
        table.push(vec![Cell::probability(Ok(0.5)), Cell::Missing]);
        assert_eq!(table.to_csv(), "p,ci_low,ci_high\n,0,1\n,,\n0.5,,\n");
        let says = "–: too few values (2 needed, 1 found); all values are equal.";
        assert!(table.to_markdown().ends_with(&format!("|          – |\n\n{says}\n")), "{}", table.to_markdown());
        assert!(table.to_latex().contains("--: too few values (2 needed, 1 found); all"), "{}", table.to_latex());
        let json = table.to_json();
        assert_eq!((&json["rows"][0]["p"], json["notes"].as_array().map(Vec::len)), (&Value::Null, Some(0)));
        let reasons = json["reasons"].as_array().expect("reasons");
        assert_eq!(reasons.len(), 3);
        assert_eq!(reasons[0], json!({ "row": 0, "column": "p", "reason": "all values are equal" }));
    }

    #[test]
    fn a_mean_has_its_deviation_beside_it() {
        let mut table = Table::new("t", "t", &[("rate", "rate")]);
        for values in [&[1.0, 2.0, 3.0][..], &[2.5], &[]] {
            table.push(vec![Cell::spread(Some(Moments::of(values)), 1)]);
        }
        table.push(vec![Cell::Spread(f64::NAN, Some(1.0), 1)]);
        table.push(vec![Cell::Spread(1.0, Some(f64::NAN), 1)]);
        let shown: Vec<String> = table.rows.iter().map(|row| row[0].shown()).collect();
        assert_eq!(shown, ["2.0 ± 1.0", "2.5", "–", "–", "1.0"]);
        assert_eq!(table.to_csv(), "rate,rate_sd\n2,1\n2.5,\n,\n,\n1,\n");
        assert_eq!(table.to_json()["rows"][0]["rate"], json!({ "mean": 2.0, "sd": 1.0 }));
        assert!(table.to_latex().contains("2.0 $\\pm$ 1.0"), "{}", table.to_latex());
    }
}
