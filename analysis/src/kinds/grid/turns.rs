//! The time of every decision, where a grid's rows have it (`turn-times`).
//!
//! Times are held as counts of values rounded to three digits, and summed exactly by turn, so that memory follows the
//! number of pairs and turns, and neither the size of batches nor their order can move a digit.

use std::collections::BTreeMap;

use polars::prelude::{DataFrame, PolarsError};

use crate::statistics::moments::Moments;

/// The columns, by seat.
pub(crate) const COLUMNS: [&str; 2] = ["first_turns", "second_turns"];

/// Digits that times are held with.
const DIGITS: u32 = 3;

/// What the decisions of one player of a pair took.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Turns {
    /// How often each time occurs, µs, rounded to three digits.
    times: BTreeMap<u64, u64>,
    /// By the player's own turn, counted from 0.
    by_turn: Vec<Sums>,
}

/// Sums over decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sums {
    n: u64,
    us: u64,
    squares: u128,
}

impl Sums {
    fn add(&mut self, other: &Sums) {
        let Sums { n, us, squares } = other;
        self.n += n;
        self.us += us;
        self.squares += squares;
    }

    fn moments(&self) -> Moments {
        Moments::of_sums(self.n, self.us.into(), i128::try_from(self.squares).unwrap_or(i128::MAX))
    }
}

impl Turns {
    /// The sum of several players' decisions.
    pub(crate) fn sum<'a>(of: impl IntoIterator<Item = &'a Turns>) -> Self {
        let mut sum = Turns::default();
        for turns in of {
            for (time, count) in &turns.times {
                *sum.times.entry(*time).or_default() += count;
            }
            for (turn, sums) in turns.by_turn.iter().enumerate() {
                sum.turn(turn).add(sums);
            }
        }
        sum
    }

    /// Whether there are no decisions.
    pub(crate) fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Counts a decision.
    pub(crate) fn count(&mut self, turn: &Turn) {
        let us = turn.us;
        *self.times.entry(rounded(us)).or_default() += 1;
        let place = usize::try_from(turn.ply / 2).unwrap_or(usize::MAX);
        self.turn(place).add(&Sums { n: 1, us, squares: u128::from(us).pow(2) });
    }

    fn turn(&mut self, turn: usize) -> &mut Sums {
        if self.by_turn.len() <= turn {
            self.by_turn.resize(turn + 1, Sums::default());
        }
        &mut self.by_turn[turn]
    }

    /// Times of a decision, µs, over all turns.
    pub(crate) fn moments(&self) -> Moments {
        self.between(0, self.by_turn.len())
    }

    /// Times of a decision, µs, over turns `from..to`.
    pub(crate) fn between(&self, from: usize, to: usize) -> Moments {
        let mut sums = Sums::default();
        self.by_turn.iter().take(to).skip(from).for_each(|of_turn| sums.add(of_turn));
        sums.moments()
    }

    /// Moments by turn.
    pub(crate) fn by_turn(&self) -> impl Iterator<Item = Moments> {
        self.by_turn.iter().map(Sums::moments)
    }

    /// The time, µs to three digits, that a share `p` of the decisions did not exceed; `None` without any.
    pub(crate) fn quantile(&self, p: f64) -> Option<f64> {
        let n: u64 = self.times.values().sum();
        let wanted = (p * n as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        let found = self.times.iter().find(|(_, count)| {
            seen += **count;
            seen >= wanted
        });
        found.map(|(time, _)| *time as f64)
    }

    /// At most `most` values that are distributed as the times are.
    pub(crate) fn sample(&self, most: usize) -> Vec<f64> {
        let n = usize::try_from(self.times.values().sum::<u64>()).unwrap_or(usize::MAX).min(most);
        (0..n).filter_map(|i| self.quantile((i as f64 + 0.5) / n as f64)).collect()
    }

    /// Times and how often each occurs.
    pub(crate) fn times(&self) -> impl Iterator<Item = (f64, u64)> {
        self.times.iter().map(|(time, count)| (*time as f64, *count))
    }
}

