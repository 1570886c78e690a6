//! The connected workers and what the runs need, for `redqueen launch` and for people.

use std::time::Duration;

use redqueen_wire as wire;
use tonic::Status;

use crate::core::{Demand, MemberView};

/// Causes that a launcher may name, and their letters.
const CAUSES_MAX: usize = 16;
/// As above.
const CAUSE_LETTERS_MAX: usize = 24;

/// What a launcher says of its costs: causes with core-seconds.
///
/// # Errors
/// It is not what a launcher says.
pub(crate) fn costs(costs: Vec<wire::Cost>) -> Result<Vec<(String, f64)>, Status> {
    let fits = |cost: &wire::Cost| {
        let letters = cost.cause.bytes().all(|letter| letter.is_ascii_lowercase() || letter == b'-');
        letters && (1..=CAUSE_LETTERS_MAX).contains(&cost.cause.len()) && cost.core_seconds.is_finite()
    };
    if costs.len() > CAUSES_MAX || !costs.iter().all(fits) {
        return Err(Status::invalid_argument(format!(
            "costs are at most {CAUSES_MAX} numbers of core-seconds, each with a cause of lower-case letters and `-`, at most \
             {CAUSE_LETTERS_MAX} of them"
        )));
    }
    Ok(costs.into_iter().map(|cost| (cost.cause, cost.core_seconds)).collect())
}

/// Both on the wire.
pub(crate) fn reply(demand: Demand, members: Vec<MemberView>) -> wire::FleetReply {
    let [of_stages, left] = demand.left.unwrap_or([-1.0; 2]);
    let demand = wire::Demand {
        runs: demand.runs,
        open_runs: demand.open,
        seconds_left: left,
        seconds_left_of_stages: of_stages,
        trials_left: demand.trials,
        trial_seconds: demand.trial.unwrap_or(-1.0),
    };
    wire::FleetReply { workers: members.into_iter().map(member).collect(), demand: Some(demand) }
}

fn member(member: MemberView) -> wire::Member {
    let place = &member.worker.place;
    wire::Member {
        place: Some(wire::Place {
            host: place.host.clone(),
            allocation: place.allocation.clone(),
            restart: place.restart,
            leaves_in_ms: member.stays.map(millis),
        }),
        threads: member.worker.threads,
        held: member.held(),
        joined_ms: millis(member.joined),
        idle_ms: millis(member.idle),
        executed_us: u64::try_from(member.executed.as_micros()).unwrap_or(u64::MAX),
        leaving: member.leaving,
        name: member.worker.name,
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
