//! Facts of the experiment that change no result (name, title, paper), as they are stored with each stage.

use experiments::{Difference, Experiment};
use record::{Stage, facts::Header};
use rusqlite::{Transaction, params};
use serde_json::{Map, Value, json};

use super::{error::unreadable, events, read::stages};

/// Puts what `experiment` says in place of what the database has, if that is other, and notes what was `changed`.
pub(super) fn change(tx: &Transaction<'_>, experiment: &Experiment, changed: &[Difference]) -> rusqlite::Result<()> {
    if !changed.is_empty() {
        events::insert(tx, "changed", &json!({ "keys": detail(changed) }))?;
    }
    let rename =
        |stage: &mut Stage| Header::rename(&mut stage.meta, experiment.name(), experiment.title(), experiment.paper());
    tx.execute("UPDATE run SET name = ?1 WHERE name <> ?1", [experiment.name()])?;
    // All stages were made from one experiment.
    let spec: String = tx.query_row("SELECT spec FROM stages ORDER BY stage LIMIT 1", [], |row| row.get(0))?;
    if !rename(&mut serde_json::from_str(&spec).map_err(unreadable)?) {
        return Ok(());
    }
    for mut stage in stages(tx)? {
        rename(&mut stage);
        let spec = serde_json::to_string(&stage).map_err(unreadable)?;
        tx.execute("UPDATE stages SET spec = ?2 WHERE stage = ?1", params![stage.index, spec])?;
    }
    Ok(())
}

/// Keys with the value that each had and has, for an event.
pub(super) fn detail(changed: &[Difference]) -> Value {
    let key = |change: &Difference| (change.key.clone(), json!([change.there, change.here]));
    Value::Object(changed.iter().map(key).collect::<Map<_, _>>())
}
