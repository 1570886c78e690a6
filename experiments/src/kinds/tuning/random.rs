//! Search at random: what every other algorithm must beat on an equal budget.

use players::TrialRng;

use super::{
    algorithm::{Closed, Member, fresh},
    candidates::{Candidate, ranking},
    space::Space,
};

/// Whoever leads the generation plays again, beside candidates that are drawn anew.
pub(super) fn next(space: &Space, population: usize, closed: &Closed<'_>, draws: &mut TrialRng) -> Vec<Member> {
    let best = ranking(closed.candidates, Candidate::leads)[0];
    let mut next = vec![Member::Stays(best)];
    next.extend(fresh(space, population - 1, draws));
    next
}
