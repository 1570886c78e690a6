//! Reversi on 8x8 (docs/papers/evomcts.md, "Reversi").
//!
//! Two players, no chance, perfect information, constant sum. Black moves first. A move turns at least one disc;
//! a player without one passes, which is a ply; the game ends when neither can move. Empty squares at the end
//! are not awarded.
//!
//! Square `8 * row + column`, a1 = 0, h1 = 7, h8 = 63: column a-h, row 1-8.

mod encoding;
mod kernel;
#[cfg(target_arch = "x86_64")]
mod lanes;
mod options;
mod playout;

use crate::{
    Encoding, Facts, Game, Moves, Rng, Seat, TextError, Turn, bits,
    features::{Features, Guide, Guiding, Views},
};

/// The four corners.
const CORNERS: u64 = 0x8100_0000_0000_0081;
/// d5 and e4.
const BLACK_AT_START: u64 = 1 << 35 | 1 << 28;
/// d4 and e5.
const WHITE_AT_START: u64 = 1 << 27 | 1 << 36;

/// The numbers of EvoMCTS table II, by their index.
pub(crate) mod number {
    pub(crate) const ENEMY_MAN: usize = 0;
    pub(crate) const FRIENDLY_MAN: usize = 1;
    pub(crate) const MAN: usize = 2;
    pub(crate) const MOBILITY: usize = 3;
    pub(crate) const FRIENDLY_CORNER: usize = 4;
    pub(crate) const ENEMY_CORNER: usize = 5;
    pub(crate) const CORNER: usize = 6;
}

static FEATURES: Features = Features::new(
    &[
        "EnemyManCount",
        "FriendlyManCount",
        "ManCount",
        "Mobility",
        "FriendlyCornerCount",
        "EnemyCornerCount",
        "CornerCount",
    ],
    8,
    8,
);

/// Writes the `wanted` numbers of two sets of discs; `mobility` is called only if it is wanted.
#[inline(always)]
fn write(friendly: u64, enemy: u64, mobility: impl FnOnce() -> u32, wanted: u32, lane: usize, views: &mut Views) {
    let wants = |index: usize| wanted >> index & 1 == 1;
    let count = |set: u64| f64::from(set.count_ones());
    views.friendly[lane] = friendly;
    views.enemy[lane] = enemy;
    if wants(number::MOBILITY) {
        views.numbers[number::MOBILITY][lane] = f64::from(mobility());
    }
    // Counting is cheaper than testing which count is wanted.
    let (own, other) = (count(friendly), count(enemy));
    views.numbers[number::FRIENDLY_MAN][lane] = own;
    views.numbers[number::ENEMY_MAN][lane] = other;
    views.numbers[number::MAN][lane] = own - other;
    let (own, other) = (count(friendly & CORNERS), count(enemy & CORNERS));
    views.numbers[number::FRIENDLY_CORNER][lane] = own;
    views.numbers[number::ENEMY_CORNER][lane] = other;
    views.numbers[number::CORNER][lane] = own - other;
}

/// A position of Reversi.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Reversi {
    /// Discs of the side to move.
    own: u64,
    /// Discs of the other side.
    other: u64,
    /// Side to move: 0 Black, 1 White.
    seat: u8,
}

/// A square to play on, or a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(u8);

impl Move {
    /// The pass.
    pub const PASS: Move = Move(64);

    /// Square 0 to 63; `None` for a pass.
    pub fn square(self) -> Option<u32> {
        (self.0 < 64).then_some(u32::from(self.0))
    }
}

/// Legal moves of a position, by square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Squares {
    bits: u64,
    pass: bool,
}

impl Moves<Move> for Squares {
    #[inline]
    fn len(&self) -> usize {
        self.bits.count_ones() as usize + usize::from(self.pass)
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        if self.pass { Move::PASS } else { Move(bits::nth_set(self.bits, index as u32) as u8) }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        let taken = self.get(index);
        match taken.square() {
            Some(square) => self.bits &= !(1 << square),
            None => self.pass = false,
        }
        taken
    }
}

impl Reversi {
    /// The start.
    pub fn new() -> Self {
        Reversi { own: BLACK_AT_START, other: WHITE_AT_START, seat: 0 }
    }

    /// Discs of Black and White, as sets of squares.
    pub fn discs(&self) -> [u64; 2] {
        if self.seat == 0 { [self.own, self.other] } else { [self.other, self.own] }
    }

    /// Number of legal moves the side to move has, a pass not counted (EvoMCTS table II, Mobility).
    pub fn mobility(&self) -> u32 {
        kernel::moves(self.own, self.other).count_ones()
    }

    /// Discs of the side to move and of the other (EvoMCTS table II, FriendlyManCount and EnemyManCount).
    pub fn man_counts(&self) -> [u32; 2] {
        [self.own.count_ones(), self.other.count_ones()]
    }

    /// Corners of the side to move and of the other (EvoMCTS table II, FriendlyCornerCount and EnemyCornerCount).
    pub fn corner_counts(&self) -> [u32; 2] {
        [(self.own & CORNERS).count_ones(), (self.other & CORNERS).count_ones()]
    }

