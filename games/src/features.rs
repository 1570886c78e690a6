//! What an evaluation may ask of a position, and playouts that an evaluation guides (EvoMCTS algorithm 4).
//!
//! Positions are seen by one side, the *friendly* one, against the *enemy*. Several are evaluated together: [`LANES`]
//! positions cost hardly more than one.

use rand::Rng as _;

use crate::{Game, Moves as _, Rng, Seat, Turn};

/// Positions evaluated together.
pub const LANES: usize = 4;

/// Upper bound of the numbers of a game.
pub const NUMBERS_MAX: usize = 8;

/// Most candidates of a step of a guided playout.
pub const CANDIDATES_MAX: u32 = 16;

/// Squares of the largest board whose squares an evaluation can read: a set of squares is one word.
pub const SQUARES_MAX: u32 = 64;

/// What an evaluation may read of a game's positions.
#[derive(Debug, PartialEq, Eq)]
pub struct Features {
    numbers: &'static [&'static str],
    rows: u8,
    columns: u8,
}

impl Features {
    /// Numbers by name, and a board whose square (row, column) is bit `row * columns + column` of a set.
    ///
    /// A game without a board, or with one of more than [`SQUARES_MAX`] squares, gives 0 rows and 0 columns: evaluations
    /// then have no primitives that read squares, and the game says by numbers what matters on its board.
    ///
    /// # Panics
    /// There are more than [`NUMBERS_MAX`] numbers or [`SQUARES_MAX`] squares. In a `static` that is an error of the
    /// compiler.
    pub const fn new(numbers: &'static [&'static str], rows: u8, columns: u8) -> Self {
        assert!(numbers.len() <= NUMBERS_MAX, "a view has room for fewer numbers");
        assert!(rows as u32 * columns as u32 <= SQUARES_MAX, "a set of squares has fewer bits than the board squares");
        Features { numbers, rows, columns }
    }

    /// Names of the numbers, at most [`NUMBERS_MAX`].
    pub const fn numbers(&self) -> &'static [&'static str] {
        self.numbers
    }

    /// Rows of the board; 0 if evaluations cannot read squares.
    pub const fn rows(&self) -> u8 {
        self.rows
    }

    /// Columns of the board; 0 if evaluations cannot read squares.
    pub const fn columns(&self) -> u8 {
        self.columns
    }
}

/// Features of [`LANES`] positions, one in each lane.
#[repr(C, align(64))]
#[derive(Clone, Debug)]
pub struct Views {
    /// The game's numbers, in the order of [`Features::numbers`]; shape `[numbers, lanes]`.
    pub numbers: [[f64; LANES]; NUMBERS_MAX],
    /// Squares with a friendly piece; empty in a game whose squares cannot be read.
    pub friendly: [u64; LANES],
    /// Squares with an enemy piece; empty in a game whose squares cannot be read.
    pub enemy: [u64; LANES],
}

impl Views {
    /// Empty views.
    pub const fn new() -> Self {
        Views { numbers: [[0.0; LANES]; NUMBERS_MAX], friendly: [0; LANES], enemy: [0; LANES] }
    }
}

impl Default for Views {
    fn default() -> Self {
        Self::new()
    }
}

/// Values positions for the side that looks at them.
pub trait Guide {
    /// The numbers it needs: bit `i` is number `i`. Others need not be written.
    fn wanted(&self) -> u32;

    /// Where positions are written.
    fn views(&mut self) -> &mut Views;

    /// Value of each lane for the friendly side: higher is better, NaN is worse than anything.
    fn values(&mut self) -> [f64; LANES];
}

/// Which side looks at a candidate position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// The one that makes the candidate move.
    Mover,
    /// The one whose turn it is after it.
    Next,
}

/// How a guided playout chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guiding {
    /// Moves drawn with replacement and evaluated, from 1 to [`CANDIDATES_MAX`] (playoutBranchingFactor).
    pub candidates: u32,
    /// The side that evaluates.
    pub view: View,
}

/// Moves that [`draw`] marks by number. Above it two moves share a mark, and the drawn moves are compared.
const MARKS: usize = 128;

/// The distinct ones among `candidates` draws below `count`, which is at most 65,536, in the order of their first draw,
/// and their number. A move drawn again cannot beat itself.
///
/// Two draws take one output of the generator: its upper half, then its lower.
#[inline(always)]
pub(crate) fn draw(rng: &mut Rng, candidates: u32, count: usize) -> ([u16; CANDIDATES_MAX as usize], usize) {
    debug_assert!(count <= 1 << 16, "{count} moves do not have numbers of 16 bits");
    let mut picks = [0; CANDIDATES_MAX as usize];
    let mut seen = 0u128;
    let mut kept = 0;
    let mut word = 0;
    for i in 0..candidates.min(CANDIDATES_MAX) {
        word = if i % 2 == 0 { rng.next_u64() } else { word << 32 };
        let pick = ((word >> 32) * count as u64) >> 32;
        let mark = pick % MARKS as u64;
        let mut repeated = (seen >> mark) & 1 != 0;
        if count > MARKS {
            repeated = repeated && picks[..kept].contains(&(pick as u16));
        }
        picks[kept] = pick as u16;
        kept += usize::from(!repeated);
        seen |= 1 << mark;
    }
    (picks, kept)
}

/// Index of the best of the first `count` values, the first of equals, against the best so far.
#[inline(always)]
pub(crate) fn better(values: &[f64; LANES], count: usize, best: &mut f64) -> Option<usize> {
    let mut found = None;
    for (lane, &value) in values.iter().enumerate().take(count) {
        if value > *best {
            *best = value;
            found = Some(lane);
        }
    }
    found
}

/// A guided playout in any game: [`Game::guided_playout`] without a game's own way.
#[inline(always)]
pub(crate) fn guided<G: Game>(game: &mut G, rng: &mut Rng, guide: &mut impl Guide, guiding: Guiding) -> [f64; 2] {
    let wanted = guide.wanted();
    for _ in 0..game.playout_plies_max() {
        let seat = match game.turn() {
            Turn::Over => return game.outcome(rng),
            Turn::Chance => {
                let drawn = game.chance(rng);
                game.play(drawn);
                continue;
            }
            Turn::Player(seat) => seat,
        };
        let moves = game.moves();
        // A single move takes no draw.
        if moves.len() == 1 {
            game.play(moves.get(0));
            continue;
        }
        let (picks, kept) = draw(rng, guiding.candidates, moves.len());
        let friendly: Seat = match guiding.view {
            View::Mover => seat,
            View::Next => 1 - seat,
        };
        let mut best_value = f64::NEG_INFINITY;
        let mut chosen = moves.get(usize::from(picks[0]));
        if kept > 1 {
            for lanes in picks[..kept].chunks(LANES) {
                for (lane, &pick) in lanes.iter().enumerate() {
                    let mut candidate = game.clone();
                    candidate.play(moves.get(usize::from(pick)));
                    candidate.look(friendly, wanted, lane, guide.views());
                }
                if let Some(lane) = better(&guide.values(), lanes.len(), &mut best_value) {
                    chosen = moves.get(usize::from(lanes[lane]));
                }
            }
        }
        game.play(chosen);
    }
    if game.turn() == Turn::Over { game.outcome(rng) } else { [0.5; 2] }
}
