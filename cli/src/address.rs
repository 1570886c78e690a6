//! Ways to a coordinator by its address file.

use std::{
    path::{Path, PathBuf},
    sync::Mutex,
};

use coordinator::Token;
use redqueen_wire::{Address, Standing, Tls, tcp};
use worker::{Route, Routes, Unknown};

use crate::{error::CliError, tls};

/// The ways of a worker: the file is read before each round of attempts, for as long as the worker lives. `tls` is what it
/// trusts where the file names no certificate.
pub(crate) fn routes(named: &Path, tls: Option<Tls>) -> Routes {
    let named = named.to_owned();
    let place = named.display().to_string();
    // A network file system may show an older file for a while.
    let newest = Mutex::new(0);
    let find = move || {
        let address = read(&named).map_err(Unknown::ForNow)?;
        {
            let mut newest = newest.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if address.generation < *newest {
                return Err(Unknown::ForNow("the address file is older than one that was seen before".to_owned()));
            }
            *newest = address.generation;
        }
        match address.standing {
            Standing::Finished => Err(Unknown::Finished),
            Standing::Stopped => Err(Unknown::ForNow("the coordinator has stopped".to_owned())),
            Standing::Serving => ways(&address, address.worker_token.as_ref(), tls.as_ref())
                .map_err(|error| Unknown::ForNow(error.message)),
        }
    };
    Routes::Found { place, find: std::sync::Arc::new(find) }
}

/// The ways of a command.
pub(crate) fn commands(named: &Path, tls: Option<&Tls>) -> Result<Vec<Route>, CliError> {
    let hint = "it is in the coordinator's data directory; the coordinator writes it when it starts";
    let address = read(named).map_err(|why| CliError::usage(why).hint(hint))?;
    if address.standing != Standing::Serving || address.urls.is_empty() {
        return Err(CliError::usage(format!("the coordinator of `{}` has stopped", named.display()))
            .hint("start it again: runs go on where they were"));
    }
    ways(&address, address.token.as_ref(), tls)
}

fn read(named: &Path) -> Result<Address, String> {
    Address::read(&Address::file(named)).map_err(|error| error.to_string())
}

fn ways(address: &Address, token: Option<&PathBuf>, named: Option<&Tls>) -> Result<Vec<Route>, CliError> {
    let credentials = match token {
        Some(file) => Some(Token::read(file)?.header()),
        None => None,
    };
    let tls = match &address.certificate {
        Some(certificate) => Some(tls::trusting(certificate)?),
        None => named.cloned(),
    };
    let way = |url: &String| Route {
        url: url.clone(),
        credentials: credentials.clone().into(),
        tls: tls.clone().filter(|_| url.starts_with("https://")),
        dial: tcp(),
    };
    Ok(address.urls.iter().map(way).collect())
}
