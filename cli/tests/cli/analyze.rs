//! `redqueen analyze` and `compare`: what they print and which files they leave.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::common::{
    files::{place, write},
    program::{json, run, succeed, text},
};

/// An evolution of a second or two in a test build.
const EVOLUTION: &str = r#"
format = 1
name = "tiny"
kind = "coevolution"
paper = "evomcts/table-11"
seed = 1
game = "dodgem:size=3"
[players]
mcts-100 = "mcts:playouts=100"
[coevolution]
player = "evomcts:playouts=100"
population = 4
generations = 2
games-as-first = 1
[coevolution.benchmark]
every = 1
games = 4
samples = 1
final-games = 8
"#;

fn names(report: &serde_json::Value) -> Vec<&str> {
    report["tables"].as_array().expect("tables").iter().filter_map(|table| table["name"].as_str()).collect()
}

/// Runs the evolution under a seed, other keys changed by `set`; gives its directory.
fn evolved(place: &TempDir, seed: u32, set: &str) -> String {
    let file = write(place, "tiny.toml", EVOLUTION);
    let out = place.path().join(format!("run-{seed}"));
    let (file, out) = (text(&file), text(&out));
    let seed = seed.to_string();
    let mut arguments = vec!["run", file, "--seed", &seed, "--out", out, "--no-tables"];
    if !set.is_empty() {
        arguments.extend(["--set", set]);
    }
    succeed(&arguments);
    out.to_owned()
}

fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The files of these figures, which are in order.
fn drawn(names: &[&str]) -> Vec<String> {
    names.iter().flat_map(|name| ["pdf", "png", "svg"].map(|format| format!("{name}.{format}"))).collect()
}

#[test]
fn an_evolution_has_tables_figures_and_a_paper() {
    let place = place();
    let directory = evolved(&place, 1, "");
    let inside = Path::new(&directory);
    let report = json(&["analyze", &directory, "--no-figures"]);
    assert_eq!(names(&report), ["generations", "benchmarks", "final", "cost", "workers"]);
    assert_eq!(report["tables"][0]["rows"].as_array().map(Vec::len), Some(2));
    assert_eq!(report["tables"][2]["rows"][0]["games"], 8);
    assert!(!inside.join("figures").exists(), "nothing is drawn");

    let output = run(&["analyze", &directory, "--format", "csv"]);
    let said = String::from_utf8_lossy(&output.stderr);
    let figures = drawn(&["benchmarks", "fitness", "structure"]);
    assert_eq!(files(&inside.join("figures")), figures);
    for name in figures.iter().map(String::as_str).chain(["generations.csv", "final.csv"]) {
        assert!(said.contains(name), "{name} is not listed:\n{said}");
    }
    // The champion beside the paper's six, by the experiment's own key.
    let compared = json(&["compare", &directory]);
    assert_eq!(compared["tables"][0]["rows"][0]["player"], "best");
    assert_eq!(compared["tables"][0]["rows"][0]["paper_runs"], 6);
    assert_eq!(compared["tables"][0]["rows"][1]["verdict"], "not in this run");
}

