//! Faults of specs.

use super::{Entry, hint};

/// A fault of a spec. [`Fault::key`] names the parameter, so that a reader of files can point at its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// Not `name` or `name:key=value,…`.
    #[error("`{text}` is not of the form `name:key=value,key=value`")]
    Form {
        /// What was given.
        text: String,
    },
    /// No entry has this name.
    #[error("unknown {what} `{name}`")]
    UnknownName {
        /// `game` or `player`.
        what: &'static str,
        /// What was given.
        name: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// The entry has no such parameter.
    #[error("`{entry}` has no parameter `{key}`")]
    UnknownKey {
        /// The entry.
        entry: &'static str,
        /// What was given.
        key: String,
        /// What to write instead.
        hint: Option<String>,
    },
    /// A parameter given twice.
    #[error("`{key}` is given twice")]
    Repeated {
        /// The parameter.
        key: String,
    },
    /// The value has another type or is out of range.
    #[error("`{key}` cannot be `{given}`: it takes {wanted}")]
    Misfit {
        /// The parameter.
        key: String,
        /// What was given.
        given: String,
        /// What it takes.
        wanted: String,
        /// What to write instead, where that is plain.
        hint: Option<String>,
    },
    /// Parameters exclude one another, or one is missing.
    #[error("{reason}")]
    Conflict {
        /// The parameter to point at.
        key: String,
        /// What is wrong.
        reason: String,
    },
}

impl Fault {
    pub(super) fn unknown_name(what: &'static str, name: &str, known: &[&str]) -> Self {
        Fault::UnknownName { what, name: name.to_owned(), hint: hint(name, known.iter().copied()) }
    }

    /// That `entry` has no parameter `key`.
    pub fn unknown_key(entry: &Entry, key: &str) -> Self {
        let known: Vec<&str> = entry.params().map(|param| param.name).collect();
        let hint = match known[..] {
            [] => Some(format!("`{}` takes no parameters", entry.name)),
            _ => hint(key, known),
        };
        Fault::UnknownKey { entry: entry.name, key: key.to_owned(), hint }
    }

    /// The parameter at fault; `None` if it is the spec as a whole.
    pub fn key(&self) -> Option<&str> {
        match self {
            Fault::Form { .. } | Fault::UnknownName { .. } => None,
            Fault::UnknownKey { key, .. }
            | Fault::Repeated { key }
            | Fault::Misfit { key, .. }
            | Fault::Conflict { key, .. } => Some(key),
        }
    }

    /// What to write instead, if that is known.
    pub fn hint(&self) -> Option<&str> {
        match self {
            Fault::UnknownName { hint, .. } | Fault::UnknownKey { hint, .. } | Fault::Misfit { hint, .. } => {
                hint.as_deref()
            }
            _ => None,
        }
    }
}
