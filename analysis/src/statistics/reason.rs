//! Why a statistic has no value.

use std::fmt;

/// What a sample is like that a statistic says nothing of. Its text continues a sentence, as under a table: `–: all
/// values are equal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Fewer values in a sample than the statistic is made for.
    TooFew {
        /// Values that are needed.
        needed: u64,
        /// Values that there are.
        found: u64,
    },
    /// Fewer samples than the test compares.
    TooFewSamples {
        /// Samples that are needed.
        needed: u64,
        /// Samples that there are.
        found: u64,
    },
    /// All values are equal.
    NoSpread,
    /// All values of each sample are equal: nothing says what chance does between them.
    NoSpreadWithin,
    /// The two values of every pair are equal.
    NoDifference,
    /// Every block has the samples in the same order: the statistic has no upper bound.
    NoDisorder,
    /// A figure beyond the largest number there is.
    BeyondRange,
    /// The figure is of other values than its row: of those that have a partner.
    OfPairs,
    /// An infinite value, or one that is not a number.
    NotFinite,
    /// A value that is not a number; infinite ones would be ranks like others.
    NotANumber,
    /// Samples that belong together value by value, of different sizes.
    NotPaired,
    /// An exact probability of samples that are too large for it.
    TooMany,
    /// A rating of a player between whom and every other all points went one way.
    OneSided,
    /// A distance of groups of players that share no game.
    NoGames,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::TooFew { needed, found } => write!(f, "too few values ({needed} needed, {found} found)"),
            Reason::TooFewSamples { needed, found } => write!(f, "too few samples ({needed} needed, {found} found)"),
            Reason::NoSpread => f.write_str("all values are equal"),
            Reason::NoSpreadWithin => f.write_str("within each sample all values are equal"),
            Reason::NoDifference => f.write_str("the values of every pair are equal"),
            Reason::NoDisorder => f.write_str("every block has the same order, so that the statistic is infinite"),
            Reason::BeyondRange => f.write_str("the figure is beyond the largest number (1.8e308)"),
            Reason::OfPairs => f.write_str(
                "some values of the row have no partner, and the letters are of pairs alone (ask for tests of pairs alone)",
            ),
            Reason::NotFinite => f.write_str("a value is not finite"),
            Reason::NotANumber => f.write_str("a value is not a number"),
            Reason::NotPaired => f.write_str("the samples have different sizes and are to be pairs"),
            Reason::TooMany => f.write_str("the samples are too large for the exact test"),
            Reason::OneSided => f.write_str("all points between the player and any other went one way"),
            Reason::NoGames => f.write_str("the groups share no game"),
        }
    }
}

impl std::error::Error for Reason {}

/// `needed` values at least.
pub(super) fn enough(values: &[f64], needed: u64) -> Result<(), Reason> {
    let found = values.len() as u64;
    if found < needed { Err(Reason::TooFew { needed, found }) } else { Ok(()) }
}

/// No infinite value, and none that is not a number.
pub(super) fn finite(values: &[f64]) -> Result<(), Reason> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Reason::NotFinite) }
}