/// To [`DIGITS`] digits.
fn rounded(us: u64) -> u64 {
    let digits = us.checked_ilog10().map_or(0, |log| log + 1);
    let unit = 10u64.pow(digits.saturating_sub(DIGITS));
    // The largest times have no room above them.
    us.saturating_add(unit / 2) / unit * unit
}

/// A decision of a row.
pub(crate) struct Turn {
    pub(crate) trial: i64,
    /// Index of the pair.
    pub(crate) pair: i64,
    /// 0 for the first.
    pub(crate) seat: usize,
    /// Moves of both sides before it.
    ply: u64,
    us: u64,
}

/// Gives every decision of a batch of games to `sink`.
///
/// # Errors
/// What is wrong with a row.
pub(crate) fn each(batch: &DataFrame, mut sink: impl FnMut(&Turn)) -> Result<(), Wrong> {
    let (trials, pairs) = (batch.column("trial")?.i64()?, batch.column("pair")?.i64()?);
    for (seat, name) in COLUMNS.into_iter().enumerate() {
        let texts = batch.column(name)?.str()?;
        for ((trial, pair), text) in trials.iter().zip(pairs.iter()).zip(texts.iter()) {
            let (Some(trial), Some(pair), Some(text)) = (trial, pair, text) else { continue };
            for turn in text.split_whitespace() {
                let parts = turn.split_once(':').and_then(|(ply, us)| Some((ply.parse().ok()?, us.parse().ok()?)));
                let wrong = || Wrong::Turn { trial, column: name, found: turn.to_owned() };
                let (ply, us) = parts.filter(|(ply, _)| *ply < PLIES_MAX).ok_or_else(wrong)?;
                sink(&Turn { trial, pair, seat, ply, us });
            }
        }
    }
    Ok(())
}

/// No game is longer: a ply that is would only take memory.
const PLIES_MAX: u64 = 1 << 20;

/// Why a batch cannot be added.
pub(crate) enum Wrong {
    /// Polars cannot read it.
    Polars(PolarsError),
    /// A text is not of its form.
    Turn {
        /// The row's trial.
        trial: i64,
        /// Which of [`COLUMNS`].
        column: &'static str,
        /// The part that is not `ply:µs`.
        found: String,
    },
}

impl From<PolarsError> for Wrong {
    fn from(error: PolarsError) -> Self {
        Wrong::Polars(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_to_three_digits() {
        for (us, wanted) in [(0, 0), (7, 7), (999, 999), (1_004, 1_000), (1_005, 1_010), (99_950, 100_000)] {
            assert_eq!(rounded(us), wanted, "{us}");
        }
        assert_eq!(rounded(u64::MAX), 18_400_000_000_000_000_000);
    }

    /// 2, 4, 4 and 10 µs by hand.
    #[test]
    fn quantiles_moments_and_turns_by_hand() {
        let mut turns = Turns::default();
        for (ply, us) in [(0, 2), (2, 4), (1, 4), (7, 10)] {
            turns.count(&Turn { trial: 0, pair: 0, seat: 0, ply, us });
        }
        assert_eq!(
            [0.0, 0.25, 0.26, 0.75, 0.76, 1.0].map(|p| turns.quantile(p)),
            [2.0, 2.0, 4.0, 4.0, 10.0, 10.0].map(Some)
        );
        assert_eq!(turns.sample(2), [2.0, 4.0]);
        assert_eq!(turns.sample(100), [2.0, 4.0, 4.0, 10.0]);
        assert_eq!((turns.moments().mean(), turns.moments().variance()), (Some(5.0), Some(12.0)));
        // Plies 0 and 1 are the first turns of either side, ply 2 a second one, ply 7 a fourth.
        assert_eq!(
            turns.by_turn().map(|m| (m.n, m.mean())).collect::<Vec<_>>(),
            [(2, Some(3.0)), (1, Some(4.0)), (0, None), (1, Some(10.0))]
        );
        assert_eq!((turns.between(1, 9).n, turns.between(1, 9).mean()), (2, Some(7.0)));
        let twice = Turns::sum([&turns, &turns]);
        assert_eq!((twice.moments().n, twice.moments().mean(), twice.quantile(0.5)), (8, Some(5.0), Some(4.0)));
        assert_eq!(Turns::default().quantile(0.5), None);
    }
}
