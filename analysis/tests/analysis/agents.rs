//! Figures that a paper's file describes: metrics of studies, numbers of the game, and ratios of two.

use analysis::compare;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    shown::{near, table},
    studied::{meta, rows, written},
};

/// The study of the fixture as two variants of Carcassonne. Of run r, 0 to 19, the score is r and the meeples are 1 + r % 2.
fn carcassonne() -> TempDir {
    let mut meta = meta();
    meta["measure"] = json!("game");
    meta["paper"] = json!("siea-mcts/single-player");
    let directory = written(&meta);
    for (from, to) in [
        ("\"f2\"", "\"1d\""),
        ("\"f5\"", "\"3s\""),
        ("fop:function=f2,width-min=1e-5", "carcassonne:variant=1d"),
        ("fop:function=f5,width-min=1e-5", "carcassonne:variant=3s"),
        ("playouts=5000", "playouts=10000"),
    ] {
        change(directory.path(), &format!("UPDATE stages SET spec = replace(spec, '{from}', '{to}')"));
    }
    let columns = [
        ("final_score", "INTEGER", "int", "run"),
        ("meeples_played", "INTEGER", "int", "1 + run % 2"),
        ("meeple_availability", "REAL", "real", "0.122"),
        ("field_points", "INTEGER", "int", "0"),
    ];
    let conn = rusqlite::Connection::open(directory.path().join("redqueen.sqlite")).expect("a database");
    for (name, of_table, of_shape, value) in columns {
        conn.execute_batch(&format!(
            "ALTER TABLE results_study ADD COLUMN {name} {of_table} NOT NULL DEFAULT 0;
             UPDATE results_study SET score = run, {name} = {value};
             UPDATE stages SET spec = json_insert(spec, '$.shape.columns[#]', json('{{\"name\": \"{name}\", \"kind\": \"{of_shape}\", \"pure\": true}}'))"
        ))
        .expect("columns of its own");
    }
    directory
}

#[test]
fn figures_of_a_file_are_beside_the_paper_s() {
    let directory = carcassonne();
    let report = compare(directory.path(), None).expect("a comparison");
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    let wanted = ["table-5-10", "table-5-11", "single-player-significance", "score-shares", "visit-share"]
        .map(|name| format!("compare-{name}"));
    assert_eq!((names[0], &names[1..]), ("compare", &wanted.each_ref().map(String::as_str)[..]));
    assert_eq!(report.warnings, Vec::<String>::new());
    let cells = rows(&report, "compare-table-5-10");
    let z = 1.959_963_984_540_054;
    // 1d, C = 0.5: printed 30.83 ± 9.38, 11.86 and 0.122, of 30 games.
    let [score, efficiency, availability] = [0, 1, 2].map(|i| &cells[i]);
    assert_eq!(
        (&score["figure"], &score["runs"], &score["paper_runs"]),
        (&json!("game score"), &json!(20), &json!(30))
    );
    near(&score["difference"], 9.5 - 30.83);
    near(&score["allowed"], z * (35.0 / 20.0 + 9.38 * 9.38 / 30.0f64).sqrt() + 0.005);
    assert_eq!(score["verdict"], json!("outside"));
    // 190 points by 30 meeples. The variance of a ratio of means, to the first order: (s_x² + r² s_y² - 2 r s_xy) / mean(y)²,
    // here of 35, 5/19 and 5/19.
    let ratio: f64 = 190.0 / 30.0;
    let variance = (35.0 + ratio * ratio * 5.0 / 19.0 - 2.0 * ratio * 5.0 / 19.0) / (1.5 * 1.5);
    assert_eq!(efficiency["figure"], json!("final score / meeples played"));
    near(&efficiency["ours"]["mean"], ratio);
    near(&efficiency["ours"]["sd"], variance.sqrt());
    near(&efficiency["allowed"], z * (variance / 20.0 + variance / 30.0).sqrt() + 0.005);
    assert_eq!(availability["verdict"], json!("inside"));
    // Of four agents of the fixture on two of the variants.
    let here = |name: &str| rows(&report, name).iter().filter(|cell| cell["verdict"] != "not in this run").count();
    assert_eq!([here("compare-table-5-10"), here("compare-table-5-11")], [24, 16]);
}

/// Both agents score 0 to 19 in 1d; in 3s SIEA-MCTS has 4 more: t = -4 / sqrt(2 * 35 / 20) with 38 degrees of freedom;
/// p by Simpson's rule over Student's density in Python.
#[test]
fn scores_of_two_agents_are_tested_as_the_thesis_did() {
    let directory = carcassonne();
    change(directory.path(), "UPDATE results_study SET score = score + 4 WHERE problem = 1 AND agent = 3");
    let report = compare(directory.path(), Some("siea-mcts/single-player-significance")).expect("a comparison");
    let pairs = rows(&report, "compare");
    let of = |problem: &str| pairs.iter().find(|pair| pair["problem"] == problem).expect("a row");
    let [same, other] = ["1d", "3s"].map(of);
    assert_eq!((&same["test"], &same["figure"]), (&json!("Student"), &json!("game score")));
    near(&same["p"], 1.0);
    near(&other["p"], 0.039001319792537514);
    assert_eq!([&same["verdict"], &other["verdict"]], [&json!("agree"), &json!("differ")]);
    assert_eq!(of("3d")["verdict"], json!("not in this run"));
}

/// All points are from other sources than fields: 0 is 1.71 % below the range of table 5.10's agents.
#[test]
fn a_range_is_compared_with_its_nearer_end() {
    let directory = carcassonne();
    let report = compare(directory.path(), Some("siea-mcts/score-shares")).expect("a comparison");
    let cells = rows(&report, "compare");
    let here: Vec<&Value> = cells.iter().filter(|cell| cell["verdict"] != "not in this run").collect();
    assert_eq!(here.len(), 8);
    assert_eq!((&here[0]["problem"], &here[0]["agent"]), (&json!("1d"), &json!("mcts-c05")));
    near(&here[0]["difference"], -0.0171);
    near(&here[0]["allowed"], 0.00005);
    assert_eq!((&here[0]["verdict"], &here[0]["paper"]), (&json!("outside"), &Value::Null));
    near(&here[0]["paper_range"][1], 0.0937);
    // Without a range the paper's figure is its mean.
    let expectimax = cells.iter().find(|cell| cell["agent"] == "expectimax-2-s").expect("a row");
    near(&expectimax["paper"], 0.036);
    let notes = table(&report, "compare").notes.join(" ");
    assert!(notes.contains("the sum of A by the sum of B") && notes.contains("nearer end"), "{notes}");
}
