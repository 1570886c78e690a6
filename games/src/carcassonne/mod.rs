//! Carcassonne, third edition: the base game for two, and the small games for one of the SIEA-MCTS thesis (section 4.3;
//! docs/papers/siea-mcts.md, "Carcassonne").
//!
//! Nature draws a tile, and a player lays it beside tiles whose sides match and may claim one of its segments with a
//! meeple, if no one has claimed the feature that it is part of. Finished features pay at once and give their meeples
//! back; what is left pays at the end ([`Source`]). Laying and claiming are one move. A tile that fits nowhere leaves
//! the game, and nature draws again: so the tile that a player gets is any of those that fit, by their number.
//!
//! Where the order of the tiles is known ([`Rules::ordered`]), nature draws all of it before the first turn, and
//! nothing later.
//!
//! A position is a value of some 6 KB without memory of the heap: a board wound into a ring, the open squares with
//! what lies around them, and the features as sets of segments. Points of what stands are counted from the standing
//! meeples, which are at most 14; nothing has to be kept up to date for them.

mod board;
mod bounds;
mod connect;
mod moves;
mod options;
mod picture;
mod playout;
mod record;
mod rules;
mod score;
mod show;
mod stack;
mod strips;
mod text;
mod tile;
mod turn;

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use board::{Board, Content};
use connect::Features;
use score::Meeples;
use stack::Stack;
use tile::{NONE, SIDES, START, TYPES};

pub use board::Square;
pub use moves::{Choice, Move, MoveSet};
pub use rules::{Deck, Reward, Rules, Variant};
pub use score::Points;
pub use tile::Source;

use crate::{Facts, Game, Rng, Seat, TextError, Turn, columns::Recorder};

/// Name in specs.
const GAME: &str = "carcassonne";

/// A tile on the board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Laid {
    square: Square,
    /// Its type in its rotation.
    oriented: u8,
    /// The segment that was claimed when it was laid; [`NONE`] if none was.
    claim: u8,
    /// Numbers of its first city, road and field.
    first: [u8; 3],
}

/// A position of Carcassonne.
#[derive(Clone)]
pub struct Carcassonne {
    rules: Rules,
    board: Board,
    features: Features,
    meeples: Meeples,
    stack: Stack,
    /// The type that a player is to lay; [`NONE`] while nature moves and at the end.
    drawn: u8,
    /// Tiles on the board, the start tile first.
    count: u8,
    laid: [Laid; rules::TILES_MAX],
}

impl Carcassonne {
    /// The start under some rules.
    pub fn new(rules: Rules) -> Self {
        let hand = [rules.meeples, if rules.players == 2 { rules.meeples } else { 0 }];
        let mut start = Carcassonne {
            rules,
            board: Board::new(),
            features: Features::new(),
            meeples: Meeples::new(hand),
            stack: Stack::new(&rules),
            drawn: START,
            count: 0,
            laid: [Laid::default(); rules::TILES_MAX],
        };
        start.lay_tile(0, 0, NONE);
        start
    }

    /// The start of a variant under the official rules.
    pub fn of(variant: Variant) -> Self {
        Carcassonne::new(Rules::of(variant))
    }

    /// The rules.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Points by seat and source that finished features gave so far.
    pub fn won(&self) -> Points {
        self.meeples.won
    }

    /// Points by seat and source if the game ended now (virtual scores); at the end, the final ones.
    pub fn points_by_source(&self) -> Points {
        self.meeples.points(&self.features)
    }

    /// By seat, the points that finished features gave so far.
    pub fn scores(&self) -> [u16; 2] {
        self.meeples.won.map(|sources| sources.iter().sum())
    }

    /// By seat, the points if the game ended now (virtual scores); at the end, the final ones.
    pub fn virtual_scores(&self) -> [u16; 2] {
        self.points_by_source().map(|sources| sources.iter().sum())
    }

    /// By seat, the meeples in hand.
    pub fn hand(&self) -> [u8; 2] {
        self.meeples.hand
    }

    /// Meeples on the board: what each stands on, and whose it is.
    pub fn standing(&self) -> impl Iterator<Item = (Source, Seat)> {
        self.meeples.standing().iter().map(|meeple| (meeple.source, meeple.seat.into()))
    }

    /// The letter of the tile that a player is to lay.
    pub fn drawn(&self) -> Option<char> {
        (self.drawn != NONE).then(|| tile::letter(self.drawn))
    }

    /// Tiles on the board, the start tile among them.
    pub fn tiles(&self) -> u32 {
        self.count.into()
    }

    /// Tiles that are neither on the board nor drawn nor out of the game.
    pub fn tiles_left(&self) -> u32 {
        self.stack.left().into()
    }

    #[inline]
    fn laid(&self) -> &[Laid] {
        &self.laid[..usize::from(self.count)]
    }

    /// Whose turn it is when a tile was drawn.
    #[inline]
    fn seat(&self) -> Seat {
        if self.rules.players == 2 { usize::from(self.count + 1) % 2 } else { 0 }
    }

    /// The first seat's points less the second's.
    fn difference([first, second]: [u16; 2]) -> i64 {
        i64::from(first) - i64::from(second)
    }

    /// A number of points by the upper bound of scores.
    fn share(&self, points: i64) -> f64 {
        (points as f64 / f64::from(self.rules.score_max())).clamp(-1.0, 1.0)
    }
}

/// The base game.
impl Default for Carcassonne {
    fn default() -> Self {
        Carcassonne::of(Variant::Base)
    }
}

