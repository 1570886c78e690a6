//! Closed stages from a run's database to Parquet.
//!
//! One immutable file a stage, written under a temporary name, synced, renamed: a reader never sees half a file, and
//! an export repeated has the same bytes. Rows are read and written in batches, so memory does not grow with a stage.
//! A file carries the facts of its stage in its metadata (keys `redqueen.stage` and `redqueen.fold`, the JSON of the
//! database), so that it can be analysed without the database.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
    sync::Arc,
};

use polars::prelude::{Column as Series, DataFrame, DataType, Field, Schema};
use polars_io::{
    SerReader as _,
    parquet::{
        read::ParquetReader,
        write::{KeyValueMetadata, ParquetCompression, ParquetWriter},
    },
};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _};
use serde::{Deserialize, de::DeserializeOwned};
use tempfile::TempDir;

use super::replace_old_names;
use crate::Error;

/// Formats of run databases that this version reads.
const FORMATS: std::ops::RangeInclusive<i64> = 2..=4;
/// Rows of a batch, which is a row group of the file.
const BATCH: usize = 131_072;
/// Bytes of texts from which on a batch is full, too: a study's row may have a long histogram.
const BATCH_TEXT: usize = 32 << 20;
/// Key of the stage's facts in a file's metadata.
const STAGE_KEY: &str = "redqueen.stage";
/// Key of what the stage came to, where its plan says something of it.
const FOLD_KEY: &str = "redqueen.fold";

/// A stage's facts, as its plan wrote them (docs/run-directory.md).
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct StageSpec {
    pub(crate) index: u32,
    pub(crate) name: String,
    pub(crate) trials: u64,
    pub(crate) shape: ShapeSpec,
    pub(crate) labels: std::collections::BTreeMap<String, Vec<String>>,
    pub(crate) meta: serde_json::Value,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct ShapeSpec {
    pub(crate) name: String,
    columns: Vec<ColumnSpec>,
}

impl ShapeSpec {
    /// Whether rows have a column of that name.
    pub(crate) fn has(&self, column: &str) -> bool {
        self.columns.iter().any(|found| found.name == column)
    }
}

#[derive(Clone, Debug, Deserialize)]
struct ColumnSpec {
    name: String,
    kind: Kind,
    labels: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Int,
    Real,
    Text,
    Label,
}

/// A closed stage and its file.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    pub(crate) spec: StageSpec,
    /// What the stage came to; null where its plan says nothing of it.
    fold: serde_json::Value,
    pub(crate) path: PathBuf,
    /// The directory of a file that is there only to be read now; gone with the last that reads.
    _apart: Option<Arc<TempDir>>,
}

impl Exported {
    /// All facts of the stage.
    ///
    /// # Errors
    /// They are not of this form.
    pub(crate) fn meta<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.spec.meta).map_err(|error| self.contract(&format!("its meta: {error}")))
    }

    /// One of them.
    ///
    /// # Errors
    /// It is not there, or not of this form.
    pub(crate) fn fact<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        T::deserialize(&self.spec.meta[name]).map_err(|error| self.contract(&format!("`{name}` of its meta: {error}")))
    }

    /// What the stage came to.
    ///
    /// # Errors
    /// It is not of this form.
    pub(crate) fn fold<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.fold).map_err(|error| self.contract(&format!("its fold: {error}")))
    }

    /// What is wrong with the stage, as an error.
    pub(crate) fn contract(&self, reason: &str) -> Error {
        Error::contract(&self.path, format!("stage {}: {reason}", self.spec.index))
    }
}

/// What a file's metadata say of its stage, as the database has it.
#[derive(Clone, Debug, PartialEq)]
struct Facts {
    spec: String,
    fold: Option<String>,
}

