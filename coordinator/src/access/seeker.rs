//! For a caller without a token: finds the token of the coordinator that it calls.

use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use redqueen_wire::{
    Caller, Credentials, Dial, Pipe, RunRequest, connect_tcp, control_service_client::ControlServiceClient, tcp,
};
use rustix::process::geteuid;
use tonic::Code;

use super::{Registry, TOKEN_ID, Token, TokenError, listener::owners, registry::is_local};

/// How long a coordinator may take to say which token it demands.
const PATIENCE: Duration = Duration::from_secs(5);

/// Looks for the token of a coordinator of this account at each connection, since a coordinator may start after its
/// workers and restart with another token. A coordinator behind a relay of this account has another address than the
/// announced one: it is asked which token it demands.
///
/// The risk: the token is sent unencrypted over loopback to the process that listens on the port. If the coordinator
/// has died, another account may have taken its port. So on Linux the owner of the other end is looked up before a byte
/// is sent, and another account gets nothing; root can read every token anyway. On other systems another account that
/// takes the port can learn the token of the coordinator that had it before, and command that coordinator when it is
/// back.
#[derive(Clone, Debug)]
pub struct Seeker {
    registry: Registry,
    url: String,
    /// The token of a coordinator behind a relay, once known.
    relayed: Arc<Mutex<Option<Token>>>,
    credentials: Credentials,
}

impl Seeker {
    /// Looks in `registry` for the coordinator at `url`.
    pub fn new(registry: Registry, url: &str) -> Self {
        Seeker { registry, url: url.to_owned(), relayed: Arc::default(), credentials: Credentials::default() }
    }

    /// The token that was found for the latest connection.
    pub fn credentials(&self) -> Credentials {
        self.credentials.clone()
    }

    /// Checks that a token which was announced for this address can be used.
    ///
    /// # Errors
    /// Its file cannot be read, no longer belongs to this account, or is open to others.
    pub fn check(&self) -> Result<(), TokenError> {
        self.registry.find(&self.url).map(drop)
    }

    /// Opens connections: looks for the token at each, and closes those to which it must not be sent.
    pub fn dial(&self) -> Dial {
        let seeker = self.clone();
        Arc::new(move |host, port| {
            let seeker = seeker.clone();
            Box::pin(async move {
                let stream = connect_tcp(&host, port).await?;
                seeker.look(stream.local_addr()?, stream.peer_addr()?).await?;
                Ok(Box::new(stream) as Box<dyn Pipe>)
            })
        })
    }

    /// Finds the token for the connection from `here` to `there`.
    ///
    /// # Errors
    /// The port belongs to another account, or the token cannot be used.
    async fn look(&self, here: SocketAddr, there: SocketAddr) -> io::Result<()> {
        let us = geteuid().as_raw();
        let owners = owners(here, there);
        let mut found = self.registry.find(&self.url).map_err(io::Error::other)?.or_else(|| self.relayed());
        if found.is_none() && !owners.is_empty() && owners.iter().all(|&owner| owner == us) {
            found = self.ask().await?;
            self.relayed.lock().unwrap_or_else(PoisonError::into_inner).clone_from(&found);
        }
        if found.is_some()
            && let Some(uid) = owners.into_iter().find(|&owner| owner != us && owner != 0)
        {
            let why = format!(
                "port {} is in the hands of another account (uid {uid}), which does not get the token of the \
                 coordinator that was there",
                there.port()
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, why));
        }
        self.credentials.set(found.map(|token| token.header()));
        Ok(())
    }

    fn relayed(&self) -> Option<Token> {
        self.relayed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Asks the coordinator which of the account's tokens it demands, without sending one.
    async fn ask(&self) -> io::Result<Option<Token>> {
        let known = self.registry.tokens();
        if known.is_empty() || !is_local(&self.url) || !self.url.starts_with("http://") {
            return Ok(None);
        }
        let call = async {
            let line = Caller::new(&self.url, None, tcp()).map_err(io::Error::other)?.connect().await;
            let mut client = ControlServiceClient::new(line.map_err(io::Error::other)?);
            Ok::<_, io::Error>(client.status(RunRequest::default()).await)
        };
        let answer = tokio::time::timeout(PATIENCE, call).await??;
        let Err(refused) = answer else { return Ok(None) };
        match refused.code() {
            Code::Unauthenticated => {
                let wanted = refused.metadata().get(TOKEN_ID).and_then(|id| id.to_str().ok());
                Ok(known.into_iter().find(|token| wanted.is_some() && token.id() == wanted))
            }
            // It demands none: the answer is that no run has an empty id.
            Code::NotFound => Ok(None),
            _ => Err(io::Error::other(refused)),
        }
    }
}
