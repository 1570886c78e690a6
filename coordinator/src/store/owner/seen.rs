//! The file of a run's owner, as other processes see it, and since when.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{FILE, Holder};
use crate::store::time;

/// The content of the file.
#[derive(Debug)]
pub(super) struct Found {
    text: String,
    id: String,
    holder: Option<Holder>,
}

impl Found {
    /// Reads the file of the run in `directory`; `None` if there is none.
    pub(super) fn read(directory: &Path) -> io::Result<Option<Self>> {
        // Machines remember for a while what a directory of another one held; listing it asks again.
        fs::read_dir(directory)?.next().transpose()?;
        match fs::read_to_string(directory.join(FILE)) {
            Ok(text) => Ok(Some(Self::of(text))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// A file that this version does not understand is that of an unknown owner.
    fn of(text: String) -> Self {
        let value: Value = serde_json::from_str(&text).unwrap_or_default();
        let id = value["id"].as_str().unwrap_or_default().to_owned();
        Found { id, holder: Holder::of_json(&value), text }
    }

    /// Id of the lease.
    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// The process that has it.
    pub(super) fn holder(&self) -> Option<&Holder> {
        self.holder.as_ref()
    }
}

/// What this process has seen of files of other owners, and when first.
static SEEN: Mutex<BTreeMap<PathBuf, (String, String, Instant)>> = Mutex::new(BTreeMap::new());

/// Notes the content of an owner's file; returns for how long it has been the same, as far as this process knows.
/// `None` if its owner has renewed it since the last look, and so is alive.
pub(super) fn observe(file: &Path, found: &Found) -> Option<Duration> {
    let now = Instant::now();
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let before = seen.get(file);
    match before {
        Some((text, _, since)) if *text == found.text => return Some(now - *since),
        _ => {}
    }
    let renewed = before.is_some_and(|(_, id, _)| *id == found.id);
    seen.insert(file.to_owned(), (found.text.clone(), found.id.clone(), now));
    (!renewed).then_some(Duration::ZERO)
}

/// Forgets what was noted of a file.
pub(super) fn forget(file: &Path) {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner).remove(file);
}

/// Age of the file in `directory` by the clock of this machine; `None` if that cannot be determined.
pub(super) fn age(directory: &Path) -> Option<Duration> {
    time::age(fs::metadata(directory.join(FILE)).ok()?.modified().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_that_renews_its_file_is_alive() {
        let file = Path::new("/runs/a/redqueen.owner");
        let found = |id: &str, renewals: u32| Found::of(format!("{{\"id\":\"{id}\",\"renewals\":{renewals}}}"));
        assert_eq!(observe(file, &found("a", 1)), Some(Duration::ZERO));
        assert!(observe(file, &found("a", 1)).is_some_and(|unchanged| unchanged > Duration::ZERO));
        assert_eq!(observe(file, &found("a", 2)), None);
        // From then on it may have ended, or another may have followed it.
        assert!(observe(file, &found("a", 2)).is_some());
        assert_eq!(observe(file, &found("b", 1)), Some(Duration::ZERO));
        forget(file);
        assert_eq!(observe(file, &found("b", 2)), Some(Duration::ZERO));
    }
}
