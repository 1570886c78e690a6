//! Values and names of a row group.

use std::collections::BTreeMap;

use polars_arrow::{
    array::{
        Array, BinaryViewArray, BooleanArray, DictionaryArray, FixedSizeBinaryArray, PrimitiveArray, Utf8ViewArray,
    },
    bitmap::Bitmap,
    datatypes::{ArrowDataType as Type, TimeUnit},
    types::NativeType,
};
use polars_buffer::Buffer;
use polars_parquet::read::RowGroupMetadata;

use super::{
    Column, Found, Table,
    chunk::{AnyArray, Chunk},
    kind::{Kind, Unit, Width},
    written,
};
use crate::{
    Error,
    samples::file::{
        reading::{MISSING, Number},
        texts::Texts,
    },
};

/// Whole numbers below this are reals without loss.
const EXACT: i64 = 1 << 53;
/// Powers of ten up to this are.
const EXACT_POWER: usize = 22;
/// Names of a column that are remembered by what the file stores for them.
const REMEMBERED: usize = 4_096;
/// What to do about bytes that are not text.
const NO_TEXT: &str = "write the column as text in UTF-8, or as a number";

impl Table<'_> {
    /// The numbers of a row group; those of rows that are left out are any.
    pub(super) fn values(&mut self, group: &RowGroupMetadata, column: &Column) -> Result<Buffer<f64>, Error> {
        let rows = group.num_rows();
        let kind = match &column.place {
            Found::Stored(kind) => *kind,
            Found::Fixed(text) => {
                let value = self.number(text.as_deref().unwrap_or_default(), 0, rows, column)?;
                if value.is_none() {
                    (1..rows).for_each(|row| self.gaps.add(row, rows, &column.name));
                }
                return Ok(vec![value.unwrap_or_default(); rows].into());
            }
        };
        let chunk = self.chunk(group, &column.name)?;
        if kind == Kind::Text || matches!(kind, Kind::FixedText(_)) {
            return self.written_values(&chunk, kind, rows, column);
        }
        let array = self.stored(&chunk, kind, column)?;
        let values = match kind {
            Kind::Flag => {
                let flags = array.as_any().downcast_ref::<BooleanArray>().expect("the type that was asked for");
                flags.values_iter().map(|flag| f64::from(u8::from(flag))).collect()
            }
            Kind::Int32 => converted(&array, |value: i32| f64::from(value)),
            Kind::UInt32 => converted(&array, |value: i32| f64::from(value.cast_unsigned())),
            Kind::Int64 => converted(&array, |value: i64| value as f64),
            Kind::UInt64 => converted(&array, |value: i64| value.cast_unsigned() as f64),
            Kind::Float16 => fixed(&array).values_iter().map(|bytes| written::half(half_bits(bytes))).collect(),
            Kind::Float32 => converted(&array, |value: f32| f64::from(value)),
            Kind::Decimal(scale, Width::Bits32) => converted(&array, |value: i32| decimal(value.into(), scale)),
            Kind::Decimal(scale, Width::Bits64) => converted(&array, |value: i64| decimal(value, scale)),
            Kind::Decimal(scale, Width::Fixed(_)) => {
                fixed(&array).values_iter().map(|bytes| wide_decimal(bytes, scale)).collect()
            }
            Kind::Decimal(scale, Width::Bytes) => {
                bytes(&array).values_iter().map(|bytes| wide_decimal(bytes, scale)).collect()
            }
            // `Column::numeric` has refused the others.
            _ => of::<f64>(&array).values().clone(),
        };
        self.present(array.as_ref(), column, "a number")?;
        let mut from = 0;
        while let Some(place) = values[from..].iter().position(|value| value.is_nan()) {
            let row = from + place;
            if array.is_valid(row) {
                self.missing(row, rows, column, "NaN", "a number")?;
            }
            from = row + 1;
        }
        Ok(values)
    }

    /// Numbers of a column of texts, as in a file of text.
    fn written_values(
        &mut self,
        chunk: &Chunk<'_>,
        kind: Kind,
        rows: usize,
        column: &Column,
    ) -> Result<Buffer<f64>, Error> {
        let array = self.stored(chunk, kind, column)?;
        self.present(array.as_ref(), column, "a number")?;
        let mut values = Vec::with_capacity(rows);
        for (row, bytes) in byte_rows(&array, kind).enumerate() {
            let value = if array.is_valid(row) {
                let text = self.text(bytes, row, column)?;
                self.number(text, row, rows, column)?
            } else {
                None
            };
            values.push(value.unwrap_or_default());
        }
        Ok(values.into())
    }

    /// A text as a number; `None` if its row is left out.
    fn number(&mut self, text: &str, row: usize, rows: usize, column: &Column) -> Result<Option<f64>, Error> {
        match self.reading.number(text) {
            Number::Is(number) => Ok(Some(number)),
            Number::Missing => self.missing(row, rows, column, text, "a number").map(|()| None),
            Number::Not => Err(self.bad_cell(row, &column.name, text, "a number", &self.reading.advice(text))),
        }
    }

    /// The names of a row group as numbers; those of rows that are left out are any.
    pub(super) fn names(
        &mut self,
        group: &RowGroupMetadata,
        column: &Column,
        texts: &mut Texts,
    ) -> Result<Vec<u32>, Error> {
        let rows = group.num_rows();
        let kind = match &column.place {
            Found::Stored(kind) => *kind,
            Found::Fixed(text) => {
                let text = text.as_deref().unwrap_or_default();
                if self.reading.is_nameless(text) {
                    (0..rows).try_for_each(|row| self.missing(row, rows, column, text, "a name"))?;
                    return Ok(vec![0; rows]);
                }
                return Ok(vec![texts.number(text); rows]);
            }
        };
        let chunk = self.chunk(group, &column.name)?;
        if kind == Kind::Text
            && let Ok(array) = chunk.places()
            && let Some(array) = array.as_any().downcast_ref::<DictionaryArray<u32>>()
            && let Some(words) = array.values().as_any().downcast_ref::<Utf8ViewArray>()
        {
            return self.by_place(array.keys(), words, column, texts);
        }
        let array = self.stored(&chunk, kind, column)?;
        self.present(array.as_ref(), column, "a name")?;
        let valid = array.validity();
        Ok(match kind {
            Kind::Flag => {
                let flags = array.as_any().downcast_ref::<BooleanArray>().expect("the type that was asked for");
                let name = |flag| if flag { "true" } else { "false" }.to_owned();
                numbers(flags.values_iter(), valid, name, texts)
            }
            Kind::Int32 => numbers_of(&array, |value: i32| value.to_string(), texts),
            Kind::UInt32 => numbers_of(&array, |value: i32| value.cast_unsigned().to_string(), texts),
            Kind::Int64 => numbers_of(&array, |value: i64| value.to_string(), texts),
            Kind::UInt64 => numbers_of(&array, |value: i64| value.cast_unsigned().to_string(), texts),
            Kind::Float16 => {
                let keys: Vec<u16> = fixed(&array).values_iter().map(half_bits).collect();
                self.no_nan(keys.iter().map(|bits| written::half(*bits)), valid, column)?;
                numbers(keys.into_iter(), valid, written::real_16, texts)
            }
            Kind::Float32 => {
                let keys = of::<f32>(&array).values();
                self.no_nan(keys.iter().map(|value| f64::from(*value)), valid, column)?;
                let name = |bits| written::real_32(f32::from_bits(bits));
                numbers(keys.iter().map(|value| value.to_bits()), valid, name, texts)
            }
            Kind::Float64 => {
                let keys = of::<f64>(&array).values();
                self.no_nan(keys.iter().copied(), valid, column)?;
                let name = |bits| written::real(f64::from_bits(bits));
                numbers(keys.iter().map(|value| value.to_bits()), valid, name, texts)
            }
            Kind::Decimal(scale, Width::Bits32) => {
                numbers_of(&array, |value: i32| written::decimal(&value.to_be_bytes(), scale), texts)
            }
            Kind::Decimal(scale, Width::Bits64) => {
                numbers_of(&array, |value: i64| written::decimal(&value.to_be_bytes(), scale), texts)
            }
            Kind::Decimal(scale, Width::Bytes | Width::Fixed(_)) => {
                numbers(byte_rows(&array, kind), valid, |bytes| written::decimal(bytes, scale), texts)
            }
            Kind::Date => numbers_of(&array, |days: i32| written::date(days.into()), texts),
            Kind::Time(unit, Width::Bits32) => {
                numbers_of(&array, |count: i32| written::time(count.into(), unit), texts)
            }
            Kind::Time(unit, _) => numbers_of(&array, |count: i64| written::time(count, unit), texts),
            Kind::Stamp(unit, utc) => numbers_of(&array, |count: i64| written::stamp(count, unit, utc), texts),
            Kind::OldStamp => {
                let unit = match array.dtype() {
                    Type::Timestamp(TimeUnit::Nanosecond, _) => Unit::Nano,
                    _ => Unit::Micro,
                };
                numbers_of(&array, |count: i64| written::stamp(count, unit, false), texts)
            }
            Kind::Uuid => numbers(fixed(&array).values_iter(), valid, written::uuid, texts),
            Kind::Text | Kind::FixedText(_) => {
                for (row, bytes) in byte_rows(&array, kind).enumerate() {
                    if array.is_valid(row) {
                        let text = self.text(bytes, row, column)?;
                        if self.reading.is_nameless(text) {
                            self.missing(row, rows, column, text, "a name")?;
                        }
                    }
                }
                let name = |bytes| String::from_utf8_lossy(bytes).into_owned();
                numbers(byte_rows(&array, kind), valid, name, texts)
            }
        })
    }

    /// Names of a column whose pages all use a dictionary. Words of it that no row has are no names.
    fn by_place(
        &mut self,
        places: &PrimitiveArray<u32>,
        words: &Utf8ViewArray,
        column: &Column,
        texts: &mut Texts,
    ) -> Result<Vec<u32>, Error> {
        self.present(places, column, "a name")?;
        for (place, word) in words.values_iter().enumerate() {
            if self.reading.is_nameless(word) || word.contains('\0') {
                for row in (0..places.len()).filter(|row| places.value(*row) as usize == place && places.is_valid(*row))
                {
                    let text = self.text(word.as_bytes(), row, column)?;
                    self.missing(row, places.len(), column, text, "a name")?;
                }
            }
        }
        let numbers: Vec<u32> = words.values_iter().map(|word| texts.number(word)).collect();
        if places.null_count() == 0 {
            let number = |place: &u32| numbers.get(*place as usize).copied();
            let found: Option<Vec<u32>> = places.values().iter().map(number).collect();
            return found.ok_or_else(|| self.damaged(&column.name, "it has places beyond its dictionary"));
        }
        let number = |place: &u32| numbers.get(*place as usize).copied().unwrap_or_default();
        Ok(places.values().iter().map(number).collect())
    }

    /// The array of a column as the file stores it.
    fn stored(&self, chunk: &Chunk<'_>, kind: Kind, column: &Column) -> Result<AnyArray, Error> {
        let dtype = match kind {
            Kind::Flag => Type::Boolean,
            Kind::Int32 | Kind::UInt32 | Kind::Date => Type::Int32,
            Kind::Decimal(_, Width::Bits32) | Kind::Time(_, Width::Bits32) => Type::Int32,
            Kind::Int64 | Kind::UInt64 | Kind::Stamp(..) => Type::Int64,
            Kind::Decimal(_, Width::Bits64) | Kind::Time(..) => Type::Int64,
            Kind::OldStamp => Type::Timestamp(TimeUnit::Nanosecond, None),
            Kind::Float16 => Type::FixedSizeBinary(2),
            Kind::Float32 => Type::Float32,
            Kind::Float64 => Type::Float64,
            Kind::Decimal(_, Width::Bytes) | Kind::Text => Type::BinaryView,
            Kind::Decimal(_, Width::Fixed(size)) | Kind::FixedText(size) => Type::FixedSizeBinary(size),
            Kind::Uuid => Type::FixedSizeBinary(16),
        };
        let array = chunk.decoded(dtype).map_err(|reason| self.damaged(&column.name, &reason))?;
        // What nanoseconds of 64 bits do not hold (before 1678, after 2261) becomes the last of them.
        if kind == Kind::OldStamp && of::<i64>(&array).values().contains(&i64::MAX) {
            let coarse = chunk.decoded(Type::Timestamp(TimeUnit::Microsecond, None));
            return coarse.map_err(|reason| self.damaged(&column.name, &reason));
        }
        Ok(array)
    }

    /// A name of bytes.
    fn text<'t>(&self, bytes: &'t [u8], row: usize, column: &Column) -> Result<&'t str, Error> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        text.ok_or_else(|| self.bad_cell(row, &column.name, &String::from_utf8_lossy(bytes), "text in UTF-8", NO_TEXT))
    }

    /// Notes or refuses the rows without a value.
    fn present(&mut self, array: &dyn Array, column: &Column, wanted: &'static str) -> Result<(), Error> {
        if array.null_count() == 0 {
            return Ok(());
        }
        let missing = (0..array.len()).filter(|row| array.is_null(*row));
        missing.into_iter().try_for_each(|row| self.missing(row, array.len(), column, "", wanted))
    }

    fn no_nan(
        &mut self,
        values: impl ExactSizeIterator<Item = f64>,
        valid: Option<&Bitmap>,
        column: &Column,
    ) -> Result<(), Error> {
        let rows = values.len();
        let is_valid = |row| valid.is_none_or(|valid| valid.get_bit(row));
        let mut missing = values.enumerate().filter(|(row, value)| value.is_nan() && is_valid(*row));
        missing.try_for_each(|(row, _)| self.missing(row, rows, column, "NaN", "a name"))
    }

    /// Notes or refuses a row without a value.
    fn missing(
        &mut self,
        row: usize,
        rows: usize,
        column: &Column,
        found: &str,
        wanted: &'static str,
    ) -> Result<(), Error> {
        if !self.reading.skips() {
            return Err(self.bad_cell(row, &column.name, found, wanted, MISSING));
        }
        self.gaps.add(row, rows, &column.name);
        Ok(())
    }
}

