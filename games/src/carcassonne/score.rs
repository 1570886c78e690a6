//! Meeples and points.

use super::{Laid, board::Square, connect::Features, strips::Claims, tile::Source};

/// Most meeples that stand.
const STANDING_MAX: usize = 14;
/// Neighbours of a square.
const AROUND: u8 = 8;

/// A meeple on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    /// What it stands on.
    pub(super) source: Source,
    /// Number of the segment among those of its kind; at a cloister the tiles around it.
    pub(super) segment: u8,
    pub(super) seat: u8,
    /// Index of its tile.
    pub(super) tile: u8,
}

impl Standing {
    const NOBODY: Standing = Standing { source: Source::City, segment: 0, seat: 0, tile: 0 };
}

/// `[seat][source]`: points, in the order of [`Source::ALL`].
pub type Points = [[u16; 4]; 2];

/// Meeples in hand and on the board, and the points that finished features gave.
#[derive(Clone)]
pub(super) struct Meeples {
    pub(super) hand: [u8; 2],
    standing: [Standing; STANDING_MAX],
    count: u8,
    monks: u8,
    pub(super) won: Points,
}

impl Meeples {
    pub(super) fn new(hand: [u8; 2]) -> Self {
        Meeples { hand, standing: [Standing::NOBODY; STANDING_MAX], count: 0, monks: 0, won: [[0; 4]; 2] }
    }

    /// The meeples on the board.
    #[inline]
    pub(super) fn standing(&self) -> &[Standing] {
        &self.standing[..usize::from(self.count)]
    }

    /// Puts a meeple on the board, whose segment counts it already.
    #[inline]
    pub(super) fn put(&mut self, meeple: Standing) {
        self.hand[usize::from(meeple.seat)] -= 1;
        self.standing[usize::from(self.count)] = meeple;
        self.count += 1;
        self.monks += u8::from(meeple.source == Source::Cloister);
    }

    /// Takes a meeple home; the last one takes its place in the list.
    #[inline]
    fn take(&mut self, index: usize) {
        let meeple = self.standing[index];
        self.hand[usize::from(meeple.seat)] += 1;
        self.monks -= u8::from(meeple.source == Source::Cloister);
        self.count -= 1;
        self.standing[index] = self.standing[usize::from(self.count)];
    }

    /// Pays a finished city or road, and takes its meeples home: those for whose segments `is_there` holds.
    pub(super) fn pay(&mut self, source: Source, points: u16, claims: Claims, is_there: impl Fn(u8) -> bool) {
        for (won, wins) in self.won.iter_mut().zip(claims.winners()) {
            won[source as usize] += if wins { points } else { 0 };
        }
        for index in (0..usize::from(self.count)).rev() {
            let meeple = self.standing[index];
            if meeple.source == source && is_there(meeple.segment) {
                self.take(index);
            }
        }
    }

    /// Adds a laid tile to the cloisters beside it, and pays those that it finishes.
    #[inline]
    pub(super) fn surround(&mut self, square: Square, laid: &[Laid]) {
        if self.monks == 0 {
            return;
        }
        for index in (0..usize::from(self.count)).rev() {
            let meeple = &mut self.standing[index];
            if meeple.source == Source::Cloister && laid[usize::from(meeple.tile)].square.is_beside(square) {
                meeple.segment += 1;
                self.pay_cloister(index);
            }
        }
    }

    /// Pays a cloister if it is finished.
    pub(super) fn pay_cloister(&mut self, index: usize) {
        let meeple = self.standing[index];
        if meeple.segment == AROUND {
            self.won[usize::from(meeple.seat)][Source::Cloister as usize] += u16::from(AROUND) + 1;
            self.take(index);
        }
    }

    /// Points by seat and source if the game ended now: those won, and those that standing meeples would bring.
    pub(super) fn points(&self, features: &Features) -> Points {
        let mut points = self.won;
        // A feature with several meeples counts once: its root is marked.
        let mut seen = [0u128; 4];
        for meeple in self.standing() {
            let feature = match meeple.source {
                Source::Cloister => {
                    points[usize::from(meeple.seat)][Source::Cloister as usize] += u16::from(meeple.segment) + 1;
                    continue;
                }
                Source::City => features.city(meeple.segment),
                Source::Road => features.road(meeple.segment),
                Source::Field => features.field(meeple.segment),
            };
            let source = meeple.source as usize;
            if seen[source] >> feature.root & 1 == 1 {
                continue;
            }
            seen[source] |= 1 << feature.root;
            let worth = u16::from(feature.size) * if meeple.source == Source::Field { 3 } else { 1 };
            for (points, wins) in points.iter_mut().zip(feature.claims.winners()) {
                points[source] += if wins { worth } else { 0 };
            }
        }
        points
    }
}
