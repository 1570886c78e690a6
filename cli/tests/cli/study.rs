//! A study with real processes: the same results on any fleet with any deaths, and questions that may change.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
};

use polars_io::{SerReader as _, parquet::read::ParquetReader};

use crate::common::{
    files::{place, write},
    process::{Process, coordinator, worker},
    program::{json, redqueen, run, succeed, text},
    runs::{digest, look, stored, submit, wait_for_end},
    wait::wait,
};

/// Some seconds of one core in a test build.
const STUDY: &str = r#"
format = 1
name = "test-study"
kind = "study"
seed = 3
[problems]
f1 = "fop:function=f1"
f4 = { name = "fop", function = "f4", width-min = 1e-4 }
board = "dodgem:size=3"
[players]
mcts = "mcts:playouts=8000,c=1,keep-tree=false,ties=random,terminals=fixed"
siea = "siea-mcts:playouts=9000,generations=5"
[study]
runs = 60
histogram-bins = 16
"#;

const TRIALS: u64 = 3 * 2 * 60;

const QUESTION: &str = r#"
[[analysis]]
name = "values"
question = "Do they find different values?"
metric = "by-reward"
test = "mann-whitney"
"#;

/// Digest of the study, run in one process on one thread.
fn reference(file: &Path, out: &Path) -> String {
    succeed(&["run", text(file), "--threads", "1", "--no-tables", "--out", text(out)]);
    assert_eq!(stored(out, "study"), (TRIALS, TRIALS));
    digest(out)
}

fn count(directory: &Path) -> Option<u64> {
    look(directory, |conn| conn.query_row("SELECT COUNT(*) FROM results_study", [], |row| row.get::<_, i64>(0)))
        .map(i64::unsigned_abs)
}

#[test]
fn threads_workers_and_kills_do_not_matter() {
    let place = place();
    let file = write(&place, "study.toml", STUDY);
    let wanted = reference(&file, &place.path().join("one"));
    let eight = place.path().join("eight");
    succeed(&["run", text(&file), "--threads", "8", "--no-tables", "--out", text(&eight)]);
    assert_eq!(digest(&eight), wanted);

    let data = place.path().join("fleet");
    let (_coordinator, url) = coordinator(&data, 0, &[]);
    let mut workers: Vec<_> = ["a", "b"].map(|name| worker(&url, name, 1, &[])).into();
    let (run, directory) = submit(&file, &url);
    // Both at work.
    let by_worker = |name: &'static str| {
        let sql = "SELECT COUNT(*) FROM results_study JOIN workers USING (worker) WHERE name = ?";
        let directory = directory.clone();
        move || {
            look(&directory, |conn| conn.query_row(sql, [name], |row| row.get::<_, i64>(0))).filter(|&rows| rows > 0)
        }
    };
    wait("results of the one", by_worker("a"));
    wait("results of the other", by_worker("b"));
    workers[0].kill();
    assert_eq!(wait_for_end(&run, &url), "finished");
    assert_eq!(stored(&directory, "study"), (TRIALS, TRIALS));
    assert_eq!(digest(&directory), wanted);
}

