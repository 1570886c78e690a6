//! A consistent copy of the files of a run, for callers on other machines.

use std::{fs, io::Read, path::Path};

use rusqlite::types::{ToSqlOutput, ValueRef};

use super::{
    DATABASE, Error, connect_to_read,
    files::{RESOLVED, SOURCE},
};

/// Reads the files of a run in pieces of at most `chunk` bytes and passes each to `piece`: the first piece of a file
/// with its path, later ones with an empty path. Ends early if `piece` fails, since its reader is gone.
///
/// # Errors
/// A file cannot be read.
pub(crate) fn copy_out(
    directory: &Path,
    chunk: usize,
    mut piece: impl FnMut(&str, Vec<u8>) -> Result<(), ()>,
) -> Result<(), Error> {
    // A snapshot beside the database, made by SQLite: the run goes on meanwhile.
    let snapshot = directory.join(format!("{DATABASE}.export-{}", std::process::id()));
    let _ = fs::remove_file(&snapshot);
    let conn = connect_to_read(directory)?;
    // SQLite treats a copy to another file as a write.
    conn.pragma_update(None, "query_only", false).map_err(|error| Error::database(&snapshot, error))?;
    // A path is bytes to SQLite, too; an absolute one is never taken for a URI.
    let name = std::path::absolute(&snapshot).map_err(|error| Error::io(&snapshot, error))?;
    let name = ToSqlOutput::Borrowed(ValueRef::Text(name.as_os_str().as_encoded_bytes()));
    let copied = conn.execute("VACUUM INTO ?1", [name]).map(drop);
    let result = copied.map_err(|error| Error::database(&snapshot, error)).and_then(|()| {
        let files =
            [(SOURCE, directory.join(SOURCE)), (RESOLVED, directory.join(RESOLVED)), (DATABASE, snapshot.clone())];
        for (name, path) in files {
            let mut file = fs::File::open(&path).map_err(|error| Error::io(&path, error))?;
            let mut name = name;
            loop {
                let mut data = Vec::with_capacity(chunk);
                (&mut file).take(chunk as u64).read_to_end(&mut data).map_err(|error| Error::io(&path, error))?;
                if data.is_empty() && name.is_empty() {
                    break;
                }
                if piece(name, data).is_err() {
                    return Ok(());
                }
                name = "";
            }
        }
        Ok(())
    });
    let _ = fs::remove_file(&snapshot);
    result
}
