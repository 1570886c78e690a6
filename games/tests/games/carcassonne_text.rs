//! Moves, positions and boards of Carcassonne as people write and read them.

use games::{
    Game as _, GameSpec, Moves as _, Seed, TextError, Turn, below,
    carcassonne::{Carcassonne, Choice, Rules, Square, Variant},
};

fn of(variant: Variant) -> Carcassonne {
    Carcassonne::of(variant)
}

#[track_caller]
fn read(variant: Variant, text: &str) -> Carcassonne {
    let position = of(variant).parse_position(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(position.position_text(), text);
    position
}

/// A position is refused, and the text says why.
#[track_caller]
fn refused(variant: Variant, text: &str, reason: &str) {
    let error = of(variant).parse_position(text).expect_err("a fault");
    let wanted = TextError::Position { game: "carcassonne", text: text.to_owned(), reason: reason.to_owned() };
    assert_eq!(error, wanted);
}

/// A move is refused at a position.
#[track_caller]
fn refused_move(position: &str, text: &str, reason: &str) {
    let error = read(Variant::Base, position).parse_move(text).expect_err("a fault");
    let wanted = TextError::Move { game: "carcassonne", text: text.to_owned(), reason: reason.to_owned() };
    assert_eq!(error, wanted);
}

#[test]
fn positions_of_every_kind_are_read() {
    let start = read(Variant::Base, "D next=?");
    assert_eq!((start.clone(), start.turn(), start.tiles_left()), (of(Variant::Base), Turn::Chance, 71));
    let laid = read(Variant::Base, "D E2@0,1:city-S D0@1,0:field-E-north next=U");
    assert_eq!((laid.turn(), laid.drawn(), laid.tiles(), laid.tiles_left()), (Turn::Player(0), Some('U'), 3, 68));
    assert_eq!((laid.scores(), laid.hand()), ([4, 0], [7, 6]));
    // C has no place beside a closed city.
    assert_eq!(read(Variant::Base, "D E2@0,1 out=C next=?").tiles_left(), 69);
    let ordered = read(Variant::ThreeDeterministic, "D order=ABC next=?");
    assert_eq!((ordered.turn(), ordered.tiles_left()), (Turn::Chance, 23));
    let known = read(Variant::OneDeterministic, "D E2@0,1 out=C order=BFGHIJKLMNOPQRSTUVWX next=A");
    assert_eq!((known.turn(), known.tiles_left()), (Turn::Player(0), 20));
    // A claim may be named by any place of its segment; it is written by the first.
    let field = of(Variant::Base).parse_position("D E2@0,1:field-E-north next=?").expect("a position");
    assert_eq!(field.position_text(), "D E2@0,1:field-N-west next=?");
}

#[test]
fn texts_that_are_cut_short_are_refused() {
    let text = "D E2@0,1:city-S D0@1,0:field-E-north out=C next=U";
    read(Variant::Base, text);
    for length in 0..text.len() {
        of(Variant::Base).parse_position(&text[..length]).expect_err(&text[..length]);
    }
    refused(Variant::Base, "", "it begins with the start tile, `D`");
    refused(Variant::Base, "D", "it ends with `next=` and a tile, `?` or `-`");
    refused(Variant::Base, "D E2@0", "word 2, `E2@0`: it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    refused(Variant::Base, "D E2@0,1: next=U", "word 2, `E2@0,1:`: tile E, laid so, has no ``");
    refused(Variant::Base, "D next=", "`next=` is not a tile, `?` or `-`");
    refused(Variant::Base, "D next=UU", "`next=UU` is not a tile, `?` or `-`");
    refused(
        Variant::Base,
        "D next=U E2@0,1",
        "word 3, `E2@0,1`, follows `next` or is not one of `out`, `order` and `next`",
    );
    refused(
        Variant::Base,
        "D left=U next=?",
        "word 2, `left=U`, follows `next` or is not one of `out`, `order` and `next`",
    );
}

#[test]
fn tiles_and_claims_that_do_not_go_are_refused() {
    let laid = |tile: &str, reason: &str| {
        refused(Variant::Base, &format!("D {tile} next=?"), &format!("word 2, `{tile}`: {reason}"));
    };
    laid("E0@0,1", "tile E does not fit there");
    laid("E2@0,2", "(0, 2) is not an empty square beside a tile");
    laid("E2@0,0", "(0, 0) is not an empty square beside a tile");
    laid("E2@1,1", "(1, 1) is not an empty square beside a tile");
    laid("E2@200,1", "it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    laid("E2@+0,1", "it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    laid("E4@0,1", "it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    laid("Y2@0,1", "it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    laid("U2@1,0", "tile U looks the same after fewer turns: rotations are 0 to 1");
    laid("E2@0,1:road-S", "tile E, laid so, has no `road-S`");
    laid("E2@0,1:city-N", "tile E, laid so, has no `city-N`");
    laid("E2@0,1:field-N", "tile E, laid so, has no `field-N`");
    laid("E2@0,1:cloister", "tile E, laid so, has no `cloister`");
    laid("B0@0,-1:cloister-N", "tile B, laid so, has no `cloister-N`");
    let second = |tile: &str, reason: &str| {
        refused(Variant::Base, &format!("D F1@0,1:city-S {tile} next=?"), &format!("word 3, `{tile}`: {reason}"));
    };
    second("E2@0,2:city-S", "the city is claimed already");
    refused(
        Variant::OneStochastic,
        "D F1@0,1:city-S A1@1,0:road-W next=?",
        "word 3, `A1@1,0:road-W`: there is no meeple in hand",
    );
}

#[test]
fn decks_that_do_not_add_up_are_refused() {
    refused(Variant::Base, "D C0@0,1 C0@0,2 next=?", "word 3, `C0@0,2`: no tile C is left");
    refused(Variant::Base, "D C0@0,1 out=C next=?", "`out`: no tile C is left");
    refused(Variant::Base, "D C0@0,1 next=C", "`next`: no tile C is left");
    refused(Variant::Base, "D E2@0,1 next=C", "`next`: tile C fits nowhere");
    refused(Variant::Base, "D out=cC next=?", "`c` is not a tile from A to X");
    refused(
        Variant::Base,
        "D order=A next=?",
        "the order of the tiles is not known in this variant: `order` has no meaning",
    );
    let one = "the deck does not add up: the game is over, but ABCEFGHIJKLMNOPQRSTUVWX are left";
    refused(Variant::OneStochastic, "D next=-", one);
    let all = "ABCEFGHIJKLMNOPQRSTUVWX";
    refused(Variant::OneStochastic, &format!("D out={all} next=?"), "`next=?`: no tile is left that nature could draw");
    read(Variant::OneStochastic, &format!("D out={all} next=-"));
    let neither =
        "the deck does not add up: BCEFGHIJKLMNOPQRSTUVWX are neither laid nor `out` nor in `order` nor `next`";
    refused(Variant::OneDeterministic, "D next=A", neither);
    refused(
        Variant::OneDeterministic,
        "D E2@0,1 order=AB next=?",
        "the deck does not add up: CFGHIJKLMNOPQRSTUVWX are neither laid nor `out` nor in `order`",
    );
    refused(Variant::OneDeterministic, "D order=AA next=?", "`order`: no tile A is left");
    let over = format!("D order={} next=-", &all[1..]);
    refused(
        Variant::OneDeterministic,
        &over,
        &format!("the deck does not add up: the game is over, but A{} are left", &all[1..]),
    );
    let stays = Carcassonne::new(Rules { unplaceable_stays: true, ..Rules::of(Variant::OneStochastic) });
    let none = "D E2@0,1 out=ABFGHIJKLMNOPQRSTUVWX next=?";
    let error = stays.parse_position(none).expect_err("a fault").to_string();
    assert!(error.ends_with("`next=?`: none of the tiles that are left, C, fits"), "{error}");
}

#[test]
fn moves_are_read_or_refused_with_a_reason() {
    let position = read(Variant::Base, "D next=E");
    let chosen = position.parse_move("E2@0,1:city-S").expect("a move");
    assert_eq!(chosen.choice(), Choice::Lay { square: Square { x: 0, y: 1 }, rotation: 2, claim: Some(0) });
    assert_eq!(position.move_text(chosen), "E2@0,1:city-S");
    let draw = of(Variant::Base).parse_move("X").expect("a draw");
    assert_eq!(draw.choice(), Choice::Draw(23));
    refused_move("D next=?", "Y", "a drawn tile is a letter from A to X");
    refused_move("D C0@0,1 next=?", "C", "no tile C is left");
    refused_move("D next=E", "U0@0,1", "the tile to be laid is E");
    refused_move("D next=E", "E", "it is not of the form `E2@0,1` or `E2@0,1:city-S`");
    let alone = "D out=ABCEFGHIJKLMNOPQRSTUVWX next=-";
    let error = read(Variant::OneStochastic, alone).parse_move("A").expect_err("a fault").to_string();
    assert_eq!(error, "`A` is not a carcassonne move: the game is over");
}

#[test]
fn texts_of_random_games_are_read_back() {
    for (index, variant) in (0..).zip(Variant::ALL) {
        for game in 0..10 {
            let mut rng = Seed::derive(index, 0, game, "carcassonne texts").rng();
            let mut position = of(variant);
            loop {
                let read = of(variant).parse_position(&position.position_text());
                // Copies that are read go on as the original does.
                assert_eq!(read.as_ref(), Ok(&position));
                let read = read.expect("a position");
                assert_eq!(read.moves(), position.moves());
                assert_eq!(read.points_by_source(), position.points_by_source());
                match position.turn() {
                    Turn::Over => break,
                    Turn::Chance => position.play(position.chance(&mut rng)),
                    Turn::Player(_) => {
                        let moves = position.moves();
                        position.play(moves.get(below(&mut rng, moves.len() as u32) as usize));
                    }
                }
            }
        }
    }
}

#[test]
fn a_board_for_people() {
    let text = "D F1@0,1:city-N A1@1,0:cloister W0@-1,0:field-S-west V0@0,-1 next=U";
    let wanted = "    -1   0   1
        .1.
  1     .#.
        .#.
    ... .#. ...
  0 -+- --- -2.
    1|. ... ...
        ...
 -1     -+.
        .|.
player 1: score 0, 3 if the game ended now, 5 meeples in hand
player 2: score 0, 4 if the game ended now, 6 meeples in hand
player 1 lays U, 66 tiles are left";
    assert_eq!(read(Variant::Base, text).board_text(), wanted);
}

#[test]
fn options_without_effect_are_refused() {
    for (options, says) in [
        ("variant=1s,deck=thesis", "`deck=thesis` has no effect with `variant=1s`"),
        ("variant=3d,reward=result", "`reward=result` has no effect with `variant=3d`"),
    ] {
        let faults = format!("carcassonne:{options}").parse::<GameSpec>().expect_err("a fault");
        assert_eq!(faults[0].to_string(), says);
    }
    for text in ["carcassonne:variant=1s,deck=printed", "carcassonne:deck=thesis,reward=result"] {
        text.parse::<GameSpec>().expect("a spec");
    }
}

/// What a picture must have: its tiles and meeples, in their places, and well-formed markup.
#[test]
fn a_picture_has_every_tile_and_standing_meeple() {
    let position = read(Variant::Base, "D F1@0,1:city-N A1@1,0:cloister W0@-1,0:field-S-west next=U");
    let svg = position.picture().expect("a picture");
    assert_eq!(svg.matches("<g transform=").count(), 4);
    assert_eq!(svg.matches("class=\"meeple\"").count(), 3);
    for title in [
        "F at 0,1",
        "A at 1,0",
        "W at -1,0",
        "D at 0,0",
        "city of player 1",
        "cloister of player 2",
        "field of player 1",
    ] {
        assert!(svg.contains(&format!("<title>{title}</title>")), "{title}");
    }
    // Every element is closed.
    let mut open = Vec::new();
    for part in svg.split('<').skip(1) {
        let (tag, _) = part.split_once('>').expect("a tag");
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
        match (tag.starts_with('/'), tag.ends_with('/')) {
            (true, _) => assert_eq!(open.pop(), Some(name)),
            (false, false) => open.push(name),
            (false, true) => {}
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
