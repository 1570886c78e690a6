//! What a run's database says of its experiment that changes no result: name, title and paper in the facts of stages.

use experiments::{Difference, Experiment, plan::Stage};
use rusqlite::{Transaction, params};
use serde_json::{Map, Value, json};

use super::{error::unreadable, events, read::stages};

/// Puts what `experiment` says in place of what the database has, if that is other, and notes what was `changed`.
pub(super) fn change(tx: &Transaction<'_>, experiment: &Experiment, changed: &[Difference]) -> rusqlite::Result<()> {
    if !changed.is_empty() {
        events::insert(tx, "changed", &json!({ "keys": detail(changed) }))?;
    }
    let facts = [
        ("experiment", Value::from(experiment.name())),
        ("title", Value::from(experiment.title())),
        ("paper", Value::from(experiment.paper())),
    ];
    let other = |stage: &Stage| facts.iter().any(|(key, value)| stage.meta.get(key).is_some_and(|had| had != value));
    tx.execute("UPDATE run SET name = ?1 WHERE name <> ?1", [experiment.name()])?;
    // All stages were made from one experiment.
    let spec: String = tx.query_row("SELECT spec FROM stages ORDER BY stage LIMIT 1", [], |row| row.get(0))?;
    if !other(&serde_json::from_str(&spec).map_err(unreadable)?) {
        return Ok(());
    }
    for mut stage in stages(tx)? {
        for (key, value) in &facts {
            if let Some(had) = stage.meta.get_mut(key) {
                had.clone_from(value);
            }
        }
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
