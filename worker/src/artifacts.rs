//! The artifacts that a worker holds: each is fetched once, even over several sessions.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use experiments::plan::Artifact;
use redqueen_wire as wire;

/// Most bytes held; the oldest are dropped first, but never the newest.
const BYTES_MAX: usize = 256 << 20;

/// The content of an artifact does not have the hash that it was sent under: it would give other results.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("artifact {0} was sent with other content")]
pub(crate) struct OtherContent(String);

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

    /// Adds an artifact.
    ///
    /// # Errors
    /// Its content does not have its hash.
    pub(crate) fn put(&self, artifact: wire::Artifact) -> Result<(), OtherContent> {
        if Artifact::hash_of(&artifact.data) != artifact.hash {
            return Err(OtherContent(artifact.hash));
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

    /// The content of an artifact, to be kept as long as it is needed.
    pub(crate) fn get(&self, hash: &str) -> Option<Arc<Vec<u8>>> {
        self.lock().iter().find(|(held, _)| held == hash).map(|(_, data)| Arc::clone(data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_that_does_not_have_its_hash_is_refused() {
        let cache = Cache::default();
        let hash = Artifact::hash_of(b"population");
        assert!(cache.put(wire::Artifact { hash: hash.clone(), data: b"populatiom".to_vec() }).is_err());
        assert!(!cache.has(&hash) && cache.get(&hash).is_none());
        cache.put(wire::Artifact { hash: hash.clone(), data: b"population".to_vec() }).expect("it has its hash");
        assert_eq!(cache.get(&hash).as_deref(), Some(&b"population".to_vec()));
    }
}
