//! A study's run directory as docs/run-directory.md describes it, from the rows that make.py draws; and what make.py
//! computed of them.

use std::path::Path;

use analysis::{Options, Report, analyze};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    database::{OF_EVERY_RESULT, create, insert_stage},
    shown::{row, table},
};

const PROBLEMS: [&str; 2] = ["f2", "f5"];
const AGENTS: [&str; 4] = ["mcts-c05", "mcts-csqrt2", "ea-mcts", "siea-mcts"];

/// The columns of the shape and their kinds.
const COLUMNS: [(&str, &str); 33] = [
    ("problem", "label"),
    ("agent", "label"),
    ("run", "int"),
    ("points", "real"),
    ("score", "int"),
    ("plies", "int"),
    ("moves_hash", "int"),
    ("decisions", "int"),
    ("iterations", "int"),
    ("nodes", "real"),
    ("expansion_rate", "real"),
    ("terminals", "real"),
    ("leaf_depth", "real"),
    ("leaf_depth_sd", "real"),
    ("depth_max", "real"),
    ("by_visits", "real"),
    ("by_reward", "real"),
    ("root_share", "real"),
    ("formula_nodes", "real"),
    ("uses_q", "real"),
    ("uses_visits", "real"),
    ("uses_parent_visits", "real"),
    ("uses_c", "real"),
    ("fitness", "real"),
    ("formulas", "real"),
    ("generations", "real"),
    ("fitness_iterations", "real"),
    ("ties", "real"),
    ("semantic_choices", "real"),
    ("root_visits", "text"),
    ("histogram", "text"),
    ("formula", "text"),
    ("deciding_us", "int"),
];

/// What make.py computed.
pub(crate) fn expected() -> Value {
    serde_json::from_str(include_str!("expected.json")).expect("JSON")
}

/// The stage's facts; tests change them.
pub(crate) fn meta() -> Value {
    let plot = |at: &dyn Fn(f64) -> f64| -> Vec<[f64; 2]> {
        (0..64).map(|i| (f64::from(i) + 0.5) / 64.0).map(|x| [x, at(x)]).collect()
    };
    json!({
        "kind": "study", "experiment": "study", "title": "A study", "paper": "siea-mcts/fop", "reproducible": true,
        "scale": 1.0, "seed": 1, "runs": 20, "measure": "decision", "histogram_bins": 8,
        "problems": { "f2": "fop:function=f2,width-min=1e-5", "f5": "fop:function=f5,width-min=1e-5" },
        "specs": {
            "mcts-c05": "mcts:playouts=5000,c=0.5,factor=1", "mcts-csqrt2": "mcts:playouts=5000,c=1.4142135623730951,factor=1.0",
            "ea-mcts": "ea-mcts:playouts=5000", "siea-mcts": "siea-mcts:playouts=5000",
        },
        "problem_order": PROBLEMS, "player_order": AGENTS,
        // A hill with its top between the centres at 0.8671875 and 0.8828125, and one with its top at 0.1015625.
        "plots": { "f2": plot(&|x| 1.0 - (x - 0.875) * (x - 0.875)), "f5": plot(&|x| 0.9 - (x - 0.1) * (x - 0.1)) },
        "score_unit": "points",
    })
}

