//! A move, and the moves of a position.

use std::num::NonZeroU32;

use super::{
    Carcassonne,
    board::{Content, OPEN_MAX, Square},
    tile::{FITTING, NONE, OPPOSITE, ORIENTED, Oriented, TILES, edge},
};
use crate::{Moves, bits};

/// A tile that nature draws, or where a player lays the drawn tile, how, and what is claimed on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move(NonZeroU32);

/// A move, unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Nature draws a tile of this type, 0 to 23 for A to X.
    Draw(u8),
    /// A player lays the drawn tile.
    Lay {
        /// Where.
        square: Square,
        /// Quarter turns clockwise.
        rotation: u8,
        /// The claimed segment, among cities, roads, fields and the cloister of the tile in this order.
        claim: Option<u8>,
    },
}

impl Move {
    const LAYS: u32 = 1 << 31;
    const DRAWS: u32 = 1 << 30;

    #[inline]
    pub(super) fn draw(kind: u8) -> Self {
        Move(NonZeroU32::MIN | Self::DRAWS | u32::from(kind) << 1)
    }

    #[inline]
    pub(super) fn lay(square: Square, rotation: u8, claim: Option<u8>) -> Self {
        let claim = claim.map_or(0, |segment| u32::from(segment) + 1);
        let [x, y] = [square.x, square.y].map(|steps| u32::from(steps as u8));
        Move(NonZeroU32::MIN | Self::LAYS | x << 1 | y << 9 | u32::from(rotation) << 17 | claim << 19)
    }

    /// The move, unpacked.
    #[inline]
    pub fn choice(self) -> Choice {
        let bits = self.0.get();
        if bits & Self::DRAWS != 0 {
            return Choice::Draw((bits >> 1) as u8);
        }
        let claim = (bits >> 19 & 15) as u8;
        Choice::Lay {
            square: Square { x: (bits >> 1) as u8 as i8, y: (bits >> 9) as u8 as i8 },
            rotation: (bits >> 17 & 3) as u8,
            claim: claim.checked_sub(1),
        }
    }
}

/// Moves of a position. Nature's stand in the order of types; a player's by open square, then by rotation, then none
/// before the claims of the tile's segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveSet(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    /// Bit `type`.
    Draws(u32),
    /// A player's.
    Lays(Vec<Move>),
}

impl MoveSet {
    pub(super) const NONE: MoveSet = MoveSet(Kind::Draws(0));

    pub(super) fn draws(types: u32) -> Self {
        MoveSet(Kind::Draws(types))
    }

    pub(super) fn lays(game: &Carcassonne) -> Self {
        let mut ends = Ends::new();
        let count = game.count_lays(&mut ends);
        let mut list = Vec::with_capacity(count as usize);
        let claims = game.can_claim();
        for (open, rotations) in game.fitting() {
            let (square, taken) = (game.board.open_square(open), if claims { game.taken(open) } else { 0 });
            for rotation in (0..4).filter(|rotation| rotations >> rotation & 1 == 1) {
                list.push(Move::lay(square, rotation, None));
                let tile = game.oriented(rotation);
                let free = (0..tile.segments).filter(|&segment| claims && is_free(tile, segment, taken));
                list.extend(free.map(|segment| Move::lay(square, rotation, Some(segment))));
            }
        }
        MoveSet(Kind::Lays(list))
    }
}

impl Moves<Move> for MoveSet {
    #[inline]
    fn len(&self) -> usize {
        match &self.0 {
            Kind::Draws(types) => types.count_ones() as usize,
            Kind::Lays(list) => list.len(),
        }
    }

    #[inline]
    fn get(&self, index: usize) -> Move {
        match &self.0 {
            Kind::Draws(types) => Move::draw(bits::nth_set(u64::from(*types), index as u32) as u8),
            Kind::Lays(list) => list[index],
        }
    }

    #[inline]
    fn take(&mut self, index: usize) -> Move {
        match &mut self.0 {
            Kind::Draws(types) => {
                let kind = bits::nth_set(u64::from(*types), index as u32);
                *types &= !(1 << kind);
                Move::draw(kind as u8)
            }
            Kind::Lays(list) => list.remove(index),
        }
    }

    fn heap_bytes(&self) -> usize {
        match &self.0 {
            Kind::Draws(_) => 0,
            Kind::Lays(list) => list.capacity() * size_of::<Move>(),
        }
    }
}

/// `[open square]`: the number of moves there and before it.
pub(super) struct Ends([u16; OPEN_MAX]);

impl Ends {
    /// Room for the counts of a position.
    #[inline]
    pub(super) fn new() -> Self {
        Ends([0; OPEN_MAX])
    }
}

/// Whether a segment of a tile touches nothing that is taken.
#[inline]
fn is_free(tile: &Oriented, segment: u8, taken: u16) -> bool {
    tile.reach[usize::from(segment)] & (taken | Oriented::NO_SEGMENT) == 0
}

/// The number of segments that touch nothing that is taken.
#[inline]
fn count_free(tile: &Oriented, taken: u16) -> u16 {
    let taken = taken | Oriented::NO_SEGMENT;
    tile.reach.iter().map(|reach| u16::from(reach & taken == 0)).sum()
}

