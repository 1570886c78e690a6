//! Games by seat and a league beside a paper's. Matches are made that have the thesis's printed outcomes.

use analysis::{Options, Report, analyze, compare};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::common::{
    changed::change,
    run::Run,
    shown::{near, row, table},
};

/// A match as printed, ten games: outcomes of the first, and the sum of its differences.
type Printed = ([&'static str; 2], [i64; 3], i64);

/// Table 6.4 of the thesis.
const TABLE_6_4: [Printed; 20] = [
    (["mcts-c05", "mcts-c1"], [10, 0, 0], 201),
    (["mcts-c05", "mcts-csqrt2"], [10, 0, 0], 248),
    (["mcts-c05", "mcts-c2"], [10, 0, 0], 296),
    (["mcts-c05", "mcts-c3"], [9, 1, 0], 255),
    (["mcts-c1", "mcts-c05"], [5, 1, 4], 22),
    (["mcts-c1", "mcts-csqrt2"], [9, 0, 1], 139),
    (["mcts-c1", "mcts-c2"], [5, 0, 5], 48),
    (["mcts-c1", "mcts-c3"], [8, 1, 1], 133),
    (["mcts-csqrt2", "mcts-c05"], [2, 0, 8], -132),
    (["mcts-csqrt2", "mcts-c1"], [3, 0, 7], -60),
    (["mcts-csqrt2", "mcts-c2"], [5, 0, 5], 59),
    (["mcts-csqrt2", "mcts-c3"], [7, 0, 3], 86),
    (["mcts-c2", "mcts-c05"], [0, 0, 10], -246),
    (["mcts-c2", "mcts-c1"], [5, 0, 5], -10),
    (["mcts-c2", "mcts-csqrt2"], [4, 0, 6], -22),
    (["mcts-c2", "mcts-c3"], [7, 1, 2], 98),
    (["mcts-c3", "mcts-c05"], [1, 0, 9], -227),
    (["mcts-c3", "mcts-c1"], [3, 0, 7], -53),
    (["mcts-c3", "mcts-csqrt2"], [2, 0, 8], -137),
    (["mcts-c3", "mcts-c2"], [4, 1, 5], -3),
];

/// Differences of ten games with these outcomes and this sum: all are of 1 but for one game.
fn games(&(players, [wins, draws, losses], sum): &Printed) -> Vec<i64> {
    let counted = [(1, wins), (0, draws), (-1, losses)];
    let mut games: Vec<i64> = counted.iter().flat_map(|&(margin, count)| vec![margin; count as usize]).collect();
    let rest = sum - games.iter().sum::<i64>();
    let index = if rest > 0 { 0 } else { games.len() - 1 };
    games[index] += rest;
    assert!(games.iter().sum::<i64>() == sum && games[index] * rest >= 0, "{players:?}");
    games
}

/// The round robin; a unit has a game of each seating.
fn round_robin() -> TempDir {
    let names = ["mcts-c05", "mcts-c1", "mcts-csqrt2", "mcts-c2", "mcts-c3"];
    let pairs: Vec<[&str; 2]> =
        (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).map(|(a, b)| [names[a], names[b]]).collect();
    let mut run = Run::new(&pairs);
    run.paper = Some("siea-mcts/round-robin");
    let found = |players: [&str; 2]| games(TABLE_6_4.iter().find(|row| row.0 == players).expect("a match"));
    for (pair, [a, b]) in pairs.iter().enumerate() {
        for (first, second) in found([*a, *b]).into_iter().zip(found([*b, *a])) {
            run.unit(pair, [first, second]);
        }
    }
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

fn rows(report: &Report, name: &str) -> Vec<Value> {
    table(report, name).to_json()["rows"].as_array().expect("rows").clone()
}

#[test]
fn games_by_seat_are_beside_the_paper_s() {
    let report = compare(round_robin().path(), None).expect("a comparison");
    let names: Vec<&str> = report.tables.iter().map(|table| table.name.as_str()).collect();
    assert_eq!(names, ["compare", "compare-table-6-4", "compare-table-6-6"]);
    let cells = rows(&report, "compare-table-6-4");
    assert_eq!(cells.len(), 80);
    for cell in &cells {
        near(&cell["difference"], 0.0);
        assert_eq!((&cell["verdict"], &cell["games"], &cell["seat"]), (&json!("inside"), &json!(10), &json!("first")));
    }
    // C = 1 in the first seat against C = 0.5: 5 won, 1 drawn, 4 lost; differences of 22, four times 1, 0 and four times -1,
    // whose deviations from 2.2 have squares of 19.8², 4 (1.2²), 2.2² and 4 (3.2²).
    let [wins, draws, losses, margin] = [16, 17, 18, 19].map(|i| &cells[i]);
    assert_eq!([wins, draws, losses].map(|cell| cell["ours"].clone()), [0.5, 0.1, 0.4].map(Value::from));
    assert_eq!(margin["figure"], json!("margin"));
    let variance = 443.6 / 9.0;
    near(&margin["ours"]["sd"], f64::sqrt(variance));
    let z = 1.959_963_984_540_054;
    near(&margin["allowed"], z * (variance / 10.0 + 18.0 * 18.0 / 10.0f64).sqrt() + 0.05);
    // 5 of 10 in both: s² = 10/9 of 1/4.
    near(&wins["allowed"], z * (0.25 / 9.0 + 0.25 / 10.0f64).sqrt());
    let notes = &table(&report, "compare-table-6-4").notes;
    assert!(notes[1].starts_with("The paper contradicts itself: C = 0.5 against C = 1"), "{notes:?}");
    assert_eq!(
        (&row(&report, "compare", 0)["inside"], &row(&report, "compare", 0)["missing"]),
        (&json!(80), &json!(0))
    );
}

/// By the rule the matches give other points than the thesis prints (36, 26, 15, 16 and 1).
#[test]
fn a_league_is_beside_the_paper_s() {
    let directory = round_robin();
    let report = compare(directory.path(), None).expect("a comparison");
    let cells = rows(&report, "compare-table-6-6");
    assert_eq!(cells.len(), 40);
    let of = |what: &str| -> Vec<f64> {
        let found = cells.iter().filter(|cell| cell["figure"] == what);
        found.map(|cell| cell["difference"].as_f64().expect("a number")).collect()
    };
    assert_eq!(of("league points, by the rule"), [0.0; 5]);
    assert_eq!(of("league points, as printed"), [-2.0, -2.0, 0.0, -2.0, -4.0]);
    for what in ["margins", "match wins", "match draws", "match losses", "bonus wins", "bonus losses"] {
        assert!(of(what).iter().all(|difference| difference.abs() < 1e-9), "{what}");
    }
    let analysed = analyze(directory.path(), &Options::default()).expect("tables");
    let league = rows(&analysed, "league");
    let columns = ["player", "points", "wins", "draws", "losses", "bonus_wins", "bonus_losses"];
    let found = |i: usize| columns.map(|key| league[i][key].clone());
    assert_eq!(found(0), [json!("mcts-c05"), json!(36), json!(7), json!(0), json!(1), json!(7), json!(1)]);
    assert_eq!(found(2), [json!("mcts-c2"), json!(16), json!(2), json!(3), json!(3), json!(1), json!(1)]);
    near(&league[0]["margins"], 158.3);
    // A grid whose paper has no league has no such table.
    change(directory.path(), "UPDATE stages SET spec = replace(spec, 'siea-mcts/round-robin', 'siea-mcts/table-6-4')");
    let names: Vec<String> = analyze(directory.path(), &Options::default())
        .expect("tables")
        .tables
        .into_iter()
        .map(|table| table.name)
        .collect();
    assert!(!names.iter().any(|name| name == "league"), "{names:?}");
}

/// Players have other names here and are found by their specs, the pair stands the other way round, and what the game
/// counts is that of the player's seat.
#[test]
fn numbers_of_a_game_are_those_of_the_player_s_seat() {
    let mut run = Run::new(&[["chance", "thinker"]]);
    run.specs = vec![("chance", "random"), ("thinker", "mcts:playouts=5000,c=0.5,factor=1")];
    run.paper = Some("siea-mcts/table-6-3");
    (0..20).for_each(|i| run.unit(0, [-90 - i % 2, 97]));
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    let columns = ["first_final_score", "second_final_score", "first_meeples_played", "second_meeples_played"];
    for (place, column) in columns.iter().enumerate() {
        let value = format!("{} + trial % 2", 10 * (place + 1));
        rusqlite::Connection::open(directory.path().join("redqueen.sqlite"))
            .expect("a database")
            .execute_batch(&format!(
                "ALTER TABLE results_match ADD COLUMN {column} INTEGER NOT NULL DEFAULT 0;
                 UPDATE results_match SET {column} = {value};
                 UPDATE stages SET spec = json_insert(spec, '$.shape.columns[#]', json('{{\"name\": \"{column}\", \"kind\": \"int\", \"pure\": true}}'))"
            ))
            .expect("a column of its own");
    }
    let report = compare(directory.path(), None).expect("a comparison");
    let cells = rows(&report, "compare");
    let found = |i: usize| {
        let cell = &cells[i];
        assert_eq!(
            (&cell["player"], &cell["opponent"], &cell["games"]),
            (&json!("thinker"), &json!("chance"), &json!(20))
        );
        (
            cell["seat"].as_str().expect("a seat"),
            cell["figure"].as_str().expect("a name"),
            cell["ours"]["mean"].as_f64(),
        )
    };
    // In the first seat in odd trials: a score of 11 and 31 meeples; in the second in even ones.
    let wanted = [("margin", 97.0), ("final score", 11.0), ("meeples played", 31.0)];
    assert_eq!([0, 1, 2].map(found), wanted.map(|(what, mean)| ("first", what, Some(mean))));
    let wanted = [("margin", 90.5), ("final score", 20.0), ("meeples played", 40.0)];
    assert_eq!([15, 16, 17].map(found), wanted.map(|(what, mean)| ("second", what, Some(mean))));
    assert_eq!(cells.iter().filter(|cell| cell["verdict"] == "not in this run").count(), 24);
}
