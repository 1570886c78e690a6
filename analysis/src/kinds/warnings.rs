//! Warnings that several kinds give.

pub(crate) const NOT_REPRODUCIBLE: &str =
    "not reproducible: a player has a time budget, so these figures depend on the machines and their load.";

/// A warning that trials have no result, if `found` is less than `trials`; `what` they are, and what follows from it.
pub(super) fn missing(found: u64, trials: u64, what: &str, consequence: &str) -> Option<String> {
    let missing = trials.saturating_sub(found);
    (missing > 0).then(|| {
        format!("{missing} of {trials} {what} have no result (quarantined after repeated failures). {consequence}")
    })
}
