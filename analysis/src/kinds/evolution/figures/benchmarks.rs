//! Points in benchmarks over generations.

use record::facts::Role;

use crate::{
    forms::figure::{Chart, GENERATION, Look, Panel, Point, Scale, Series, point},
    kinds::{
        evolution::Evolution,
        grid::{Grid, PER_1000, PairGames},
    },
    statistics::moments::Moments,
};

/// Against each opponent the best individual with its interval, and the mean of the samples.
pub(crate) fn chart(evolution: &Evolution) -> Chart {
    let mut series = Vec::new();
    for (colour, opponent) in opponents(&evolution.benchmarks).into_iter().enumerate() {
        let best = points(evolution, |grid| {
            let pair = of(grid, Role::Best, opponent).into_iter().next()?;
            let spread = pair.share_interval().map(|(low, high)| (low * PER_1000, high * PER_1000));
            Some(Point { spread, ..point(0.0, pair.share() * PER_1000) })
        });
        let samples = points(evolution, |grid| {
            let points: Vec<f64> =
                of(grid, Role::Sample, opponent).iter().map(|pair| pair.share() * PER_1000).collect();
            Moments::of(&points).mean().map(|mean| point(0.0, mean))
        });
        series.push(Series { name: format!("best v {opponent}, 95 %"), colour, look: Look::Marked, points: best });
        if !samples.is_empty() {
            let name = format!("samples v {opponent}, mean");
            series.push(Series { name, colour, look: Look::Dashed, points: samples });
        }
    }
    let panel = Panel {
        title: format!("{}: points against fixed players", evolution.facts.header.experiment),
        x: GENERATION.into(),
        y: "points of 1000 games".into(),
        x_scale: Scale::Linear,
        y_range: Some((0.0, PER_1000)),
        y_scale: Scale::Linear,
        y_step: None,
        level: Some((0.5 * PER_1000, "equal strength")),
        series,
    };
    Chart { name: "benchmarks".into(), panels: vec![panel] }
}

/// Names in the order in which they first appear.
pub(crate) fn opponents(benchmarks: &[Grid]) -> Vec<&str> {
    let mut names = Vec::new();
    for pair in benchmarks.iter().flat_map(|grid| &grid.pairs) {
        if !names.contains(&pair.b.as_str()) {
            names.push(&pair.b);
        }
    }
    names
}

/// Pairs of a role against an opponent.
fn of<'a>(grid: &'a Grid, role: Role, opponent: &str) -> Vec<&'a PairGames> {
    grid.pairs_of(role).filter(|pair| pair.b == opponent).collect()
}

/// A point a benchmark that has one, moved to its generation.
fn points(evolution: &Evolution, of: impl Fn(&Grid) -> Option<Point>) -> Vec<Point> {
    let placed = |grid: &Grid| Some(Point { x: grid.meta.generation?.into(), ..of(grid)? });
    evolution.benchmarks.iter().filter_map(placed).collect()
}
