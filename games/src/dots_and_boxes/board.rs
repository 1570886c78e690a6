//! Boards as sets of bits.
//!
//! Box (r, c) is bit `8 r + c` of a word, r from the top and c from the left. Horizontal edge (r, c), above box (r, c), is the
//! same bit of a word of its own, and vertical edge (r, c), left of it, of another. So the lower edge of a box lies 8 bits
//! higher and its right edge one bit, and all boxes with a free edge are four shifts. Boards of 7x7 boxes just fit.

use super::Move;

/// A board's rows and columns of boxes, each from 1 to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Size {
    pub(super) rows: u8,
    pub(super) columns: u8,
}

/// Bits of `rows` rows of `columns` bits each.
#[inline(always)]
const fn rectangle(rows: u8, columns: u8) -> u64 {
    const FIRST_COLUMN: u64 = 0x0101_0101_0101_0101;
    (FIRST_COLUMN >> (64 - 8 * rows as u32)) * ((1 << columns) - 1)
}

impl Size {
    /// All boxes.
    #[inline(always)]
    pub(super) const fn boxes(self) -> u64 {
        rectangle(self.rows, self.columns)
    }

    /// All edges.
    pub(super) const fn edges(self) -> Edges {
        Edges { horizontal: rectangle(self.rows + 1, self.columns), vertical: rectangle(self.rows, self.columns + 1) }
    }

    /// The edges at the outside.
    pub(super) const fn outer_edges(self) -> Edges {
        let (rows, columns) = (self.rows as u32, self.columns as u32);
        let row = (1 << columns) - 1;
        let column = rectangle(self.rows, 1);
        Edges { horizontal: row | row << (8 * rows), vertical: column | column << columns }
    }

    /// Number of edges.
    pub(super) fn edge_count(self) -> u32 {
        let (rows, columns) = (u32::from(self.rows), u32::from(self.columns));
        (rows + 1) * columns + rows * (columns + 1)
    }
}

/// A set of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edges {
    pub(super) horizontal: u64,
    pub(super) vertical: u64,
}

impl Edges {
    pub(super) const NONE: Edges = Edges { horizontal: 0, vertical: 0 };

    #[inline(always)]
    pub(super) fn len(self) -> u32 {
        self.horizontal.count_ones() + self.vertical.count_ones()
    }

    #[inline(always)]
    pub(super) fn is_empty(self) -> bool {
        self.horizontal | self.vertical == 0
    }

    #[inline(always)]
    pub(super) fn has(self, edge: Move) -> bool {
        let one = Edges::of(edge);
        (self.horizontal & one.horizontal) | (self.vertical & one.vertical) != 0
    }

    /// The set of one edge.
    #[inline(always)]
    pub(super) fn of(edge: Move) -> Edges {
        let bit = 1 << edge.place();
        if edge.is_vertical() {
            Edges { vertical: bit, ..Edges::NONE }
        } else {
            Edges { horizontal: bit, ..Edges::NONE }
        }
    }

    /// The set without an edge, which may be in it.
    #[inline(always)]
    pub(super) fn without(self, edge: Move) -> Edges {
        let one = Edges::of(edge);
        Edges { horizontal: self.horizontal & !one.horizontal, vertical: self.vertical & !one.vertical }
    }

    /// The edges in the order of their numbers: horizontal ones row by row, then vertical ones row by row.
    pub(super) fn iter(self) -> impl Iterator<Item = Move> {
        let places = |mut set: u64| std::iter::from_fn(move || (set != 0).then(|| crate::bits::pop_lowest(&mut set)));
        let horizontal = places(self.horizontal).map(Move::horizontal);
        horizontal.chain(places(self.vertical).map(Move::vertical))
    }

    /// The boxes that have an edge in the set, and bits beyond the board.
    #[inline(always)]
    pub(super) fn touched(self) -> u64 {
        self.horizontal | self.horizontal >> 8 | self.vertical | self.vertical >> 1
    }
}
