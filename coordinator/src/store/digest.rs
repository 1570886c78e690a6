//! One hash of all results of a run: equal runs have equal digests (ARCHITECTURE.md, invariant 2).
//!
//! BLAKE3 over the stages in order; in each, its artifacts and its stored trials in order: the index and the values of
//! the pure columns. The worker, the time and the duration of a trial are left out. The encoding is fixed: integers and
//! the bits of doubles in 8 bytes, little-endian; texts after their length.

use std::path::Path;

use record::Value;

use super::{DATABASE, Error, connect_to_read, read, stored};

/// Digest of a run, and what it covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// 64 hexadecimal digits.
    pub hex: String,
    /// Number of trials in it.
    pub trials: u64,
    /// Whether the run has ended; before that the digest changes.
    pub complete: bool,
    /// Its state, as [`super::Summary`] has it.
    pub state: String,
}

/// Digest of the run in `directory`.
///
/// # Errors
/// There is no run, or its database cannot be read.
pub fn digest(directory: &Path) -> Result<Digest, Error> {
    let conn = connect_to_read(directory)?;
    let path = directory.join(DATABASE);
    let database = |error| Error::database(&path, error);
    let mut hasher = blake3::Hasher::new_derive_key("redqueen 2026 run digest v1");
    let mut trials = 0;
    for stage in read::stages(&conn).map_err(database)? {
        hasher.update(&stage.index.to_le_bytes());
        hasher.update(&stage.trials.to_le_bytes());
        // An artifact, such as a population, is a result too.
        for hash in &stage.artifacts {
            hasher.update(hash.as_bytes());
        }
        let columns: Vec<usize> =
            stage.shape.columns.iter().enumerate().filter(|(_, c)| c.pure).map(|(i, _)| i).collect();
        let mut encoded = Vec::new();
        let before = trials;
        stored::for_each_row(&conn, stage.index, &stage.shape, |trial, row| {
            trials += 1;
            encoded.clear();
            encoded.extend_from_slice(&trial.to_le_bytes());
            for &c in &columns {
                match &row[c] {
                    Value::Int(value) => encoded.extend_from_slice(&value.to_le_bytes()),
                    Value::Real(value) => encoded.extend_from_slice(&value.to_bits().to_le_bytes()),
                    Value::Text(value) => {
                        encoded.extend_from_slice(&(value.len() as u64).to_le_bytes());
                        encoded.extend_from_slice(value.as_bytes());
                    }
                }
            }
            hasher.update(&encoded);
        })
        .map_err(database)?;
        read::check_closed(&conn, &stage, trials - before).map_err(database)?;
    }
    let state: String = conn.query_row("SELECT state FROM run", [], |row| row.get(0)).map_err(database)?;
    let complete = matches!(state.as_str(), "finished" | "failed");
    let state = read::present(directory, state);
    Ok(Digest { hex: hasher.finalize().to_hex().to_string(), trials, complete, state })
}
