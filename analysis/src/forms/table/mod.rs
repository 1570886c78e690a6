//! A table as data, and its renderings: Markdown, CSV, LaTeX, HTML, JSON, Parquet.
//!
//! Every rendering has the same facts. A value that is not there is a dash for people, an empty field in CSV and null
//! in JSON and Parquet; where a statistic says why, a note under the table does too, and a list `reasons` in JSON. What is not a
//! finite number never gets in.

mod cell;
mod csv;
mod html;
mod latex;
mod long;
mod markdown;
mod number;
mod parquet;
#[cfg(debug_assertions)]
pub(crate) mod schema;
mod text;

use std::path::Path;

use serde_json::{Value, json};

use crate::{Error, statistics::Reason};

pub use cell::{Cell, Known};
pub use long::LongTable;
pub use number::Digits;
pub(crate) use number::level;
pub use text::is_unseen;

/// What stands in a column, and so how many fields it has in CSV, whatever its rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// One value.
    #[default]
    Plain,
    /// An interval: of `x` CSV and Parquet have `x_low` and `x_high`, JSON a list of two.
    Interval,
    /// A mean with its deviation: of `x` CSV and Parquet have `x` and `x_sd`, JSON an object of `mean` and `sd`.
    Spread,
}

impl Form {
    /// Fields in CSV and Parquet.
    fn fields(self) -> usize {
        if self == Form::Plain { 1 } else { 2 }
    }
}

/// A column's head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Lower-case words joined by `_`, for CSV, JSON and Parquet.
    pub key: String,
    /// For people, unit in brackets.
    pub head: String,
    /// What stands in it.
    pub form: Form,
    /// Whether people see it only where a row has something in it. Files for programs have it always.
    pub optional: bool,
    /// Whether its values are times of workers or follow from them: they differ from run to run of one experiment.
    pub measured: bool,
}

impl Column {
    /// A column of single values, or of intervals where the key ends so (`share_95`: at 95 %).
    fn new(key: &str, head: &str) -> Self {
        let form = if key.ends_with("_95") { Form::Interval } else { Form::Plain };
        Column { key: key.to_owned(), head: head.to_owned(), form, optional: false, measured: false }
    }

    /// Its heads in CSV and Parquet.
    pub fn keys(&self) -> Vec<String> {
        let key = &self.key;
        match self.form {
            Form::Plain => vec![key.clone()],
            Form::Interval => vec![format!("{key}_low"), format!("{key}_high")],
            Form::Spread => vec![key.clone(), format!("{key}_sd")],
        }
    }
}

