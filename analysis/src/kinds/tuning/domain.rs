//! The values that a tuned parameter may have.

use record::facts::Domain;
use serde_json::Value;

/// A domain of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Numbers {
    /// Whether they are whole.
    pub(super) whole: bool,
    pub(super) min: f64,
    pub(super) max: f64,
    /// Whether they are searched on a logarithmic scale.
    pub(super) log: bool,
}

impl Numbers {
    /// The numbers of a domain; `None` of categories.
    pub(super) fn of(domain: &Domain) -> Option<Self> {
        let is_log = |scale: &Option<String>| scale.as_deref() == Some("log");
        match domain {
            Domain::Integer { min, max, scale } => {
                Some(Numbers { whole: true, min: *min as f64, max: *max as f64, log: is_log(scale) })
            }
            Domain::Real { min, max, scale } => {
                Some(Numbers { whole: false, min: *min, max: *max, log: is_log(scale) })
            }
            Domain::Category { .. } => None,
        }
    }
}

/// A value for people.
pub(super) fn text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Where a value stands on an axis: the number, or its place among the categories. `None` of a value that does not
/// belong to the domain.
pub(super) fn place(domain: &Domain, value: &Value) -> Option<f64> {
    match domain {
        Domain::Integer { .. } | Domain::Real { .. } => value.as_f64(),
        Domain::Category { values } => {
            let wanted = text(value);
            values.iter().position(|known| text(known) == wanted).map(|place| place as f64)
        }
    }
}
