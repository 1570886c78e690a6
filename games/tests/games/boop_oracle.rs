//! boop. against answers computed by other programs (tests/oracles/boop.json).
//!
//! `REDQUEEN_BOOP_DEPTH=7` counts leaves up to that depth; 7 takes some minutes.

use std::collections::BTreeSet;

use games::{
    Game as _, GameSpec, Moves as _, Turn, Visitor,
    boop::{Boop, Graduation, Rules, SearchWins},
    perft,
};
use serde_json::Value as Json;

fn oracle() -> Json {
    serde_json::from_str(include_str!("../oracles/boop.json")).expect("JSON")
}

fn list<'a>(oracle: &'a Json, key: &str) -> &'a Vec<Json> {
    oracle[key].as_array().unwrap_or_else(|| panic!("no list {key}"))
}

fn text<'a>(oracle: &'a Json, key: &str) -> &'a str {
    oracle[key].as_str().unwrap_or_else(|| panic!("no text {key}"))
}

fn int(oracle: &Json, key: &str) -> i64 {
    oracle[key].as_i64().unwrap_or_else(|| panic!("no number {key}"))
}

/// Rows and pools of the oracle as a text of ours with `mover` to move.
fn board_text(state: &Json, mover: &str) -> String {
    let rows: Vec<&str> = list(state, "rows").iter().map(|row| row.as_str().expect("a row")).collect();
    let pool = |key: &str| format!("{},{}", state[key][0], state[key][1]);
    format!("{} {mover} {} {}", rows.join("/"), pool("pool_p1"), pool("pool_p2"))
}

fn mover(state: &Json) -> &'static str {
    if text(state, "to_move") == "P1" { "a" } else { "b" }
}

