//! The token: a shared secret in the `authorization` header of every call.

use std::{fmt, fs, path::Path};

use tonic::{Request, Status, metadata::MetadataValue, service::Interceptor};

use crate::{
    door::Pass,
    metrics::{Metrics, Refusal},
};

/// Shortest secret taken, in bytes.
const SHORTEST: usize = 16;
/// Longest secret taken, in bytes.
const LONGEST: usize = 1_024;

/// A secret shared by coordinator, workers and command line. Never printed.
#[derive(Clone)]
pub struct Token(String);

/// Why a token cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be read.
    #[error("cannot read the token file `{path}`")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Too short, too long, or not printable ASCII.
    #[error("the token in `{path}` must be {SHORTEST} to {LONGEST} printable ASCII characters without spaces")]
    Unusable {
        /// The file.
        path: String,
    },
}

impl Token {
    /// Reads the secret from a file; space around it is dropped.
    ///
    /// # Errors
    /// The file cannot be read or holds no usable secret.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let name = path.display().to_string();
        let text = fs::read_to_string(path).map_err(|source| TokenError::Unreadable { path: name.clone(), source })?;
        let text = text.trim();
        let usable = (SHORTEST..=LONGEST).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_graphic());
        if usable { Ok(Token(text.to_owned())) } else { Err(TokenError::Unusable { path: name }) }
    }

    /// A secret of this process, for a coordinator and a worker inside it.
    pub fn random() -> Self {
        Token(format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>()))
    }

    /// The header that carries it.
    pub fn header(&self) -> MetadataValue<tonic::metadata::Ascii> {
        let mut value: MetadataValue<_> =
            format!("Bearer {}", self.0).parse().expect("a token is printable ASCII, checked when it was made");
        // Kept out of Debug output and of the header compression table.
        value.set_sensitive(true);
        value
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Refuses calls without the token, and tells the door of those that pass. Without a token every call passes
/// (loopback only).
#[derive(Clone)]
pub(crate) struct CheckToken {
    wanted: Option<blake3::Hash>,
    metrics: Metrics,
}

impl CheckToken {
    pub(crate) fn new(token: Option<&Token>, metrics: Metrics) -> Self {
        CheckToken { wanted: token.map(|token| blake3::hash(token.header().as_bytes())), metrics }
    }
}

impl Interceptor for CheckToken {
    fn call(&mut self, request: Request<()>) -> Result<Request<()>, Status> {
        let Some(wanted) = &self.wanted else { return admit(request) };
        let sent = request.metadata().get("authorization").map(|value| blake3::hash(value.as_bytes()));
        // Hashes compare in constant time; whoever has no token learns nothing, not even that it was wrong.
        if sent.as_ref() == Some(wanted) {
            return admit(request);
        }
        self.metrics.refused(Refusal::token);
        Err(Status::unauthenticated("not allowed"))
    }
}

fn admit(request: Request<()>) -> Result<Request<()>, Status> {
    if let Some(pass) = Pass::of(&request) {
        pass.admit()?;
    }
    Ok(request)
}
