//! Files of SQLite that ask a [`Fence`] before they are changed.
//!
//! An owner that lost its run while it was stopped may be in the middle of a transaction when it goes on. Asking before
//! COMMIT alone would be too late: changes go to the rollback journal before it, and giving the transaction up cuts the
//! journal, which may be another owner's by then. So the fence stands below SQLite, in a VFS
//! (https://www.sqlite.org/vfs.html) that passes everything on to the system's and refuses writes while the fence is
//! shut.

use std::{
    ffi::{CStr, CString, c_char, c_int, c_void},
    io, mem,
    ptr::{self, NonNull},
    sync::Arc,
};

use rusqlite::ffi;

use super::Fence;

/// A VFS for the files of one run, registered until it is dropped. Its connections must be closed before.
pub(in crate::store) struct FencedVfs(NonNull<Vfs>);

// SAFETY: the memory is the VFS's own, and SQLite only reads it; the fence may be shared by threads.
unsafe impl Send for FencedVfs {}

#[repr(C)]
struct Vfs {
    /// First, since SQLite knows the whole by a pointer to this.
    shown: ffi::sqlite3_vfs,
    base: *mut ffi::sqlite3_vfs,
    fence: Arc<Fence>,
    name: CString,
}

/// A file of such a VFS; that of the system stands behind it in the same memory.
#[repr(C)]
struct File {
    shown: ffi::sqlite3_file,
    fence: *const Fence,
}

impl FencedVfs {
    /// Registers a VFS; `base` is the name of the one below, the default if there is none.
    ///
    /// # Errors
    /// SQLite has no such VFS, or no memory.
    pub(in crate::store) fn register(fence: Arc<Fence>, base: Option<&CStr>) -> io::Result<Self> {
        // SAFETY: the name is null or ends with a null byte. SQLite is initialised by the call.
        let base = unsafe { ffi::sqlite3_vfs_find(base.map_or(ptr::null(), CStr::as_ptr)) };
        let Some(below) = NonNull::new(base) else { return Err(io::Error::other("SQLite has no such file system")) };
        let name = CString::new(format!("redqueen-{:032x}", rand::random::<u128>()))?;
        // What is not replaced is the system's own. It takes this VFS for itself, as for those of its kinds that differ
        // only in locks, and so gets a copy of all its fields.
        // SAFETY: a registered VFS stays as it is.
        let mut shown = unsafe { *below.as_ptr() };
        shown.pNext = ptr::null_mut();
        shown.zName = name.as_ptr();
        shown.szOsFile += mem::size_of::<File>() as c_int;
        shown.xOpen = Some(open);
        shown.xDelete = Some(delete);
        let vfs = NonNull::from(Box::leak(Box::new(Vfs { shown, base, fence, name })));
        // SAFETY: the VFS stays where it is until it is dropped, which unregisters it.
        match unsafe { ffi::sqlite3_vfs_register(vfs.as_ptr().cast(), 0) } {
            ffi::SQLITE_OK => Ok(FencedVfs(vfs)),
            code => {
                // SAFETY: it was leaked above, and SQLite does not know it.
                drop(unsafe { Box::from_raw(vfs.as_ptr()) });
                Err(io::Error::other(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None)))
            }
        }
    }

    /// Its name.
    pub(in crate::store) fn name(&self) -> &CStr {
        // SAFETY: the VFS lives as long as `self`.
        unsafe { &self.0.as_ref().name }
    }
}

impl Drop for FencedVfs {
    fn drop(&mut self) {
        // SAFETY: no connection uses it any more, and it was leaked when it was registered.
        unsafe {
            ffi::sqlite3_vfs_unregister(self.0.as_ptr().cast());
            drop(Box::from_raw(self.0.as_ptr()));
        }
    }
}

/// Calls a method of the file below.
macro_rules! below {
    ($file:ident . $method:ident ( $($argument:expr),* ), else $other:expr) => {{
        // SAFETY: SQLite passes a file that `open` has opened, and the file below stands behind it.
        unsafe {
            let base = $file.cast::<File>().add(1).cast::<ffi::sqlite3_file>();
            match (*(*base).pMethods).$method {
                Some(method) => method(base $(, $argument)*),
                None => $other,
            }
        }
    }};
}

/// Whether a file may be changed now.
fn may_change(file: *mut ffi::sqlite3_file) -> bool {
    // SAFETY: SQLite passes a file that `open` has opened; its VFS, which owns the fence, outlives it.
    unsafe { (*file.cast::<File>()).fence.as_ref() }.is_none_or(Fence::is_open)
}

unsafe extern "C" fn open(
    vfs: *mut ffi::sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut ffi::sqlite3_file,
    flags: c_int,
    out: *mut c_int,
) -> c_int {
    const GUARDED: c_int = ffi::SQLITE_OPEN_MAIN_DB | ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_WAL;
    // SAFETY: SQLite passes the VFS of `register`, and memory of `szOsFile` bytes for the file: room for a `File` whose
    // size is a multiple of its alignment, and for the file of the system behind it.
    unsafe {
        let (vfs, opened) = (&*vfs.cast::<Vfs>(), file.cast::<File>());
        let base = opened.add(1).cast::<ffi::sqlite3_file>();
        (*opened).shown.pMethods = ptr::null();
        (*opened).fence = if flags & GUARDED == 0 { ptr::null() } else { Arc::as_ptr(&vfs.fence) };
        (*base).pMethods = ptr::null();
        let Some(method) = (*vfs.base).xOpen else { return ffi::SQLITE_CANTOPEN };
        let code = method(vfs.base, name, base, flags, out);
        // A file with methods is closed even if it was not opened.
        if !(*base).pMethods.is_null() {
            (*opened).shown.pMethods = &METHODS;
        }
        code
    }
}

