//! Two-sample tests on score differences.
//!
//! The two games of a unit share their luck: no sample here holds both, so that the values of a sample are independent.

use super::CONFIDENCE;
use crate::{
    Cell, Error, Table,
    games::{Counts, Grid, PairGames, moments},
    statistics::{Reason, adjust, interval, mann_whitney, moments::Moments, tails, welch},
};

const HEADS: [(&str, &str); 17] = [
    ("x", "x"),
    ("y", "y"),
    ("n_x", "n x"),
    ("n_y", "n y"),
    ("mean_x", "mean x"),
    ("mean_y", "mean y"),
    ("u", "U"),
    ("p_u", "p (U)"),
    ("p_u_holm", "p (U, Holm)"),
    ("a12", "A12"),
    ("t", "t"),
    ("df", "df"),
    ("p_t", "p (Welch)"),
    ("p_t_holm", "p (Welch, Holm)"),
    ("difference_95", "x − y, 95 %"),
    ("d", "Cohen's d"),
    ("g", "Hedges' g"),
];

const METHODS: &str = "Two-sided Mann-Whitney U with A12, the chance that a value of x is above one of y (ties half), and \
                       Welch's t with d and g; Holm adjusts for the rows of the table.";

struct Sample {
    name: String,
    counts: Counts,
    /// Of the counted numbers.
    moments: Moments,
}

/// For every pair: the score difference of the first seat with the pair's first player there against the same with its
/// second player there. Equal players differ by chance alone, whatever the first seat is worth.
pub(crate) fn tests(grid: &Grid) -> Table {
    let Grid { meta, pairs, .. } = grid;
    let title = format!("{}: players of a pair, in the first seat ({} ahead)", meta.experiment, meta.score_unit);
    let mut heads = HEADS.to_vec();
    heads.extend([("unit_mean", "ahead (units)"), ("unit_mean_95", "95 %"), ("p_unit", "p (units)")]);
    let sample = |name: &str, counts: &Counts| Sample {
        name: name.to_owned(),
        counts: counts.clone(),
        moments: moments(counts),
    };
    let samples: Vec<_> = pairs
        .iter()
        .map(|pair| [sample(&pair.a, &pair.seats[0].differences), sample(&pair.b, &pair.seats[1].differences)])
        .collect();
    let mut table = Table::new("tests", title, &heads);
    for (pair, mut row) in pairs.iter().zip(rows(&samples)) {
        let units = moments(&pair.unit_differences).scaled(0.5);
        row.extend([
            Cell::real((units.n > 0).then_some(units.mean), 2),
            Cell::interval(interval::of_mean(&units, CONFIDENCE), 2),
            Cell::probability(paired_p(&units)),
        ]);
        table.push(row);
    }
    table.notes.push(format!(
        "x, y: the score difference of the first seat in games with that player there. {METHODS} A game of x and one of y \
         share their luck, which these two tests do not use: where it makes them alike, their p are too large. The last \
         columns use it: x's lead over both games of a unit, Student's interval and p over units."
    ));
    table
}

/// Two-sided probability of a mean this far from 0 (Student's t of one sample).
fn paired_p(units: &Moments) -> Result<f64, Reason> {
    let error = units.spread()? / (units.n as f64).sqrt();
    Ok(tails::student_sides(units.mean / error, (units.n - 1) as f64)[0])
}

/// Chosen pairs against one another: the lead of each pair's first player over both games of a unit.
pub(crate) fn contrasts(grid: &Grid, chosen: &[(String, String)]) -> Result<Table, Error> {
    let title = format!("{}: pairs compared ({} ahead)", grid.meta.experiment, grid.meta.score_unit);
    let mut samples = Vec::new();
    for (one, other) in chosen {
        samples.push([find(grid, one)?, find(grid, other)?]);
    }
    let mut table = Table::new("contrasts", title, &HEADS);
    rows(&samples).into_iter().for_each(|row| table.push(row));
    table.notes.push(format!(
        "x, y: the mean score difference of a unit's two games, from the side of the named pair's first player. {METHODS}"
    ));
    Ok(table)
}

/// The sample of the pair that `name` names, as `A v B` from A's side or by its place among the grid's pairs, from 0.
fn find(grid: &Grid, name: &str) -> Result<Sample, Error> {
    let by_place = || {
        let [a, b] = grid.pairing.pair(name.parse().ok()?)?;
        grid.pairs.iter().find(|pair| pair.a == a && pair.b == b)
    };
    let named = |pair: &&PairGames| name == format!("{} v {}", pair.a, pair.b);
    let turned = |pair: &&PairGames| name == format!("{} v {}", pair.b, pair.a);
    let found = match (grid.pairs.iter().find(named).or_else(by_place), grid.pairs.iter().find(turned)) {
        (Some(pair), _) => Some(pair.unit_differences.clone()),
        (None, Some(pair)) => Some(pair.unit_differences.iter().map(|(sum, count)| (-sum, *count)).collect()),
        (None, None) => None,
    };
    let known = || grid.pairs.iter().take(12).map(|p| format!("`{} v {}`", p.a, p.b)).collect::<Vec<_>>().join(", ");
    let counts = found.ok_or_else(|| Error::UnknownPair { pair: name.to_owned(), known: known() })?;
    // Sums of two games; U does not see the factor.
    Ok(Sample { name: name.to_owned(), moments: moments(&counts).scaled(0.5), counts })
}

/// Cells under [`HEADS`], a row a pair of samples.
fn rows(samples: &[[Sample; 2]]) -> Vec<Vec<Cell>> {
    let ranked: Vec<_> = samples.iter().map(|[x, y]| mann_whitney::test_counts(&x.counts, &y.counts)).collect();
    let welch: Vec<_> = samples.iter().map(|[x, y]| welch::from_moments(&x.moments, &y.moments)).collect();
    // Rows without a test take no part in the adjustment.
    let ranked_p: Vec<_> = ranked.iter().map(|test| test.map(|test| test.p)).collect();
    let welch_p: Vec<_> = welch.iter().map(|test| test.map(|test| test.p)).collect();
    let holm = adjust::known(&ranked_p, adjust::holm).into_iter().zip(adjust::known(&welch_p, adjust::holm));
    let mut rows = Vec::new();
    for ((([x, y], ranked), welch), (ranked_holm, welch_holm)) in samples.iter().zip(ranked).zip(welch).zip(holm) {
        let mean = |sample: &Sample| Cell::real((sample.moments.n > 0).then_some(sample.moments.mean), 2);
        rows.push(vec![
            Cell::text(&x.name),
            Cell::text(&y.name),
            Cell::Count(x.moments.n),
            Cell::Count(y.moments.n),
            mean(x),
            mean(y),
            Cell::real(ranked.map(|r| r.u1), 1),
            Cell::probability(ranked.map(|r| r.p)),
            Cell::probability(ranked_holm),
            Cell::real(ranked.map(|r| r.a12), 3),
            Cell::real(welch.map(|w| w.t), 2),
            Cell::real(welch.map(|w| w.df), 1),
            Cell::probability(welch.map(|w| w.p)),
            Cell::probability(welch_holm),
            Cell::interval(welch.map(|w| w.ci95), 2),
            Cell::real(welch.map(|w| w.cohens_d), 3),
            Cell::real(welch.map(|w| w.hedges_g), 3),
        ]);
    }
    rows
}
