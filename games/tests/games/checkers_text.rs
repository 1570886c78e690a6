//! Moves and positions of Checkers as in PDN.

use games::{
    Game as _, Moves as _, Seed, Turn, below,
    checkers::{Checkers, Rules},
};
use proptest::prelude::*;

fn read(rules: Rules, fen: &str) -> Checkers {
    Checkers::under(rules).parse_position(fen).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(rules: Rules, fen: &str, reason: &str) {
    let error = Checkers::under(rules).parse_position(fen).expect_err("a fault");
    assert_eq!(error.to_string(), format!("`{fen}` is not a checkers position: {reason}"));
}

#[track_caller]
fn no_move(rules: Rules, fen: &str, text: &str, reason: &str) {
    let error = read(rules, fen).parse_move(text).expect_err("a fault");
    assert_eq!(error.to_string(), format!("`{text}` is not a checkers move: {reason}"));
}

#[track_caller]
fn illegal(rules: Rules, fen: &str, text: &str) {
    let error = read(rules, fen).parse_move(text).expect_err("a fault");
    assert_eq!(error.to_string(), format!("`{text}` is not a legal checkers move here"));
}

/// Openings as books print them: the Old Fourteenth and the Single Corner.
#[test]
fn published_lines_are_legal() {
    for (line, fen) in [
        (
            "11-15 23-19 8-11 22-17 4-8 17-13 15-18 24-20 11-15 28-24 8-11 26-23",
            "B:B1,2,3,5,6,7,9,10,11,12,15,18:W13,19,20,21,23,24,25,27,29,30,31,32:F7",
        ),
        (
            "11-15 22-18 15x22 25x18 8-11 29-25 4-8 25-22 12-16 24-20 10-15 27-24",
            "B:B1,2,3,5,6,7,8,9,11,15,16:W18,20,21,22,23,24,26,28,30,31,32:F7",
        ),
    ] {
        let mut position = Checkers::under(Rules::English);
        for text in line.split(' ') {
            let chosen = position.parse_move(text).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(position.move_text(chosen), text);
            position.play(chosen);
        }
        assert_eq!(position.position_text(), fen);
    }
}

#[test]
fn starts() {
    let men = ["1,2,3,4,5,6,7,8,9,10,11,12", "21,22,23,24,25,26,27,28,29,30,31,32"];
    for (rules, [first, second]) in
        [(Rules::Project, ["W", "R"]), (Rules::Code, ["W", "R"]), (Rules::English, ["B", "W"])]
    {
        let start = Checkers::under(rules);
        assert_eq!(start.position_text(), format!("{first}:{first}{}:{second}{}", men[0], men[1]));
        assert_eq!(read(rules, &format!("{first}:{second}21-32:{first}1-12:H0:F1")), start);
    }
}

#[test]
fn counters_are_read_and_written() {
    for (given, written, plies, quiet) in [
        ("W:W1:R32", "W:W1:R32", 0, 0),
        ("R:W1:R32", "R:W1:R32", 1, 0),
        ("R:W1:R32:H3:F1", "R:W1:R32:H3", 1, 3),
        ("R:W1:R32:F9", "R:W1:R32:F9", 17, 0),
        ("W:W1:F101:R32:H20", "W:W1:R32:H20:F101", 200, 20),
    ] {
        let position = read(Rules::Project, given);
        assert_eq!(position.position_text(), written);
        assert_eq!((position.plies(), position.quiet_plies()), (plies, quiet), "{given}");
    }
}

#[test]
fn faults_of_positions_say_what_is_wrong() {
    let project = |fen, reason| refused(Rules::Project, fen, reason);
    project("", "it begins with the side to move, `W:` or `R:`");
    project("X:W1:R32", "it begins with the side to move, `W:` or `R:`");
    project("WW:W1:R32", "it begins with the side to move, `W:` or `R:`");
    project("B:W1:B32", "it begins with the side to move, `W:` or `R:`");
    project("W:W1:B32", "`B32` is not a list of squares after `W` or `R`");
    project("W:W1::R32", "`` is not a list of squares after `W` or `R`");
    project("W:W1", "the squares of `R` are missing");
    project("W:R32", "the squares of `W` are missing");
    project("W:W1:R32:W2", "the squares of `W` stand there twice");
    project("W:W1:R32:H1:H1", "`H` stands there twice");
    project("W:W1:R32:H+1", "`H+1` is not a letter and a number");
    project("W:W1:R32:F", "`F` is not a letter and a number");
    project("W:W1:R32:F0", "full moves count from 1 and end with the game, which has 400 plies at most");
    project("W:W1:R32:F202", "full moves count from 1 and end with the game, which has 400 plies at most");
    project("W:W1:R32:F4294967295", "full moves count from 1 and end with the game, which has 400 plies at most");
    project("W:W1:R32:H21", "`H` is at most 20: with so many plies the game is a draw");
    project("W:W0:R32", "`0` is not a square from 1 to 32");
    project("W:W1,:R32", "`` is not a square from 1 to 32");
    project("W:W1,33:R32", "`33` is not a square from 1 to 32");
    project("W:W3-1:R32", "`3-1` is not a square from 1 to 32");
    project("W:WK:R32", "`K` is not a square from 1 to 32");
    project("W:Wé:R32", "`é` is not a square from 1 to 32");
    project("W:é:R32", "`é` is not a list of squares after `W` or `R`");
    project("W:W1,1:R32", "two pieces stand on 1");
    project("W:W1-3:R32,3", "two pieces stand on 3");
    project("W:W29:R32", "a man on 29 would have been crowned");
    project("W:W1:R4", "a man on 4 would have been crowned");
    project("W:W1-13:R32", "a side has at most 12 pieces");
    refused(Rules::English, "W:W1:R32", "`R32` is not a list of squares after `B` or `W`");
}

/// A king on 13 that may go round over 9, 10, 17 and 18.
const CIRCLE: &str = ":R9,10,17,18";

#[test]
fn chains_are_told_apart_by_their_squares() {
    let fen = format!("W:WK13{CIRCLE}");
    let project = read(Rules::Project, &fen);
    let legal = |position: &Checkers| -> Vec<String> {
        let moves = position.moves();
        (0..moves.len()).map(|i| position.move_text(moves.get(i))).collect()
    };
    assert_eq!(
        legal(&project),
        ["13x6", "13x6x15", "13x6x15x22", "13x6x15x22x13", "13x22", "13x22x15", "13x22x15x6"],
        "a chain stands before those that go on from it"
    );
    // The way round on the right takes the same pieces.
    let round = project.parse_move("13x6x15x22x13").expect("a move");
    assert_eq!(project.parse_move("13x22x15x6x13"), Ok(round));
    assert_eq!(project.parse_move("13x13"), Ok(round));
    // `13x22` is the direct jump, though longer chains end there as well.
    let direct = project.parse_move("13x6").expect("a move");
    assert_eq!((direct.captures(), direct.squares()), (1, [13, 6]));
    no_move(Rules::Project, &fen, "13x15", "several moves fit; write `13x6x15` or `13x22x15`");
    let english = read(Rules::English, &fen.replace('W', "B").replace('R', "W"));
    assert_eq!(legal(&english), ["13x6x15x22x13", "13x22x15x6x13"]);
    assert_ne!(english.parse_move("13x22x15x6x13"), english.parse_move("13x6x15x22x13"));
    // The program's chains do not turn round.
    assert_eq!(legal(&read(Rules::Code, &fen)), ["13x6", "13x22"]);
}

#[test]
fn faults_of_moves_say_what_is_wrong() {
    let start = "W:W1-12:R21-32";
    let wanted = "it names two or more squares from 1 to 32, as `11-15` or `22x15x8`";
    for text in ["", "11", "11-", "x", "0-4", "11-33", "11-+15", "11 15", "11x15-18"] {
        no_move(Rules::Project, start, text, wanted);
    }
    for text in ["11-18", "11x15", "22-18", "11-15-18"] {
        illegal(Rules::Project, start, text);
    }
    illegal(Rules::English, "B:B14:W18", "14-17");
}

/// The program takes only the last two pieces of a chain, and of two ways to a square keeps the one found later.
#[test]
fn the_code_forgets() {
    // Over 6, 14 and 22 in three jumps.
    let position = read(Rules::Code, "W:W1:R6,14,22");
    let longest = position.parse_move("1x10x17x26").expect("a move");
    assert_eq!(longest.captures(), 2);
    let mut after = position;
    after.play(longest);
    assert_eq!(after.position_text(), "R:W26:R6");
    // To 22 by 13, over 9 and 17, or by 15, over 10 and 18: what goes right first is found last.
    let position = read(Rules::Code, "W:W6:R9,10,17,18");
    let moves = position.moves();
    let ends: Vec<[u32; 2]> = (0..moves.len()).map(|i| moves.get(i).squares()).collect();
    assert_eq!(ends, [[6, 13], [6, 22], [6, 15]]);
    assert_eq!(position.move_text(moves.get(1)), "6x15x22");
    let mut after = position;
    after.play(moves.get(1));
    assert_eq!(after.position_text(), "R:W22:R9,17");
}

#[test]
fn a_board_for_people() {
    let wanted = " 1    W   .   .   .   4\n 5  w   .   .   .     8\n 9    .   .   .   .  12\n13  .   .   .   .    16\n\
                  17    .   .   .   .  20\n21  r   .   .   .    24\n25    .   .   .   .  28\n29  .   .   .   R    32\n\
                  White (W): 1 men, 1 kings  Red (R): 1 men, 1 kings  ply 9 of 400, 3 of 20 without progress  to move: Red";
    assert_eq!(read(Rules::Project, "R:WK1,5:R21,K32:H3:F5").board_text(), wanted);
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        rules in prop::sample::select(&Rules::ALL[..]),
        kinds in prop::collection::vec(0..12u8, 32),
        quiet in 0..20u32,
        plies in 0..400u32,
    ) {
        let letters = if rules == Rules::English { ["B", "W"] } else { ["W", "R"] };
        let mut lists = [Vec::new(), Vec::new()];
        for (number, kind) in (1..).zip(kinds) {
            let (seat, is_king) = (usize::from(kind % 2), kind / 2 == 0);
            let crowned = if seat == 0 { number > 28 } else { number < 5 };
            if kind < 6 && lists[seat].len() < 12 && (is_king || !crowned) {
                lists[seat].push(if is_king { format!("K{number}") } else { number.to_string() });
            }
        }
        let [first, second] = lists.map(|list| list.join(","));
        let mut fen = format!("{}:{}{first}:{}{second}", letters[plies as usize % 2], letters[0], letters[1]);
        if quiet > 0 {
            fen += &format!(":H{quiet}");
        }
        if plies > 1 {
            fen += &format!(":F{}", plies / 2 + 1);
        }
        let mut position = read(rules, &fen);
        prop_assert_eq!(position.position_text(), fen);
        prop_assert_eq!((position.plies(), position.quiet_plies()), (plies, quiet));
        // And so on for a few plies, moves, too.
        let mut rng = Seed::derive(u64::from(plies), 0, 0, "on").rng();
        for _ in 0..12 {
            if position.turn() == Turn::Over {
                break;
            }
            let moves = position.moves();
            for i in 0..moves.len() {
                prop_assert_eq!(position.parse_move(&position.move_text(moves.get(i))), Ok(moves.get(i)));
            }
            position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
            prop_assert_eq!(read(rules, &position.position_text()), position);
        }
    }

    #[test]
    fn no_text_is_too_strange(text in "[WRBKHF:,x0-9é-]{0,24}") {
        for rules in Rules::ALL {
            let start = Checkers::under(rules);
            if let Ok(position) = start.parse_position(&text) {
                prop_assert_eq!(read(rules, &position.position_text()), position);
            }
            let _ = start.parse_move(&text);
        }
    }
}