/// A table.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name of its files: lower-case words joined by `-`.
    pub name: String,
    /// Its entry in docs/tables.md, which fixes the columns: its name, unless an experiment chooses the name.
    pub kind: String,
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
    /// A table without rows; heads are (key, text). A key that ends in `_95` is of intervals.
    pub fn new(name: impl Into<String>, title: impl Into<String>, heads: &[(&str, &str)]) -> Self {
        let columns = heads.iter().map(|&(key, head)| Column::new(key, head)).collect();
        let name = name.into();
        Table { kind: name.clone(), name, title: title.into(), columns, rows: Vec::new(), notes: Vec::new() }
    }

    /// The table as one of a kind: tables whose columns are the same and whose names experiments choose.
    #[must_use]
    pub fn of_kind(self, kind: &str) -> Self {
        Table { kind: kind.to_owned(), ..self }
    }

    /// With intervals in the columns of these keys.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn intervals(self, keys: &[&str]) -> Self {
        self.with(keys, |column| column.form = Form::Interval)
    }

    /// With means and their deviations in the columns of these keys.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn spreads(self, keys: &[&str]) -> Self {
        self.with(keys, |column| column.form = Form::Spread)
    }

    /// With columns that people see only where a row has something in them: what an option or the data may leave out.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn optional(self, keys: &[&str]) -> Self {
        self.with(keys, |column| column.optional = true)
    }

    /// With times of workers in the columns of these keys, or what follows from times.
    ///
    /// # Panics
    /// If there is no such column.
    #[must_use]
    pub fn measured(self, keys: &[&str]) -> Self {
        self.with(keys, |column| column.measured = true)
    }

    fn with(mut self, keys: &[&str], change: impl Fn(&mut Column)) -> Self {
        for key in keys {
            let column = self.columns.iter_mut().find(|column| column.key == *key);
            change(column.unwrap_or_else(|| panic!("`{}` has no column `{key}`", self.name)));
        }
        self
    }

    /// Adds a row.
    ///
    /// # Panics
    /// If it has another number of cells than the table has columns, or one that is not of its column's form.
    pub fn push(&mut self, row: Vec<Cell>) {
        assert_eq!(row.len(), self.columns.len(), "a row of `{}` has a cell a column", self.name);
        for (cell, column) in row.iter().zip(&self.columns) {
            assert!(cell.fits(column.form), "`{}` of `{}` takes no {cell:?}", column.key, self.name);
        }
        self.rows.push(row.into_iter().map(Cell::finite).collect());
    }

    /// The columns that people see: all but those of [`Table::optional`] without a value.
    fn seen(&self) -> impl Iterator<Item = usize> {
        let is_seen =
            |c: &usize| !self.columns[*c].optional || self.rows.iter().any(|row| !matches!(row[*c], Cell::Missing));
        (0..self.columns.len()).filter(is_seen)
    }

    /// What of it is equal in every run of an experiment: the table without measured columns. `None` where nothing is
    /// left but names.
    pub fn without_measured(&self) -> Option<Table> {
        let kept: Vec<usize> = (0..self.columns.len()).filter(|&c| !self.columns[c].measured).collect();
        (kept.len() > self.names()).then(|| self.only(&kept))
    }

    /// What of it the workers measured, behind the columns that name the rows; `None` where nothing was.
    pub fn only_measured(&self) -> Option<Table> {
        let names = self.names();
        let kept: Vec<usize> = (0..self.columns.len()).filter(|&c| c < names || self.columns[c].measured).collect();
        (kept.len() > names).then(|| self.only(&kept))
    }

    /// How many columns name the rows: those of words at the beginning, at least one.
    fn names(&self) -> usize {
        let words =
            (0..self.columns.len()).take_while(|&c| !self.columns[c].measured && !self.is_of_numbers(c)).count();
        words.max(usize::from(self.columns.first().is_some_and(|first| !first.measured)))
    }

    fn only(&self, kept: &[usize]) -> Table {
        let columns = kept.iter().map(|&c| self.columns[c].clone()).collect();
        let rows = self.rows.iter().map(|row| kept.iter().map(|&c| row[c].clone()).collect()).collect();
        Table { columns, rows, ..self.clone() }
    }

    /// Whether a column has no words, so that its cells stand on the right.
    fn is_of_numbers(&self, column: usize) -> bool {
        !self.rows.iter().any(|row| matches!(row[column], Cell::Text(_)))
    }

    /// For a terminal and for documents.
    pub fn to_markdown(&self) -> String {
        markdown::render(self)
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
        csv::render(self)
    }

    /// The columns of CSV with types, null where a value is missing: counts are integers, other numbers reals, and a column
    /// without any value has reals. The same table has the same bytes.
    ///
    /// # Errors
    /// The writer does not accept the table.
    pub fn to_parquet(&self) -> Result<Vec<u8>, Error> {
        parquet::render(self).map_err(|error| Error::parquet(Path::new(&format!("{}.parquet", self.name)), error))
    }

    /// The fields of a row in CSV and Parquet.
    fn fields(&self, row: &[Cell]) -> Vec<cell::Field> {
        row.iter().zip(&self.columns).flat_map(|(cell, column)| cell.fields(column.form)).collect()
    }

    /// A `tabular` with the rules of the booktabs package, in a `table`; of more rows than a page holds a `longtable`.
    pub fn to_latex(&self) -> String {
        latex::render(self)
    }

    /// A `div` with the `table` in a region that scrolls, and its notes. Classes say what is a number (`n`) and which
    /// table has many columns (`wide`); how that looks is the page's to say.
    pub fn to_html(&self) -> String {
        html::render(self)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::moments::Moments;

    fn sample() -> Table {
        let mut table =
            Table::new("t", "A & B", &[("who", "who"), ("share", "share [%]"), ("ci_95", "95 %"), ("p", "p")]);
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
            "who,share,ci_95_low,ci_95_high,p\n\"a|b, \"\"c\"\"\",0.25,0.1,0.4,0.5\nd,,,,1e-9\n"
        );
        let json = table.to_json();
        assert_eq!(json["rows"][0]["ci_95"], json!([0.1, 0.4]));
        assert_eq!(json["rows"][1]["share"], Value::Null);
        assert!(table.to_latex().contains("A \\& B"));
        assert!(table.to_latex().contains("share [\\%]"));
    }

    #[test]
    fn a_row_takes_nothing_that_is_not_finite() {
        let mut table = Table::new("t", "t", &[("a", "a"), ("b_95", "b"), ("c", "c")]);
        let infinity = f64::INFINITY;
        table.push(vec![
            Cell::Real(f64::NAN, 1.into()),
            Cell::Interval(0.0, infinity, 1.into()),
            Cell::Probability(infinity),
        ]);
        assert_eq!(table.rows, [[Cell::Missing, Cell::Missing, Cell::Missing]]);
    }

    #[test]
    fn a_dash_may_have_a_reason() {
        let mut table = Table::new("t", "t", &[("p", "p"), ("ci_95", "95 %")]);
        table.push(vec![Cell::probability(Err(Reason::NoSpread)), Cell::interval(Some((0.0, 1.0)), 1)]);
        let few = Reason::TooFew { needed: 2, found: 1 };
        table.push(vec![Cell::probability(Err(few)), Cell::interval(Err(few), 1)]);
        table.push(vec![Cell::probability(Ok(0.5)), Cell::Missing]);
        assert_eq!(table.to_csv(), "p,ci_95_low,ci_95_high\n,0,1\n,,\n0.5,,\n");
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
        let mut table = Table::new("t", "t", &[("rate", "rate")]).spreads(&["rate"]);
        for values in [&[1.0, 2.0, 3.0][..], &[2.5], &[]] {
            table.push(vec![Cell::spread(Some(Moments::of(values)), 1)]);
        }
        table.push(vec![Cell::Spread(f64::NAN, Some(1.0), 1.into())]);
        table.push(vec![Cell::Spread(1.0, Some(f64::NAN), 1.into())]);
        let shown: Vec<String> = table.rows.iter().map(|row| row[0].shown()).collect();
        assert_eq!(shown, ["2.0 ± 1.0", "2.5", "–", "–", "1.0"]);
        assert_eq!(table.to_csv(), "rate,rate_sd\n2,1\n2.5,\n,\n,\n1,\n");
        assert_eq!(table.to_json()["rows"][0]["rate"], json!({ "mean": 2.0, "sd": 1.0 }));
        assert!(table.to_latex().contains("2.0 $\\pm$ 1.0"), "{}", table.to_latex());
    }

    /// Heads are the table's, not the rows': also without rows, without a value, and of columns that people do not see.
    #[test]
    fn heads_do_not_follow_rows() {
        let heads = [("who", "who"), ("share_95", "95 %"), ("rate", "rate"), ("p_adjusted", "p (Holm)")];
        let table = Table::new("t", "t", &heads).spreads(&["rate"]).optional(&["p_adjusted"]);
        let wanted = "who,share_95_low,share_95_high,rate,rate_sd,p_adjusted\n";
        assert_eq!(table.to_csv(), wanted);
        let mut missing = table.clone();
        missing.push(vec![Cell::text("a\r\nb"), Cell::Missing, Cell::Missing, Cell::Missing]);
        assert_eq!(missing.to_csv(), format!("{wanted}\"a\r\nb\",,,,,\n"));
        assert!(!missing.to_markdown().contains("Holm") && !missing.to_latex().contains("Holm"));
        let keys = |table: &Table| table.to_json()["rows"][0].as_object().expect("a row").len();
        let mut full = table;
        let digits = Digits::from(1);
        full.push(vec![
            Cell::text("a"),
            Cell::Interval(0.0, 1.0, digits),
            Cell::Spread(0.5, None, digits),
            Cell::probability(0.5),
        ]);
        assert_eq!(full.to_csv(), format!("{wanted}a,0,1,0.5,,0.5\n"));
        assert!(full.to_markdown().contains("Holm"));
        assert_eq!((keys(&missing), keys(&full)), (4, 4));
    }

    #[test]
    fn what_workers_measured_stands_apart() {
        let heads = [("who", "who"), ("games", "games"), ("ms", "ms"), ("whom", "whom")];
        let mut table = Table::new("t", "t", &heads).measured(&["ms"]);
        table.push(vec![Cell::text("a"), Cell::Count(3), Cell::real(0.5, 1), Cell::text("b")]);
        let keys = |table: Option<Table>| table.map(|table| table.to_csv());
        assert_eq!(keys(table.without_measured()).as_deref(), Some("who,games,whom\na,3,b\n"));
        assert_eq!(keys(table.only_measured()).as_deref(), Some("who,ms\na,0.5\n"));
        let plain = Table::new("t", "t", &heads[..2]);
        assert_eq!((plain.only_measured(), plain.without_measured()), (None, Some(plain.clone())));
        let all = Table::new("t", "t", &heads[..2]).measured(&["who", "games"]);
        assert_eq!((all.without_measured(), all.only_measured()), (None, Some(all.clone())));
    }

    #[test]
    #[should_panic(expected = "takes no Interval")]
    fn a_cell_is_of_its_column_s_form() {
        let mut table = Table::new("t", "t", &[("a", "a")]);
        table.push(vec![Cell::interval(Some((0.0, 1.0)), 1)]);
    }
}
