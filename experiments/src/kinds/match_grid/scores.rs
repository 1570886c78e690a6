//! What the games of a stage of pairs come to.

use serde_json::json;

use super::Seating;
use crate::{plan::ClosedRows, value::Value};

/// Games and points of the first player of each pair.
pub(crate) struct Scores {
    /// By pair: games, points.
    pub(crate) pairs: Vec<(u64, f64)>,
}

impl Scores {
    /// From the stored games of a stage of shape `match` with `pairs` pairs.
    pub(crate) fn read(rows: &mut dyn ClosedRows, pairs: usize, seating: Seating) -> Result<Self, String> {
        let mut scores = vec![(0, 0.0); pairs];
        let mut wrong = None;
        rows.for_each(&mut |trial, row| {
            let pair = match (row.first(), row.get(4)) {
                (Some(Value::Int(pair)), Some(Value::Real(points))) => {
                    usize::try_from(*pair).ok().map(|pair| (pair, *points))
                }
                _ => None,
            };
            match pair.and_then(|(pair, points)| scores.get_mut(pair).map(|score| (score, points))) {
                Some(((games, points), first)) => {
                    *games += 1;
                    *points += if seating.is_swapped(trial) { 1.0 - first } else { first };
                }
                None => wrong = Some(trial),
            }
        })?;
        match wrong {
            Some(trial) => Err(format!("the row of trial {trial} is of no pair")),
            None => Ok(Scores { pairs: scores }),
        }
    }

    /// A fold's list of them, for pairs of these names.
    pub(crate) fn to_json(&self, pairs: &[[String; 2]]) -> Vec<serde_json::Value> {
        let score = |([contestant, opponent], (games, points)): (&[String; 2], &(u64, f64))| json!({ "contestant": contestant, "opponent": opponent, "games": games, "points": points });
        pairs.iter().zip(&self.pairs).map(score).collect()
    }
}
