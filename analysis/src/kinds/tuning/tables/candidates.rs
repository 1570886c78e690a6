//! Who did best in a tuning's search, with its values.

use std::collections::BTreeMap;

use record::facts::{Candidate, Parameter};
use serde_json::Value;

use crate::{
    Cell, Table,
    kinds::tuning::{
        DEFAULTS, Tuning,
        domain::{Numbers, text},
        share_interval,
    },
};

/// So many of the best.
const SHOWN: usize = 10;
/// Digits of a value that is not whole, whatever its size: scales may be logarithmic.
const DIGITS: i32 = 4;
/// At most so many digits after the point: more are not readable.
const DIGITS_MAX: i32 = 12;

/// A row a candidate, the leader first; the player's own values stand below.
pub(crate) fn candidates(tuning: &Tuning) -> Table {
    let facts = &tuning.facts;
    let keys: Vec<(String, &str)> =
        facts.parameters.iter().map(|p| (p.name.replace('-', "_"), p.name.as_str())).collect();
    let mut heads = vec![("candidate", "candidate")];
    heads.extend(keys.iter().map(|(key, name)| (key.as_str(), *name)));
    heads.extend([
        ("games", "games"),
        ("points", "points"),
        ("share", "share"),
        ("share_95", "95 % (Wilson)"),
        ("made", "made"),
        ("parents", "parents"),
    ]);
    let ranking = tuning.ranking();
    let title = format!("{}: best of {} candidates of the search", facts.header.experiment, ranking.len());
    let mut table = Table::new("candidates", title, &heads);
    for candidate in ranking.into_iter().take(SHOWN) {
        let mut row = vec![Cell::text(&candidate.name)];
        row.extend(values(&facts.parameters, &candidate.values));
        row.extend(course(candidate));
        table.push(row);
    }
    let mut row = vec![Cell::text(DEFAULTS)];
    row.extend(values(&facts.parameters, &facts.defaults));
    row.extend(vec![Cell::Missing; 6]);
    table.push(row);
    table.notes.push(
        "The leader, then by the lower end of the interval, which is what a candidate's games make sure of. Games and points \
         are of the whole search, and say too much of those that they chose. made: what made it, in order, from the \
         candidates of these numbers."
            .to_owned(),
    );
    table
}

fn course(candidate: &Candidate) -> [Cell; 6] {
    let parents: Vec<String> = candidate.parents.iter().map(ToString::to_string).collect();
    let listed = |words: &[String]| if words.is_empty() { Cell::Missing } else { Cell::text(words.join(", ")) };
    [
        Cell::Count(candidate.games),
        Cell::real(candidate.points, 1),
        Cell::real(candidate.share(), 4),
        Cell::interval(share_interval(candidate), 4),
        listed(&candidate.made),
        listed(&parents),
    ]
}

/// A cell a parameter.
fn values(parameters: &[Parameter], values: &BTreeMap<String, Value>) -> Vec<Cell> {
    let cell = |parameter: &Parameter| match (values.get(&parameter.name), Numbers::of(&parameter.domain)) {
        (None | Some(Value::Null), _) => Cell::Missing,
        (Some(value), Some(Numbers { whole, .. })) => match value.as_f64() {
            Some(number) => Cell::real(number, if whole { 0 } else { digits(number) }),
            // The player's own value may be a word where numbers are tuned.
            None => Cell::text(text(value)),
        },
        (Some(value), None) => Cell::text(text(value)),
    };
    parameters.iter().map(cell).collect()
}

/// After the point, so that [`DIGITS`] count.
fn digits(number: f64) -> usize {
    let before = if number == 0.0 { 1 } else { number.abs().log10().floor() as i32 + 1 };
    (DIGITS - before).clamp(0, DIGITS_MAX).unsigned_abs() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_digits_count() {
        assert_eq!([0.0, 1.7234, 0.012, 12.3, 410.0, 99_999.0, 1e-30].map(digits), [3, 3, 5, 2, 1, 0, 12]);
    }
}
