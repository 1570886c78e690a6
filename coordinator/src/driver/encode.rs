//! Ids and sets of trials in messages to workers.

use redqueen_wire as wire;

use crate::{ids::StageKey, ranges::RangeSet};

pub(super) fn ranges_of(trials: &RangeSet) -> Vec<wire::Range> {
    trials.iter().map(|range| wire::Range { start: range.start, end: range.end }).collect()
}

pub(super) fn stage_ref(stage: StageKey) -> wire::StageRef {
    wire::StageRef { run: stage.run.0.to_vec(), stage: stage.stage }
}

/// The message that tells a worker to forget a stage.
pub(super) fn forget(stage: StageKey) -> wire::coordinator_message::Kind {
    wire::coordinator_message::Kind::Forget(wire::Forget { stage: Some(stage_ref(stage)) })
}
