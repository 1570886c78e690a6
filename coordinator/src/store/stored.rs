//! What a run's database holds, as plans and readers take it: rows and artifacts.

use experiments::plan::{Artifact, Artifacts, ClosedRows, StoreError};
use record::{ColumnType, Row, Shape, Stage, Value};
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{Blobs, error::unreadable, schema};

/// The rows of a stage that closes, and artifacts, as a plan reads them.
pub(super) struct Closed<'a> {
    pub(super) conn: &'a Connection,
    pub(super) stage: &'a Stage,
}

impl ClosedRows for Closed<'_> {
    fn for_each(&mut self, each: &mut dyn FnMut(u64, &Row)) -> Result<(), StoreError> {
        Ok(for_each_row(self.conn, self.stage.index, &self.stage.shape, |trial, row| each(trial, row))?)
    }

    fn elapsed_us(&mut self) -> Result<u64, StoreError> {
        let sql = format!(
            "SELECT COALESCE(SUM(elapsed_us), 0) FROM \"{}\" WHERE stage = ?1",
            schema::results_table(&self.stage.shape)
        );
        let elapsed: i64 = self.conn.query_row(&sql, [self.stage.index], |row| row.get(0))?;
        Ok(elapsed.unsigned_abs())
    }
}

/// Artifacts of a run's database.
pub(super) struct StoredArtifacts<'a>(pub(super) &'a Connection);

impl Artifacts for StoredArtifacts<'_> {
    fn get(&self, hash: &str) -> Result<Vec<u8>, StoreError> {
        Ok(artifact(self.0, hash)?)
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
