//! A stage: a set of trials, what their rows look like, and the facts that its plan publishes of it.

use std::{collections::BTreeMap, fmt};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::Value as Json;

use crate::{Shape, facts::Kind};

/// A set of trials without order among them, closed by a barrier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Position in the run, from 0.
    pub index: u32,
    /// For people: `grid`, `generation 12`.
    pub name: String,
    /// Number of trials; they are `0..trials` and exist only as indices until one is run.
    pub trials: u64,
    /// What each trial's row looks like.
    pub shape: Shape,
    /// Texts that `Label` columns index, by key (for example `players`).
    pub labels: BTreeMap<String, Vec<String>>,
    /// Facts of the stage, one of the types in [`crate::facts`] as JSON. It stays JSON here, so that keys of other
    /// versions outlast a change of name or title.
    pub meta: Json,
    /// Hashes of the artifacts that its trials or its closing need.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<String>,
    /// Trials that later stages are expected to have; for the time left, nothing else.
    #[serde(default)]
    pub ahead: u64,
}

impl Stage {
    /// The kind of experiment that the stage belongs to; `None` for a kind that this version does not know.
    pub fn kind(&self) -> Option<Kind> {
        Kind::deserialize(self.meta.get("kind")?).ok()
    }

    /// The facts of the stage.
    ///
    /// # Errors
    /// A fact is missing or is not of this form.
    pub fn facts<T: DeserializeOwned>(&self) -> Result<T, FactsError> {
        T::deserialize(&self.meta).map_err(|error| FactsError {
            stage: self.index,
            what: "facts",
            reason: error.to_string(),
        })
    }

    /// The fold of the stage, as one of [`crate::folds`].
    ///
    /// # Errors
    /// The fold has another form.
    pub fn fold<T: DeserializeOwned>(&self, fold: &Json) -> Result<T, FactsError> {
        T::deserialize(fold).map_err(|error| FactsError { stage: self.index, what: "fold", reason: error.to_string() })
    }
}

/// Facts or a fold of a stage that are not what this version of redqueen reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactsError {
    /// Index of the stage.
    pub stage: u32,
    /// `facts` or `fold`.
    what: &'static str,
    /// What is wrong: the missing or wrong key.
    reason: String,
}

impl fmt::Display for FactsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} of stage {} cannot be read: {}", self.what, self.stage, self.reason)
    }
}

impl std::error::Error for FactsError {}
