//! What the side to move takes at once.
//!
//! A box with one free edge can be taken. Taking it is right unless it is the last but one of a chain that goes on nowhere else
//! (two boxes with two edges), or one of four that are left of a loop or of a chain that is open at both ends. Such a rest may
//! be left to the other side, by its far edge or its middle one, so that it has to move elsewhere. If there are several rests,
//! all but one are better taken: what is left to the other side it takes as well. A rest of two costs two boxes to leave, a
//! rest of four costs four.

use super::{
    super::board::Edges,
    runs::{Degrees, Walked, minus, walk_from_end},
};

/// What the side to move can take, and the quiet position behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Boxes, with those that may be left.
    pub(super) boxes: u8,
    /// Boxes that it may leave to the other side, which takes them and moves: 0, 2 or 4.
    pub(super) left: u8,
    /// The free edges when all that can be taken is.
    pub(super) quiet: Edges,
}

impl Taken {
    /// From a position's free edges and the boxes of its board.
    pub(super) fn of(mut free: Edges, boxes: u64) -> Self {
        let mut taken = 0;
        let rests = loop {
            let degrees = Degrees::of(free, boxes);
            match Rests::of(free, &degrees) {
                Ok(rests) => break rests,
                Err(walked) => {
                    // As far as nothing is lost by it: the next look says whether it is a rest now.
                    let (edge, completed) = walked.first();
                    free = minus(free, edge);
                    taken += completed;
                }
            }
        };
        let after = |walked: &Walked| {
            let rest = Taken::of(minus(free, walked.edges), boxes);
            Taken { boxes: taken + walked.count() + rest.boxes, ..rest }
        };
        match (rests.of_two.as_slice(), rests.of_four.as_slice()) {
            ([], []) => Taken { boxes: taken, left: 0, quiet: free },
            ([only], []) | ([], [only]) => {
                Taken { boxes: taken + only.count(), left: only.left(), quiet: minus(free, only.edges) }
            }
            // A rest of four touches nothing else, so that it does not matter which is taken.
            (_, [first, ..]) => after(first),
            // Rests of two may end at the same box; taking one may make the others longer, or into one rest of four. What can
            // be taken in all does not depend on the order, but what can be left does.
            (chains, []) => {
                let mut best = after(&chains[0]);
                for chain in &chains[1..] {
                    if best.left == 2 {
                        break;
                    }
                    let other = after(chain);
                    if other.left == 2 {
                        best = other;
                    }
                }
                best
            }
        }
    }
}

/// All that can be taken, where it is rests alone.
struct Rests {
    of_two: Vec<Walked>,
    of_four: Vec<Walked>,
}

impl Rests {
    /// The rests of a position; a run that is longer than a rest if there is one.
    fn of(free: Edges, degrees: &Degrees) -> Result<Self, Walked> {
        let mut rests = Rests { of_two: Vec::new(), of_four: Vec::new() };
        let mut ends = degrees.one;
        while ends != 0 {
            let walked = walk_from_end(free, degrees, ends.trailing_zeros());
            ends &= !walked.boxes;
            match walked.left() {
                0 => return Err(walked),
                2 => rests.of_two.push(walked),
                _ => rests.of_four.push(walked),
            }
        }
        Ok(rests)
    }
}
