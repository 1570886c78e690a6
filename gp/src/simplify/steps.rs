//! A bound on the work of simplifying, which searches branches again for each condition around them.

use std::cell::Cell;

/// Visits to parts of an expression in one simplification. Ordinary trees need some thousands.
const STEPS_MAX: u32 = 2_000_000;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(STEPS_MAX) };
}

/// Begins a simplification.
pub(super) fn begin() {
    LEFT.set(STEPS_MAX);
}

/// Takes a step, if one is left.
pub(super) fn take() -> bool {
    let left = LEFT.get();
    LEFT.set(left.saturating_sub(1));
    left > 0
}

/// Whether no step is left. Expressions then stay as they are: correct, but longer than they could be.
pub(super) fn are_spent() -> bool {
    LEFT.get() == 0
}
