//! Specs: a name with parameters, for games and players alike.
//!
//! A spec is a text (`mcts:playouts=100,c=0.7`) or a TOML table, which the `experiments` crate turns into the same values.
//! Parameters are data ([`Entry`], [`Param`]): parsing, defaults, checks, hints, the canonical text and the printed
//! documentation all follow from them.

mod fault;
mod nearest;
mod old;
mod param;
mod text;

pub use fault::Fault;
pub use nearest::{hint, nearest};
pub use old::{Renamed, renamed_value, with_new_names, with_old_names};
pub use param::{Default, Kind, Param, Value, is_hash};
pub use text::{Given, parse};

use std::fmt;

/// What a spec can name: a game or a kind of player.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs.
    pub name: &'static str,
    /// One sentence for people.
    pub doc: &'static str,
    /// Its parameters, list after list: an entry may share lists with others.
    pub params: &'static [&'static [Param]],
    /// Parameters that exclude one another.
    pub one_of: &'static [OneOf],
}

impl Entry {
    /// Its parameters, in the order of the canonical text.
    pub fn params(&self) -> impl Iterator<Item = &'static Param> + use<> {
        self.params.iter().copied().flatten()
    }

    /// The parameter of a name.
    pub fn param(&self, name: &str) -> Option<&'static Param> {
        self.params().find(|param| param.name == name)
    }

    /// What a parameter is where neither it nor one that excludes it is given.
    pub fn default(&self, param: &Param) -> Option<Value> {
        let shared = self.one_of.iter().filter_map(|group| group.default).find(|(name, _)| *name == param.name);
        shared.map_or(param.default, |(_, default)| default).value()
    }
}

/// Parameters of which at most one may be given.
#[derive(Clone, Copy, Debug)]
pub struct OneOf {
    /// Their names.
    pub params: &'static [&'static str],
    /// What two of them would be, for people: `budgets for one decision`.
    pub what: &'static str,
    /// The parameter that has a value where none is given, and the value.
    pub default: Option<(&'static str, Default)>,
}

/// A checked spec: an entry with a value for each of its parameters.
#[derive(Clone, Debug)]
pub struct Spec {
    entry: &'static Entry,
    /// In the order of the entry's parameters; `None` where one is left out that has no default.
    values: Vec<(&'static str, Option<Value>)>,
}

impl PartialEq for Spec {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name() && self.values == other.values
    }
}

impl Spec {
    /// Checks `given`, which may have old names, against the entries; every fault is reported.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn check(what: &'static str, entries: &[&'static Entry], given: &Given) -> Result<Self, Vec<Fault>> {
        let given = {
            let mut given = given.clone();
            given.rename();
            given
        };
        let Some(&entry) = entries.iter().find(|entry| entry.name == given.name) else {
            let names: Vec<&str> = entries.iter().map(|entry| entry.name).collect();
            return Err(vec![Fault::unknown_name(what, &given.name, &names)]);
        };
        let mut faults = Vec::new();
        let mut values: Vec<(&'static str, Option<Value>)> =
            entry.params().map(|param| (param.name, param.default.value())).collect();
        let mut seen: Vec<&str> = Vec::new();
        for (key, value) in &given.params {
            let Some((index, param)) = entry.params().enumerate().find(|(_, param)| param.name == key) else {
                faults.push(Fault::unknown_key(entry, key));
                continue;
            };
            if seen.contains(&key.as_str()) {
                faults.push(Fault::Repeated { key: key.clone() });
            }
            seen.push(key);
            match param.check(value) {
                Ok(value) => values[index].1 = Some(value),
                Err(fault) => faults.push(fault),
            }
        }
        if !faults.is_empty() {
            return Err(faults);
        }
        let mut spec = Spec { entry, values };
        let conflicts: Vec<Fault> = entry.one_of.iter().filter_map(|group| spec.choose(group).err()).collect();
        if conflicts.is_empty() { Ok(spec) } else { Err(conflicts) }
    }

    /// Gives the parameters of a group their default if none has a value.
    fn choose(&mut self, group: &OneOf) -> Result<(), Fault> {
        let mut given = group.params.iter().filter(|key| self.get(key).is_some());
        match (given.next(), given.next()) {
            (Some(one), Some(other)) => {
                let reason = format!("`{one}` and `{other}` are two {}; give one", group.what);
                return Err(Fault::Conflict { key: (*other).to_owned(), reason });
            }
            (None, _) => {
                if let Some((key, value)) = group.default.and_then(|(key, default)| Some((key, default.value()?))) {
                    self.set(key, value);
                }
            }
            (Some(_), None) => {}
        }
        Ok(())
    }

