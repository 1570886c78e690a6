//! Artifacts: blobs that trials need, named by their hash. Stages list those of their players, and executors hold them
//! while trials run.

use players::{PlayerSpec, artifacts::HeldArtifacts};

/// An immutable blob, named by its hash: what trials need and is too much for a stage's facts (a population).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// What it is: `population`, `candidates`, [`Artifact::FILE`].
    pub kind: String,
    /// Its content.
    pub data: Vec<u8>,
}

impl Artifact {
    /// Kind of the files that an experiment brings; they stay as long as the run.
    pub const FILE: &str = "file";

    /// Name of a blob: BLAKE3 in hexadecimal digits.
    pub fn hash_of(data: &[u8]) -> String {
        blake3::hash(data).to_hex().to_string()
    }

    /// Its name.
    pub fn hash(&self) -> String {
        Artifact::hash_of(&self.data)
    }
}

/// What a store of rows or artifacts said: SQLite of a coordinator, a worker's copies.
pub type StoreError = Box<dyn std::error::Error + Send + Sync>;

/// Where artifacts are found by their hash.
pub trait Artifacts {
    /// The content of an artifact.
    ///
    /// # Errors
    /// It is not there or cannot be read.
    fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError>;
}

impl Artifacts for Vec<Artifact> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        let found = self.iter().find(|artifact| artifact.hash() == hash);
        found.map(|artifact| artifact.data.clone()).ok_or_else(|| format!("artifact {hash} is not there").into())
    }
}

/// Stands for any artifact in the spec of a player that gets one later: the hash of nothing that there is.
pub(crate) const ANY: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Hashes of the artifacts that any of `players` needs, each once, in order.
pub(crate) fn needed_by<'a>(players: impl IntoIterator<Item = &'a PlayerSpec>) -> Vec<String> {
    let mut hashes: Vec<String> = players.into_iter().flat_map(PlayerSpec::artifacts).collect();
    hashes.retain(|hash| hash != ANY);
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

/// The artifacts that any of `players` needs, in memory.
///
/// # Errors
/// One of them cannot be read.
pub(crate) fn held_for<'a>(
    players: impl IntoIterator<Item = &'a PlayerSpec>,
    artifacts: &dyn Artifacts,
) -> Result<HeldArtifacts, StoreError> {
    needed_by(players).into_iter().map(|hash| artifacts.get(&hash).map(|data| (hash, data))).collect()
}