#[test]
fn a_study_that_was_killed_goes_on_where_it_was() {
    let place = place();
    let file = write(&place, "study.toml", STUDY);
    let wanted = reference(&file, &place.path().join("one"));
    let out = place.path().join("killed");
    let start = || {
        let command = ["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out)];
        Process(redqueen().args(command).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("starts"))
    };
    let mut first = start();
    wait("the first results", || count(&out).filter(|&rows| rows >= 20));
    first.kill();
    let before = count(&out).expect("a database");
    assert!((20..TRIALS).contains(&before), "{before} trials were stored when it was killed");
    assert_eq!(start().end(), Some(0));
    assert_eq!(stored(&out, "study"), (TRIALS, TRIALS));
    assert_eq!(digest(&out), wanted);
}

/// The files of a run that tell what it is.
fn files(directory: &Path) -> [String; 2] {
    ["resolved.toml", "experiment.toml"].map(|name| std::fs::read_to_string(directory.join(name)).expect("a file"))
}

#[test]
fn other_questions_are_asked_of_the_same_run() {
    let place = place();
    let small = STUDY.replace("runs = 60", "runs = 2");
    let asking = small.clone() + QUESTION;
    let (plain, asked) = (write(&place, "plain.toml", &small), write(&place, "asked.toml", &asking));
    let config = |file: &PathBuf| succeed(&["check", text(file), "--print-config"]);
    assert!(config(&asked).starts_with(config(&plain).trim_end()), "questions come last");
    assert_eq!(json(&["check", text(&plain)])["hash"], json(&["check", text(&asked)])["hash"]);

    // In one process: resumed without a word but for what `run` always says, and nothing is run again.
    let out = place.path().join("run");
    let go = |file: &PathBuf| {
        let output = run(&["run", text(file), "--no-tables", "--out", text(&out)]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).expect("UTF-8").lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let rows = || {
        look(&out, |conn| conn.query_row("SELECT SUM(elapsed_us) FROM results_study", [], |row| row.get::<_, i64>(0)))
    };
    go(&plain);
    let (wanted, before) = (digest(&out), rows());
    for (file, source) in [(&asked, &asking), (&plain, &small), (&asked, &asking)] {
        for line in go(file) {
            let usual =
                ["test-study", "run directory:", "study: 12/12", "0 trials in"].iter().any(|part| line.contains(part));
            assert!(usual, "{line}");
        }
        assert_eq!((digest(&out), rows()), (wanted.clone(), before));
        let [resolved, given] = files(&out);
        assert_eq!(resolved.trim_end(), config(file).trim_end());
        assert_eq!(given, *source);
    }

    // Submitted to a coordinator that has the run open, and to one that finds it on disk.
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    let _worker = worker(&url, "w", 1, &[]);
    let (id, directory) = submit(&plain, &url);
    assert_eq!(wait_for_end(&id, &url), "finished");
    assert_eq!(submit(&asked, &url), (id.clone(), directory.clone()));
    assert_eq!(files(&directory), [config(&asked), asking.clone()]);
    server.kill();
    let (_server, url) = coordinator(&data, 0, &[]);
    assert_eq!(submit(&plain, &url), (id.clone(), directory.clone()));
    assert_eq!(files(&directory), [config(&plain), small]);
    assert_eq!(digest(&directory), wanted);
    assert_eq!(json(&["list", "--coordinator", &url])["runs"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_study_is_checked_shown_replayed_and_exported() {
    let place = place();
    let file = write(&place, "study.toml", &(STUDY.replace("runs = 60", "runs = 3") + QUESTION));
    let check = json(&["check", text(&file)]);
    assert_eq!((&check["kind"], &check["trials"]), (&"study".into(), &18.into()));
    // 8,000 and 9,000 iterations a run; the forecast counts those that measure fitness.
    assert_eq!(check["playouts"].as_f64(), Some(9.0 * 8000.0 + 9.0 * 9000.0));
    let out = place.path().join("run");
    succeed(&["run", text(&file), "--no-tables", "--out", text(&out)]);
    assert_eq!(json(&["status", text(&out)])["stored"], 18);

    // Run 1 of the second agent at the first problem.
    let trial = json(&["replay", text(&out), "0", "4"]);
    let seats = trial["seats"].as_array().expect("seats");
    assert_eq!((seats.len(), &seats[0]["name"]), (1, &"siea".into()));
    assert!(trial["game"].as_str().expect("a game").starts_with("fop:function=f1"));
    assert_eq!(trial["moves"].as_array().map(Vec::len), Some(1));
    let result = &trial["result"];
    assert_eq!((&result["problem"], &result["agent"], &result["run"]), (&"f1".into(), &"siea".into(), &1.into()));
    assert_eq!(result["iterations"], 9_000);
    let shown = succeed(&["replay", text(&out), "0", "4"]);
    assert!(shown.starts_with("player  siea = siea-mcts:"), "{shown}");
    let stored = look(&out, |conn| {
        let sql = "SELECT by_reward, formula FROM results_study WHERE trial = 4";
        conn.query_row(sql, [], |row| Ok((row.get::<_, f64>(0)?, row.get::<_, String>(1)?)))
    });
    let replayed =
        (result["by_reward"].as_f64().expect("a number"), result["formula"].as_str().expect("a text").to_owned());
    assert_eq!(stored, Some(replayed));

    // The columns that docs/run-directory.md lists, in their order.
    let docs = include_str!("../../../docs/run-directory.md");
    let section = docs.split("### Shape `study`").nth(1).and_then(|rest| rest.split("### ").next()).expect("a section");
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    let documented: Vec<(String, bool)> = rows
        .flat_map(|row| {
            let cells: Vec<&str> = row.split(" | ").collect();
            let impure = cells[1].contains("impure");
            cells[0].split('`').skip(1).step_by(2).map(|name| (name.to_owned(), impure)).collect::<Vec<_>>()
        })
        .collect();
    let spec = look(&out, |conn| conn.query_row("SELECT spec FROM stages", [], |row| row.get::<_, String>(0)));
    let spec: serde_json::Value = serde_json::from_str(&spec.expect("a stage")).expect("JSON");
    let columns = spec["shape"]["columns"].as_array().expect("columns").iter();
    let columns: Vec<(String, bool)> =
        columns.map(|c| (c["name"].as_str().expect("a name").to_owned(), c["pure"] == false)).collect();
    assert_eq!(columns, documented);
    let copy = place.path().join("copy");
    succeed(&["export", text(&out), "--out", text(&copy)]);
    let file = std::fs::File::open(copy.join("results/study/stage=00000.parquet")).expect("an exported stage");
    let frame = ParquetReader::new(file).finish().expect("Parquet");
    let wanted = ["stage", "trial", "worker", "elapsed_us"].into_iter().map(str::to_owned);
    let wanted: Vec<String> = wanted.chain(documented.iter().map(|(name, _)| name.clone())).collect();
    let found: Vec<String> = frame.get_column_names().iter().map(ToString::to_string).collect();
    assert_eq!(found, wanted);
    assert_eq!(frame.height(), 18);
    // Labels and texts are texts.
    let cell = |column: &str, row: usize| {
        frame.column(column).expect("a column").str().expect("texts").get(row).map(str::to_owned)
    };
    assert_eq!((cell("problem", 4), cell("agent", 4)), (Some("f1".to_owned()), Some("siea".to_owned())));
    assert_eq!(cell("formula", 4), stored.map(|(_, formula)| formula));
}
