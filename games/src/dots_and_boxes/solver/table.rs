//! What is known of quiet positions: bounds of their values, in a table of fixed size.

use super::super::board::Edges;

/// A position whose value is asked for: the edges of its core and its loose chains and loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) core: Edges,
    pub(super) loose: u64,
}

/// Bounds of a value for the side to move, and the move that proved the lower one last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) least: i8,
    pub(super) greatest: i8,
    /// An index of [`super::search`]'s own.
    pub(super) best: u8,
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    known: Known,
    /// Free edges of the core, 0 where nothing is kept: entries of more edges cost more to find again.
    edges: u8,
}

/// Entries that a position may be in.
const WAYS: usize = 2;

/// The table. Entries hold whole positions, so that no two are taken for one another and its size changes no value.
pub(super) struct Table {
    entries: Vec<Entry>,
    mask: usize,
}

impl Table {
    /// A table of at most `bytes`, in a power of two of entries; at least two.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Entry>()).max(WAYS);
        let count = if count.is_power_of_two() { count } else { count.next_power_of_two() / 2 };
        let key = Key { core: Edges::NONE, loose: 0 };
        let none = Entry { key, known: Known { least: i8::MIN, greatest: i8::MAX, best: u8::MAX }, edges: 0 };
        Table { entries: vec![none; count], mask: count - 1 }
    }

    /// The first of the [`WAYS`] entries of a key.
    #[inline(always)]
    fn place(&self, key: &Key) -> usize {
        // Multiplication by odd constants, and the upper half of the product folded into the lower (as wyhash).
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let one = fold(key.core.horizontal ^ 0x9e37_79b9_7f4a_7c15, key.core.vertical ^ 0xd1b5_4a32_d192_ed03);
        fold(one ^ key.loose, 0xa076_1d64_78bd_642f) as usize & self.mask & !(WAYS - 1)
    }

    #[inline(always)]
    pub(super) fn find(&self, key: &Key) -> Option<Known> {
        let place = self.place(key);
        let ways = &self.entries[place..place + WAYS];
        ways.iter().find(|entry| entry.key == *key && entry.edges > 0).map(|entry| entry.known)
    }

    /// Keeps what is known of a position, in place of what was known of it, or else of the smallest position there.
    pub(super) fn keep(&mut self, key: Key, known: Known) {
        let edges = key.core.len() as u8 + 1;
        let place = self.place(&key);
        let ways = &mut self.entries[place..place + WAYS];
        let same = ways.iter().position(|entry| entry.key == key && entry.edges > 0);
        // The last way is always replaced, so that old entries of many edges do not fill the table for ever.
        let way = same.unwrap_or(if edges >= ways[0].edges { 0 } else { WAYS - 1 });
        if same.is_none() && way == 0 {
            ways.copy_within(..WAYS - 1, 1);
        }
        ways[way] = Entry { key, known, edges };
    }
}
