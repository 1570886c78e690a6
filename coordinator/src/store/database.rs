//! The database file of a run: created atomically, checked when opened.
//!
//! A new database is made under another name and moved into place when all of it is on disk, so that a file that is
//! empty or lacks a table is damaged, never the trace of an interrupted start. An existing one is checked before
//! anything is written to it, since writing to a damaged file would destroy what can still be saved.

use std::{
    ffi::CStr,
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use experiments::Experiment;
use record::{is_unfinished, journal};
use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

use super::{
    DATABASE, Error, RunDirectory,
    files::{RESOLVED, RESOLVED_NEXT, database_of, put_in_place, read_resolved},
    ours::{self, Ours},
    owner::FencedVfs,
    schema,
};
use crate::FileSystem;

/// First bytes of every SQLite database.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// Length of its header.
const HEADER: usize = 100;
/// How long to wait for another holder of the database, or for the end of a transaction.
const BUSY: Duration = Duration::from_secs(10);
/// Pause between two looks for that end.
const PAUSE: Duration = Duration::from_millis(20);

/// A database that this process writes.
pub(super) struct Open {
    pub(super) conn: Connection,
    /// Those of a run with a lease refuse writes that come too late. Dropped behind the connection.
    pub(super) files: Option<FencedVfs>,
    pub(super) ours: Ours,
}

/// Creates the database of the run in `directory`; `fill` creates its tables and rows.
pub(super) fn make(
    directory: &RunDirectory,
    fill: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> Result<(), Error> {
    let path = directory.path().join(DATABASE);
    let temporary = directory.path().join(format!("{DATABASE}.new"));
    if temporary.exists() {
        fs::remove_file(&temporary).map_err(|error| Error::io(&temporary, error))?;
    }
    let write = || -> rusqlite::Result<()> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut conn = Connection::open_with_flags(file(&temporary), flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        // It is not read before it is complete, so it needs no journal on disk.
        conn.pragma_update(None, "journal_mode", "MEMORY")?;
        let tx = conn.transaction()?;
        fill(&tx)?;
        tx.commit()?;
        conn.close().map_err(|(_, error)| error)
    };
    write().map_err(|error| Error::database(&temporary, error))?;
    directory.may_write()?;
    put_in_place(&temporary, &path).map_err(|error| Error::io(&path, error))
}

/// Opens the database of the run in `directory` for writing, after checking it.
///
/// # Errors
/// The database is missing, damaged or of another format, or cannot be opened.
pub(super) fn open(directory: &RunDirectory) -> Result<Open, Error> {
    let path = database_of(directory.path())?;
    let (database, io) = (|error| Error::database(&path, error), |error| Error::io(&path, error));
    let whole = examine_file(&path)?;
    let shared = directory.is_shared();
    // A log that was written elsewhere is read without shared memory, and merged into the database below.
    let alone = shared && journal::is_logged(&path).map_err(io)?;
    let ours = Ours::note(&path, !shared).map_err(io)?;
    let files = directory.fenced().map_err(io)?;
    let vfs = files.as_ref().map(FencedVfs::name);
    let conn = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE, whole.is_none(), vfs).map_err(database)?;
    if alone {
        conn.pragma_update(None, "locking_mode", "EXCLUSIVE").map_err(database)?;
    }
    check_tables(&conn, &path)?;
    if let Some(pages) = whole {
        let counted: i64 = conn.query_row("PRAGMA page_count", [], |row| row.get(0)).map_err(database)?;
        if pages < counted.unsigned_abs() {
            return Err(Error::damaged(&path, format!("it is cut short: {pages} of {counted} pages are there")));
        }
    }
    // Nothing will be written to a run that has ended, and a coordinator may have hundreds of them.
    let over: bool =
        conn.query_row("SELECT state IN ('finished', 'cancelled') FROM run", [], |row| row.get(0)).map_err(database)?;
    if !over {
        look_through(&conn, &path)?;
    }
    resolved_of(&conn, directory.path())?;
    let configure = || {
        schema::configure(&conn, shared)?;
        conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false).map(drop)
    };
    configure().map_err(database)?;
    // Left behind by the other kind of journal, and empty or out of use.
    let left: &[&str] = if shared { &["-shm"] } else { &["-journal"] };
    left.iter().for_each(|suffix| drop(fs::remove_file(journal::beside(&path, suffix))));
    Ok(Open { conn, files, ours })
}

