//! `redqueen test`: statistical tests of a table in a file.

use std::{path::PathBuf, process::ExitCode};

use analysis::samples::{Columns, Decimal, Missing, Reading, Request, Skipped};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use record::{Adjust, Test};

use super::Command;
use crate::{error::CliError, output::Output, tables::Text};

/// Compare groups of numbers in a CSV or Parquet file by statistical tests.
#[derive(clap::Args)]
pub(super) struct Args {
    /// A table with one row for each measurement: CSV whose first line names the columns (with tabs if it is called
    /// .tsv) or Parquet, also packed with gzip or zstd; a folder of such files, in which folders called KEY=VALUE are
    /// columns; the directory of a run; `-` for standard input.
    file: PathBuf,
    /// The column of the numbers.
    #[arg(long, value_name = "COLUMN")]
    value: String,
    /// The column of the groups to compare.
    #[arg(long, value_name = "COLUMN")]
    group: String,
    /// Compare groups within each value of this column; p are adjusted within each.
    #[arg(long, value_name = "COLUMN")]
    by: Option<String>,
    /// The column that says which numbers of different groups belong together, as a seed does.
    #[arg(long, value_name = "COLUMN")]
    block: Option<String>,
    /// Field separator of text: a character or `tab`.
    #[arg(long, value_name = "CHAR", value_parser = separator)]
    separator: Option<u8>,
    /// The decimal mark of numbers in text.
    #[arg(long, value_name = "MARK", default_value = ".", value_parser = decimal())]
    decimal: Decimal,
    /// What to do with rows that lack a value in a column that is used. Missing is an empty field, a null or NaN; in
    /// the column of numbers also NA, N/A, #N/A, <NA>, null, None and a point alone, in any case of letters. With
    /// `skip` a name is also missing where it is NA, N/A, #N/A, <NA>, NaN, nan, null, Null or NULL.
    #[arg(long, value_enum, default_value_t = Rows::Refuse)]
    missing: Rows,
    /// A test; may be repeated. `mann-whitney` if not given.
    #[arg(long = "test", value_name = "TEST", value_parser = test())]
    tests: Vec<Test>,
    /// Adjustment of p for the number of tests.
    #[arg(long, value_name = "HOW", default_value = "holm", value_parser = adjust())]
    adjust: Adjust,
    /// The level below which an adjusted p counts, above 0 and below 1.
    #[arg(long, default_value_t = 0.05, value_parser = alpha)]
    alpha: f64,
    /// Run no test: print only size, mean and deviation of the groups, of a file of any size.
    #[arg(long, conflicts_with = "tests")]
    describe: bool,
    /// Format of the tables.
    #[arg(long, value_enum, default_value_t = Text::Md)]
    format: Text,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Rows {
    /// Stop at the first, and name its place.
    Refuse,
    /// Leave them out, and count them.
    Skip,
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        b"tab" | b"\\t" => Ok(b'\t'),
        [byte] if !byte.is_ascii_alphanumeric() && !matches!(byte, b'"' | b'\n' | b'\r' | b'.' | b'-' | 0x80..) => {
            Ok(*byte)
        }
        _ => {
            Err("write one character that is neither a letter, a digit, a quote, a point nor a minus, or `tab`"
                .to_owned())
        }
    }
}

fn decimal() -> impl clap::builder::TypedValueParser<Value = Decimal> {
    PossibleValuesParser::new([".", ","]).map(|mark| if mark == "," { Decimal::Comma } else { Decimal::Point })
}

fn test() -> impl clap::builder::TypedValueParser<Value = Test> {
    PossibleValuesParser::new(Test::ALL.map(|(name, _)| name)).map(|name| Test::find(&name).expect("one of the names"))
}

fn adjust() -> impl clap::builder::TypedValueParser<Value = Adjust> {
    PossibleValuesParser::new(Adjust::ALL.map(|(name, _)| name))
        .map(|name| Adjust::find(&name).expect("one of the names"))
}

fn alpha(text: &str) -> Result<f64, String> {
    let alpha = text.parse().ok().filter(|alpha| *alpha > 0.0 && *alpha < 1.0);
    alpha.ok_or_else(|| "write a number above 0 and below 1, as 0.05".to_owned())
}

impl Command for Args {
    fn run(self, output: &Output) -> Result<ExitCode, CliError> {
        if self.file.as_os_str() != "-" && !self.file.exists() {
            return Err(CliError::usage(format!("`{}` does not exist", self.file.display())).hint(
                "name a table (CSV whose first line names the columns, or Parquet), a folder of tables, or `-`",
            ));
        }
        let mut tests = self.tests.clone();
        if tests.is_empty() && !self.describe {
            tests.push(Test::MannWhitney);
        }
        let request = Request {
            columns: Columns {
                value: self.value.clone(),
                group: self.group.clone(),
                by: self.by.clone(),
                block: self.block.clone(),
            },
            reading: Reading {
                separator: self.separator,
                decimal: self.decimal,
                missing: match self.missing {
                    Rows::Refuse => Missing::Refuse,
                    Rows::Skip => Missing::Skip,
                },
            },
            tests,
            adjust: self.adjust,
            alpha: self.alpha,
        };
        let report = analysis::samples::report(&self.file, &request)?;
        if matches!(self.format, Text::Csv | Text::Tex) && !output.json {
            // LaTeX has notes, and CSV has not.
            let notes = report.tables.iter().filter(|_| self.format == Text::Csv).flat_map(|table| &table.notes);
            let left_out = notes.filter(|note| Skipped::is_note(note));
            let warnings = report.warnings.iter().chain(left_out);
            warnings.for_each(|warning| output.note(&format!("warning: {warning}")));
        }
        output.result(|| report.render(self.format.of_analysis()), || report.to_json());
        Ok(ExitCode::SUCCESS)
    }
}
