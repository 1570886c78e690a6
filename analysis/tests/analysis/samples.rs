//! Tables in files: what their groups are like and how they differ, against SciPy (samples/make.py).

use std::path::{Path, PathBuf};

use analysis::{
    Adjust, Report, Test,
    samples::{self, Columns, Reading, Request},
};
use serde_json::Value;
use tempfile::TempDir;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples").join(name)
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../samples/expected.json")).expect("JSON")
}

fn request(tests: &[Test], adjust: Adjust) -> Request {
    let some = |name: &str| Some(name.to_owned());
    Request {
        columns: Columns {
            value: "score".into(),
            group: "agent".into(),
            by: some("problem"),
            block: if tests.iter().any(|test| samples::needs_blocks(*test)) { some("seed") } else { None },
        },
        reading: Reading::default(),
        tests: tests.to_vec(),
        adjust,
        alpha: 0.05,
    }
}

fn plain(value: &str, group: &str) -> Request {
    let columns = Columns { value: value.into(), group: group.into(), by: None, block: None };
    Request { columns, ..request(&[Test::MannWhitney], Adjust::Holm) }
}

fn rows(report: &Report, name: &str) -> Vec<Value> {
    let table = report.tables.iter().find(|table| table.name == name).unwrap_or_else(|| panic!("no table `{name}`"));
    table.to_json()["rows"].as_array().expect("rows").clone()
}

/// Whether a row says what another does, key by key of the other.
#[track_caller]
fn agree(found: &Value, wanted: &Value) {
    for (key, wanted) in wanted.as_object().expect("a row") {
        if ["holm", "benjamini-hochberg"].contains(&key.as_str()) {
            continue;
        }
        let numbers = |value: &Value| match value {
            Value::Array(values) => values.iter().map(Value::as_f64).collect::<Vec<_>>(),
            other => vec![other.as_f64()],
        };
        let same = numbers(&found[key]).iter().zip(numbers(wanted)).all(|pair| match pair {
            (Some(found), Some(wanted)) => (found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-2),
            _ => found[key] == *wanted,
        });
        assert!(same, "{key}: {} is not {wanted} in {found}", found[key]);
    }
}

const FILES: [&str; 4] = ["scores.csv", "scores.tsv", "dictionary.parquet", "plain.parquet"];

#[test]
fn every_format_says_what_scipy_says() {
    let tests = Test::ALL.map(|(_, test)| test);
    for name in FILES {
        for (way, adjust) in Adjust::ALL {
            let report = samples::report(&file(name), &request(&tests, adjust)).expect("tables");
            let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
            assert_eq!(names[0], "groups");
            assert_eq!(names[1..], Test::ALL.map(|(name, _)| name));
            for table in names {
                let (found, wanted) = (rows(&report, table), expected()[table].clone());
                let wanted = wanted.as_array().expect("rows");
                assert_eq!(found.len(), wanted.len(), "{name} {table}");
                for (found, wanted) in found.iter().zip(wanted) {
                    agree(found, wanted);
                    if table == "groups" {
                        continue;
                    }
                    let adjusted = if way == "none" { &Value::Null } else { &wanted[way] };
                    agree(found, &serde_json::json!({ "p_adjusted": adjusted }));
                    let decides = if way == "none" { &wanted["p"] } else { adjusted }.as_f64().expect("a number");
                    let stars = [0.05, 0.01, 0.001].iter().filter(|level| decides < **level).count();
                    assert_eq!(found["mark"], "*".repeat(stars), "{found}");
                }
            }
        }
    }
}

/// Without tests only size, mean and deviation, and no value is held.
#[test]
fn description_alone() {
    for name in FILES {
        let report = samples::report(&file(name), &request(&[], Adjust::Holm)).expect("a table");
        let (found, wanted) = (rows(&report, "groups"), expected()["groups"].clone());
        assert_eq!(found.len(), 8);
        for (found, wanted) in found.iter().zip(wanted.as_array().expect("rows")) {
            let mut wanted = wanted.clone();
            wanted.as_object_mut().expect("a row").remove("median");
            agree(found, &wanted);
        }
    }
}

