//! The Parquet file of a stage.

use std::{
    fs::{self, File},
    path::Path,
};

use polars::prelude::{Column as Series, DataFrame, DataType, Field, Schema};
use polars_io::parquet::write::{KeyValueMetadata, ParquetCompression, ParquetWriter};
use record::{
    ColumnType, Stage,
    files::{FOLD_KEY, STAGE_KEY},
};
use rusqlite::Connection;

use super::{parquet::BATCH, stage::Facts};
use crate::Error;

/// Bytes of texts from which on a batch is full, too: a study's row may have a long histogram.
const BATCH_TEXT: usize = 32 << 20;

/// One column of a batch.
enum Values {
    Ints(Vec<i64>),
    Reals(Vec<f64>),
    Texts(Vec<String>),
}

/// Writes the rows of a stage, under a temporary name until they are whole.
pub(super) fn write_stage(
    conn: &Connection,
    database: &Path,
    facts: &Facts,
    spec: &Stage,
    path: &Path,
) -> Result<(), Error> {
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

fn fields(spec: &Stage) -> Vec<Field> {
    let mut fields = vec![
        Field::new("stage".into(), DataType::Int64),
        Field::new("trial".into(), DataType::Int64),
        Field::new("worker".into(), DataType::String),
        Field::new("elapsed_us".into(), DataType::Int64),
    ];
    fields.extend(spec.shape.columns.iter().map(|column| {
        let kind = match column.kind {
            ColumnType::Int => DataType::Int64,
            ColumnType::Real => DataType::Float64,
            ColumnType::Text | ColumnType::Label => DataType::String,
        };
        Field::new(column.name.as_str().into(), kind)
    }));
    fields
}

fn empty(spec: &Stage) -> Vec<Values> {
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
fn push(batch: &mut [Values], spec: &Stage, row: &rusqlite::Row<'_>) -> rusqlite::Result<usize> {
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

fn frame(spec: &Stage, batch: Vec<Values>) -> Result<DataFrame, polars::prelude::PolarsError> {
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
