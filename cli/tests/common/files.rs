//! Files and directories of a test.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A directory of the test's own.
pub(crate) fn place() -> TempDir {
    TempDir::new().expect("a temporary directory")
}

/// Writes an experiment file.
pub(crate) fn write(place: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = place.path().join(name);
    std::fs::write(&path, text).expect("written");
    path
}

/// Writes a file that its owner alone may read.
pub(crate) fn secret(place: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = write(place, name, text);
    set_mode(&path, 0o600);
    path
}

/// Changes who may read a file.
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
}
