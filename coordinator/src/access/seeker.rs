//! A caller that was given no token: it looks for the one of the coordinator that it calls.

use std::{io, sync::Arc};

use redqueen_wire::{Credentials, Dial, Pipe, connect_tcp};

use super::{Registry, TokenError, listener::stranger};

/// Looks for the token of a coordinator of this account whenever it is connected to, since a coordinator may be started
/// after its workers, and again under another token.
///
/// What is risked: the token goes in the clear over loopback to whoever listens on the port. Where the coordinator that
/// made it is dead, another account may have taken the port, or waited for that. So on Linux the owner of the other end
/// is looked up before a byte is sent, and a stranger gets nothing. On other systems a stranger who takes the port can
/// learn the token of the coordinator that was there before it, and command that one when it is back.
#[derive(Clone, Debug)]
pub struct Seeker {
    registry: Registry,
    url: String,
    credentials: Credentials,
}

impl Seeker {
    /// Will look in `registry` for the coordinator at `url`.
    pub fn new(registry: Registry, url: &str) -> Self {
        Seeker { registry, url: url.to_owned(), credentials: Credentials::default() }
    }

    /// What was found for the connection that was opened last.
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// Looks for the token, for the connection that is opened next; whether there is one.
    ///
    /// # Errors
    /// Its file cannot be read, is not of this account any more, or is open to others.
    pub fn look(&self) -> Result<bool, TokenError> {
        let found = self.registry.find(&self.url)?.map(|token| token.header());
        let any = found.is_some();
        self.credentials.set(found);
        Ok(any)
    }

    /// Opens connections: each looks for the token, and is closed where the token must not be sent.
    pub fn dial(&self) -> Dial {
        let seeker = self.clone();
        Arc::new(move |host, port| {
            let seeker = seeker.clone();
            Box::pin(async move {
                let stream = connect_tcp(&host, port).await?;
                if seeker.look().map_err(io::Error::other)?
                    && let Some(uid) = stranger(stream.local_addr()?, stream.peer_addr()?)
                {
                    let why = format!(
                        "port {port} is in the hands of another account (uid {uid}), which does not get the token of \
                         the coordinator that was there"
                    );
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
                }
                Ok(Box::new(stream) as Box<dyn Pipe>)
            })
        })
    }
}