#[test]
fn several_runs_are_replicates() {
    let place = place();
    let runs = [evolved(&place, 1, ""), evolved(&place, 2, "")];
    let others = [evolved(&place, 3, "coevolution.population=6"), evolved(&place, 4, "coevolution.population=6")];
    let [a1, a2] = [&runs[0], &runs[1]].map(String::as_str);
    let [b1, b2] = [&others[0], &others[1]].map(String::as_str);
    let report = json(&["analyze", a1, a2]);
    assert_eq!(names(&report), ["replicates", "outcomes"]);
    assert_eq!(report["tables"][0]["rows"][1]["seed"], 2);
    assert!(!Path::new(a1).join("tables").exists(), "means of several runs are not one run's");

    let out = place.path().join("both");
    let report = json(&["analyze", a1, a2, "--against", b1, b2, "--out", out.to_str().expect("UTF-8")]);
    assert_eq!(names(&report), ["replicates", "outcomes", "settings"]);
    assert_eq!(report["tables"][2]["rows"][0]["n_b"], 2);
    assert_eq!(files(&out.join("figures")), drawn(&["replicate-benchmarks", "replicates"]));
    assert_eq!(files(&out.join("tables")).len(), 15, "in five formats");

    let refused = |arguments: &[&str], says: &str| {
        let output = run(arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    };
    refused(&["analyze", a1, b1], "`coevolution.population` is 4 and 6");
    refused(&["analyze", a1, b1], "--against");
    refused(&["analyze", a1, a1], "same seed");
    refused(&["analyze", a1, a2, "--contrast", "x v o,y v o"], "--contrast");
    refused(&["analyze", a1, "--against", "nowhere"], "nowhere");
    refused(&["analyze"], "RUN");
}

/// A second of one core in a test build.
const STUDY: &str = r#"
format = 1
name = "tiny-study"
kind = "study"
seed = 1
[problems]
f1 = "fop:function=f1"
[players]
mcts-c05 = "mcts:playouts=200,c=0.5"
ea-mcts = "ea-mcts:playouts=200,generations=1,lambda=1"
[study]
runs = 8
histogram-bins = 16
[[analysis]]
name = "depths"
question = "Do the trees differ in depth?"
metric = "leaf-depth"
test = "welch"
adjust = "none"
"#;

#[test]
fn a_study_ends_with_the_answers_to_its_questions() {
    let place = place();
    let file = write(&place, "study.toml", STUDY);
    let out = place.path().join("run");
    let printed = succeed(&["run", text(&file), "--out", text(&out)]);
    assert!(printed.contains("### Do the trees differ in depth?\n"), "{printed}");
    let report = json(&["analyze", text(&out)]);
    let tables = ["trees", "formulas", "formula-counts", "points", "depths-groups", "depths", "cost", "workers"];
    assert_eq!(names(&report), tables);
    assert!(report["tables"][5]["rows"][0]["p"].is_number() && report["tables"][5]["rows"][0]["p_adjusted"].is_null());
    assert_eq!(files(&out.join("figures")), drawn(&["leaf-depth", "results", "trees-f1"]));
    // Another budget than the paper's: compared by name, and said.
    let compared = json(&["compare", text(&out), "--paper", "siea-mcts/table-5-4"]);
    assert_eq!(compared["tables"][0]["rows"].as_array().map(Vec::len), Some(37));
    assert!(compared["warnings"][0].as_str().expect("a warning").contains("`ea-mcts:playouts=200"), "{compared}");
    let report = run(&["compare", text(&out), "--paper", "evomcts/table-5"]);
    assert_eq!(report.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&report.stderr).contains("is a table of games between players"), "{report:?}");
}

/// Players that keep their seats: a pair may have an odd number of games, each of which is a unit, and its tables know
/// who sat where.
#[test]
fn players_may_keep_their_seats() {
    let place = place();
    for (seat, as_first) in [("first", true), ("second", false)] {
        let file = write(
            &place,
            "grid.toml",
            &format!(
                "format = 1\nname = \"kept\"\nkind = \"match-grid\"\ngame = \"reversi\"\n[players]\n\
                 strong = \"mcts:playouts=8\"\nweak = \"random\"\n[match-grid]\npairing = \"round-robin\"\n\
                 seat = \"{seat}\"\ngames-per-pair = 31\n"
            ),
        );
        let out = place.path().join(seat);
        succeed(&["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&out)]);
        let report = json(&["analyze", text(&out)]);
        let table = |name: &str| {
            let tables = report["tables"].as_array().expect("tables");
            tables.iter().find(|table| table["name"] == name).expect("there")["rows"][0].clone()
        };
        let (pairs, seats) = (table("pairs"), table("seats"));
        assert_eq!((&pairs["player"], &pairs["games"]), (&"strong".into(), &31.into()), "{pairs}");
        let share = pairs["share"].as_f64().expect("a share");
        assert!(share > 0.6, "{pairs}");
        assert_eq!(seats[if as_first { "as_first" } else { "as_second" }].as_f64(), Some(share), "{seats}");
        assert!(seats[if as_first { "as_second" } else { "as_first" }].is_null(), "{seats}");
        // The interval over units, which are games, holds the share.
        let interval: Vec<f64> =
            pairs["units_95"].as_array().expect("an interval").iter().filter_map(serde_json::Value::as_f64).collect();
        assert!(interval[0] < share && share < interval[1], "{pairs}");
    }
}
