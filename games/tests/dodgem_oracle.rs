//! Dodgem against answers computed by another program (tests/oracles/dodgem.json; dossier dodgem, section 4).

mod solver;

use std::collections::BTreeSet;

use games::{Game as _, Moves as _, Seed, Turn, dodgem::Dodgem, features::Views, perft};
use serde_json::{Value, json};
use solver::{Outcome, Solver};

fn oracle() -> Value {
    serde_json::from_str(include_str!("oracles/dodgem.json")).expect("JSON")
}

/// Without a cap that matters.
fn start(size: u8) -> Dodgem {
    Dodgem::new(size, 60_000, 60_000)
}

fn position(text: &str) -> Dodgem {
    let size = text.split('/').count();
    start(u8::try_from(size).expect("a size")).parse_position(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A move as the oracle writes it: row and column from the top left, 0-based, then where it goes.
fn move_text(wanted: &Value) -> String {
    let square = |row: &Value, column: &Value| {
        let (row, column) = (row.as_u64().expect("a row"), column.as_u64().expect("a column"));
        format!("{}{}", (b'a' + column as u8) as char, row + 1)
    };
    let from = square(&wanted[0], &wanted[1]);
    if wanted[2] == "off" { format!("{from}off") } else { from + &square(&wanted[2], &wanted[3]) }
}

fn legal(position: &Dodgem) -> BTreeSet<String> {
    let moves = position.moves();
    (0..moves.len()).map(|i| position.move_text(moves.get(i))).collect()
}

#[test]
fn perft_and_distinct_positions() {
    // As deep as takes a second or two in a test build.
    for (size, depth) in [(3, 12), (4, 9), (5, 8)] {
        let counts: Vec<u64> = (1..=depth).map(|depth| perft(&start(size), depth)).collect();
        let wanted = &oracle()[format!("perft_{size}x{size}")];
        assert_eq!(json!(counts), json!(wanted.as_array().expect("counts")[..depth as usize]));
        let mut level = BTreeSet::from([start(size).cars()]);
        let mut seat = 0;
        let mut distinct = Vec::new();
        for _ in 0..depth.min(9) {
            let mut next = BTreeSet::new();
            for cars in level {
                let text = |cars: [u32; 2]| {
                    let row = |row: u32| -> String {
                        let square = |column| match cars.map(|c| c >> (row * u32::from(size) + column) & 1) {
                            [1, _] => 'b',
                            [_, 1] => 'w',
                            _ => '.',
                        };
                        (0..u32::from(size)).map(square).collect()
                    };
                    (0..u32::from(size)).map(row).collect::<Vec<_>>().join("/")
                };
                let before = position(&format!("{} {}", text(cars), ["b", "w"][seat]));
                let moves = before.moves();
                for i in 0..moves.len() {
                    let mut after = before;
                    after.play(moves.get(i));
                    next.insert(after.cars());
                }
            }
            seat = 1 - seat;
            distinct.push(next.len());
            level = next;
        }
        let wanted = &oracle()[format!("distinct_positions_by_ply_{size}x{size}")];
        assert_eq!(json!(distinct), json!(wanted.as_array().expect("counts")[..distinct.len()]));
    }
}

#[test]
fn rules_by_example() {
    for example in oracle()["examples"].as_array().expect("examples") {
        let (text, why) = (example["position"].as_str().expect("a position"), example["why"].as_str().expect("why"));
        let position = position(text);
        let wanted: BTreeSet<String> = example["legal"].as_array().expect("moves").iter().map(move_text).collect();
        assert_eq!(legal(&position), wanted, "{text}: {why}");
        let Turn::Player(mover) = position.mover() else { panic!("somebody moves") };
        let wins = position.turn() == Turn::Over && position.points()[mover] == 1.0;
        assert_eq!(example["side_to_move_wins_now"], wins, "{text}: {why}");
        assert_eq!(example["friendly_pos_count"], position.steps_left(mover), "{text}: {why}");
        assert_eq!(example["enemy_pos_count"], position.steps_left(1 - mover), "{text}: {why}");
        // The numbers of table IX are the same, and mobility is the number of legal moves.
        let mut views = Views::new();
        position.look(mover, u32::MAX, 2, &mut views);
        let number = |name: &str| {
            let names = position.features().expect("it tells").numbers;
            views.numbers[names.iter().position(|known| *known == name).expect("a number")][2]
        };
        assert_eq!(number("FriendlyPosCount"), f64::from(position.steps_left(mover)));
        assert_eq!(number("PosCount"), number("FriendlyPosCount") - number("EnemyPosCount"));
        assert_eq!(number("Mobility"), wanted.len() as f64);
        let cars = position.cars().map(|cars| f64::from(cars.count_ones()));
        assert_eq!([number("FriendlyManCount"), number("EnemyManCount")], [cars[mover], cars[1 - mover]]);
        assert_eq!(number("ManCount"), cars[mover] - cars[1 - mover]);
    }
}

fn outcome(wanted: &Value) -> Outcome {
    match (wanted[0].as_str(), wanted[1].as_u64()) {
        (Some("win"), Some(plies)) => Outcome::Win(plies as u32),
        (Some("loss"), Some(plies)) => Outcome::Loss(plies as u32),
        _ => Outcome::Draw,
    }
}

#[track_caller]
fn solved(size: u8, counts: [u64; 4], wanted_start: Outcome) {
    let solver = Solver::new(start(size));
    let of = |kind: fn(&Outcome) -> bool| solver.outcomes().filter(kind).count() as u64;
    let found = [
        solver.outcomes().count() as u64,
        of(|outcome| matches!(outcome, Outcome::Win(_))),
        of(|outcome| matches!(outcome, Outcome::Loss(_))),
        of(|outcome| *outcome == Outcome::Draw),
    ];
    assert_eq!(found, counts, "reachable, won, lost, drawn");
    assert_eq!(solver.outcome(&start(size)), wanted_start);
    for sample in oracle()[format!("values_{size}x{size}")].as_array().expect("samples") {
        let text = sample[0].as_str().expect("a position");
        assert_eq!(solver.outcome(&position(text)), outcome(&sample[1]), "{text}");
    }
}

#[test]
fn solved_3x3() {
    let wanted = &oracle()["solved_3x3"];
    let count = |key: &str| wanted[key].as_u64().expect("a count");
    solved(
        3,
        [count("reachable_positions"), count("side_to_move_wins"), count("side_to_move_loses"), count("draws")],
        // "first player wins in 20 plies"
        Outcome::Win(20),
    );
}

#[test]
fn solved_4x4() {
    let wanted = &oracle()["solved_4x4"];
    let count = |key: &str| wanted[key].as_u64().expect("a count");
    solved(
        4,
        [count("reachable_positions"), count("side_to_move_wins"), count("side_to_move_loses"), count("draws")],
        Outcome::Draw,
    );
}

#[test]
fn random_play_has_the_known_shares() {
    for wanted in oracle()["random_play"].as_array().expect("rows") {
        let (size, cap) = (wanted["n"].as_u64().expect("a size"), wanted["cap"].as_u64().expect("a cap"));
        let cap = u16::try_from(cap.min(60_000)).expect("below the cap's own limit");
        let start = Dodgem::new(size as u8, 60_000, cap);
        const GAMES: u32 = 20_000;
        let mut shares = [0.0; 3];
        for index in 0..GAMES {
            let mut rng = Seed::derive(11, size as u32, index.into(), "random play").rng();
            let points = start.clone().playout(&mut rng);
            shares[if points[0] == 1.0 {
                0
            } else if points[1] == 1.0 {
                1
            } else {
                2
            }] += 1.0 / f64::from(GAMES);
        }
        let games = wanted["games"].as_f64().expect("games");
        for (share, key) in shares.iter().zip(["black", "white", "draw"]) {
            let other = wanted[key].as_f64().expect("a share");
            // Four standard errors of the difference.
            let error = (other * (1.0 - other) * (1.0 / games + 1.0 / f64::from(GAMES))).sqrt();
            assert!((share - other).abs() <= 4.0 * error + 1e-4, "{size}, {cap}: {key} {share} and {other}");
        }
    }
}
