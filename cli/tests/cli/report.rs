//! `report.html`: the same bytes for the same run, the same on every fleet but for one section, the verdicts of `compare`,
//! and nothing that a name could add to it.

use std::{fs, path::Path};

use rusqlite::Connection;
use serde_json::Value;

use crate::common::{
    experiments::{GRID, SMALL_EVOLUTION},
    files::{place, write},
    html::{self, Document},
    program::{json, run, succeed, text},
};

/// A moment of one core, with a tuning's final stage.
const TUNING: &str = r#"
format = 1
name = "small-tuning"
kind = "tuning"
game = "dodgem:size=3"
[players]
random = "random"
[tuning]
player = "mcts:playouts=5"
population = 4
generations = 2
games = 4
[tuning.parameters]
c = { type = "real", min = 0.1, max = 2.0, scale = "log" }
final-move = { type = "category", values = ["highest-mean", "most-visited"] }
[tuning.final]
games = 20
"#;

/// A moment of one core, with every kind of stage.
const LEARNING: &str = r#"
format = 1
name = "small-learning"
kind = "learning"
game = "dots-and-boxes:rows=2,columns=2"
[players]
random = "random"
[learning]
player = "puct:playouts=4"
rounds = 2
[learning.nets]
one = "encoding=mover hidden=4:relu value=sigmoid policy"
[learning.self-play]
games = 10
[learning.training]
epochs = 1
batch = 16
[learning.gate]
games = 4
[learning.final]
games = 4
"#;

/// Two players on a problem, and a question that is also its title.
fn study(title: &str) -> String {
    let title = serde_json::to_string(title).expect("a string");
    format!(
        "format = 1\nname = \"hostile\"\ntitle = {title}\nkind = \"study\"\n[problems]\nf1 = \"fop:function=f1\"\n\
         [players]\na = \"mcts:playouts=20\"\nb = \"mcts:playouts=40\"\n[study]\nruns = 4\n[[analysis]]\n\
         name = \"values\"\nquestion = {title}\nmetric = \"by-reward\"\ntest = \"welch\"\n"
    )
}

/// Runs an experiment, and gives the report that the run made.
fn made(experiment: &Path, out: &Path, threads: &str) -> String {
    let said = run(&["run", text(experiment), "--threads", threads, "--out", text(out)]);
    assert!(said.status.success(), "{said:?}");
    let named = format!("report: {}", out.join("report.html").display());
    assert!(String::from_utf8_lossy(&said.stderr).lines().any(|line| line == named), "{said:?}");
    fs::read_to_string(out.join("report.html")).expect("a report")
}

/// The report without the section of what was measured.
fn cut(html: &str) -> String {
    let (before, rest) = html.split_once("<section id=\"measured\">").expect("a section of what was measured");
    let (_, after) = rest.split_once("</section>").expect("which ends");
    format!("{before}{after}")
}

/// What programs read in a report.
fn data(document: &Document) -> Value {
    let island = document.raw.iter().find(|(element, _)| element.attribute("id") == Some("data")).expect("data");
    assert_eq!(island.0.attribute("type"), Some("application/json"));
    serde_json::from_str(&island.1).expect("JSON")
}

#[test]
fn equal_runs_have_equal_reports_but_for_what_was_measured() {
    let place = place();
    let file = write(&place, "grid.toml", &GRID.replace("games-per-pair = 200", "games-per-pair = 20"));
    let [one, three] = ["one", "three"].map(|name| place.path().join(name));
    let first = made(&file, &one, "1");
    let other = made(&file, &three, "3");
    assert_eq!(cut(&first), cut(&other));
    let again = place.path().join("again.html");
    succeed(&["report", text(&one), "--out", text(&again)]);
    assert_eq!(fs::read_to_string(&again).expect("a report"), first, "`report` and `run` write the same");
    assert!(!cut(&first).contains(text(place.path())), "a path is in it");

    let document = html::read(&first);
    let data = data(&document);
    assert_eq!(data["digest"], json(&["digest", text(&one)])["digest"]);
    // Complete without script: whatever programs read, people read as well.
    for sentence in [&data["question"]].into_iter().chain(data["findings"].as_array().expect("findings")) {
        assert!(document.text.contains(sentence.as_str().expect("a sentence")), "{sentence}");
    }
    let tables = data["tables"].as_array().expect("tables");
    assert!(tables.len() > 4);
    for table in tables {
        assert!(document.text.contains(table["title"].as_str().expect("a title")), "{}", table["title"]);
    }
    assert!(document.count("tr") > 20 && document.count("svg") >= 2);
}

#[test]
fn every_kind_has_a_report_without_anything_from_elsewhere() {
    let place = place();
    let study = study("Do more playouts help?");
    let parts: [(&str, &str, &[&str]); 4] = [
        ("study", &study, &["Do more playouts help?", "welch"]),
        (
            "evolution",
            SMALL_EVOLUTION,
            &["Champion", "As mathematics", "Ancestors of individual", "ramped half-and-half"],
        ),
        ("tuning", TUNING, &["The winner is", "Parameters that were tuned", "On fresh games"]),
        ("learning", LEARNING, &["Networks that were trained", "Gates and final stage"]),
    ];
    for (name, experiment, wanted) in parts {
        let file = write(&place, &format!("{name}.toml"), experiment);
        let report = made(&file, &place.path().join(name), "2");
        let other = made(&file, &place.path().join(format!("{name}-again")), "1");
        assert!(cut(&report) == cut(&other), "{name}: another fleet makes another report");
        let document = html::read(&report);
        for words in wanted {
            assert!(document.text.contains(words), "{name}: {words}");
        }
        assert!(report.len() < 1_000_000, "{name}: {} bytes", report.len());
        check_closed(&document);
    }
}

