//! Where tiles lie, and the open squares beside them.
//!
//! The plane is wound into a ring of places, one for each square of a Lee sphere: (x, y) lies at x + 75 y modulo
//! 2813. Two squares share a place only if at least 75 steps lie between them (Golomb and Welch 1970: the spheres of
//! radius 37 tile the plane so). 72 connected tiles and their neighbours are closer, so that no place means two
//! things in one game.

use super::{
    rules::TILES_MAX,
    tile::{OPPOSITE, Oriented, SIDES},
};

/// Places of the ring.
const RING: usize = 2_813;
/// Places between a square and its northern neighbour.
const ROW: usize = 75;
/// Most open squares: four at the start, and each tile takes one and makes at most three.
pub(super) const OPEN_MAX: usize = 4 + 2 * (TILES_MAX - 1);
/// Contents of places above this are open squares; others are tiles, but for 0.
const OPEN: u8 = TILES_MAX as u8;

/// A square: steps to the east and to the north of the start tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Square {
    /// Steps to the east.
    pub x: i8,
    /// Steps to the north.
    pub y: i8,
}

impl Square {
    /// The neighbour at a side.
    #[inline]
    pub(super) fn neighbour(self, side: usize) -> Square {
        const STEPS: [(i8, i8); SIDES] = [(0, 1), (1, 0), (0, -1), (-1, 0)];
        let (x, y) = STEPS[side];
        Square { x: self.x + x, y: self.y + y }
    }

    /// Whether the squares share a side or a corner, or are one.
    #[inline]
    pub(super) fn is_beside(self, other: Square) -> bool {
        self.x.abs_diff(other.x) <= 1 && self.y.abs_diff(other.y) <= 1
    }

    #[inline]
    fn place(self) -> Place {
        let place = i32::from(self.x) + ROW as i32 * i32::from(self.y);
        // Coordinates lie between -128 and 127.
        Place(((place + 4 * RING as i32) as u32 % RING as u32) as u16)
    }
}

/// A place of the ring.
#[derive(Clone, Copy)]
struct Place(u16);

impl Place {
    #[inline]
    fn step(self, by: usize) -> Place {
        let sum = usize::from(self.0) + by;
        Place(if sum >= RING { sum - RING } else { sum } as u16)
    }

    #[inline]
    fn neighbour(self, side: usize) -> Place {
        const STEPS: [usize; SIDES] = [ROW, 1, RING - ROW, RING - 1];
        self.step(STEPS[side])
    }
}

/// What lies at a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Nothing, and no tile beside it.
    Nothing,
    /// The tile that was laid at this index.
    Tile(u8),
    /// The open square at this index.
    Open(u8),
}

impl Content {
    #[inline]
    fn of(value: u8) -> Content {
        match value {
            0 => Content::Nothing,
            tile if tile <= OPEN => Content::Tile(tile - 1),
            open => Content::Open(open - OPEN - 1),
        }
    }
}

/// The laid tiles and the open squares.
#[derive(Clone)]
pub(super) struct Board {
    ring: [u8; RING],
    open: u8,
    /// `[open square]`: what lies at its sides, two bits for each.
    keys: [u8; OPEN_MAX],
    squares: [Square; OPEN_MAX],
}

impl Board {
    /// A board with one open square, where the start tile goes.
    pub(super) fn new() -> Self {
        let mut board = Board { ring: [0; RING], open: 0, keys: [0; OPEN_MAX], squares: [Square::default(); OPEN_MAX] };
        board.add_open(Square::default(), Square::default().place());
        board
    }

    /// `[open square]`: what lies at its sides, two bits for each.
    #[inline]
    pub(super) fn keys(&self) -> &[u8] {
        &self.keys[..usize::from(self.open)]
    }

    /// The open square at an index.
    #[inline]
    pub(super) fn open_square(&self, index: usize) -> Square {
        self.squares[index]
    }

    /// What lies at a square.
    #[inline]
    pub(super) fn at(&self, square: Square) -> Content {
        Content::of(self.ring[usize::from(square.place().0)])
    }

    /// The tiles at the four sides of a square, each with its side.
    #[inline]
    pub(super) fn beside(&self, square: Square) -> [Content; SIDES] {
        let place = square.place();
        std::array::from_fn(|side| Content::of(self.ring[usize::from(place.neighbour(side).0)]))
    }

    /// Tiles that share a side or a corner with a square.
    pub(super) fn tiles_around(&self, square: Square) -> u8 {
        const AROUND: [usize; 8] = [1, RING - 1, ROW, ROW - 1, ROW + 1, RING - ROW, RING - ROW - 1, RING - ROW + 1];
        let place = square.place();
        let is_tile = |by: &&usize| matches!(Content::of(self.ring[usize::from(place.step(**by).0)]), Content::Tile(_));
        AROUND.iter().filter(is_tile).count() as u8
    }

    fn add_open(&mut self, square: Square, place: Place) {
        let index = usize::from(self.open);
        (self.keys[index], self.squares[index]) = (0, square);
        self.ring[usize::from(place.0)] = OPEN + 1 + self.open;
        self.open += 1;
    }

    /// Lays tile `index` on an open square, which the last open square replaces. Gives what lies at its sides.
    #[inline]
    pub(super) fn lay(&mut self, open: usize, oriented: &Oriented, index: u8) -> [Content; SIDES] {
        let square = self.squares[open];
        let place = square.place();
        self.open -= 1;
        let last = usize::from(self.open);
        if open != last {
            (self.keys[open], self.squares[open]) = (self.keys[last], self.squares[last]);
            self.ring[usize::from(self.squares[open].place().0)] = OPEN + 1 + open as u8;
        }
        self.ring[usize::from(place.0)] = index + 1;
        std::array::from_fn(|side| {
            let beside = place.neighbour(side);
            let mut content = Content::of(self.ring[usize::from(beside.0)]);
            if content == Content::Nothing {
                content = Content::Open(self.open);
                self.add_open(square.neighbour(side), beside);
            }
            if let Content::Open(beside) = content {
                self.keys[usize::from(beside)] |= oriented.edges[side] << (2 * OPPOSITE[side]);
            }
            content
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Open squares and tiles are at most 73 steps apart, a corner of a tile at most one more.
    #[test]
    fn squares_that_can_meet_in_a_game_have_different_places() {
        let start = Square::default().place().0;
        for x in -74i8..=74 {
            for y in -74i8..=74 {
                let steps = x.unsigned_abs() + y.unsigned_abs();
                if (1..=74).contains(&steps) {
                    assert_ne!(Square { x, y }.place().0, start, "({x}, {y})");
                }
            }
        }
    }

    #[test]
    fn steps_on_the_ring_are_steps_on_the_plane() {
        for square in [Square { x: 0, y: 0 }, Square { x: -71, y: 0 }, Square { x: 5, y: -71 }, Square { x: 9, y: 71 }]
        {
            for side in 0..SIDES {
                assert_eq!(square.place().neighbour(side).0, square.neighbour(side).place().0);
            }
        }
    }
}
