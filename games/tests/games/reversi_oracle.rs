//! Reversi against answers computed by another program (tests/oracles/reversi.json).

use games::{Game as _, Moves as _, Seed, Turn, perft, reversi::Reversi};
use serde_json::Value;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracles/reversi.json")).expect("JSON")
}

fn play(line: &str) -> Reversi {
    let mut position = Reversi::new();
    for text in line.split_whitespace() {
        let chosen = position.parse_move(text).unwrap_or_else(|error| panic!("{line}: {error}"));
        position.play(chosen);
    }
    position
}

#[track_caller]
fn check(wanted: &Value) {
    let line = wanted["line"].as_str().expect("a line");
    let position = play(line);
    let hex = |key: &str| u64::from_str_radix(wanted[key].as_str().expect("hex"), 16).expect("hex");
    assert_eq!(position.discs(), [hex("black"), hex("white")], "{line}");
    let over = wanted["game_over"].as_bool().expect("a truth");
    assert_eq!(position.turn() == Turn::Over, over, "{line}");
    let moves = position.moves();
    let mut legal: Vec<String> = (0..moves.len()).map(|i| position.move_text(moves.get(i))).collect();
    let must_pass = wanted["must_pass"].as_bool().expect("a truth");
    assert_eq!(legal == ["pass"], must_pass, "{line}");
    legal.retain(|text| text != "pass");
    legal.sort();
    let texts = wanted["legal"].as_array().expect("moves").iter();
    let mut wanted_legal: Vec<String> = texts.map(|text| text.as_str().expect("a move").to_owned()).collect();
    wanted_legal.sort();
    assert_eq!(legal, wanted_legal, "{line}");
    let seat = usize::from(wanted["to_move"] == "white");
    assert_eq!(position.mover(), Turn::Player(seat), "{line}");
    let discs = position.discs().map(u64::count_ones);
    assert_eq!(serde_json::json!(discs), wanted["discs"], "{line}");
    assert_eq!(position.score_difference(), i64::from(discs[0]) - i64::from(discs[1]));
    let [friends, enemies] = position.man_counts();
    let [our_corners, their_corners] = position.corner_counts();
    let features = serde_json::json!({
        "FriendlyManCount": friends, "EnemyManCount": enemies,
        "ManCount": i64::from(friends) - i64::from(enemies), "Mobility": position.mobility(),
        "FriendlyCornerCount": our_corners, "EnemyCornerCount": their_corners,
        "CornerCount": i64::from(our_corners) - i64::from(their_corners),
    });
    assert_eq!(features, wanted["features_side_to_move"], "{line}");
}

#[test]
fn positions() {
    let oracle = oracle();
    check(&oracle["start"]);
    check(&oracle["wipe_out"]);
    let positions = oracle["positions"].as_array().expect("positions");
    assert_eq!(positions.len(), 12);
    positions.iter().for_each(check);
}

#[test]
fn perft_as_published() {
    let oracle = oracle();
    let counts = oracle["perft"]["1..9 verified here"].as_array().expect("counts");
    for (depth, wanted) in (1..).zip(counts) {
        assert_eq!(perft(&Reversi::new(), depth), wanted.as_u64().expect("a count"), "depth {depth}");
    }
    assert_eq!(counts.len(), 9);
}

#[test]
fn divide_adds_up_to_perft() {
    let moves = games::divide(&Reversi::new(), 6);
    assert_eq!(moves.len(), 4);
    assert_eq!(moves.iter().map(|(_, leaves)| leaves).sum::<u64>(), 8_200);
}

/// Shares of random games: ours and the oracle's are both samples, so they differ by four standard errors at most.
#[test]
fn random_games_have_the_oracles_statistics() {
    const GAMES: u64 = 20_000;
    let wanted = &oracle()["random_vs_random"];
    let (mut black, mut white, mut plies, mut passes) = (0.0, 0.0, 0.0, 0.0);
    for index in 0..GAMES {
        let mut rng = Seed::derive(3, 0, index, "random game").rng();
        let mut position = Reversi::new();
        while position.turn() != Turn::Over {
            let moves = position.moves();
            let chosen = moves.get(games::below(&mut rng, moves.len() as u32) as usize);
            passes += f64::from(u8::from(chosen.square().is_none()));
            position.play(chosen);
            plies += 1.0;
        }
        black += f64::from(u8::from(position.points()[0] == 1.0));
        white += f64::from(u8::from(position.points()[1] == 1.0));
    }
    let (games, theirs) = (GAMES as f64, wanted["games"].as_f64().expect("games"));
    let near = |found: f64, key: &str, deviation: f64| {
        let error = deviation * (1.0 / games + 1.0 / theirs).sqrt();
        let wanted = wanted[key].as_f64().expect("a figure");
        assert!((found - wanted).abs() < 4.0 * error, "{key}: {found}, not {wanted}");
    };
    near(black / games, "black_win", 0.5);
    near(white / games, "white_win", 0.5);
    // Deviations of plies and passes of a random game, measured on the safe side.
    near(plies / games, "mean_plies_with_passes", 1.5);
    near(passes / games, "mean_passes", 1.0);
}
