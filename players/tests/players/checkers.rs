//! The Checkers project's players against answers computed by other programs (games/tests/oracles/checkers.json).

use games::{
    Game as _, Moves as _, Seed, Turn, below,
    checkers::{Checkers, Rules},
};
use players::{PlayerSpec, artifacts::HeldArtifacts, registry};
use serde_json::Value;

/// The FEN of the oracle's rows.
fn fen(rows: &Value, to_move: &str) -> String {
    let mut sides = [Vec::new(), Vec::new()];
    for (row, line) in (0..).zip(rows.as_array().expect("rows")) {
        for (column, piece) in line.as_str().expect("a row").chars().enumerate() {
            // PDN numbers dark squares row by row.
            let number = row * 4 + column / 2 + 1;
            match piece {
                'w' => sides[0].push(format!("{number}")),
                'W' => sides[0].push(format!("K{number}")),
                'r' => sides[1].push(format!("{number}")),
                'R' => sides[1].push(format!("K{number}")),
                _ => {}
            }
        }
    }
    format!("{}:W{}:R{}", to_move.to_uppercase(), sides[0].join(","), sides[1].join(","))
}

fn midgame() -> Vec<(Checkers, Value)> {
    let oracle: Value = serde_json::from_str(include_str!("../../../games/tests/oracles/checkers.json")).expect("JSON");
    let positions = oracle["midgame"].as_array().expect("positions").clone();
    let position = |row: Value| {
        let text = fen(&row["rows"], row["to_move"].as_str().expect("a side"));
        (Checkers::under(Rules::Project).parse_position(&text).unwrap_or_else(|error| panic!("{error}")), row)
    };
    positions.into_iter().map(position).collect()
}

/// The place and captures of each best move.
fn best_moves(row: &Value) -> Vec<[u64; 3]> {
    let square = |at: &Value| {
        let at: Vec<u64> = at.as_array().expect("a square").iter().map(|n| n.as_u64().expect("a number")).collect();
        at[0] * 4 + at[1] / 2 + 1
    };
    let list = row["minimax3_report_best"].as_array().expect("moves");
    list.iter()
        .map(|best| {
            let captured = best["captured"].as_array().expect("a list").len() as u64;
            [square(&best["from"]), square(&best["to"]), captured]
        })
        .collect()
}

/// Three plies of proper minimax: every choice is one of the best moves, and each of them is chosen under some seed.
#[test]
fn minimax_plays_the_oracle_s_best_moves() {
    let positions = midgame();
    assert_eq!(positions.len(), 12);
    for player in ["minimax:depth=3,ties=random", "alpha-beta:depth=3"] {
        let spec: PlayerSpec = player.parse().expect("a player");
        for (position, row) in &positions {
            let mut wanted = best_moves(row);
            let mut player = registry::build(&spec, position, &HeldArtifacts::default()).expect("it plays");
            let mut found = Vec::new();
            for seed in 0..80 {
                player.start(&Seed::derive(0, 0, seed, "ties"));
                let chosen = player.decide(position).chosen;
                let [from, to] = chosen.squares();
                found.push([u64::from(from), u64::from(to), u64::from(chosen.captures())]);
            }
            found.sort_unstable();
            found.dedup();
            wanted.sort_unstable();
            wanted.dedup();
            assert_eq!(found, wanted, "{}", row["id"]);
        }
    }
}

/// The oracle's values of three plies, by a search that does nothing else.
#[test]
fn evaluations_add_up_to_the_oracle_s_values() {
    fn value(position: &Checkers, depth: u32, seat: usize) -> f64 {
        let moves = position.moves();
        if moves.is_empty() {
            return 1_000.0 * (2.0 * position.points()[seat] - 1.0);
        }
        if depth == 0 {
            return position.evaluate(seat);
        }
        let values = (0..moves.len()).map(|index| {
            let mut child = *position;
            child.play(moves.get(index));
            -value(&child, depth - 1, 1 - seat)
        });
        values.fold(f64::NEG_INFINITY, f64::max)
    }
    for (position, row) in midgame() {
        let seat = usize::from(row["to_move"] == "r");
        let of_white = if seat == 0 { 1.0 } else { -1.0 };
        let wanted = row["minimax3_report_value"].as_f64().expect("a number");
        assert_eq!(of_white * value(&position, 3, seat), wanted, "{}", row["id"]);
    }
}

/// White man on 22 (row 5, one before the last but one), Red man on 25: a step to 26 is worth a row, a jump of the man
/// a piece and two rows.
#[test]
fn what_a_move_promises() {
    let at = |fen: &str| Checkers::under(Rules::Project).parse_position(fen).expect("a position");
    let promises = |position: &Checkers, text: &str| position.prospect(position.parse_move(text).expect("legal"));
    let white = at("W:W22:R32,25");
    assert_eq!(promises(&white, "22-26"), 1.0);
    // From row 5 to row 7, where a man worth 10 becomes a king worth 15; and one piece captured.
    assert_eq!(promises(&white, "22x29"), 15.0 - 10.0 + 1.0);
    // Red counts 8 - row: from row 6 to row 5.
    assert_eq!(promises(&at("R:W1:R25"), "25-22"), 1.0);
}

