//! A file of hosts that a person edits while a launch runs.

use std::{
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::systems::ssh::{Host, read_hosts};

/// A file of hosts, and how it was when it was last read.
#[derive(Clone, Debug)]
pub struct HostFile {
    path: PathBuf,
    seen: Option<(SystemTime, u64)>,
}

impl HostFile {
    /// A file that was not read yet.
    pub fn new(path: impl Into<PathBuf>) -> HostFile {
        HostFile { path: path.into(), seen: None }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its hosts, if it has changed since they were last asked for. A file that cannot be read or understood is read
    /// again the next time; until then the hosts are what they were.
    ///
    /// # Errors
    /// Why it cannot be read, with its name.
    pub fn changed(&mut self) -> Result<Option<Vec<Host>>, String> {
        let named = |why: String| format!("{}: {why}", self.path.display());
        let metadata = std::fs::metadata(&self.path).map_err(|error| named(error.to_string()))?;
        let now = metadata.modified().ok().map(|modified| (modified, metadata.len()));
        if now.is_some() && now == self.seen {
            return Ok(None);
        }
        let text = std::fs::read_to_string(&self.path).map_err(|error| named(error.to_string()))?;
        let hosts = read_hosts(&text).map_err(named)?;
        self.seen = now;
        Ok(Some(hosts))
    }
}
