//! Tables as Parquet: the columns of CSV with types, and null where a value is missing.

use std::io::Write;

use polars::prelude::{Column as Series, DataFrame, DataType, Field as Typed, PolarsError, Schema};
use polars_io::parquet::write::{BatchedWriter, ParquetCompression, ParquetWriter};

use super::{Table, cell::Field, number::exact};

/// Type of a column, from the one that says least. A column without any value has numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// No value.
    #[default]
    Unknown,
    /// Counts.
    Integer,
    /// Numbers.
    Real,
    /// Words, and whatever stands beside them.
    Text,
}

impl Kind {
    fn of(field: &Field) -> Self {
        match field {
            Field::Missing => Kind::Unknown,
            Field::Count(value) if i64::try_from(*value).is_ok() => Kind::Integer,
            Field::Count(_) | Field::Number(_) => Kind::Real,
            Field::Text(_) => Kind::Text,
        }
    }

    fn data_type(self) -> DataType {
        match self {
            Kind::Integer => DataType::Int64,
            Kind::Unknown | Kind::Real => DataType::Float64,
            Kind::Text => DataType::String,
        }
    }
}

/// Types of a table's columns: each takes every value of its column.
#[derive(Default)]
pub(super) struct Kinds(Vec<Kind>);

impl Kinds {
    /// Makes them take the rows of `part`, too.
    pub(super) fn take(&mut self, part: &Table) {
        self.0.resize(part.columns.iter().map(|column| column.form.fields()).sum(), Kind::Unknown);
        for row in &part.rows {
            for (kind, field) in self.0.iter_mut().zip(part.fields(row)) {
                *kind = Kind::of(&field).max(*kind);
            }
        }
    }
}

/// A file of Parquet, a group of rows at a time.
pub(super) struct Writer<W: Write> {
    kinds: Kinds,
    writer: BatchedWriter<W>,
}

impl<W: Write> Writer<W> {
    /// Begins the file of a table with the columns of `head`, whose rows `kinds` takes.
    pub(super) fn new(out: W, head: &Table, kinds: Kinds) -> Result<Self, PolarsError> {
        let keys = head.columns.iter().flat_map(super::Column::keys);
        let schema: Schema =
            keys.zip(&kinds.0).map(|(key, kind)| Typed::new(key.as_str().into(), kind.data_type())).collect();
        let writer = ParquetWriter::new(out).with_compression(ParquetCompression::Zstd(None)).batched(&schema)?;
        Ok(Writer { kinds, writer })
    }

    /// Writes the rows of `part`.
    pub(super) fn push(&mut self, part: &Table) -> Result<(), PolarsError> {
        let keys = part.columns.iter().flat_map(super::Column::keys);
        let rows: Vec<Vec<Field>> = part.rows.iter().map(|row| part.fields(row)).collect();
        let columns = keys.zip(&self.kinds.0).enumerate().map(|(place, (key, kind))| {
            let fields = rows.iter().map(|row| &row[place]);
            let name = key.as_str().into();
            match kind {
                Kind::Integer => Series::new(name, fields.map(integer).collect::<Vec<_>>()),
                Kind::Unknown | Kind::Real => Series::new(name, fields.map(real).collect::<Vec<_>>()),
                Kind::Text => Series::new(name, fields.map(text).collect::<Vec<_>>()),
            }
        });
        self.writer.write_batch(&DataFrame::new(rows.len(), columns.collect())?)
    }

    /// Ends the file.
    pub(super) fn finish(&mut self) -> Result<(), PolarsError> {
        self.writer.finish().map(drop)
    }
}

/// The file of a whole table.
pub(super) fn render(table: &Table) -> Result<Vec<u8>, PolarsError> {
    let mut kinds = Kinds::default();
    kinds.take(table);
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes, table, kinds)?;
    if !table.rows.is_empty() {
        writer.push(table)?;
    }
    writer.finish()?;
    drop(writer);
    Ok(bytes)
}

fn integer(field: &Field) -> Option<i64> {
    match field {
        Field::Count(value) => i64::try_from(*value).ok(),
        Field::Missing | Field::Number(_) | Field::Text(_) => None,
    }
}

fn real(field: &Field) -> Option<f64> {
    match field {
        Field::Count(value) => Some(*value as f64),
        Field::Number(value) => Some(*value),
        Field::Missing | Field::Text(_) => None,
    }
}

