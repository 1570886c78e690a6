//! Parquet, a row group at a time, by the reader that polars-io uses.
//!
//! The layer below polars' frames, because of what a frame makes of texts: sixteen bytes a row. Of a column chunk whose
//! pages are all by dictionary, as those of few different texts are, the places in it are read, and a text is looked at
//! once a row group.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{Cursor, Read as _, Seek as _, SeekFrom},
    path::Path,
};

use polars::prelude::{PlSmallStr, PolarsError};
use polars_arrow::{
    array::{Array, BooleanArray, DictionaryArray, PrimitiveArray, Utf8ViewArray},
    datatypes::{ArrowDataType, ArrowSchema, DTYPE_CATEGORICAL_NEW, Field, IntegerType},
    types::NativeType,
};
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, PageReader, RowGroupMetadata, column_iter_to_arrays, infer_schema,
    read_metadata,
};

use super::{Columns, Names, Rows, Sink, place, texts::Texts};
use crate::Error;

/// Gives every row to `sink`.
pub(super) fn scan(path: &Path, columns: &Columns, names: &mut Names, sink: &mut impl Sink) -> Result<(), Error> {
    let mut table = Table::open(path)?;
    keep_what_is_freed();
    // Names that are wrong are told before anything is read.
    for column in [Some(&columns.value), Some(&columns.group), columns.by.as_ref(), columns.block.as_ref()] {
        column.map(|column| table.field(column)).transpose()?;
    }
    for group in std::mem::take(&mut table.groups) {
        let values = table.values(&group, &columns.value)?;
        let groups = table.numbers(&group, &columns.group, &mut names.groups)?;
        let mut of = |column: &Option<String>, texts: &mut Texts| match column {
            Some(column) => table.numbers(&group, column, texts),
            None => Ok(Vec::new()),
        };
        let (by, blocks) = (of(&columns.by, &mut names.by)?, of(&columns.block, &mut names.blocks)?);
        sink.take(&Rows { values: &values, groups: &groups, by: &by, blocks: &blocks });
        table.before += group.num_rows();
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

struct Table<'a> {
    path: &'a Path,
    file: File,
    schema: ArrowSchema,
    groups: Vec<RowGroupMetadata>,
    /// Rows of the row groups that are done.
    before: usize,
}

/// An array of a column.
type AnyArray = Box<dyn Array>;

impl<'a> Table<'a> {
    fn open(path: &'a Path) -> Result<Self, Error> {
        let mut file = File::open(path).map_err(|error| Error::io(path, error))?;
        let polars = |error| Error::parquet(path, error);
        let metadata = read_metadata(&mut file).map_err(polars)?;
        let schema = infer_schema(&metadata).map_err(polars)?;
        Ok(Table { path, file, schema, groups: metadata.row_groups, before: 0 })
    }

    /// A column's name and type.
    fn field(&self, column: &str) -> Result<&Field, Error> {
        let heads: Vec<&str> = self.schema.iter_names().map(PlSmallStr::as_str).collect();
        let place = place(self.path, &heads, column)?;
        Ok(self.schema.get_at_index(place).expect("a place among the names").1)
    }

    /// The numbers of a row group.
    fn values(&mut self, group: &RowGroupMetadata, column: &str) -> Result<Buffer<f64>, Error> {
        use ArrowDataType::{Boolean, Float32, Float64, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64};
        let field = self.field(column)?.clone();
        if !matches!(
            field.dtype,
            Boolean | Float32 | Float64 | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64
        ) {
            return Err(self.wrong_type(column, &field, "numbers"));
        }
        let chunk = self.chunk(group, column)?;
        let array = self.decoded(&chunk, field.clone())?;
        self.filled(array.as_ref(), column)?;
        let values = match &field.dtype {
            Float64 => of::<f64>(&array).values().clone(),
            Float32 => converted(&array, |value: f32| f64::from(value)),
            Int8 => converted(&array, |value: i8| f64::from(value)),
            Int16 => converted(&array, |value: i16| f64::from(value)),
            Int32 => converted(&array, |value: i32| f64::from(value)),
            Int64 => converted(&array, |value: i64| value as f64),
            UInt8 => converted(&array, |value: u8| f64::from(value)),
            UInt16 => converted(&array, |value: u16| f64::from(value)),
            UInt32 => converted(&array, |value: u32| f64::from(value)),
            UInt64 => converted(&array, |value: u64| value as f64),
            _ => {
                let flags = array.as_any().downcast_ref::<BooleanArray>().expect("the type that was asked for");
                flags.values_iter().map(|flag| f64::from(u8::from(flag))).collect()
            }
        };
        match values.iter().position(|value| value.is_nan()) {
            Some(row) => Err(self.bad_cell(row, column, "NaN", "a number")),
            None => Ok(values),
        }
    }

    /// The texts of a row group, as numbers.
    fn numbers(&mut self, group: &RowGroupMetadata, column: &str, texts: &mut Texts) -> Result<Vec<u32>, Error> {
        use ArrowDataType::{
            Boolean, Dictionary, Int8, Int16, Int32, Int64, LargeUtf8, UInt8, UInt16, UInt32, UInt64, Utf8, Utf8View,
        };
        let field = self.field(column)?.clone();
        let chunk = self.chunk(group, column)?;
        match field.dtype {
            Utf8 | LargeUtf8 | Utf8View | Dictionary(..) => return self.texts(&chunk, &field, texts),
            Boolean | Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64 => {}
            _ => return Err(self.wrong_type(column, &field, "names")),
        }
        let array = self.decoded(&chunk, field.clone())?;
        self.filled(array.as_ref(), column)?;
        Ok(match &field.dtype {
            Int8 => written::<i8>(&array, texts),
            Int16 => written::<i16>(&array, texts),
            Int32 => written::<i32>(&array, texts),
            Int64 => written::<i64>(&array, texts),
            UInt8 => written::<u8>(&array, texts),
            UInt16 => written::<u16>(&array, texts),
            UInt32 => written::<u32>(&array, texts),
            UInt64 => written::<u64>(&array, texts),
            _ => {
                let flags = array.as_any().downcast_ref::<BooleanArray>().expect("the type that was asked for");
                flags.values_iter().map(|flag| texts.number(if flag { "true" } else { "false" })).collect()
            }
        })
    }

    /// Of a column of texts: by their dictionary if every page uses it, else one by one.
    fn texts(&mut self, chunk: &Chunk<'_>, field: &Field, texts: &mut Texts) -> Result<Vec<u32>, Error> {
        let name = &field.name;
        // The mark by which polars knows its own categories asks for places in the dictionary.
        let key = BTreeMap::from([(DTYPE_CATEGORICAL_NEW.into(), "".into())]);
        let places = ArrowDataType::Dictionary(IntegerType::UInt32, Box::new(ArrowDataType::Utf8View), false);
        let by_place = Field::new(name.clone(), places, field.is_nullable).with_metadata(key);
        if let Ok(array) = chunk.decoded(by_place)
            && let Some(array) = array.as_any().downcast_ref::<DictionaryArray<u32>>()
            && let Some(words) = array.values().as_any().downcast_ref::<Utf8ViewArray>()
        {
            self.filled(array.keys(), name)?;
            let numbers: Vec<u32> = words.values_iter().map(|word| texts.number(word)).collect();
            self.named(words.values_iter(), name)?;
            return Ok(array.keys().values().iter().map(|place| numbers[*place as usize]).collect());
        }
        let array = self.decoded(chunk, Field::new(name.clone(), ArrowDataType::Utf8View, field.is_nullable))?;
        self.filled(array.as_ref(), name)?;
        let words = array.as_any().downcast_ref::<Utf8ViewArray>().expect("the type that was asked for");
        self.named(words.values_iter(), name)?;
        Ok(words.values_iter().map(|word| texts.number(word)).collect())
    }

    /// The bytes of a column in a row group.
    fn chunk<'g>(&mut self, group: &'g RowGroupMetadata, column: &str) -> Result<Chunk<'g>, Error> {
        let mut found = group.columns_under_root_iter(column).into_iter().flatten();
        let metadata = found.next().ok_or_else(|| Error::BadTable {
            path: self.path.to_owned(),
            reason: format!("a row group has no column `{column}`"),
        })?;
        let range = metadata.byte_range();
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(range.start));
        let read = read.and_then(|_| (&self.file).take(range.end - range.start).read_to_end(&mut bytes));
        read.map_err(|error| Error::io(self.path, error))?;
        Ok(Chunk { metadata, bytes: bytes.into(), rows: group.num_rows() })
    }

    fn decoded(&self, chunk: &Chunk<'_>, field: Field) -> Result<AnyArray, Error> {
        chunk.decoded(field).map_err(|error| Error::parquet(self.path, error))
    }

    /// Fails with a row without a value.
    fn filled(&self, array: &dyn Array, column: &str) -> Result<(), Error> {
        if array.null_count() == 0 {
            return Ok(());
        }
        let row = (0..array.len()).find(|row| array.is_null(*row)).unwrap_or_default();
        Err(self.bad_cell(row, column, "", "a value"))
    }

    /// Fails with an empty name.
    fn named<'w>(&self, mut words: impl Iterator<Item = &'w str>, column: &str) -> Result<(), Error> {
        if words.any(str::is_empty) {
            let reason = format!("column `{column}` has rows without a name");
            return Err(Error::BadTable { path: self.path.to_owned(), reason });
        }
        Ok(())
    }

    fn wrong_type(&self, column: &str, field: &Field, wanted: &str) -> Error {
        let reason = format!("column `{column}` holds {:?}, no {wanted}", field.dtype);
        Error::BadTable { path: self.path.to_owned(), reason }
    }

    fn bad_cell(&self, row: usize, column: &str, found: &str, wanted: &'static str) -> Error {
        Error::BadCell {
            path: self.path.to_owned(),
            place: format!("row {}", self.before + row + 1),
            column: column.to_owned(),
            found: found.to_owned(),
            wanted,
        }
    }
}

