//! The address file: where a coordinator is reached now, for workers and commands that share a file system with it.
//!
//! A coordinator may move: its job ends and a successor starts on another machine. So callers read the file before they dial.
//! It is replaced in one step, and counts generations, since a network file system may show an old one for a while.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// Name of the file in a coordinator's data directory.
pub const ADDRESS_FILE: &str = "redqueen.address.json";

/// Longest file that is read, in bytes.
const LONGEST: u64 = 1 << 16;

/// What a coordinator does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// It serves, or did when it was last seen.
    Serving,
    /// It has stopped; it or a successor may come back.
    Stopped,
    /// It has stopped and nothing is left to do.
    Finished,
}

/// Where a coordinator is reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Address {
    /// Greater than that of every earlier file of the same place.
    pub generation: u64,
    /// What the coordinator does.
    pub standing: Standing,
    /// URLs with literal addresses, the preferred one first.
    pub urls: Vec<String>,
    /// Like the files below a path from the directory of this file: the copy of the coordinator's own certificate, or a CA.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "path")]
    pub certificate: Option<PathBuf>,
    /// The token of commands.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "path")]
    pub token: Option<PathBuf>,
    /// The token of workers.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "path")]
    pub worker_token: Option<PathBuf>,
}

/// Why an address file says nothing.
#[derive(Debug, thiserror::Error)]
pub enum AddressError {
    /// It cannot be read.
    #[error("the address file `{}` cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// It cannot be understood: another file, or one that is being copied.
    #[error("`{}` is not an address file: {why}", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// It cannot be written.
    #[error("the address file `{}` cannot be written: {source}", path.display())]
    Unwritable {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl Address {
    /// The file that a person names: itself, or the directory that holds it.
    pub fn file(named: &Path) -> PathBuf {
        if named.is_dir() { named.join(ADDRESS_FILE) } else { named.to_owned() }
    }

    /// Reads the file at `path`. Paths in the answer are joined to its directory.
    ///
    /// # Errors
    /// The file is not there, or cannot be understood; either may change.
    pub fn read(path: &Path) -> Result<Self, AddressError> {
        use std::io::Read as _;
        let directory = directory(path);
        // NFS remembers for a while that a file does not exist; listing its directory asks anew.
        let _ = fs::read_dir(directory).map(|entries| entries.take(1).count());
        let unreadable = |source| AddressError::Unreadable { path: path.to_owned(), source };
        let mut text = String::new();
        let file = fs::File::open(path).map_err(unreadable)?;
        file.take(LONGEST).read_to_string(&mut text).map_err(unreadable)?;
        let mut address: Address = serde_json::from_str(&text)
            .map_err(|error| AddressError::Unusable { path: path.to_owned(), why: error.to_string() })?;
        for file in [&mut address.certificate, &mut address.token, &mut address.worker_token].into_iter().flatten() {
            *file = directory.join(&*file);
        }
        Ok(address)
    }

    /// Replaces the file at `path`; its generation is that of the old file and one.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(mut self, path: &Path) -> Result<u64, AddressError> {
        use std::{io::Write as _, os::unix::fs::OpenOptionsExt as _};
        self.generation = Address::read(path).map_or(0, |old| old.generation) + 1;
        let unwritable = |source| AddressError::Unwritable { path: path.to_owned(), source };
        let temporary = path.with_extension(format!("{}.new", std::process::id()));
        let _ = fs::remove_file(&temporary);
        let text = serde_json::to_string_pretty(&self).expect("numbers and texts are JSON");
        let written = (|| {
            let mut file = fs::File::options().write(true).create_new(true).mode(0o600).open(&temporary)?;
            writeln!(file, "{text}")?;
            file.sync_all()?;
            fs::rename(&temporary, path)
        })();
        written.map_err(|source| {
            let _ = fs::remove_file(&temporary);
            unwritable(source)
        })?;
        Ok(self.generation)
    }
}

/// Paths as JSON: a text, or the bytes of one that is not UTF-8.
mod path {
    use std::{
        ffi::OsString,
        os::unix::ffi::{OsStrExt as _, OsStringExt as _},
        path::PathBuf,
    };

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(untagged)]
    enum Written {
        Text(String),
        Bytes(Vec<u8>),
    }

    pub(super) fn serialize<S: Serializer>(path: &Option<PathBuf>, to: S) -> Result<S::Ok, S::Error> {
        let written = path.as_ref().map(|path| match path.to_str() {
            Some(text) => Written::Text(text.to_owned()),
            None => Written::Bytes(path.as_os_str().as_bytes().to_vec()),
        });
        written.serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Option<PathBuf>, D::Error> {
        Ok(Option::<Written>::deserialize(from)?.map(|written| match written {
            Written::Text(text) => text.into(),
            Written::Bytes(bytes) => OsString::from_vec(bytes).into(),
        }))
    }
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(urls: &[&str]) -> Address {
        Address {
            generation: 0,
            standing: Standing::Serving,
            urls: urls.iter().map(|&url| url.to_owned()).collect(),
            certificate: Some("redqueen.ca.pem".into()),
            token: None,
            worker_token: Some("/elsewhere/token".into()),
        }
    }

    #[test]
    fn a_file_is_replaced_whole_and_counts_generations() {
        let place = tempfile::tempdir().expect("a directory");
        let path = Address::file(place.path());
        assert!(matches!(Address::read(&path), Err(AddressError::Unreadable { .. })));
        assert_eq!(address(&["http://10.0.0.1:7878"]).write(&path).expect("written"), 1);
        assert_eq!(address(&["http://10.0.0.2:7878"]).write(&path).expect("written"), 2);
        let read = Address::read(&path).expect("an address");
        assert_eq!((read.generation, &read.urls[..]), (2, &["http://10.0.0.2:7878".to_owned()][..]));
        assert_eq!(read.certificate, Some(place.path().join("redqueen.ca.pem")));
        assert_eq!(read.worker_token, Some("/elsewhere/token".into()));
        // A name that is not UTF-8.
        let odd = PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(b"/token\xe9"));
        let other = place.path().join("other.json");
        Address { token: Some(odd.clone()), ..address(&[]) }.write(&other).expect("written");
        assert_eq!(Address::read(&other).expect("an address").token, Some(odd));
        fs::remove_file(other).expect("it was there");
        // What a file system shows while the file is copied.
        let text = fs::read_to_string(&path).expect("a file");
        for cut in 0..text.trim_end().len() {
            fs::write(&path, &text[..cut]).expect("written");
            assert!(matches!(Address::read(&path), Err(AddressError::Unusable { .. })), "{cut}");
        }
        // A newer version may say more.
        fs::write(&path, text.replacen('{', "{\"news\": 1,", 1)).expect("written");
        assert!(Address::read(&path).is_ok());
        assert_eq!(fs::read_dir(place.path()).expect("a directory").count(), 1, "nothing is left behind");
    }
}
