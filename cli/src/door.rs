//! Options of the HTTP door: where it is, and who may look.

use std::{net::SocketAddr, path::PathBuf};

use clap::Args;
use coordinator::{Http, Token};
use page::Guard;

use crate::error::CliError;

/// Options of the HTTP door.
#[derive(Args)]
pub(crate) struct DoorArgs {
    /// Serve pages, `/metrics` for Prometheus and `/health` by HTTP on this address. Any but loopback needs
    /// --http-public.
    #[arg(long, value_name = "ADDR")]
    http: Option<SocketAddr>,
    /// Allow --http on an address other machines reach: without --view-token-file everybody there sees the runs and their
    /// results.
    #[arg(long, requires = "http")]
    http_public: bool,
    /// The same on a socket in the file system, which only this account may use (mode 0600); `ssh -L 7879:PATH HOST` reaches
    /// it from another machine.
    #[arg(long, value_name = "PATH")]
    http_socket: Option<PathBuf>,
    /// File with a token that viewers must give: pages ask for it, and `/metrics` takes it as
    /// `Authorization: Bearer TOKEN`.
    #[arg(long, value_name = "FILE")]
    view_token_file: Option<PathBuf>,
    /// A further name by which browsers reach the pages, of a proxy for instance; others are refused. May be given several
    /// times.
    #[arg(long, value_name = "NAME")]
    http_host: Vec<String>,
}

impl DoorArgs {
    /// Whether there is to be a door.
    pub(crate) fn is_open(&self) -> bool {
        self.http.is_some() || self.http_socket.is_some()
    }

    /// The door; `None` if there is to be none.
    pub(crate) fn door(&self) -> Result<Option<Http>, CliError> {
        let DoorArgs { http, http_public, http_socket, view_token_file, http_host } = self;
        if !self.is_open() {
            let without = [("--view-token-file", view_token_file.is_some()), ("--http-host", !http_host.is_empty())];
            return match without.iter().find(|(_, given)| *given) {
                Some((flag, _)) => Err(CliError::usage(format!("{flag} says who may look, and there is no --http"))
                    .hint("add --http ADDR or --http-socket PATH, or leave it out")),
                None => Ok(None),
            };
        }
        if let Some(http) = http.filter(|http| !http.ip().is_loopback() && !http_public) {
            return Err(CliError::usage(format!("`{http}` can be reached from other machines")).hint(
                "listen on 127.0.0.1 or --http-socket, or give --http-public: then results and experiments are seen by all \
                 who reach it, unless --view-token-file asks them for a token",
            ));
        }
        let view_token = view_token_file.as_deref().map(Token::read).transpose()?;
        let mut door = Http { address: *http, socket: http_socket.clone(), pages: None, view_token };
        let guard = self.guard(&door);
        door.pages = Some(Box::new(move |observer| page::of_coordinator(observer, guard)));
        Ok(Some(door))
    }

    /// The same, at `address` if no other place is named.
    pub(crate) fn or_at(self, address: SocketAddr) -> Self {
        let http = if self.is_open() { self.http } else { Some(address) };
        DoorArgs { http, ..self }
    }

    /// Who may look at pages behind the door.
    pub(crate) fn guard(&self, door: &Http) -> Guard {
        Guard { listen: door.address, hosts: self.http_host.clone(), token: door.view_token.clone() }
    }
}