unsafe extern "C" fn delete(vfs: *mut ffi::sqlite3_vfs, name: *const c_char, sync: c_int) -> c_int {
    // SAFETY: SQLite passes the VFS of `register`.
    unsafe {
        let vfs = &*vfs.cast::<Vfs>();
        match (*vfs.base).xDelete {
            Some(method) if vfs.fence.is_open() => method(vfs.base, name, sync),
            _ => ffi::SQLITE_IOERR_DELETE,
        }
    }
}

/// The first version of the methods has no shared memory and maps no files.
static METHODS: ffi::sqlite3_io_methods = ffi::sqlite3_io_methods {
    iVersion: 1,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved),
    xFileControl: Some(control),
    xSectorSize: Some(sector),
    xDeviceCharacteristics: Some(characteristics),
    xShmMap: None,
    xShmLock: None,
    xShmBarrier: None,
    xShmUnmap: None,
    xFetch: None,
    xUnfetch: None,
};

unsafe extern "C" fn write(file: *mut ffi::sqlite3_file, data: *const c_void, length: c_int, at: i64) -> c_int {
    if !may_change(file) {
        return ffi::SQLITE_IOERR_WRITE;
    }
    below!(file.xWrite(data, length, at), else ffi::SQLITE_IOERR_WRITE)
}

unsafe extern "C" fn truncate(file: *mut ffi::sqlite3_file, size: i64) -> c_int {
    if !may_change(file) {
        return ffi::SQLITE_IOERR_TRUNCATE;
    }
    below!(file.xTruncate(size), else ffi::SQLITE_IOERR_TRUNCATE)
}

unsafe extern "C" fn close(file: *mut ffi::sqlite3_file) -> c_int {
    below!(file.xClose(), else ffi::SQLITE_IOERR_CLOSE)
}

unsafe extern "C" fn read(file: *mut ffi::sqlite3_file, data: *mut c_void, length: c_int, at: i64) -> c_int {
    below!(file.xRead(data, length, at), else ffi::SQLITE_IOERR_READ)
}

unsafe extern "C" fn sync(file: *mut ffi::sqlite3_file, flags: c_int) -> c_int {
    below!(file.xSync(flags), else ffi::SQLITE_IOERR_FSYNC)
}

unsafe extern "C" fn size(file: *mut ffi::sqlite3_file, size: *mut i64) -> c_int {
    below!(file.xFileSize(size), else ffi::SQLITE_IOERR_FSTAT)
}

unsafe extern "C" fn lock(file: *mut ffi::sqlite3_file, lock: c_int) -> c_int {
    below!(file.xLock(lock), else ffi::SQLITE_IOERR_LOCK)
}

unsafe extern "C" fn unlock(file: *mut ffi::sqlite3_file, lock: c_int) -> c_int {
    below!(file.xUnlock(lock), else ffi::SQLITE_IOERR_UNLOCK)
}

unsafe extern "C" fn check_reserved(file: *mut ffi::sqlite3_file, reserved: *mut c_int) -> c_int {
    below!(file.xCheckReservedLock(reserved), else ffi::SQLITE_IOERR_CHECKRESERVEDLOCK)
}

unsafe extern "C" fn control(file: *mut ffi::sqlite3_file, what: c_int, with: *mut c_void) -> c_int {
    below!(file.xFileControl(what, with), else ffi::SQLITE_NOTFOUND)
}

unsafe extern "C" fn sector(file: *mut ffi::sqlite3_file) -> c_int {
    below!(file.xSectorSize(), else 0)
}

unsafe extern "C" fn characteristics(file: *mut ffi::sqlite3_file) -> c_int {
    below!(file.xDeviceCharacteristics(), else 0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rusqlite::{Connection, ErrorCode, OpenFlags};
    use tempfile::TempDir;

    use super::{super::fence, *};

    #[test]
    fn a_shut_fence_keeps_every_file_as_it_is() {
        let place = TempDir::new().expect("a place");
        let fence = Arc::new(Fence::default());
        let open = || fence.open_until(fence::now() + std::time::Duration::from_secs(600));
        let shut = || fence.open_until(std::time::Duration::ZERO);
        let files = FencedVfs::register(fence.clone(), None).expect("registered");
        open();
        for mode in ["DELETE", "TRUNCATE", "PERSIST"] {
            let path = place.path().join(mode);
            let conn = Connection::open_with_flags_and_vfs(&path, OpenFlags::default(), files.name()).expect("opens");
            conn.pragma_update(None, "journal_mode", mode).expect("set");
            conn.execute_batch("CREATE TABLE t (a); INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)")
                .expect("written");
            let bytes = || [path.clone(), record::journal::beside(&path, "-journal")].map(|path| fs::read(path).ok());
            let before = bytes();
            assert!(before[1].as_ref().is_some_and(|journal| !journal.is_empty()));
            shut();
            for end in ["COMMIT", "ROLLBACK"] {
                let refused = conn.execute_batch(end).err().and_then(|error| error.sqlite_error_code());
                assert!(end == "ROLLBACK" || refused == Some(ErrorCode::SystemIoFailure), "{mode} {end}: {refused:?}");
                assert!(bytes() == before, "{mode} {end}");
            }
            open();
            // The journal is there, so the next reader undoes what was not finished.
            let count = |conn: &Connection| conn.query_row("SELECT COUNT(*) FROM t", [], |row| row.get::<_, i64>(0));
            assert_eq!(count(&conn).expect("read"), 1, "{mode}");
        }
    }
}
