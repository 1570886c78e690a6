//! Games in a run's database.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};

use super::database::{OF_EVERY_RESULT, create};

/// One game of a match grid.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    pub(crate) trial: i64,
    pub(crate) pair: i64,
    /// Places in the list of players.
    pub(crate) seats: [i64; 2],
    pub(crate) first_points: f64,
    pub(crate) score_difference: i64,
    pub(crate) hash: i64,
    /// Microseconds by seat.
    pub(crate) us: [i64; 2],
    /// The time of every decision by seat, as rows have it.
    pub(crate) turns: Option<[String; 2]>,
}

/// Columns of the time of every decision.
pub(crate) const TURNS: [&str; 2] = ["first_turns", "second_turns"];

/// Columns of every game, in any shape.
const RECORD: [(&str, &str); 10] = [
    ("first_points", "real"),
    ("score_difference", "int"),
    ("plies", "int"),
    ("moves_hash", "int"),
    ("first_decisions", "int"),
    ("second_decisions", "int"),
    ("first_iterations", "int"),
    ("second_iterations", "int"),
    ("first_us", "int"),
    ("second_us", "int"),
];

pub(crate) fn shape(name: &str, before: &[(&str, &str)]) -> Value {
    let column = |(name, kind): &(&str, &str)| match *kind {
        "label" => json!({ "name": name, "kind": kind, "pure": true, "labels": "players" }),
        _ => json!({ "name": name, "kind": kind, "pure": !name.ends_with("_us") }),
    };
    json!({ "name": name, "columns": before.iter().chain(&RECORD).map(column).collect::<Vec<_>>() })
}

pub(crate) fn match_shape() -> Value {
    shape("match", &[("pair", "int"), ("unit", "int"), ("first", "label"), ("second", "label")])
}

/// A database for games of the shapes `match` and `generation`.
pub(crate) fn database(directory: &Path) -> Connection {
    let record = "first_points REAL NOT NULL, score_difference INTEGER NOT NULL, plies INTEGER NOT NULL, \
                  moves_hash INTEGER NOT NULL, first_decisions INTEGER NOT NULL, second_decisions INTEGER NOT NULL, \
                  first_iterations INTEGER NOT NULL, second_iterations INTEGER NOT NULL, first_us INTEGER NOT NULL, \
                  second_us INTEGER NOT NULL, PRIMARY KEY (stage, trial)) STRICT, WITHOUT ROWID";
    create(
        directory,
        2,
        &format!(
            "CREATE TABLE results_match ({OF_EVERY_RESULT}, pair INTEGER NOT NULL, unit INTEGER NOT NULL, \
             \"first\" INTEGER NOT NULL, second INTEGER NOT NULL, {record};
             CREATE TABLE results_generation ({OF_EVERY_RESULT}, round INTEGER NOT NULL, \
             \"first\" INTEGER NOT NULL, second INTEGER NOT NULL, {record};"
        ),
    )
}

/// Stores games of shape `match`: 60 plies, 30 decisions of the first seat and 28 of the second, a millisecond each
/// game; with the time of every decision where games have it.
pub(crate) fn insert_games(conn: &Connection, stage: i64, games: &[Game]) {
    conn.execute_batch("BEGIN").expect("a transaction");
    let mut insert = conn
        .prepare(
            "INSERT INTO results_match VALUES (?1, ?2, 1 + ?2 % 2, 1000, ?3, ?4, ?5, ?6, ?7, ?8, 60, ?9, 30, 28, 3000, \
             1400, ?10, ?11)",
        )
        .expect("a statement");
    for game in games {
        let [first, second] = game.seats;
        let cells = (
            stage,
            game.trial,
            game.pair,
            game.trial / 2,
            first,
            second,
            game.first_points,
            game.score_difference,
            game.hash,
            game.us[0],
            game.us[1],
        );
        insert.execute(cells).expect("a row");
    }
    conn.execute_batch("COMMIT").expect("committed");
    if games.iter().any(|game| game.turns.is_some()) {
        insert_turns(conn, games);
    }
}

/// Adds the time of every decision to stored games.
fn insert_turns(conn: &Connection, games: &[Game]) {
    for name in TURNS {
        conn.execute_batch(&format!("ALTER TABLE results_match ADD COLUMN {name} TEXT NOT NULL DEFAULT ''"))
            .expect("a column");
    }
    for game in games {
        let [first, second] = game.turns.clone().unwrap_or_default();
        conn.execute(
            "UPDATE results_match SET first_turns = ?1, second_turns = ?2 WHERE trial = ?3",
            (first, second, game.trial),
        )
        .expect("a row");
    }
}
