//! The token: a shared secret, and the files that hold it.

use std::{
    fmt,
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
};

use tonic::metadata::{Ascii, MetadataValue};

use super::secret::{self, SecretError};

/// Shortest secret, in bytes.
const SHORTEST: usize = 16;
/// Longest secret, in bytes.
const LONGEST: usize = 1_024;
/// Longest token file, in bytes: the secret with spaces around it.
const FILE_MAX: u64 = 4_096;

/// Whose token a coordinator makes in its data directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// That of the coordinator itself: who has it may call everything.
    Coordinator,
    /// That of workers: who has it may work and do nothing else.
    Workers,
}

impl Made {
    /// The name of the file in the data directory.
    pub fn file(self) -> &'static str {
        match self {
            Made::Coordinator => "redqueen.token",
            Made::Workers => "redqueen.worker.token",
        }
    }
}

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
    /// Its file cannot be used.
    #[error("the token cannot be used")]
    File(#[from] SecretError),
    /// Too short, too long, or not printable ASCII.
    #[error("the token in `{}` must be {SHORTEST} to {LONGEST} printable ASCII characters without spaces", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
    },
}

impl TokenError {
    /// What a person can do about it.
    pub fn hint(&self) -> String {
        match self {
            TokenError::File(error @ (SecretError::Exposed { .. } | SecretError::Foreign { .. })) => error.hint(),
            TokenError::File(error @ SecretError::Unmakable { .. }) => error.hint(),
            TokenError::File(SecretError::Unreadable { .. }) | TokenError::Unusable { .. } => {
                "make one with `(umask 077; head -c 24 /dev/urandom | base64 > token)` and give the same file to all who may \
                 command the coordinator"
                    .to_owned()
            }
        }
    }

    /// Whether there is no such file.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, TokenError::File(error) if error.is_missing())
    }
}

impl Token {
    /// Reads the secret from a file that a person named, without spaces around it.
    ///
    /// # Errors
    /// The file cannot be read, other accounts may read it, or it holds no usable secret.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let file = secret::open_named(path)?;
        Ok(Token { secret: take(path, file)?, id: None })
    }

    /// Reads the secret that a coordinator of this account generated.
    ///
    /// # Errors
    /// The file cannot be read, belongs to another account, is open to others, or holds no usable secret.
    pub(super) fn read_made(path: &Path) -> Result<Self, TokenError> {
        Self::of_made(path, secret::open_made(path)?)
    }

    /// A token of the data directory `data`, and its file: that of an earlier coordinator, or a new one.
    ///
    /// # Errors
    /// The file belongs to another account, is open to others, or cannot be created.
    pub fn make(data: &Path, made: Made) -> Result<(Self, PathBuf), TokenError> {
        let (file, path) = secret::open_or_make(data, made.file(), || format!("{}\n", Token::random().secret))?;
        Ok((Self::of_made(&path, file)?, path))
    }

    fn of_made(path: &Path, file: File) -> Result<Self, TokenError> {
        let secret = take(path, file)?;
        let hash = blake3::Hash::from_bytes(blake3::derive_key("redqueen 2026 id of a token", secret.as_bytes()));
        Ok(Token { secret, id: Some(hash.to_hex()[..16].to_owned()) })
    }

    /// A new secret, for a coordinator and a worker in one process.
    pub fn random() -> Self {
        Token { secret: format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>()), id: None }
    }

    /// Its id, which may be sent to unauthenticated callers.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_deref()
    }

    /// Whether both are the same secret.
    pub fn is(&self, other: &Token) -> bool {
        self.hash() == other.hash()
    }

    /// Whether `secret` is its secret; takes as long whatever is wrong with it.
    pub fn is_secret(&self, secret: &str) -> bool {
        self.hash() == blake3::hash(format!("Bearer {secret}").as_bytes())
    }

    /// The hash of the `authorization` header; hashes compare in constant time.
    pub(crate) fn hash(&self) -> blake3::Hash {
        blake3::hash(self.header().as_bytes())
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
    let read = file.take(FILE_MAX).read_to_string(&mut text);
    read.map_err(|source| SecretError::Unreadable { path: path.to_owned(), source })?;
    let text = text.trim();
    let usable = (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
    if usable { Ok(text.to_owned()) } else { Err(TokenError::Unusable { path: path.to_owned() }) }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}
