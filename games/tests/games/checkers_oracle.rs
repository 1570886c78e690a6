//! Checkers against answers computed by other programs (tests/oracles/checkers.json).

use games::{
    Game as _, Moves as _, Turn,
    checkers::{Checkers, Rules},
    perft,
};
use serde_json::Value as Json;

/// Each rule set, and its name in the oracle.
const ALL_RULES: [(Rules, &str); 3] = [(Rules::Project, "report"), (Rules::Code, "code"), (Rules::English, "english")];

/// Caps that end no line that the oracle counts.
const NO_CAP: u16 = 60_000;

fn start(rules: Rules) -> Checkers {
    Checkers::new(rules, NO_CAP, NO_CAP, NO_CAP)
}

fn oracle() -> Json {
    serde_json::from_str(include_str!("../oracles/checkers.json")).expect("JSON")
}

fn list<'a>(oracle: &'a Json, key: &str) -> &'a Vec<Json> {
    oracle[key].as_array().unwrap_or_else(|| panic!("no list {key}"))
}

fn text<'a>(oracle: &'a Json, key: &str) -> &'a str {
    oracle[key].as_str().unwrap_or_else(|| panic!("no text {key}"))
}

/// Squares by number from 1, row by row from the top; the oracle writes [row, column].
fn square(wanted: &Json) -> u64 {
    let place = |i: usize| wanted[i].as_u64().expect("a place");
    assert_eq!((place(0) + place(1)) % 2, 1, "{wanted} is dark");
    4 * place(0) + place(1) / 2 + 1
}

/// The FEN of the oracle's rows, letters by rule set.
fn fen(rules: Rules, rows: &Json, to_move: &str) -> String {
    let letters = if rules == Rules::English { ["B", "W"] } else { ["W", "R"] };
    let mut squares = [Vec::new(), Vec::new()];
    for (row, line) in rows.as_array().expect("rows").iter().enumerate() {
        for (column, c) in line.as_str().expect("a row").chars().enumerate().filter(|&(_, c)| c != '.') {
            let number = square(&serde_json::json!([row, column]));
            let seat = usize::from(c.eq_ignore_ascii_case(&'r'));
            squares[seat].push(if c.is_uppercase() { format!("K{number}") } else { number.to_string() });
        }
    }
    let [white, red] = squares.map(|squares| squares.join(","));
    format!("{}:{}{white}:{}{red}", letters[usize::from(to_move == "r")], letters[0], letters[1])
}

fn position(rules: Rules, row: &Json) -> Checkers {
    let fen = fen(rules, &row["rows"], text(row, "to_move"));
    let position = start(rules).parse_position(&fen).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(position.position_text(), fen);
    position
}

/// What the oracle says of a move.
fn wanted_move(wanted: &Json) -> (u64, u64, Vec<u64>) {
    (square(&wanted["from"]), square(&wanted["to"]), list(wanted, "captured").iter().map(square).collect())
}

/// The same for one of our moves: it captures the pieces that are gone after it.
fn found_move(position: &Checkers, index: usize) -> (u64, u64, Vec<u64>) {
    let chosen = position.moves().get(index);
    let [from, to] = chosen.squares().map(u64::from);
    let mut after = *position;
    after.play(chosen);
    let other = usize::from(position.mover() == Turn::Player(0));
    let squares = |position: &Checkers| -> Vec<u64> {
        let text = position.position_text();
        let list = text.split(':').nth(1 + other).expect("two lists");
        let digits = list[1..].split(',').filter(|item| !item.is_empty());
        digits.map(|item| item.trim_start_matches('K').parse().expect("a number")).collect()
    };
    let left = squares(&after);
    let gone: Vec<u64> = squares(position).into_iter().filter(|square| !left.contains(square)).collect();
    assert_eq!(gone.len() as u32, chosen.captures());
    (from, to, gone)
}

#[test]
fn leaves_of_the_tree() {
    let oracle = oracle();
    for (rules, name) in ALL_RULES {
        let counts = list(&oracle["perft_start"], name);
        // English draughts has fewer leaves at a depth.
        let depths = if rules == Rules::English { 10 } else { 8 };
        for (depth, wanted) in (1..=depths).zip(counts) {
            assert_eq!(perft(&start(rules), depth), wanted.as_u64().expect("a count"), "{name} depth {depth}");
        }
    }
}

