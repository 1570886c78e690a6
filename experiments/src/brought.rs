//! Files that an experiment's players need and that are no text, such as networks: they travel with it as artifacts.
//!
//! In a file, a player names such a file by its path (`net = "best.safetensors"`); in the resolved experiment its hash stands
//! in the place of the path. So results depend on what was in the file, and on nothing that happens to it later.

use std::{
    collections::BTreeMap,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

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

/// Hashes and contents of such files.
pub type Files = Vec<(String, Vec<u8>)>;

/// A file that a parameter of a player's spec names and that cannot be used.
pub(crate) struct Unread {
    /// The parameter.
    pub(crate) param: String,
    /// The path, as given.
    pub(crate) path: String,
    /// Why, in words that stand behind the path.
    pub(crate) reason: String,
}

/// Reads the files that parameters of a player's spec name by their paths, and puts their hashes in the place of these; gives
/// hashes and contents. A relative path starts where `from` says of its parameter.
///
/// # Errors
/// The first file that cannot be used.
pub(crate) fn bring(given: &mut spec::Given, from: impl Fn(&str) -> PathBuf) -> Result<Files, Unread> {
    let Some(entry) = players::registry::entry(&given.name) else { return Ok(Vec::new()) };
    let mut files = Vec::new();
    for (param, value) in &mut given.params {
        let takes_file = matches!(entry.param(param).map(|param| param.kind), Some(spec::Kind::Artifact(_)));
        let spec::Value::Text(path) = value else { continue };
        if !takes_file || spec::is_hash(path) {
            continue;
        }
        let unread = |reason| Unread { param: param.clone(), path: path.clone(), reason };
        let data = read(&from(param).join(&*path)).map_err(unread)?;
        let hash = Artifact::hash_of(&data);
        *value = spec::Value::Text(hash.clone());
        files.push((hash, data));
    }
    Ok(files)
}

/// Reads such a file.
fn read(path: &Path) -> Result<Vec<u8>, String> {
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
