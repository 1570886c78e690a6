//! The priority and the limit of a run, in a table that a database has only after one was set, so that databases made
//! before and programs of older versions get along with it.

use std::num::NonZeroU32;

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::json;

use super::events;
use crate::core::{PRIORITIES, Quota};

/// The table, of at most one row. `max_threads` is null where there is no limit.
const TABLE: &str = "CREATE TABLE IF NOT EXISTS quota (priority INTEGER NOT NULL, max_threads INTEGER) STRICT";

/// The priority and the limit of the run; the default where none was set.
pub(super) fn read(conn: &Connection) -> rusqlite::Result<Quota> {
    let there: bool = conn.query_row(
        "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'quota')",
        [],
        |row| row.get(0),
    )?;
    if !there {
        return Ok(Quota::default());
    }
    let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?));
    let stored = conn.query_row("SELECT priority, max_threads FROM quota", [], row).optional()?;
    // Values out of range count as not set: they decide only how soon a run is done.
    let quota = stored.map(|(priority, most)| Quota {
        priority: u32::try_from(priority).ok().filter(|p| PRIORITIES.contains(p)).unwrap_or(*PRIORITIES.start()),
        max_threads: most.and_then(|most| u32::try_from(most).ok()).and_then(NonZeroU32::new),
    });
    Ok(quota.unwrap_or_default())
}

/// Stores the priority and the limit, and an event that says so.
pub(super) fn write(conn: &Connection, quota: Quota) -> rusqlite::Result<()> {
    let Quota { priority, max_threads } = quota;
    let most = max_threads.map(NonZeroU32::get);
    conn.execute_batch(TABLE)?;
    conn.execute("DELETE FROM quota", [])?;
    conn.execute("INSERT INTO quota VALUES (?, ?)", params![priority, most])?;
    events::insert(conn, "prioritized", &json!({ "priority": priority, "max_threads": most }))
}
