//! Dodgem on n x n squares (dossier dodgem).
//!
//! Two players, no chance, perfect information, constant sum. Black's cars begin in the left column and go right, White's
//! in the top row and go down; each may also step sideways, never back, and leaves the board by a forward step from the
//! last column or row. A player who cannot move at the own turn has won: all cars are off, or the enemy shut them in.
//! There is no rule for repetition: a game of `plies-max` plies is a draw.
//!
//! Square `size * row + column`, row 0 at the top. As text a square is its column's letter and its row's number from the
//! top, `a1` being the corner where both sides meet.

mod board;
mod playout;

use crate::{
    Facts, Game, Moves, Rng, Seat, TextError, Turn,
    features::{Features, Guide, Guiding, Views},
};
use board::{Board, Steps};

/// A position of Dodgem, with the options of its game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dodgem {
    /// Cars of Black and White.
    cars: [u32; 2],
    /// Side to move: 0 Black, 1 White.
    seat: u8,
    size: u8,
    /// Moves made.
    plies: u16,
    /// Moves after which it is a draw.
    plies_max: u16,
    /// Moves after which a playout is a draw.
    playout_plies: u16,
}

/// A step of a car.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    from: u8,
    /// Index of [`Steps`].
    step: u8,
}

/// Legal moves of a position: forward steps by square, then both ways sideways, then off the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cars(Steps);

impl Moves<Move> for Cars {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.count() as usize
    }

    #[inline(always)]
    fn get(&self, index: usize) -> Move {
        let (from, step) = self.0.nth(index as u32);
        Move { from: from as u8, step }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        let taken = self.get(index);
        self.0.remove(taken.from.into(), taken.step);
        taken
    }
}

/// The numbers of EvoMCTS tables II and IX, by their index.
mod number {
    pub(super) const ENEMY_MAN: usize = 0;
    pub(super) const FRIENDLY_MAN: usize = 1;
    pub(super) const MAN: usize = 2;
    pub(super) const MOBILITY: usize = 3;
    pub(super) const FRIENDLY_POS: usize = 4;
    pub(super) const ENEMY_POS: usize = 5;
    pub(super) const POS: usize = 6;
}

const NUMBERS: &[&str] =
    &["EnemyManCount", "FriendlyManCount", "ManCount", "Mobility", "FriendlyPosCount", "EnemyPosCount", "PosCount"];

/// By size, from 3.
static FEATURES: [Features; 3] = [
    Features { numbers: NUMBERS, rows: 3, columns: 3 },
    Features { numbers: NUMBERS, rows: 4, columns: 4 },
    Features { numbers: NUMBERS, rows: 5, columns: 5 },
];

impl Dodgem {
    /// The start on `size` x `size` squares, 3 to 5; a game is a draw after `plies_max` moves, a playout after
    /// `playout_plies`.
    ///
    /// # Panics
    /// If the size is another.
    pub fn new(size: u8, plies_max: u16, playout_plies: u16) -> Self {
        let board = Board::of(size);
        // The corner where both sides meet stays free.
        let cars = [board.left & !board.top, board.top & !board.left];
        Dodgem { cars, seat: 0, size, plies: 0, plies_max, playout_plies }
    }

    /// Cars of Black and White, as sets of squares.
    pub fn cars(&self) -> [u32; 2] {
        self.cars
    }

    /// Forward steps that a side still needs until all its cars are off the board (EvoMCTS table IX; dossier dodgem,
    /// section 2): smaller is better.
    pub fn steps_left(&self, seat: Seat) -> u32 {
        self.board().steps_left(self.cars[seat], seat)
    }

    #[inline(always)]
    fn board(&self) -> &'static Board {
        Board::of(self.size)
    }

    /// What a side could do if it were to move, whatever the number of plies.
    #[inline(always)]
    fn steps(&self, seat: Seat) -> Steps {
        self.board().steps(self.cars[seat], self.cars[1 - seat], seat)
    }

    fn text_error(text: &str, what: &'static str, reason: impl Into<String>) -> TextError {
        TextError { text: text.to_owned(), what, game: "dodgem", reason: reason.into() }
    }

    fn square_text(&self, square: u32) -> String {
        let size = u32::from(self.size);
        format!("{}{}", (b'a' + (square % size) as u8) as char, square / size + 1)
    }
}

impl Game for Dodgem {
    type Move = Move;
    type Moves = Cars;

    fn facts(&self) -> Facts {
        Facts {
            name: "dodgem",
            title: match self.size {
                3 => "Dodgem 3x3",
                4 => "Dodgem 4x4",
                _ => "Dodgem 5x5",
            },
            players: 2,
            chance: false,
            // Each of size - 1 cars has at most three ways to go.
            moves_max: 3 * (usize::from(self.size) - 1),
            plies_max: self.plies_max.into(),
            score_unit: "steps",
        }
    }

    #[inline(always)]
    fn mover(&self) -> Turn {
        Turn::Player(usize::from(self.seat))
    }

    #[inline(always)]
    fn moves(&self) -> Cars {
        Cars(if self.plies < self.plies_max { self.steps(self.seat.into()) } else { Steps::none() })
    }

    #[inline(always)]
    fn play(&mut self, chosen: Move) {
        let seat = usize::from(self.seat & 1);
        let from = 1u32 << (chosen.from & 31);
        self.cars[seat] = self.cars[seat] & !from | self.board().target(from, chosen.step, seat);
        self.seat ^= 1;
        self.plies += 1;
    }

