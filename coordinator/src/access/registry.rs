//! Where callers find the token of a coordinator of the same account on the same machine, by its address.
//!
//! An entry is a symbolic link to the token's file, named by machine and address. So the secret is in one directory,
//! and an entry is created atomically. Entries are in directories that only their owner may write: that of the login
//! session, and the account's cache, since a service or a job may have only one of them. Machines may share home
//! directories, hence the machine's name. An entry that a killed coordinator left behind is replaced by the next
//! coordinator at its address; [`super::Seeker`] explains why it is harmless until then.

use std::{
    env,
    fs::{self, DirBuilder},
    io,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, symlink},
    path::{Path, PathBuf},
};

use rustix::{process::geteuid, system::uname};
use tonic::codegen::http::Uri;

use super::{Token, TokenError};

/// The folder of this program in the directories of an account.
const FOLDER: &str = "redqueen/coordinators";

/// The directories of an account in which coordinators are announced.
#[derive(Clone, Debug)]
pub struct Registry {
    /// Each directory, after the one above it that must exist already.
    directories: Vec<(PathBuf, PathBuf)>,
}

/// The announcement of a coordinator, until [`Announcement::withdraw`].
#[derive(Debug)]
#[must_use]
pub struct Announcement {
    entries: Vec<PathBuf>,
    token: PathBuf,
}

impl Registry {
    /// The registry of this process's account, found through the environment.
    pub fn of_account() -> Self {
        let named = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || env::home_dir().filter(|path| path.is_absolute());
        let runtime = named("XDG_RUNTIME_DIR").map(|base| (base.clone(), base));
        let cache = named("XDG_CACHE_HOME").map(|base| (base.clone(), base));
        let cache = cache.or_else(|| home().map(|home| (home.clone(), home.join(".cache"))));
        let directories = runtime.into_iter().chain(cache).map(|(above, base)| (above, base.join(FOLDER)));
        Registry { directories: directories.collect() }
    }

    /// A registry in the directory `base`.
    pub fn under(base: &Path) -> Self {
        Registry { directories: vec![(base.to_owned(), base.join(FOLDER))] }
    }

    /// Announces that the coordinator at `address` has the token in the file `token`, an absolute path.
    ///
    /// # Errors
    /// No directory can be used; the error of the last one.
    pub fn announce(&self, address: SocketAddr, token: &Path) -> io::Result<Announcement> {
        let mut entries = Vec::new();
        let mut error = io::Error::new(io::ErrorKind::NotFound, "there is no home directory of this account");
        for (above, directory) in &self.directories {
            let write = || {
                make_directory(above, directory)?;
                clear(directory);
                let entry = directory.join(name(address));
                let temporary = directory.join(format!(".{}-{:016x}", name(address), rand::random::<u64>()));
                symlink(token, &temporary)?;
                fs::rename(&temporary, &entry).map(|()| entry)
            };
            match write() {
                Ok(entry) => entries.push(entry),
                Err(failed) => error = failed,
            }
        }
        if entries.is_empty() { Err(error) } else { Ok(Announcement { entries, token: token.to_owned() }) }
    }

    /// Removes entries for `address`, whose coordinator has no token or one that is not announced.
    pub fn withdraw(&self, address: SocketAddr) {
        for entry in self.entries(address) {
            let _ = fs::remove_file(entry);
        }
    }

    /// The token of the coordinator at `url`, if one of this account was announced there.
    ///
    /// # Errors
    /// Its file cannot be read, no longer belongs to this account, or is open to others.
    pub fn find(&self, url: &str) -> Result<Option<Token>, TokenError> {
        for entry in addresses(url).into_iter().flat_map(|address| self.entries(address)) {
            let Ok(token) = fs::read_link(&entry) else { continue };
            match Token::read_made(&token) {
                // The data directory was removed, so the coordinator is gone.
                Err(error) if error.is_missing() => {}
                found => return found.map(Some),
            }
        }
        Ok(None)
    }

    /// The data directory of the coordinator at `url`, if one of this account was announced there.
    pub fn place(&self, url: &str) -> Option<PathBuf> {
        let mut entries = addresses(url).into_iter().flat_map(|address| self.entries(address));
        entries.find_map(|entry| Some(fs::read_link(entry).ok()?.parent()?.to_owned()))
    }

