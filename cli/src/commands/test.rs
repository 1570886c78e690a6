//! `redqueen test`: statistical tests of a table in a file.

use std::{path::PathBuf, process::ExitCode};

use analysis::{
    Adjust, Test,
    samples::{Columns, Request},
};
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use crate::{
    commands::analyze::{Format, analysis_error},
    error::CliError,
    output::Output,
};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// CSV whose first line names the columns (with tabs if it is called .tsv), or Parquet; a row a measurement.
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
    /// A test; may be repeated. `mann-whitney` if there is none.
    #[arg(long = "test", value_name = "TEST", value_parser = test())]
    tests: Vec<Test>,
    /// How p are adjusted for the number of tests.
    #[arg(long, value_name = "HOW", default_value = "holm", value_parser = adjust())]
    adjust: Adjust,
    /// The level below which an adjusted p counts, above 0 and below 1.
    #[arg(long, default_value_t = 0.05, value_parser = alpha)]
    alpha: f64,
    /// Test nothing: only size, mean and deviation of the groups, of a file of any size.
    #[arg(long, conflicts_with = "tests")]
    describe: bool,
    /// Format of the tables.
    #[arg(long, value_enum, default_value_t = Format::Md)]
    format: Format,
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

pub(crate) fn run(args: &Args, output: &Output) -> Result<ExitCode, CliError> {
    if !args.file.is_file() {
        return Err(CliError::usage(format!("`{}` is no file", args.file.display()))
            .hint("name a table: CSV whose first line names the columns, or Parquet"));
    }
    let mut tests = args.tests.clone();
    if tests.is_empty() && !args.describe {
        tests.push(Test::MannWhitney);
    }
    let request = Request {
        columns: Columns {
            value: args.value.clone(),
            group: args.group.clone(),
            by: args.by.clone(),
            block: args.block.clone(),
        },
        tests,
        adjust: args.adjust,
        alpha: args.alpha,
    };
    let report = analysis::samples::report(&args.file, &request).map_err(|error| analysis_error(&error))?;
    if matches!(args.format, Format::Csv | Format::Tex) && !output.json {
        report.warnings.iter().for_each(|warning| output.note(&format!("warning: {warning}")));
    }
    output.result(|| report.render(args.format.of_analysis()), || report.to_json());
    Ok(ExitCode::SUCCESS)
}