impl Carcassonne {
    /// The drawn tile in a rotation.
    #[inline]
    pub(super) fn oriented(&self, rotation: u8) -> &'static Oriented {
        &ORIENTED[4 * usize::from(self.drawn) + usize::from(rotation)]
    }

    /// Whether the side to move has a meeple in hand.
    #[inline]
    pub(super) fn can_claim(&self) -> bool {
        self.meeples.hand[self.seat()] > 0
    }

    /// Whether the tile of a type fits somewhere.
    #[inline]
    pub(super) fn is_placeable(&self, kind: u8) -> bool {
        let fitting = &FITTING[usize::from(kind)];
        self.board.keys().iter().any(|&key| fitting[usize::from(key)] != 0)
    }

    /// Open squares where the drawn tile fits, and the rotations in which it does.
    fn fitting(&self) -> impl Iterator<Item = (usize, u8)> {
        let fitting = &FITTING[usize::from(self.drawn)];
        let rotations = self.board.keys().iter().map(|&key| fitting[usize::from(key)]);
        rotations.enumerate().filter(|&(_, rotations)| rotations != 0)
    }

    /// What is taken of the features around an open square: sides with a claimed city or road in bits 0 to 3, halves
    /// with a claimed field in bits 4 to 11.
    #[inline]
    fn taken(&self, open: usize) -> u16 {
        let mut taken = 0;
        for (side, content) in self.board.beside(self.board.open_square(open)).into_iter().enumerate() {
            let Content::Tile(neighbour) = content else { continue };
            let neighbour = &self.laid[usize::from(neighbour)];
            let tile = &ORIENTED[usize::from(neighbour.oriented)];
            let opposite = OPPOSITE[side];
            let centre = tile.centre[opposite];
            let field = |half: usize| self.features.is_field_claimed(neighbour.first[2] + tile.halves[half]);
            match tile.edges[opposite] {
                edge::CITY => {
                    taken |= u16::from(!self.features.city(neighbour.first[0] + centre).claims.is_empty()) << side;
                }
                edge::ROAD => {
                    taken |= u16::from(!self.features.road(neighbour.first[1] + centre).claims.is_empty()) << side;
                    // The first half of a side touches the second of the opposite one.
                    taken |= u16::from(field(2 * opposite + 1)) << (4 + 2 * side);
                    taken |= u16::from(field(2 * opposite)) << (5 + 2 * side);
                }
                _ => taken |= (3 * u16::from(field(2 * opposite))) << (4 + 2 * side),
            }
        }
        taken
    }

    /// The number of moves with the drawn tile; `ends` gets the running counts.
    #[inline]
    pub(super) fn count_lays(&self, ends: &mut Ends) -> u32 {
        let fitting = &FITTING[usize::from(self.drawn)];
        let keys = self.board.keys();
        let mut count = 0u16;
        if !self.can_claim() {
            for (end, &key) in ends.0.iter_mut().zip(keys) {
                count += fitting[usize::from(key)].count_ones() as u16;
                *end = count;
            }
            return count.into();
        }
        for (open, (end, &key)) in ends.0.iter_mut().zip(keys).enumerate() {
            let rotations = fitting[usize::from(key)];
            if rotations != 0 {
                let taken = self.taken(open);
                for rotation in (0..4).filter(|rotation| rotations >> rotation & 1 == 1) {
                    count += 1 + count_free(self.oriented(rotation), taken);
                }
            }
            *end = count;
        }
        count.into()
    }

    /// The open square, rotation and claim ([`NONE`] for none) of move `index`, by the running counts.
    #[inline]
    pub(super) fn nth_lay(&self, index: u32, ends: &Ends) -> (usize, u8, u8) {
        let index = index as u16;
        let keys = self.board.keys();
        let open = ends.0[..keys.len()].iter().map(|&end| usize::from(end <= index)).sum::<usize>();
        let mut left = index - if open == 0 { 0 } else { ends.0[open - 1] };
        let mut rotations = FITTING[usize::from(self.drawn)][usize::from(keys[open])];
        if !self.can_claim() {
            for _ in 0..left {
                rotations &= rotations - 1;
            }
            return (open, rotations.trailing_zeros() as u8, NONE);
        }
        let taken = self.taken(open);
        loop {
            let rotation = rotations.trailing_zeros() as u8;
            let tile = self.oriented(rotation);
            let here = 1 + count_free(tile, taken);
            if left == 0 {
                return (open, rotation, NONE);
            }
            if left < here {
                let claim =
                    (0..tile.segments).filter(|&segment| is_free(tile, segment, taken)).nth(usize::from(left) - 1);
                return (open, rotation, claim.unwrap_or(NONE));
            }
            left -= here;
            rotations &= rotations - 1;
        }
    }

    /// The index of an open square; `None` if there is a tile, or no tile beside it.
    pub(super) fn open_at(&self, square: Square) -> Option<usize> {
        match self.board.at(square) {
            Content::Open(open) => Some(open.into()),
            _ => None,
        }
    }

    /// Whether the drawn tile fits on an open square in a rotation, which must be one of those that look different.
    pub(super) fn fits(&self, open: usize, rotation: u8) -> bool {
        rotation < TILES[usize::from(self.drawn)].rotations
            && FITTING[usize::from(self.drawn)][usize::from(self.board.keys()[open])] >> rotation & 1 == 1
    }

    /// Whether a segment of the drawn tile, laid so, may be claimed, if there is a meeple in hand.
    pub(super) fn is_free(&self, open: usize, rotation: u8, segment: u8) -> bool {
        is_free(self.oriented(rotation), segment, self.taken(open))
    }
}
