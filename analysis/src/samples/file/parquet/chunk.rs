//! The bytes of a column in a row group, and their arrays.

use std::{
    collections::BTreeMap,
    io::{Cursor, Read as _, Seek as _, SeekFrom},
};

use polars::prelude::PolarsError;
use polars_arrow::{
    array::Array,
    datatypes::{ArrowDataType, DTYPE_CATEGORICAL_NEW, Field, IntegerType},
};
use polars_buffer::Buffer;
use polars_parquet::{
    parquet::page::CompressedPage,
    read::{BasicDecompressor, ColumnChunkMetadata, PageReader, RowGroupMetadata, column_iter_to_arrays},
};

use super::{Table, guard};
use crate::Error;

/// An array of a column.
pub(super) type AnyArray = Box<dyn Array>;

/// The most that a column of a row group may unpack to.
const LARGEST: u64 = 4 << 30;

/// A column in a row group.
pub(super) struct Chunk<'a> {
    metadata: &'a ColumnChunkMetadata,
    bytes: Buffer<u8>,
    rows: usize,
}

impl Table<'_> {
    /// The bytes of a column in a row group.
    pub(super) fn chunk<'g>(&mut self, group: &'g RowGroupMetadata, column: &str) -> Result<Chunk<'g>, Error> {
        let mut found = group.columns_under_root_iter(column).into_iter().flatten();
        let metadata = found.next().ok_or_else(|| self.damaged(column, "it is not there"))?;
        let range = guard::quietly(|| Ok::<_, String>(metadata.byte_range()));
        let range = range.map_err(|reason| self.damaged(column, &reason))?;
        let size = self.file.metadata().map_err(|error| Error::io(&self.part.path, error))?.len();
        if range.end > size {
            return Err(self.damaged(column, "it ends beyond the end of the file"));
        }
        let mut bytes = Vec::new();
        let read = self.file.seek(SeekFrom::Start(range.start));
        let read = read.and_then(|_| (&self.file).take(range.end - range.start).read_to_end(&mut bytes));
        read.map_err(|error| Error::io(&self.part.path, error))?;
        if bytes.len() as u64 != range.end - range.start {
            return Err(self.damaged(column, "it ends beyond the end of the file"));
        }
        let chunk = Chunk { metadata, bytes: bytes.into(), rows: group.num_rows() };
        guard::quietly(|| chunk.check()).map_err(|reason| self.damaged(column, &reason))?;
        Ok(chunk)
    }
}

impl Chunk<'_> {
    fn pages(&self) -> PageReader {
        PageReader::new(Cursor::new(self.bytes.clone()), self.metadata, Vec::new(), usize::MAX)
    }

    /// Fails where heads of pages contradict the column's facts: a reader that trusts them would take memory for
    /// rows and bytes that are not there.
    fn check(&self) -> Result<(), String> {
        let (mut rows, mut size) = (0, 0);
        if let Some(dictionary) = Dictionary::of(&self.bytes) {
            // Words may be empty, and packed well; but not a thousand in a byte.
            if dictionary.words > (self.bytes.len() as u64).saturating_mul(1_000) {
                return Err("its dictionary has more words than bytes".to_owned());
            }
            size += dictionary.size;
        }
        let mut pages = self.pages();
        pages.read_dict().map_err(|error| error.to_string())?;
        for page in pages {
            if let CompressedPage::Data(page) = page.map_err(|error| error.to_string())? {
                rows += page.num_values() as u64;
                size += page.uncompressed_size() as u64;
            }
        }
        let said = u64::try_from(self.metadata.uncompressed_size()).unwrap_or_default();
        if rows != self.rows as u64 {
            return Err(format!("it has {rows} rows, and its row group has {}", self.rows));
        }
        if size > said.min(LARGEST) {
            return Err(format!("its pages have {size} bytes unpacked, and it says {said}"));
        }
        Ok(())
    }

    /// As an array of a type that the file stores.
    pub(super) fn decoded(&self, dtype: ArrowDataType) -> Result<AnyArray, String> {
        self.read(Field::new("".into(), dtype, true))
    }

    /// As places in a dictionary of texts; fails where a page does not use it.
    pub(super) fn places(&self) -> Result<AnyArray, String> {
        // The mark by which polars knows its own categories asks for places in the dictionary.
        let key = BTreeMap::from([(DTYPE_CATEGORICAL_NEW.into(), "".into())]);
        let places = ArrowDataType::Dictionary(IntegerType::UInt32, Box::new(ArrowDataType::Utf8View), false);
        self.read(Field::new("".into(), places, true).with_metadata(key))
    }

    fn read(&self, field: Field) -> Result<AnyArray, String> {
        guard::quietly(|| {
            let types = vec![&self.metadata.descriptor().descriptor.primitive_type];
            let pages = BasicDecompressor::new(self.pages(), Vec::new());
            let (mut arrays, _) = column_iter_to_arrays(vec![pages], types, field, None)?;
            match (arrays.pop(), arrays.pop()) {
                (Some(array), None) if array.len() == self.rows => Ok(array),
                _ => Err(PolarsError::ComputeError("it has another number of rows than its row group".into())),
            }
        })
    }
}

/// The facts of a dictionary, which the reader keeps to itself: the head of its page, in Thrift's compact protocol.
#[derive(Debug, PartialEq)]
struct Dictionary {
    size: u64,
    words: u64,
}

impl Dictionary {
    /// That of a column that begins with one.
    fn of(bytes: &[u8]) -> Option<Self> {
        /// The type of a page that is a dictionary.
        const PAGE: u64 = 2;
        /// Types of fields: a number of 32 bits, and a struct.
        const NUMBER: u8 = 5;
        const STRUCT: u8 = 12;
        let mut bytes = bytes.iter().copied();
        let (mut field, mut found) = (0, Dictionary { size: 0, words: 0 });
        loop {
            let head = bytes.next()?;
            field += head >> 4;
            match (field, head & 0xf) {
                (1, NUMBER) if number(&mut bytes)? == PAGE => {}
                (2, NUMBER) => found.size = number(&mut bytes)?,
                (3 | 4, NUMBER) => _ = number(&mut bytes)?,
                (7, STRUCT) if bytes.next()? == 1 << 4 | NUMBER => {
                    found.words = number(&mut bytes)?;
                    return Some(found);
                }
                _ => return None,
            }
        }
    }
}

/// A number in seven bits a byte, its sign in the lowest; of one below 0 the largest there is.
fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<u64> {
    let mut coded = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = bytes.next()?;
        coded |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(if coded & 1 == 0 { coded >> 1 } else { u64::MAX });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_dictionaries_are_read() {
        // Type 2, 300 bytes, 200 packed, 25 words by encoding 0.
        let head = [0x15, 4, 0x15, 0xd8, 4, 0x15, 0x90, 3, 0x4c, 0x15, 50, 0x15, 0, 0, 0];
        assert_eq!(Dictionary::of(&head), Some(Dictionary { size: 300, words: 25 }));
        // A page of data, and a head that is cut short.
        assert_eq!(Dictionary::of(&[0x15, 0, 0x15, 4]), None);
        assert_eq!(Dictionary::of(&head[..9]), None);
    }
}
