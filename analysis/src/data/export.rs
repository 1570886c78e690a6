//! Closed stages from a run's database to Parquet.
//!
//! One immutable file a stage, written under a temporary name, synced, renamed: a reader never sees half a file, and
//! an export repeated has the same bytes. Rows are read and written in batches, so memory does not grow with a stage.
//! A file carries the facts of its stage in its metadata (keys `redqueen.stage` and `redqueen.fold`, the JSON of the
//! database), so that it can be analysed without the database.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use record::{
    Stage,
    files::{DATABASE, RESULTS, STAGE_KEY, stage_file},
};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    database::{connect, open_stage, read_facts, stored},
    stage::{Exported, Facts, facts_of, parse},
    write::write_stage,
};
use crate::Error;

/// Writes the Parquet files of every closed stage of the run in `run` under its `results/`; gives their paths.
///
/// # Errors
/// No stage is closed, or a file cannot be read or written.
pub fn export(run: &Path) -> Result<Vec<PathBuf>, Error> {
    export_to(run, run)
}

/// The same with the files under `out/results/`.
///
/// # Errors
/// As [`export`].
pub fn export_to(run: &Path, out: &Path) -> Result<Vec<PathBuf>, Error> {
    Ok(closed_stages(run, Place::In(out))?.into_iter().map(|stage| stage.path).collect())
}

/// Where the files of closed stages are made.
#[derive(Clone, Copy)]
pub(crate) enum Place<'a> {
    /// Under `results/` of a directory.
    In(&'a Path),
    /// Under `results/` of the run, where it may be written; else as `Apart`.
    Beside,
    /// Nowhere that lasts: files of the run that stand already are read, others are made in a temporary directory.
    Apart,
}

/// The closed stages of a run and their files, which are made where they are not.
pub(crate) fn closed_stages(run: &Path, place: Place<'_>) -> Result<Vec<Exported>, Error> {
    let database = run.join(DATABASE);
    if !database.exists() {
        return exported_before(run, &database);
    }
    let conn = connect(&database)?;
    let stages = read_facts(&conn).map_err(|error| Error::database(&database, error))?;
    if stages.is_empty() {
        let (stored, trials) = open_stage(&conn).map_err(|error| Error::database(&database, error))?;
        return Err(Error::NoClosedStage { path: run.to_owned(), stored, trials });
    }
    let mut apart: Option<Arc<TempDir>> = None;
    let mut place = place;
    stages
        .into_iter()
        .map(|facts| {
            let spec = parse(&facts.spec, &database)?;
            let name = stage_file(spec.index);
            let rows =
                stored(&conn, &spec.shape.name, spec.index).map_err(|error| Error::database(&database, error))?;
            let lasting = match place {
                Place::In(out) => out.join(RESULTS).join(&name),
                Place::Beside | Place::Apart => run.join(RESULTS).join(&name),
            };
            // A closed stage does not change: a file of it with all of its rows is the file.
            if facts_of(&lasting) == Some((facts.clone(), rows)) {
                return facts.exported(&database, lasting, None);
            }
            if !matches!(place, Place::Apart) {
                match make_stage(&conn, &database, &facts, &spec, &lasting) {
                    Err(error) if matches!(place, Place::Beside) && error.is_forbidden() => place = Place::Apart,
                    made => return made.and_then(|()| facts.exported(&database, lasting, None)),
                }
            }
            let scratch = match &apart {
                Some(scratch) => Arc::clone(scratch),
                None => Arc::clone(apart.insert(Arc::new(scratch()?))),
            };
            let path = scratch.path().join(name);
            make_stage(&conn, &database, &facts, &spec, &path)?;
            facts.exported(&database, path, Some(scratch))
        })
        .collect()
}

fn scratch() -> Result<TempDir, Error> {
    let made = tempfile::Builder::new().prefix("redqueen-").tempdir();
    made.map_err(|error| Error::io(&std::env::temp_dir(), error))
}

/// Makes the file of a stage, and its directory.
fn make_stage(conn: &Connection, database: &Path, facts: &Facts, spec: &Stage, path: &Path) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    write_stage(conn, database, facts, spec, path)
}

/// The files of a run whose database is elsewhere.
fn exported_before(run: &Path, database: &Path) -> Result<Vec<Exported>, Error> {
    let results = run.join(RESULTS);
    let listed = fs::read_dir(&results)
        .map_err(|_| Error::damaged(database, "it is missing, and nothing was exported from it"))?;
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "parquet"));
    paths.sort();
    if paths.is_empty() {
        return Err(Error::damaged(database, "it is missing, and nothing was exported from it"));
    }
    let exported = |path: PathBuf| {
        let (facts, _) = facts_of(&path).ok_or_else(|| Error::contract(&path, format!("no `{STAGE_KEY}` in it")))?;
        facts.exported(&path.clone(), path, None)
    };
    paths.into_iter().map(exported).collect()
}
