//! Moves and positions as text.
//!
//! A tile on the board is `E2@0,1:city-S`: tile E after two quarter turns clockwise, no step to the east and one to
//! the north of the start tile, with a claim of the city at its southern side on the board. Fields are claimed by one
//! of their halves (`field-N-west`), and a cloister has no place. Nature's moves are letters.
//!
//! A position is the tiles in the order in which they were laid, the start tile as `D`; then `out=C` with the tiles
//! that left the game, if any; in games with a known order `order=KVE` with the tiles that come after the next; at
//! last `next=U` with the tile to be laid, `next=?` where nature moves, or `next=-` at the end.

use std::fmt::Write as _;

use thiserror::Error;

use super::{
    Carcassonne, Choice, GAME, Move,
    board::Square,
    tile::{HALF_NAMES, NONE, ORIENTED, Oriented, SIDE_NAMES, START, Source, TILES, TYPES, letter, of_letter},
};
use crate::{Game as _, TextError, Turn};

/// Why a text is not a move or not a position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
enum Reason {
    #[error("a drawn tile is a letter from A to X")]
    NotADraw,
    #[error("it is not of the form `E2@0,1` or `E2@0,1:city-S`")]
    NotATile,
    #[error("the tile to be laid is {0}")]
    OtherTile(char),
    #[error("no tile {0} is left")]
    NoneLeft(char),
    #[error("({x}, {y}) is not an empty square beside a tile", x = .0.x, y = .0.y)]
    NotOpen(Square),
    #[error("tile {0} looks the same after fewer turns: rotations are 0 to {1}")]
    Rotation(char, u8),
    #[error("tile {0} does not fit there")]
    DoesNotFit(char),
    #[error("tile {0}, laid so, has no `{1}`")]
    NoSegment(char, String),
    #[error("the {0} is claimed already")]
    Claimed(&'static str),
    #[error("there is no meeple in hand")]
    NoMeeple,
    #[error("the game is over")]
    Over,
}

/// The place of a segment on the board: a side or a half, and nothing of a cloister.
fn place(tile: &Oriented, source: Source, number: u8) -> &'static str {
    let number = usize::from(number);
    match source {
        Source::City => SIDE_NAMES[tile.cities[number].trailing_zeros() as usize],
        Source::Road => SIDE_NAMES[tile.roads[number].trailing_zeros() as usize],
        Source::Field => HALF_NAMES[tile.fields[number].trailing_zeros() as usize],
        Source::Cloister => "",
    }
}

/// What is claimed, with its place.
fn claim_text(tile: &Oriented, segment: u8) -> String {
    let Some((source, number)) = tile.segment(segment) else { return String::new() };
    match source {
        Source::Cloister => source.name().to_owned(),
        _ => format!("{}-{}", source.name(), place(tile, source, number)),
    }
}

/// The segment that a text such as `city-S` names.
fn segment(tile: &Oriented, text: &str) -> Option<u8> {
    let (name, at) = text.split_once('-').unwrap_or((text, ""));
    let covers = |source: Source, number: usize| match source {
        Source::City => {
            SIDE_NAMES.iter().position(|&side| side == at).is_some_and(|side| tile.cities[number] >> side & 1 == 1)
        }
        Source::Road => {
            SIDE_NAMES.iter().position(|&side| side == at).is_some_and(|side| tile.roads[number] >> side & 1 == 1)
        }
        Source::Field => {
            HALF_NAMES.iter().position(|&half| half == at).is_some_and(|half| tile.fields[number] >> half & 1 == 1)
        }
        Source::Cloister => at.is_empty() && !text.contains('-'),
    };
    (0..tile.segments).find(|&index| {
        tile.segment(index).is_some_and(|(source, number)| source.name() == name && covers(source, number.into()))
    })
}

fn tile_text(kind: u8, rotation: u8, square: Square, claim: Option<u8>) -> String {
    let claim = claim.map_or(String::new(), |segment| {
        format!(":{}", claim_text(&ORIENTED[usize::from(4 * kind + rotation)], segment))
    });
    format!("{}{rotation}@{},{}{claim}", letter(kind), square.x, square.y)
}

/// A move of `game`.
pub(super) fn of_move(game: &Carcassonne, chosen: Move) -> String {
    match chosen.choice() {
        Choice::Draw(kind) => letter(kind).to_string(),
        Choice::Lay { .. } if game.drawn == NONE => String::new(),
        Choice::Lay { square, rotation, claim } => tile_text(game.drawn, rotation, square, claim),
    }
}

/// A letter alone.
fn lone_letter(text: &str) -> Option<u8> {
    let mut letters = text.chars();
    let kind = of_letter(letters.next()?)?;
    letters.next().is_none().then_some(kind)
}