/// # Panics
/// If the array is of another type than was asked for.
fn of<T: NativeType>(array: &AnyArray) -> &PrimitiveArray<T> {
    array.as_any().downcast_ref().expect("the type that was asked for")
}

fn fixed(array: &AnyArray) -> &FixedSizeBinaryArray {
    array.as_any().downcast_ref().expect("the type that was asked for")
}

fn bytes(array: &AnyArray) -> &BinaryViewArray {
    array.as_any().downcast_ref().expect("the type that was asked for")
}

/// The bytes of every row, whether of one length or of several.
fn byte_rows(array: &AnyArray, kind: Kind) -> impl Iterator<Item = &[u8]> {
    let same = matches!(kind, Kind::Decimal(_, Width::Fixed(_)) | Kind::FixedText(_));
    let (same, other) = if same { (Some(fixed(array)), None) } else { (None, Some(bytes(array))) };
    same.into_iter()
        .flat_map(FixedSizeBinaryArray::values_iter)
        .chain(other.into_iter().flat_map(|of| of.values_iter()))
}

fn converted<T: NativeType>(array: &AnyArray, value: impl Fn(T) -> f64) -> Buffer<f64> {
    of::<T>(array).values().iter().map(|found| value(*found)).collect()
}

fn half_bits(bytes: &[u8]) -> u16 {
    u16::from_le_bytes([bytes[0], bytes[1]])
}

