//! The state score: what the paper's objective function gives (Richoux, section IV-A; constants of heuristics.cpp of its
//! program, Pobo 0.6.2).
//!
//! From the side of one player: 25 for each large piece owned, on the board or in the pool; on the board 9 for a large
//! and 3 for a small piece, 3 more for a large one in the centre and 3 less on the border, 1 for small ones; all that
//! less the same for the other player. Then come the terms of lines, which are not the negatives of the other
//! player's ([`scan`]).
//!
//! A score is a sum over lines: rows from the left, columns from the top, and both families of diagonals from the left.
//! A row counts its squares, too. So there is a table for each kind of line, with an entry for each way in which it can
//! be occupied, and a position is the numbers of its lines' entries ([`Lines`]). A piece that moves changes numbers of
//! the lines through two squares by addition.

use std::sync::LazyLock;

use super::board::{self, BORDER, Board, CENTRE, LARGE, SIZE, SMALL};
use crate::Seat;

/// The score from which on a position counts as won (MAX of the program).
pub(super) const WON: i32 = 400;

/// Contents of a square, seen from a side: empty, or the side's small and large pieces, or the other's.
const CONTENTS: usize = 5;
/// Contents of a piece.
#[inline(always)]
pub(super) const fn content(size: usize, is_own: bool) -> u16 {
    1 + size as u16 + if is_own { 0 } else { 2 }
}

/// Places of lines in [`Lines`]: six rows from the bottom, six columns from the left, and nine diagonals of each family,
/// up to the right from the one at a5, and down to the right from the one at a2.
const COLUMNS: usize = 6;
const UPWARD: usize = 12;
const DOWNWARD: usize = 21;
/// Room for them; two more than there are.
const LINES: usize = 32;

/// Numbers of the entries of all lines. In a number, the first square of a line in the order of the scan counts 1 times
/// its content, the second 5 times, and so on.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Lines([u16; LINES]);

/// `[square]`: what a piece of content 1 there adds to the numbers of the lines; nothing at bits that are no squares,
/// which go as far as a push from the last square does.
static ADDS: [[u16; LINES]; 96] = adds();

const fn adds() -> [[u16; LINES]; 96] {
    const POWERS: [u16; 6] = [1, 5, 25, 125, 625, 3125];
    let mut adds = [[0; LINES]; 96];
    let mut index = 0;
    while index < SIZE * SIZE {
        let (column, row) = ((index % SIZE) as usize, (index / SIZE) as usize);
        let adds = &mut adds[board::square(index % SIZE, index / SIZE) as usize];
        adds[row] = POWERS[column];
        adds[COLUMNS + column] = POWERS[5 - row];
        if column + 5 != row && row + 5 != column {
            let first = if column < row { column } else { row };
            adds[UPWARD + 4 + column - row] = POWERS[first];
        }
        if column + row != 0 && column + row != 10 {
            let first = if column < 5 - row { column } else { 5 - row };
            adds[DOWNWARD + column + row - 1] = POWERS[first];
        }
        index += 1;
    }
    adds
}

impl Lines {
    /// The numbers of a board, seen from a side.
    #[inline(always)]
    pub(super) fn of(board: &Board, seat: Seat) -> Self {
        let mut lines = Lines([0; LINES]);
        for (owner, sets) in board.pieces.iter().enumerate() {
            for (size, &set) in sets.iter().enumerate() {
                board::squares(set).for_each(|square| lines.add(content(size, owner == seat), square));
            }
        }
        lines
    }

    /// Adds a piece.
    #[inline(always)]
    pub(super) fn add(&mut self, content: u16, square: u32) {
        for (number, add) in self.0.iter_mut().zip(&ADDS[square as usize & 63]) {
            *number += content * add;
        }
    }

    /// Takes a piece away.
    #[inline(always)]
    pub(super) fn remove(&mut self, content: u16, square: u32) {
        for (number, add) in self.0.iter_mut().zip(&ADDS[square as usize & 63]) {
            *number -= content * add;
        }
    }

    /// Moves a piece, perhaps off the board.
    #[inline(always)]
    pub(super) fn shift(&mut self, content: u16, from: u32, to: u32) {
        let (from, to) = (&ADDS[from as usize & 63], &ADDS[to as usize % ADDS.len()]);
        for ((number, from), to) in self.0.iter_mut().zip(from).zip(to) {
            *number = number.wrapping_add(content.wrapping_mul(to.wrapping_sub(*from)));
        }
    }

    /// The score of the board that the numbers are of, for their side.
    #[inline(always)]
    pub(super) fn score(&self, board: &Board, seat: Seat) -> i32 {
        let has_large = |seat: Seat| board.pieces[seat][LARGE].count_ones() < u32::from(board.large[seat]);
        let table = &TABLES[usize::from(has_large(seat)) + 2 * usize::from(has_large(1 - seat))];
        25 * (i32::from(board.large[seat]) - i32::from(board.large[1 - seat])) + table.sum(&self.0)
    }
}

