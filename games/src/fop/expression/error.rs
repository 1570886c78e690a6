//! Errors of formulas.

use super::{LENGTH_MAX, NESTING_MAX, STACK_MAX};

/// A fault of a formula. Places are characters of the text, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// Something else stands where a part of a formula is expected.
    #[error("at character {at} there is {found}, where {wanted} is expected{hint}")]
    Unexpected {
        /// Where it stands.
        at: usize,
        /// What stands there: a character between backticks, or `the end`.
        found: String,
        /// What is expected there.
        wanted: &'static str,
        /// A hint that begins with a semicolon, or nothing.
        hint: String,
    },
    /// An unknown name.
    #[error("at character {at} there is `{name}`, which is not a name here; {hint}")]
    UnknownName {
        /// Where it stands.
        at: usize,
        /// The name as written.
        name: String,
        /// The name that was meant, or all known names.
        hint: String,
    },
    /// Digits that are not a finite number.
    #[error("at character {at} there is `{digits}`, which is not a finite number")]
    BadNumber {
        /// Where it stands.
        at: usize,
        /// The digits as written.
        digits: String,
    },
    /// The text is too long.
    #[error("it has {length} characters, and {LENGTH_MAX} are the most")]
    TooLong {
        /// Characters of the text.
        length: usize,
    },
    /// Too many parentheses, signs or powers inside one another.
    #[error(
        "from character {at} on it is nested too deeply: at most {NESTING_MAX} parentheses, signs and powers inside \
         one another, and {STACK_MAX} values that wait for others"
    )]
    TooDeep {
        /// Where the limit is exceeded.
        at: usize,
    },
}
