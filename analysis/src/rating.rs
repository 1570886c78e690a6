//! Bradley-Terry ratings (Bradley and Terry 1952) on the Elo scale.
//!
//! The chance that i takes a point from j is 1 / (1 + 10^((r_j - r_i) / 400)); a draw is half a point to each. Ratings
//! are those of greatest likelihood, found by Newton's method, with mean 0 over the players. Standard errors come from
//! the inverse of the observed information, with the variance that the scores are known to have in place of the
//! binomial one where it is given (White's sandwich, 1982); they cover the games' chance and nothing else.

use std::collections::BTreeMap;

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
    /// Variance of `points`, if the games are not independent or have draws; `None` takes them as tosses of one coin.
    pub variance: Option<f64>,
}

/// A player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Elo points above the mean of all players.
    pub elo: f64,
    /// Standard error of the same.
    pub error: f64,
}

/// Why there are no ratings.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unrated {
    /// Some players share no chain of games.
    #[error("the grid is not connected: some players have no opponents in common, however far")]
    Disconnected,
    /// A group never lost a point to the rest: its rating has no upper bound.
    #[error("some players took every point from the others, so that no finite rating fits")]
    Unbounded,
    /// Too few.
    #[error("ratings need two players")]
    TooFew,
}

/// Elo points of a factor e in odds.
const ELO: f64 = 400.0 / std::f64::consts::LN_10;
/// Newton steps after which there is no more to gain.
const STEPS_MAX: usize = 200;

/// Rates players `0..players`.
///
/// # Errors
/// Why no finite ratings fit.
pub fn rate(players: usize, scores: &[Score]) -> Result<Vec<Rating>, Unrated> {
    if players < 2 {
        return Err(Unrated::TooFew);
    }
    check(players, scores)?;
    // Strengths in natural log-odds; the last player's is 0 while solving.
    let free = players - 1;
    let mut strength = vec![0.0; players];
    for _ in 0..STEPS_MAX {
        let (gradient, information) = slopes(players, scores, &strength);
        let factor = cholesky(&information, free).ok_or(Unrated::Unbounded)?;
        let mut step = solve(&factor, &gradient[..free]);
        // A step of many units of log-odds overshoots.
        let longest = step.iter().fold(0.0f64, |a, s| a.max(s.abs()));
        if longest > 2.0 {
            step.iter_mut().for_each(|s| *s *= 2.0 / longest);
        }
        step.iter().zip(&mut strength).for_each(|(s, r)| *r += s);
        if longest < 1e-13 {
            break;
        }
    }
    let (_, information) = slopes(players, scores, &strength);
    let factor = cholesky(&information, free).ok_or(Unrated::Unbounded)?;
    // Inverse information of the free strengths, less each column's mean: what a surplus of points does to the
    // strengths about their mean. The last player's row and column are 0 before.
    let mut effect = vec![vec![0.0; players]; players];
    for (i, row) in effect.iter_mut().take(free).enumerate() {
        let unit: Vec<f64> = (0..free).map(|k| f64::from(u8::from(k == i))).collect();
        row[..free].copy_from_slice(&solve(&factor, &unit));
    }
    let n = players as f64;
    let mean = strength.iter().sum::<f64>() / n;
    let means: Vec<f64> = (0..players).map(|k| effect.iter().map(|row| row[k]).sum::<f64>() / n).collect();
    let variance_of = |i: usize| -> f64 {
        let through = |score: &Score| {
            let change = (effect[i][score.a] - means[score.a]) - (effect[i][score.b] - means[score.b]);
            let chance = chance(&strength, score);
            let variance = score.variance.unwrap_or(score.games * chance * (1.0 - chance));
            change * change * variance
        };
        scores.iter().map(through).sum()
    };
    Ok((0..players).map(|i| Rating { elo: ELO * (strength[i] - mean), error: ELO * variance_of(i).sqrt() }).collect())
}

/// The chance that `a` takes a point from `b`.
fn chance(strength: &[f64], score: &Score) -> f64 {
    1.0 / (1.0 + libm::exp(strength[score.b] - strength[score.a]))
}

/// Finite ratings exist exactly when, from every player, every other can be reached by "took a point from".
fn check(players: usize, scores: &[Score]) -> Result<(), Unrated> {
    let mut took: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut lost: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut met: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for score in scores.iter().filter(|score| score.games > 0.0) {
        let mut link = |winner: usize, loser: usize| {
            took.entry(winner).or_default().push(loser);
            lost.entry(loser).or_default().push(winner);
        };
        if score.points > 0.0 {
            link(score.a, score.b);
        }
        if score.points < score.games {
            link(score.b, score.a);
        }
        met.entry(score.a).or_default().push(score.b);
        met.entry(score.b).or_default().push(score.a);
    }
    let reaches_all = |links: &BTreeMap<usize, Vec<usize>>| {
        let mut seen = vec![false; players];
        let mut open = vec![0];
        seen[0] = true;
        while let Some(player) = open.pop() {
            for &next in links.get(&player).into_iter().flatten() {
                if !std::mem::replace(&mut seen[next], true) {
                    open.push(next);
                }
            }
        }
        seen.into_iter().all(|s| s)
    };
    if !reaches_all(&met) {
        return Err(Unrated::Disconnected);
    }
    if reaches_all(&took) && reaches_all(&lost) { Ok(()) } else { Err(Unrated::Unbounded) }
}

