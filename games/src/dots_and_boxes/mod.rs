//! Dots and Boxes on boards of 1x1 to 7x7 boxes; the paper of Cotarelo et al. (2021) plays it on 5x5.
//!
//! Two players, no chance, perfect information, constant sum. A move draws a free edge. Each box that it completes belongs to
//! the mover, who then moves again, once even for two boxes; otherwise the turn passes. Completing a box is never compulsory.
//! The game ends when all edges are drawn, and who has more boxes wins.
//!
//! Edges are numbered as the paper's boxes are read: horizontal edge (r, c) of R x C boxes is `C r + c`, r from 0 to R, and
//! vertical edge (r, c) is `(R + 1) C + (C + 1) r + c`, c from 0 to C, rows from the top and columns from the left.

mod board;
mod chains;
mod encoding;
mod moves;
mod options;
mod picture;
mod playout;
mod show;
mod solver;
mod starts;
mod symmetry;
mod text;

use board::{Edges, Size};

pub use chains::{Categories, ChainCounts};
pub use moves::{Move, MoveSet};
pub use solver::Solver;
pub use symmetry::Symmetry;

use crate::{Encoding, Facts, Game, Rng, Seat, TextError, Turn, endings::Endings};

/// Name in specs.
const GAME: &str = "dots-and-boxes";
/// Rows, and columns, that a board may have.
const SIDES: std::ops::RangeInclusive<u8> = 1..=7;

/// A position of Dots and Boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DotsAndBoxes {
    free: Edges,
    /// Completed boxes by their owner.
    boxes: [u64; 2],
    size: Size,
    /// Who moves; in a finished game, who moved last.
    seat: u8,
}

impl DotsAndBoxes {
    /// The empty board of so many boxes.
    ///
    /// # Panics
    /// A number is not from 1 to 7.
    pub fn new(rows: u8, columns: u8) -> Self {
        assert!(SIDES.contains(&rows) && SIDES.contains(&columns), "{rows}x{columns} boxes are not a board");
        let size = Size { rows, columns };
        DotsAndBoxes { free: size.edges(), boxes: [0; 2], size, seat: 0 }
    }

    /// Rows of boxes.
    pub fn rows(&self) -> u8 {
        self.size.rows
    }

    /// Columns of boxes.
    pub fn columns(&self) -> u8 {
        self.size.columns
    }

    /// Number of edges, free and drawn.
    pub fn edges(&self) -> u32 {
        self.size.edge_count()
    }

    /// Number of free edges.
    #[inline]
    pub fn free_edges(&self) -> u32 {
        self.free.len()
    }

    /// Whether an edge is free.
    pub fn is_free(&self, edge: Move) -> bool {
        self.free.has(edge)
    }

    /// Number of an edge of the board, below [`DotsAndBoxes::edges`], in the order of moves.
    pub fn edge_number(&self, edge: Move) -> u32 {
        let (rows, columns) = (u32::from(self.size.rows), u32::from(self.size.columns));
        if edge.is_vertical() {
            (rows + 1) * columns + edge.row() * (columns + 1) + edge.column()
        } else {
            edge.row() * columns + edge.column()
        }
    }

    /// The edge with a number; `None` if there are fewer.
    pub fn edge(&self, number: u32) -> Option<Move> {
        let (rows, columns) = (u32::from(self.size.rows), u32::from(self.size.columns));
        if number >= self.edges() {
            return None;
        }
        let place = |number: u32, width: u32| 8 * (number / width) + number % width;
        Some(match number.checked_sub((rows + 1) * columns) {
            None => Move::horizontal(place(number, columns)),
            Some(number) => Move::vertical(place(number, columns + 1)),
        })
    }

    /// Who completed box (`row`, `column`); `None` if it is open or not on the board.
    pub fn owner(&self, row: u32, column: u32) -> Option<Seat> {
        let is_inside = row < u32::from(self.size.rows) && column < u32::from(self.size.columns);
        (0..2).find(|&seat| is_inside && self.boxes[seat] >> (8 * row + column) & 1 == 1)
    }

    /// Completed boxes of each seat.
    #[inline]
    pub fn completed(&self) -> [u32; 2] {
        self.boxes.map(u64::count_ones)
    }

    /// Boxes that have a free edge.
    #[inline]
    pub fn open_boxes(&self) -> u32 {
        self.open().count_ones()
    }

    /// Turns that completed no box, at least: drawn edges less completed boxes, and one more if the side to move would be the
    /// other one else. Fewer than there were where edges completed two boxes at once.
    pub fn completed_turns(&self) -> u32 {
        let completed: u32 = self.completed().iter().sum();
        let least = self.edges() - self.free_edges() - completed;
        least + ((least ^ u32::from(self.seat)) & 1)
    }