/// Groups share a letter just if their adjusted p is not below the level.
#[test]
fn letters_say_what_the_tests_say() {
    let report = samples::report(&file("scores.csv"), &request(&[Test::Welch], Adjust::Holm)).expect("tables");
    let groups = rows(&report, "groups");
    for pair in expected()["welch"].as_array().expect("pairs") {
        let letters = |side: &str| {
            let of = |row: &&Value| row["by"] == pair["by"] && row["group"] == pair[side];
            groups.iter().find(of).expect("a group")["letters_welch"].as_str().expect("letters")
        };
        let shared = letters("a").chars().any(|letter| letters("b").contains(letter));
        assert_eq!(shared, pair["holm"].as_f64() >= Some(0.05), "{pair}");
    }
}

#[test]
fn values_without_a_partner_are_told() {
    let report = samples::report(&file("scores.csv"), &request(&[Test::Wilcoxon], Adjust::Holm)).expect("tables");
    assert!(report.warnings[0].contains("`seed`"), "{:?}", report.warnings);
    let report = samples::report(&file("scores.csv"), &request(&[Test::Welch], Adjust::Holm)).expect("tables");
    assert_eq!(report.warnings, Vec::<String>::new());
    let one = plain("won", "text");
    assert_eq!(samples::report(&file("gaps.parquet"), &one).expect("tables").warnings, Vec::<String>::new());
}

#[test]
fn a_group_alone_is_told() {
    let place = TempDir::new().expect("a directory");
    let path = place.path().join("t.csv");
    std::fs::write(&path, "g,p,v\na,1,1\na,1,2\na,2,1\nb,2,3\n").expect("written");
    let columns = Columns { by: Some("p".into()), ..plain("v", "g").columns };
    let report = samples::report(&path, &Request { columns, ..plain("v", "g") }).expect("tables");
    assert_eq!(report.warnings, ["there is one `g` with `p` `1`: nothing to compare it with."]);
    assert_eq!(rows(&report, "mann-whitney").len(), 1);
}

/// Pages by dictionary and pages without in one column; flags and whole numbers as values.
#[test]
fn any_pages_and_any_numbers() {
    let request = Request { tests: Vec::new(), ..plain("score", "agent") };
    let groups = rows(&samples::report(&file("mixed.parquet"), &request).expect("a table"), "groups");
    assert_eq!(groups.len(), 700);
    for (i, group) in groups.iter().enumerate() {
        // Rows i and 700 + i; 700 is a multiple of 7.
        agree(
            group,
            &serde_json::json!({ "group": format!("agent {i:04} of a long name"), "n": 2, "mean": i % 7, "sd": 0.0 }),
        );
    }
    for (value, means) in [("won", [1.0, 1.0, 0.0, 1.0]), ("whole", [4.0, 1.0, 2.0, 3.0])] {
        let request = Request { tests: Vec::new(), ..plain(value, "text") };
        let groups = rows(&samples::report(&file("gaps.parquet"), &request).expect("a table"), "groups");
        // By name: w, x, y, z.
        let found: Vec<_> = groups.iter().map(|group| group["mean"].as_f64()).collect();
        assert_eq!(found, means.map(Some));
        // One value has no deviation.
        assert_eq!(groups[0]["sd"], Value::Null);
    }
    let request = Request { tests: Vec::new(), ..plain("whole", "won") };
    let groups = rows(&samples::report(&file("gaps.parquet"), &request).expect("a table"), "groups");
    assert_eq!((&groups[0]["group"], &groups[1]["n"]), (&"false".into(), &3.into()));
}

#[track_caller]
fn refused(path: &Path, request: &Request, says: &[&str]) {
    let error = samples::report(path, request).expect_err("no table");
    let text = format!("{error} {}", error.hint().unwrap_or_default());
    assert!(error.is_input(), "{error:?}");
    says.iter().for_each(|part| assert!(text.contains(part), "`{part}` is not in `{text}`"));
}

