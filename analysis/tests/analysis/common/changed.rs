//! Changes of a run's database behind its back.

use std::path::Path;

use rusqlite::Connection;

/// Changes what is stored.
pub(crate) fn change(directory: &Path, sql: &str) {
    let conn = Connection::open(directory.join("redqueen.sqlite")).expect("a database");
    assert!(conn.execute(sql, []).expect("a statement") > 0, "`{sql}` changes nothing");
}
