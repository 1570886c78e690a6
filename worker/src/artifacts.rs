//! Artifacts a worker holds: each is fetched once, over sessions too.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use experiments::plan::Artifact;
use redqueen_wire as wire;

/// Most bytes held; the oldest go first, but never the last one that came.
const BYTES_MAX: usize = 256 << 20;

/// Artifacts by hash.
#[derive(Default)]
pub(crate) struct Cache {
    held: Mutex<VecDeque<(String, Arc<Vec<u8>>)>>,
}

impl Cache {
    fn lock(&self) -> MutexGuard<'_, VecDeque<(String, Arc<Vec<u8>>)>> {
        // No code that can panic runs under the lock.
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn has(&self, hash: &str) -> bool {
        self.lock().iter().any(|(held, _)| held == hash)
    }

    /// Takes one in. What is not what its hash says is refused: it would give other results.
    pub(crate) fn put(&self, artifact: wire::Artifact) -> Result<(), String> {
        if Artifact::hash_of(&artifact.data) != artifact.hash {
            return Err(format!("artifact {} came with another content", artifact.hash));
        }
        let mut held = self.lock();
        if !held.iter().any(|(hash, _)| *hash == artifact.hash) {
            held.push_back((artifact.hash, Arc::new(artifact.data)));
        }
        let mut bytes: usize = held.iter().map(|(_, data)| data.len()).sum();
        while bytes > BYTES_MAX && held.len() > 1 {
            bytes -= held.pop_front().map_or(0, |(_, data)| data.len());
        }
        Ok(())
    }

    /// The content of one, to be kept as long as it is needed.
    pub(crate) fn get(&self, hash: &str) -> Option<Arc<Vec<u8>>> {
        self.lock().iter().find(|(held, _)| held == hash).map(|(_, data)| Arc::clone(data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_what_its_hash_says_is_refused() {
        let cache = Cache::default();
        let hash = Artifact::hash_of(b"population");
        assert!(cache.put(wire::Artifact { hash: hash.clone(), data: b"populatiom".to_vec() }).is_err());
        assert!(!cache.has(&hash) && cache.get(&hash).is_none());
        cache.put(wire::Artifact { hash: hash.clone(), data: b"population".to_vec() }).expect("it is what it says");
        assert_eq!(cache.get(&hash).as_deref(), Some(&b"population".to_vec()));
    }
}
