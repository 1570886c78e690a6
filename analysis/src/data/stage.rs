//! A closed stage: its facts, its fold and the Parquet file of its rows.

use std::{
    fs::File,
    path::{Path, PathBuf},
    sync::Arc,
};

use polars_io::{SerReader as _, parquet::read::ParquetReader};
use record::{
    Stage,
    files::{FOLD_KEY, STAGE_KEY},
};
use serde::de::DeserializeOwned;
use tempfile::TempDir;

use super::old_names::replace_old_names;
use crate::Error;

/// A closed stage and its file.
#[derive(Clone, Debug)]
pub(crate) struct Exported {
    pub(crate) spec: Stage,
    /// The stage's fold; null where its plan makes none.
    fold: serde_json::Value,
    pub(crate) path: PathBuf,
    /// The directory of a file that is there only to be read now; gone with the last that reads.
    _apart: Option<Arc<TempDir>>,
}

impl Exported {
    /// All facts of the stage.
    ///
    /// # Errors
    /// They are not of this form.
    pub(crate) fn meta<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.spec.meta).map_err(|error| self.contract(&format!("its meta: {error}")))
    }

    /// One of them.
    ///
    /// # Errors
    /// It is not there, or not of this form.
    pub(crate) fn fact<T: DeserializeOwned>(&self, name: &str) -> Result<T, Error> {
        T::deserialize(&self.spec.meta[name]).map_err(|error| self.contract(&format!("`{name}` of its meta: {error}")))
    }

    /// The stage's fold.
    ///
    /// # Errors
    /// It is not of this form.
    pub(crate) fn fold<T: DeserializeOwned>(&self) -> Result<T, Error> {
        T::deserialize(&self.fold).map_err(|error| self.contract(&format!("its fold: {error}")))
    }

    /// What is wrong with the stage, as an error.
    pub(crate) fn contract(&self, reason: &str) -> Error {
        Error::contract(&self.path, format!("stage {}: {reason}", self.spec.index))
    }
}

/// What a file's metadata say of its stage, as the database has it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Facts {
    pub(super) spec: String,
    pub(super) fold: Option<String>,
}

impl Facts {
    pub(super) fn exported(&self, file: &Path, path: PathBuf, apart: Option<Arc<TempDir>>) -> Result<Exported, Error> {
        let fold = self.fold.as_deref().map(serde_json::from_str).transpose();
        let fold = fold.map_err(|error| Error::contract(file, format!("a fold is no JSON: {error}")))?;
        Ok(Exported { spec: parse(&self.spec, file)?, fold: fold.unwrap_or_default(), path, _apart: apart })
    }
}

/// (facts of the stage, rows) of an exported file; `None` of another file.
pub(super) fn facts_of(path: &Path) -> Option<(Facts, u64)> {
    let mut reader = ParquetReader::new(File::open(path).ok()?);
    let metadata = reader.get_metadata().ok()?;
    let pairs = metadata.key_value_metadata().as_ref()?;
    let value = |key: &str| pairs.iter().find(|pair| pair.key == key).and_then(|pair| pair.value.clone());
    Some((Facts { spec: value(STAGE_KEY)?, fold: value(FOLD_KEY) }, metadata.num_rows as u64))
}

/// The stage in a file or a database.
///
/// # Errors
/// It is not of a form that this version reads.
pub(super) fn parse(json: &str, file: &Path) -> Result<Stage, Error> {
    let mut spec: Stage = serde_json::from_str(json).map_err(|error| Error::contract(file, error.to_string()))?;
    replace_old_names(&mut spec.meta);
    // Names become parts of statements.
    let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c));
    let names = spec.shape.columns.iter().map(|column| &column.name).chain([&spec.shape.name]);
    if let Some(name) = names.into_iter().find(|name| !plain(name)) {
        return Err(Error::contract(file, format!("`{name}` is not the name of a column or shape")));
    }
    Ok(spec)
}
