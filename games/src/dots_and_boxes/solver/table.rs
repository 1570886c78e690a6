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

impl Known {
    /// Of a position with so many open boxes, of which nothing else is known.
    #[inline(always)]
    pub(super) fn nothing(open: u8) -> Self {
        Known { least: -(open as i8), greatest: open as i8, best: u8::MAX }
    }

    /// Whether the value is at least `bound`; none if that is not known.
    #[inline(always)]
    pub(super) fn at_least(self, bound: i32) -> Option<bool> {
        if i32::from(self.least) >= bound {
            Some(true)
        } else if i32::from(self.greatest) < bound {
            Some(false)
        } else {
            None
        }
    }
}

#[derive(Clone, Copy)]
struct Entry {
    key: Key,
    known: Known,
    /// Free edges of the core and 1, 0 where nothing is kept: entries of more edges cost more to find again.
    edges: u8,
}

/// The entries that a position may be in: one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Bucket([Entry; 2]);

/// The table. Entries hold whole positions, so that no two are taken for one another and its size changes no value.
pub(super) struct Table {
    buckets: Vec<Bucket>,
    mask: usize,
}

impl Table {
    /// A table of at most `bytes`, in a power of two of buckets; at least one.
    pub(super) fn new(bytes: usize) -> Self {
        let count = (bytes / size_of::<Bucket>()).max(1);
        let count = if count.is_power_of_two() { count } else { count.next_power_of_two() / 2 };
        let key = Key { core: Edges::NONE, loose: 0 };
        let none = Entry { key, known: Known { least: i8::MIN, greatest: i8::MAX, best: u8::MAX }, edges: 0 };
        Table { buckets: vec![Bucket([none; 2]); count], mask: count - 1 }
    }

    /// The bucket of a key.
    #[inline(always)]
    fn place(&self, key: &Key) -> usize {
        // Multiplication by odd constants, and the upper half of the product folded into the lower (as wyhash).
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        let one = fold(key.core.horizontal ^ 0x9e37_79b9_7f4a_7c15, key.core.vertical ^ 0xd1b5_4a32_d192_ed03);
        fold(one ^ key.loose, 0xa076_1d64_78bd_642f) as usize & self.mask
    }

    #[inline(always)]
    pub(super) fn find(&self, key: &Key) -> Option<Known> {
        let Bucket(entries) = &self.buckets[self.place(key)];
        entries.iter().find(|entry| entry.key == *key && entry.edges > 0).map(|entry| entry.known)
    }

    /// Keeps what is known of a position, in place of what was known of it, or else of the smaller position there.
    pub(super) fn keep(&mut self, key: Key, known: Known) {
        let edges = key.core.len() as u8 + 1;
        let place = self.place(&key);
        let Bucket([first, last]) = &mut self.buckets[place];
        let entry = Entry { key, known, edges };
        if first.key == key && first.edges > 0 {
            *first = entry;
        } else if last.key != key && edges >= first.edges {
            *last = std::mem::replace(first, entry);
        } else {
            // Always replaced, so that old entries of many edges do not fill the table for ever.
            *last = entry;
        }
    }
}