/// A column in a row group.
struct Chunk<'a> {
    metadata: &'a ColumnChunkMetadata,
    bytes: Buffer<u8>,
    rows: usize,
}

impl Chunk<'_> {
    fn decoded(&self, field: Field) -> Result<AnyArray, PolarsError> {
        let pages = PageReader::new(Cursor::new(self.bytes.clone()), self.metadata, Vec::new(), usize::MAX);
        let pages = BasicDecompressor::new(pages, Vec::new());
        let types = vec![&self.metadata.descriptor().descriptor.primitive_type];
        let (mut arrays, _) = column_iter_to_arrays(vec![pages], types, field, None)?;
        match (arrays.pop(), arrays.pop()) {
            (Some(array), None) if array.len() == self.rows => Ok(array),
            _ => Err(PolarsError::ComputeError("a column has another number of rows than its row group".into())),
        }
    }
}

/// # Panics
/// If the array is of another type than its field.
fn of<T: NativeType>(array: &AnyArray) -> &PrimitiveArray<T> {
    array.as_any().downcast_ref().expect("the type that was asked for")
}

fn converted<T: NativeType>(array: &AnyArray, value: impl Fn(T) -> f64) -> Buffer<f64> {
    of::<T>(array).values().iter().map(|found| value(*found)).collect()
}

fn written<T: NativeType + ToString + PartialEq>(array: &AnyArray, texts: &mut Texts) -> Vec<u32> {
    let mut last: Option<(T, u32)> = None;
    let number = |value: &T| match last {
        Some((before, number)) if before == *value => number,
        _ => {
            let number = texts.number(&value.to_string());
            last = Some((*value, number));
            number
        }
    };
    of::<T>(array).values().iter().map(number).collect()
}
