//! Where the first player of a pair sits.

use super::UNIT;

/// Where the first player of a pair sits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seating {
    /// On both sides: the two games of a unit have the same luck and swap seats.
    Both,
    /// Always first; a unit is one game.
    First,
    /// Always second; a unit is one game.
    Second,
}

impl Seating {
    /// Name in files, and seating.
    pub(crate) const NAMES: [(&str, Seating); 3] =
        [("both", Seating::Both), ("first", Seating::First), ("second", Seating::Second)];

    /// Its name in files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Seating::Both => "both",
            Seating::First => "first",
            Seating::Second => "second",
        }
    }

    /// Games of a unit. Every pair has whole units.
    pub(crate) fn unit(self) -> u64 {
        if self == Seating::Both { UNIT } else { 1 }
    }

    /// `games` of a pair at a scale: whole units, at least one.
    pub(crate) fn scaled(self, games: u64, scale: f64) -> u64 {
        if scale == 1.0 {
            return games;
        }
        // Casting saturates.
        let units = ((games / self.unit()) as f64 * scale).round() as u64;
        units.max(1).saturating_mul(self.unit())
    }

    /// Whether the first player of the pair sits second in a trial.
    pub(crate) fn is_swapped(self, trial: u64) -> bool {
        match self {
            Seating::Both => trial % UNIT == 1,
            Seating::First => false,
            Seating::Second => true,
        }
    }
}
