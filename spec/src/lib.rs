//! Specs: a name and parameters, for games and players alike.
//!
//! A spec is written as text (`mcts:playouts=100,c=0.7`) or as a TOML table that the `experiments` crate turns
//! into the same values. What parameters there are is data ([`Param`]): reading, defaults, checking, hints, the
//! canonical text and the printed documentation all follow from it.

mod fault;
mod nearest;
mod old;
mod param;
mod text;

pub use fault::Fault;
pub use nearest::{hint, nearest};
pub use old::{Renamed, renamed_value, with_new_names, with_old_names};
pub use param::{Default, Kind, Param, Value};
pub use text::{Given, parse};

use std::fmt;

/// Something a spec can name: a game or a kind of player.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs.
    pub name: &'static str,
    /// One sentence for people.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

/// A checked spec: an entry with a value for each of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    name: &'static str,
    /// In the order of the entry's parameters; `None` where one is left out that has no default.
    values: Vec<(&'static str, Option<Value>)>,
}

impl Spec {
    /// Checks `given`, which may have old names, against the entries; every fault is reported.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(what: &'static str, entries: &[&Entry], given: &Given) -> Result<Self, Vec<Fault>> {
        let given = {
            let mut given = given.clone();
            given.rename();
            given
        };
        let Some(entry) = entries.iter().find(|entry| entry.name == given.name) else {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            return Err(vec![Fault::unknown_name(what, &given.name, &names)]);
        };
        let mut faults = Vec::new();
        let mut values: Vec<(&'static str, Option<Value>)> =
            entry.params.iter().map(|param| (param.name, param.default.value())).collect();
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in &given.params {
            let Some(index) = entry.params.iter().position(|param| param.name == key) else {
                faults.push(Fault::unknown_key(entry, key));
                continue;
            };
            if seen.contains(&key.as_str()) {
                faults.push(Fault::Repeated { key: key.clone() });
            }
            seen.push(key);
            match entry.params[index].check(value) {
                Ok(value) => values[index].1 = Some(value),
                Err(fault) => faults.push(fault),
            }
        }
        if faults.is_empty() { Ok(Spec { name: entry.name, values }) } else { Err(faults) }
    }

    /// Name of the entry.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Value of a parameter of the entry; `None` if it was left out and has no default.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(name, _)| *name == key);
        found.unwrap_or_else(|| panic!("`{}` has no parameter `{key}`", self.name)).1.as_ref()
    }

    /// Gives a parameter of the entry a value that the entry's own check found.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn set(&mut self, key: &str, value: Value) {
        let slot = self.values.iter_mut().find(|(name, _)| *name == key);
        slot.unwrap_or_else(|| panic!("`{}` has no parameter `{key}`", self.name)).1 = Some(value);
    }

    /// Takes the value of a parameter of the entry away.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn unset(&mut self, key: &str) {
        let slot = self.values.iter_mut().find(|(name, _)| *name == key);
        slot.unwrap_or_else(|| panic!("`{}` has no parameter `{key}`", self.name)).1 = None;
    }

    /// Whole number of a parameter.
    ///
    /// # Panics
    /// As [`Spec::get`], or if the parameter is not of this kind.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key).map(|value| match value {
            Value::Int(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// Real number of a parameter.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn real(&self, key: &str) -> Option<f64> {
        self.get(key).map(|value| match value {
            Value::Real(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// Truth of a parameter.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key).map(|value| match value {
            Value::Bool(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// Choice of a parameter.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn text(&self, key: &str) -> Option<&str> {
        self.get(key).map(|value| match value {
            Value::Text(value) => value.as_str(),
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// Hash of an artifact that a parameter names.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn artifact(&self, key: &str) -> Option<&str> {
        self.get(key).map(|value| match value {
            Value::Artifact(hash) => hash.as_str(),
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// Hashes of all artifacts that the parameters name, in the entry's order.
    pub fn artifacts(&self) -> impl Iterator<Item = &str> {
        self.values.iter().filter_map(|(_, value)| match value {
            Some(Value::Artifact(hash)) => Some(hash.as_str()),
            _ => None,
        })
    }
}

/// The canonical text: every parameter that has a value, in the entry's order. Parsing it gives the same spec.
impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        let mut separator = ':';
        for (name, value) in &self.values {
            if let Some(value) = value {
                write!(f, "{separator}{name}={value}")?;
                separator = ',';
            }
        }
        Ok(())
    }
}