fn text(field: &Field) -> Option<String> {
    match field {
        Field::Missing => None,
        Field::Count(value) => Some(value.to_string()),
        Field::Number(value) => Some(exact(*value)),
        Field::Text(text) => Some(text.clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use polars_io::{SerReader as _, parquet::read::ParquetReader};

    use super::*;
    use crate::{Cell, LongTable, statistics::Reason};

    const HEADS: [(&str, &str); 6] = [
        ("who", "who"),
        ("games", "games"),
        ("share", "share"),
        ("ci_95", "95 %"),
        ("rate", "rate"),
        ("never", "never"),
    ];

    fn head() -> Table {
        Table::new("t", "t", &HEADS).spreads(&["rate"])
    }

    fn rows(item: usize) -> Vec<Vec<Cell>> {
        let number = item as f64 / 3.0;
        let first = vec![
            Cell::text(format!("é, \"{item}\"")),
            Cell::Count(item as u64),
            Cell::real(number, 1),
            Cell::interval(Some((-number, 1e-300)), 1),
            Cell::Spread(number, None, 1.into()),
            Cell::Missing,
        ];
        let reason = || Cell::Without(Reason::NoSpread);
        let second = vec![
            Cell::Missing,
            Cell::Missing,
            Cell::Count(7),
            reason(),
            Cell::Spread(0.1, Some(0.2), 1.into()),
            reason(),
        ];
        vec![first, second]
    }

    fn read(bytes: &[u8]) -> DataFrame {
        ParquetReader::new(Cursor::new(bytes)).finish().expect("Parquet")
    }

    #[test]
    fn columns_have_types_and_nulls() {
        let mut table = head();
        rows(1).into_iter().for_each(|row| table.push(row));
        let bytes = table.to_parquet().expect("a file");
        assert_eq!(table.to_parquet().expect("a file"), bytes, "the same bytes");
        let (text, integer, real) = (DataType::String, DataType::Int64, DataType::Float64);
        let third = 1.0 / 3.0;
        let wanted = DataFrame::new(
            2,
            vec![
                Series::new("who".into(), [Some("é, \"1\""), None]),
                Series::new("games".into(), [Some(1_i64), None]),
                Series::new("share".into(), [third, 7.0]),
                Series::new("ci_95_low".into(), [Some(-third), None]),
                Series::new("ci_95_high".into(), [Some(1e-300), None]),
                Series::new("rate".into(), [third, 0.1]),
                Series::new("rate_sd".into(), [None, Some(0.2)]),
                Series::new("never".into(), [None::<f64>, None]),
            ],
        )
        .expect("a frame");
        let found = read(&bytes);
        assert!(found.equals_missing(&wanted), "{found:?}");
        assert_eq!(
            found.dtypes(),
            [text, integer, real.clone(), real.clone(), real.clone(), real.clone(), real.clone(), real]
        );
        // Heads are there without rows.
        let none = read(&head().to_parquet().expect("a file"));
        assert_eq!((none.height(), none.width()), (0, 8));
    }

    #[test]
    fn words_beside_numbers_are_words() {
        let mut table = Table::new("t", "t", &[("a", "a"), ("b", "b")]);
        table.push(vec![Cell::Count(3), Cell::Count(u64::MAX)]);
        table.push(vec![Cell::text("many"), Cell::Count(1)]);
        let found = read(&table.to_parquet().expect("a file"));
        let wanted = [Series::new("a".into(), ["3", "many"]), Series::new("b".into(), [u64::MAX as f64, 1.0])];
        assert!(found.equals(&DataFrame::new(2, wanted.to_vec()).expect("a frame")), "{found:?}");
    }

    /// Types follow from all rows, and groups of rows do not show.
    #[test]
    fn a_long_table_has_the_same_rows() {
        let items = 60_000;
        let long = LongTable::new(head(), items, rows);
        let (mut bytes, mut again) = (Vec::new(), Vec::new());
        long.write_parquet(&mut bytes).expect("written");
        long.write_parquet(&mut again).expect("written");
        assert!(bytes == again);
        let mut whole = head();
        (0..items).flat_map(rows).for_each(|row| whole.push(row));
        assert!(read(&bytes).equals_missing(&read(&whole.to_parquet().expect("a file"))));
    }
}
