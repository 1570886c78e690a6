//! How a database keeps a transaction until it is whole: in a write-ahead log, or, on file systems that machines share,
//! in a rollback journal (docs/run-directory.md).

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// Whether `database` has a write-ahead log. One with a rollback journal is opened to be read without the right to
/// write: where locks of other machines do not show, SQLite takes the journal of a living writer for that of a dead one,
/// and undoes its transaction.
///
/// # Errors
/// The file cannot be read.
pub fn is_logged(database: &Path) -> io::Result<bool> {
    // Byte 18 of the header is the version that a writer must know (https://www.sqlite.org/fileformat.html, section 1.3).
    let mut header = Vec::with_capacity(20);
    File::open(database)?.take(20).read_to_end(&mut header)?;
    Ok(header.get(18) == Some(&2) || has(database, "-wal"))
}

/// Whether there is a file beside `database`, with its name and `suffix`, that is not empty.
pub fn has(database: &Path, suffix: &str) -> bool {
    fs::metadata(beside(database, suffix)).is_ok_and(|file| file.len() > 0)
}

/// Path of the file beside `database` with its name and `suffix`.
pub fn beside(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
