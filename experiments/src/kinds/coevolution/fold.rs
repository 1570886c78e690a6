//! Folds of generations and benchmarks: fitness from the stored games.

use gp::{PrimitiveSet, Tree};
use record::{
    Row, Shape, Stage, Value, columns,
    folds::{BenchmarkFold, GenerationFold},
};

use super::breed::ranking;
use crate::{
    matches::Scores,
    plan::{ClosedRows, PlanError},
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
    /// The fitness after the stored games of `stage`, a generation of `individuals` that each should have `of` games.
    pub(super) fn read(
        stage: &Stage,
        rows: &mut dyn ClosedRows,
        individuals: usize,
        of: u64,
    ) -> Result<Self, PlanError> {
        let at = GameColumns::of(&stage.shape).ok_or(PlanError::Fact { stage: stage.index, fact: "columns" })?;
        let (mut points, mut games) = (vec![0.0; individuals], vec![0u64; individuals]);
        let mut wrong = None;
        rows.for_each(&mut |trial, row| match at.game(row, individuals) {
            Some((seats, first)) => {
                for (seat, gained) in seats.into_iter().zip([first, 1.0 - first]) {
                    points[seat] += gained;
                    games[seat] += 1;
                }
            }
            None => wrong = Some(trial),
        })?;
        if let Some(trial) = wrong {
            let reason = format!("it is not of a game between two of {individuals} individuals");
            return Err(PlanError::Row { trial, reason });
        }
        // Halves add up exactly; only a quarantined game makes a difference here.
        for (points, &games) in points.iter_mut().zip(&games).filter(|(_, games)| **games != of) {
            *points = if games == 0 { 0.0 } else { *points * of as f64 / games as f64 };
        }
        Ok(Fitness { points, games, of })
    }

    /// The fold of a generation.
    pub(super) fn fold(&self, generation: u32, trees: &[Tree], language: &PrimitiveSet) -> GenerationFold {
        let size: Vec<u64> = trees.iter().map(|tree| tree.size() as u64).collect();
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
            size.iter().sum::<u64>() as f64 / n,
            f64::from(depth.iter().sum::<u32>()) / n,
            100.0 * introns.iter().sum::<f64>() / n,
            texts.len(),
            trees.len(),
        );
        GenerationFold {
            fitness: self.points.clone(),
            games: self.games.clone(),
            size,
            depth,
            introns,
            best,
            distinct: texts.len() as u64,
            headline,
        }
    }
}

/// Places of the columns that fitness is read from.
struct GameColumns {
    seats: [usize; 2],
    first_points: usize,
}

impl GameColumns {
    fn of(shape: &Shape) -> Option<Self> {
        let seats = [shape.index(columns::FIRST)?, shape.index(columns::SECOND)?];
        Some(GameColumns { seats, first_points: shape.index(columns::FIRST_POINTS)? })
    }

    /// Individuals by seat and points of the first.
    fn game(&self, row: &Row, individuals: usize) -> Option<([usize; 2], f64)> {
        let individual = |at: usize| match row.get(at) {
            Some(Value::Int(index)) => usize::try_from(*index).ok().filter(|&index| index < individuals),
            _ => None,
        };
        match row.get(self.first_points) {
            Some(Value::Real(points)) => Some(([individual(self.seats[0])?, individual(self.seats[1])?], *points)),
            _ => None,
        }
    }
}

/// The fold of a benchmark whose pairs are these.
pub(super) fn of_benchmark(scores: &Scores, name: &str, pairs: &[[String; 2]]) -> BenchmarkFold {
    let best = pairs.first().map(|[best, _]| best);
    let of_best = pairs.iter().zip(&scores.pairs).filter(|([contestant, _], _)| Some(contestant) == best);
    let shares: Vec<String> = of_best
        .filter(|(_, (games, _))| *games > 0)
        .map(|([_, opponent], (games, points))| format!("{:.3} v {opponent}", points / *games as f64))
        .collect();
    let games = scores.pairs.first().map_or(0, |(games, _)| *games);
    let headline = format!("{name}: best {} ({games} games each)", shares.join(", "));
    BenchmarkFold { scores: scores.by_name(pairs), headline }
}
