//! Artifacts that players need: named by their specs, listed by stages, held while trials run.

use players::{PlayerSpec, artifacts::HeldArtifacts};

use crate::plan::{Artifacts, StoreError};

/// Hashes of the artifacts that any of `players` needs, each once, in order.
pub(crate) fn hashes<'a>(players: impl IntoIterator<Item = &'a PlayerSpec>) -> Vec<String> {
    let mut hashes: Vec<String> = players.into_iter().flat_map(PlayerSpec::artifacts).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// Those artifacts in memory.
pub(crate) fn held<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    artifacts: &dyn Artifacts,
) -> Result<HeldArtifacts, StoreError> {
    hashes(players).into_iter().map(|hash| artifacts.get(&hash).map(|data| (hash, data))).collect()
}
