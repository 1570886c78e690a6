//! The exact value of endings.
//!
//! What the side to move takes at once, it takes ([`captures`]); then it has to open a run of edges, and what the other side
//! gets of it is known as well ([`search`]). So the search goes from one position without boxes to take to the next, by one
//! opening for each run. Endgame theory: Berlekamp, "The Dots and Boxes Game" (2000); Barker and Korf, "Solving Dots-And-Boxes"
//! (AAAI 2012).

mod captures;
pub(super) mod runs;
mod search;
mod table;

use super::{
    DotsAndBoxes,
    board::{Edges, Size},
};
use crate::{Game as _, Moves as _, Seat, endings::Endings};
use captures::Taken;
use runs::Loose;
use search::{Quiet, Search};

/// Bytes of the table of [`Solver::default`].
const TABLE_BYTES: usize = 32 << 20;

/// Drawn edges of a position up to which the search of it takes images under symmetries for one position.
const SYMMETRIC_EDGES: u32 = 8;

/// Solves endings of Dots and Boxes.
pub struct Solver {
    /// The search on boards of a size; none before the first question.
    search: Option<(Size, Search)>,
    table_bytes: usize,
}

impl Solver {
    /// A solver whose table of known positions takes at most so many bytes, from its first use on. The size changes times, not
    /// values.
    pub fn new(table_bytes: usize) -> Self {
        Solver { search: None, table_bytes }
    }

    /// Positions that were searched so far, those without an answer in the table.
    pub fn nodes(&self) -> u64 {
        self.search.as_ref().map_or(0, |(_, search)| search.nodes)
    }

    /// The search on boards of a size, for a question about a position with these free edges. What is known of another size is
    /// forgotten.
    fn search(&mut self, size: Size, free: Edges) -> &mut Search {
        let search = self.search.take().filter(|(known, _)| *known == size);
        let (_, search) = self.search.insert(search.unwrap_or_else(|| (size, Search::new(size, self.table_bytes))));
        search.is_symmetric = size.edge_count() - free.len() <= SYMMETRIC_EDGES;
        search
    }

    /// Whether the boxes that the side to move gets from here on, less those of the other side, are at least `bound`.
    fn gains(&mut self, free: Edges, size: Size, bound: i32) -> bool {
        let taken = Taken::of(free, size.boxes());
        let (quiet, bound) = (quiet(&taken, size), bound - i32::from(taken.boxes));
        let search = self.search(size, free);
        if taken.left == 0 {
            return search.at_least(quiet, bound);
        }
        // |left + v| - left >= bound: the boxes that may be left are counted as taken.
        let (left, most) = (i32::from(taken.left), bound + i32::from(taken.left));
        most <= 0 || search.at_least(quiet, most - left) || !search.at_least(quiet, 1 - most - left)
    }

    /// What the side to move gets from here on less what the other side gets, by questions from a guess onwards.
    fn gain(&mut self, free: Edges, size: Size, guess: i32) -> i32 {
        let taken = Taken::of(free, size.boxes());
        let left = i32::from(taken.left);
        let value = self.search(size, free).value(quiet(&taken, size), guess - i32::from(taken.boxes));
        i32::from(taken.boxes) + if left == 0 { value } else { (left + value).abs() - left }
    }
}

/// With a table of 32 MiB.
impl Default for Solver {
    fn default() -> Self {
        Solver::new(TABLE_BYTES)
    }
}

fn quiet(taken: &Taken, size: Size) -> Quiet {
    let open = (taken.quiet.touched() & size.boxes()).count_ones() as u8;
    Quiet { core: taken.quiet, loose: Loose::default(), open }
}

/// A number of boxes from a seat's side as one from the first's, and the other way round.
fn turned(seat: Seat, boxes: i64) -> i64 {
    if seat == 0 { boxes } else { -boxes }
}

impl Endings<DotsAndBoxes> for Solver {
    /// Free edges.
    fn distance(&self, position: &DotsAndBoxes) -> u32 {
        position.free_edges()
    }

    fn value(&mut self, position: &DotsAndBoxes) -> i64 {
        let gain = self.gain(position.free, position.size, 0);
        position.score_difference() + turned(position.seat(), gain.into())
    }

    fn values(&mut self, position: &DotsAndBoxes, values: &mut Vec<i64>) {
        let moves = position.moves();
        let mut guess = 0;
        values.clear();
        values.extend((0..moves.len()).map(|index| {
            let mut after = *position;
            after.play(moves.get(index));
            guess = self.gain(after.free, after.size, guess);
            after.score_difference() + turned(after.seat(), guess.into())
        }));
    }

    fn is_at_least(&mut self, position: &DotsAndBoxes, bound: i64) -> bool {
        let needed = turned(position.seat(), bound - position.score_difference());
        // Beyond any number of boxes all bounds are the same.
        let needed = needed.clamp(-100, 100) as i32;
        if position.seat() == 0 {
            self.gains(position.free, position.size, needed)
        } else {
            // The second player gets at most `needed`.
            !self.gains(position.free, position.size, needed + 1)
        }
    }
}
