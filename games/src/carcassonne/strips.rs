//! Cities or roads: segments that are joined at sides, and what they hold together.

/// `open` of a feature that is finished.
const FINISHED: u8 = u8::MAX;

/// Meeples of both seats on a feature, four bits each.
#[derive(Clone, Copy, Default)]
pub(super) struct Claims(u8);

impl Claims {
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Adds the meeples of a feature that becomes part of this one.
    #[inline]
    pub(super) fn add(&mut self, other: Claims) {
        self.0 += other.0;
    }

    /// One meeple of a seat.
    #[inline]
    pub(super) fn of(seat: u8) -> Claims {
        Claims(1 << (4 * seat))
    }

    /// By seat: whether it gets the points of the feature, which everyone does who has as many meeples as any.
    #[inline]
    pub(super) fn winners(self) -> [bool; 2] {
        let (first, second) = (self.0 & 15, self.0 >> 4);
        [first > 0 && first >= second, second > 0 && second >= first]
    }
}

/// A city or a road, at its root.
#[derive(Clone, Copy, Default)]
pub(super) struct Strip {
    /// Open edges; [`FINISHED`] afterwards.
    open: u8,
    /// Tiles, and pennants of a city.
    pub(super) size: u8,
    /// The tiles with several segments of the kind that are part of it: a bit for each such tile of the board.
    doubles: u8,
    pub(super) claims: Claims,
}

/// Cities or roads.
#[derive(Clone)]
pub(super) struct Strips<const N: usize> {
    parents: [u8; N],
    strips: [Strip; N],
    /// Segments on the board.
    pub(super) count: u8,
    /// Tiles with several segments on the board.
    doubles: u8,
}

impl<const N: usize> Strips<N> {
    /// Nothing on the board.
    pub(super) const EMPTY: Self = Strips {
        parents: [0; N],
        strips: [Strip { open: 0, size: 0, doubles: 0, claims: Claims(0) }; N],
        count: 0,
        doubles: 0,
    };

    /// The root of a segment's feature.
    #[inline]
    pub(super) fn root(&self, segment: u8) -> u8 {
        root(&self.parents, segment)
    }

    /// Puts a meeple on the feature of a segment.
    #[inline]
    pub(super) fn claim(&mut self, segment: u8, seat: u8) {
        let root = self.root(segment);
        self.strips[usize::from(root)].claims.add(Claims::of(seat));
    }

    /// The root of a segment's feature, and the feature.
    #[inline]
    pub(super) fn get(&self, segment: u8) -> (u8, Strip) {
        let root = self.root(segment);
        (root, self.strips[usize::from(root)])
    }

    /// Those that are not finished.
    pub(super) fn open(&self) -> impl Iterator<Item = &Strip> {
        let is_root = |&(segment, parent): &(u8, &u8)| segment == *parent;
        let roots = (0..self.count).zip(&self.parents).filter(is_root);
        roots.map(|(root, _)| &self.strips[usize::from(root)]).filter(|strip| strip.open != FINISHED)
    }

    /// Adds the segments of a tile with these sides, of `size` tiles and pennants each. Gives the number of the first.
    #[inline]
    pub(super) fn add(&mut self, sides: &[u8], size: u8, count_twice: bool) -> u8 {
        let first = self.count;
        let mut doubles = 0;
        if sides.len() > 1 && !count_twice {
            doubles = 1 << self.doubles;
            self.doubles += 1;
        }
        for &sides in sides {
            let at = usize::from(self.count);
            self.parents[at] = self.count;
            self.strips[at] = Strip { open: sides.count_ones() as u8, size, doubles, claims: Claims(0) };
            self.count += 1;
        }
        first
    }

    /// Joins a segment of the newest tile, whose segments begin at `first`, with one of a neighbour. Gives the roots
    /// that became one, the one that stays first.
    #[inline]
    pub(super) fn join(&mut self, first: u8, own: u8, other: u8) -> Option<(u8, u8)> {
        let (own, other) = (self.root(own), self.root(other));
        if own == other {
            self.strips[usize::from(own)].open -= 2;
            return None;
        }
        let (stays, goes) = if own >= first { (other, own) } else { (own, other) };
        self.parents[usize::from(goes)] = stays;
        let gone = self.strips[usize::from(goes)];
        let strip = &mut self.strips[usize::from(stays)];
        strip.open = strip.open + gone.open - 2;
        strip.size = strip.size + gone.size - (strip.doubles & gone.doubles).count_ones() as u8;
        strip.doubles |= gone.doubles;
        strip.claims.add(gone.claims);
        Some((stays, goes))
    }

    /// Marks the feature of a segment as finished if it is so since the last tile. Gives its root and the feature.
    #[inline]
    pub(super) fn finish(&mut self, segment: u8) -> Option<(u8, Strip)> {
        let root = self.root(segment);
        let strip = &mut self.strips[usize::from(root)];
        if strip.open != 0 {
            return None;
        }
        strip.open = FINISHED;
        Some((root, *strip))
    }
}

/// The segment at the end of the chain of parents from a segment.
#[inline]
pub(super) fn root(parents: &[u8], segment: u8) -> u8 {
    let mut at = segment;
    loop {
        let parent = parents[usize::from(at)];
        if parent == at {
            return at;
        }
        at = parent;
    }
}