    /// The tokens of all coordinators of this account on this machine.
    pub(super) fn tokens(&self) -> Vec<Token> {
        let machine = machine();
        let ours = self.directories.iter().filter(|(_, directory)| check_directory(directory).is_ok());
        let entries = ours.filter_map(|(_, directory)| fs::read_dir(directory).ok()).flatten().flatten();
        let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&machine));
        ours.filter_map(|entry| Token::read_made(&fs::read_link(entry.path()).ok()?).ok()).collect()
    }

    /// Paths of possible entries for `address`.
    fn entries(&self, address: SocketAddr) -> impl Iterator<Item = PathBuf> {
        let ours = self.directories.iter().filter(|(_, directory)| check_directory(directory).is_ok());
        ours.map(move |(_, directory)| directory.join(name(address)))
    }
}

impl Announcement {
    /// Removes the entries, unless another coordinator has replaced them.
    pub fn withdraw(self) {
        for entry in self.entries {
            if fs::read_link(&entry).is_ok_and(|token| token == self.token) {
                let _ = fs::remove_file(entry);
            }
        }
    }
}

/// Makes a directory that no other account can read. What is above must be the account's own: `sudo` may leave the
/// environment of another, whose directories are not ours to fill.
fn make_directory(above: &Path, directory: &Path) -> io::Result<()> {
    if fs::metadata(above)?.uid() != geteuid().as_raw() {
        return Err(io::Error::new(
            io::ErrorKind::PermissionDenied,
            format!("`{}` belongs to another account", above.display()),
        ));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    check_directory(directory)
}

/// Whether no other account can write in a directory.
fn check_directory(directory: &Path) -> io::Result<()> {
    let found = fs::symlink_metadata(directory)?;
    if found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(io::Error::new(
        io::ErrorKind::PermissionDenied,
        format!("`{}` is not a directory that this account alone may write", directory.display()),
    ))
}

/// Removes entries of this machine whose token is gone.
fn clear(directory: &Path) {
    let machine = machine();
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(&machine));
    for entry in ours.map(|entry| entry.path()) {
        if fs::metadata(&entry).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            let _ = fs::remove_file(entry);
        }
    }
}

/// Name of an entry.
fn name(address: SocketAddr) -> String {
    format!("{}{address}", machine())
}

/// The machine's name as the beginning of a file's name.
fn machine() -> String {
    let node = uname().nodename().to_string_lossy().into_owned();
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') { c } else { '-' };
    format!("{}@", node.chars().map(plain).collect::<String>())
}

/// Whether `url` leads nowhere but to this machine.
pub(super) fn is_local(url: &str) -> bool {
    !addresses(url).is_empty()
}

/// The addresses of this machine alone that `url` may mean; none where it leads to others.
fn addresses(url: &str) -> Vec<SocketAddr> {
    let Ok(uri) = url.parse::<Uri>() else { return Vec::new() };
    let (Some(host), default) = (uri.host(), if uri.scheme_str() == Some("https") { 443 } else { 80 }) else {
        return Vec::new();
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let hosts = match host.parse::<IpAddr>() {
        Ok(address) => vec![address.to_canonical()],
        Err(_) if host.eq_ignore_ascii_case("localhost") => {
            vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
        }
        Err(_) => Vec::new(),
    };
    let port = uri.port_u16().unwrap_or(default);
    hosts.into_iter().filter(IpAddr::is_loopback).map(|host| SocketAddr::from((host, port))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_urls_of_this_machine_have_addresses_here() {
        let rows: [(&str, &[&str]); 10] = [
            ("http://127.0.0.1:7878", &["127.0.0.1:7878"]),
            ("http://127.0.0.1:7878/", &["127.0.0.1:7878"]),
            ("https://127.0.0.2", &["127.0.0.2:443"]),
            ("http://LocalHost:7878", &["127.0.0.1:7878", "[::1]:7878"]),
            ("http://[::1]:7878", &["[::1]:7878"]),
            ("http://[::ffff:127.0.0.1]:7878", &["127.0.0.1:7878"]),
            ("http://localhost.example.org:7878", &[]),
            ("http://10.0.0.1:7878", &[]),
            ("http://0.0.0.0:7878", &[]),
            ("not a url", &[]),
        ];
        for (url, wanted) in rows {
            let found: Vec<String> = addresses(url).iter().map(SocketAddr::to_string).collect();
            assert_eq!(found, wanted, "{url}");
        }
    }
}
