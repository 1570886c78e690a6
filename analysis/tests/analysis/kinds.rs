//! Types of columns that pandas, Polars, DuckDB, Spark and pyarrow write: the same rows say the same as Parquet and as
//! CSV (kinds/make.py writes both).

use std::path::{Path, PathBuf};

use analysis::{
    Adjust, Error,
    samples::{self, Columns, Missing, Reading, Request},
};
use serde_json::Value;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds").join(name)
}

fn request(value: &str, group: &str) -> Request {
    let columns = Columns { value: value.into(), group: group.into(), by: None, block: None };
    Request { columns, reading: Reading::default(), tests: Vec::new(), adjust: Adjust::Holm, alpha: 0.05 }
}

#[track_caller]
fn refused(error: &Error, says: &[&str]) {
    let text = format!("{error} {}", error.hint().unwrap_or_default());
    assert!(error.is_input(), "{error:?}");
    says.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in `{text}`"));
}

/// Groups with their sizes, means and deviations.
#[track_caller]
fn groups(name: &str, request: &Request) -> Vec<Value> {
    let report = samples::report(&file(name), request).unwrap_or_else(|error| panic!("{name}: {error}"));
    report.tables[0].to_json()["rows"].as_array().expect("rows").clone()
}

/// The names of all columns, and whether they are numbers.
fn columns() -> Vec<(&'static str, bool)> {
    let of = |line: &'static str| line.split_once(' ').map(|(name, kind)| (name, kind == "value"));
    include_str!("../kinds/kinds.txt").lines().map(|line| of(line).expect("a name and a kind")).collect()
}

#[test]
fn names_of_every_type_are_those_of_csv() {
    assert_eq!(columns().len(), 37);
    for (column, _) in columns() {
        let wanted = groups("every.csv", &request("score", column));
        assert_eq!(wanted.len(), if column == "bool" { 2 } else { 4 }, "{column}");
        for name in ["every.parquet", "every-plain.parquet"] {
            assert_eq!(groups(name, &request("score", column)), wanted, "{column} of {name}");
        }
    }
    for column in ["timestamp_us", "decimal32", "decimal64", "decimal128", "date32", "bool", "binary"] {
        let wanted = groups("every.csv", &request("score", column));
        assert_eq!(groups("spark.parquet", &request("score", column)), wanted, "{column}");
    }
}

#[test]
fn values_of_every_type_are_those_of_csv() {
    for (column, _) in columns().into_iter().filter(|(_, is_value)| *is_value) {
        let wanted = groups("every.csv", &request(column, "g"));
        for name in ["every.parquet", "every-plain.parquet"] {
            for (found, wanted) in groups(name, &request(column, "g")).iter().zip(&wanted) {
                // What 16 and 32 bits round away, CSV has rounded back.
                let bound = if column == "float16" {
                    1e-3
                } else if column == "float32" {
                    1e-7
                } else {
                    1e-15
                };
                for key in ["n", "mean", "sd"] {
                    let [found, wanted] = [&found[key], &wanted[key]].map(|value| value.as_f64().expect("a number"));
                    assert!((found - wanted).abs() <= bound * wanted.abs(), "{key} of {column}: {found} {wanted}");
                }
            }
        }
    }
    // Numbers that are written as texts.
    let error = samples::report(&file("nested.parquet"), &request("text", "g")).expect_err("a text");
    assert!(error.to_string().contains("row 3") && error.to_string().contains("`x`, which is not a number"), "{error}");
}

/// Categories that no row has are none: no family, no refusal, no other order.
#[test]
fn what_no_row_has_is_not_there() {
    let names = |rows: &[Value]| rows.iter().map(|row| row["group"].clone()).collect::<Vec<_>>();
    for column in ["agent", "name"] {
        let found = groups("pandas.parquet", &request("score", column));
        assert_eq!(
            (names(&found), &found),
            (vec!["9".into(), "10".into()], &groups("pandas.csv", &request("score", column)))
        );
        let mut by = request("score", column);
        (by.columns.group, by.columns.by) =
            (if column == "name" { "agent" } else { "name" }.into(), Some(column.into()));
        assert_eq!(groups("pandas.parquet", &by), groups("pandas.csv", &by));
    }
    for column in ["name", "kind", "wide"] {
        assert_eq!(
            groups("polars.parquet", &request("score", column)),
            groups("polars.csv", &request("score", column))
        );
    }
    for column in ["huge", "tiny", "kind", "part", "day", "flag", "id", "hour"] {
        assert_eq!(
            groups("duckdb.parquet", &request("score", column)),
            groups("duckdb.csv", &request("score", column))
        );
    }
}

#[test]
fn days_beyond_nanoseconds_are_days() {
    let found = groups("old.parquet", &request("score", "day"));
    assert_eq!([&found[0]["group"], &found[1]["group"]], ["1600-01-01 00:00:00", "9999-12-31 00:00:00"]);
}

#[test]
fn rows_without_a_name_are_refused_or_left_out_whatever_the_type() {
    for (column, _) in columns() {
        // pyarrow's conversions have no holes there.
        if ["float16", "dictionary", "dictionary_of_numbers"].contains(&column) {
            continue;
        }
        refused(
            &samples::report(&file("holed.parquet"), &request("score", column)).expect_err("a hole"),
            &["row 1 of", &format!("column `{column}` has nothing, which is not a name"), "--missing skip"],
        );
        let reading = Reading { missing: Missing::Skip, ..Reading::default() };
        let skip = Request { reading, ..request("score", column) };
        let report = samples::report(&file("holed.parquet"), &skip).expect("a table");
        let table = report.tables[0].to_json();
        let rows: u64 = table["rows"].as_array().expect("rows").iter().map(|row| row["n"].as_u64().expect("n")).sum();
        assert_eq!(rows, 7, "{column}");
        assert_eq!(
            table["notes"],
            serde_json::json!([format!("1 row without a value was left out: 1 without `{column}`.")])
        );
    }
}

#[test]
fn what_cannot_be_read_is_refused_by_its_type() {
    for (value, group, says) in [
        ("score", "list", ["column `list` holds lists", "explode"]),
        ("score", "struct", ["column `struct` holds structs", "a column of its own"]),
        ("score", "map", ["column `map` holds maps", "a column of its own"]),
        ("list", "g", ["column `list` holds lists", "explode"]),
        ("day", "g", ["column `day` holds dates, no numbers", "--group"]),
        ("score", "bytes", ["row 1 of", "column `bytes`"]),
        ("scor", "g", ["no column `scor`", "did you mean `score`?"]),
    ] {
        refused(&samples::report(&file("nested.parquet"), &request(value, group)).expect_err("no table"), &says);
    }
}

/// The same in CSV and Parquet.
#[test]
fn a_name_of_two_columns_matters_where_it_is_used() {
    let place = tempfile::TempDir::new().expect("a directory");
    let csv = place.path().join("twice.csv");
    std::fs::write(&csv, "score,g,twice,twice\n1.0,x,x,x\n2.0,y,y,y\n").expect("written");
    for path in [&csv, &file("twice.parquet")] {
        samples::report(path, &request("score", "g")).expect("a table");
        let error = samples::report(path, &request("score", "twice")).expect_err("no table");
        refused(&error, &["two columns are called `twice`", "rename one"]);
    }
}
