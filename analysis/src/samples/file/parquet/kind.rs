//! What a column of Parquet holds.

use polars_parquet::{
    parquet::schema::{Repetition, types::IntegerType},
    read::{
        GroupLogicalType as Group, ParquetTimeUnit, ParquetType, PhysicalType as Stored,
        PrimitiveConvertedType as Converted, PrimitiveLogicalType as Logical,
    },
};

/// What a column's stored numbers or bytes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Flag,
    /// Whole numbers of 32 bits.
    Int32,
    UInt32,
    Int64,
    UInt64,
    Float16,
    Float32,
    Float64,
    /// Whole numbers of powers of ten, stored in 32 or 64 bits or big-endian in bytes: digits after the point.
    Decimal(usize, Width),
    /// Days since 1970.
    Date,
    Time(Unit, Width),
    /// Whether it is of UTC; and of the old way with 96 bits.
    Stamp(Unit, bool),
    OldStamp,
    /// Bytes that should be UTF-8.
    Text,
    /// Bytes of one length that should be UTF-8.
    FixedText(usize),
    Uuid,
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Width {
    Bits32,
    Bits64,
    Bytes,
    Fixed(usize),
}

/// A unit of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Milli,
    Micro,
    Nano,
}

impl Unit {
    /// Units of a second.
    pub(super) fn of_second(self) -> i64 {
        match self {
            Unit::Milli => 1_000,
            Unit::Micro => 1_000_000,
            Unit::Nano => 1_000_000_000,
        }
    }

    fn of(unit: ParquetTimeUnit) -> Self {
        match unit {
            ParquetTimeUnit::Milliseconds => Unit::Milli,
            ParquetTimeUnit::Microseconds => Unit::Micro,
            ParquetTimeUnit::Nanoseconds => Unit::Nano,
        }
    }
}

/// Advice for lists.
const LISTS: &str =
    "write a row for each of their values, as `explode` does in pandas, Polars and Spark, and `unnest` in DuckDB";

impl Kind {
    /// What a column holds; else what it is and what to do about it.
    pub(super) fn of(field: &ParquetType) -> Result<Self, (&'static str, &'static str)> {
        let of = match field {
            ParquetType::PrimitiveType(of) if of.field_info.repetition == Repetition::Repeated => {
                return Err(("lists", LISTS));
            }
            ParquetType::PrimitiveType(of) => of,
            ParquetType::GroupType { field_info, .. } if field_info.repetition == Repetition::Repeated => {
                return Err(("lists", LISTS));
            }
            ParquetType::GroupType { logical_type, converted_type, .. } => {
                use polars_parquet::parquet::schema::types::GroupConvertedType as Old;
                return Err(match (logical_type, converted_type) {
                    (Some(Group::List), _) | (None, Some(Old::List)) => ("lists", LISTS),
                    (Some(Group::Map), _) | (None, Some(Old::Map | Old::MapKeyValue)) => {
                        ("maps", "write the entry that is wanted into a column of its own")
                    }
                    _ => ("structs", "write the field that is wanted into a column of its own"),
                });
            }
        };
        let unsigned = matches!(
            of.logical_type,
            Some(Logical::Integer(
                IntegerType::UInt8 | IntegerType::UInt16 | IntegerType::UInt32 | IntegerType::UInt64
            ))
        ) || matches!(
            of.converted_type,
            Some(Converted::Uint8 | Converted::Uint16 | Converted::Uint32 | Converted::Uint64)
        );
        let decimal = match (of.logical_type, of.converted_type) {
            (Some(Logical::Decimal(_, scale)), _) | (None, Some(Converted::Decimal(_, scale))) => Some(scale),
            _ => None,
        };
        Ok(match (of.physical_type, decimal) {
            (Stored::Boolean, _) => Kind::Flag,
            (Stored::Int32, Some(scale)) => Kind::Decimal(scale, Width::Bits32),
            (Stored::Int64, Some(scale)) => Kind::Decimal(scale, Width::Bits64),
            (Stored::ByteArray, Some(scale)) => Kind::Decimal(scale, Width::Bytes),
            (Stored::FixedLenByteArray(size), Some(scale)) => Kind::Decimal(scale, Width::Fixed(size)),
            (Stored::Int32, None) => match (of.logical_type, of.converted_type) {
                (Some(Logical::Date), _) | (None, Some(Converted::Date)) => Kind::Date,
                (Some(Logical::Time { unit, .. }), _) => Kind::Time(Unit::of(unit), Width::Bits32),
                (None, Some(Converted::TimeMillis)) => Kind::Time(Unit::Milli, Width::Bits32),
                _ if unsigned => Kind::UInt32,
                _ => Kind::Int32,
            },
            (Stored::Int64, None) => match (of.logical_type, of.converted_type) {
                (Some(Logical::Timestamp { unit, is_adjusted_to_utc }), _) => {
                    Kind::Stamp(Unit::of(unit), is_adjusted_to_utc)
                }
                // The old marks are of UTC by the book, and writers did not keep to it.
                (None, Some(Converted::TimestampMillis)) => Kind::Stamp(Unit::Milli, false),
                (None, Some(Converted::TimestampMicros)) => Kind::Stamp(Unit::Micro, false),
                (Some(Logical::Time { unit, .. }), _) => Kind::Time(Unit::of(unit), Width::Bits64),
                (None, Some(Converted::TimeMicros)) => Kind::Time(Unit::Micro, Width::Bits64),
                _ if unsigned => Kind::UInt64,
                _ => Kind::Int64,
            },
            (Stored::Int96, _) => Kind::OldStamp,
            (Stored::Float, _) => Kind::Float32,
            (Stored::Double, _) => Kind::Float64,
            (Stored::ByteArray, None) => Kind::Text,
            (Stored::FixedLenByteArray(size), None) => match (of.logical_type, of.converted_type) {
                (Some(Logical::Float16), _) => Kind::Float16,
                (Some(Logical::Uuid), _) => Kind::Uuid,
                (_, Some(Converted::Interval)) => {
                    return Err(("intervals of time", "write them as numbers, in days or seconds"));
                }
                _ => Kind::FixedText(size),
            },
        })
    }

    /// What the values are if they are not numbers. Texts may be numbers.
    pub(super) fn other_than_number(self) -> Option<&'static str> {
        match self {
            Kind::Date => Some("dates"),
            Kind::Time(..) => Some("times of day"),
            Kind::Stamp(..) | Kind::OldStamp => Some("times"),
            Kind::Uuid => Some("UUIDs"),
            _ => None,
        }
    }
}