impl Facts {
    fn exported(&self, file: &Path, path: PathBuf, apart: Option<Arc<TempDir>>) -> Result<Exported, Error> {
        let fold = self.fold.as_deref().map(serde_json::from_str).transpose();
        let fold = fold.map_err(|error| Error::contract(file, format!("a fold is no JSON: {error}")))?;
        Ok(Exported { spec: parse(&self.spec, file)?, fold: fold.unwrap_or_default(), path, _apart: apart })
    }
}

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
    let database = run.join("redqueen.sqlite");
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
            let name = format!("stage={:05}.parquet", spec.index);
            let rows =
                stored(&conn, &spec.shape.name, spec.index).map_err(|error| Error::database(&database, error))?;
            let lasting = match place {
                Place::In(out) => out.join("results").join(&name),
                Place::Beside | Place::Apart => run.join("results").join(&name),
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
fn make_stage(conn: &Connection, database: &Path, facts: &Facts, spec: &StageSpec, path: &Path) -> Result<(), Error> {
    let directory = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(directory).map_err(|error| Error::io(directory, error))?;
    write_stage(conn, database, facts, spec, path)
}

/// The files of a run whose database is elsewhere.
fn exported_before(run: &Path, database: &Path) -> Result<Vec<Exported>, Error> {
    let results = run.join("results");
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

/// (facts of the stage, rows) of an exported file; `None` if it is none.
fn facts_of(path: &Path) -> Option<(Facts, u64)> {
    let mut reader = ParquetReader::new(File::open(path).ok()?);
    let metadata = reader.get_metadata().ok()?;
    let pairs = metadata.key_value_metadata().as_ref()?;
    let value = |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone());
    Some((Facts { spec: value(STAGE_KEY)?, fold: value(FOLD_KEY) }, metadata.num_rows as u64))
}

fn connect(database: &Path) -> Result<Connection, Error> {
    let read = |error| Error::database(database, error);
    let log = {
        let mut name = database.as_os_str().to_owned();
        name.push("-wal");
        fs::metadata(name).is_ok_and(|log| log.len() > 0)
    };
    let (conn, format) = open(database, OpenFlags::SQLITE_OPEN_READ_WRITE)
        .or_else(|_| open(database, OpenFlags::SQLITE_OPEN_READ_ONLY))
        // A directory that cannot be written has no place for the files that readers and writers share, and where no
        // log stands beside the database, no writer.
        .or_else(|error| match log {
            true => Err(error),
            false => open(&immutable(database), OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI),
        })
        .map_err(read)?;
    match format {
        0 => Err(Error::damaged(database, "it has no format")),
        _ if FORMATS.contains(&format) => Ok(conn),
        _ => {
            let (oldest, newest) = (FORMATS.start(), FORMATS.end());
            let reason = format!("it has format {format}; this redqueen reads formats {oldest} to {newest}");
            Err(Error::contract(database, reason))
        }
    }
}

/// Name by which SQLite takes a database for one that nobody changes (https://www.sqlite.org/uri.html).
fn immutable(database: &Path) -> PathBuf {
    let mut name = "file:".to_owned();
    for &byte in database.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => name.push(byte.into()),
            _ => name.push_str(&format!("%{byte:02X}")),
        }
    }
    PathBuf::from(name + "?immutable=1")
}

