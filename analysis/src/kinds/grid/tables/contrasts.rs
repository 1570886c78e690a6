//! Two-sample tests of margins.
//!
//! The two games of a unit share their luck: no sample here holds both, so that the values of a sample are independent.

use std::borrow::{Borrow, Cow};

use crate::{
    Cell, Error, Table,
    kinds::grid::{Grid, PairGames, tables::ByPair},
    statistics::{
        CONFIDENCE, Reason, TTest, adjust,
        counts::Counts,
        interval,
        mann_whitney::{self, MannWhitney},
        moments::Moments,
        tails, welch,
    },
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

/// A named sample: counted numbers, and their moments times a factor, which U does not see.
struct Sample<'a> {
    name: &'a str,
    counts: Cow<'a, Counts>,
    moments: Moments,
}

/// For every pair: the margin of the first seat with the pair's first player there against the same with its
/// second player there. Equal players differ by chance alone, whatever the first seat is worth.
pub(crate) fn tests(grid: &Grid) -> ByPair {
    let meta = &grid.meta;
    let title =
        format!("{}: players of a pair, in the first seat ({} ahead)", meta.header.experiment, meta.game.score_unit);
    let mut heads = HEADS.to_vec();
    heads.extend([("unit_mean", "ahead (units)"), ("unit_mean_95", "95 %"), ("p_unit", "p (units)")]);
    let mut table = Table::new("tests", title, &heads);
    table.notes.push(format!(
        "x, y: the margin of the first seat in games with that player there. {METHODS} A game of x and one of y \
         share their luck, which these two tests do not use: where it makes them alike, their p are too large. The last \
         columns use it: x's lead over both games of a unit, Student's interval and p over units."
    ));
    let adjusted = Adjusted::of(grid.pairs.iter().map(seats));
    ByPair::new(table, move |place, pair| {
        let units = pair.unit_margins.moments().scaled(0.5);
        let mut row = row(&seats(pair), &adjusted, place);
        row.extend([
            Cell::real(units.mean(), 2),
            Cell::interval(interval::of_mean(&units, CONFIDENCE), 2),
            Cell::probability(paired_p(&units)),
        ]);
        vec![row]
    })
}

/// The first seat's lead with either player of a pair there.
fn seats(pair: &PairGames) -> [Sample<'_>; 2] {
    let sample = |name, counts| Sample { name, counts: Cow::Borrowed(counts), moments: Counts::moments(counts) };
    [sample(&pair.a, &pair.seats[0].margins), sample(&pair.b, &pair.seats[1].margins)]
}

/// Two-sided probability of a mean this far from 0 (Student's t of one sample).
fn paired_p(units: &Moments) -> Result<f64, Reason> {
    let error = units.spread()? / (units.n as f64).sqrt();
    Ok(tails::student_sides(units.mean().unwrap_or_default() / error, (units.n - 1) as f64)[0])
}

/// Chosen pairs against one another: the lead of each pair's first player over both games of a unit.
pub(crate) fn contrasts(grid: &Grid, chosen: &[(String, String)]) -> Result<Table, Error> {
    let title = format!("{}: pairs compared ({} ahead)", grid.meta.header.experiment, grid.meta.game.score_unit);
    let mut samples = Vec::new();
    for (one, other) in chosen {
        samples.push([find(grid, one)?, find(grid, other)?]);
    }
    let mut table = Table::new("contrasts", title, &HEADS);
    let adjusted = Adjusted::of(samples.iter());
    samples.iter().enumerate().for_each(|(place, samples)| table.push(row(samples, &adjusted, place)));
    table.notes.push(format!(
        "x, y: the mean margin of a unit's two games, from the side of the named pair's first player. {METHODS}"
    ));
    Ok(table)
}

/// The sample of the pair that `name` names, as `A v B` from A's side or by its place among the grid's pairs, from 0.
fn find<'a>(grid: &Grid, name: &'a str) -> Result<Sample<'a>, Error> {
    let by_place = || {
        let [a, b] = grid.pairing.pair(name.parse().ok()?)?;
        grid.pairs.iter().find(|pair| pair.a == a && pair.b == b)
    };
    let named = |pair: &&PairGames| name == format!("{} v {}", pair.a, pair.b);
    let turned = |pair: &&PairGames| name == format!("{} v {}", pair.b, pair.a);
    let found = match (grid.pairs.iter().find(named).or_else(by_place), grid.pairs.iter().find(turned)) {
        (Some(pair), _) => Some(pair.unit_margins.clone()),
        (None, Some(pair)) => Some(pair.unit_margins.negated()),
        (None, None) => None,
    };
    let known = || grid.pairs.iter().take(12).map(|p| format!("`{} v {}`", p.a, p.b)).collect::<Vec<_>>().join(", ");
    let counts = found.ok_or_else(|| Error::UnknownPair { pair: name.to_owned(), known: known() })?;
    // Sums of two games.
    Ok(Sample { name, moments: counts.moments().scaled(0.5), counts: Cow::Owned(counts) })
}

fn ranked([x, y]: &[Sample<'_>; 2]) -> Result<MannWhitney, Reason> {
    mann_whitney::test_counts(&x.counts.to_map(), &y.counts.to_map())
}

fn welch([x, y]: &[Sample<'_>; 2]) -> Result<TTest, Reason> {
    welch::from_moments(&x.moments, &y.moments)
}

/// Probabilities adjusted for all rows of a table. Rows without a test take no part.
struct Adjusted {
    ranked: Vec<Result<f64, Reason>>,
    welch: Vec<Result<f64, Reason>>,
}

impl Adjusted {
    fn of<'a>(rows: impl Iterator<Item = impl Borrow<[Sample<'a>; 2]>>) -> Self {
        let p = |row: &[Sample<'a>; 2]| (ranked(row).map(|test| test.p), welch(row).map(|test| test.p));
        let (ranked, welch): (Vec<_>, Vec<_>) = rows.map(|row| p(row.borrow())).unzip();
        Adjusted { ranked: adjust::known(&ranked, adjust::holm), welch: adjust::known(&welch, adjust::holm) }
    }
}

/// Cells under [`HEADS`] of the samples at a place among those that were adjusted for.
fn row(samples: &[Sample<'_>; 2], adjusted: &Adjusted, place: usize) -> Vec<Cell> {
    let ([x, y], ranked, welch) = (samples, ranked(samples), welch(samples));
    let mean = |sample: &Sample<'_>| Cell::real(sample.moments.mean(), 2);
    vec![
        Cell::text(x.name),
        Cell::text(y.name),
        Cell::Count(x.moments.n),
        Cell::Count(y.moments.n),
        mean(x),
        mean(y),
        Cell::real(ranked.map(|r| r.u1), 1),
        Cell::probability(ranked.map(|r| r.p)),
        Cell::probability(adjusted.ranked[place]),
        Cell::real(ranked.map(|r| r.a12), 3),
        Cell::real(welch.map(|w| w.t), 2),
        Cell::real(welch.map(|w| w.df), 1),
        Cell::probability(welch.map(|w| w.p)),
        Cell::probability(adjusted.welch[place]),
        Cell::interval(welch.map(|w| w.ci95), 2),
        Cell::real(welch.map(|w| w.cohens_d), 3),
        Cell::real(welch.map(|w| w.hedges_g), 3),
    ]
}
