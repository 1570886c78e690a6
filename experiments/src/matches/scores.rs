//! The scores of pairs: games and points of the first player of each.

use record::{Stage, Value, columns, facts::Seat, folds::PairScore};

use crate::plan::{ClosedRows, PlanError};

/// Games and points of the first player of each pair.
pub(crate) struct Scores {
    /// By pair: games, points.
    pub(crate) pairs: Vec<(u64, f64)>,
}

impl Scores {
    /// The scores of the stored games of `stage`, which has `pairs` pairs.
    pub(crate) fn read(stage: &Stage, rows: &mut dyn ClosedRows, pairs: usize, seat: Seat) -> Result<Self, PlanError> {
        let mut scores = vec![(0, 0.0); pairs];
        let mut wrong = None;
        let column = |name| stage.shape.index(name).ok_or(PlanError::Fact { stage: stage.index, fact: name });
        let (pair_at, points_at) = (column(columns::PAIR)?, column(columns::FIRST_POINTS)?);
        rows.for_each(&mut |trial, row| {
            let pair = match (row.get(pair_at), row.get(points_at)) {
                (Some(Value::Int(pair)), Some(Value::Real(points))) => {
                    usize::try_from(*pair).ok().map(|pair| (pair, *points))
                }
                _ => None,
            };
            match pair.and_then(|(pair, points)| scores.get_mut(pair).map(|score| (score, points))) {
                Some(((games, points), first)) => {
                    *games += 1;
                    *points += if seat.is_swapped(trial) { 1.0 - first } else { first };
                }
                None => wrong = Some(trial),
            }
        })?;
        match wrong {
            Some(trial) => Err(PlanError::Row { trial, reason: format!("its pair is not one of {pairs}") }),
            None => Ok(Scores { pairs: scores }),
        }
    }

    /// The scores as a fold has them, for pairs of these names.
    pub(crate) fn by_name(&self, pairs: &[[String; 2]]) -> Vec<PairScore> {
        let score = |([contestant, opponent], (games, points)): (&[String; 2], &(u64, f64))| PairScore {
            contestant: contestant.clone(),
            opponent: opponent.clone(),
            games: *games,
            points: *points,
        };
        pairs.iter().zip(&self.pairs).map(score).collect()
    }
}
