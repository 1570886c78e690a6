//! What a player needs and is too large for its spec, such as the weights of a network: blobs by their hash.
//!
//! A spec names an artifact in a parameter of [`spec::Kind::Artifact`]. A stage lists the artifacts of its players
//! ([`crate::PlayerSpec::artifacts`]), and the plan hands the blobs to whatever builds them.

use std::collections::BTreeMap;

/// Why there is no artifact.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// It is not stored.
    #[error("artifact {hash} is missing")]
    Missing {
        /// Its name.
        hash: String,
    },
    /// It is stored and cannot be used.
    #[error("artifact {hash} cannot be read: {reason}")]
    Unreadable {
        /// Its name.
        hash: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Finds artifacts by their hash, BLAKE3 in 64 hexadecimal digits.
pub trait Artifacts {
    /// The content of an artifact.
    ///
    /// # Errors
    /// It is missing or cannot be read.
    fn get(&self, hash: &str) -> Result<Vec<u8>, ArtifactError>;
}

/// Artifacts in memory, for as long as players are built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeldArtifacts(BTreeMap<String, Vec<u8>>);

/// Hashes and contents.
impl FromIterator<(String, Vec<u8>)> for HeldArtifacts {
    fn from_iter<I: IntoIterator<Item = (String, Vec<u8>)>>(artifacts: I) -> Self {
        HeldArtifacts(artifacts.into_iter().collect())
    }
}

impl Artifacts for HeldArtifacts {
    fn get(&self, hash: &str) -> Result<Vec<u8>, ArtifactError> {
        self.0.get(hash).cloned().ok_or_else(|| ArtifactError::Missing { hash: hash.to_owned() })
    }
}
