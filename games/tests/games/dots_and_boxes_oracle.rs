//! Dots and Boxes against answers computed by other programs (tests/oracles/dots-and-boxes.json).

use std::collections::BTreeMap;

use games::{Game as _, GameSpec, Moves as _, Seed, Turn, Visitor, dots_and_boxes::DotsAndBoxes};
use serde_json::Value as Json;

use crate::dots_and_boxes_slow::Slow;

pub(crate) fn oracle() -> Json {
    serde_json::from_str(include_str!("../oracles/dots-and-boxes.json")).expect("JSON")
}

pub(crate) fn list<'a>(oracle: &'a Json, key: &str) -> &'a Vec<Json> {
    oracle[key].as_array().unwrap_or_else(|| panic!("no list {key}"))
}

pub(crate) fn number(json: &Json) -> i64 {
    json.as_i64().unwrap_or_else(|| panic!("{json} is not a whole number"))
}

pub(crate) fn numbers(json: &Json) -> Vec<usize> {
    json.as_array().expect("a list").iter().map(|json| number(json) as usize).collect()
}

/// The numbers of an object whose keys are edge numbers.
pub(crate) fn by_edge(json: &Json) -> BTreeMap<u32, i64> {
    let edge = |(edge, value): (&String, &Json)| (edge.parse().expect("an edge number"), number(value));
    json.as_object().expect("an object").iter().map(edge).collect()
}

/// A position of the oracle: free edges, and complete boxes, which do not matter, with the mover.
pub(crate) fn position(json: &Json) -> DotsAndBoxes {
    let (rows, columns) = (number(&json["rows"]) as usize, number(&json["cols"]) as usize);
    let slow = Slow::with_free(rows, columns, &numbers(&json["free_edges"]));
    read(rows as u8, columns as u8, &slow.text())
}

fn read(rows: u8, columns: u8, text: &str) -> DotsAndBoxes {
    DotsAndBoxes::new(rows, columns).parse_position(text).unwrap_or_else(|error| panic!("{error}"))
}

/// The game of a spec.
pub(crate) fn game(text: &str) -> DotsAndBoxes {
    struct Text;
    impl Visitor for Text {
        type Output = String;
        fn visit<G: games::Game>(self, start: G) -> String {
            start.position_text()
        }
    }
    let spec: GameSpec = text.parse().unwrap_or_else(|faults| panic!("{text}: {faults:?}"));
    read(5, 5, &games::visit(&spec, Text))
}

/// Boxes that the side to move gets from now on less those of the other side, with best play: every line to the end.
pub(crate) fn exhaustive(position: &DotsAndBoxes, known: &mut BTreeMap<String, i64>) -> i64 {
    // Who owns what does not matter: neither does who moves.
    let key = position.position_text().replace(['A', 'B'], "#");
    if let Some(&value) = known.get(&key) {
        return value;
    }
    let moves = position.moves();
    let value = (0..moves.len()).map(|index| after(position, moves.get(index), known)).max().unwrap_or(0);
    known.insert(key, value);
    value
}

/// The value of a move for the side to move.
pub(crate) fn after(
    position: &DotsAndBoxes,
    chosen: <DotsAndBoxes as games::Game>::Move,
    known: &mut BTreeMap<String, i64>,
) -> i64 {
    let completed = i64::from(position.completes(chosen));
    let mut next = *position;
    next.play(chosen);
    let rest = exhaustive(&next, known);
    if completed > 0 { completed + rest } else { -rest }
}

#[test]
fn tricky_positions() {
    let oracle = oracle();
    let tricky = list(&oracle, "tricky");
    assert_eq!(tricky.len(), 16);
    for case in tricky {
        let (position, id, mut known) = (position(case), &case["id"], BTreeMap::new());
        let moves = position.moves();
        let (mut values, mut completed) = (BTreeMap::new(), BTreeMap::new());
        for index in 0..moves.len() {
            let (chosen, edge) = (moves.get(index), position.edge_number(moves.get(index)));
            values.insert(edge, after(&position, chosen, &mut known));
            if position.completes(chosen) > 0 {
                completed.insert(edge, i64::from(position.completes(chosen)));
            }
        }
        assert_eq!(values, by_edge(&case["move_values"]), "{id}");
        assert_eq!(completed, by_edge(&case["closed_by_move"]), "{id}");
        let value = exhaustive(&position, &mut known);
        assert_eq!(value, number(&case["value_for_mover"]), "{id}");
        let best: Vec<usize> = values.iter().filter(|(_, of)| **of == value).map(|(&edge, _)| edge as usize).collect();
        assert_eq!(best, numbers(&case["best_moves"]), "{id}");
    }
}

#[test]
fn whole_games() {
    let oracle = oracle();
    let games = list(&oracle, "games");
    assert_eq!(games.len(), 6);
    for wanted in games {
        let mut game = DotsAndBoxes::new(number(&wanted["rows"]) as u8, number(&wanted["cols"]) as u8);
        let players = wanted["player_of_each_edge"].as_str().expect("digits").bytes();
        for (edge, player) in numbers(&wanted["edges_in_order"]).into_iter().zip(players) {
            assert_eq!(game.turn(), Turn::Player(usize::from(player - b'1')));
            game.play(game.parse_move(&edge.to_string()).expect("a free edge"));
        }
        assert_eq!(game.turn(), Turn::Over);
        let completed = game.completed().map(i64::from);
        assert_eq!(completed, ["final_boxes_p1", "final_boxes_p2"].map(|key| number(&wanted[key])));
    }
}

