//! `redqueen test`: statistical tests of groups in a file.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use crate::common::{
    experiments::EVOLUTION,
    files::write,
    program::{json, redqueen, run, succeed},
};

/// Tables that analysis/tests/samples/make.py wrote, with what SciPy says of them.
fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../analysis/tests/samples").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

fn expected() -> Value {
    serde_json::from_str(include_str!("../../../analysis/tests/samples/expected.json")).expect("JSON")
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
    assert!(csv.contains(",p,p_adjusted,effect,") && csv.contains(",\"rave, tuned\","), "{csv}");
    let unadjusted = succeed(&arguments(&file, &["--adjust", "none"]));
    assert!(!unadjusted.contains("p (") && text.contains("p (Holm)"), "{unadjusted}");
    let tex = succeed(&arguments(&file, &["--format", "tex", "--test", "kruskal-wallis"]));
    assert_eq!(tex.matches("\\begin{tabular}").count(), 2, "{tex}");
    let described = succeed(&arguments(&file, &["--describe", "--format", "csv"]));
    assert!(
        described.starts_with("by,group,n,mean,sd,median\n") && described.trim_end().lines().count() == 9,
        "{described}"
    );
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
        (vec!["test", "nowhere.csv", "--value", "v", "--group", "g"], "`nowhere.csv` does not exist"),
        (vec!["test", &csv, "--value", "scor", "--group", "agent"], "did you mean `score`?"),
        (vec!["test", &csv, "--value", "agent", "--group", "seed"], "line 2 of"),
        (arguments(&csv, &["--test", "wilcoxon"]), "--block"),
        (arguments(&csv, &["--test", "anova"]), "kruskal-wallis"),
        (arguments(&csv, &["--adjust", "bonferroni"]), "benjamini-hochberg"),
        (arguments(&csv, &["--alpha", "5"]), "above 0 and below 1"),
        (arguments(&csv, &["--describe", "--test", "welch"]), "cannot be used with"),
        (vec!["test", &csv, "--value", "score"], "--group"),
        (arguments(&csv, &["--separator", ";;"]), "one character"),
        (arguments(&csv, &["--separator", ";"]), "--separator ','"),
        (arguments(&csv, &["--decimal", ";"]), "possible values: ., ,"),
        (arguments(&csv, &["--missing", "zero"]), "possible values: refuse, skip"),
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

/// What a test says of a file that it reads through a pipe.
fn piped(content: &[u8], more: &[&str]) -> std::process::Output {
    let mut command = redqueen();
    command.args(arguments("-", more)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("redqueen");
    // What it does not read is not its fault.
    _ = child.stdin.take().expect("a pipe").write_all(content);
    child.wait_with_output().expect("an end")
}

#[test]
fn standard_input_is_a_table_of_any_kind() {
    let wanted = json(&arguments(&file("scores.csv"), &[]));
    for name in ["scores.csv", "plain.parquet"] {
        let output = piped(&fs::read(file(name)).expect("a file"), &["--json"]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        for (found, wanted) in
            found["tables"].as_array().expect("tables").iter().zip(wanted["tables"].as_array().expect("tables"))
        {
            let title = |table: &Value| table["title"].as_str().expect("a title").to_owned();
            assert_eq!(title(found), title(wanted).replace("scores.csv", "standard input"));
            let means = |table: &Value| {
                table["rows"].as_array().expect("rows").iter().map(|row| row["n"].clone()).collect::<Vec<_>>()
            };
            assert_eq!(means(found), means(wanted));
        }
    }
    let output = piped(b"", &[]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("`-` cannot be read as a table: it is empty"));
}

/// A named pipe is opened once and read once, also when its content is packed or Parquet.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_read_once() {
    let place = TempDir::new().expect("a directory");
    let pipe = place.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
    let described = |path: &str| {
        let text = succeed(&arguments(path, &["--describe", "--format", "csv"]));
        // Sums of Parquet go by row groups, so the last digits may differ.
        text.lines().map(|line| line.split(',').rev().skip(2).collect::<Vec<_>>().join(",")).collect::<Vec<_>>()
    };
    for name in ["scores.csv", "plain.parquet"] {
        let (from, to) = (file(name), pipe.clone());
        let writer = std::thread::spawn(move || {
            let content = fs::read(from).expect("a file");
            _ = fs::OpenOptions::new().write(true).open(to).expect("the pipe").write_all(&content);
        });
        assert_eq!(described(pipe.to_str().expect("UTF-8")), described(&file(name)));
        writer.join().expect("written");
    }
}

/// A run's directory, and its exported `results`, are tables in which the stage is a column.
#[test]
fn stages_of_a_run_are_one_table() {
    let place = TempDir::new().expect("a directory");
    let experiment = write(&place, "experiment.toml", EVOLUTION);
    let (run, out) = (place.path().join("run"), place.path().join("out"));
    let [experiment, run, out] = [&experiment, &run, &out].map(|path| path.to_str().expect("UTF-8"));
    succeed(&["run", experiment, "--out", run, "--no-tables"]);
    let of = |path: &str| {
        let arguments = ["test", path, "--value", "plies", "--group", "stage", "--describe", "--format", "csv"];
        succeed(&arguments)
    };
    let whole = of(run);
    let stages: Vec<&str> = whole.lines().skip(1).map(|line| line.split(',').nth(1).expect("a stage")).collect();
    // In the order of numbers.
    let wanted: Vec<String> = (0..stages.len()).map(|stage| stage.to_string()).collect();
    assert!(stages.len() > 2 && stages == wanted, "{whole}");
    succeed(&["export", run, "--out", out]);
    assert_eq!(of(out), whole);
    assert_eq!(of(&format!("{out}/results")), whole);
}

#[test]
fn rows_that_are_left_out_are_counted() {
    let place = TempDir::new().expect("a directory");
    let path = place.path().join("t.csv");
    fs::write(&path, "agent;score\na;1,5\na;\nb;2,5\nb;NA\n").expect("written");
    let path = path.to_str().expect("UTF-8");
    let of = |more: &[&'static str]| -> Vec<String> {
        let plain = ["test", path, "--value", "score", "--group", "agent", "--separator", ";", "--decimal", ","];
        plain.iter().chain(more).map(|argument| (*argument).to_owned()).collect()
    };
    let all = |more: &[&'static str]| redqueen().args(of(more)).output().expect("redqueen");
    let output = all(&[]);
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && err.contains("line 3") && err.contains("--missing skip"), "{err}");
    let note = "2 rows without a value were left out: 2 without `score`.";
    let text = all(&["--missing", "skip"]);
    assert!(text.status.success() && String::from_utf8_lossy(&text.stdout).contains(note));
    let report: Value = serde_json::from_slice(&all(&["--missing", "skip", "--json"]).stdout).expect("JSON");
    assert!(report["tables"][0]["notes"].as_array().expect("notes").contains(&note.into()), "{report}");
    let output = all(&["--missing", "skip", "--format", "csv"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), format!("warning: {note}\n"));
}
