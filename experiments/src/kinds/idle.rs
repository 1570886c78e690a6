//! What executors keep ready between trials: built once, and used again by whichever thread needs it next.

use std::sync::{Mutex, PoisonError};

/// Things kept ready in one executor; trials of more kinds than that build the others anew.
const KEPT_MAX: usize = 64;

/// Things by key that no thread is using.
pub(super) struct Idle<K, T>(Mutex<Vec<(K, T)>>);

impl<K, T> Default for Idle<K, T> {
    fn default() -> Self {
        Idle(Mutex::default())
    }
}

impl<K: PartialEq, T> Idle<K, T> {
    /// The one of `key` that was put back last.
    pub(super) fn take(&self, key: &K) -> Option<T> {
        // A panic elsewhere leaves the list whole.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.iter().rposition(|(known, _)| known == key)?;
        Some(kept.remove(found).1)
    }

    /// Puts one back; where there are too many, the one that has waited longest is dropped.
    pub(super) fn put(&self, key: K, thing: T) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT_MAX {
            kept.remove(0);
        }
        kept.push((key, thing));
    }
}
