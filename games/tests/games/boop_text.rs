//! Texts of boop. as people write them.

use games::{Game as _, Moves as _, TextError, boop::Boop};

/// A position of the tests.
const MIDDLE: &str = ".A..../..B.../....../...ab./..aA../b..... a 3,1 5,0 12";

fn position(text: &str) -> Boop {
    Boop::default().parse_position(text).unwrap_or_else(|error| panic!("{error}"))
}

#[track_caller]
fn refused(text: &str, reason: &str) {
    let error = Boop::default().parse_position(text).expect_err("a fault");
    assert_eq!(error.to_string(), format!("`{text}` is not a boop position: {reason}"));
}

#[track_caller]
fn refused_move(at: &str, text: &str, reason: &str) {
    let error = position(at).parse_move(text).expect_err("a fault");
    assert_eq!(error, TextError::Move { game: "boop", text: text.to_owned(), reason: reason.to_owned() });
}

#[test]
fn positions_are_read_and_written() {
    let empty = "....../....../....../....../....../...... a 8,0 8,0";
    assert_eq!(Boop::default().position_text(), empty);
    for text in [empty, MIDDLE, "....../....../....../....../....../...... b 8,0 7,1 299"] {
        assert_eq!(position(text).position_text(), text);
    }
    // Plies that tell no more than the side to move are left out.
    assert_eq!(position(&format!("{empty} 0")).position_text(), empty);
    let second = empty.replace('a', "b");
    assert_eq!(position(&format!("{second} 1")).position_text(), second);
    assert_eq!(position(&second).plies(), 1);
}

#[test]
fn faults_of_positions_say_what_is_wrong() {
    let empty = "....../....../....../....../....../......";
    refused("", "it is the board, who moves, and both pools, after spaces");
    refused(empty, "it is the board, who moves, and both pools, after spaces");
    refused(&format!("{empty} a 8,0"), "it is the board, who moves, and both pools, after spaces");
    refused(&format!("{empty} c 8,0 8,0"), "who moves is `a` or `b`");
    refused(&format!("{empty} A 8,0 8,0"), "who moves is `a` or `b`");
    for pool in ["8", "8,", ",8", "+8,0", "08,0", "9,0", "8,0,0", "x,0", "-1,9"] {
        refused(&format!("{empty} a {pool} 8,0"), "a pool is its small and its large pieces, as in `8,0`");
    }
    refused(&format!("{empty} a 7,0 8,0"), "a has 0 pieces on the board and 7 in the pool, not 8");
    refused(&format!("{empty} a 8,0 8,1"), "b has 0 pieces on the board and 9 in the pool, not 8");
    refused(
        "a...../....../....../....../....../.....B a 8,0 7,0",
        "a has 1 pieces on the board and 8 in the pool, not 8",
    );
    refused(
        "aaaaaa/aaa.../....../....../....../...... b 0,0 8,0",
        "a has 9 pieces on the board and 0 in the pool, not 8",
    );
    for plies in ["1", "302", "+2", "02", "x", "", "-2"] {
        refused(&format!("{empty} a 8,0 8,0 {plies}"), "plies are an even number up to 300");
    }
    refused(&format!("{empty} b 8,0 8,0 2"), "plies are an odd number up to 300");
    refused(&format!("{empty} a 8,0 8,0 2 3"), "something follows the plies");
    refused("....../....../....../....../...... a 8,0 8,0", "a board has 6 rows of 6 squares");
    refused(&format!("{empty}/...... a 8,0 8,0"), "a board has 6 rows of 6 squares");
    refused("......./...../....../....../....../...... a 8,0 8,0", "a board has 6 rows of 6 squares");
    refused("x...../....../....../....../....../...... a 8,0 8,0", "a square is `a`, `A`, `b`, `B` or `.`");
    refused("é...../....../....../....../....../...... a 8,0 8,0", "a square is `a`, `A`, `b`, `B` or `.`");
    // Graduation would have been compulsory.
    let full = "a.a..a/....../a....a/....../....../a.a..a";
    refused(&format!("{full} a 0,0 8,0"), "a has nothing in the pool");
    refused(&format!("{full} b 0,0 8,0"), "a has nothing in the pool");
    let large = full.to_uppercase();
    for mover in ["a", "b"] {
        assert_eq!(position(&format!("{large} {mover} 0,0 8,0")).winner(), Some(0));
    }
}