#[test]
fn tricky_positions() {
    let oracle = oracle();
    let rows = list(&oracle, "tricky");
    assert_eq!(rows.len(), 15);
    for row in rows {
        for (rules, name) in ALL_RULES {
            let position = position(rules, row);
            let mut found: Vec<_> = (0..position.moves().len()).map(|i| found_move(&position, i)).collect();
            let mut wanted: Vec<_> = list(row, &format!("moves_{name}")).iter().map(wanted_move).collect();
            found.sort();
            wanted.sort();
            assert_eq!(found, wanted, "{name}: {}", row["why"]);
            check_evaluation(&position, row);
        }
    }
}

#[track_caller]
fn check_evaluation(position: &Checkers, row: &Json) {
    let wanted = row["eval_white_view"].as_f64().expect("a value");
    assert_eq!([position.evaluate(0), position.evaluate(1)], [wanted, -wanted], "{}", row["id"]);
    let pieces = |seat: usize| i64::from(position.men()[seat] + position.kings()[seat]);
    assert_eq!(position.score_difference(), pieces(0) - pieces(1));
}

/// Lines of exactly that many plies, as the oracle counts them; a game that ends before is not a line, though a leaf of
/// perft.
fn lines(position: &Checkers, depth: usize) -> u64 {
    let moves = position.moves();
    let after = |i: usize| {
        let mut after = *position;
        after.play(moves.get(i));
        after
    };
    if depth == 0 { 1 } else { (0..moves.len()).map(|i| lines(&after(i), depth - 1)).sum() }
}

#[test]
fn positions_of_the_middle_of_games() {
    let oracle = oracle();
    let rows = list(&oracle, "midgame");
    assert_eq!(rows.len(), 12);
    for row in rows {
        for (rules, name) in ALL_RULES {
            let position = position(rules, row);
            check_evaluation(&position, row);
            for (depth, wanted) in (1usize..).zip(list(row, &format!("perft_{name}"))) {
                assert_eq!(lines(&position, depth), wanted.as_u64().expect("a count"), "{name} {} {depth}", row["id"]);
            }
        }
    }
}

#[test]
fn whole_games() {
    let oracle = oracle();
    let rows = list(&oracle, "games");
    assert_eq!(rows.len(), 6);
    for row in rows {
        let (rules, name) = *ALL_RULES.iter().find(|(_, name)| *name == text(row, "rules")).expect("a rule set");
        // The oracle's games end after 20 plies under either rule set.
        let mut position = Checkers::under(rules);
        for wanted in list(row, "moves") {
            assert_ne!(position.turn(), Turn::Over);
            let wanted = wanted_move(wanted);
            let index = (0..position.moves().len()).find(|&i| found_move(&position, i) == wanted);
            position.play(position.moves().get(index.unwrap_or_else(|| panic!("{name}: no {wanted:?}"))));
        }
        let to_move = if position.mover() == Turn::Player(0) { "w" } else { "r" };
        let board = fen(rules, &row["final_rows"], to_move);
        let counters = position.position_text().split_off(board.len());
        assert_eq!(position.position_text(), board + &counters);
        assert_eq!(u64::from(position.plies()), row["plies"].as_u64().expect("plies"));
        let result = text(row, "result");
        let points = match result.split(' ').nth(1) {
            Some("white") => [1.0, 0.0],
            Some("red") => [0.0, 1.0],
            _ => [0.5; 2],
        };
        assert_eq!(position.points(), points, "{name}: {result}");
        // English draughts goes on for 80 plies where the oracle stops.
        let goes_on = rules == Rules::English && points == [0.5; 2];
        assert_eq!(position.turn() == Turn::Over, !goes_on, "{name}: {result}");
        if rules == Rules::Project {
            assert_eq!(u64::from(position.quiet_plies()), row["plies_since_last_capture"].as_u64().expect("plies"));
        }
    }
}