    #[inline(always)]
    fn points(&self) -> [f64; 2] {
        // Who cannot move at the own turn has won; anything else is an end by the number of plies.
        match (self.steps(self.seat.into()).count(), self.seat) {
            (0, 0) => [1.0, 0.0],
            (0, _) => [0.0, 1.0],
            _ => [0.5, 0.5],
        }
    }

    fn score_difference(&self) -> i64 {
        i64::from(self.steps_left(1)) - i64::from(self.steps_left(0))
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng)
    }

    #[inline(always)]
    fn playout_plies_max(&self) -> u32 {
        self.playout_plies.into()
    }

    fn features(&self) -> Option<&'static Features> {
        FEATURES.get(usize::from(self.size) - 3)
    }

    #[inline(always)]
    fn look(&self, friendly: Seat, wanted: u32, lane: usize, views: &mut Views) {
        let wants = |index: usize| wanted >> index & 1 == 1;
        let (own, other) = (self.cars[friendly], self.cars[1 - friendly]);
        views.friendly[lane] = own.into();
        views.enemy[lane] = other.into();
        if wants(number::MOBILITY) {
            views.numbers[number::MOBILITY][lane] = self.steps(friendly).count().into();
        }
        if wants(number::FRIENDLY_POS) || wants(number::ENEMY_POS) || wants(number::POS) {
            let (own, other) = (self.steps_left(friendly), self.steps_left(1 - friendly));
            views.numbers[number::FRIENDLY_POS][lane] = own.into();
            views.numbers[number::ENEMY_POS][lane] = other.into();
            views.numbers[number::POS][lane] = f64::from(own) - f64::from(other);
        }
        let (own, other) = (f64::from(own.count_ones()), f64::from(other.count_ones()));
        views.numbers[number::FRIENDLY_MAN][lane] = own;
        views.numbers[number::ENEMY_MAN][lane] = other;
        views.numbers[number::MAN][lane] = own - other;
    }

    #[inline]
    fn guided_playout<E: Guide>(&mut self, rng: &mut Rng, guide: &mut E, guiding: Guiding) -> [f64; 2] {
        playout::guided(self, rng, guide, guiding)
    }

    /// From and to: `a2b2`; a car that leaves: `e1off`.
    fn move_text(&self, chosen: Move) -> String {
        let target = self.board().target(1 << chosen.from, chosen.step, self.seat.into());
        let to = if target == 0 { "off".to_owned() } else { self.square_text(target.trailing_zeros()) };
        format!("{}{to}", self.square_text(chosen.from.into()))
    }

    /// Rows from the top between `/`: `b` a black car, `w` a white one, `.` nothing; then `b` or `w` to move, and the
    /// number of moves made if there are any.
    fn position_text(&self) -> String {
        let size = u32::from(self.size);
        let mut text = String::new();
        for square in 0..size * size {
            if square % size == 0 && square > 0 {
                text.push('/');
            }
            text.push(match self.cars.map(|cars| cars >> square & 1) {
                [1, _] => 'b',
                [_, 1] => 'w',
                _ => '.',
            });
        }
        text.push_str(if self.seat == 0 { " b" } else { " w" });
        if self.plies > 0 {
            text.push_str(&format!(" {}", self.plies));
        }
        text
    }

    fn parse_position(&self, text: &str) -> Result<Self, TextError> {
        let wrong = |reason: String| Self::text_error(text, "position", reason);
        let words: Vec<&str> = text.split(' ').collect();
        let (rows, side, plies) = match words[..] {
            [rows, side] => (rows, side, "0"),
            [rows, side, plies] => (rows, side, plies),
            _ => return Err(wrong("rows, side to move and perhaps the moves made, with spaces between".to_owned())),
        };
        let seat = match side {
            "b" => 0,
            "w" => 1,
            _ => return Err(wrong("the side to move is `b` or `w`".to_owned())),
        };
        let plies = plies.parse().map_err(|_| wrong(format!("the moves made are a number up to {}", u16::MAX)))?;
        let size = usize::from(self.size);
        let rows: Vec<&str> = rows.split('/').collect();
        if rows.len() != size || rows.iter().any(|row| row.len() != size) {
            return Err(wrong(format!("the board has {size} rows of {size} squares")));
        }
        let mut cars = [0u32; 2];
        for (square, c) in rows.concat().chars().enumerate() {
            match c {
                'b' => cars[0] |= 1 << square,
                'w' => cars[1] |= 1 << square,
                '.' => {}
                _ => return Err(wrong("a square is `b`, `w` or `.`".to_owned())),
            }
        }
        if cars.iter().any(|cars| cars.count_ones() as usize >= size) {
            return Err(wrong(format!("a side has at most {} cars", size - 1)));
        }
        Ok(Dodgem { cars, seat, plies, ..*self })
    }

    fn board_text(&self) -> String {
        let text = self.position_text();
        let rows = text.split(' ').next().unwrap_or(&text);
        let mut lines = format!("  {}\n", ["a", "b", "c", "d", "e"][..usize::from(self.size)].join(" "));
        for (row, squares) in rows.split('/').enumerate() {
            let spaced: Vec<String> = squares.chars().map(String::from).collect();
            lines.push_str(&format!("{} {}\n", row + 1, spaced.join(" ")));
        }
        let to_move = if self.seat == 0 { "b (Black, to the right)" } else { "w (White, down)" };
        lines + &format!("steps left: b {}  w {}  to move: {to_move}", self.steps_left(0), self.steps_left(1))
    }
}
