//! Bradley-Terry ratings (Bradley and Terry 1952) on the Elo scale.
//!
//! The chance that i takes a point from j is 1 / (1 + 10^((r_j - r_i) / 400)); a draw is half a point to each. Ratings
//! are those of greatest likelihood. They are finite within a group of players between whom points went both ways, and
//! have mean 0 there. Where one group took every point from another, how far it is above has a lower bound and no
//! estimate; players that never met, not even through others, are in pools of their own.

mod fit;
mod groups;
mod matrix;

use std::collections::BTreeMap;

use crate::statistics::tails;
use groups::Groups;

/// Points that one player took from another.
#[derive(Clone, Debug, PartialEq)]
pub struct Score {
    /// One player's index.
    pub a: usize,
    /// The other's.
    pub b: usize,
    /// Games between them.
    pub games: f64,
    /// Points of `a`.
    pub points: f64,
    /// Observations that are independent of one another: units of two games with shared luck, or the games.
    pub units: u64,
    /// Variance of `points` from the spread over those units; `None` of fewer than two.
    pub variance: Option<f64>,
}

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo points above the mean of its group.
    pub elo: f64,
    /// Standard error of the same.
    pub error: f64,
    /// Degrees of freedom of the error; infinite where games are taken as tosses of one coin.
    pub df: f64,
}

impl Rating {
    /// Student's interval.
    pub fn interval(&self, confidence: f64) -> (f64, f64) {
        let upper = 0.5 + 0.5 * confidence;
        let quantile =
            if self.df.is_finite() { tails::student_quantile(upper, self.df) } else { tails::normal_quantile(upper) };
        (self.elo - quantile * self.error, self.elo + quantile * self.error)
    }
}

/// Where a player stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Index, from 0, of the pool of players that met, directly or through others.
    pub pool: usize,
    /// Index, from 0 in the pool, of the group of players between whom points went both ways. A group that took all points
    /// comes before the group that lost them.
    pub group: usize,
    /// Rating within the group; `None` if the player is alone in it.
    pub rating: Option<Rating>,
}

/// Where every player stands, and what lies between groups.
#[derive(Clone, Debug, PartialEq)]
pub struct Standings {
    /// By player.
    pub players: Vec<Standing>,
    /// By pool and group: Elo points that the group is at least above the next of its pool, as a mean over the games
    /// between them, at [`GAP_CONFIDENCE`]; `None` where there are no such games.
    pub gaps: BTreeMap<(usize, usize), Option<f64>>,
}

/// One-sided confidence of the bounds between groups.
pub const GAP_CONFIDENCE: f64 = 0.95;
/// Elo points of a factor e in odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;

/// Rates players `0..players`. A player's games against itself say nothing.
pub fn rate(players: usize, scores: &[Score]) -> Standings {
    let groups = Groups::of(players, scores);
    let mut place = vec![0; players];
    for members in &groups.members {
        members.iter().enumerate().for_each(|(at, &player)| place[player] = at);
    }
    let mut inside: Vec<Vec<Score>> = vec![Vec::new(); groups.members.len()];
    // A single group takes the scores as they are: they may be many, and a copy costs.
    let is_whole = groups.members.len() == 1 && scores.iter().all(|score| score.games > 0.0 && score.a != score.b);
    let mut between: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for score in scores.iter().filter(|score| !is_whole && score.games > 0.0 && score.a != score.b) {
        let (a, b) = (groups.group[score.a], groups.group[score.b]);
        if a == b {
            inside[a].push(Score { a: place[score.a], b: place[score.b], ..score.clone() });
        } else {
            *between.entry((a.min(b), a.max(b))).or_default() += score.units.max(1);
        }
    }
    let mut standings = vec![Standing { pool: 0, group: 0, rating: None }; players];
    let mut gaps = BTreeMap::new();
    let mut first_of_pool = 0;
    for (group, members) in groups.members.iter().enumerate() {
        let pool = groups.pool[members[0]];
        let next_pool = groups.members.get(group + 1).map(|next| groups.pool[next[0]]);
        let number = group - first_of_pool;
        let scores = if is_whole { scores } else { &inside[group] };
        let ratings = if members.len() > 1 { fit::ratings(members.len(), scores) } else { Vec::new() };
        for (at, &player) in members.iter().enumerate() {
            standings[player] = Standing { pool, group: number, rating: ratings.get(at).copied() };
        }
        if next_pool == Some(pool) {
            gaps.insert((pool, number), between.get(&(group, group + 1)).map(|&units| least_gap(units)));
        } else {
            first_of_pool = group + 1;
        }
    }
    Standings { players: standings, gaps }
}