/// What a text such as `E2@0,1:city-S` says: type, rotation, square and claim.
fn parts(text: &str) -> Option<(u8, u8, Square, Option<&str>)> {
    let (tile, claim) = text.split_once(':').map_or((text, None), |(tile, claim)| (tile, Some(claim)));
    let (name, at) = tile.split_once('@')?;
    let mut name = name.chars();
    let kind = of_letter(name.next()?)?;
    let rotation = name.next()?.to_digit(4)? as u8;
    let (x, y) = at.split_once(',')?;
    // `parse` alone would accept a plus sign and leading zeros.
    let number = |digits: &str| digits.parse().ok().filter(|steps: &i8| steps.to_string() == digits);
    let square = Square { x: number(x)?, y: number(y)? };
    name.next().is_none().then_some((kind, rotation, square, claim))
}

/// The move that lays the drawn tile of `game` as `text` says.
fn lay(game: &Carcassonne, text: &str) -> Result<(usize, Move), Reason> {
    let (kind, rotation, square, claim) = parts(text).ok_or(Reason::NotATile)?;
    if kind != game.drawn {
        return Err(Reason::OtherTile(letter(game.drawn)));
    }
    let open = game.open_at(square).ok_or(Reason::NotOpen(square))?;
    let rotations = TILES[usize::from(kind)].rotations;
    if rotation >= rotations {
        return Err(Reason::Rotation(letter(kind), rotations - 1));
    }
    if !game.fits(open, rotation) {
        return Err(Reason::DoesNotFit(letter(kind)));
    }
    let Some(claim) = claim else { return Ok((open, Move::lay(square, rotation, None))) };
    let tile = game.oriented(rotation);
    let claimed = segment(tile, claim).ok_or_else(|| Reason::NoSegment(letter(kind), claim.to_owned()))?;
    if !game.can_claim() {
        return Err(Reason::NoMeeple);
    }
    if !game.is_free(open, rotation, claimed) {
        return Err(Reason::Claimed(tile.segment(claimed).map_or("", |(source, _)| source.name())));
    }
    Ok((open, Move::lay(square, rotation, Some(claimed))))
}

/// The legal move of `game` that `text` names.
pub(super) fn parse_move(game: &Carcassonne, text: &str) -> Result<Move, TextError> {
    let found = match game.turn() {
        Turn::Over => Err(Reason::Over),
        Turn::Player(_) => lay(game, text).map(|(_, chosen)| chosen),
        Turn::Chance => lone_letter(text).ok_or(Reason::NotADraw).and_then(|kind| {
            let is_left = game.drawable() >> kind & 1 == 1;
            is_left.then(|| Move::draw(kind)).ok_or(Reason::NoneLeft(letter(kind)))
        }),
    };
    found.map_err(|reason| TextError::Move { game: GAME, text: text.to_owned(), reason: reason.to_string() })
}

/// Letters of tiles.
fn letters(kinds: impl IntoIterator<Item = u8>) -> String {
    kinds.into_iter().map(letter).collect()
}

/// Letters of numbers of tiles by type.
fn letters_of(copies: &[u8; TYPES]) -> String {
    let of = |(kind, &copies): (usize, &u8)| std::iter::repeat_n(kind as u8, copies.into());
    letters(copies.iter().enumerate().flat_map(of))
}

/// `[type]`: tiles that left the game.
fn out(game: &Carcassonne) -> [u8; TYPES] {
    let mut copies = game.rules.copies();
    let laid = game.laid()[1..].iter().map(|laid| laid.oriented / 4);
    for kind in laid.chain(game.stack.order().iter().copied()).chain((game.drawn != NONE).then_some(game.drawn)) {
        copies[usize::from(kind)] -= 1;
    }
    for (copies, left) in copies.iter_mut().zip(game.stack.copies()) {
        *copies -= left;
    }
    copies
}

/// The position, as the head of this file describes.
pub(super) fn of_position(game: &Carcassonne) -> String {
    let mut text = letter(START).to_string();
    for laid in &game.laid()[1..] {
        let claim = (laid.claim != NONE).then_some(laid.claim);
        let _ = write!(text, " {}", tile_text(laid.oriented / 4, laid.oriented % 4, laid.square, claim));
    }
    let out = letters_of(&out(game));
    if !out.is_empty() {
        let _ = write!(text, " out={out}");
    }
    if game.rules.ordered && game.stack.left() > 0 {
        let _ = write!(text, " order={}", letters(game.stack.order().iter().copied()));
    }
    let next = match game.turn() {
        Turn::Player(_) => letter(game.drawn),
        Turn::Chance => '?',
        Turn::Over => '-',
    };
    text + &format!(" next={next}")
}

