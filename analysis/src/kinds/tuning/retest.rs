//! The final stage: the winner of a search and the defaults, on games that no candidate was chosen by.
//!
//! The observations are units of two games, which share their luck. Pairs of players have seeds of their own, so that
//! the winner's units and the defaults' are independent.

use record::facts::Candidate;

use crate::{
    kinds::grid::{Grid, PairGames},
    statistics::{
        CONFIDENCE, Reason,
        contrast::{self, Contrast},
        interval,
        moments::Moments,
    },
};

pub(crate) use record::facts::{DEFAULTS, WINNER};

/// The final stage of a tuning.
#[derive(Clone, Debug)]
pub(crate) struct Final {
    /// The winner, with its games and points in the search, for which it was chosen.
    pub(crate) winner: Candidate,
    pub(crate) grid: Grid,
}

/// What a player took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Taken {
    pub(crate) games: u64,
    /// Share of the points.
    pub(crate) share: f64,
    /// Interval of the share at 95 %.
    pub(crate) interval: Option<(f64, f64)>,
}

impl Taken {
    fn of(pair: &PairGames) -> Self {
        Taken { games: pair.games, share: pair.share(), interval: pair.share_interval() }
    }

    /// The other side's.
    pub(crate) fn turned(self) -> Self {
        let interval = self.interval.map(|(low, high)| (1.0 - high, 1.0 - low));
        Taken { share: 1.0 - self.share, interval, ..self }
    }
}

impl Final {
    fn pair(&self, player: &str, opponent: &str) -> Option<&PairGames> {
        self.grid.pairs.iter().find(|pair| pair.a == player && pair.b == opponent)
    }

    /// Winner and defaults against the same opponent, for every one that both have met.
    fn met(&self) -> impl Iterator<Item = [&PairGames; 2]> {
        let winners = self.grid.pairs.iter().filter(|pair| pair.a == WINNER && pair.b != DEFAULTS);
        winners.filter_map(|winner| Some([winner, self.pair(DEFAULTS, &winner.b)?]))
    }

    /// Those opponents, in the order of the grid.
    pub(crate) fn opponents(&self) -> Vec<&str> {
        self.met().map(|[winner, _]| winner.b.as_str()).collect()
    }

    /// What winner and defaults took against `opponent`.
    pub(crate) fn taken(&self, opponent: &str) -> Option<[Taken; 2]> {
        self.met().find(|[winner, _]| winner.b == opponent).map(|pairs| pairs.map(Taken::of))
    }

    /// The same as means over the opponents, each counted alike.
    pub(crate) fn mean_taken(&self) -> Option<[Taken; 2]> {
        let met: Vec<[&PairGames; 2]> = self.met().collect();
        let weight = 1.0 / met.len() as f64;
        let taken = |player: usize| {
            let pairs = || met.iter().map(|pairs| pairs[player]);
            let games = pairs().map(|pair| pair.games).sum();
            let units: Vec<(f64, Moments)> = pairs().map(|pair| (weight, pair.units())).collect();
            // As of a single pair: Wilson's over games where units say nothing of their spread.
            let student = contrast::test(&units).map(|found| (found.ci95.0.max(0.0), found.ci95.1.min(1.0)));
            let points = pairs().map(PairGames::points).sum();
            let interval = student.ok().or_else(|| interval::wilson(points, games, CONFIDENCE));
            Taken { games, share: pairs().map(|pair| weight * pair.share()).sum(), interval }
        };
        (!met.is_empty()).then(|| [taken(0), taken(1)])
    }

    /// The winner's share minus the defaults' against `opponent`, over units (Welch's t).
    pub(crate) fn lead(&self, opponent: &str) -> Result<Contrast, Reason> {
        lead(self.met().filter(|[winner, _]| winner.b == opponent))
    }

    /// The same as a mean over the opponents, each counted alike.
    pub(crate) fn mean_lead(&self) -> Result<Contrast, Reason> {
        lead(self.met())
    }

    /// What the winner took against the defaults themselves.
    pub(crate) fn head_to_head(&self) -> Option<Taken> {
        self.pair(WINNER, DEFAULTS).map(Taken::of)
    }

    /// Its share of these games minus theirs, over units (Student's t).
    pub(crate) fn head_to_head_lead(&self) -> Result<Contrast, Reason> {
        let pair = self.pair(WINNER, DEFAULTS).ok_or(Reason::TooFew { needed: 2, found: 0 })?;
        // What one takes the other does not: the lead of a share s is 2 s - 1.
        let twice = pair.units().scaled(2.0);
        contrast::test(&[(1.0, twice.moved(-1.0))])
    }
}

fn lead<'a>(met: impl Iterator<Item = [&'a PairGames; 2]>) -> Result<Contrast, Reason> {
    let units: Vec<[Moments; 2]> = met.map(|pairs| pairs.map(PairGames::units)).collect();
    if units.is_empty() {
        return Err(Reason::TooFew { needed: 2, found: 0 });
    }
    let weight = 1.0 / units.len() as f64;
    let terms: Vec<(f64, Moments)> =
        units.into_iter().flat_map(|[winner, defaults]| [(weight, winner), (-weight, defaults)]).collect();
    contrast::test(&terms)
}
