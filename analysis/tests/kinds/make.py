#!/usr/bin/env python3
"""Writes small tables of this folder: one column of each type that pandas, Polars, DuckDB, Spark and pyarrow write, beside the
same column as CSV. kinds.rs compares what `redqueen test` says of both.

    python3 -m venv venv && venv/bin/pip install pyarrow==26.0.1 pandas==3.1.1 polars==2.1.0 duckdb==2.0.1 && venv/bin/python make.py
"""
import datetime as dt
import decimal
import pathlib

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

HERE = pathlib.Path(__file__).parent
D = decimal.Decimal
ROWS = 8
# Four different entries a column, each twice; as values they are numbers.
STAMPS = [dt.datetime(2026, 11, 29, 12, 30), dt.datetime(2026, 11, 30, 12, 30, 0, 500_000), dt.datetime(1969, 7, 20), dt.datetime(2024, 2, 29)]


def twice(entries):
    return [entry for entry in entries for _ in range(ROWS // len(entries))]


def written(stamp, zone=""):
    text = stamp.strftime("%Y-%m-%d %H:%M:%S")
    return text + (f".{stamp.microsecond // 1000:03d}" if stamp.microsecond else "") + zone


# Name: type, entries, and their texts in CSV where Python's are others.
NAMES = {
    "int8": (pa.int8(), [-2, -1, 0, 10], None),
    "int16": (pa.int16(), [-300, -1, 0, 10], None),
    "int32": (pa.int32(), [-70_000, 9, 10, 2**31 - 1], None),
    "int64": (pa.int64(), [-(2**40), 9, 10, 2**62], None),
    "uint8": (pa.uint8(), [0, 9, 10, 255], None),
    "uint16": (pa.uint16(), [0, 9, 10, 65_535], None),
    "uint32": (pa.uint32(), [0, 9, 10, 2**32 - 1], None),
    "uint64": (pa.uint64(), [0, 9, 10, 2**63 + 5], None),
    "float16": (pa.float16(), [np.float16(x) for x in (0.5, 0.1, 2.0, 10.0)], ["0.5", "0.1", "2.0", "10.0"]),
    "float32": (pa.float32(), [0.5, 0.1, 2.0, 1e20], ["0.5", "0.1", "2.0", "1e+20"]),
    "float64": (pa.float64(), [0.5, 0.1, 2.0, 1e-7], None),
    "bool": (pa.bool_(), [True, False, True, False], ["true", "false"] * 2),
    "decimal32": (pa.decimal32(5, 2), [D("0.50"), D("-1.25"), D("9.00"), D("10.00")], None),
    "decimal64": (pa.decimal64(12, 3), [D("0.500"), D("-1.250"), D("9.000"), D("10.000")], None),
    "decimal128": (pa.decimal128(38, 2), [D("0.50"), D("-1.25"), D("9.00"), D("123456789012345678901234567890.12")], None),
    "decimal256": (pa.decimal256(76, 4), [D("0.5000"), D("-1.2500"), D("9.0000"), D("1234567890" * 6 + ".1234")], None),
    "date32": (pa.date32(), [s.date() for s in STAMPS], None),
    "date64": (pa.date64(), [s.date() for s in STAMPS], None),
    "time32": (pa.time32("ms"), [dt.time(0, 0), dt.time(9, 30), dt.time(23, 59, 59), dt.time(1, 2, 3, 4000)], ["00:00:00", "09:30:00", "23:59:59", "01:02:03.004"]),
    "time64": (pa.time64("us"), [dt.time(0, 0), dt.time(9, 30), dt.time(23, 59, 59), dt.time(1, 2, 3, 4)], ["00:00:00", "09:30:00", "23:59:59", "01:02:03.000004"]),
    "time64ns": (pa.time64("ns"), [0, 1, 86_399_000_000_000, 34_200_000_000_000], ["00:00:00", "00:00:00.000000001", "23:59:59", "09:30:00"]),
    "string": (pa.string(), ["b", "grün", "a, b", "10"], None),
    "large_string": (pa.large_string(), ["b", "grün", "a, b", "10"], None),
    "string_view": (pa.string_view(), ["b", "grün", "a, b", "a long name that no view holds inline"], None),
    "binary": (pa.binary(), [b"b", "grün".encode(), b"a, b", b"10"], ["b", "grün", "a, b", "10"]),
    "large_binary": (pa.large_binary(), [b"b", b"c", b"a, b", b"10"], ["b", "c", "a, b", "10"]),
    "fixed_binary": (pa.binary(3), [b"abc", b"b10", b"b09", b"xyz"], ["abc", "b10", "b09", "xyz"]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ["b", "c", "a, b", "10"], None),
    "dictionary_of_numbers": (pa.dictionary(pa.int32(), pa.int64()), [1, 10, 9, -4], None),
}
for unit in ("s", "ms", "us", "ns"):
    stamps = [s.replace(microsecond=0) for s in STAMPS] if unit == "s" else STAMPS
    NAMES[f"timestamp_{unit}"] = (pa.timestamp(unit), stamps, [written(s) for s in stamps])
    NAMES[f"timestamp_{unit}_utc"] = (pa.timestamp(unit, "UTC"), stamps, [written(s, "+00:00") for s in stamps])
# What is read as numbers, too.
VALUES = [name for name in NAMES if any(name.startswith(kind) for kind in ("int", "uint", "float", "bool", "decimal"))] + ["dictionary_of_numbers"]


def csv(path, columns):
    lines = [",".join(columns)]
    for row in zip(*columns.values()):
        lines.append(",".join(f'"{cell}"' if "," in str(cell) else str(cell) for cell in row))
    path.write_text("\n".join(lines) + "\n")


def main():
    scores = [1.0, 2.5, 3.0, 4.5, 7.0, 8.0, 10.0, 13.5]
    groups = ["x", "y"] * (ROWS // 2)
    arrays, texts = {"score": pa.array(scores), "g": pa.array(groups)}, {"score": scores, "g": groups}
    for name, (kind, entries, shown) in NAMES.items():
        plain = twice(entries)
        if isinstance(kind, pa.DictionaryType):
            arrays[name] = pa.array(plain, kind.value_type).dictionary_encode().cast(kind)
        else:
            arrays[name] = pa.array(plain, kind)
        texts[name] = twice([str(e) for e in entries] if shown is None else shown)
    whole = pa.table(arrays)
    csv(HERE / "every.csv", texts)
    pq.write_table(whole, HERE / "every.parquet", row_group_size=5)
    pq.write_table(whole, HERE / "every-plain.parquet", use_dictionary=False, compression="gzip", data_page_version="2.0")
    # As Spark writes them: times with 96 bits, decimals in whole numbers or bytes, no schema of Arrow.
    spark = whole.select(["score", "g", "timestamp_us", "decimal32", "decimal64", "decimal128", "date32", "bool", "binary"])
    pq.write_table(spark, HERE / "spark.parquet", use_deprecated_int96_timestamps=True, store_schema=False, store_decimal_as_integer=True, flavor="spark")
    # Rows without a value, of every type.
    holed = {name: pa.array([None, *column.to_pylist()[1:]], column.type) if not pa.types.is_dictionary(column.type) and name != "score"
             and not pa.types.is_float16(column.type) else column for name, column in arrays.items()}
    pq.write_table(pa.table(holed), HERE / "holed.parquet")
    # Categories that no row has, in each program's way.
    frame = pd.DataFrame({"score": scores, "agent": pd.Categorical([10, 10, 9, 9] * 2, categories=[9, 10, 11])})
    frame["name"] = pd.Categorical(["10", "10", "9", "9"] * 2, categories=["", "9", "none at all", "10"])
    frame.to_parquet(HERE / "pandas.parquet")
    frame.to_csv(HERE / "pandas.csv", index=False)
    of_polars = pl.DataFrame({"score": scores, "name": ["10", "10", "9", "9"] * 2, "kind": ["p", "q"] * 4, "wide": [1, 2] * 4})
    of_polars = of_polars.with_columns(pl.col("name").cast(pl.Categorical), pl.col("kind").cast(pl.Enum(["unused", "q", "p"])))
    of_polars.write_parquet(HERE / "polars.parquet")
    of_polars.write_csv(HERE / "polars.csv")
    # A day before 1678, which nanoseconds of 64 bits do not hold, with 96 bits.
    old = pa.table({"score": scores, "day": pa.array(twice([dt.datetime(1600, 1, 1), dt.datetime(9999, 12, 31)]), pa.timestamp("us"))})
    pq.write_table(old, HERE / "old.parquet", use_deprecated_int96_timestamps=True)
    duckdb.sql(f"""
        copy (select (i * i)::double as score, (i % 3)::hugeint as huge, (i % 2)::utinyint as tiny, ('a' || i % 2)::enum('a0', 'unused', 'a1') as kind,
            (i % 2 + 0.5)::decimal(4, 1) as part, date '2026-11-29' + (i % 2)::integer as day, (i % 2 = 0) as flag,
            ('00000000-0000-0000-0000-00000000000' || i % 2)::uuid as id, time '12:00:00' + interval (i % 2) hour as hour
            from range(8) of_rows(i)) to '{HERE}/duckdb.parquet' (format parquet);
        copy (select * from '{HERE}/duckdb.parquet') to '{HERE}/duckdb.csv'""")
    nested = pa.table({"score": scores, "g": groups, "list": [[1]] * ROWS, "struct": [{"a": 1}] * ROWS,
                       "map": pa.array([[("a", 1)]] * ROWS, pa.map_(pa.string(), pa.int64())), "bytes": [b"\xff\xfe"] * ROWS,
                       "day": [dt.date(2026, 1, 1)] * ROWS, "text": ["1.5", "2", "x", "4"] * 2})
    pq.write_table(nested, HERE / "nested.parquet")
    both = pa.table([pa.array(scores), pa.array(groups), pa.array(groups)], names=["score", "g", "twice"])
    pq.write_table(pa.table([*both.columns, both["twice"]], names=["score", "g", "twice", "twice"]), HERE / "twice.parquet")
    (HERE / "kinds.txt").write_text("".join(f"{name} {'value' if name in VALUES else 'name'}\n" for name in NAMES))


if __name__ == "__main__":
    main()
