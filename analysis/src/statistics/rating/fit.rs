//! Ratings of greatest likelihood within one group, and what chance does to them.
//!
//! They are found by Newton's method. Their errors come from the inverse of the observed information with the variance
//! that points have over units in place of the binomial one (White's sandwich, 1982). What few units say of their own
//! variance is weighed with what all units of the group say (one dispersion of the binomial variance), and that with
//! the binomial one; degrees of freedom are Satterthwaite's (1946).

use super::{
    ELO, Rating, Score,
    matrix::{cholesky, solve},
};

/// Newton steps after which there is no more to gain.
const STEPS_MAX: usize = 100;
/// A step this small leaves an error of its square.
const STEP_MIN: f64 = 1e-9;
/// A step of many units of log-odds overshoots.
const STEP_MAX: f64 = 2.0;
/// Observations that the group's dispersion counts for beside a pair's own units.
const OF_GROUP: f64 = 4.0;
/// Observations that the binomial variance counts for beside all units of the group.
const OF_COIN: f64 = 2.0;

/// Ratings of the players `0..players`, at least two, between whom points went both ways.
pub(super) fn ratings(players: usize, scores: &[Score]) -> Vec<Rating> {
    let Some((strength, factor)) = strengths(players, scores) else {
        // The games tell the players apart by more than doubles can say.
        return Vec::new();
    };
    let errors = Errors::of(players, scores, &strength, &factor);
    let mean = strength.iter().sum::<f64>() / players as f64;
    let rating = |player: usize| {
        let (error, df) = errors.of_player(player);
        Rating { elo: ELO * (strength[player] - mean), error: ELO * error, df }
    };
    (0..players).map(rating).collect()
}

/// Strengths in natural log-odds, that of the last player 0, and the factored information of the others.
fn strengths(players: usize, scores: &[Score]) -> Option<(Vec<f64>, Vec<f64>)> {
    let free = players - 1;
    let mut strength = vec![0.0; players];
    for _ in 0..STEPS_MAX {
        let (gradient, information) = slopes(players, scores, &strength);
        let mut step = solve(&cholesky(&information, free)?, &gradient);
        let longest = step.iter().fold(0.0f64, |a, s| a.max(s.abs()));
        if longest > STEP_MAX {
            step.iter_mut().for_each(|s| *s *= STEP_MAX / longest);
        }
        step.iter().zip(&mut strength).for_each(|(s, r)| *r += s);
        if longest < STEP_MIN {
            break;
        }
    }
    let (_, information) = slopes(players, scores, &strength);
    Some((strength, cholesky(&information, free)?))
}

/// The chance that `a` takes a point from `b`.
fn chance(strength: &[f64], score: &Score) -> f64 {
    1.0 / (1.0 + libm::exp(strength[score.b] - strength[score.a]))
}

/// Gradient of the log-likelihood and its observed information, of all players but the last.
fn slopes(players: usize, scores: &[Score], strength: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let free = players - 1;
    let mut gradient = vec![0.0; free];
    let mut information = vec![0.0; free * free];
    for score in scores {
        let &Score { a, b, games, points, .. } = score;
        let share = chance(strength, score);
        let surplus = points - games * share;
        let weight = games * share * (1.0 - share);
        for (player, sign) in [(a, 1.0), (b, -1.0)] {
            if player < free {
                gradient[player] += sign * surplus;
                information[player * free + player] += weight;
            }
        }
        if a < free && b < free {
            information[a * free + b] -= weight;
            information[b * free + a] -= weight;
        }
    }
    (gradient, information)
}

/// What a surplus of points does to the strengths, and how far chance moves points.
struct Errors<'a> {
    players: usize,
    scores: &'a [Score],
    /// Inverse information; row and column of the last player are 0.
    effect: Vec<f64>,
    /// Means of its columns.
    means: Vec<f64>,
    /// Variance of the points of each score, and its degrees of freedom.
    variances: Vec<(f64, f64)>,
    /// Degrees of freedom that there are in all.
    df: f64,
}

impl<'a> Errors<'a> {
    fn of(players: usize, scores: &'a [Score], strength: &[f64], factor: &[f64]) -> Self {
        let free = players - 1;
        let mut effect = vec![0.0; players * players];
        let mut unit = vec![0.0; free];
        for i in 0..free {
            unit[i] = 1.0;
            effect[i * players..i * players + free].copy_from_slice(&solve(factor, &unit));
            unit[i] = 0.0;
        }
        let mut means = vec![0.0; players];
        for row in effect.chunks_exact(players) {
            means.iter_mut().zip(row).for_each(|(mean, value)| *mean += value / players as f64);
        }
        let binomial: Vec<f64> = scores
            .iter()
            .map(|score| {
                let share = chance(strength, score);
                score.games * share * (1.0 - share)
            })
            .collect();
        let units: f64 = scores.iter().map(|score| score.units.max(1) as f64).sum();
        let df = units - free as f64;
        let mut errors = Errors { players, scores, effect, means, variances: Vec::new(), df };
        errors.variances = errors.variances(strength, &binomial);
        errors
    }

    /// Variances of the points of every score.
    fn variances(&mut self, strength: &[f64], binomial: &[f64]) -> Vec<(f64, f64)> {
        // Squares of units about their pair's mean and of pairs about what ratings expect, beside the binomial ones.
        let (mut found, mut expected) = (0.0, 0.0);
        for (score, binomial) in self.scores.iter().zip(binomial) {
            let units = score.units.max(1) as f64;
            let surplus = score.points - score.games * chance(strength, score);
            let leverage = (binomial * self.of_difference(score.a, score.b)).min(1.0);
            found += surplus * surplus / units;
            expected += binomial * (1.0 - leverage) / units;
            if let Some(variance) = score.variance {
                found += variance * (units - 1.0) / units;
                expected += binomial * (units - 1.0) / units;
            }
        }
        if self.df < 1.0 || found <= 1e-9 * expected {
            // Units that do not differ say nothing of chance.
            self.df = f64::INFINITY;
            return binomial.iter().map(|binomial| (*binomial, f64::INFINITY)).collect();
        }
        let dispersion = (OF_COIN + self.df * found / expected) / (OF_COIN + self.df);
        let of_score = |(score, binomial): (&Score, &f64)| {
            let of_group = dispersion * binomial;
            let own = score.variance.map_or(0.0, |_| score.units.max(1) as f64 - 1.0);
            let variance = (OF_GROUP * of_group + own * score.variance.unwrap_or(0.0)) / (OF_GROUP + own);
            (variance, (OF_GROUP + own).min(self.df))
        };
        self.scores.iter().zip(binomial).map(of_score).collect()
    }

    /// Variance of the difference of two players' strengths, by the information alone.
    fn of_difference(&self, a: usize, b: usize) -> f64 {
        let at = |i: usize, j: usize| self.effect[i * self.players + j];
        at(a, a) + at(b, b) - 2.0 * at(a, b)
    }

    /// Standard error of a player's strength above the mean, and its degrees of freedom.
    fn of_player(&self, player: usize) -> (f64, f64) {
        let row = &self.effect[player * self.players..(player + 1) * self.players];
        let moves: Vec<f64> = row.iter().zip(&self.means).map(|(effect, mean)| effect - mean).collect();
        let (mut variance, mut squares) = (0.0, 0.0);
        for (score, &(of_points, df)) in self.scores.iter().zip(&self.variances) {
            let change = moves[score.a] - moves[score.b];
            let part = change * change * of_points;
            variance += part;
            squares += part * part / df;
        }
        (variance.sqrt(), (variance * variance / squares).min(self.df))
    }
}