/// Equal positions have the same tiles, laid in the same order, and the same tiles left.
impl PartialEq for Carcassonne {
    fn eq(&self, other: &Self) -> bool {
        self.rules == other.rules
            && self.drawn == other.drawn
            && self.stack == other.stack
            && self.laid() == other.laid()
    }
}

impl Hash for Carcassonne {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.rules, self.drawn, self.stack).hash(state);
        self.laid().hash(state);
    }
}

impl fmt::Debug for Carcassonne {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.rules, text::of_position(self))
    }
}

impl Game for Carcassonne {
    type Move = Move;
    type Moves = MoveSet;

    fn facts(&self) -> Facts {
        let draws = self.rules.copies().iter().map(|&copies| u32::from(copies)).sum::<u32>();
        Facts {
            name: GAME,
            title: match (self.rules.players, self.rules.ordered) {
                (2, _) => "Carcassonne",
                (_, false) => "Carcassonne for one",
                (_, true) => "Carcassonne for one, in a known order",
            },
            players: self.rules.players.into(),
            chance: true,
            // Far above what any position has: every open square takes the tile in every rotation with every claim.
            moves_max: board::OPEN_MAX * SIDES * (1 + tile::SEGMENTS_MAX),
            plies_max: 2 * draws,
            score_unit: "points",
            columns: &record::COLUMNS,
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        if self.drawn != NONE {
            Turn::Player(self.seat())
        } else if self.stack.bag() > 0 {
            Turn::Chance
        } else {
            Turn::Over
        }
    }

    #[inline]
    fn turn(&self) -> Turn {
        self.mover()
    }

    fn moves(&self) -> MoveSet {
        match self.mover() {
            Turn::Player(_) => MoveSet::lays(self),
            Turn::Chance => MoveSet::draws(self.drawable()),
            Turn::Over => MoveSet::NONE,
        }
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        match chosen.choice() {
            Choice::Draw(kind) if usize::from(kind) < TYPES && self.stack.copies()[usize::from(kind)] > 0 => {
                self.draw(kind);
            }
            Choice::Lay { square, rotation, claim } if self.drawn != NONE => {
                if let Content::Open(open) = self.board.at(square) {
                    self.lay(open.into(), rotation, claim.unwrap_or(NONE));
                }
            }
            // Not a move of this position.
            Choice::Draw(_) | Choice::Lay { .. } => {}
        }
    }

    #[inline]
    fn chance(&self, rng: &mut Rng) -> Move {
        Move::draw(self.draw_kind(rng))
    }

    /// Tiles of the type by tiles left; where tiles that fit nowhere stay in the stack, by those left that fit.
    fn probability(&self, drawn: Move) -> f64 {
        let Choice::Draw(kind) = drawn.choice() else { return 0.0 };
        let types = self.drawable();
        f64::from(self.stack.count(types & 1 << kind)) / f64::from(self.stack.count(types))
    }

    /// A tile that fits nowhere leaves the game, and another is drawn.
    fn is_redrawn(&self, drawn: Move) -> bool {
        let Choice::Draw(kind) = drawn.choice() else { return false };
        !self.rules.ordered && !self.rules.unplaceable_stays && !self.is_placeable(kind)
    }

    fn points(&self) -> [f64; 2] {
        let difference = Self::difference(self.virtual_scores());
        if self.rules.players == 1 {
            return [self.share(difference), 0.0];
        }
        match difference.signum() {
            1 => [1.0, 0.0],
            0 => [0.5; 2],
            _ => [0.0, 1.0],
        }
    }

    /// In a game for two the difference of scores by their upper bound, or 1, 0 or -1 by the result ([`Reward`]); in
    /// a game for one the score by its upper bound.
    fn reward(&self) -> [f64; 2] {
        let difference = Self::difference(self.virtual_scores());
        if self.rules.players == 1 {
            return [self.share(difference), 0.0];
        }
        let first = match self.rules.reward {
            Reward::Difference => self.share(difference),
            Reward::Result => difference.signum() as f64,
        };
        [first, -first]
    }

    /// Points of finished features; at the end all points.
    fn score_difference(&self) -> i64 {
        let is_over = self.mover() == Turn::Over;
        Self::difference(if is_over { self.virtual_scores() } else { self.scores() })
    }

    /// Virtual scores.
    /// The upper bound of scores.
    fn evaluation_scale(&self) -> Option<f64> {
        Some(f64::from(self.rules.score_max()))
    }

    fn score_if_ended(&self) -> Option<i64> {
        Some(Self::difference(self.virtual_scores()))
    }

    fn score_bounds(&self) -> Option<(i64, i64)> {
        if self.mover() == Turn::Over {
            let score = self.score_difference();
            return Some((score, score));
        }
        let score = Self::difference(self.scores());
        let [first, second] = bounds::still_to_win(self).map(i64::from);
        Some((score - second, score + first))
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng);
        self.reward()
    }

    fn recorder(&self) -> Option<Box<dyn Recorder<Self>>> {
        Some(Box::new(record::Record::new(self)))
    }

    fn move_text(&self, chosen: Move) -> String {
        text::of_move(self, chosen)
    }

    fn parse_move(&self, text: &str) -> Result<Move, TextError> {
        text::parse_move(self, text)
    }

    fn position_text(&self) -> String {
        text::of_position(self)
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        text::position(self, text)
    }

    fn board_text(&self) -> String {
        show::board(self)
    }

    fn picture(&self) -> Option<String> {
        Some(picture::svg(self))
    }
}
