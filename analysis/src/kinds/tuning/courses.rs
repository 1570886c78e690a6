//! How a search went, for figures of replicates.

use super::{Generation, Tuning};
use crate::{forms::figure::Look, kinds::subject::Course};

/// Shares of the leader and of all candidates. Over games, not generations: those of two algorithms differ in size.
pub(super) fn courses(tuning: &Tuning) -> Vec<Course> {
    let course = |title: &str, of: &dyn Fn(&Generation) -> Option<f64>| Course {
        figure: "replicate-tunings",
        title: title.to_owned(),
        x: "games of the search so far",
        y: "share of the points",
        range: Some((0.0, 1.02)),
        level: None,
        looks: [Look::Line, Look::DashedBand],
        points: by_games(tuning, of),
    };
    vec![
        course("leader of the search", &|generation| generation.leader.share()),
        course("mean of a generation's candidates", &|generation| generation.mean_share()),
    ]
}

/// A value of each generation, by the games that the search should have by then.
fn by_games(tuning: &Tuning, of: &dyn Fn(&Generation) -> Option<f64>) -> Vec<(u64, f64)> {
    let mut games = 0;
    let value = |generation: &Generation| {
        games += generation.played.trials;
        Some((games, of(generation)?))
    };
    tuning.generations.iter().filter_map(value).collect()
}