fn position(rules: Rules, state: &Json) -> Boop {
    let text = board_text(state, mover(state));
    let position = Boop::new(rules).parse_position(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(position.position_text(), text);
    position
}

/// Size, square and removed squares of the oracle as the text of a move.
fn move_text(size: &Json, square: &Json, removed: &[Json]) -> String {
    let text = |json: &Json| json.as_str().expect("a text").to_owned();
    let removed: Vec<String> = removed.iter().map(text).collect();
    let colon = if removed.is_empty() { "" } else { ":" };
    format!("{}@{}{colon}{}", &text(size)[..1], text(square), removed.join(","))
}

fn texts(position: &Boop) -> Vec<String> {
    let moves = position.moves();
    (0..moves.len()).map(|index| position.move_text(moves.get(index))).collect()
}

/// The placements among texts of moves.
fn placements(texts: &[String]) -> BTreeSet<&str> {
    texts.iter().map(|text| text.split(':').next().expect("a placement")).collect()
}

fn after(position: &Boop, text: &str) -> Boop {
    let mut after = *position;
    after.play(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")));
    after
}

/// The position without who moves and plies.
fn pieces(position: &Boop) -> String {
    let text = position.position_text();
    let words: Vec<&str> = text.split(' ').collect();
    [words[0], words[2], words[3]].join(" ")
}

fn wanted_pieces(state: &Json) -> String {
    board_text(state, "x").replace(" x ", " ")
}

fn seat(winner: &Json) -> Option<usize> {
    winner.as_str().map(|winner| usize::from(winner == "P2"))
}

#[test]
fn leaves_of_the_tree() {
    let deepest = std::env::var("REDQUEEN_BOOP_DEPTH").map_or(5, |text| text.parse().expect("a depth"));
    let oracle = oracle();
    let rows = list(&oracle, "perft_start");
    assert_eq!(rows.len(), 7);
    for row in rows.iter().filter(|row| int(row, "depth") <= deepest) {
        let depth = int(row, "depth") as u32;
        assert_eq!(perft(&Boop::default(), depth) as i64, int(row, "nodes"), "depth {depth}");
    }
}

/// Lines of that many plies whose last move graduates; no game is over before.
fn graduating(position: &Boop, depth: u32) -> i64 {
    let moves = position.moves();
    let of = |index: usize| {
        let chosen = moves.get(index);
        if depth == 1 {
            return i64::from(chosen.graduates());
        }
        let mut after = *position;
        after.play(chosen);
        graduating(&after, depth - 1)
    };
    (0..moves.len()).map(of).sum()
}

#[test]
fn leaves_that_graduate() {
    let oracle = oracle();
    let row = &list(&oracle, "perft_start")[4];
    assert_eq!(graduating(&Boop::default(), 5), int(row, "of_which_graduating"));
}

#[test]
fn tricky_positions() {
    let oracle = oracle();
    let rows = list(&oracle, "tricky");
    assert_eq!(rows.len(), 21);
    for row in rows {
        let why = text(row, "why");
        let position = position(Rules::default(), &row["state"]);
        let all = texts(&position);
        assert_eq!(all.len() as i64, int(row, "full_moves"), "{why}");
        assert_eq!(placements(&all).len() as i64, int(row, "legal_placements"), "{why}");
        let placed = move_text(&row["move"]["size"], &row["move"]["square"], &[]);
        let options = list(row, "graduation_options");
        let offered = all.iter().filter(|text| text.split(':').next() == Some(placed.as_str())).count();
        assert_eq!(offered, options.len().max(1), "{why}");
        let winner = seat(&row["winner"]);
        let searches = Boop::new(Rules { search_wins: SearchWins::Both, ..Rules::default() });
        let searched = searches.parse_position(&position.position_text()).expect("a position").searched();
        let searched = searched.expect("another position");
        let winner_searched = seat(&row["winner_if_both_sides_checked"]);
        if options.is_empty() {
            let after = after(&position, &placed);
            assert_eq!(pieces(&after), wanted_pieces(&row["after_push"]), "{why}");
            assert_eq!(after.winner(), winner, "{why}");
            assert_eq!(after.turn() == Turn::Over, winner.is_some(), "{why}");
            let chosen = searched.parse_move(&placed).expect("a move");
            let mut after = searched;
            after.play(chosen);
            assert_eq!(after.winner(), winner_searched, "{why}");
        }
        for (option, score) in options.iter().zip(list(row, "promotion_heuristic_scores")) {
            let chosen = placed.clone()
                + ":"
                + move_text(&"x".into(), &"".into(), list(option, "remove")).split_once(':').expect("squares").1;
            let after = after(&position, &chosen);
            assert_eq!(pieces(&after), wanted_pieces(option), "{why}");
            assert_eq!((after.winner(), winner), (None, None), "{why}");
            let score_found = position.promotion_score(position.parse_move(&chosen).expect("a move"));
            assert_eq!(score_found.map(i64::from), score.as_i64(), "{why}: {chosen}");
        }
    }
}

/// What the promotion heuristic leaves of a placement's options are those with the highest score.
#[test]
fn the_heuristic_leaves_the_best_options() {
    let oracle = oracle();
    for row in list(&oracle, "tricky").iter().filter(|row| !list(row, "graduation_options").is_empty()) {
        let rules = Rules { graduation: Graduation::Heuristic, ..Rules::default() };
        let placed = move_text(&row["move"]["size"], &row["move"]["square"], &[]) + ":";
        let scores: Vec<i64> =
            list(row, "promotion_heuristic_scores").iter().map(|score| score.as_i64().expect("a score")).collect();
        let most = scores.iter().max().expect("scores");
        let wanted = scores.iter().filter(|&score| score == most).count();
        let found = texts(&position(rules, &row["state"]));
        assert_eq!(found.iter().filter(|text| text.starts_with(&placed)).count(), wanted, "{}", row["why"]);
    }
}

#[test]
fn state_scores() {
    let oracle = oracle();
    let rows = list(&oracle, "heuristic_boards");
    assert_eq!(rows.len(), 18);
    for row in rows {
        let position = Boop::default().parse_position(&board_text(row, "a")).expect("a position");
        let found = [0, 1].map(|seat| i64::from(position.state_score(seat)));
        assert_eq!(found, [int(row, "raw_p1"), int(row, "raw_p2")], "{}", text(row, "id"));
    }
}

/// Lines of exactly that many plies; a game that ends before is not a line, though a leaf of perft.
fn lines(position: &Boop, depth: u32) -> i64 {
    let moves = position.moves();
    let after = |index: usize| {
        let mut after = *position;
        after.play(moves.get(index));
        after
    };
    if depth == 1 { moves.len() as i64 } else { (0..moves.len()).map(|index| lines(&after(index), depth - 1)).sum() }
}

#[test]
fn positions_of_the_middle_of_games() {
    let oracle = oracle();
    let rows = list(&oracle, "midgame");
    assert_eq!(rows.len(), 20);
    for row in rows {
        let id = text(row, "id");
        let position = position(Rules::default(), &row["state"]);
        let all = texts(&position);
        assert_eq!(placements(&all).len() as i64, int(row, "legal_placements"), "{id}");
        for (depth, key) in [(1, "perft1"), (2, "perft2"), (3, "perft3")] {
            if row.get(key).is_some() {
                assert_eq!(lines(&position, depth), int(row, key), "{id}: {key}");
            }
        }
        let wins: BTreeSet<String> =
            all.iter().filter(|text| after(&position, text).winner().is_some()).cloned().collect();
        let of_pair = |pair: &Json| move_text(&pair[0], &pair[1], &[]);
        assert_eq!(wins, list(row, "winning_placements").iter().map(of_pair).collect(), "{id}");
        let found = [0, 1].map(|seat| i64::from(position.state_score(seat)));
        assert_eq!(found, [int(row, "raw_score_p1"), int(row, "raw_score_p2")], "{id}");
    }
}

#[test]
fn best_moves_of_one_ply() {
    let oracle = oracle();
    for row in list(&oracle, "midgame") {
        let id = text(row, "id");
        let position = position(Rules { graduation: Graduation::Heuristic, ..Rules::default() }, &row["state"]);
        let scale = position.evaluation_scale().expect("a scale");
        let mut outlooks = Vec::new();
        position.outlooks(&mut outlooks);
        let best = outlooks.iter().map(|outlook| outlook.value).fold(f64::NEG_INFINITY, f64::max);
        assert_eq!(best / scale, row["one_ply_best_score"].as_f64().expect("a score"), "{id}");
        let all = texts(&position);
        let found: Vec<String> = all
            .iter()
            .zip(&outlooks)
            .filter(|(_, outlook)| outlook.value == best)
            .map(|(text, _)| text.clone())
            .collect();
        let wanted: BTreeSet<String> =
            list(row, "one_ply_best").iter().map(|pair| move_text(&pair[0], &pair[1], &[])).collect();
        assert_eq!(placements(&found), wanted.iter().map(String::as_str).collect(), "{id}");
    }
}

#[test]
fn whole_games() {
    let oracle = oracle();
    let rows = list(&oracle, "games");
    assert_eq!(rows.len(), 4);
    for row in rows {
        let mut position = Boop::default();
        for played in list(row, "moves") {
            assert_ne!(position.turn(), Turn::Over);
            position = after(&position, &move_text(&played[0], &played[1], played[2].as_array().expect("squares")));
        }
        assert_eq!(position.turn(), Turn::Over);
        assert_eq!(position.winner(), seat(&row["winner"]));
        assert_eq!(i64::from(position.plies()), int(row, "plies"));
        assert_eq!(pieces(&position), wanted_pieces(&row["final"]));
    }
}

/// The options of a spec reach the game.
#[test]
fn options_of_specs() {
    struct Text;
    impl Visitor for Text {
        type Output = String;
        fn visit<G: games::Game>(self, start: G) -> String {
            format!("{:?}", start.searched())
        }
    }
    let searched = |text: &str| {
        let spec: GameSpec = text.parse().unwrap_or_else(|faults| panic!("{faults:?}"));
        games::visit(&spec, Text)
    };
    assert_eq!(searched("boop"), "None");
    assert_eq!(searched("boop:search=released,search-wins=mover,search-border=free"), "None");
    let released = searched("boop:search=released");
    assert!(released.contains("Both") && released.contains("Masked"), "{released}");
    let both = searched("boop:search-wins=both");
    assert!(both.contains("Both") && both.contains("Free"), "{both}");
    assert_eq!(searched("boop:search=released"), searched("boop:search-wins=both,search-border=masked"));
}