#[test]
fn state_s_by_name_and_by_its_history() {
    let oracle = oracle();
    let states = list(&oracle, "state_S");
    assert_eq!(states.len(), 3);
    for state in states {
        let id = state["id"].as_str().expect("a name");
        let named = game(&format!("dots-and-boxes:start={id}"));
        let (mut played, mut turns) = (DotsAndBoxes::default(), 0);
        for edge in numbers(&state["history"]) {
            let chosen = played.edge(edge as u32).expect("an edge");
            turns += u32::from(played.completes(chosen) == 0);
            played.play(chosen);
        }
        assert_eq!(turns, 26);
        assert_eq!(named.position_text(), played.position_text());
        let moves = named.moves();
        let edges = |free: bool| -> Vec<usize> {
            let all = (0..60).filter(|&edge| named.is_free(named.edge(edge).expect("one of 60")) == free);
            all.map(|edge| edge as usize).collect()
        };
        assert_eq!(edges(true), numbers(&state["free_edges"]));
        assert_eq!(edges(false), numbers(&state["drawn_edges"]));
        assert_eq!(moves.len(), 20);
        assert_eq!(named.completed(), [7, 7]);
        assert_eq!(named.mover(), Turn::Player(0));
        for (row, owners) in (0..).zip(list(state, "box_owner_rows")) {
            let wanted: Vec<Option<usize>> = owners.as_str().expect("a row").chars().map(|c| "AB".find(c)).collect();
            assert_eq!((0..5).map(|column| named.owner(row, column)).collect::<Vec<_>>(), wanted, "{id}");
        }
    }
}

/// A margin of the first player, and of how many orders.
type Margins = BTreeMap<i64, u64>;

/// Orders of the free edges by the margin that the side to move makes in them.
fn orders(position: &DotsAndBoxes, known: &mut BTreeMap<Vec<u32>, Margins>) -> Margins {
    let moves = position.moves();
    if moves.is_empty() {
        return Margins::from([(0, 1)]);
    }
    let key: Vec<u32> = (0..moves.len()).map(|index| position.edge_number(moves.get(index))).collect();
    if let Some(found) = known.get(&key) {
        return found.clone();
    }
    let mut counts = Margins::new();
    for index in 0..moves.len() {
        let completed = i64::from(position.completes(moves.get(index)));
        let mut next = *position;
        next.play(moves.get(index));
        for (margin, count) in orders(&next, known) {
            *counts.entry(if completed > 0 { completed + margin } else { -margin }).or_insert(0) += count;
        }
    }
    known.insert(key, counts.clone());
    counts
}

#[test]
fn random_games_by_all_their_orders() {
    let oracle = oracle();
    let boards = list(&oracle, "random_play_from_empty");
    assert_eq!(boards.len(), 5);
    for board in boards {
        let (rows, columns) = (number(&board["rows"]) as u8, number(&board["cols"]) as u8);
        let counts = orders(&DotsAndBoxes::new(rows, columns), &mut BTreeMap::new());
        let wanted: Margins = board["orders_by_first_player_margin"]
            .as_object()
            .expect("an object")
            .iter()
            .map(|(margin, count)| (margin.parse().expect("a margin"), count.as_u64().expect("a count")))
            .collect();
        assert_eq!(counts, wanted, "{rows}x{columns}");
        let all: u64 = counts.values().sum();
        assert_eq!(Some(all), board["orders"].as_u64());
        let real = |key: &str| board[key].as_f64().expect("a number");
        let share = |count: u64| count as f64 / all as f64;
        let wins: u64 = counts.range(1..).map(|(_, count)| count).sum();
        assert!((share(wins) - real("p_first_wins")).abs() < 1e-12);
        assert!((share(counts.get(&0).copied().unwrap_or(0)) - real("p_draw")).abs() < 1e-12);
        check_playouts(rows, columns, real("mean_margin"), Some([real("p_first_wins"), real("p_draw")]));
    }
    let means = oracle["random_play_mean_margin_first_player"].as_object().expect("an object");
    assert_eq!(means.len(), 6);
    for (board, mean) in means {
        let (rows, columns) = board.split_once('x').expect("rows and columns");
        let side = |text: &str| text.parse().expect("a side");
        check_playouts(side(rows), side(columns), mean.as_f64().expect("a mean"), None);
    }
}

/// Checks the mean margin of random playouts, and the shares of wins and draws, up to four standard errors.
fn check_playouts(rows: u8, columns: u8, mean: f64, shares: Option<[f64; 2]>) {
    const PLAYOUTS: u32 = 60_000;
    let mut rng = Seed::derive(u64::from(rows), 0, columns.into(), "random games").rng();
    let start = DotsAndBoxes::new(rows, columns);
    let (mut sum, mut squares, mut wins, mut draws) = (0, 0, 0, 0);
    for _ in 0..PLAYOUTS {
        let mut end = start;
        let points = end.playout(&mut rng);
        let margin = end.score_difference();
        sum += margin;
        squares += margin * margin;
        wins += u32::from(points == [1.0, 0.0]);
        draws += u32::from(points == [0.5; 2]);
    }
    let n = f64::from(PLAYOUTS);
    let found = sum as f64 / n;
    let error = ((squares as f64 / n - found * found) / n).sqrt();
    assert!((found - mean).abs() <= 4.0 * error, "{rows}x{columns}: {found} ± {error} instead of {mean}");
    for (count, share) in [wins, draws].into_iter().zip(shares.into_iter().flatten()) {
        let found = f64::from(count) / n;
        let error = (share * (1.0 - share) / n).sqrt();
        assert!((found - share).abs() <= 4.0 * error, "{rows}x{columns}: {found} ± {error} instead of {share}");
    }
}
