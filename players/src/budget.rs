//! What a decision may cost, by the parameter that says so.

use std::time::Duration;

use spec::{Spec, Value};

/// What a decision may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    /// Iterations of a tree search (`playouts`), or positions that its network values (`evaluations`).
    Playouts(u64),
    /// Plies that are searched (`depth`).
    Depth(u32),
    /// Positions that are looked at (`nodes`).
    Nodes(u64),
    /// Wall-clock time (`time-ms`). Not reproducible.
    Time(Duration),
}

impl Budget {
    /// The budget in a checked spec; `None` for a player that does not search.
    pub(crate) fn of(spec: &Spec) -> Option<Self> {
        let value = |key| match spec.find(key) {
            Some(Value::Int(value)) => Some(value.unsigned_abs()),
            _ => None,
        };
        let depth = || value("depth").map(|depth| Budget::Depth(u32::try_from(depth).unwrap_or(u32::MAX)));
        let time = || value("time-ms").map(|millis| Budget::Time(Duration::from_millis(millis)));
        let playouts = value("playouts").or_else(|| value("evaluations")).map(Budget::Playouts);
        playouts.or_else(depth).or_else(|| value("nodes").map(Budget::Nodes)).or_else(time)
    }
}