/// The state score of a position for a side, unbounded.
#[inline]
pub(super) fn score(board: &Board, seat: Seat) -> i32 {
    Lines::of(board, seat).score(board, seat)
}

/// Kinds of rows and columns: on the border; the next; in the middle.
const KINDS: [usize; 6] = [0, 1, 2, 2, 1, 0];

/// What each way to occupy a line is worth, for one state of the pools. Lengths of arrays are powers of two, so that a
/// number needs no check.
struct Table {
    /// `[kind]`: lines and squares.
    rows: [[i16; 1 << 14]; 3],
    /// `[on the border, elsewhere]`: lines.
    columns: [[i16; 1 << 14]; 2],
    /// By length: lines. A diagonal may swallow the first start of the next one ([`scan`]): entries are twice the worth,
    /// plus 1 if it does; in the lower half where it was not swallowed itself, in the upper half where it was.
    diagonals_2: [u32; 1 << 5],
    diagonals_3: [u32; 1 << 7],
    diagonals_4: [u32; 1 << 10],
    diagonals_5: [u32; 1 << 12],
    diagonals_6: [u32; 1 << 14],
}

/// `[a large piece is in the own pool, plus 2 if one is in the other's]`.
static TABLES: LazyLock<Box<[Table]>> = LazyLock::new(tables);

impl Table {
    const EMPTY: Table = Table {
        rows: [[0; 1 << 14]; 3],
        columns: [[0; 1 << 14]; 2],
        diagonals_2: [0; 1 << 5],
        diagonals_3: [0; 1 << 7],
        diagonals_4: [0; 1 << 10],
        diagonals_5: [0; 1 << 12],
        diagonals_6: [0; 1 << 14],
    };

    #[inline(never)]
    fn sum(&self, numbers: &[u16; LINES]) -> i32 {
        const MASK: usize = (1 << 14) - 1;
        let number = |line: usize| usize::from(numbers[line]) & MASK;
        let mut sum = 0;
        for (index, kind) in KINDS.into_iter().enumerate() {
            sum += i32::from(self.rows[kind][number(index)]);
            sum += i32::from(self.columns[kind.min(1)][number(COLUMNS + index)]);
        }
        sum + self.diagonals(numbers, UPWARD) + self.diagonals(numbers, DOWNWARD)
    }

    #[inline(always)]
    fn diagonals(&self, numbers: &[u16; LINES], family: usize) -> i32 {
        let number = |index: usize| usize::from(numbers[family + index]);
        let entries = [
            self.diagonals_2[number(0) & 0x1f],
            self.diagonals_3[number(1) & 0x7f],
            self.diagonals_4[number(2) & 0x3ff],
            self.diagonals_5[number(3) & 0xfff],
            self.diagonals_6[number(4) & 0x3fff],
            self.diagonals_5[number(5) & 0xfff],
            self.diagonals_4[number(6) & 0x3ff],
            self.diagonals_3[number(7) & 0x7f],
            self.diagonals_2[number(8) & 0x1f],
        ];
        // Twice the worth, and the number of swallowed starts above that.
        let (mut sum, mut swallows, mut swallowed) = (0, 0, 0);
        for pair in entries {
            let entry = pair >> (16 * swallowed);
            swallowed = entry & 1;
            swallows += swallowed as i32;
            sum += i32::from(entry as u16 as i16);
        }
        (sum - swallows) / 2
    }

    /// The entries of diagonals of a length.
    fn diagonals_mut(&mut self, length: usize) -> &mut [u32] {
        match length {
            2 => &mut self.diagonals_2,
            3 => &mut self.diagonals_3,
            4 => &mut self.diagonals_4,
            5 => &mut self.diagonals_5,
            _ => &mut self.diagonals_6,
        }
    }
}

/// What a line has.
#[derive(Clone, Copy, Default)]
struct Scan {
    /// The sum of the terms that do not depend on pools.
    fixed: i32,
    /// How often the side has two large pieces with room beside them, and how often the other side.
    open: [i32; 2],
    /// Whether the first start of the next diagonal is swallowed.
    swallows: bool,
}

impl Scan {
    /// Its worth, on the border or elsewhere; `in_pool` says whether the side has a large piece in its pool, and the
    /// other.
    fn worth(&self, is_border: bool, in_pool: [bool; 2]) -> i32 {
        let own = match in_pool {
            [_, true] if is_border => 0,
            [true, _] => 60,
            [false, _] => 20,
        };
        self.fixed + own * self.open[0] - if in_pool[1] { 300 } else { 40 } * self.open[1]
    }
}

