//! The numbers by which replicates of a tuning are compared.

use super::{Tuning, WINNER};
use crate::kinds::{
    grid::{PER_1000, points_against},
    subject::Outcome,
};

/// What the winner takes on fresh games, and how much more than the defaults. The search's own points are left out:
/// they flatter the winner, that of a larger search more.
pub(super) fn outcomes(tuning: &Tuning) -> Vec<Outcome> {
    let Some(end) = &tuning.end else { return Vec::new() };
    let winner = end.grid.pairs.iter().filter(|pair| pair.a == WINNER);
    let drawn = |outcome| Outcome { drawn_about: Some(0.5 * PER_1000), ..outcome };
    let mut outcomes: Vec<Outcome> = winner.map(points_against).map(drawn).collect();
    if let (Some([winner, defaults]), lead) = (end.mean_taken(), end.mean_lead()) {
        outcomes.push(Outcome {
            name: "advantage over the defaults".to_owned(),
            value: (winner.share - defaults.share) * PER_1000,
            interval: lead.ok().map(|lead| (lead.ci95.0 * PER_1000, lead.ci95.1 * PER_1000)),
            digits: 1,
            range: (-PER_1000, PER_1000),
            opponent: None,
            note: Some(
                "Points are the winner's in the final stage, on games that it was not chosen for. advantage over the \
                 defaults: the winner's points minus theirs there, as a mean over the opponents.",
            ),
            drawn_about: Some(0.0),
        });
    }
    outcomes
}