/// Undoes the transaction that a killed process left in the database of the run in `directory`, if there is one.
///
/// # Errors
/// The database is missing or damaged, or cannot be written.
pub(super) fn undo(directory: &RunDirectory) -> Result<(), Error> {
    let path = directory.path().join(DATABASE);
    if !journal::has(&path, "-journal") {
        return Ok(());
    }
    examine_file(&path)?;
    let files = directory.fenced().map_err(|error| Error::io(&path, error))?;
    let undo = || {
        let vfs = files.as_ref().map(FencedVfs::name);
        let conn = connect(&path, OpenFlags::SQLITE_OPEN_READ_WRITE, true, vfs)?;
        // SQLite does it before it reads the first page.
        conn.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))
    };
    undo().map_err(|error| Error::database(&path, error))
}

/// Checks every page.
///
/// # Errors
/// The database is damaged.
pub(super) fn look_through(conn: &Connection, path: &Path) -> Result<(), Error> {
    let begun = Instant::now();
    let verdict: String =
        conn.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(|error| Error::database(path, error))?;
    if verdict != "ok" {
        return Err(Error::damaged(path, verdict.replace('\n', " ")));
    }
    tracing::debug!("`{}` was looked through in {} ms", path.display(), begun.elapsed().as_millis());
    Ok(())
}

/// Opens the database of a run directory for reading, beside its writer if there is one.
///
/// # Errors
/// There is no run, or its database is damaged, of another format, or in the middle of a transaction for long.
pub fn connect_to_read(directory: &Path) -> Result<Connection, Error> {
    connect_within(directory, BUSY)
}

/// [`connect_to_read`]; waits for the end of a transaction as long as `patience`.
pub(super) fn connect_within(directory: &Path, patience: Duration) -> Result<Connection, Error> {
    let path = database_of(directory)?;
    let database = |error| Error::database(&path, error);
    let (begun, (logged, wal)) = (Instant::now(), journal_of(&path)?);
    let open = |name: &Path, flags| -> rusqlite::Result<Connection> {
        let conn = connect(name, flags, logged, None)?;
        conn.pragma_update(None, "query_only", true)?;
        // The first statement that reads a page.
        conn.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(conn)
    };
    let as_it_is = || open(&immutable(&path), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI);
    let conn = loop {
        let opened = match (wal, logged) {
            (false, _) => open(&path, OpenFlags::SQLITE_OPEN_READ_ONLY),
            // It was copied there, and nothing has written it since.
            (true, false) if FileSystem::of(directory).is_shared() => as_it_is(),
            (true, _) => open(&path, OpenFlags::SQLITE_OPEN_READ_WRITE).or_else(|error| {
                match error.sqlite_error_code() {
                    // A read-only disk has no room for the files that readers and writers share, and no writer.
                    Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) if !logged => as_it_is(),
                    _ => Err(error),
                }
            }),
        };
        match opened {
            Err(error) if is_unfinished(&error) && begun.elapsed() < patience => thread::sleep(PAUSE),
            opened => break opened.map_err(database)?,
        }
    };
    check_tables(&conn, &path)?;
    Ok(conn)
}

/// Whether there is a log beside the database, and whether the database has one when it is written.
fn journal_of(path: &Path) -> Result<(bool, bool), Error> {
    match ours::logged(path) {
        Some(wal) => Ok((true, wal)),
        None => {
            let wal = journal::is_logged(path).map_err(|error| Error::io(path, error))?;
            Ok((examine_file(path)?.is_none(), wal))
        }
    }
}

/// Opens a connection, through `vfs` if that is not the default; `logged` says whether there is a log beside the file.
fn connect(path: &Path, flags: OpenFlags, logged: bool, vfs: Option<&CStr>) -> rusqlite::Result<Connection> {
    let is_uri = flags.contains(OpenFlags::SQLITE_OPEN_URI);
    let name = if is_uri { path.to_owned() } else { file(path) };
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = match vfs {
        Some(vfs) => Connection::open_with_flags_and_vfs(name, flags, vfs)?,
        None => Connection::open_with_flags(name, flags)?,
    };
    conn.busy_timeout(BUSY)?;
    // A reader must not change the log, which closing the last connection would merge into the database.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, logged)?;
    // Detects a damaged page when it is read.
    conn.pragma_update(None, "cell_size_check", true)?;
    Ok(conn)
}

