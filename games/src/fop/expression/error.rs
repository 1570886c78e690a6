//! What can be wrong with a formula.

use super::{LENGTH_MAX, NESTING_MAX, STACK_MAX};

/// A fault of a formula. Places are characters of the text, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something else stands where a part of a formula must be.
    #[error("at character {at} there is {found}, where {wanted} is expected{hint}")]
    Unexpected {
        /// Its place.
        at: usize,
        /// What stands there: a character between backticks, or that the text ends.
        found: String,
        /// What may stand there.
        wanted: &'static str,
        /// More, if more is known; begins with a semicolon.
        hint: String,
    },
    /// A name of nothing.
    #[error("at character {at} there is `{name}`, which is no name here; {hint}")]
    UnknownName {
        /// Its place.
        at: usize,
        /// The name as written.
        name: String,
        /// The name that was meant, or all there are.
        hint: String,
    },
    /// Digits that are no number, or one beyond all bounds.
    #[error("at character {at} there is `{digits}`, which is no finite number")]
    BadNumber {
        /// Its place.
        at: usize,
        /// The digits as written.
        digits: String,
    },
    /// More than the reader wants to read.
    #[error("it has {length} characters, and {LENGTH_MAX} are the most")]
    TooLong {
        /// Characters of the text.
        length: usize,
    },
    /// Too much inside one another.
    #[error(
        "from character {at} on it is nested too deeply: at most {NESTING_MAX} parentheses, signs and powers inside \
         one another, and {STACK_MAX} values that wait for others"
    )]
    TooDeep {
        /// Where it becomes so.
        at: usize,
    },
}
