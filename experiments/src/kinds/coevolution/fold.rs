//! What the games of a generation or benchmark come to.

use gp::{PrimitiveSet, Tree};
use serde_json::json;

use super::{breed::ranking, fitness::FIRST_POINTS};
use crate::{
    kinds::match_grid::Scores,
    plan::ClosedRows,
    value::{Row, Value},
};

/// Points and games of each individual.
pub(super) struct Fitness {
    /// Points, as if every game had a result: of games without one it gets the mean of its others.
    pub(super) points: Vec<f64>,
    games: Vec<u64>,
    /// Games each should have.
    of: u64,
}

impl Fitness {
    /// From the stored games of a generation of `individuals` that each should have `of` games.
    pub(super) fn read(rows: &mut dyn ClosedRows, individuals: usize, of: u64) -> Result<Self, String> {
        let (mut points, mut games) = (vec![0.0; individuals], vec![0u64; individuals]);
        let mut wrong = None;
        rows.for_each(&mut |trial, row| match game(row, individuals) {
            Some((seats, first)) => {
                for (seat, gained) in seats.into_iter().zip([first, 1.0 - first]) {
                    points[seat] += gained;
                    games[seat] += 1;
                }
            }
            None => wrong = Some(trial),
        })?;
        if let Some(trial) = wrong {
            return Err(format!("the row of trial {trial} is of no game between two of {individuals}"));
        }
        // Halves add up exactly; only a quarantined game makes a difference here.
        for (points, &games) in points.iter_mut().zip(&games).filter(|(_, games)| **games != of) {
            *points = if games == 0 { 0.0 } else { *points * of as f64 / games as f64 };
        }
        Ok(Fitness { points, games, of })
    }

    /// The fold of a generation.
    pub(super) fn fold(&self, generation: u32, trees: &[Tree], language: &PrimitiveSet) -> serde_json::Value {
        let size: Vec<usize> = trees.iter().map(Tree::size).collect();
        let depth: Vec<u32> = trees.iter().map(|tree| tree.depth(language)).collect();
        let introns: Vec<f64> = trees.iter().map(|tree| tree.introns(language) as f64 / tree.size() as f64).collect();
        let mut texts: Vec<String> = trees.iter().map(|tree| tree.to_text(language)).collect();
        texts.sort_unstable();
        texts.dedup();
        let best = ranking(&self.points)[0];
        let n = trees.len() as f64;
        let headline = format!(
            "generation {generation}: best {} and mean {:.1} of {} points, size {:.1}, depth {:.1}, introns {:.0} %, \
             {} of {} different",
            self.points[best],
            self.points.iter().sum::<f64>() / n,
            self.of,
            size.iter().sum::<usize>() as f64 / n,
            f64::from(depth.iter().sum::<u32>()) / n,
            100.0 * introns.iter().sum::<f64>() / n,
            texts.len(),
            trees.len(),
        );
        json!({
            "fitness": self.points, "games": self.games, "size": size, "depth": depth, "introns": introns,
            "best": best, "distinct": texts.len(), "headline": headline,
        })
    }
}

/// Individuals by seat and points of the first.
fn game(row: &Row, individuals: usize) -> Option<([usize; 2], f64)> {
    let index = |value: &Value| match value {
        Value::Int(index) => usize::try_from(*index).ok().filter(|&index| index < individuals),
        _ => None,
    };
    match row.get(FIRST_POINTS) {
        Some(Value::Real(points)) => Some(([index(&row[1])?, index(&row[2])?], *points)),
        _ => None,
    }
}

/// The fold of a benchmark whose pairs are these.
pub(super) fn of_benchmark(scores: &Scores, name: &str, pairs: &[[String; 2]]) -> serde_json::Value {
    let best = pairs.first().map(|[best, _]| best);
    let of_best = pairs.iter().zip(&scores.pairs).filter(|([contestant, _], _)| Some(contestant) == best);
    let shares: Vec<String> = of_best
        .filter(|(_, (games, _))| *games > 0)
        .map(|([_, opponent], (games, points))| format!("{:.3} v {opponent}", points / *games as f64))
        .collect();
    let games = scores.pairs.first().map_or(0, |(games, _)| *games);
    let headline = format!("{name}: best {} ({games} games each)", shares.join(", "));
    json!({ "scores": scores.to_json(pairs), "headline": headline })
}
