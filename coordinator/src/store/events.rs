//! The events of a run, in order, of which the newest are kept; docs/run-directory.md lists the kinds.

use std::path::Path;

use rusqlite::{Connection, params};
use serde_json::Value;

use super::{DATABASE, Error, connect_to_read, time};
use crate::core::RunState;

/// Number of events of a run that are kept.
const KEPT: i64 = 100_000;
/// Number of events after which old ones are deleted.
const TRIM_EVERY: i64 = 1_000;
/// Most events that one page of [`newest`] looks at.
const LOOKED_AT: u32 = 5_000;
/// Longest text in an event, in bytes; the table of failures has whole texts.
const TEXT_MAX: usize = 500;

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredEvent {
    /// Its number, greater than that of any earlier event.
    pub event: u64,
    /// When it was stored: RFC 3339, UTC.
    pub at: String,
    /// Its kind.
    pub kind: String,
    /// Details: a JSON object whose keys depend on the kind.
    pub detail: Value,
}

/// Some events, and whether more may follow.
#[derive(Clone, Debug, PartialEq)]
pub struct Events {
    /// Oldest first.
    pub events: Vec<StoredEvent>,
    /// Whether the run had ended when they were read.
    pub ended: bool,
}

/// Number of the newest event of the run in `directory`; 0 if it has none.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub(crate) fn last_event(directory: &Path) -> Result<u64, Error> {
    let conn = connect_to_read(directory)?;
    let newest = conn.query_row("SELECT COALESCE(MAX(event), 0) FROM events", [], |row| row.get::<_, i64>(0));
    newest.map(i64::unsigned_abs).map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// At most `limit` events of the run in `directory` whose number is greater than `after`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn events(directory: &Path, after: u64, limit: u32) -> Result<Events, Error> {
    let conn = connect_to_read(directory)?;
    let read = || -> rusqlite::Result<Events> {
        // The state first: events in between are read too, and the end is seen the next time.
        let state: String = conn.query_row("SELECT state FROM run", [], |row| row.get(0))?;
        let events = conn
            .prepare("SELECT event, at, kind, detail FROM events WHERE event > ?1 ORDER BY event LIMIT ?2")?
            .query_map(params![i64::try_from(after).unwrap_or(i64::MAX), limit], |row| {
                let detail: String = row.get(3)?;
                Ok(StoredEvent {
                    event: row.get::<_, i64>(0)? as u64,
                    at: row.get(1)?,
                    kind: row.get(2)?,
                    // Anything else is taken for a text.
                    detail: serde_json::from_str(&detail).unwrap_or(Value::String(detail)),
                })
            })?
            .collect::<rusqlite::Result<_>>()?;
        Ok(Events { events, ended: RunState::from_name(&state).is_some_and(RunState::is_ended) })
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// A page of events, newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Newest {
    /// The events.
    pub events: Vec<StoredEvent>,
    /// The number before which the next page begins; `None` if nothing older is there.
    pub before: Option<u64>,
}

/// At most `limit` events of the run in `directory` whose number is less than `before`, newest first: those of a kind
/// and those about a worker, where these are named. It looks at no more than [`LOOKED_AT`] events, so that a page may
/// have few and still be followed by another.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn newest(
    directory: &Path,
    before: Option<u64>,
    limit: usize,
    kind: Option<&str>,
    worker: Option<&str>,
) -> Result<Newest, Error> {
    let conn = connect_to_read(directory)?;
    let before = before.map_or(i64::MAX, |before| i64::try_from(before).unwrap_or(i64::MAX));
    let is_about = |detail: &Value, worker: &str| {
        ["worker", "stored_by", "of", "to", "agreed"].iter().any(|key| match &detail[*key] {
            Value::String(name) => name == worker,
            Value::Array(names) => names.iter().any(|name| name == worker),
            _ => false,
        })
    };
    let read = || -> rusqlite::Result<Newest> {
        let mut statement =
            conn.prepare("SELECT event, at, kind, detail FROM events WHERE event < ?1 ORDER BY event DESC LIMIT ?2")?;
        let mut rows = statement.query(params![before, LOOKED_AT])?;
        let (mut page, mut looked_at) = (Newest { events: Vec::new(), before: None }, 0);
        while let Some(row) = rows.next()? {
            let event = row.get::<_, i64>(0)?.unsigned_abs();
            if page.events.len() == limit {
                return Ok(page);
            }
            looked_at += 1;
            page.before = Some(event);
            let found: String = row.get(2)?;
            if kind.is_some_and(|kind| kind != found) {
                continue;
            }
            let detail: String = row.get(3)?;
            let detail = serde_json::from_str(&detail).unwrap_or(Value::String(detail));
            if worker.is_none_or(|worker| is_about(&detail, worker)) {
                page.events.push(StoredEvent { event, at: row.get(1)?, kind: found, detail });
            }
        }
        if looked_at < LOOKED_AT {
            page.before = None;
        }
        Ok(page)
    };
    read().map_err(|error| Error::database(&directory.join(DATABASE), error))
}

/// Adds an event.
pub(super) fn insert(conn: &Connection, kind: &str, detail: &Value) -> rusqlite::Result<()> {
    conn.prepare_cached("INSERT INTO events (at, kind, detail) VALUES (?, ?, ?)")?.execute(params![
        time::now(),
        kind,
        detail.to_string()
    ])?;
    let event = conn.last_insert_rowid();
    if event % TRIM_EVERY == 0 {
        conn.execute("DELETE FROM events WHERE event <= ?1", [event - KEPT])?;
    }
    Ok(())
}

/// The beginning of a text.
pub(super) fn short(text: &str) -> &str {
    &text[..text.floor_char_boundary(TEXT_MAX)]
}