    /// The entry.
    pub fn entry(&self) -> &'static Entry {
        self.entry
    }

    /// Name of the entry.
    pub fn name(&self) -> &'static str {
        self.entry.name
    }

    /// Value of a parameter; `None` if it was left out and has no default, or if the entry has no such parameter.
    pub fn find(&self, key: &str) -> Option<&Value> {
        self.values.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_ref())
    }

    /// Value of a parameter of the entry; `None` if it was left out and has no default.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn get(&self, key: &str) -> Option<&Value> {
        let found = self.values.iter().find(|(name, _)| *name == key);
        found.unwrap_or_else(|| panic!("`{}` has no parameter `{key}`", self.name())).1.as_ref()
    }

    /// Sets a parameter of the entry, for checks that fill in or normalise values.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn set(&mut self, key: &str, value: Value) {
        *self.slot(key) = Some(value);
    }

    /// Removes the value of a parameter of the entry.
    ///
    /// # Panics
    /// If the entry has no such parameter.
    pub fn unset(&mut self, key: &str) {
        *self.slot(key) = None;
    }

    fn slot(&mut self, key: &str) -> &mut Option<Value> {
        let found = self.values.iter_mut().find(|(name, _)| *name == key);
        &mut found.unwrap_or_else(|| panic!("`{}` has no parameter `{key}`", self.entry.name)).1
    }

    /// The value of a whole-number parameter.
    ///
    /// # Panics
    /// As [`Spec::get`], or if the parameter is not of this kind.
    pub fn int(&self, key: &str) -> Option<i64> {
        self.get(key).map(|value| match value {
            Value::Int(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// The value of a real-number parameter.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn real(&self, key: &str) -> Option<f64> {
        self.get(key).map(|value| match value {
            Value::Real(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// The value of a parameter that is true or false.
    ///
    /// # Panics
    /// As [`Spec::int`].
    pub fn bool(&self, key: &str) -> Option<bool> {
        self.get(key).map(|value| match value {
            Value::Bool(value) => *value,
            other => panic!("`{key}` is {other:?}"),
        })
    }

    /// The value of a choice or text.
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
        f.write_str(self.name())?;
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

#[cfg(test)]
mod tests {
    use super::*;

    const DEPTH: Param = Param { name: "depth", kind: Kind::Int(1, 9), default: Default::None, doc: "" };
    const NODES: Param = Param { name: "nodes", ..DEPTH };
    const TABLE: Param = Param { name: "table", default: Default::Int(3), ..DEPTH };
    const SEARCH: Entry = Entry {
        name: "search",
        doc: "",
        params: &[&[DEPTH, NODES], &[TABLE]],
        one_of: &[OneOf { params: &["depth", "nodes"], what: "budgets", default: Some(("depth", Default::Int(6))) }],
    };

    fn check(text: &str) -> Result<String, Vec<Fault>> {
        let given = parse(text).map_err(|fault| vec![fault])?;
        Spec::check("player", &[&SEARCH], &given).map(|spec| spec.to_string())
    }

    #[test]
    fn one_of_several_parameters_has_a_value() {
        assert_eq!(check("search").as_deref(), Ok("search:depth=6,table=3"));
        assert_eq!(check("search:table=1,nodes=2").as_deref(), Ok("search:nodes=2,table=1"));
        assert_eq!(check("search:depth=2").as_deref(), Ok("search:depth=2,table=3"));
        let faults = check("search:nodes=2,depth=2").expect_err("two budgets");
        assert_eq!(faults[0].to_string(), "`depth` and `nodes` are two budgets; give one");
        assert_eq!((faults.len(), faults[0].key()), (1, Some("nodes")));
    }

    #[test]
    fn defaults_of_an_entry() {
        let defaults = SEARCH.params().map(|param| (param.name, SEARCH.default(param)));
        let wanted = [("depth", Some(Value::Int(6))), ("nodes", None), ("table", Some(Value::Int(3)))];
        assert_eq!(defaults.collect::<Vec<_>>(), wanted);
        assert!(SEARCH.param("depth").is_some() && SEARCH.param("width").is_none());
    }
}