#[test]
fn what_is_wrong_is_named() {
    refused(&file("scores.csv"), &plain("scor", "agent"), &["no column `scor`", "did you mean `score`?"]);
    refused(&file("plain.parquet"), &plain("score", "Agnet"), &["no column `Agnet`", "did you mean `agent`?"]);
    refused(&file("scores.csv"), &plain("score", "xyz"), &["columns are: agent, problem, seed, score"]);
    refused(
        &file("scores.csv"),
        &plain("agent", "problem"),
        &["line 2", "column `agent`", "`evo-mcts`", "not a number"],
    );
    refused(
        &file("plain.parquet"),
        &plain("agent", "problem"),
        &["row 1", "column `agent`", "`evo-mcts`", "not a number"],
    );
    refused(&file("gaps.parquet"), &plain("score", "text"), &["row 2", "column `score`"]);
    refused(&file("gaps.parquet"), &plain("whole", "agent"), &["row 3", "column `agent`"]);
    refused(
        &file("gaps.parquet"),
        &plain("whole", "name"),
        &["row 2", "column `name` has nothing, which is not a name"],
    );
    refused(&file("scores.csv"), &plain("score", "score"), &["`score` is asked for twice"]);
    let blocks = |block: Option<&str>| Request {
        columns: Columns { block: block.map(str::to_owned), ..plain("score", "agent").columns },
        tests: vec![Test::Wilcoxon],
        ..plain("score", "agent")
    };
    refused(&file("scores.csv"), &blocks(None), &["`wilcoxon`", "--block"]);
    // Without the problem each seed is there twice.
    refused(&file("scores.csv"), &blocks(Some("seed")), &["`seed`", "occurs twice with `agent` `evo-mcts`"]);
}

#[test]
fn faults_of_csv_are_told_by_line() {
    let place = TempDir::new().expect("a directory");
    let refused_at = refused;
    let refused = |text: &str, says: &[&str]| {
        let path = place.path().join("t.csv");
        std::fs::write(&path, text).expect("written");
        refused_at(&path, &plain("v", "g"), says);
    };
    refused("g,v\na,1\nb,x\n", &["line 3", "column `v`", "`x`"]);
    refused("g,v\na,1\nb,\n", &["line 3", "column `v`", "has nothing, which is not a number", "--missing skip"]);
    refused("g,v\na,1\nb,nan\n", &["line 3", "`nan`"]);
    refused("g,v\na,1\n,2\n", &["line 3", "column `g`", "not a name"]);
    refused("g,v\na,1\nb,2,3\n", &["line 3 has 3 fields", "names 2 columns"]);
    refused("g,v\n\"a\nb\",1\nb,\"\"\n", &["line 4"]);
    refused("g,v\n", &["has no rows"]);
    refused("", &["it is empty"]);
    refused("g,v,v\na,1,2\n", &["two columns are called `v`"]);
    std::fs::write(place.path().join("t.parquet"), "PAR1 and nothing else").expect("written");
    refused_at(&place.path().join("t.parquet"), &plain("v", "g"), &["as Parquet", "must end with PAR1"]);
}

/// Groups without spread or with few values have a dash with its reason, and nothing is NaN.
#[test]
fn dashes_have_reasons() {
    let place = TempDir::new().expect("a directory");
    let path = place.path().join("t.csv");
    std::fs::write(&path, "g,b,v\na,1,1\na,2,1\nb,1,2\nb,2,2\nc,1,inf\n").expect("written");
    let tests = Test::ALL.map(|(_, test)| test).to_vec();
    let columns = Columns { block: Some("b".into()), ..plain("v", "g").columns };
    let report = samples::report(&path, &Request { columns, tests, ..plain("v", "g") }).expect("tables");
    let text = report.to_markdown();
    assert!(!text.to_lowercase().contains("nan") && !text.contains(" inf"), "{text}");
    for reason in ["all values are equal", "too few values (8 needed, 2 found)", "a value is not finite"] {
        assert!(text.contains(reason), "{reason}: {text}");
    }
    // Two values a side that are all below the others: p = 2 / 6 by ranks, with ties by the normal approximation.
    assert!(rows(&report, "mann-whitney").iter().all(|row| row["p"].is_number()), "{text}");
    assert!(rows(&report, "welch").iter().all(|row| row["p"].is_null()), "{text}");
}
