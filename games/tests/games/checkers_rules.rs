//! When a game of Checkers ends, and how (docs/papers/checkers.md, "Rules").

use games::{
    Game as _, Moves as _, Seed, Turn, below,
    checkers::{Checkers, Rules},
};

/// Plays `moves` from `fen` under `rules` with a draw after `draw_plies` and a cap of `plies_max`.
#[track_caller]
fn play(rules: Rules, [draw_plies, plies_max]: [u16; 2], fen: &str, moves: &str) -> Checkers {
    let start = Checkers::new(rules, plies_max, plies_max, draw_plies);
    let mut position = start.parse_position(fen).unwrap_or_else(|error| panic!("{error}"));
    for text in moves.split_whitespace() {
        position.play(position.parse_move(text).unwrap_or_else(|error| panic!("{error}")));
    }
    position
}

const ON: Option<[f64; 2]> = None;
const WHITE: Option<[f64; 2]> = Some([1.0, 0.0]);
const RED: Option<[f64; 2]> = Some([0.0, 1.0]);
const DRAW: Option<[f64; 2]> = Some([0.5; 2]);

/// `wanted` are the points, `ON` if the game goes on.
#[track_caller]
fn check(rules: Rules, limits: [u16; 2], fen: &str, moves: &str, wanted: Option<[f64; 2]>) {
    let position = play(rules, limits, fen, moves);
    let found = (position.turn() == Turn::Over).then(|| position.points());
    assert_eq!(found, wanted, "{rules:?}: {}", position.position_text());
    assert_eq!(position.points(), wanted.unwrap_or([0.5; 2]));
}

/// That many plies of two kings that stay away from one another.
fn wander(plies: usize) -> String {
    ["1-6", "32-27", "6-1", "27-32"].into_iter().cycle().take(plies).collect::<Vec<_>>().join(" ")
}

#[test]
fn who_cannot_move_loses() {
    for rules in [Rules::Project, Rules::Code] {
        check(rules, [20, 400], "W:W:R21", "", RED);
        check(rules, [20, 400], "R:W1:R", "", WHITE);
        // The man on 21 can jump over 17 if 14 is empty.
        check(rules, [20, 400], "R:W17,13:R21", "", ON);
        check(rules, [20, 400], "R:W17,14:R21", "", WHITE);
        check(rules, [20, 400], "W:W21:R25,30", "", RED);
        check(rules, [20, 400], "W:W1,5:R14,K6", "1x10", ON);
        // The last piece is taken.
        check(rules, [20, 400], "W:W1:R6", "1x10", WHITE);
    }
    check(Rules::English, [80, 400], "B:B:W21", "", RED);
    check(Rules::English, [80, 400], "B:B1:W6", "1x10", WHITE);
    // A side without a move loses even where a draw or the cap is reached.
    check(Rules::Project, [1, 400], "W:W:RK21:H1", "", RED);
    check(Rules::Project, [20, 2], "W:W1:R6:F2", "", DRAW);
    check(Rules::Project, [20, 2], "W:W:R21:F2", "", RED);
}

#[test]
fn the_project_draws_with_kings_only() {
    let rules = Rules::Project;
    check(rules, [20, 400], "W:WK1:RK32", &wander(19), ON);
    check(rules, [20, 400], "W:WK1:RK32", &wander(20), DRAW);
    // With a man on the board the game goes on, though the plies are counted.
    check(rules, [20, 400], "W:WK1,4:RK32", &wander(20), ON);
    let late = play(rules, [20, 400], "W:WK1,26:RK32", &(wander(20) + " 26-31"));
    assert_eq!((late.quiet_plies(), late.turn(), late.points()), (20, Turn::Over, [0.5; 2]));
    // A capture resets the count; a man's step does not.
    check(rules, [3, 400], "W:WK1:RK6,K32:H2", "1x10", ON);
    assert_eq!(play(rules, [3, 400], "W:WK1:RK6,K32:H2", "1x10").quiet_plies(), 0);
    assert_eq!(play(rules, [3, 400], "W:W1:RK32:H1", "1-5").quiet_plies(), 2);
}

#[test]
fn the_code_and_english_draughts_count_plies_of_kings() {
    for (rules, fen) in [(Rules::Code, "W:WK1,4:RK32"), (Rules::English, "B:BK1,4:WK32")] {
        check(rules, [20, 400], fen, &wander(19), ON);
        check(rules, [20, 400], fen, &wander(20), DRAW);
        // Any other move resets the count.
        assert_eq!(play(rules, [20, 400], fen, &(wander(18) + " 4-8")).quiet_plies(), 0);
        check(rules, [20, 400], fen, &(wander(18) + " 4-8"), ON);
    }
    assert_eq!(play(Rules::English, [20, 400], "B:BK1:WK6,K32:H9", "1x10").quiet_plies(), 0);
    assert_eq!([20, 20, 80], Rules::ALL.map(Rules::draw_plies));
}

