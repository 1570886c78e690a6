//! How the search of a tuning fared, and what its winner is worth.

use crate::{
    forms::figure::{Chart, GENERATION, Look, Panel, Point, Scale, Series, point},
    kinds::tuning::{Final, Generation, Taken, Tuning, share_interval},
    statistics::quantile::quantile,
};

/// Shares over generations: the highest, the mean with its middle half, the leader's with its interval; behind the last
/// one what winner and defaults take in the final stage.
pub(crate) fn chart(tuning: &Tuning) -> Chart {
    let of = |point: &dyn Fn(&Generation) -> Option<Point>| -> Vec<Point> {
        let placed = |g: &Generation| Some(Point { x: g.number.into(), ..point(g)? });
        tuning.generations.iter().filter_map(placed).collect()
    };
    let leader = of(&|g| Some(Point { spread: share_interval(&g.leader), ..point(0.0, g.leader.share()?) }));
    let best = of(&|g| Some(point(0.0, g.best_share()?)));
    let mean = of(&|g| {
        let shares = g.shares();
        let spread = Some((quantile(&shares, 0.25)?, quantile(&shares, 0.75)?));
        Some(Point { spread, ..point(0.0, g.mean_share()?) })
    });
    let line = |name: &str, colour, look, points| Series { name: name.to_owned(), colour, look, points };
    let mut series = vec![
        line("highest share of a candidate", 6, Look::Dashed, best),
        line("leader, band 95 % (Wilson)", 1, Look::Line, leader),
        line("mean, band the middle half of candidates", 0, Look::DashedBand, mean),
    ];
    series.extend(tuning.end.iter().flat_map(|end| retested(end, tuning.generations.len() as f64)));
    let end = if tuning.is_finished() { "; after the last: the final stage" } else { "" };
    let panel = Panel {
        title: format!("{}: {} search", tuning.facts.header.experiment, tuning.facts.algorithm),
        x: format!("{GENERATION}{end}"),
        y: "share of the points, of all games so far".into(),
        // A line at an end would be cut in half.
        x_scale: Scale::Linear,
        y_range: Some((0.0, 1.02)),
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series,
    };
    Chart { name: "tuning".into(), panels: vec![panel] }
}

/// A mark at `x` for each of the two.
fn retested(end: &Final, x: f64) -> Vec<Series> {
    let names = ["winner on fresh games, 95 %", "defaults on fresh games, 95 %"];
    let taken = end.mean_taken().into_iter().flatten();
    let mark = |(i, (taken, name)): (usize, (Taken, &str))| Series {
        name: name.to_owned(),
        colour: [1, 2][i],
        look: Look::Marked,
        points: vec![Point { spread: taken.interval, ..point(x, taken.share) }],
    };
    taken.zip(names).enumerate().map(mark).collect()
}