/// A report fetches nothing, and ids are of one element each.
fn check_closed(document: &Document) {
    let mut ids: Vec<&str> = Vec::new();
    for element in &document.elements {
        for (name, value) in &element.attributes {
            let address = ["href", "src", "srcset", "action", "data", "xlink:href"].contains(&name.as_str());
            assert!(!address || value.starts_with('#') || value.starts_with("data:image/png;base64,"), "{element:?}");
            if name == "id" {
                assert!(!ids.contains(&value.as_str()), "`{value}` twice");
                ids.push(value);
            }
        }
    }
    for reference in document.elements.iter().filter_map(|element| element.attribute("aria-labelledby")) {
        assert!(reference.split(' ').all(|id| ids.contains(&id)), "{reference}");
    }
    let policy = document.elements.iter().find_map(|element| {
        (element.attribute("http-equiv") == Some("Content-Security-Policy")).then(|| element.attribute("content"))?
    });
    assert!(policy.is_some_and(|policy| policy.starts_with("default-src 'none'; style-src 'sha256-")), "{policy:?}");
}

#[test]
fn verdicts_are_those_of_compare() {
    let place = place();
    let out = place.path().join("fop");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../experiments/catalogue/siea-mcts/fop.toml");
    succeed(&["run", text(&file), "--scale", "0.02", "--no-tables", "--out", text(&out)]);
    let report = place.path().join("report.html");
    succeed(&["report", text(&out), "--out", text(&report)]);
    let document = html::read(&fs::read_to_string(&report).expect("a report"));
    let compared = json(&["compare", text(&out), "--out", text(place.path())]);
    assert_eq!(data(&document)["compare"], compared["tables"]);
    let verdicts = compared["tables"]
        .as_array()
        .expect("tables")
        .iter()
        .flat_map(|table| table["rows"].as_array().expect("rows").iter().filter_map(|row| row["verdict"].as_str()));
    let inside = verdicts.filter(|verdict| *verdict == "inside").count();
    assert!(inside > 0 && document.text.contains(&format!("{inside} inside")), "{inside}");
    check_closed(&document);
}

#[test]
fn tests_against_other_runs_are_those_of_analyze() {
    let place = place();
    let few = GRID.replace("games-per-pair = 200", "games-per-pair = 20");
    let [one, other] =
        [("one", few.clone()), ("other", few.replace("playouts=20", "playouts=10"))].map(|(name, experiment)| {
            let out = place.path().join(name);
            let file = write(&place, &format!("{name}.toml"), &experiment);
            succeed(&["run", text(&file), "--no-tables", "--out", text(&out)]);
            out
        });
    let report = place.path().join("report.html");
    succeed(&["report", text(&one), "--against", text(&other), "--out", text(&report)]);
    let document = html::read(&fs::read_to_string(&report).expect("a report"));
    let analysed = json(&["analyze", text(&one), "--against", text(&other), "--out", text(place.path())]);
    let tables = analysed["tables"].as_array().expect("tables");
    assert!(!tables.is_empty() && document.text.contains("Against other runs"));
    assert_eq!(data(&document)["replicates"], analysed["tables"]);
    for table in tables {
        assert!(document.text.contains(table["title"].as_str().expect("a title")), "{}", table["title"]);
    }
    check_closed(&document);
}

/// Texts that would end an element, a value or a script, or turn what stands around them.
fn hostile() -> String {
    let long = "x".repeat(10_000);
    format!(
        "<script>alert(1)</script> \"quoted\" 'so' </title></section><b onload=x> & \u{202e}turned\u{2066} <!-- {long}"
    )
}

#[test]
fn names_add_nothing_to_a_report() {
    let place = place();
    let reports = ["tame", &hostile()].map(|words| {
        let name = if words == "tame" { "tame" } else { "hostile" };
        let file = write(&place, &format!("{name}.toml"), &study(words));
        let out = place.path().join(name);
        succeed(&["run", text(&file), "--no-tables", "--threads", "1", "--out", text(&out)]);
        let database = Connection::open(out.join("redqueen.sqlite")).expect("a database");
        let detail = serde_json::json!({ words: words }).to_string();
        database.execute("UPDATE workers SET name = ?1", [words]).expect("a worker");
        database
            .execute("INSERT INTO events (at, kind, detail) VALUES ('2026-01-01T00:00:00Z', 'alarm', ?1)", [&detail])
            .expect("an event");
        drop(database);
        let report = place.path().join(format!("{name}.html"));
        succeed(&["report", text(&out), "--out", text(&report)]);
        fs::read_to_string(report).expect("a report")
    });
    let [tame, hostile_report] = reports.each_ref().map(|report| html::read(report));
    assert_eq!(tame.names(), hostile_report.names());
    assert!(!reports[1].contains('\u{202e}') && !reports[1].contains('\u{2066}'), "text is turned");
    assert!(hostile_report.text.contains("<script>alert(1)</script> \"quoted\" 'so'"));
    check_closed(&hostile_report);
}
