//! `redqueen test`: groups in a file against one another.

mod common;

use std::path::Path;

use common::{json, run, succeed};
use serde_json::Value;

/// Tables that analysis/tests/samples/make.py wrote, with what SciPy says of them.
fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/tests/samples").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../../analysis/tests/samples/expected.json")).expect("JSON")
}

fn arguments<'a>(file: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["test", file, "--value", "score", "--group", "agent", "--by", "problem"], more].concat()
}

#[test]
fn pairs_of_both_formats_are_those_of_scipy() {
    for name in ["scores.csv", "dictionary.parquet"] {
        let file = file(name);
        let report = json(&arguments(&file, &["--test", "mann-whitney", "--test", "welch"]));
        let tables = report["tables"].as_array().expect("tables");
        assert_eq!(tables.iter().map(|table| &table["name"]).collect::<Vec<_>>(), ["groups", "mann-whitney", "welch"]);
        assert_eq!(tables[0]["rows"].as_array().map(Vec::len), Some(8));
        for table in &tables[1..] {
            let wanted = expected()[table["name"].as_str().expect("a name")].clone();
            let (found, wanted) = (table["rows"].as_array().expect("rows"), wanted.as_array().expect("rows"));
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.iter().zip(wanted) {
                assert_eq!([&found["a"], &found["b"]], [&wanted["a"], &wanted["b"]]);
                for (key, adjusted) in [("p", "p"), ("p_adjusted", "holm"), ("effect", "effect")] {
                    let [found, wanted] =
                        [&found[key], &wanted[adjusted]].map(|value| value.as_f64().expect("a number"));
                    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1e-2), "{key}: {found} is not {wanted}");
                }
            }
        }
        // The same whatever asks for JSON.
        let again = succeed(&arguments(&file, &["--test", "mann-whitney", "--test", "welch", "--format", "json"]));
        assert_eq!(serde_json::from_str::<Value>(&again).expect("JSON"), report);
    }
}

#[test]
fn every_format_has_the_tables() {
    let file = file("scores.csv");
    let text = succeed(&arguments(&file, &[]));
    for part in [
        "### scores.csv: `score` by `agent`",
        "letters (mann-whitney)",
        "### scores.csv: Mann-Whitney's U of all pairs of `score` by `agent`",
        "p adjusted by Holm (against any false alarm) over the pairs of a value of `problem`.",
    ] {
        assert!(text.contains(part), "`{part}` is not in\n{text}");
    }
    let csv = succeed(&arguments(&file, &["--format", "csv", "--adjust", "none"]));
    let tables: Vec<&str> = csv.trim_end().split("\n\n").collect();
    assert_eq!(tables.len(), 2, "{csv}");
    assert!(tables[0].starts_with("by,group,n,mean,sd,median,letters_mann_whitney\n9,evo-mcts,25,"), "{csv}");
    assert_eq!((tables[0].lines().count(), tables[1].lines().count()), (9, 13));
    assert!(!csv.contains("p_adjusted") && csv.contains(",\"rave, tuned\","), "{csv}");
    let tex = succeed(&arguments(&file, &["--format", "tex", "--test", "kruskal-wallis"]));
    assert_eq!(tex.matches("\\begin{tabular}").count(), 2, "{tex}");
    let described = succeed(&arguments(&file, &["--describe", "--format", "csv"]));
    assert!(described.starts_with("by,group,n,mean,sd\n") && described.trim_end().lines().count() == 9, "{described}");
    // A level that nothing reaches leaves one letter for all.
    let strict = succeed(&arguments(&file, &["--alpha", "1e-300", "--format", "csv"]));
    assert!(strict.lines().take(9).skip(1).all(|line| line.ends_with(",a")), "{strict}");
}

#[test]
fn what_is_only_to_be_known_goes_to_stderr_beside_csv() {
    let output = run(&arguments(&file("scores.csv"), &["--test", "friedman", "--block", "seed", "--format", "csv"]));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && err.starts_with("warning: ") && !out.contains("warning"), "{out}{err}");
}

#[test]
fn wrong_input_ends_with_2_and_says_what_is_wrong() {
    let csv = file("scores.csv");
    for (arguments, says) in [
        (vec!["test", "nowhere.csv", "--value", "v", "--group", "g"], "`nowhere.csv` is no file"),
        (vec!["test", &csv, "--value", "scor", "--group", "agent"], "did you mean `score`?"),
        (vec!["test", &csv, "--value", "agent", "--group", "seed"], "line 2 of"),
        (arguments(&csv, &["--test", "wilcoxon"]), "--block"),
        (arguments(&csv, &["--test", "anova"]), "kruskal-wallis"),
        (arguments(&csv, &["--adjust", "bonferroni"]), "benjamini-hochberg"),
        (arguments(&csv, &["--alpha", "5"]), "above 0 and below 1"),
        (arguments(&csv, &["--describe", "--test", "welch"]), "cannot be used with"),
        (vec!["test", &csv, "--value", "score"], "--group"),
    ] {
        let output = run(&arguments);
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {err}");
        assert!(err.contains(says) && !err.contains("panicked"), "`{says}` is not in {err}");
    }
    let output = run(&["test", &csv, "--value", "scor", "--group", "agent", "--json"]);
    let error: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &error["exit_code"]), (Some(2), &2.into()));
}
