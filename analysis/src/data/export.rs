//! Closed stages from a run's database to Parquet.
//!
//! One immutable file a stage, written under a temporary name, synced, renamed: a reader never sees half a file, and
//! an export repeated has the same bytes. Rows are read and written in batches, so memory does not grow with a stage.
//! A file carries the facts of its stage in its metadata (keys `redqueen.stage` and `redqueen.fold`, the JSON of the
//! database), so that it can be analysed without the database.
//!
//! Each shape has a folder, so that a glob finds files with the same columns. Version 0.1.0 wrote all of them directly under
//! `results/`: such a file is moved into its shape's folder where it is up to date, else it is removed when the new one
//! stands. In a run that may only be read it is read where it is.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use record::{
    Stage,
    files::{DATABASE, RESULTS, STAGE_KEY, stage_file, stage_name},
};
use rusqlite::Connection;
use tempfile::TempDir;

use super::{
    database::{connect, open_stage, read_facts, stored},
    layout::{self, is_superseded},
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

/// The Parquet file of a closed stage, for one who reads it now.
#[derive(Debug)]
pub struct StageFile {
    name: String,
    stage: Exported,
}

impl StageFile {
    /// Where it lies below the directory of a run that was exported, with `/`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it can be read while this is held.
    pub fn path(&self) -> &Path {
        &self.stage.path
    }
}

/// The Parquet files of every closed stage of the run in `run`, which stays as it is: what is not there is made elsewhere.
///
/// # Errors
/// As [`export`].
pub fn stage_files(run: &Path) -> Result<Vec<StageFile>, Error> {
    let named = |stage: Exported| {
        let name = format!("{RESULTS}/{}/{}", stage.spec.shape.name, stage_name(stage.spec.index));
        StageFile { name, stage }
    };
    Ok(closed_stages(run, Place::Apart)?.into_iter().map(named).collect())
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
    let results = match place {
        Place::In(out) => out,
        Place::Beside | Place::Apart => run,
    };
    let results = results.join(RESULTS);
    let files = match layout::stage_files(&results).map_err(|error| Error::io(&results, error)) {
        Err(error) if error.is_forbidden() && !matches!(place, Place::In(_)) => Vec::new(),
        files => files?,
    };
    let mut apart: Option<Arc<TempDir>> = None;
    let mut place = place;
    stages
        .into_iter()
        .map(|facts| {
            let spec = parse(&facts.spec, &database)?;
            let rows =
                stored(&conn, &spec.shape.name, spec.index).map_err(|error| Error::database(&database, error))?;
            let lasting = results.join(stage_file(&spec.shape.name, spec.index));
            let others = files.iter().filter(|(stage, path)| *stage == spec.index && *path != lasting);
            let others: Vec<&PathBuf> = others.map(|(_, path)| path).collect();
            // A closed stage does not change: a file of it with all of its rows is the file.
            let is_whole = |path: &&PathBuf| facts_of(path) == Some((facts.clone(), rows));
            let whole = std::iter::once(&lasting).chain(others.iter().copied()).find(is_whole);
            if !matches!(place, Place::Apart) {
                let made = match whole {
                    Some(whole) => put(whole, &lasting),
                    None => make_stage(&conn, &database, &facts, &spec, &lasting),
                };
                let may_fail = |error: &Error| matches!(place, Place::Beside) && error.is_forbidden();
                match made {
                    Err(error) if may_fail(&error) => place = Place::Apart,
                    Err(error) => return Err(error),
                    Ok(()) => {
                        remove(others.iter().copied())
                            .or_else(|error| if may_fail(&error) { Ok(()) } else { Err(error) })?;
                        return facts.exported(&database, lasting, None);
                    }
                }
            }
            if let Some(whole) = whole {
                return facts.exported(&database, whole.clone(), None);
            }
            let scratch = match &apart {
                Some(scratch) => Arc::clone(scratch),
                None => Arc::clone(apart.insert(Arc::new(scratch()?))),
            };
            let path = scratch.path().join(stage_name(spec.index));
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
    make_folder(path)?;
    write_stage(conn, database, facts, spec, path)
}

/// Moves the file of a stage to its place, if it is elsewhere.
fn put(whole: &Path, path: &Path) -> Result<(), Error> {
    if whole == path {
        return Ok(());
    }
    make_folder(path)?;
    fs::rename(whole, path).map_err(|error| Error::io(path, error))
}

/// Removes files that would be read beside the one that stands, as far as they are still there.
fn remove<'a>(files: impl Iterator<Item = &'a PathBuf>) -> Result<(), Error> {
    for path in files {
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(Error::io(path, error)),
            _ => {}
        }
    }
    Ok(())
}

fn make_folder(path: &Path) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(|error| Error::io(folder, error))
}

/// The files of a run whose database is elsewhere.
fn exported_before(run: &Path, database: &Path) -> Result<Vec<Exported>, Error> {
    let results = run.join(RESULTS);
    let mut files = layout::stage_files(&results).map_err(|error| Error::io(&results, error))?;
    files.retain(|(_, path)| !is_superseded(path));
    if files.is_empty() {
        return Err(Error::damaged(database, "it is missing, and nothing was exported from it"));
    }
    if let Some([(stage, one), (_, other)]) = files.array_windows().find(|[one, other]| one.0 == other.0) {
        let reason = format!("stage {stage} is also in `{}`; remove the one that is out of date", one.display());
        return Err(Error::contract(other, reason));
    }
    let exported = |(_, path): (u32, PathBuf)| {
        let (facts, _) = facts_of(&path).ok_or_else(|| Error::contract(&path, format!("no `{STAGE_KEY}` in it")))?;
        facts.exported(&path.clone(), path, None)
    };
    files.into_iter().map(exported).collect()
}
