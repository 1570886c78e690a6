//! Files with secrets of an account: how they are read, and made so that no other account can read or replace them.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::{fs::OFlags, process::geteuid};

/// Mode bits that let accounts other than the owner use a file.
const OTHERS: u32 = 0o077;

/// Why a file with a secret cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SecretError {
    /// The file cannot be read.
    #[error("cannot read `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Other accounts can read or change the file.
    #[error("`{}` is open to other accounts (mode {mode:04o})", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A file that a coordinator made belongs to another account, or is not a regular file.
    #[error("`{}` is not a file of this account (it belongs to uid {owner})", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Uid of its owner.
        owner: u32,
    },
    /// The file cannot be created.
    #[error("cannot make `{}`", path.display())]
    Unmakable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl SecretError {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            SecretError::Unreadable { .. } => "check the path, and that this account may read the file".to_owned(),
            SecretError::Exposed { path, .. } => format!(
                "`chmod 600 {}` closes it; if others may have read it, make a new one. Where a file system keeps no \
                 modes, name a file on another one",
                path.display()
            ),
            SecretError::Foreign { .. } => {
                "remove it, and the coordinator makes a new one when it starts; or name a file of your own".to_owned()
            }
            SecretError::Unmakable { .. } => {
                "choose a --data directory that this account may write, or name a file of your own".to_owned()
            }
        }
    }

    pub(super) fn is_missing(&self) -> bool {
        matches!(self, SecretError::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Opens a file that a person named.
///
/// It is checked after it was opened, so that it cannot be exchanged in between. Links are followed, as for any named
/// file, and its owner is not checked: only root can read the closed file of another account, as in containers.
///
/// # Errors
/// The file cannot be read, or other accounts may read it.
pub(super) fn open_named(path: &Path) -> Result<File, SecretError> {
    let unreadable = |source| SecretError::Unreadable { path: path.to_owned(), source };
    let file = File::open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    // A pipe (`--token-file <(pass redqueen)`) has no path by which others could open it.
    if found.is_file() && is_exposed(found.mode(), found.uid(), geteuid().as_raw()) {
        return Err(SecretError::Exposed { path: path.to_owned(), mode: found.mode() & 0o7777 });
    }
    Ok(file)
}

/// Whether accounts other than `us` can use a file with this mode and owner, without root having given it to a group of theirs:
/// secrets of a pod belong to root and to the group of the pod.
fn is_exposed(mode: u32, owner: u32, us: u32) -> bool {
    let given_by_root = owner == 0 && us != 0 && mode & 0o037 == 0;
    mode & OTHERS != 0 && !given_by_root
}

/// Opens a file that a coordinator of this account made: a regular file of this account, closed to others. Another
/// account that may write the directory can remove or replace it; a replacement is refused, and nothing is revealed.
///
/// # Errors
/// The file cannot be read, belongs to another account, or is open to others.
pub(super) fn open_made(path: &Path) -> Result<File, SecretError> {
    let unreadable = |source| SecretError::Unreadable { path: path.to_owned(), source };
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
    let found = file.metadata().map_err(unreadable)?;
    if !found.is_file() || found.uid() != geteuid().as_raw() {
        return Err(SecretError::Foreign { path: path.to_owned(), owner: found.uid() });
    }
    if found.mode() & OTHERS != 0 {
        return Err(SecretError::Exposed { path: path.to_owned(), mode: found.mode() & 0o7777 });
    }
    Ok(file)
}

/// Opens the file `name` of the data directory `data`, and gives its absolute path: that of an earlier coordinator, or a
/// new one with `text`. A new file has its mode and content from the moment it has its name.
///
/// # Errors
/// The file belongs to another account, is open to others, or cannot be created.
pub fn open_or_make(data: &Path, name: &str, text: impl FnOnce() -> String) -> Result<(File, PathBuf), SecretError> {
    let unmakable = |path: &Path| {
        let path = path.to_owned();
        move |source| SecretError::Unmakable { path, source }
    };
    fs::create_dir_all(data).map_err(unmakable(data))?;
    // Absolute, since callers have other working directories.
    let path = fs::canonicalize(data).map_err(unmakable(data))?.join(name);
    match open_made(&path) {
        Err(error) if error.is_missing() => {}
        found => return found.map(|file| (file, path)),
    }
    let temporary = path.with_extension(format!("{:016x}", rand::random::<u64>()));
    let write = || {
        let mut file = File::options().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(text().as_bytes())?;
        file.sync_all()?;
        match fs::hard_link(&temporary, &path) {
            // Another coordinator was faster: use its file.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            // The file system has no hard links.
            Err(_) => fs::rename(&temporary, &path),
            Ok(()) => Ok(()),
        }
    };
    let written = write();
    let _ = fs::remove_file(&temporary);
    written.map_err(unmakable(&path))?;
    open_made(&path).map(|file| (file, path))
}

#[cfg(test)]
mod tests {
    use super::is_exposed;

    #[test]
    fn a_secret_is_read_by_its_owner_or_by_whom_root_gave_it_to() {
        for (mode, owner, us, exposed) in [
            (0o600, 1_000, 1_000, false),
            (0o400, 0, 0, false),
            (0o440, 0, 65_532, false),
            (0o440, 0, 0, true),
            (0o460, 0, 65_532, true),
            (0o444, 0, 65_532, true),
            (0o440, 1_000, 65_532, true),
            (0o640, 1_000, 1_000, true),
        ] {
            assert_eq!(is_exposed(mode, owner, us), exposed, "{mode:o} of {owner} for {us}");
        }
    }
}