/// The best that `seat` can reach with moves of its own alone, as the project's program searches: nothing is better
/// about a side that has lost than the pieces it lost.
fn alone(position: &Checkers, depth: u32, seat: usize) -> f64 {
    if position.with_mover(1 - seat).expect("either side can be asked").turn() == Turn::Over {
        return position.evaluate(seat);
    }
    let position = position.with_mover(seat).expect("either side can be asked");
    let moves = position.moves();
    if moves.is_empty() {
        return 1_000.0 * (2.0 * position.points()[seat] - 1.0);
    }
    if depth == 0 {
        return position.evaluate(seat);
    }
    let values = (0..moves.len()).map(|index| {
        let mut child = position;
        child.play(moves.get(index));
        alone(&child, depth - 1, seat)
    });
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Where it is never one side's turn twice there is no such search, and its spec is refused.
#[test]
fn other_games_have_no_moves_of_the_same_side() {
    let spec: PlayerSpec = "minimax:same-side-search=true".parse().expect("a player");
    let fault = |game: &str| spec.check_game(&game.parse().expect("a game"));
    assert_eq!(fault("checkers:rules=code"), Ok(()));
    let reason = fault("reversi").expect_err("no such positions").to_string();
    assert!(reason.contains("same-side-search") && reason.contains("reversi"), "{reason}");
}

/// A capture of the last piece is worth that piece, and a king that comes to the last row again half a piece: so a side
/// that is ahead has no reason to finish, as the project found. Red's king on 2 takes the last man by 2x9; three moves
/// of its own along the first row come to it twice.
#[test]
fn whoever_counts_arrivals_does_not_finish() {
    let decide = |spec: &str, start: Checkers, quiet: &str| {
        let position = start.parse_position(&format!("R:W6:RK2,K8{quiet}")).expect("a position");
        let spec: PlayerSpec = spec.parse().expect("a player");
        let mut player = registry::build(&spec, &position, &HeldArtifacts::default()).expect("it plays");
        position.move_text(player.decide(&position).chosen)
    };
    let start = Checkers::under(Rules::Code);
    assert_eq!(decide("minimax", start, ""), "2x9");
    let alone = |quiet| decide("minimax:same-side-search=true", start.counting_arrivals(), quiet);
    assert_ne!(alone(""), "2x9");
    // One ply before a draw that it does not see.
    assert_eq!(alone(":H19"), alone(""));
}

/// A game that is won within the three moves ends there: nothing that its winner might do afterwards counts.
#[test]
fn nobody_moves_on_in_a_won_game() {
    let spec: PlayerSpec = "minimax:same-side-search=true".parse().expect("a player");
    let start = Checkers::under(Rules::Project);
    let mut player = registry::build(&spec, &start, &HeldArtifacts::default()).expect("it plays");
    // A last piece that can be taken at once, and men of the taker that are about to be kings.
    for fen in ["W:W22,26:R25", "W:WK10,25:R15", "R:RK2,8:W6", "R:R11,K19:W15", "W:W17,25,K6:R22"] {
        let position = start.parse_position(fen).expect("a position");
        let Turn::Player(seat) = position.turn() else { panic!("{fen} is over") };
        let moves = position.moves();
        let value = |index| {
            let mut child = position;
            child.play(moves.get(index));
            alone(&child, 2, seat)
        };
        let values: Vec<f64> = (0..moves.len()).map(value).collect();
        let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let last = (0..values.len()).rfind(|&index| values[index] == top).expect("a best move");
        let chosen = player.decide(&position).chosen;
        assert_eq!(position.move_text(chosen), position.move_text(moves.get(last)), "{fen}: {values:?}");
    }
}

/// With the program's defect three moves of the same side follow one another, and the last of the best is played.
#[test]
fn the_same_side_may_move_three_times() {
    let spec: PlayerSpec = "minimax:same-side-search=true".parse().expect("a player");
    let proper: PlayerSpec = "minimax".parse().expect("a player");
    let start = Checkers::under(Rules::Project);
    let mut players =
        [&spec, &proper].map(|spec| registry::build(spec, &start, &HeldArtifacts::default()).expect("it plays"));
    let (mut decisions, mut different) = (0, 0);
    for game in 0..6 {
        let seed = Seed::derive(8, 0, game, "positions");
        let mut rng = seed.rng();
        let mut position = start;
        while let Turn::Player(seat) = position.turn() {
            let moves = position.moves();
            if moves.len() > 1 && below(&mut rng, 5) == 0 {
                let value = |index| {
                    let mut child = position;
                    child.play(moves.get(index));
                    alone(&child, 2, seat)
                };
                let values: Vec<f64> = (0..moves.len()).map(value).collect();
                let top = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let last = (0..values.len()).rfind(|&index| values[index] == top).expect("a best move");
                let chosen = players.each_mut().map(|player| player.decide(&position).chosen);
                assert_eq!(chosen[0], moves.get(last), "{}", position.position_text());
                decisions += 1;
                different += u32::from(chosen[0] != chosen[1]);
            }
            position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
        }
    }
    assert!(decisions > 50 && different > 5, "{different} of {decisions} differ from proper minimax");
}
