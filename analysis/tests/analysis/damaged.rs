//! Files that are cut short or have other bytes than were written: a table or an error, never a panic, and memory that
//! follows the file.

use std::{fs, path::Path};

use analysis::{
    Adjust, Test,
    samples::{self, Columns, Missing, Reading, Request},
};
use proptest::prelude::*;
use tempfile::TempDir;

fn content(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)).expect("a file")
}

/// Files of every kind, with the columns that are asked for.
fn files() -> Vec<(Vec<u8>, &'static str, &'static str, &'static str)> {
    let mut files = vec![
        (content("samples/scores.csv"), "score", "agent", "seed"),
        (content("samples/dictionary.parquet"), "score", "agent", "problem"),
        (content("samples/plain.parquet"), "score", "agent", "seed"),
        (content("samples/gaps.parquet"), "score", "agent", "whole"),
        (content("kinds/pandas.parquet"), "score", "name", "agent"),
        (content("kinds/duckdb.parquet"), "part", "kind", "id"),
        (content("kinds/polars.parquet"), "score", "kind", "name"),
        (content("kinds/spark.parquet"), "decimal128", "timestamp_us", "binary"),
        (content("kinds/nested.parquet"), "score", "list", "bytes"),
    ];
    for [value, group, by] in [
        ["float16", "date32", "decimal256"],
        ["decimal256", "time64", "fixed_binary"],
        ["bool", "dictionary", "string_view"],
    ] {
        files.push((content("kinds/every.parquet"), value, group, by));
        files.push((content("kinds/every-plain.parquet"), value, group, by));
        files.push((content("kinds/holed.parquet"), value, group, by));
    }
    let csv = content("samples/scores.csv");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut gzip, &csv).expect("packed");
    files.push((gzip.finish().expect("packed"), "score", "agent", "seed"));
    files.push((zstd::encode_all(&csv[..], 3).expect("packed"), "score", "agent", "seed"));
    files
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damage_is_an_error_or_unseen(
        which in any::<prop::sample::Index>(),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
        // Places from the end as well, where Parquet has its facts.
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 1..4),
        skip in any::<bool>(),
    ) {
        let files = files();
        let (mut bytes, value, group, by) = files[which.index(files.len())].clone();
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        for (place, from_end, byte) in changes {
            if !bytes.is_empty() {
                let place = place.index(bytes.len());
                let end = bytes.len() - 1;
                bytes[if from_end { end - place.min(end) / 4 } else { place }] = byte;
            }
        }
        let place = TempDir::new().expect("a directory");
        let path = place.path().join("t.csv");
        fs::write(&path, bytes).expect("written");
        let missing = if skip { Missing::Skip } else { Missing::Refuse };
        let columns = Columns { value: value.into(), group: group.into(), by: None, block: Some(by.into()) };
        let request = Request {
            columns,
            reading: Reading { missing, ..Reading::default() },
            tests: vec![Test::MannWhitney],
            adjust: Adjust::Holm,
            alpha: 0.05,
        };
        if let Err(error) = samples::report(&path, &request) {
            prop_assert!(error.is_input() && !error.to_string().is_empty(), "{error:?}");
        }
    }
}
