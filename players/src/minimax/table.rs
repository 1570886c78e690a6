//! Positions that were searched before (a transposition table).

use std::hash::BuildHasher as _;

use foldhash::fast::FixedState;
use games::Game;

/// What a remembered value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is the value.
    Exact,
    /// The value is at least this.
    Lower,
    /// The value is at most this.
    Upper,
}

pub(crate) struct Entry<G: Game> {
    pub(crate) position: G,
    /// Plies that were searched below it.
    pub(crate) depth: u32,
    /// Plies between the root and it.
    pub(crate) ply: u32,
    pub(crate) value: f64,
    pub(crate) bound: Bound,
    pub(crate) best: G::Move,
}

/// A table of a fixed number of entries; the newest stays. Positions are kept whole and compared, so that two with one
/// hash are never taken for one another: what is found is true on any machine.
pub(crate) struct Table<G: Game> {
    entries: Vec<Option<Entry<G>>>,
    size: usize,
    hasher: FixedState,
}

impl<G: Game> Table<G> {
    /// A table of `size` entries, rounded up to a power of two. Its memory is taken at its first use.
    pub(crate) fn new(size: usize) -> Self {
        Table { entries: Vec::new(), size: size.next_power_of_two(), hasher: FixedState::with_seed(0) }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.entries.resize_with(self.size, || None);
    }

    fn place(&self, position: &G) -> usize {
        self.hasher.hash_one(position) as usize & (self.size - 1)
    }

    /// What is known of a position.
    pub(crate) fn get(&self, position: &G) -> Option<&Entry<G>> {
        self.entries[self.place(position)].as_ref().filter(|entry| entry.position == *position)
    }

    pub(crate) fn put(&mut self, entry: Entry<G>) {
        let place = self.place(&entry.position);
        self.entries[place] = Some(entry);
    }
}
