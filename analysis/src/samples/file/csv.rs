//! CSV (RFC 4180), or with tabs where the file is called `.tsv`; the first line names the columns.

use std::{fs::File, path::Path};

use csv::{ByteRecord, ErrorKind, ReaderBuilder};

use super::{Columns, Names, Rows, Sink, place, texts::Texts};
use crate::Error;

/// Rows given on at a time.
const BATCH: usize = 16_384;

/// A column that is asked for: its place and its rows so far.
struct Column<'a> {
    name: &'a str,
    place: usize,
    numbers: Vec<u32>,
}

impl Column<'_> {
    fn take(&mut self, record: &ByteRecord, texts: &mut Texts, path: &Path) -> Result<(), Error> {
        let text = std::str::from_utf8(&record[self.place]).unwrap_or_default();
        if text.is_empty() {
            return Err(bad_cell(path, record, self.name, self.place, "a name"));
        }
        self.numbers.push(texts.number(text));
        Ok(())
    }
}

/// Gives every row to `sink`.
pub(super) fn scan(path: &Path, columns: &Columns, names: &mut Names, sink: &mut impl Sink) -> Result<(), Error> {
    let file = File::open(path).map_err(|error| Error::io(path, error))?;
    let tabs = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"));
    let mut reader = ReaderBuilder::new().delimiter(if tabs { b'\t' } else { b',' }).from_reader(file);
    let heads = reader.headers().map_err(|error| bad_table(path, &error))?.clone();
    let heads: Vec<&str> = heads.iter().collect();
    let find = |name: &'_ str| place(path, &heads, name);
    let value = find(&columns.value)?;
    let column = |name| Ok(Column { name, place: find(name)?, numbers: Vec::with_capacity(BATCH) });
    let mut group = column(columns.group.as_str())?;
    let mut by = columns.by.as_deref().map(column).transpose()?;
    let mut block = columns.block.as_deref().map(column).transpose()?;
    let mut values = Vec::with_capacity(BATCH);
    let mut record = ByteRecord::new();
    loop {
        let more = reader.read_byte_record(&mut record).map_err(|error| bad_table(path, &error))?;
        if more {
            let number = std::str::from_utf8(&record[value]).ok().and_then(|text| text.trim().parse::<f64>().ok());
            let number = number.filter(|number| !number.is_nan());
            values.push(number.ok_or_else(|| bad_cell(path, &record, &columns.value, value, "a number"))?);
            group.take(&record, &mut names.groups, path)?;
            by.iter_mut().try_for_each(|by| by.take(&record, &mut names.by, path))?;
            block.iter_mut().try_for_each(|block| block.take(&record, &mut names.blocks, path))?;
        }
        if values.len() == BATCH || !more {
            sink.take(&Rows { values: &values, groups: &group.numbers, by: numbers(&by), blocks: numbers(&block) });
            values.clear();
            [Some(&mut group), by.as_mut(), block.as_mut()].into_iter().flatten().for_each(|c| c.numbers.clear());
        }
        if !more {
            return Ok(());
        }
    }
}

fn numbers<'c>(column: &'c Option<Column<'_>>) -> &'c [u32] {
    column.as_ref().map_or(&[], |column| &column.numbers)
}

fn bad_cell(path: &Path, record: &ByteRecord, column: &str, place: usize, wanted: &'static str) -> Error {
    Error::BadCell {
        path: path.to_owned(),
        place: format!("line {}", record.position().map_or(0, csv::Position::line)),
        column: column.to_owned(),
        found: String::from_utf8_lossy(&record[place]).into_owned(),
        wanted,
    }
}

fn bad_table(path: &Path, error: &csv::Error) -> Error {
    let line = error.position().map_or(0, csv::Position::line);
    let reason = match error.kind() {
        ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line} has {len} fields, and the first line names {expected_len} columns")
        }
        ErrorKind::Utf8 { .. } => format!("line {line} is not UTF-8"),
        _ => error.to_string(),
    };
    Error::BadTable { path: path.to_owned(), reason }
}