/// The position that `text` names, under the rules of `rules`.
pub(super) fn position(rules: &Carcassonne, text: &str) -> Result<Carcassonne, TextError> {
    let wrong = |reason: String| TextError::position(GAME, text, reason);
    let mut words = text.split(' ').enumerate().peekable();
    if words.next().is_none_or(|(_, word)| word != "D") {
        return Err(wrong("it begins with the start tile, `D`".to_owned()));
    }
    let mut game = Carcassonne::new(rules.rules);
    while let Some((place, word)) = words.next_if(|(_, word)| !word.contains('=')) {
        let wrong = |reason: Reason| wrong(format!("word {}, `{word}`: {reason}", place + 1));
        let (kind, ..) = parts(word).ok_or_else(|| wrong(Reason::NotATile))?;
        take(&mut game, kind).map_err(wrong)?;
        game.drawn = kind;
        let (open, chosen) = lay(&game, word).map_err(wrong)?;
        let Choice::Lay { rotation, claim, .. } = chosen.choice() else { unreachable!("a tile is laid") };
        game.lay_tile(open, rotation, claim.unwrap_or(NONE));
    }
    let mut rest = |key: &str| words.next_if(|(_, word)| word.starts_with(key)).map(|(_, word)| &word[key.len()..]);
    for kind in rest("out=").map_or(Ok(Vec::new()), kinds).map_err(wrong)? {
        take(&mut game, kind).map_err(|reason| wrong(format!("`out`: {reason}")))?;
    }
    let order = rest("order=");
    if order.is_some() && !rules.rules.ordered {
        return Err(wrong("the order of the tiles is not known in this variant: `order` has no meaning".to_owned()));
    }
    for kind in order.map_or(Ok(Vec::new()), kinds).map_err(wrong)? {
        if game.stack.copies()[usize::from(kind)] == 0 {
            return Err(wrong(format!("`order`: {}", Reason::NoneLeft(letter(kind)))));
        }
        game.stack.append(kind);
    }
    let next = rest("next=");
    if let Some((place, word)) = words.next() {
        return Err(wrong(format!(
            "word {}, `{word}`, follows `next` or is not one of `out`, `order` and `next`",
            place + 1
        )));
    }
    let next = next.ok_or_else(|| wrong("it ends with `next=` and a tile, `?` or `-`".to_owned()))?;
    if let Some(kind) = lone_letter(next) {
        take(&mut game, kind).map_err(|reason| wrong(format!("`next`: {reason}")))?;
        if !game.is_placeable(kind) {
            return Err(wrong(format!("`next`: tile {} fits nowhere", letter(kind))));
        }
        game.drawn = kind;
    }
    check_end(&game, next).map_err(wrong)?;
    Ok(game)
}

/// Takes a tile from the bag.
fn take(game: &mut Carcassonne, kind: u8) -> Result<(), Reason> {
    if game.stack.copies()[usize::from(kind)] == 0 {
        return Err(Reason::NoneLeft(letter(kind)));
    }
    game.stack.take(kind);
    Ok(())
}

/// The types of letters.
fn kinds(text: &str) -> Result<Vec<u8>, String> {
    text.chars().map(|c| of_letter(c).ok_or_else(|| format!("`{c}` is not a tile from A to X"))).collect()
}

/// Checks that what is left of the deck goes with what is next.
fn check_end(game: &Carcassonne, next: &str) -> Result<(), String> {
    let left = letters_of(game.stack.copies());
    let is_ordered = game.rules.ordered;
    match next {
        "?" if left.is_empty() => Err("`next=?`: no tile is left that nature could draw".to_owned()),
        "?" if game.drawable() == 0 => Err(format!("`next=?`: none of the tiles that are left, {left}, fits")),
        "?" if is_ordered && game.tiles() > 1 => {
            Err(format!("the deck does not add up: {left} are neither laid nor `out` nor in `order`"))
        }
        "?" => Ok(()),
        "-" if !left.is_empty() || game.stack.left() > 0 => {
            let order = letters(game.stack.order().iter().copied());
            Err(format!("the deck does not add up: the game is over, but {left}{order} are left"))
        }
        "-" => Ok(()),
        _ if game.drawn == NONE => Err(format!("`next={next}` is not a tile, `?` or `-`")),
        _ if is_ordered && !left.is_empty() => {
            Err(format!("the deck does not add up: {left} are neither laid nor `out` nor in `order` nor `next`"))
        }
        _ => Ok(()),
    }
}
