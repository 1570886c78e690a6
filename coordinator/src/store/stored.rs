//! What a run's database holds, as plans and readers take it: rows and artifacts.

use std::cell::RefCell;

use experiments::{
    plan::{Artifact, Artifacts, ClosedRows, Stage},
    value::{ColumnType, Row, Shape, Value},
};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Blobs, error::unreadable, schema};

/// What a plan is given of the database while a stage closes. A plan's errors are texts; what SQLite said is kept
/// beside, since a disk that fails is tried again and a plan that does is not.
pub(super) struct Closed<'a> {
    pub(super) conn: &'a Connection,
    pub(super) stage: &'a Stage,
    pub(super) error: &'a RefCell<Option<rusqlite::Error>>,
}

impl Closed<'_> {
    fn keep<T>(&self, result: rusqlite::Result<T>) -> Result<T, String> {
        result.map_err(|error| {
            let text = error.to_string();
            self.error.replace(Some(error));
            text
        })
    }
}

impl ClosedRows for Closed<'_> {
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), String> {
        self.keep(for_each_row(self.conn, self.stage.index, &self.stage.shape, |trial, row| each(trial, row)))
    }

    fn elapsed_us(&mut self) -> Result<u64, String> {
        let sql = format!(
            "SELECT COALESCE(SUM(elapsed_us), 0) FROM \"{}\" WHERE stage = ?1",
            schema::results_table(&self.stage.shape)
        );
        self.keep(self.conn.query_row(&sql, [self.stage.index], |row| row.get::<_, i64>(0))).map(i64::unsigned_abs)
    }
}

impl Artifacts for Closed<'_> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        self.keep(artifact(self.conn, hash))
    }
}

/// Artifacts of a run's database.
pub(super) struct StoredArtifacts<'a>(pub(super) &'a Connection);

impl Artifacts for StoredArtifacts<'_> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, String> {
        artifact(self.0, hash).map_err(|error| error.to_string())
    }
}

/// The artifact of that name.
pub(super) fn artifact(conn: &Connection, hash: &str) -> rusqlite::Result<Vec<u8>> {
    let data: Option<Vec<u8>> =
        conn.query_row("SELECT data FROM artifacts WHERE hash = ?1", [hash], |row| row.get(0)).optional()?;
    let data = data.ok_or_else(|| unreadable(format!("artifact {hash} is not in the database")))?;
    if Artifact::hash_of(&data) != hash {
        return Err(unreadable(format!("artifact {hash} has another hash")));
    }
    Ok(data)
}

/// All that a stage names, by hash.
pub(super) fn artifacts_of(conn: &Connection, stage: &Stage) -> rusqlite::Result<Blobs> {
    stage.artifacts.iter().map(|hash| Ok((hash.clone(), artifact(conn, hash)?))).collect()
}

pub(super) fn store_artifacts(conn: &Connection, artifacts: &[Artifact]) -> rusqlite::Result<()> {
    let mut insert = conn.prepare_cached("INSERT INTO artifacts VALUES (?, ?, ?) ON CONFLICT DO NOTHING")?;
    for artifact in artifacts {
        insert.execute(params![artifact.hash(), artifact.kind, artifact.data])?;
    }
    Ok(())
}

/// Calls `each` with every stored row of a stage, by trial.
pub(super) fn for_each_row(
    conn: &Connection,
    stage: u32,
    shape: &Shape,
    mut each: impl FnMut(u64, &Row),
) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(&schema::select_results(shape))?;
    let mut rows = statement.query([stage])?;
    let mut values = Row::new();
    let mut next = 0;
    while let Some(row) = rows.next()? {
        values.clear();
        for (c, column) in shape.columns.iter().enumerate() {
            values.push(read_value(row, 1 + c, column.kind)?);
        }
        let trial = row.get::<_, i64>(0)? as u64;
        // A damaged page can break the order that the index promises.
        if trial < next {
            return Err(unreadable(format!(
                "trial {trial} of stage {stage} stands where {next} or a later one belongs"
            )));
        }
        next = trial.saturating_add(1);
        each(trial, &values);
    }
    Ok(())
}

/// The value of a column of a result.
pub(super) fn read_value(row: &rusqlite::Row<'_>, index: usize, kind: ColumnType) -> rusqlite::Result<Value> {
    Ok(match kind {
        ColumnType::Int | ColumnType::Label => Value::Int(row.get(index)?),
        ColumnType::Real => Value::Real(row.get(index)?),
        ColumnType::Text => Value::Text(row.get(index)?),
    })
}