/// Writes `directory/redqueen.sqlite` with the rows of make.py.
fn write(directory: &Path, meta: &Value) {
    let declared = COLUMNS.map(|(name, kind)| {
        let kind = match kind {
            "real" => "REAL",
            "text" => "TEXT",
            _ => "INTEGER",
        };
        format!("\"{name}\" {kind} NOT NULL")
    });
    let table = format!(
        "CREATE TABLE results_study ({OF_EVERY_RESULT}, {}, PRIMARY KEY (stage, trial)) STRICT, WITHOUT ROWID;",
        declared.join(", ")
    );
    let conn = create(directory, 3, &table);
    let rows: Vec<&str> = include_str!("rows.tsv").lines().skip(1).collect();
    let column = |(name, kind): &(&str, &str)| match *kind {
        "label" => json!({ "name": name, "kind": kind, "pure": true, "labels": format!("{name}s") }),
        _ => json!({ "name": name, "kind": kind, "pure": !name.ends_with("_us") }),
    };
    let spec = json!({
        "index": 0, "name": "study", "trials": rows.len(),
        "shape": { "name": "study", "columns": COLUMNS.iter().map(column).collect::<Vec<_>>() },
        "labels": { "problems": PROBLEMS, "agents": AGENTS }, "meta": meta,
    });
    insert_stage(&conn, &spec, true, None);
    let marks = vec!["?"; 4 + COLUMNS.len()].join(", ");
    conn.execute_batch("BEGIN").expect("a transaction");
    let mut insert = conn.prepare(&format!("INSERT INTO results_study VALUES ({marks})")).expect("a statement");
    for (trial, row) in rows.iter().enumerate() {
        let place =
            |name: &str, among: &[&str]| among.iter().position(|known| *known == name).expect("a name").to_string();
        let mut cells = vec!["0".to_owned(), trial.to_string(), (1 + trial % 2).to_string(), "12000".to_owned()];
        cells.extend(COLUMNS.iter().zip(row.split('\t')).map(|((name, _), cell)| match *name {
            "problem" => place(cell, &PROBLEMS),
            "agent" => place(cell, &AGENTS),
            _ => cell.to_owned(),
        }));
        // Columns turn a text into their own kind, or refuse it.
        insert.execute(rusqlite::params_from_iter(cells)).expect("a row");
    }
    drop(insert);
    conn.execute_batch("COMMIT").expect("committed");
}

/// A directory with the rows of make.py under these facts.
pub(crate) fn written(meta: &Value) -> TempDir {
    let directory = tempfile::tempdir().expect("a directory");
    write(directory.path(), meta);
    directory
}

/// Adds columns as a game declares them: a number, the run modulo 4, and a list of the run and, of runs below 10, of 1.
pub(crate) fn add_own_columns(directory: &Path) {
    let conn = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("a database");
    conn.execute_batch(
        "ALTER TABLE results_study ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
         ALTER TABLE results_study ADD COLUMN kept_by_turn TEXT NOT NULL DEFAULT '';
         UPDATE results_study SET kept = run % 4, kept_by_turn = CASE WHEN run < 10 THEN run || ' 1' ELSE run END;
         UPDATE stages SET spec = json_insert(spec,
             '$.shape.columns[#]', json('{\"name\": \"kept\", \"kind\": \"int\", \"pure\": true}'),
             '$.shape.columns[#]', json('{\"name\": \"kept_by_turn\", \"kind\": \"text\", \"pure\": true}'))",
    )
    .expect("columns of its own");
    drop(conn);
}

/// The tables without a question.
pub(crate) fn analysed(directory: &TempDir) -> Report {
    analyze(directory.path(), &Options::default()).expect("tables")
}

/// The rows of a table as JSON.
pub(crate) fn rows(report: &Report, name: &str) -> Vec<Value> {
    (0..table(report, name).rows.len()).map(|i| row(report, name, i)).collect()
}

/// Whether every figure of `wanted` is in `found`, to rounding; keys that are not there are not looked at.
#[track_caller]
pub(crate) fn agree(found: &Value, wanted: &Value, place: &str) {
    match (found, wanted) {
        (_, Value::Object(wanted)) => {
            wanted.iter().for_each(|(key, value)| agree(&found[key], value, &format!("{place}.{key}")));
        }
        (Value::Array(found), Value::Array(wanted)) if found.len() == wanted.len() => {
            found
                .iter()
                .zip(wanted)
                .enumerate()
                .for_each(|(i, (one, other))| agree(one, other, &format!("{place}[{i}]")));
        }
        (Value::Number(found), Value::Number(wanted)) => {
            let (one, other) = (found.as_f64().expect("a number"), wanted.as_f64().expect("a number"));
            // Relative: tables hold probabilities, too.
            assert!((one - other).abs() <= 1e-11 * other.abs().max(1e-12), "{place}: {one} is not {other}");
        }
        _ => assert_eq!(found, wanted, "{place}"),
    }
}
