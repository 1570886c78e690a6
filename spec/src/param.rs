//! Parameters of games and players, and their values.

use std::fmt;

use super::{Fault, text};

/// A value, as given or checked.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Whole number.
    Int(i64),
    /// Real number; may be infinite where the parameter allows it.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// A word.
    Text(String),
    /// The hash of an artifact.
    Artifact(String),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Int(value) => write!(f, "{value}"),
            Value::Real(value) => write!(f, "{value}"),
            Value::Bool(value) => write!(f, "{value}"),
            Value::Text(value) | Value::Artifact(value) => f.write_str(value),
        }
    }
}

/// Default of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Default {
    /// None: the parameter has no value if it is left out.
    None,
    /// Whole number.
    Int(i64),
    /// Real number.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// A word.
    Text(&'static str),
}

impl Default {
    /// The default as a value.
    pub fn value(&self) -> Option<Value> {
        match *self {
            Default::None => None,
            Default::Int(value) => Some(Value::Int(value)),
            Default::Real(value) => Some(Value::Real(value)),
            Default::Bool(value) => Some(Value::Bool(value)),
            Default::Text(value) => Some(Value::Text(value.to_owned())),
        }
    }
}

/// The values that a parameter takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Whole numbers from the first to the second.
    Int(i64, i64),
    /// Real numbers from the first to the second.
    Real(f64, f64),
    /// `true` or `false`.
    Bool,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text without commas and equals signs outside parentheses; the string describes it for people.
    Text(&'static str),
    /// The hash of an artifact, BLAKE3 in 64 lower-case hexadecimal digits; what the artifact holds, for people.
    Artifact(&'static str),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Int(low, high) => write!(f, "a whole number from {low} to {high}"),
            Kind::Real(low, high) => write!(f, "a number from {low} to {high}"),
            Kind::Bool => f.write_str("true or false"),
            Kind::Choice(words) => write!(f, "one of {}", words.join(", ")),
            Kind::Text(what) => f.write_str(what),
            Kind::Artifact(what) => write!(f, "the hash of an artifact, 64 digits from 0 to f ({what})"),
        }
    }
}

/// A parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name, in kebab-case; units and bounds last.
    pub name: &'static str,
    /// The values that it takes.
    pub kind: Kind,
    /// Its value if it is left out.
    pub default: Default,
    /// Description for people.
    pub doc: &'static str,
}

/// Whether a text has the form of an artifact's hash.
pub fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

impl Param {
    /// The value in the parameter's own type: whole numbers are accepted as reals, and words of the text form are parsed.
    pub(super) fn check(&self, given: &Value) -> Result<Value, Fault> {
        let fits = match (self.kind, given) {
            (Kind::Int(low, high), Value::Int(v)) if (low..=high).contains(v) => Some(Value::Int(*v)),
            (Kind::Int(..), Value::Text(text)) => return self.reread(text.parse().ok().map(Value::Int), given),
            (Kind::Real(low, high), Value::Real(v)) if (low..=high).contains(v) => Some(Value::Real(*v)),
            (Kind::Real(..), Value::Int(v)) => return self.check(&Value::Real(*v as f64)),
            (Kind::Real(..), Value::Text(text)) => {
                let number = text.parse().ok().filter(|v: &f64| !v.is_nan());
                return self.reread(number.map(Value::Real), given);
            }
            (Kind::Bool, Value::Bool(v)) => Some(Value::Bool(*v)),
            (Kind::Bool, Value::Text(text)) => return self.reread(text.parse().ok().map(Value::Bool), given),
            (Kind::Choice(words), Value::Text(text)) if words.contains(&text.as_str()) => Some(given.clone()),
            (Kind::Text(_), Value::Text(text)) if text::is_value(text) => Some(given.clone()),
            (Kind::Artifact(_), Value::Text(text)) if is_hash(text) => Some(Value::Artifact(text.clone())),
            (Kind::Artifact(_), Value::Artifact(_)) => Some(given.clone()),
            _ => None,
        };
        fits.ok_or_else(|| self.misfit(given))
    }

    fn reread(&self, read: Option<Value>, given: &Value) -> Result<Value, Fault> {
        let value = read.ok_or_else(|| self.misfit(given))?;
        self.check(&value).map_err(|_| self.misfit(given))
    }

    fn misfit(&self, given: &Value) -> Fault {
        let shown = match (given, &self.kind) {
            // The digits show that it is not a whole number.
            (Value::Real(value), Kind::Int(..)) => format!("{value:?}"),
            (given, _) => given.to_string(),
        };
        let hint = self.whole(given).map(|whole| format!("write it as a whole number: `{whole}`"));
        Fault::Misfit { key: self.name.to_owned(), given: shown, wanted: self.kind.to_string(), hint }
    }

    /// The whole number that `1e3`, `20.0`, `1_000` or `1,000` stands for.
    fn whole(&self, given: &Value) -> Option<i64> {
        let Kind::Int(low, high) = self.kind else { return None };
        let value = match given {
            Value::Real(value) => *value,
            Value::Text(text) => text.replace(['_', ',', '\''], "").parse().ok()?,
            _ => return None,
        };
        // Not every greater whole number is a double.
        let exact = value.fract() == 0.0 && value.abs() < 9e15;
        Some(value as i64).filter(|whole| exact && (low..=high).contains(whole))
    }
}
