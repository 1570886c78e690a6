//! Texts of Dots and Boxes: what is refused and why, and what people see.

use games::{Game as _, GameSpec, dots_and_boxes::DotsAndBoxes};

const OPENED: &str = "--/|B|.|/-./|...|/-- B";

fn board() -> DotsAndBoxes {
    DotsAndBoxes::new(2, 2).parse_position(OPENED).expect("a position")
}

#[track_caller]
fn refused(text: &str, reason: &str) {
    let error = DotsAndBoxes::new(2, 2).parse_position(text).expect_err("it is refused");
    assert_eq!(error.to_string(), format!("`{text}` is not a dots-and-boxes position: {reason}"));
}

#[test]
fn positions_that_are_refused() {
    assert_eq!(board().position_text(), OPENED);
    refused("", "it is the lines of the board, a space, and who moves");
    refused("--/|B|.|/-./|...|/--", "it is the lines of the board, a space, and who moves");
    refused("--/|B|.|/-./|...|/-- ", "who moves is `A` or `B`, not ``");
    refused("--/|B|.|/-./|...|/-- b", "who moves is `A` or `B`, not `b`");
    refused("--/|B|.|/-./|...|/-- B A", "who moves is `A` or `B`, not `B A`");
    refused("--/|B|.|/-./|...| B", "a board of 2x2 boxes has 5 lines, not 4");
    refused("--/|B|.|/-./|...|/--/ B", "a board of 2x2 boxes has 5 lines, not 6");
    refused("--/|B|.|/-./|...|/- B", "line 5 has 2 characters, not 1");
    refused("--/|B|.|/-./|...|./-- B", "line 4 has 5 characters, not 6");
    refused("-|/|B|.|/-./|...|/-- B", "`|` in line 1 is not an edge, `-` or `.`");
    refused("--/-B|.|/-./|...|/-- B", "`-` in line 2 is not an edge, `|` or `.`");
    refused("--/|C|.|/-./|...|/-- B", "`C` in line 2 is not a box, `A`, `B` or `.`");
    refused("--/|.|.|/-./|...|/-- B", "box (0, 0) has all its edges and no owner");
    refused("--/|B|A|/-./|...|/-- B", "box (0, 1) has an owner and a free edge");
    refused("--/|B|.|/-./|..é|/-- B", "`é` in line 4 is not a box, `A`, `B` or `.`");
}

#[track_caller]
fn refused_move(text: &str, reason: &str) {
    let error = board().parse_move(text).expect_err("it is refused");
    assert_eq!(error.to_string(), format!("`{text}` is not a dots-and-boxes move: {reason}"));
}

#[test]
fn moves_by_place_and_by_number() {
    for (text, number) in [("h11", 3), ("v11", 10)] {
        let edge = board().parse_move(text).expect("a free edge");
        assert_eq!(board().parse_move(&number.to_string()), Ok(edge));
        assert_eq!((board().edge_number(edge), board().move_text(edge).as_str()), (number, text));
    }
    for text in ["", "x00", "h1", "h111", "H11", "h1a", "-1", "+3", "h 11"] {
        refused_move(text, "it is neither `h24` or `v24`, an edge with its row and column, nor the number of an edge");
    }
    for text in ["h02", "h30", "v20", "v03", "h99", "12", "4294967295"] {
        refused_move(text, "a board of 2x2 boxes has no such edge");
    }
    for text in ["h00", "v00", "0"] {
        refused_move(text, "the edge is drawn");
    }
    refused_move(
        "99999999999",
        "it is neither `h24` or `v24`, an edge with its row and column, nor the number of an edge",
    );
}

#[test]
fn boards_for_people() {
    let text = "     0   1 \nh0 +---+---+\nv0 | B |   |\nh1 +---+   +\nv1 |       |\nh2 +---+---+\nA 0  B 1  B moves, 2 edges are free";
    assert_eq!(board().board_text(), text);
    let mut game = board();
    for text in ["v11", "h11"] {
        game.play(game.parse_move(text).expect("a free edge"));
    }
    assert!(game.board_text().ends_with("A 0  B 4  B has won"), "{}", game.board_text());
}

#[test]
fn pictures_show_every_edge_and_owner() {
    let picture = board().picture().expect("a picture");
    assert_eq!(picture.matches("class=\"free\"").count(), 2);
    assert_eq!(picture.matches("class=\"drawn\"").count(), 10);
    assert_eq!(picture.matches("<circle").count(), 9);
    assert_eq!(picture.matches(">B</text>").count(), 1);
    assert!(picture.contains("<title>v11</title>") && picture.ends_with("</svg>\n"));
}

fn spec(text: &str) -> Result<String, String> {
    let spec = text.parse::<GameSpec>().map(|spec| spec.to_string());
    spec.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
}

#[test]
fn starts_of_specs() {
    assert_eq!(spec("dots-and-boxes").as_deref(), Ok("dots-and-boxes:rows=5,columns=5,start=empty"));
    let opened = format!("dots-and-boxes:rows=2,columns=2,start={OPENED}");
    assert_eq!(spec(&opened).as_deref(), Ok(opened.as_str()));
    let fault = spec("dots-and-boxes:rows=4,start=S1").expect_err("S1 has five rows");
    assert!(fault.contains("a board of 4x5 boxes has 9 lines, not 11"), "{fault}");
    let fault = spec("dots-and-boxes:start=S4").expect_err("there is no S4");
    assert!(fault.contains("`S4` is not a dots-and-boxes position"), "{fault}");
    let fault = spec("dots-and-boxes:rows=1,columns=1,start=-/|A|/- A").expect_err("it is over");
    assert_eq!(fault, "the game is over at the start");
    assert!(spec("dots-and-boxes:rows=8").is_err() && spec("dots-and-boxes:columns=0").is_err());
}