/// Scans a line from its first square to the last but one, for two or three pieces of one owner that begin at a square.
/// What is found swallows some of the next starts: of three pieces of one size the other two, else one. So the program
/// does not see three large pieces behind a small one; and since it scans all diagonals of a family as one list, the
/// first start of the next diagonal may be swallowed as well, as here if `is_swallowed`.
fn scan(line: &[u8], is_border: bool, is_swallowed: bool) -> Scan {
    let owner = |index: usize| line.get(index).filter(|&&content| content > 0).map(|&content| usize::from(content > 2));
    let is_large = |index: usize| line[index].is_multiple_of(2);
    let is_empty = |index: usize| line.get(index) == Some(&0);
    let mut found = Scan::default();
    let mut start = usize::from(is_swallowed);
    while start + 1 < line.len() {
        let (first, next) = (start, start + 1);
        start += 1;
        let Some(side) = owner(first) else { continue };
        if owner(next) != Some(side) {
            continue;
        }
        let term = |own: i32, other: i32| [own, other][side];
        let before = |index: usize| index.checked_sub(1);
        let worth = if owner(first + 2) == Some(side) {
            let large = [first, next, first + 2].map(is_large);
            let small = large.iter().filter(|&&is_large| !is_large).count() as i32;
            start += if small % 3 == 0 { 2 } else { 1 };
            match (small, large) {
                (0, _) => term(800, -800),
                (3, _) => term(40, -44),
                (_, [is_first, true, is_last])
                    if is_first && before(first).is_some_and(is_empty) || is_last && is_empty(first + 3) =>
                {
                    found.open[side] += 1;
                    0
                }
                _ => small * term(7, -11),
            }
        } else {
            let blocks =
                |index: Option<usize>| index.is_none_or(|index| index >= line.len() || owner(index) == Some(1 - side));
            let is_corner = line.len() == 2;
            let is_blocked = !is_corner && blocks(before(first)) && blocks(Some(next + 1));
            start += usize::from(!is_corner);
            match (usize::from(is_large(first)) + usize::from(is_large(next)), is_corner, is_blocked) {
                (2, true, _) => term(-5, 10),
                (2, _, true) => term(-5, 0),
                (2, ..) => {
                    found.open[side] += 1;
                    0
                }
                (_, true, _) => term(-1, 5),
                (_, _, true) => term(-1, 0),
                (0, ..) => term(if is_border { 0 } else { 15 }, -22),
                _ => term(if is_border { 0 } else { 7 }, -11),
            }
        };
        found.fixed += worth;
    }
    found.swallows = start == line.len();
    found
}

/// Worth of what stands on a square.
fn worth(content: u8, square: u32) -> i32 {
    let place = if 1 << square & CENTRE != 0 {
        1
    } else if 1 << square & BORDER != 0 {
        -1
    } else {
        0
    };
    let worth = match usize::from(content + 1) % 2 {
        SMALL => 3 + place,
        _ => 9 + 3 * place,
    };
    match content {
        0 => 0,
        1 | 2 => worth,
        _ => -worth,
    }
}

fn tables() -> Box<[Table]> {
    let mut tables: Vec<Table> = std::iter::repeat_with(|| Table::EMPTY).take(4).collect();
    for length in 2..=6usize {
        for number in 0..CONTENTS.pow(length as u32) {
            let line: [u8; 6] = std::array::from_fn(|index| (number / CONTENTS.pow(index as u32) % CONTENTS) as u8);
            let line = &line[..length];
            let [inner, swallowed] = [false, true].map(|is_swallowed| scan(line, false, is_swallowed));
            let border = scan(line, true, false);
            for (index, table) in tables.iter_mut().enumerate() {
                let in_pool = [index & 1 == 1, index & 2 == 2];
                let [entry, entry_swallowed] = [inner, swallowed]
                    .map(|found| (2 * found.worth(false, in_pool) + i32::from(found.swallows)) as i16 as u16);
                table.diagonals_mut(length)[number] = u32::from(entry) | u32::from(entry_swallowed) << 16;
                if length < 6 {
                    continue;
                }
                let lines = [border.worth(true, in_pool), inner.worth(false, in_pool)].map(|worth| worth as i16);
                for (column, worth) in table.columns.iter_mut().zip(lines) {
                    column[number] = worth;
                }
                for (row, entries) in table.rows.iter_mut().enumerate() {
                    let squares =
                        (0..).zip(line).map(|(column, &content)| worth(content, board::square(column, row as u32)));
                    entries[number] = lines[row.min(1)] + squares.sum::<i32>() as i16;
                }
            }
        }
    }
    tables.into_boxed_slice()
}
