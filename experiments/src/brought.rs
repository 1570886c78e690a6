//! Files that an experiment's players need and that are no text, such as networks: they travel with it as artifacts.
//!
//! In a file, a player names such a file by its path (`net = "best.safetensors"`); in the resolved experiment its hash stands
//! in the place of the path. So results depend on what was in the file, and on nothing that happens to it later.

use std::{collections::BTreeMap, fs::File, io::Read as _, path::Path};

use crate::{Experiment, plan::Artifact};

/// Longest such file, in bytes.
pub const FILE_MAX: u64 = 64 << 20;

/// The artifacts of an experiment that are at hand, by their hash. They say nothing that the hashes in its text do not: any
/// two are equal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brought(pub(crate) BTreeMap<String, Vec<u8>>);

impl PartialEq for Brought {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An artifact that an experiment names is not at hand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the experiment names the artifact {hash}, which is not among its files")]
pub struct NotBrought {
    /// The artifact.
    pub hash: String,
}

/// Reads such a file.
///
/// # Errors
/// Why it cannot be used, in words that stand behind its name.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    if path.is_dir() {
        return Err("is a directory; name the file of a network, which `redqueen net RUN --out FILE` writes".to_owned());
    }
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(FILE_MAX + 1).read_to_end(&mut bytes));
    read.map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > FILE_MAX {
        return Err(format!("is longer than {} MiB", FILE_MAX >> 20));
    }
    Ok(bytes)
}

impl Experiment {
    /// Hashes of the artifacts that its players name, each once, in order.
    pub fn artifacts(&self) -> Vec<String> {
        crate::artifacts::needed_by(self.kind.who_plays().into_iter().map(|(_, player)| player))
    }

    /// The artifacts that its players name and that are at hand. Of an experiment that was read from its file these are all.
    pub fn brought(&self) -> Vec<Artifact> {
        let artifact = |data: &Vec<u8>| Artifact { kind: Artifact::FILE.to_owned(), data: data.clone() };
        self.brought.0.values().map(artifact).collect()
    }

    /// The experiment with the artifacts that its players name, from `given`.
    ///
    /// # Errors
    /// One of them is missing.
    pub fn with_artifacts(self, given: impl IntoIterator<Item = Vec<u8>>) -> Result<Self, NotBrought> {
        let mut given: BTreeMap<String, Vec<u8>> =
            given.into_iter().map(|data| (Artifact::hash_of(&data), data)).collect();
        let take = |hash: String| match given.remove(&hash) {
            Some(data) => Ok((hash, data)),
            None => Err(NotBrought { hash }),
        };
        let brought = Brought(self.artifacts().into_iter().map(take).collect::<Result<_, _>>()?);
        Ok(Experiment { brought, ..self })
    }
}
