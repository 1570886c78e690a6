//! Dodgem against answers computed by another program (tests/oracles/dodgem.json).

use std::collections::BTreeMap;

use games::{Game as _, Moves as _, Seed, Turn, below, dodgem::Dodgem, features::Views, perft};
use serde_json::Value as Json;

use crate::retrograde::{Solved, Value, solve};

/// A cap that no game of random or perfect play reaches.
const NO_CAP: u16 = 60_000;

fn oracle() -> Json {
    serde_json::from_str(include_str!("../oracles/dodgem.json")).expect("JSON")
}

fn start(size: u8) -> Dodgem {
    Dodgem::new(size, NO_CAP, NO_CAP)
}

fn list<'a>(oracle: &'a Json, key: &str) -> &'a Vec<Json> {
    oracle[key].as_array().unwrap_or_else(|| panic!("no list {key}"))
}

fn number(wanted: &Json) -> u64 {
    wanted.as_u64().unwrap_or_else(|| panic!("{wanted} is not a count"))
}

/// A position without its plies.
fn key(position: &Dodgem) -> u64 {
    let [black, white] = position.cars();
    u64::from(black) | u64::from(white) << 25 | u64::from(position.mover() == Turn::Player(1)) << 50
}

/// The oracle writes a move as [row, column, row, column] or [row, column, "off"].
fn move_text(wanted: &Json) -> String {
    let square = |at: usize| {
        let place = |i: usize| number(&wanted[i]) as u8;
        format!("{}{}", (b'a' + place(at + 1)) as char, place(at) + 1)
    };
    let to = if wanted[2] == "off" { "off".to_owned() } else { square(2) };
    square(0) + &to
}

#[test]
fn leaves_of_the_tree() {
    let oracle = oracle();
    for size in 3..=5 {
        let counts = list(&oracle, &format!("perft_{size}x{size}"));
        for (depth, wanted) in (1..).zip(counts) {
            assert_eq!(perft(&start(size), depth), number(wanted), "size {size} depth {depth}");
        }
    }
}

#[test]
fn distinct_positions_by_ply() {
    let oracle = oracle();
    for size in 3..=5 {
        let counts = list(&oracle, &format!("distinct_positions_by_ply_{size}x{size}"));
        let mut layer = BTreeMap::from([(key(&start(size)), start(size))]);
        for (ply, wanted) in (1..).zip(counts) {
            let mut next = BTreeMap::new();
            for position in layer.values() {
                let moves = position.moves();
                for i in 0..moves.len() {
                    let mut after = *position;
                    after.play(moves.get(i));
                    next.insert(key(&after), after);
                }
            }
            layer = next;
            assert_eq!(layer.len() as u64, number(wanted), "size {size} ply {ply}");
        }
    }
}

