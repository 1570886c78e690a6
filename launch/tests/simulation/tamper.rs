//! Faults made on purpose: what the core would do if it got something wrong. Each must be caught.

use launch::{
    core::Seen,
    systems::{JobState, RefusalClass},
};

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tamper {
    None,
    /// An unreadable queue counts as an empty one.
    UnreadableIsEmpty,
    /// A submission without an answer counts as refused.
    DoubtIsRefusal,
    /// Busy workers count as idle.
    BusyIsIdle,
    /// Jobs that wait are not counted as capacity.
    WaitingIsForgotten,
}

impl Tamper {
    /// What the core is told in place of the truth.
    pub(crate) fn seen(self, mut seen: Seen) -> Seen {
        match (self, &mut seen) {
            (Tamper::UnreadableIsEmpty, Seen::Queue(answer)) if answer.is_err() => *answer = Ok(Vec::new()),
            (Tamper::DoubtIsRefusal, Seen::Submitted { answer: Err(refusal), .. })
                if refusal.class == RefusalClass::Doubtful =>
            {
                refusal.class = RefusalClass::Busy;
            }
            (Tamper::BusyIsIdle, Seen::Fleet { members, .. }) => {
                for member in members {
                    member.idle_secs = member.idle_secs.or(Some(1e6));
                }
            }
            (Tamper::WaitingIsForgotten, Seen::Queue(Ok(listed))) => {
                listed.retain(|queued| queued.state != JobState::Waiting);
            }
            _ => {}
        }
        seen
    }
}