/// Elo points that are exceeded if `units` units without a lost point are no luck. With games of several chances, their
/// mean on this scale has this bound too, because the logarithm of the logistic function is concave.
fn least_gap(units: u64) -> f64 {
    let chance = (1.0 - GAP_CONFIDENCE).powf(1.0 / units as f64);
    ELO * (chance / (1.0 - chance)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(a: usize, b: usize, games: f64, points: f64) -> Score {
        // So many units that their variance is known.
        Score { a, b, games, points, units: 1 << 60, variance: None }
    }

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-8, "{found} is not {wanted}");
    }

    fn rated(players: usize, scores: &[Score]) -> Vec<Rating> {
        rate(players, scores).players.iter().map(|standing| standing.rating.expect("a rating")).collect()
    }

    #[test]
    fn two_players_have_a_closed_form() {
        // Points 75 of 100: odds 3; Elo difference 400 log10 3; variance of the log-odds 1 / (100 * 0.75 * 0.25).
        let ratings = rated(2, &[Score { units: 0, ..score(0, 1, 100.0, 75.0) }]);
        let difference = 400.0 * 3f64.log10();
        near(ratings[0].elo, difference / 2.0);
        near(ratings[1].elo, -difference / 2.0);
        let error = ELO * (1.0 / (100.0 * 0.75 * 0.25f64)).sqrt() / 2.0;
        near(ratings[0].error, error);
        // A quarter of the variance halves the error and moves no rating.
        let quieter = rated(2, &[Score { variance: Some(0.25 * 18.75), ..score(0, 1, 100.0, 75.0) }]);
        near(quieter[0].elo, ratings[0].elo);
        near(quieter[0].error, error / 2.0);
    }

    #[test]
    fn consistent_odds_are_found_again() {
        // Strengths 4 : 2 : 1 and expected points: the likelihood is greatest at the truth.
        let weights = [4.0f64, 2.0, 1.0];
        let expected = |a: usize, b: usize| score(a, b, 60.0, 60.0 * weights[a] / (weights[a] + weights[b]));
        let ratings = rated(3, &[expected(0, 1), expected(0, 2), expected(1, 2)]);
        near(ratings[0].elo - ratings[1].elo, 400.0 * 2f64.log10());
        near(ratings[1].elo - ratings[2].elo, 400.0 * 2f64.log10());
        near(ratings.iter().map(|r| r.elo).sum(), 0.0);
    }

    /// scipy.optimize.root on the gradient of the likelihood, numpy.linalg.pinv of the information (SciPy 1.17.1), and
    /// the errors and degrees of freedom by the formulas of `fit`: another parametrisation, another solver, another way
    /// to the mean.
    #[test]
    fn agrees_with_scipy_on_a_grid_with_gaps() {
        let of = |a, b, games, points, variance| Score { a, b, games, points, units: games as u64 / 2, variance };
        let scores = [
            of(0, 1, 40.0, 25.5, Some(6.0)),
            of(0, 2, 10.0, 9.5, None),
            of(1, 2, 30.0, 12.0, Some(5.0)),
            of(1, 3, 50.0, 33.0, None),
            of(2, 3, 20.0, 7.5, Some(4.5)),
        ];
        let wanted = [
            (133.010_788_931_034_6, 37.839_075_044_590_95, 28.069_818_017_727_982),
            (-4.776_340_913_937_814, 22.179_546_934_034_324, 23.108_297_260_729_366),
            (-54.111_541_778_444_185, 32.136_496_453_163_64, 33.651_464_406_966_42),
            (-74.122_906_238_652_62, 32.478_480_509_594_526, 11.560_268_732_465_22),
        ];
        for (rating, (elo, error, df)) in rated(4, &scores).iter().zip(wanted) {
            near(rating.elo, elo);
            near(rating.error, error);
            near(rating.df, df);
        }
    }

    #[test]
    fn a_gap_has_a_bound_by_hand() {
        // 0 and 1 took all of 4 + 4 units from 2 and 3; 0.05^(1/8) = 0.68766, odds of 2.20162: 137.1 Elo.
        let units = |a, b, points| Score { units: 4, ..score(a, b, 8.0, points) };
        let found = rate(4, &[units(0, 1, 4.0), units(2, 3, 6.0), units(0, 2, 8.0), units(1, 3, 8.0)]);
        let places: Vec<(usize, usize)> =
            found.players.iter().map(|standing| (standing.pool, standing.group)).collect();
        assert_eq!(places, [(0, 0), (0, 0), (0, 1), (0, 1)]);
        let gap = found.gaps[&(0, 0)].expect("a bound");
        assert!((gap - 137.1).abs() < 0.05, "{gap}");
        assert_eq!(found.gaps.len(), 1);
        // Each group is rated as if it were alone.
        let alone = rate(2, &[units(0, 1, 6.0)]).players;
        assert_eq!(found.players[2].rating, alone[0].rating);
    }

    #[test]
    fn who_never_met_is_in_another_pool() {
        let found = rate(5, &[score(0, 1, 10.0, 5.0), score(2, 3, 10.0, 9.0)]);
        let places: Vec<(usize, usize)> =
            found.players.iter().map(|standing| (standing.pool, standing.group)).collect();
        assert_eq!(places, [(0, 0), (0, 0), (1, 0), (1, 0), (2, 0)]);
        near(found.players[2].rating.expect("a rating").elo, 200.0 * 9f64.log10());
        assert_eq!((found.players[4].rating, found.gaps.len()), (None, 0));
    }

    /// One player above all, one below, and no games between 1 and 2: nothing is known of their distance.
    #[test]
    fn groups_without_a_game_between_them_have_no_bound() {
        let found = rate(4, &[score(0, 1, 10.0, 10.0), score(0, 2, 10.0, 10.0), score(1, 3, 10.0, 10.0)]);
        assert!(found.players.iter().all(|standing| standing.pool == 0 && standing.rating.is_none()));
        assert!(found.gaps[&(0, 0)].is_some() && found.gaps[&(0, 1)].is_none(), "{:?}", found.gaps);
    }
}