#[test]
fn rules_by_example() {
    let oracle = oracle();
    let examples = list(&oracle, "examples");
    assert_eq!(examples.len(), 8);
    for example in examples {
        let (text, why) = (example["position"].as_str().expect("a text"), &example["why"]);
        let position = start(5).parse_position(text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(position.position_text(), text);
        let moves = position.moves();
        let mut legal: Vec<String> = (0..moves.len()).map(|i| position.move_text(moves.get(i))).collect();
        legal.sort();
        let mut wanted: Vec<String> = list(example, "legal").iter().map(move_text).collect();
        wanted.sort();
        assert_eq!(legal, wanted, "{why}");
        let seat = usize::from(text.ends_with('w'));
        assert_eq!(position.mover(), Turn::Player(seat), "{why}");
        let wins = example["side_to_move_wins_now"].as_bool().expect("a truth");
        assert_eq!(position.turn() == Turn::Over, wins, "{why}");
        assert_eq!(position.points()[seat], if wins { 1.0 } else { 0.5 }, "{why}");
        let [own, other] = ["friendly_pos_count", "enemy_pos_count"].map(|key| number(&example[key]));
        check_features(&position, seat, [own, other], wanted.len());
        let steps = [own, other].map(|steps| steps as i64);
        assert_eq!(position.score_difference(), steps[1 - seat] - steps[seat], "{why}");
    }
}

/// `wanted`: steps of the friendly and of the enemy side; what is counted on the board is counted in the text.
fn check_features(position: &Dodgem, friendly: usize, wanted: [u64; 2], mobility: usize) {
    let features = position.features().expect("Dodgem tells of its positions");
    assert_eq!((features.rows(), features.columns()), (5, 5));
    let mut views = Views::new();
    position.look(friendly, u32::MAX, 2, &mut views);
    let text = position.position_text();
    let squares = text.split(' ').next().expect("a board").replace('/', "");
    let set = |car: char| -> u64 { (0..).zip(squares.chars()).filter(|&(_, c)| c == car).map(|(i, _)| 1 << i).sum() };
    let [own, other] = if friendly == 0 { ['b', 'w'] } else { ['w', 'b'] }.map(set);
    assert_eq!([views.friendly[2], views.enemy[2]], [own, other], "{text}");
    let [men, enemies] = [own, other].map(|set| f64::from(set.count_ones()));
    let [steps, enemy_steps] = wanted.map(|steps| steps as f64);
    let named = [
        ("EnemyManCount", enemies),
        ("FriendlyManCount", men),
        ("ManCount", men - enemies),
        ("Mobility", mobility as f64),
        ("FriendlyPosCount", steps),
        ("EnemyPosCount", enemy_steps),
        ("PosCount", steps - enemy_steps),
    ];
    assert_eq!(features.numbers().len(), named.len());
    for (i, (name, value)) in named.into_iter().enumerate() {
        assert_eq!((features.numbers()[i], views.numbers[i][2]), (name, value), "{text}");
    }
}

/// The side that is not to move sees the features of the same cars at its turn.
#[test]
fn the_waiting_side_sees_its_own_moves() {
    for example in list(&oracle(), "examples") {
        let text = example["position"].as_str().expect("a text");
        let (board, side) = text.split_once(' ').expect("a side");
        let other_text = format!("{board} {}", if side == "b" { "w" } else { "b" });
        let [one, other] = [text, &other_text].map(|text| start(5).parse_position(text).expect("a position"));
        for friendly in 0..2 {
            let mut views = [Views::new(), Views::new()];
            one.look(friendly, u32::MAX, 0, &mut views[0]);
            other.look(friendly, u32::MAX, 0, &mut views[1]);
            assert_eq!(views[0].numbers, views[1].numbers, "{text}");
            let at_turn = if one.mover() == Turn::Player(friendly) { one } else { other };
            assert_eq!(views[0].numbers[3][0], at_turn.moves().len() as f64, "{text}");
        }
    }
}

#[test]
fn a_cap_of_plies_makes_a_draw() {
    let rules = Dodgem::new(3, 2, 100);
    let mut position = rules;
    for text in ["a2b2", "c1c2"] {
        assert_ne!(position.turn(), Turn::Over);
        position.play(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")));
    }
    assert_eq!((position.turn(), position.points()), (Turn::Over, [0.5; 2]));
    // A side that cannot move still wins.
    let position = rules.parse_position("w../.../... b 2").expect("a position");
    assert_eq!((position.turn(), position.points()), (Turn::Over, [1.0, 0.0]));
}

/// The oracle writes ["win", plies], ["loss", plies] or "draw".
fn value(wanted: &Json) -> Value {
    let plies = || number(&wanted[1]) as u32;
    match wanted.as_str().or(wanted[0].as_str()) {
        Some("win") => Value::Win(plies()),
        Some("loss") => Value::Loss(plies()),
        Some("draw") => Value::Draw,
        _ => panic!("{wanted} is not a value"),
    }
}

fn solved(size: u8) -> Solved {
    // Who has no move at its own turn has won.
    solve(start(size), key, |_| Value::Win(0))
}

fn check_values(solved: &Solved, size: u8, oracle: &Json) {
    let counts = &oracle[format!("solved_{size}x{size}")];
    let count = |test: fn(&Value) -> bool| solved.values().iter().filter(|value| test(value)).count() as u64;
    assert_eq!(solved.values().len() as u64, number(&counts["reachable_positions"]));
    assert_eq!(count(|value| matches!(value, Value::Win(_))), number(&counts["side_to_move_wins"]));
    assert_eq!(count(|value| matches!(value, Value::Loss(_))), number(&counts["side_to_move_loses"]));
    assert_eq!(count(|value| *value == Value::Draw), number(&counts["draws"]));
    for row in list(oracle, &format!("values_{size}x{size}")) {
        let position = start(size).parse_position(row[0].as_str().expect("a text")).expect("a position");
        assert_eq!(solved.value(key(&position)), Some(value(&row[1])), "{row}");
    }
}

fn after(size: u8, wanted: &Json) -> u64 {
    let mut position = start(size);
    position.play(position.parse_move(&move_text(wanted)).unwrap_or_else(|error| panic!("{error}")));
    key(&position)
}

#[test]
fn perfect_play_on_three() {
    let oracle = oracle();
    let solved = solved(3);
    check_values(&solved, 3, &oracle);
    assert_eq!(list(&oracle, "values_3x3").len(), 40);
    assert_eq!(oracle["solved_3x3"]["start"], "first player wins in 20 plies");
    assert_eq!(solved.values()[0], Value::Win(20));
    // Plies of the game, so the reply side's value is one ply nearer.
    for row in list(&oracle["solved_3x3"], "first_moves") {
        let plies = number(&row[2]) as u32 - 1;
        let wanted = if row[1] == "wins" { Value::Loss(plies) } else { Value::Win(plies) };
        assert_eq!(solved.value(after(3, &row[0])), Some(wanted), "{row}");
    }
}

#[test]
fn perfect_play_on_four() {
    let oracle = oracle();
    let solved = solved(4);
    check_values(&solved, 4, &oracle);
    assert_eq!(list(&oracle, "values_4x4").len(), 30);
    assert_eq!(oracle["solved_4x4"]["start"], "draw");
    assert_eq!(solved.values()[0], Value::Draw);
    let plies = solved.values().iter().map(|value| match value {
        Value::Win(plies) | Value::Loss(plies) => u64::from(*plies),
        Value::Draw => 0,
    });
    let longest = plies.max().expect("positions");
    assert_eq!(longest, number(&oracle["solved_4x4"]["longest_win_plies"]));
    for row in list(&oracle["solved_4x4"], "first_moves_value_for_the_reply_side") {
        assert_eq!(solved.value(after(4, &row[0])), Some(value(&row[1])), "{row}");
    }
}

/// Shares of random games: ours and the oracle's are both samples, so they differ by four standard errors at most.
#[test]
fn random_games_have_the_oracles_statistics() {
    const GAMES: u64 = 20_000;
    let oracle = oracle();
    let rows = list(&oracle, "random_play");
    assert_eq!(rows.len(), 3);
    for row in rows {
        let cap = number(&row["cap"]).min(u64::from(NO_CAP)) as u16;
        let start = Dodgem::new(number(&row["n"]) as u8, cap, NO_CAP);
        let (mut shares, mut plies, mut squares) = ([0.0; 3], 0.0, 0.0);
        for index in 0..GAMES {
            let mut rng = Seed::derive(3, 0, index, "random game").rng();
            let mut position = start;
            while position.turn() != Turn::Over {
                let moves = position.moves();
                position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            }
            let [black, white] = position.points();
            shares[if black > white { 0 } else { 2 - usize::from(white > black) }] += 1.0 / GAMES as f64;
            let length = f64::from(position.plies());
            plies += length / GAMES as f64;
            squares += length * length / GAMES as f64;
        }
        let theirs = row["games"].as_f64().expect("games");
        let near = |found: f64, key: &str, variance: f64| {
            let error = (variance * (1.0 / GAMES as f64 + 1.0 / theirs)).sqrt();
            let wanted = row[key].as_f64().expect("a figure");
            // The oracle's shares are rounded to four places.
            assert!((found - wanted).abs() < 4.0 * error + 1e-4, "{key} of {row}: {found}");
        };
        for (share, key) in shares.into_iter().zip(["black", "white", "draw"]) {
            near(share, key, share * (1.0 - share));
        }
        near(plies, "mean_plies", squares - plies * plies);
    }
}

/// A playout's cap counts from its start and gives both sides half a point, as the game's cap does.
#[test]
fn playouts_have_the_oracles_statistics() {
    const PLAYOUTS: u64 = 20_000;
    let oracle = oracle();
    let wanted = &list(&oracle, "random_play")[0];
    let cap = number(&wanted["cap"]) as u16;
    for start in [Dodgem::new(5, NO_CAP, cap), Dodgem::new(5, cap, NO_CAP)] {
        let (mut black, mut draws) = (0.0, 0.0);
        for index in 0..PLAYOUTS {
            let points = start.clone().playout(&mut Seed::derive(4, 0, index, "playout").rng());
            black += f64::from(u8::from(points == [1.0, 0.0])) / PLAYOUTS as f64;
            draws += f64::from(u8::from(points == [0.5; 2])) / PLAYOUTS as f64;
        }
        let theirs = wanted["games"].as_f64().expect("games");
        for (found, key) in [(black, "black"), (draws, "draw")] {
            let error = (found * (1.0 - found) * (1.0 / PLAYOUTS as f64 + 1.0 / theirs)).sqrt();
            let wanted = wanted[key].as_f64().expect("a share");
            assert!((found - wanted).abs() < 4.0 * error, "{key}: {found}, not {wanted}");
        }
    }
}