/// Gradient of the log-likelihood and its observed information.
fn slopes(players: usize, scores: &[Score], strength: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut gradient = vec![0.0; players];
    let mut information = vec![vec![0.0; players]; players];
    for score in scores {
        let Score { a, b, games, points, .. } = score;
        let share = chance(strength, score);
        let surplus = points - games * share;
        gradient[*a] += surplus;
        gradient[*b] -= surplus;
        let weight = games * share * (1.0 - share);
        information[*a][*a] += weight;
        information[*b][*b] += weight;
        information[*a][*b] -= weight;
        information[*b][*a] -= weight;
    }
    (gradient, information)
}

/// Lower factor of the leading `n` rows and columns; `None` if they are not positive definite.
fn cholesky(matrix: &[Vec<f64>], n: usize) -> Option<Vec<Vec<f64>>> {
    let mut factor = vec![vec![0.0; n]; n];
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = matrix[i][j] - dot;
            if i == j {
                if rest <= 0.0 || !rest.is_finite() {
                    return None;
                }
                factor[i][i] = rest.sqrt();
            } else {
                factor[i][j] = rest / factor[j][j];
            }
        }
    }
    Some(factor)
}

fn solve(factor: &[Vec<f64>], right: &[f64]) -> Vec<f64> {
    let n = factor.len();
    let mut x = right.to_vec();
    for i in 0..n {
        let dot: f64 = (0..i).map(|k| factor[i][k] * x[k]).sum();
        x[i] = (x[i] - dot) / factor[i][i];
    }
    for i in (0..n).rev() {
        let dot: f64 = (i + 1..n).map(|k| factor[k][i] * x[k]).sum();
        x[i] = (x[i] - dot) / factor[i][i];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(a: usize, b: usize, games: f64, points: f64) -> Score {
        Score { a, b, games, points, variance: None }
    }

    #[track_caller]
    fn near(found: f64, wanted: f64) {
        assert!((found - wanted).abs() < 1e-8, "{found} is not {wanted}");
    }

    #[test]
    fn two_players_have_a_closed_form() {
        // Points 75 of 100: odds 3; Elo difference 400 log10 3; variance of the log-odds 1 / (100 * 0.75 * 0.25).
        let ratings = rate(2, &[score(0, 1, 100.0, 75.0)]).expect("rated");
        let difference = 400.0 * 3f64.log10();
        near(ratings[0].elo, difference / 2.0);
        near(ratings[1].elo, -difference / 2.0);
        let error = ELO * (1.0 / (100.0 * 0.75 * 0.25f64)).sqrt() / 2.0;
        near(ratings[0].error, error);
        // A quarter of the variance halves the error and moves no rating.
        let quieter = Score { variance: Some(0.25 * 18.75), ..score(0, 1, 100.0, 75.0) };
        let quieter = rate(2, &[quieter]).expect("rated");
        near(quieter[0].elo, ratings[0].elo);
        near(quieter[0].error, error / 2.0);
    }

    #[test]
    fn consistent_odds_are_found_again() {
        // Strengths 4 : 2 : 1 and expected points: the likelihood is greatest at the truth.
        let weights = [4.0f64, 2.0, 1.0];
        let expected = |a: usize, b: usize| score(a, b, 60.0, 60.0 * weights[a] / (weights[a] + weights[b]));
        let ratings = rate(3, &[expected(0, 1), expected(0, 2), expected(1, 2)]).expect("rated");
        near(ratings[0].elo - ratings[1].elo, 400.0 * 2f64.log10());
        near(ratings[1].elo - ratings[2].elo, 400.0 * 2f64.log10());
        near(ratings.iter().map(|r| r.elo).sum(), 0.0);
    }

    /// scipy.optimize.root on the gradient of the likelihood; errors from numpy.linalg.pinv(I) and pinv(I) M pinv(I)
    /// (SciPy 1.17.1): another parametrisation, another solver, another way to the mean.
    #[test]
    fn agrees_with_scipy_on_a_grid_with_gaps() {
        let mut scores = [
            score(0, 1, 40.0, 25.5),
            score(0, 2, 10.0, 9.5),
            score(1, 2, 30.0, 12.0),
            score(1, 3, 50.0, 33.0),
            score(2, 3, 20.0, 7.5),
        ];
        let elo = [133.010_788_931_034_6, -4.776_340_913_937_805, -54.111_541_778_444_156, -74.122_906_238_652_63];
        let check = |scores: &[Score], errors: [f64; 4]| {
            let ratings = rate(4, scores).expect("rated");
            for ((rating, elo), error) in ratings.iter().zip(elo).zip(errors) {
                near(rating.elo, elo);
                near(rating.error, error);
            }
        };
        check(&scores, [42.628_309_527_498_52, 24.917_698_904_934_017, 35.489_653_275_918_656, 34.532_602_208_349_36]);
        scores[0].variance = Some(6.0);
        scores[2].variance = Some(5.0);
        check(&scores, [37.839_736_576_677_005, 22.180_509_731_149_08, 32.550_454_936_210_41, 33.784_403_187_616_19]);
    }

    #[test]
    fn says_why_there_is_no_rating() {
        let ten = |a, b, points| score(a, b, 10.0, points);
        assert_eq!(rate(4, &[ten(0, 1, 5.0), ten(2, 3, 5.0)]), Err(Unrated::Disconnected));
        assert_eq!(rate(2, &[ten(0, 1, 10.0)]), Err(Unrated::Unbounded));
        assert_eq!(rate(3, &[ten(0, 1, 5.0), ten(1, 2, 10.0)]), Err(Unrated::Unbounded));
        assert_eq!(rate(1, &[]), Err(Unrated::TooFew));
        assert!(rate(3, &[ten(0, 1, 5.0), ten(1, 2, 9.5)]).is_ok());
    }
}
