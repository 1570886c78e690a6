//! Moves, which are edges, and sets of them.

use super::board::Edges;
use crate::{Moves, bits};

/// An edge that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

impl Move {
    const VERTICAL: u8 = 64;

    /// The horizontal edge with a place in its word.
    #[inline(always)]
    pub(super) fn horizontal(place: u32) -> Self {
        Move(place as u8)
    }

    /// The vertical edge with a place in its word.
    #[inline(always)]
    pub(super) fn vertical(place: u32) -> Self {
        Move(place as u8 | Self::VERTICAL)
    }

    /// The edge with an index of [`Move::index`].
    #[inline(always)]
    pub(super) fn of_index(index: u8) -> Self {
        Move(index)
    }

    /// Whether the edge is vertical.
    #[inline(always)]
    pub fn is_vertical(self) -> bool {
        self.0 & Self::VERTICAL != 0
    }

    /// Row of the edge, from 0 at the top: of a horizontal edge, that of the box below it.
    pub fn row(self) -> u32 {
        self.place() >> 3
    }

    /// Column of the edge, from 0 at the left: of a vertical edge, that of the box to its right.
    pub fn column(self) -> u32 {
        self.place() & 7
    }

    /// Place in the word of its kind.
    #[inline(always)]
    pub(super) fn place(self) -> u32 {
        u32::from(self.0) & 63
    }

    /// A number below 128, ascending in the order of moves: the place, and 64 more for vertical edges.
    #[inline(always)]
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// The free edges: horizontal ones row by row, then vertical ones row by row.
#[derive(Clone, Copy, Debug)]
pub struct MoveSet(pub(super) Edges);

impl Moves<Move> for MoveSet {
    #[inline]
    fn len(&self) -> usize {
        self.0.len() as usize
    }

    #[inline]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        let (index, horizontal) = (index as u32, self.0.horizontal.count_ones());
        if index < horizontal {
            Move::horizontal(bits::nth_set(self.0.horizontal, index))
        } else {
            Move::vertical(bits::nth_set(self.0.vertical, index - horizontal))
        }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        let taken = self.get(index);
        self.0 = self.0.without(taken);
        taken
    }
}
