//! What shows that a run's database is damaged.

use rusqlite::{Error, ErrorCode, ffi};

/// Whether a reader without the right to write met a transaction that is not finished, as it seems: its writer is at it,
/// or was killed in it.
pub fn is_unfinished(error: &Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == ffi::SQLITE_READONLY_ROLLBACK)
}

/// What shows that a database is damaged, if `error` does: SQLite found its structure broken, or what it read is not
/// what was written there. `None` for trouble that passes, such as a full disk or a lock.
pub fn damage(error: &Error) -> Option<String> {
    let lost = |message: &str| ["no such table", "no such column"].iter().any(|start| message.starts_with(start));
    match error {
        Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Some(error.to_string()),
            _ => message.clone().filter(|message| lost(message)),
        },
        Error::SqlInputError { error: failure, msg, .. } => {
            let corrupt = matches!(failure.code, ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase);
            (corrupt || lost(msg)).then(|| msg.clone())
        }
        Error::FromSqlConversionFailure(_, _, cause) => Some(format!("what it holds is not what was written: {cause}")),
        Error::IntegralValueOutOfRange(..)
        | Error::InvalidColumnType(..)
        | Error::Utf8Error(..)
        | Error::QueryReturnedNoRows => Some(format!("what it holds is not what was written: {error}")),
        _ => None,
    }
}
