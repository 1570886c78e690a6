//! Two-sample tests on score differences.

use crate::{
    Cell, Error, Table,
    games::{Meta, PairGames},
    statistics::{adjust, mann_whitney, moments::Moments, welch},
};

const HEADS: [(&str, &str); 15] = [
    ("x", "x"),
    ("y", "y"),
    ("n_x", "n x"),
    ("n_y", "n y"),
    ("mean_x", "mean x"),
    ("mean_y", "mean y"),
    ("difference_95", "x − y, 95 %"),
    ("u", "U"),
    ("p_u", "p (U)"),
    ("p_u_holm", "p (U, Holm)"),
    ("a12", "A12"),
    ("t", "t"),
    ("df", "df"),
    ("p_t", "p (Welch)"),
    ("g", "Hedges' g"),
];

struct Sample {
    name: String,
    values: Vec<f64>,
}

/// For every pair: the games with its first player in the first seat against those with its second player there, by the
/// score difference of the first seat. Equal players would differ by chance alone.
pub(crate) fn tests(meta: &Meta, games: &[PairGames]) -> Table {
    let title =
        format!("{}: does it matter which player of a pair sits first? ({} ahead)", meta.experiment, meta.score_unit);
    let samples = games.iter().map(|pair| {
        let [a_first, b_first] = &pair.from_seat;
        let sample = |name: &str, values: &[f64]| Sample { name: name.to_owned(), values: values.to_vec() };
        (sample(&pair.a, a_first), sample(&pair.b, b_first))
    });
    let mut table = fill(Table::new("tests", title, &HEADS), samples.collect());
    table.notes.push(
        "x: score difference of the first seat in games with the pair's first player there; y: with its second player \
         there. Two-sided Mann-Whitney U (A12: chance that a value of x is above one of y) and Welch's t; Holm adjusts \
         for the number of rows. The two games of a unit share their luck, which these tests do not use."
            .to_owned(),
    );
    table
}

/// Chosen pairs against one another: the score difference from the side of each pair's first player.
pub(crate) fn contrasts(meta: &Meta, games: &[PairGames], chosen: &[(String, String)]) -> Result<Table, Error> {
    let title = format!("{}: pairs compared ({} ahead)", meta.experiment, meta.score_unit);
    let mut samples = Vec::new();
    for (one, other) in chosen {
        samples.push((find(games, one)?, find(games, other)?));
    }
    let mut table = fill(Table::new("contrasts", title, &HEADS), samples);
    table.notes.push(
        "x and y: score difference from the side of the named pair's first player, over all of its games.".to_owned(),
    );
    Ok(table)
}

/// The sample of the pair that `name` names, as `A v B`, from A's side.
fn find(games: &[PairGames], name: &str) -> Result<Sample, Error> {
    let found = games.iter().find_map(|pair| {
        if name == format!("{} v {}", pair.a, pair.b) {
            Some(pair.from_a())
        } else if name == format!("{} v {}", pair.b, pair.a) {
            Some(pair.from_a().into_iter().map(|d| -d).collect())
        } else {
            None
        }
    });
    let known = || games.iter().take(12).map(|p| format!("`{} v {}`", p.a, p.b)).collect::<Vec<_>>().join(", ");
    let values = found.ok_or_else(|| Error::UnknownPair { pair: name.to_owned(), known: known() })?;
    Ok(Sample { name: name.to_owned(), values })
}

fn fill(mut table: Table, samples: Vec<(Sample, Sample)>) -> Table {
    let ranked: Vec<_> = samples.iter().map(|(x, y)| mann_whitney::test(&x.values, &y.values)).collect();
    // Rows without a test take no part in the adjustment.
    let p: Vec<f64> = ranked.iter().flatten().map(|test| test.p).collect();
    let mut holm = adjust::holm(&p).into_iter();
    for ((x, y), ranked) in samples.iter().zip(ranked) {
        let (mx, my) = (Moments::of(&x.values), Moments::of(&y.values));
        let welch = welch::from_moments(&mx, &my);
        table.push(vec![
            Cell::text(&x.name),
            Cell::text(&y.name),
            Cell::Count(mx.n),
            Cell::Count(my.n),
            Cell::real((mx.n > 0).then_some(mx.mean), 2),
            Cell::real((my.n > 0).then_some(my.mean), 2),
            Cell::interval(welch.map(|w| w.ci95), 2),
            Cell::real(ranked.map(|r| r.u1), 1),
            Cell::probability(ranked.map(|r| r.p)),
            Cell::probability(ranked.and_then(|_| holm.next())),
            Cell::real(ranked.map(|r| r.a12), 3),
            Cell::real(welch.map(|w| w.t), 2),
            Cell::real(welch.map(|w| w.df), 1),
            Cell::probability(welch.map(|w| w.p)),
            Cell::real(welch.map(|w| w.hedges_g), 3),
        ]);
    }
    table
}