/// Path of a file for SQLite, which would take one that begins with `file:` for a URI.
fn file(path: &Path) -> PathBuf {
    Path::new(".").join(path)
}

/// URI by which SQLite treats a database as immutable.
fn immutable(path: &Path) -> PathBuf {
    let mut name = "file:".to_owned();
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    name.push_str("?immutable=1");
    PathBuf::from(name)
}

/// Checks the file before SQLite opens it, which takes an empty file for a new database. Returns its number of pages;
/// `None` if there is a log or a journal beside it, which may hold pages that are not in the file yet, or no longer.
fn examine_file(path: &Path) -> Result<Option<u64>, Error> {
    let io = |error| Error::io(path, error);
    let mut header = Vec::with_capacity(HEADER);
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    file.take(HEADER as u64).read_to_end(&mut header).map_err(io)?;
    if length == 0 {
        return Err(Error::damaged(path, "it is empty"));
    }
    if !header.starts_with(MAGIC) {
        return Err(Error::damaged(path, "it does not begin like an SQLite database"));
    }
    if header.len() < HEADER {
        return Err(Error::damaged(path, format!("it is cut short: it has {length} bytes")));
    }
    let page = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65_536,
        bytes => u64::from(bytes),
    };
    if page < 512 {
        return Err(Error::damaged(path, format!("its header names pages of {page} bytes")));
    }
    if ["-wal", "-journal"].iter().any(|suffix| journal::has(path, suffix)) {
        return Ok(None);
    }
    if !length.is_multiple_of(page) {
        return Err(Error::damaged(path, format!("it is cut short: {length} bytes are not a whole number of pages")));
    }
    Ok(Some(length / page))
}

/// Checks that the format is known and all tables exist.
fn check_tables(conn: &Connection, path: &Path) -> Result<(), Error> {
    let read = || -> rusqlite::Result<(i64, Vec<String>)> {
        let format = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        let mut names = conn.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")?;
        let names = names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok((format, names))
    };
    let (format, names) = read().map_err(|error| Error::database(path, error))?;
    if format != 0 && !schema::FORMATS.contains(&format) {
        let (oldest, newest) = (*schema::FORMATS.start(), *schema::FORMATS.end());
        return Err(Error::Format { path: path.to_owned(), found: format, oldest, newest });
    }
    let wanted = schema::tables(format);
    match wanted.iter().find(|table| !names.iter().any(|name| name == *table)) {
        Some(table) => Err(Error::damaged(path, format!("it has no table `{table}`"))),
        // The format is written last, so that a complete database has one.
        None if format == 0 => Err(Error::damaged(path, "it has no format")),
        None => Ok(()),
    }
}

/// Text of the resolved experiment of the run, checked against the hash in its database. Keys that change no result may
/// have new values.
pub(super) fn resolved_of(conn: &Connection, directory: &Path) -> Result<String, Error> {
    let text = read_resolved(directory)?;
    let read = || -> rusqlite::Result<(i64, String)> {
        let format = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        Ok((format, conn.query_row("SELECT experiment_hash FROM run", [], |row| row.get(0))?))
    };
    let (format, known) = read().map_err(|error| Error::database(&directory.join(DATABASE), error))?;
    let is_known = |text: &str| {
        let followed = if format < 4 { Experiment::without_questions(text) } else { Experiment::results_of(text) };
        blake3::hash(followed.as_bytes()).to_hex().as_str() == known
    };
    if is_known(&text) {
        return Ok(text);
    }
    // The run was extended, and the process was killed before its files were moved into place.
    match fs::read_to_string(directory.join(RESOLVED_NEXT)) {
        Ok(next) if is_known(&next) => Ok(next),
        _ => Err(Error::damaged(
            &directory.join(RESOLVED),
            "it is not what the run was made from; its database knows it by another hash",
        )),
    }
}