#[test]
fn a_cap_of_plies_makes_a_draw() {
    for rules in [Rules::Project, Rules::Code] {
        check(rules, [20, 6], "W:WK1:RK32", &wander(5), ON);
        check(rules, [20, 6], "W:WK1:RK32", &wander(6), DRAW);
    }
    // A playout's cap counts from its start.
    let start = Checkers::new(Rules::Project, 400, 30, 20);
    let mut game = play(Rules::Project, [20, 400], "W:WK1,4:RK32,21", &wander(4));
    game = start.parse_position(&game.position_text()).expect("a position");
    let begun = game.plies();
    let points = game.playout(&mut games::Seed::derive(1, 0, 0, "cap").rng());
    assert!(game.turn() == Turn::Over || (game.plies() == begun + 30 && points == [0.5; 2]));
}

/// Positions are equal when nothing that follows can differ.
#[test]
fn quiet_plies_beyond_a_draw_tell_nothing_apart() {
    let fen = "W:WK1,4:RK32:H20";
    let [one, two] = [wander(0), wander(4)].map(|moves| play(Rules::Project, [20, 400], fen, &moves));
    assert_eq!(one.quiet_plies(), two.quiet_plies());
    assert_eq!(two, one.parse_position("W:WK1,4:RK32:H20:F3").expect("a position"));
    assert_ne!(one, two);
    assert_ne!(one, one.parse_position("W:WK1,4:RK32").expect("a position"));
}

/// A White man on 5 behind Red men on 9 and 14 has no move.
#[test]
fn who_is_blocked_loses_or_passes() {
    let after = |start: Checkers| {
        let mut position = start.parse_position("R:W5:R9,14,32").expect("a position");
        position.play(position.parse_move("32-28").expect("legal"));
        position
    };
    let lost = after(Checkers::under(Rules::Code));
    assert_eq!((lost.turn(), lost.points()), (Turn::Over, [0.0, 1.0]));
    let passed = after(Checkers::under(Rules::Code).passing());
    assert_eq!((passed.turn(), passed.plies()), (Turn::Player(1), 3));
    // If both sides are blocked, the side to move loses.
    for (to_move, points) in [("W", [0.0, 1.0]), ("R", [1.0, 0.0])] {
        let start = Checkers::under(Rules::Code).passing();
        let stuck = start.parse_position(&format!("{to_move}:W21-28:R29-32")).expect("a position");
        assert_eq!((stuck.turn(), stuck.points()), (Turn::Over, points), "{to_move}");
    }
    // A side without pieces cannot pass.
    let start = Checkers::under(Rules::Code).passing();
    let taken = start.parse_position("W:W:R9").expect("a position");
    assert_eq!((taken.turn(), taken.points()), (Turn::Over, [0.0, 1.0]));
}

/// Along random games: it is never the turn of a side that has pieces, no move, and an opponent that has one.
#[test]
fn a_pass_is_of_a_blocked_side_alone() {
    let start = Checkers::under(Rules::Code).passing();
    let mut passes = 0;
    for game in 0..400 {
        let mut rng = Seed::derive(11, 0, game, "passing").rng();
        let mut position = start;
        while let Turn::Player(seat) = position.turn() {
            let moves = position.moves();
            let before = position.plies();
            position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            let can_move =
                [0, 1].map(|seat| position.with_mover(seat).expect("either can be asked").turn() != Turn::Over);
            let other = 1 - seat;
            let has_pieces = position.men()[other] + position.kings()[other] > 0;
            let is_blocked = has_pieces && !can_move[other] && can_move[seat];
            let passed = position.plies() == before + 2;
            // The one exception is a game that a cap has ended.
            assert!(passed == is_blocked || position.turn() == Turn::Over, "{}", position.position_text());
            passes += u32::from(passed);
        }
    }
    assert!(passes > 10, "{passes} passes");
}

/// Kings that come back to an end of the board count again, and captured ones go on counting.
#[test]
fn arrivals_never_shrink() {
    let start = Checkers::under(Rules::Code).counting_arrivals();
    let mut position = start.parse_position("W:WK6:R32").expect("a position");
    let mut worth = vec![position.evaluate(0)];
    for text in ["6-1", "32-28", "1-6", "28-24", "6-2", "24-20"] {
        position.play(position.parse_move(text).expect("legal"));
        worth.push(position.evaluate(0));
    }
    assert_eq!(worth, [0.5, 1.0, 1.0, 1.0, 1.0, 1.5, 1.5]);
    assert_eq!(position.position_text(), "W:WK2:R20:F4:A3,0");
    assert_eq!(start.parse_position(&position.position_text()), Ok(position));
    let counted = Checkers::under(Rules::Code).parse_position("W:WK2:R20").expect("a position");
    assert_eq!(counted.evaluate(0), 0.5);
    // Red's king takes White's; its arrivals stay counted.
    let mut taken = start.parse_position("R:WK6:RK2").expect("a position");
    taken.play(taken.parse_move("2x9").expect("legal"));
    assert_eq!(taken.evaluate(1), 1.0 + 0.5 - 0.5);
    for wrong in ["W:WK2:R20:A3", "W:WK2:R20:A3,x", "W:WK2:R20:A1,1:A1,1", "W:WK2:R20:A70000,1"] {
        assert!(start.parse_position(wrong).is_err(), "{wrong}");
    }
}