/// A whole number of powers of ten as the nearest real, as its text would be read.
fn decimal(value: i64, scale: usize) -> f64 {
    // Two numbers without loss, so that only the quotient is rounded.
    if value.abs() < EXACT && scale <= EXACT_POWER {
        return value as f64 / 10f64.powi(scale as i32);
    }
    wide_decimal(&value.to_be_bytes(), scale)
}

fn wide_decimal(bytes: &[u8], scale: usize) -> f64 {
    if bytes.len() <= 16 {
        let sign = if bytes.first().is_some_and(|byte| byte & 0x80 != 0) { 0xff } else { 0 };
        let mut all = [sign; 16];
        all[16 - bytes.len()..].copy_from_slice(bytes);
        if let Ok(value) = i64::try_from(i128::from_be_bytes(all))
            && value.abs() < EXACT
            && scale <= EXACT_POWER
        {
            return decimal(value, scale);
        }
    }
    written::decimal(bytes, scale).parse().unwrap_or(f64::NAN)
}

fn numbers_of<T: NativeType + Ord>(array: &AnyArray, name: impl Fn(T) -> String, texts: &mut Texts) -> Vec<u32> {
    let array = of::<T>(array);
    numbers(array.values().iter().copied(), array.validity(), name, texts)
}

/// The numbers of the names of every row; 0 of rows without.
fn numbers<K: Copy + Ord>(
    keys: impl Iterator<Item = K>,
    valid: Option<&Bitmap>,
    name: impl Fn(K) -> String,
    texts: &mut Texts,
) -> Vec<u32> {
    let mut last: Option<(K, u32)> = None;
    let mut known: BTreeMap<K, u32> = BTreeMap::new();
    let number = |(row, key): (usize, K)| match last {
        _ if valid.is_some_and(|valid| !valid.get_bit(row)) => 0,
        Some((before, number)) if before == key => number,
        _ => {
            let number = match known.get(&key) {
                Some(number) => *number,
                None => {
                    let number = texts.number(&name(key));
                    if known.len() < REMEMBERED {
                        known.insert(key, number);
                    }
                    number
                }
            };
            last = Some((key, number));
            number
        }
    };
    keys.enumerate().map(number).collect()
}
