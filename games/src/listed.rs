//! What a game is listed by: its entry, and how a checked spec of it becomes a start.

use spec::{Entry, Fault, Spec};

use crate::Game;

/// Why reading a checked spec cannot fail.
pub(crate) const CHECKED: &str = "a checked spec has every option";

/// A game that a spec can name.
pub(crate) trait Listed: Game {
    /// Its name and options.
    const ENTRY: Entry;

    /// Checks what the options do not show one by one, and fills in those that follow from others.
    ///
    /// # Errors
    /// Options that do not go together.
    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let _ = spec;
        Ok(())
    }

    /// The start under the options of a checked spec.
    fn start(spec: &Spec) -> Self;
}

/// A number of plies.
///
/// # Panics
/// The spec has no such option, or it is not in the range of `u16`.
pub(crate) fn plies(spec: &Spec, key: &str) -> u16 {
    u16::try_from(spec.int(key).expect(CHECKED)).expect("the check keeps the range")
}