/// A line of large pieces is a win of who has moved last, and none of who is to move.
#[test]
fn finished_games_are_read() {
    let lines = "....../.BBB../....../....../....../......";
    let over = position(&format!("{lines} a 8,0 5,0"));
    assert_eq!((over.winner(), over.moves().len(), over.points()), (Some(1), 0, [0.0, 1.0]));
    assert_eq!(position(&format!("{lines} b 8,0 5,0")).winner(), None);
    let cut = position("....../....../....../....../....../...... a 8,0 8,0 300");
    assert_eq!((cut.winner(), cut.moves().len(), cut.points()), (None, 0, [0.5; 2]));
}

#[test]
fn moves_are_read_in_any_order_of_squares() {
    let middle = position("....../....../aa.ab./....../....../...... a 5,0 7,0");
    for text in ["s@c4:a4,b4,c4", "s@c4:c4,a4,b4"] {
        let chosen = middle.parse_move(text).expect("a move");
        assert_eq!(middle.move_text(chosen), "s@c4:a4,b4,c4");
        assert!(chosen.graduates() && !chosen.is_large());
    }
}

#[test]
fn faults_of_moves_say_what_is_wrong() {
    let form = "it is not of the form `s@c3`, `l@c3` or `s@c3:b2,c3,d4`";
    for text in ["", "c3", "x@c3", "S@c3", "sc3", "@c3", "sl@c3"] {
        refused_move(MIDDLE, text, form);
    }
    for square in ["g1", "a7", "a0", "A1", "", "a", "a11", "é1"] {
        refused_move(MIDDLE, &format!("s@{square}"), &format!("`{square}` is not a square from a1 to f6"));
    }
    refused_move(MIDDLE, "s@c2", "there is a piece on c2");
    refused_move("....../....../....../....../....../...... a 8,0 8,0", "l@c3", "there is no large piece in the pool");
    refused_move("A...../....../....../....../....../...... a 0,7 8,0", "s@c3", "there is no small piece in the pool");
    refused_move(MIDDLE, "s@f6:a1,b2", "nothing can graduate after it");
    refused_move(MIDDLE, "s@f6:", "`` is not a square from a1 to f6");
    let row = "....../....../aa.ab./....../....../...... a 5,0 7,0";
    let options = "what graduates follows after a colon: `a4,b4,c4` or `b4,c4,d4`";
    refused_move(row, "s@c4", options);
    refused_move(row, "s@c4:a4,b4,d4", options);
    refused_move(row, "s@c4:a4,b4,c4,d4", options);
    refused_move(row, "s@c4:b4,c4", options);
    let winning = "....../....../AA..../....../....../...... a 5,1 8,0";
    refused_move(winning, "l@c4:a4,b4,c4", "it wins, and nothing graduates");
    let over = "....../.BBB../....../....../....../...... a 8,0 5,0";
    refused_move(over, "s@a1", "the game is over");
}

#[test]
fn a_board_for_people() {
    let wanted = "6 . A . . . .\n5 . . B . . .\n4 . . . . . .\n3 . . . a b .\n2 . . a A . .\n1 b . . . . .\n  a b c d e f\n\
                  player 1: 4 small and 0 large in the pool (a, A)\nplayer 2: 5 small and 0 large in the pool (b, B)\n\
                  player 1 (a) moves, ply 12 of 300";
    assert_eq!(position(".A..../..B.../....../...ab./..aA../b..... a 4,0 5,0 12").board_text(), wanted);
    let over = position("....../.BBB../....../....../....../...... a 8,0 5,0");
    assert!(over.board_text().ends_with("\nplayer 2 has won"));
    let cut = position("....../....../....../....../....../...... a 8,0 8,0 300");
    assert!(cut.board_text().ends_with("\nunfinished after 300 plies"));
}

/// Every piece of the board and of the pools is drawn once, as what it is.
#[test]
fn a_picture_has_all_pieces() {
    let picture = position(MIDDLE).picture().expect("a picture");
    for (piece, count) in [("a", 2 + 3), ("A", 2 + 1), ("b", 2 + 5), ("B", 1)] {
        assert_eq!(picture.matches(&format!("href=\"#{piece}\"")).count(), count, "{piece}");
        assert_eq!(picture.matches(&format!("id=\"{piece}\"")).count(), 1, "{piece}");
    }
    assert!(picture.contains("<title>large of player 2 on c5</title>"));
    assert!(picture.contains(">player 1 (a) moves, ply 12 of 300</text>"));
}