    /// Black minus White.
    fn disc_difference(&self) -> i64 {
        let [black, white] = self.discs();
        i64::from(black.count_ones()) - i64::from(white.count_ones())
    }
}

impl Default for Reversi {
    fn default() -> Self {
        Self::new()
    }
}

impl Game for Reversi {
    type Move = Move;
    type Moves = Squares;

    fn facts(&self) -> Facts {
        Facts {
            name: "reversi",
            title: "Reversi 8x8",
            players: 2,
            chance: false,
            // Far above the largest known count in a reachable position; the board has at most 60 free squares.
            moves_max: 60,
            // 60 discs are placed and no two passes follow one another before the end.
            plies_max: 120,
            score_unit: "discs",
            columns: &[],
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(usize::from(self.seat))
    }

    #[inline]
    fn moves(&self) -> Squares {
        let bits = kernel::moves(self.own, self.other);
        Squares { bits, pass: bits == 0 && kernel::moves(self.other, self.own) != 0 }
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        if let Some(square) = chosen.square() {
            let turned = kernel::flips(self.own, self.other, square);
            self.own ^= turned | 1 << square;
            self.other ^= turned;
        }
        std::mem::swap(&mut self.own, &mut self.other);
        self.seat ^= 1;
    }

    fn points(&self) -> [f64; 2] {
        let first = match self.disc_difference().signum() {
            1 => 1.0,
            0 => 0.5,
            _ => 0.0,
        };
        [first, 1.0 - first]
    }

    fn score_difference(&self) -> i64 {
        self.disc_difference()
    }

    /// All discs.
    fn evaluation_scale(&self) -> Option<f64> {
        Some(64.0)
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng);
        self.points()
    }

    fn features(&self) -> Option<&'static Features> {
        Some(&FEATURES)
    }

    #[inline]
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        let (own, other) =
            if friendly == usize::from(self.seat) { (self.own, self.other) } else { (self.other, self.own) };
        write(own, other, || kernel::moves(own, other).count_ones(), wanted, lane, views);
    }

    fn guided_playout<E: Guide>(&mut self, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
        playout::guided(self, rng, guide, guiding);
        self.points()
    }

    fn encodings(&self) -> Vec<Encoding> {
        encoding::ALL.to_vec()
    }

    fn encode(&self, encoding: usize, inputs: &mut [f32]) {
        encoding::encode(self, encoding, inputs);
    }

    fn policy_size(&self) -> Option<usize> {
        Some(encoding::POLICY)
    }

    fn policy_index(&self, chosen: Move) -> usize {
        usize::from(chosen.0)
    }

    fn perft(&self, depth: u32) -> u64 {
        playout::perft(self.own, self.other, depth)
    }

    fn move_text(&self, chosen: Move) -> String {
        match chosen.square() {
            None => "pass".to_owned(),
            Some(square) => format!("{}{}", (b'a' + (square % 8) as u8) as char, square / 8 + 1),
        }
    }

    /// Rows 1 to 8 from column a, `X` Black, `O` White, `.` empty, between `/`; then `b` or `w` to move.
    fn position_text(&self) -> String {
        let [black, white] = self.discs();
        let mut text = String::with_capacity(74);
        for square in 0..64 {
            if square % 8 == 0 && square > 0 {
                text.push('/');
            }
            text.push(match (black >> square & 1, white >> square & 1) {
                (1, _) => 'X',
                (_, 1) => 'O',
                _ => '.',
            });
        }
        text.push_str(if self.seat == 0 { " b" } else { " w" });
        text
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let wrong = |reason: &str| TextError::position("reversi", text, reason);
        let (board, side) = text.split_once(' ').ok_or_else(|| wrong("no side to move after a space"))?;
        let seat = match side {
            "b" => 0,
            "w" => 1,
            _ => return Err(wrong("the side to move is `b` or `w`")),
        };
        let rows: Vec<&str> = board.split('/').collect();
        if rows.len() != 8 || rows.iter().any(|row| row.len() != 8) {
            return Err(wrong("a board has 8 rows of 8 squares"));
        }
        let mut discs = [0u64; 2];
        for (square, c) in rows.concat().chars().enumerate() {
            match c {
                'X' => discs[0] |= 1 << square,
                'O' => discs[1] |= 1 << square,
                '.' => {}
                _ => return Err(wrong("a square is `X`, `O` or `.`")),
            }
        }
        Ok(Reversi { own: discs[seat], other: discs[1 - seat], seat: seat as u8 })
    }

    fn board_text(&self) -> String {
        let position = self.position_text();
        let (board, side) = position.split_once(' ').unwrap_or((&position, ""));
        let mut lines = String::from("  a b c d e f g h\n");
        for (row, squares) in board.split('/').enumerate() {
            let spaced: Vec<String> = squares.chars().map(String::from).collect();
            lines.push_str(&format!("{} {}\n", row + 1, spaced.join(" ")));
        }
        let [black, white] = self.discs();
        let to_move = if side == "b" { "X (Black)" } else { "O (White)" };
        lines.push_str(&format!("X {}  O {}  to move: {to_move}", black.count_ones(), white.count_ones()));
        lines
    }
}
