//! The token: a shared secret, and the files that hold it.

use std::{
    fmt,
    fs::{self, File},
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use rustix::{fs::OFlags, process::geteuid};
use tonic::metadata::{Ascii, MetadataValue};

/// Shortest secret, in bytes.
const SHORTEST: usize = 16;
/// Longest secret, in bytes.
const LONGEST: usize = 1_024;
/// Longest token file, in bytes: the secret with spaces around it.
const FILE_MAX: u64 = 4_096;
/// Name of the token file in the data directory of a coordinator.
const MADE: &str = "redqueen.token";
/// Mode bits that let accounts other than the owner use a file.
const OTHERS: u32 = 0o077;

/// A secret shared by coordinator, workers and command line. Never printed.
#[derive(Clone)]
pub struct Token {
    secret: String,
    /// Identifies the token to callers that know several. Only a generated secret has an id, since one that a person
    /// chose could be guessed from its hash.
    id: Option<String>,
}

/// Why a token cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the token file `{}`", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Too short, too long, or not printable ASCII.
    #[error("the token in `{}` must be {SHORTEST} to {LONGEST} printable ASCII characters without spaces", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
    },
    /// Other accounts can read or change the file.
    #[error("the token file `{}` is open to other accounts (mode {mode:04o})", path.display())]
    Exposed {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// The file in the data directory belongs to another account, or is not a regular file.
    #[error("the token file `{}` is not a file of this account (it belongs to uid {owner})", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Uid of its owner.
        owner: u32,
    },
    /// The file cannot be created.
    #[error("cannot make the token file `{}`", path.display())]
    Unmakable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl TokenError {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            TokenError::Unreadable { .. } | TokenError::Unusable { .. } => {
                "make one with `(umask 077; head -c 24 /dev/urandom | base64 > token)` and give the same file to all who may \
                 command the coordinator"
                    .to_owned()
            }
            TokenError::Exposed { path, .. } => format!(
                "`chmod 600 {}` closes it; if others may have read it, make a new token. Where a file system keeps no \
                 modes, name a file on another one with --token-file",
                path.display()
            ),
            TokenError::Foreign { .. } => {
                "remove it, and the coordinator makes a new one when it starts; or name a file with --token-file"
                    .to_owned()
            }
            TokenError::Unmakable { .. } => {
                "choose a --data directory that this account may write, or name a file with --token-file".to_owned()
            }
        }
    }

    fn is_missing(&self) -> bool {
        matches!(self, TokenError::Unreadable { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

impl Token {
    /// Reads the secret from a file that a person named, without spaces around it.
    ///
    /// The file is checked after it was opened, so that it cannot be exchanged in between. Links are followed, as for
    /// any named file, and its owner is not checked: only root can read the closed file of another account, as in
    /// containers.
    ///
    /// # Errors
    /// The file cannot be read, other accounts may read it, or it holds no usable secret.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Unreadable { path: path.to_owned(), source };
        let file = File::open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        // A pipe (`--token-file <(pass redqueen)`) has no path by which others could open it.
        if found.is_file() && found.mode() & OTHERS != 0 {
            return Err(TokenError::Exposed { path: path.to_owned(), mode: found.mode() & 0o7777 });
        }
        Ok(Token { secret: take(path, file)?, id: None })
    }

    /// Reads the secret that a coordinator of this account generated. The file must be a regular file of this account,
    /// closed to others. Another account that may write the directory can remove or replace it; a replacement is
    /// refused, and nothing is revealed.
    pub(super) fn read_made(path: &Path) -> Result<Self, TokenError> {
        let unreadable = |source| TokenError::Unreadable { path: path.to_owned(), source };
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
        let file = File::options().read(true).custom_flags(flags).open(path).map_err(unreadable)?;
        let found = file.metadata().map_err(unreadable)?;
        if !found.is_file() || found.uid() != geteuid().as_raw() {
            return Err(TokenError::Foreign { path: path.to_owned(), owner: found.uid() });
        }
        if found.mode() & OTHERS != 0 {
            return Err(TokenError::Exposed { path: path.to_owned(), mode: found.mode() & 0o7777 });
        }
        let secret = take(path, file)?;
        let hash = blake3::Hash::from_bytes(blake3::derive_key("redqueen 2026 id of a token", secret.as_bytes()));
        Ok(Token { secret, id: Some(hash.to_hex()[..16].to_owned()) })
    }

    /// The token of the data directory `data`, and its file: that of an earlier coordinator, or a new one. A new file
    /// has its mode and content from the moment it has its name.
    ///
    /// # Errors
    /// The file belongs to another account, is open to others, or cannot be created.
    pub fn make(data: &Path) -> Result<(Self, PathBuf), TokenError> {
        let unmakable = |path: &Path| {
            let path = path.to_owned();
            move |source| TokenError::Unmakable { path, source }
        };
        fs::create_dir_all(data).map_err(unmakable(data))?;
        // Absolute, since callers have other working directories.
        let path = fs::canonicalize(data).map_err(unmakable(data))?.join(MADE);
        match Self::read_made(&path) {
            Err(error) if error.is_missing() => {}
            found => return found.map(|token| (token, path)),
        }
        let temporary = path.with_extension(format!("{:016x}", rand::random::<u64>()));
        let write = || {
            let mut file = File::options().write(true).create_new(true).mode(0o600).open(&temporary)?;
            writeln!(file, "{}", Token::random().secret)?;
            file.sync_all()?;
            match fs::hard_link(&temporary, &path) {
                // Another coordinator was faster: use its token.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
                // The file system has no hard links.
                Err(_) => fs::rename(&temporary, &path),
                Ok(()) => Ok(()),
            }
        };
        let written = write();
        let _ = fs::remove_file(&temporary);
        written.map_err(unmakable(&path))?;
        Self::read_made(&path).map(|token| (token, path))
    }

    /// A new secret, for a coordinator and a worker in one process.
    pub fn random() -> Self {
        Token { secret: format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>()), id: None }
    }

    /// Its id, which may be sent to unauthenticated callers.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// The value of the `authorization` header.
    pub fn header(&self) -> MetadataValue<Ascii> {
        let mut value: MetadataValue<_> =
            format!("Bearer {}", self.secret).parse().expect("a token is printable ASCII, as was checked");
        // Kept out of Debug output and of the header compression table.
        value.set_sensitive(true);
        value
    }
}

/// Reads the secret in a file, without spaces around it.
fn take(path: &Path, file: File) -> Result<String, TokenError> {
    let mut text = String::new();
    file.take(FILE_MAX)
        .read_to_string(&mut text)
        .map_err(|source| TokenError::Unreadable { path: path.to_owned(), source })?;
    let text = text.trim();
    let usable = (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    if usable { Ok(text.to_owned()) } else { Err(TokenError::Unusable { path: path.to_owned() }) }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