    /// Boxes that drawing a free edge completes, 0 to 2.
    #[inline]
    pub fn completes(&self, edge: Move) -> u32 {
        (self.open() & !self.free.without(edge).touched()).count_ones()
    }

    /// Free edges of the boxes at an edge: above it and below, or left of it and right; 0 outside of the board.
    pub fn free_around(&self, edge: Move) -> [u32; 2] {
        let (row, column) = (edge.row(), edge.column());
        let of_box = |row: u32, column: u32| {
            let place = 8 * row + column;
            if self.size.boxes() >> place & 1 == 0 {
                return 0;
            }
            let Edges { horizontal, vertical } = self.free;
            (horizontal >> place & 1 | (horizontal >> (place + 8) & 1) << 1 | (vertical >> place & 3) << 2).count_ones()
        };
        let before = if edge.is_vertical() {
            column.checked_sub(1).map(|column| of_box(row, column))
        } else {
            row.checked_sub(1).map(|row| of_box(row, column))
        };
        [before.unwrap_or(0), if row < 7 { of_box(row, column) } else { 0 }]
    }

    /// The boxes that have a free edge.
    #[inline(always)]
    fn open(&self) -> u64 {
        self.size.boxes() & !(self.boxes[0] | self.boxes[1])
    }

    #[inline(always)]
    fn seat(&self) -> Seat {
        usize::from(self.seat & 1)
    }
}

/// The empty board of 5x5 boxes.
impl Default for DotsAndBoxes {
    fn default() -> Self {
        DotsAndBoxes::new(5, 5)
    }
}

impl Game for DotsAndBoxes {
    type Move = Move;
    type Moves = MoveSet;

    fn facts(&self) -> Facts {
        Facts {
            name: GAME,
            title: "Dots and Boxes",
            players: 2,
            chance: false,
            moves_max: self.edges() as usize,
            plies_max: self.edges(),
            score_unit: "boxes",
            columns: &[],
        }
    }

    #[inline]
    fn mover(&self) -> Turn {
        Turn::Player(self.seat())
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.free.is_empty() { Turn::Over } else { self.mover() }
    }

    #[inline]
    fn moves(&self) -> MoveSet {
        MoveSet(self.free)
    }

    #[inline]
    fn play(&mut self, chosen: Move) {
        let open = self.open();
        self.free = self.free.without(chosen);
        let completed = open & !self.free.touched();
        self.boxes[self.seat()] |= completed;
        self.seat ^= u8::from(completed == 0);
    }

    fn points(&self) -> [f64; 2] {
        let [first, second] = self.completed();
        match first.cmp(&second) {
            std::cmp::Ordering::Greater => [1.0, 0.0],
            std::cmp::Ordering::Equal => [0.5; 2],
            std::cmp::Ordering::Less => [0.0, 1.0],
        }
    }

    /// Boxes of the first player, less the second's.
    fn score_difference(&self) -> i64 {
        let [first, second] = self.completed().map(i64::from);
        first - second
    }

    /// Either side may complete all open boxes.
    fn score_bounds(&self) -> Option<(i64, i64)> {
        let (score, open) = (self.score_difference(), i64::from(self.open_boxes()));
        Some((score - open, score + open))
    }

    /// All boxes.
    fn evaluation_scale(&self) -> Option<f64> {
        Some(self.size.boxes().count_ones().into())
    }

    fn prospect(&self, chosen: Move) -> f64 {
        self.completes(chosen).into()
    }

    fn with_mover(&self, seat: Seat) -> Option<Self> {
        Some(DotsAndBoxes { seat: seat as u8, ..*self })
    }

    #[inline]
    fn playout(&mut self, rng: &mut Rng) -> [f64; 2] {
        playout::random(self, rng);
        self.points()
    }

    fn encodings(&self) -> Vec<Encoding> {
        encoding::all(self)
    }

    fn encode(&self, encoding: usize, inputs: &mut [f32]) {
        encoding::encode(self, encoding, inputs);
    }

    fn policy_size(&self) -> Option<usize> {
        Some(self.edges() as usize)
    }

    fn policy_index(&self, chosen: Move) -> usize {
        self.edge_number(chosen) as usize
    }

    fn endings(&self) -> Option<Box<dyn Endings<Self>>> {
        Some(Box::new(Solver::default()))
    }

    fn move_text(&self, chosen: Move) -> String {
        text::of_move(chosen)
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