/// A connection that changes nothing, and the database's format. A log beside a database can only be read with the
/// right to write, which is why this asks for it.
fn open(database: &Path, flags: OpenFlags) -> rusqlite::Result<(Connection, i64)> {
    // A name that begins with `file:` would be taken for a URI, asked to or not.
    let is_uri = flags.contains(OpenFlags::SQLITE_OPEN_URI);
    let name = if is_uri { database.to_owned() } else { Path::new(".").join(database) };
    let conn = Connection::open_with_flags(name, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(std::time::Duration::from_secs(10))?;
    conn.pragma_update(None, "query_only", true)?;
    let format = conn.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    // The first that reads a page: an empty or foreign file shows itself here.
    conn.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok((conn, format))
}

/// Facts of the closed stages, as they stand.
fn read_facts(conn: &Connection) -> rusqlite::Result<Vec<Facts>> {
    conn.prepare("SELECT spec, fold FROM stages WHERE state = 'closed' ORDER BY stage")?
        .query_map([], |row| Ok(Facts { spec: row.get(0)?, fold: row.get(1)? }))?
        .collect()
}

fn parse(json: &str, file: &Path) -> Result<StageSpec, Error> {
    let mut spec: StageSpec = serde_json::from_str(json).map_err(|error| Error::contract(file, error.to_string()))?;
    replace_old_names(&mut spec.meta);
    // Names become parts of statements.
    let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let names = spec.shape.columns.iter().map(|column| &column.name).chain([&spec.shape.name]);
    if let Some(name) = names.into_iter().find(|name| !plain(name)) {
        return Err(Error::contract(file, format!("`{name}` is no name of a column or shape")));
    }
    Ok(spec)
}

/// (stored, trials) of the last stage; of a run that has not begun, nothing of nothing.
fn open_stage(conn: &Connection) -> rusqlite::Result<(u64, u64)> {
    let last = conn
        .query_row("SELECT stage, trials, shape FROM stages ORDER BY stage DESC LIMIT 1", [], |row| {
            Ok((row.get::<_, u32>(0)?, row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((stage, trials, shape)) = last else { return Ok((0, 0)) };
    Ok((stored(conn, &shape, stage)?, trials.unsigned_abs()))
}

fn stored(conn: &Connection, shape: &str, stage: u32) -> rusqlite::Result<u64> {
    let sql = format!("SELECT COUNT(*) FROM \"results_{}\" WHERE stage = ?1", shape.replace('"', ""));
    conn.query_row(&sql, [stage], |row| row.get(0)).map(i64::unsigned_abs)
}

/// One column of a batch.
enum Values {
    Ints(Vec<i64>),
    Reals(Vec<f64>),
    Texts(Vec<String>),
}

fn write_stage(conn: &Connection, database: &Path, facts: &Facts, spec: &StageSpec, path: &Path) -> Result<(), Error> {
    let temporary = path.with_extension("parquet.new");
    let file = File::create(&temporary).map_err(|error| Error::io(&temporary, error))?;
    let polars = |error| Error::parquet(path, error);
    let schema: Schema = fields(spec).into_iter().collect();
    let mut pairs = vec![(STAGE_KEY.to_owned(), facts.spec.clone())];
    pairs.extend(facts.fold.as_ref().map(|fold| (FOLD_KEY.to_owned(), fold.clone())));
    let metadata = KeyValueMetadata::from_static(pairs);
    let mut writer = ParquetWriter::new(&file)
        .with_compression(ParquetCompression::Zstd(None))
        .with_key_value_metadata(Some(metadata))
        .batched(&schema)
        .map_err(polars)?;
    let columns: String = spec.shape.columns.iter().map(|c| format!(", r.\"{}\"", c.name)).collect();
    // A left join: a row whose worker is unknown is an error below, not a row less; and the rows come in the order of
    // their key, without a sort.
    let sql = format!(
        "SELECT r.trial, w.name, r.elapsed_us{columns} FROM \"results_{}\" r LEFT JOIN workers w USING (worker) \
         WHERE r.stage = ?1 ORDER BY r.trial",
        spec.shape.name
    );
    let read = |error| Error::database(database, error);
    let mut statement = conn.prepare(&sql).map_err(read)?;
    let mut rows = statement.query([spec.index]).map_err(read)?;
    let (mut batch, mut text) = (empty(spec), 0);
    loop {
        let row = rows.next().map_err(read)?;
        let done = row.is_none();
        if let Some(row) = row {
            text += push(&mut batch, spec, row).map_err(read)?;
        }
        if (done && len(&batch) > 0) || len(&batch) == BATCH || text >= BATCH_TEXT {
            text = 0;
            let full = std::mem::replace(&mut batch, empty(spec));
            writer.write_batch(&frame(spec, full).map_err(polars)?).map_err(polars)?;
        }
        if done {
            break;
        }
    }
    writer.finish().map_err(polars)?;
    file.sync_all().map_err(|error| Error::io(&temporary, error))?;
    fs::rename(&temporary, path).map_err(|error| Error::io(path, error))?;
    let parent = path.parent().unwrap_or(Path::new("."));
    File::open(parent).and_then(|parent| parent.sync_all()).map_err(|error| Error::io(parent, error))
}

fn fields(spec: &StageSpec) -> Vec<Field> {
    let mut fields = vec![
        Field::new("stage".into(), DataType::Int64),
        Field::new("trial".into(), DataType::Int64),
        Field::new("worker".into(), DataType::String),
        Field::new("elapsed_us".into(), DataType::Int64),
    ];
    fields.extend(spec.shape.columns.iter().map(|column| {
        let kind = match column.kind {
            Kind::Int => DataType::Int64,
            Kind::Real => DataType::Float64,
            Kind::Text | Kind::Label => DataType::String,
        };
        Field::new(column.name.as_str().into(), kind)
    }));
    fields
}

fn empty(spec: &StageSpec) -> Vec<Values> {
    fields(spec)
        .iter()
        .map(|field| match field.dtype() {
            DataType::Float64 => Values::Reals(Vec::new()),
            DataType::String => Values::Texts(Vec::new()),
            _ => Values::Ints(Vec::new()),
        })
        .collect()
}

fn len(batch: &[Values]) -> usize {
    match batch.first() {
        Some(Values::Ints(values)) => values.len(),
        _ => 0,
    }
}

/// Adds a row; gives the bytes of its texts.
fn push(batch: &mut [Values], spec: &StageSpec, row: &rusqlite::Row<'_>) -> rusqlite::Result<usize> {
    let mut bytes = 0;
    for (i, values) in batch.iter_mut().enumerate() {
        // The stage is not read from the row; the columns of the query begin with the trial.
        let label = i.checked_sub(4).and_then(|c| spec.shape.columns[c].labels.as_ref());
        match values {
            Values::Ints(values) if i == 0 => values.push(i64::from(spec.index)),
            Values::Ints(values) => values.push(row.get(i - 1)?),
            Values::Reals(values) => values.push(row.get(i - 1)?),
            Values::Texts(values) => {
                let text: String = match label.and_then(|key| spec.labels.get(key)) {
                    Some(labels) => {
                        let index: i64 = row.get(i - 1)?;
                        let text = usize::try_from(index).ok().and_then(|index| labels.get(index));
                        text.cloned().ok_or(rusqlite::Error::IntegralValueOutOfRange(i - 1, index))?
                    }
                    None => row.get(i - 1)?,
                };
                bytes += text.len();
                values.push(text);
            }
        }
    }
    Ok(bytes)
}

fn frame(spec: &StageSpec, batch: Vec<Values>) -> Result<DataFrame, polars::prelude::PolarsError> {
    let height = len(&batch);
    let columns = fields(spec).into_iter().zip(batch).map(|(field, values)| {
        let name = field.name().clone();
        match values {
            Values::Ints(values) => Series::new(name, values),
            Values::Reals(values) => Series::new(name, values),
            Values::Texts(values) => Series::new(name, values),
        }
    });
    DataFrame::new(height, columns.collect())
}
