//! How tables are read: separators, decimal marks, missing values, packed files, folders; and what is said of files that
//! are something else.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use analysis::{
    Adjust, Error, Report, Test,
    samples::{self, Columns, Decimal, Missing, Reading, Request},
};
use serde_json::{Value, json};
use tempfile::TempDir;

fn request(reading: Reading) -> Request {
    let columns = Columns { value: "score".into(), group: "agent".into(), by: None, block: None };
    Request { columns, reading, tests: vec![Test::Welch], adjust: Adjust::Holm, alpha: 0.05 }
}

fn by(column: &str) -> Request {
    let of = request(Reading::default());
    Request { columns: Columns { by: Some(column.into()), ..of.columns }, ..of }
}

fn file(place: &TempDir, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = place.path().join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("made");
    fs::write(&path, content).expect("written");
    path
}

#[track_caller]
fn report(path: &Path, request: &Request) -> Report {
    samples::report(path, request).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Groups as (by, group, n, mean).
#[track_caller]
fn groups(path: &Path, request: &Request) -> Vec<Value> {
    let rows = report(path, request).tables[0].to_json()["rows"].as_array().expect("rows").clone();
    rows.iter().map(|row| json!([row["by"], row["group"], row["n"], row["mean"]])).collect()
}

#[track_caller]
fn refused(path: &Path, request: &Request, says: &[&str]) {
    let error: Error = samples::report(path, request).expect_err("no table");
    let text = format!("{error} {}", error.hint().unwrap_or_default());
    assert!(error.is_input(), "{error:?}");
    says.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in `{text}`"));
}

fn parquet(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

const PLAIN: &str = "agent,score\na,1.5\na,2.5\nb,3.5\nb,4.5\n";

fn plain() -> [Value; 2] {
    [json!([null, "a", 2, 2.0]), json!([null, "b", 2, 4.0])]
}

#[test]
fn separators_and_decimal_marks() {
    let place = TempDir::new().expect("a directory");
    for (separator, decimal, text) in [
        (Some(b';'), Decimal::Comma, "agent;score\na;1,5\na;2,5\nb;3,5\nb;4,5\n"),
        (Some(b';'), Decimal::Point, "agent;score\na;1.5\na;2.5\nb;3.5\nb;4.5\n"),
        (Some(b'\t'), Decimal::Point, "agent\tscore\na\t1.5\na\t2.5\nb\t3.5\nb\t4.5\n"),
        (Some(b'|'), Decimal::Point, "agent|score\r\na|1.5\r\na|2.5\r\n\r\nb|3.5\r\nb|4.5\r\n"),
        (Some(b' '), Decimal::Point, "agent score\n\"a\" 1.5\na 2.5\nb 3.5\nb 4.5"),
        (None, Decimal::Comma, "\u{feff}agent,score\na,\"1,5\"\na,\"2,5\"\nb,\"3,5\"\nb,\"4,5\"\n"),
        (None, Decimal::Point, "agent,score\ra,1.5\ra,2.5\rb,3.5\rb,4.5\r"),
    ] {
        let path = file(&place, "t.csv", text);
        assert_eq!(groups(&path, &request(Reading { separator, decimal, ..Reading::default() })), plain(), "{text}");
    }
    // Names with commas are numbers, too, where that is the mark.
    let path = file(&place, "t.csv", "agent;score\n10,5;1\n10,5;2\n9,5;1\n9,5;3\n");
    let reading = Reading { separator: Some(b';'), decimal: Decimal::Comma, ..Reading::default() };
    assert_eq!(groups(&path, &request(reading)), [json!([null, "9,5", 2, 2.0]), json!([null, "10,5", 2, 1.5])]);
}

#[test]
fn another_separator_or_mark_is_told() {
    let place = TempDir::new().expect("a directory");
    for (name, text, says) in [
        ("t.csv", "agent;score\na;1,5\nb;2,5\n", vec!["no column `score`", "--separator ';' --decimal ,"]),
        ("t.csv", "agent;score\na;1.5\nb;2.5\n", vec!["--separator ';'`"]),
        ("t.csv", "agent\tscore\na\t1.5\n", vec!["--separator tab"]),
        ("t.tsv", "agent,score\na,1.5\n", vec!["--separator ','"]),
        ("t.csv", "agent,score\na,\"1,5\"\n", vec!["line 2", "column `score` has `1,5`", "--decimal ,"]),
        ("t.csv", "agent,score\na,1,5\n", vec!["line 2 has 3 fields", "a decimal comma"]),
        ("t.csv", "agent,score\r\na,1\r\n\r\n\r\nb,x\r\nc,2", vec!["line 5", "`x`"]),
        ("t.csv", "agent,score\n\na,1\n\n\nb,x", vec!["line 6", "`x`"]),
        ("t.csv", "agent,score\n\"a\nb\",1\n\"c\nd\",x\n", vec!["line 4", "`x`"]),
        ("t.csv", "agent,score\na,1\n\"b,2\nc,3\n", vec!["line 3 has 1 field", "a quote"]),
        ("t.csv", "agent,score\na,1\nb\n", vec!["line 3 has 1 field and the first line names 2 columns"]),
        ("t.csv", "agent,score\na,1\u{1b}[31m\n", vec!["`1\\u{1b}[31m`"]),
        ("t.csv", "agent,score\na\0b,1\n", vec!["NUL"]),
    ] {
        refused(&file(&place, name, text), &request(Reading::default()), &says);
    }
    let long = format!("agent,score\na,{}\n", "x".repeat(5 << 20));
    let error = samples::report(&file(&place, "t.csv", long), &request(Reading::default())).expect_err("no number");
    assert!(error.to_string().len() < 300, "{error}");
    let open = format!("agent,score\na,1\n\"b,{}", "x\n".repeat(40 << 20));
    refused(&file(&place, "t.csv", open), &request(Reading::default()), &["more than 64 MB", "quote"]);
    let many: Vec<String> = (0..5_000).map(|i| format!("column-{i}")).collect();
    let error = samples::report(&file(&place, "t.csv", many.join(",") + "\n"), &request(Reading::default()));
    assert!(error.expect_err("no column").hint().expect("a hint").len() < 1_000);
}

#[test]
fn other_encodings_are_told_by_line_and_column() {
    let place = TempDir::new().expect("a directory");
    let latin_1 = |text: &str| text.chars().map(|c| c as u8).collect::<Vec<u8>>();
    for (text, says) in [
        ("agent,score\nb,1\nna\u{ef}ve,1\n", vec!["line 3: column `agent` is not UTF-8", "iconv"]),
        ("agent,score\r\nb,1\r\nb,1\u{a0}000\r\n", vec!["line 3: column `score` is not UTF-8", "iconv"]),
        ("\u{e4}gent,score\nb,1\n", vec!["line 1: the name of column 1 is not UTF-8", "iconv"]),
    ] {
        refused(&file(&place, "t.csv", latin_1(text)), &request(Reading::default()), &says);
    }
    // What is not used does not matter.
    let path = file(&place, "t.csv", latin_1("\u{e4},agent,score\nb,a,1\n\u{e4},b,2\n"));
    assert_eq!(groups(&path, &request(Reading::default())).len(), 2);
    let utf_16: Vec<u8> = [vec![0xff, 0xfe], PLAIN.encode_utf16().flat_map(u16::to_le_bytes).collect()].concat();
    refused(&file(&place, "t.csv", &utf_16), &request(Reading::default()), &["UTF-16", "iconv -f UTF-16"]);
    refused(&file(&place, "t.csv", &utf_16[2..]), &request(Reading::default()), &["UTF-16LE", "iconv -f UTF-16LE"]);
}

#[test]
fn rows_without_a_value_are_left_out_where_that_is_asked() {
    let place = TempDir::new().expect("a directory");
    let text = "agent,problem,score\na,p,1\na,p,NA\n,p,5\nb,p,2\nb,p,\na,q,nan\nb,NULL,None\nNaN,p,3\n";
    let path = file(&place, "t.csv", text);
    refused(&path, &request(Reading::default()), &["line 3", "column `score` has `NA`", "--missing skip"]);
    let skip = Reading { missing: Missing::Skip, ..Reading::default() };
    let of = Request { reading: skip, ..by("problem") };
    let report = samples::report(&path, &of).expect("tables");
    // `q` has no row left, so it is not a family; each row counts once.
    assert_eq!(groups(&path, &of), [json!(["p", "a", 1, 1.0]), json!(["p", "b", 1, 2.0])]);
    let note = "6 rows without a value were left out: 4 without `score`, 2 without `agent`.";
    assert!(report.to_markdown().contains(note), "{}", report.to_markdown());
    assert!(report.to_json()["tables"][0]["notes"].as_array().expect("notes").contains(&note.into()));
    let described = Request { tests: Vec::new(), ..of };
    assert!(samples::report(&path, &described).expect("a table").to_markdown().contains(note));
    // Without rows that lack anything nothing is said.
    let report = samples::report(&file(&place, "t.csv", PLAIN), &request(skip)).expect("tables");
    assert!(!report.to_markdown().contains("left out"));
    refused(
        &file(&place, "t.csv", "agent,score\na,\nb,NA\n"),
        &request(skip),
        &["no row is left", "2 without `score`"],
    );
    // A word is not a missing value.
    refused(&file(&place, "t.csv", "agent,score\na,none at all\n"), &request(skip), &["line 2", "`none at all`"]);
    let gaps = Request {
        columns: Columns { value: "score".into(), group: "agent".into(), by: None, block: None },
        ..request(skip)
    };
    assert_eq!(groups(&parquet("gaps.parquet"), &gaps), [json!([null, "a", 1, 1.0]), json!([null, "b", 1, 3.0])]);
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(content).expect("packed");
    packed.finish().expect("packed")
}

#[test]
fn packed_files_are_unpacked_whatever_their_name() {
    let place = TempDir::new().expect("a directory");
    // Files packed one behind another are one.
    let (head, tail) = PLAIN.split_at(20);
    let members = [gzip(head.as_bytes()), gzip(tail.as_bytes())].concat();
    let zstd = zstd::encode_all(PLAIN.as_bytes(), 3).expect("packed");
    for (name, content) in [("t.csv", gzip(PLAIN.as_bytes())), ("t.csv.gz", members), ("t.csv.zst", zstd.clone())] {
        assert_eq!(groups(&file(&place, name, content), &request(Reading::default())), plain(), "{name}");
    }
    let tabs = gzip(PLAIN.replace(',', "\t").as_bytes());
    assert_eq!(groups(&file(&place, "t.tsv.gz", tabs), &request(Reading::default())), plain());
    let whole = groups(&parquet("plain.parquet"), &by("problem"));
    let packed = gzip(&fs::read(parquet("plain.parquet")).expect("a file"));
    assert_eq!(groups(&file(&place, "t.parquet.gz", packed), &by("problem")), whole);
    let cut = gzip(&[PLAIN, &"a,1.5\nb,2.25\n".repeat(20_000)].concat().into_bytes());
    refused(&file(&place, "t.csv.gz", &cut[..cut.len() / 2]), &request(Reading::default()), &["gzip", "cut short"]);
    refused(&file(&place, "t.csv.zst", &zstd[..zstd.len() / 2]), &request(Reading::default()), &["zstd", "cut short"]);
    refused(&file(&place, "t.csv.gz", gzip(&gzip(b"a"))), &request(Reading::default()), &["packed twice"]);
}

#[test]
fn files_of_a_folder_are_one_table() {
    let place = TempDir::new().expect("a directory");
    let folder = place.path();
    file(&place, "parts/part-0.csv", PLAIN);
    file(&place, "parts/part-1.csv.gz", gzip(b"score,agent,more\n5.5,a,x\n"));
    file(&place, "parts/_SUCCESS", "");
    file(&place, "parts/.part-0.csv.crc", "crc");
    file(&place, "parts/README.md", "# not a table");
    let wanted = [json!([null, "a", 3, 9.5 / 3.0]), json!([null, "b", 2, 4.0])];
    assert_eq!(groups(&folder.join("parts"), &request(Reading::default())), wanted);
    // Hive: folders are columns, numbers among them, and what a path cannot hold is coded.
    for (name, text) in [
        ("problem=10/part.csv", "agent,score\na,1\n"),
        ("problem=9/seed=1/part.csv", "agent,score\na,2\nb,3\n"),
        ("problem=9/seed=2/part.csv", "agent,score\nb,5\n"),
        ("problem=a%20b/part.csv", "agent,score\nc,7\n"),
    ] {
        file(&place, &format!("hive/{name}"), text);
    }
    let found = groups(&folder.join("hive"), &by("problem"));
    let wanted = [["10", "a"], ["9", "a"], ["9", "b"], ["a b", "c"]];
    assert_eq!(found.iter().map(|row| [&row[0], &row[1]]).collect::<Vec<_>>(), wanted);
    fs::remove_dir_all(folder.join("hive/problem=a%20b")).expect("removed");
    let found = groups(&folder.join("hive"), &by("problem"));
    assert_eq!(found, [json!(["9", "a", 1, 2.0]), json!(["9", "b", 2, 4.0]), json!(["10", "a", 1, 1.0])]);
    // Not every file lies in a folder that says the seed.
    refused(&folder.join("hive"), &by("seed"), &["problem=10", "no column `seed`", "agent, score, problem"]);
    // A missing value.
    file(&place, "hive/problem=__HIVE_DEFAULT_PARTITION__/part.csv", "agent,score\na,100\n");
    refused(&folder.join("hive"), &by("problem"), &["column `problem` has nothing", "--missing skip"]);
    let skip = Reading { missing: Missing::Skip, ..Reading::default() };
    assert_eq!(groups(&folder.join("hive"), &Request { reading: skip, ..by("problem") }), found);
    // Parquet, with the value in the name, too.
    fs::create_dir_all(folder.join("typed/level=0.5")).expect("made");
    fs::copy(parquet("plain.parquet"), folder.join("typed/level=0.5/a.parquet")).expect("copied");
    let mut typed = by("level");
    typed.columns.group = "problem".into();
    let found = groups(&folder.join("typed"), &typed);
    assert_eq!(found.iter().map(|row| [&row[0], &row[1]]).collect::<Vec<_>>(), [["0.5", "9"], ["0.5", "10"]]);
}

#[test]
fn folders_that_are_no_table_are_refused() {
    let place = TempDir::new().expect("a directory");
    fs::create_dir(place.path().join("empty")).expect("made");
    refused(&place.path().join("empty"), &request(Reading::default()), &["a folder without tables"]);
    file(&place, "both/t.csv", PLAIN);
    fs::copy(parquet("plain.parquet"), place.path().join("both/t.parquet")).expect("copied");
    refused(&place.path().join("both"), &request(Reading::default()), &["text", "Parquet", "count twice"]);
    file(&place, "packed/t.csv", PLAIN);
    file(&place, "packed/t.csv.gz", gzip(PLAIN.as_bytes()));
    refused(&place.path().join("packed"), &request(Reading::default()), &["packed and not packed", "count twice"]);
    file(&place, "one/a.csv", PLAIN);
    file(&place, "one/b.csv", "agent,points\na,1\n");
    refused(&place.path().join("one"), &request(Reading::default()), &["b.csv", "no column `score`"]);
    file(&place, "one/b.csv", "");
    refused(&place.path().join("one"), &request(Reading::default()), &["b.csv", "it is empty"]);
    refused(&place.path().join("nowhere.csv"), &request(Reading::default()), &["cannot be opened"]);
}

/// Blocks that occur twice are told with what may tell them apart.
#[test]
fn a_seed_twice_is_told() {
    let place = TempDir::new().expect("a directory");
    let path = file(&place, "t.csv", "agent,seed,score\na,1,1\na,1,2\nb,1,3\n");
    let of = request(Reading::default());
    let of =
        Request { columns: Columns { block: Some("seed".into()), ..of.columns }, tests: vec![Test::Wilcoxon], ..of };
    refused(&path, &of, &["`seed` `1` occurs twice with `agent` `a`", "--by"]);
}
