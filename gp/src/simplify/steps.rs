//! A bound of the work that simplifying takes: what conditions say of their branches is looked for again and again.

use std::cell::Cell;

/// Looks at a part of an expression, of all in one simplification. Ordinary trees need some thousands.
const STEPS_MAX: u32 = 2_000_000;

thread_local! {
    static LEFT: Cell<u32> = const { Cell::new(STEPS_MAX) };
}

/// A simplification begins.
pub(super) fn begin() {
    LEFT.set(STEPS_MAX);
}

/// Whether there is a step left; takes it.
pub(super) fn take() -> bool {
    let left = LEFT.get();
    LEFT.set(left.saturating_sub(1));
    left > 0
}

/// Whether none is left: then an expression is what it is, which is right and longer than it could be.
pub(super) fn are_spent() -> bool {
    LEFT.get() == 0
}
