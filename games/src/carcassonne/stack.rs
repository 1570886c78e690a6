//! The tiles that are left: a bag of which nature draws, and the order that was drawn where it is known.

use super::{
    rules::{Rules, TILES_MAX},
    tile::{NONE, TYPES},
};

/// Most tiles of a known order: all but the start tile.
const ORDER_MAX: usize = TILES_MAX - 1;

/// Tiles that are left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Stack {
    /// `[type]`: tiles in the bag.
    copies: [u8; TYPES],
    /// Tiles in the bag.
    bag: u8,
    /// The tiles of the known order, the next one first; [`NONE`] behind them.
    order: [u8; ORDER_MAX],
    ordered: u8,
}

impl Stack {
    pub(super) fn new(rules: &Rules) -> Self {
        let copies = rules.copies();
        Stack { copies, bag: copies.iter().sum(), order: [NONE; ORDER_MAX], ordered: 0 }
    }

    /// `[type]`: tiles in the bag.
    #[inline]
    pub(super) fn copies(&self) -> &[u8; TYPES] {
        &self.copies
    }

    /// Tiles in the bag.
    #[inline]
    pub(super) fn bag(&self) -> u8 {
        self.bag
    }

    /// The tiles of the known order, the next one first.
    pub(super) fn order(&self) -> &[u8] {
        &self.order[..usize::from(self.ordered)]
    }

    /// Tiles in the bag and in the order.
    pub(super) fn left(&self) -> u8 {
        self.bag + self.ordered
    }

    /// The types in the bag: bit `type`.
    #[inline]
    pub(super) fn types(&self) -> u32 {
        (0..TYPES).fold(0, |set, kind| set | u32::from(self.copies[kind] > 0) << kind)
    }

    /// Tiles in the bag of some types.
    pub(super) fn count(&self, types: u32) -> u32 {
        let of = |(kind, &copies): (usize, &u8)| u32::from(copies) * (types >> kind & 1);
        self.copies.iter().enumerate().map(of).sum()
    }

    /// The type of tile `index` of the bag, counted among some types.
    pub(super) fn nth(&self, index: u32, types: u32) -> u8 {
        let mut left = index;
        for (kind, &copies) in self.copies.iter().enumerate() {
            let copies = u32::from(copies) * (types >> kind & 1);
            if left < copies {
                return kind as u8;
            }
            left -= copies;
        }
        NONE
    }

    /// The type of tile `index` of the bag.
    #[inline]
    pub(super) fn nth_of_all(&self, index: u32) -> u8 {
        let mut left = index as u8;
        for (kind, &copies) in self.copies.iter().enumerate() {
            if left < copies {
                return kind as u8;
            }
            left -= copies;
        }
        NONE
    }

    /// Takes a tile from the bag.
    #[inline]
    pub(super) fn take(&mut self, kind: u8) {
        self.copies[usize::from(kind)] -= 1;
        self.bag -= 1;
    }

    /// Empties the bag and the order.
    pub(super) fn clear(&mut self) {
        *self = Stack { copies: [0; TYPES], bag: 0, order: [NONE; ORDER_MAX], ordered: 0 };
    }

    /// Moves a tile from the bag to the end of the order.
    pub(super) fn append(&mut self, kind: u8) {
        self.take(kind);
        self.order[usize::from(self.ordered)] = kind;
        self.ordered += 1;
    }

    /// Takes a tile from the order.
    pub(super) fn remove(&mut self, index: usize) -> u8 {
        let kind = self.order[index];
        self.order.copy_within(index + 1.., index);
        self.order[ORDER_MAX - 1] = NONE;
        self.ordered -= 1;
        kind
    }
}
