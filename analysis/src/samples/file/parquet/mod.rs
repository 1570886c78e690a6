//! Parquet, a row group at a time, by the reader that polars-io uses.
//!
//! The layer below polars' frames, because of what a frame makes of texts: sixteen bytes a row. Columns are read as the
//! file stores them and understood here ([`kind`]), as no frame of this build knows dates or decimals.

mod cells;
mod chunk;
mod guard;
mod kind;
mod written;

use std::{fs::File, path::Path};

use polars_parquet::{
    parquet::schema::types::ParquetType,
    read::{RowGroupMetadata, read_metadata},
};

use super::{Columns, Place, Reading, Rows, Scan, Sink, Skipped, folder::Part, place, texts::Texts};
use crate::Error;
use kind::Kind;

/// What to do about Parquet that cannot be read.
const DAMAGED: &str = "write or copy the file again; `parquet-tools` or pandas may say more about it";

/// Gives every row to `scan`.
pub(super) fn scan(part: &Part, file: File, scan: &mut Scan<'_, impl Sink>) -> Result<(), Error> {
    let mut table = Table::open(part, file, scan.reading)?;
    keep_what_is_freed();
    let Columns { value, group, by, block } = scan.columns;
    // Columns that are wrong are told before anything is read.
    let value = table.column(value)?;
    value.numeric(&part.path)?;
    let group = table.column(group)?;
    let by = by.as_deref().map(|by| table.column(by)).transpose()?;
    let block = block.as_deref().map(|block| table.column(block)).transpose()?;
    for rows in std::mem::take(&mut table.groups) {
        // Its pages need not have what others must.
        if rows.num_rows() == 0 {
            continue;
        }
        table.gaps.clear();
        let mut values = table.values(&rows, &value)?;
        let mut names = table.names(&rows, &group, &mut scan.names.groups)?;
        let mut of = |column: &Option<Column>, texts: &mut Texts| match column {
            Some(column) => table.names(&rows, column, texts),
            None => Ok(Vec::new()),
        };
        let (mut bys, mut blocks) = (of(&by, &mut scan.names.by)?, of(&block, &mut scan.names.blocks)?);
        if !table.gaps.missing.is_empty() {
            let mut kept: Vec<f64> = values.to_vec();
            table.gaps.leave_out(&mut kept);
            values = kept.into();
            [&mut names, &mut bys, &mut blocks].into_iter().for_each(|numbers| table.gaps.leave_out(numbers));
            table.gaps.count(&mut scan.skipped);
        }
        scan.take(&Rows { values: &values, groups: &names, by: &bys, blocks: &blocks });
        table.before += rows.num_rows();
    }
    Ok(())
}

/// Lets the allocator keep what a row group frees for the next one: glibc raises its thresholds to the largest block
/// that was freed. Otherwise it gives 30 MB back each time, and half of the time is the system's, clearing pages (ten
/// million rows in ten row groups: 0.25 s of CPU time, so 0.13 s). No page of the block is ever touched, and elsewhere
/// this does nothing.
fn keep_what_is_freed() {
    /// The most that glibc goes by (`DEFAULT_MMAP_THRESHOLD_MAX`), less two pages for its header.
    const BLOCK: usize = (32 << 20) - 8192;
    drop(std::hint::black_box(Vec::<u8>::with_capacity(BLOCK)));
}

/// A file under way.
struct Table<'a> {
    part: &'a Part,
    reading: &'a Reading,
    file: File,
    fields: Vec<ParquetType>,
    groups: Vec<RowGroupMetadata>,
    /// Rows of the row groups that are done.
    before: usize,
    gaps: Gaps,
}

/// A column that is asked for.
struct Column {
    name: String,
    place: Found,
}

enum Found {
    Stored(Kind),
    /// Said by a folder's name, the same in every row.
    Fixed(Option<String>),
}

impl Column {
    /// Fails if the type is not a number.
    fn numeric(&self, path: &Path) -> Result<(), Error> {
        let Found::Stored(kind) = &self.place else { return Ok(()) };
        match kind.other_than_number() {
            Some(what) => {
                let advice = "name it with --group, --by or --block, or write a number, as days or seconds";
                Err(Error::table(path, format!("column `{}` holds {what}, no numbers", self.name), advice))
            }
            None => Ok(()),
        }
    }
}

impl<'a> Table<'a> {
    fn open(part: &'a Part, mut file: File, reading: &'a Reading) -> Result<Self, Error> {
        let metadata = guard::quietly(|| read_metadata(&mut file));
        let metadata = metadata.map_err(|reason| Error::table(&part.path, format!("as Parquet: {reason}"), DAMAGED))?;
        let fields = metadata.schema().fields().to_vec();
        Ok(Table { part, reading, file, fields, groups: metadata.row_groups, before: 0, gaps: Gaps::default() })
    }

    /// A column by its name; columns that are not used may be of any type and share a name.
    fn column(&self, name: &str) -> Result<Column, Error> {
        let heads: Vec<&str> = self.fields.iter().map(ParquetType::name).collect();
        let place = match place(self.part, &heads, name)? {
            Place::Column(at) => Found::Stored(Kind::of(&self.fields[at]).map_err(|(what, advice)| {
                Error::table(&self.part.path, format!("column `{name}` holds {what}"), advice)
            })?),
            Place::Fixed(text) => Found::Fixed(text),
        };
        Ok(Column { name: name.to_owned(), place })
    }

    fn damaged(&self, column: &str, reason: &str) -> Error {
        let reason = format!("column `{column}` in the row group that begins with row {}: {reason}", self.before + 1);
        Error::table(&self.part.path, reason, DAMAGED)
    }

    fn bad_cell(&self, row: usize, column: &str, found: &str, wanted: &'static str, advice: &str) -> Error {
        Error::BadCell {
            path: self.part.path.clone(),
            place: format!("row {}", self.before + row + 1).into(),
            column: column.to_owned(),
            found: found.to_owned(),
            wanted,
            advice: advice.into(),
        }
    }
}

/// Rows of a row group that lack a value in a column that is used.
#[derive(Default)]
struct Gaps {
    /// For every row whether it lacks a value; empty where no row does.
    missing: Vec<bool>,
    /// Rows by the first column that they lack.
    columns: Vec<(String, u64)>,
}

impl Gaps {
    fn clear(&mut self) {
        self.missing.clear();
        self.columns.clear();
    }

    /// Notes that `row` of `rows` lacks `column`.
    fn add(&mut self, row: usize, rows: usize, column: &str) {
        self.missing.resize(rows, false);
        if std::mem::replace(&mut self.missing[row], true) {
            return;
        }
        match self.columns.last_mut() {
            Some((last, count)) if last == column => *count += 1,
            _ => self.columns.push((column.to_owned(), 1)),
        }
    }

    fn leave_out<T>(&self, cells: &mut Vec<T>) {
        let mut missing = self.missing.iter();
        cells.retain(|_| missing.next() != Some(&true));
    }

    fn count(&self, skipped: &mut Skipped) {
        self.columns.iter().for_each(|(column, rows)| skipped.add(column, *rows));
    }
}
