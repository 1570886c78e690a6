//! The tests of a table in a file: what `redqueen test` prints.

use std::path::Path;

use super::{
    By, Columns, Comparison, Family, Letters, Reading, Sample, Words, compare, compared::uses_partners, complete,
    describe, file::is_standard_input, needs_blocks, partnered, plain, read, summary, title,
};
use crate::{
    Adjust, Cell, Digits, Error, Report, Table, Test,
    statistics::{Reason, moments::Moments},
};

/// What to do with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Where the numbers are.
    pub columns: Columns,
    /// How the file is read.
    pub reading: Reading,
    /// Tests, each in a table of its own; none: sizes, means and deviations alone, for which no value is held.
    pub tests: Vec<Test>,
    /// What is done about the number of tests in a family.
    pub adjust: Adjust,
    /// Level below which an adjusted p counts, in (0, 1).
    pub alpha: f64,
}

/// Reads `path` and makes the tables: first what the groups are like (`groups`), then one a test, by its name.
///
/// # Errors
/// As of [`read`]; also a column named twice, or a test of values that belong together without a column that says which
/// do.
pub fn report(path: &Path, request: &Request) -> Result<Report, Error> {
    let Request { columns, reading, tests, adjust, alpha } = request;
    check(request)?;
    if tests.is_empty() {
        return Ok(Report { tables: vec![without_tests(path, columns, reading)?], ..Report::default() }.checked());
    }
    let (families, skipped) = read(path, columns, reading)?;
    let words = words(columns, digits(families.iter().flat_map(|family| &family.samples).map(Sample::moments)));
    let mut letters: Vec<(String, Letters)> = Vec::new();
    let mut tables = Vec::new();
    for &test in tests {
        let title = format!("{}: {} of `{}` by `{}`", file_name(path), title(test), columns.value, columns.group);
        let asked = Comparison { name: test.name().to_owned(), title, test, adjust: *adjust, alpha: *alpha };
        let (table, of_test) = compare(&families, &words, &asked);
        letters.extend(of_test.map(|letters| (test.name().to_owned(), letters)));
        tables.push(table);
    }
    let mut groups = described(&families, &words, request, &group_title(path, columns), letters);
    groups.notes.extend(skipped.note());
    tables.insert(0, groups);
    let report = Report { tables, warnings: warnings(&families, request), ..Report::default() };
    Ok(report.checked())
}

/// What the groups are like, with their letters. Where all tests are of values that have partners, these are described; a
/// row has no letters of other values than its own.
fn described(
    families: &[Family],
    words: &Words,
    request: &Request,
    title: &str,
    mut letters: Vec<(String, Letters)>,
) -> Table {
    if request.tests.iter().all(|test| needs_blocks(*test)) {
        let in_pairs = request.tests.iter().any(|test| uses_partners(*test));
        let left: Vec<Family> =
            families.iter().map(|family| if in_pairs { partnered(family) } else { complete(family) }).collect();
        let mut table = summary(&left, words, "groups", title, &letters);
        if left != families {
            let with = if in_pairs { "in another group, too" } else { "in every group" };
            table.notes.insert(0, format!("Of {}, as far as they are {with}.", words.block));
        }
        return table;
    }
    for (_, letters) in letters.iter_mut().filter(|(test, _)| Test::find(test).is_some_and(uses_partners)) {
        for (family, letters) in families.iter().zip(letters) {
            for ((all, left), letters) in family.samples.iter().zip(partnered(family).samples).zip(letters) {
                if all.values.len() > left.values.len() {
                    *letters = Err(Reason::OfPairs);
                }
            }
        }
    }
    summary(families, words, "groups", title, &letters)
}

fn check(Request { columns, tests, .. }: &Request) -> Result<(), Error> {
    let named = [Some(&columns.value), Some(&columns.group), columns.by.as_ref(), columns.block.as_ref()];
    let mut named: Vec<&String> = named.into_iter().flatten().collect();
    named.sort_unstable();
    if let Some(twice) = named.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(Error::ColumnTwice { column: twice[0].clone() });
    }
    match tests.iter().find(|test| needs_blocks(**test) && columns.block.is_none()) {
        Some(test) => Err(Error::NoBlocks { test: test.name() }),
        None => Ok(()),
    }
}

/// Sizes, means and deviations.
fn without_tests(path: &Path, columns: &Columns, reading: &Reading) -> Result<Table, Error> {
    let (described, skipped) = describe(path, columns, reading)?;
    let all = described.iter().flat_map(|(_, groups)| groups.iter().map(|(_, moments)| *moments));
    let digits = digits(all);
    let mut table = plain(&words(columns, digits), "groups", &group_title(path, columns), &[]);
    for (by, groups) in &described {
        for (group, moments) in groups {
            let mut row = vec![columns.by.as_ref().map_or(Cell::Missing, |_| Cell::text(by)), Cell::text(group)];
            row.extend(Cell::moments(moments, Digits::measured(digits)));
            row.push(Cell::Missing);
            table.push(row);
        }
    }
    table.notes.extend(skipped.note());
    Ok(table)
}

fn words(columns: &Columns, digits: usize) -> Words {
    let by = |column: &String| By {
        column: ("by".to_owned(), column.clone()),
        one: format!("a value of `{column}`"),
        all: format!("the values of `{column}`"),
    };
    let block = columns.block.as_ref().map(|column| format!("values with the same `{column}`"));
    Words {
        value: format!("`{}`", columns.value),
        digits,
        group: ("group".to_owned(), columns.group.clone()),
        groups: "groups".to_owned(),
        block: block.unwrap_or_default(),
        by: columns.by.as_ref().map(by),
    }
}

/// Digits after the point that show four of the largest mean or deviation.
fn digits(moments: impl Iterator<Item = Moments>) -> usize {
    let sizes = moments.flat_map(|of| [of.mean().unwrap_or(0.0).abs(), of.deviation().unwrap_or(0.0)]);
    let largest = sizes.filter(|size| size.is_finite()).fold(0.0, f64::max);
    let mut digits = 0;
    let mut scale = 1e3;
    while digits < 15 && largest > 0.0 && largest < scale {
        scale /= 10.0;
        digits += 1;
    }
    digits
}

fn file_name(path: &Path) -> String {
    if is_standard_input(path) {
        return "standard input".to_owned();
    }
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

fn group_title(path: &Path, columns: &Columns) -> String {
    format!("{}: `{}` by `{}`", file_name(path), columns.value, columns.group)
}

/// What a reader must know before the figures.
fn warnings(families: &[Family], request: &Request) -> Vec<String> {
    let mut warnings = Vec::new();
    let several = request.tests.iter().any(|test| test.players_min() > 1);
    if let (true, Some(family)) = (several, families.iter().find(|family| family.samples.len() < 2)) {
        let within = match &request.columns.by {
            Some(by) => format!(" with `{by}` `{}`", family.name),
            None => String::new(),
        };
        warnings.push(format!("there is one `{}`{within}: nothing to compare it with.", request.columns.group));
    }
    let partners =
        |family: &Family| super::paired(&family.samples.iter().collect::<Vec<_>>()).first().map_or(0, Vec::len);
    let lost = |family: &&Family| family.samples.iter().any(|sample| sample.values.len() > partners(family));
    if let (true, Some(block)) = (request.tests.iter().any(|test| needs_blocks(*test)), &request.columns.block)
        && families.iter().any(|family| lost(&family))
    {
        warnings.push(format!(
            "some values of `{block}` are not in every group: pairs and blocks without a partner are left out."
        ));
    }
    warnings
}
