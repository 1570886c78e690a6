//! Games that an executor keeps ready between trials: built once, and used again by the next thread that needs one.

use std::sync::{Mutex, PoisonError};

/// Most entries of a pool; what is put back beyond them is built anew when it is needed.
const KEPT_MAX: usize = 64;

/// Entries by key that no thread is using.
pub(crate) struct Pool<K, T>(Mutex<Vec<(K, T)>>);

impl<K, T> Default for Pool<K, T> {
    fn default() -> Self {
        Pool(Mutex::default())
    }
}

impl<K: PartialEq, T> Pool<K, T> {
    /// Takes out the entry of `key` that was put back last.
    pub(crate) fn take(&self, key: &K) -> Option<T> {
        // A panic elsewhere leaves the list whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().rposition(|(known, _)| known == key)?;
        Some(kept.remove(found).1)
    }

    /// Puts an entry back; where there are too many, the one that has waited longest is dropped.
    pub(crate) fn put(&self, key: K, entry: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.remove(0);
        }
        kept.push((key, entry));
    }
}
