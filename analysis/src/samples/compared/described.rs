//! What the groups are like, before any test.

use super::{Asking, Comparison, Letters, Words};
use crate::{
    Cell, Digits, Table,
    forms::table::level,
    samples::{Family, Sample},
    statistics::{Reason, moments::Moments},
};

/// A row a group in the order of the samples: size, mean, deviation, median, and its letters by each of some tests.
pub fn summary(families: &[Family], words: &Words, name: &str, title: &str, letters: &[(String, Letters)]) -> Table {
    let letter_heads: Vec<(String, String)> = letters
        .iter()
        .map(|(test, _)| (format!("letters_{}", test.replace('-', "_")), format!("letters ({test})")))
        .collect();
    let letter_heads: Vec<_> = letter_heads.iter().map(|(key, head)| (key.as_str(), head.as_str())).collect();
    let mut table = plain(words, name, title, &letter_heads);
    for (f, family) in families.iter().enumerate() {
        for (s, sample) in family.samples.iter().enumerate() {
            let mut row = key_cells(words, family, &sample.name);
            let digits = Digits::measured(words.digits);
            row.extend(Cell::moments(&sample.moments(), digits));
            let few = Reason::TooFew { needed: 1, found: 0 };
            row.push(Cell::real(
                sample.median().ok_or(if sample.values.is_empty() { few } else { Reason::NotANumber }),
                digits,
            ));
            row.extend(letters.iter().map(|(_, letters)| Cell::of(letters[f][s].clone(), Cell::text)));
            table.push(row);
        }
    }
    if !letters.is_empty() {
        table.notes.push(format!(
            "Letters: {} that share one are not different by that test (Piepho 2004); pairs without a p share none.",
            words.groups
        ));
    }
    table
}

/// The table of sizes, means, deviations and medians, without rows; with more columns behind.
pub fn plain(words: &Words, name: &str, title: &str, more: &[(&str, &str)]) -> Table {
    let mut heads = key_heads(words);
    heads.extend([("n", "n"), ("mean", "mean"), ("sd", "sd"), ("median", "median")]);
    heads.extend(more);
    Table::new(name, title, &heads).of_kind("groups").optional(&[words.by_head().0, "median"])
}

/// A row a group, the highest mean first: mean with deviation, median, letters by the test of `asked`.
pub fn groups(families: &[Family], words: &Words, asked: &Comparison, letters: &Letters) -> Table {
    let families: Vec<Family> = families.iter().map(|family| Asking { asked, words }.tested(family)).collect();
    let mut heads = key_heads(words);
    let mean = format!("{} (mean ± sd)", words.value);
    heads.extend([("n", "n"), ("mean", mean.as_str()), ("median", "median"), ("letters", "letters")]);
    let mut table =
        Table::new(format!("{}-groups", asked.name), format!("{} By {}", asked.title, words.group.1), &heads)
            .of_kind("question-groups")
            .spreads(&["mean"])
            .optional(&[words.by_head().0]);
    for (family, letters) in families.iter().zip(letters) {
        let mut samples: Vec<(Moments, &Sample, &Result<String, Reason>)> =
            family.samples.iter().zip(letters).map(|(sample, letters)| (sample.moments(), sample, letters)).collect();
        let mean = |of: &Moments| of.mean().unwrap_or(f64::NEG_INFINITY);
        samples.sort_by(|one, other| mean(&other.0).total_cmp(&mean(&one.0)));
        for (moments, sample, letters) in samples {
            let mut row = key_cells(words, family, &sample.name);
            row.extend([
                Cell::Count(moments.n),
                Cell::spread(Some(moments), Digits::measured(words.digits)),
                Cell::real(sample.median(), Digits::measured(words.digits)),
                Cell::of(letters.clone(), Cell::text),
            ]);
            table.push(row);
        }
    }
    let adjusted = Asking { asked, words }.family("the pairs");
    table.notes.push(format!(
        "By mean; {} that share a letter are not different at {} by the tests of `{}` (Piepho 2004); pairs without a p share none. \
         {adjusted}",
        words.groups,
        level(asked.alpha),
        asked.name
    ));
    table
}

fn key_heads(words: &Words) -> Vec<(&str, &str)> {
    let (key, head) = &words.group;
    vec![words.by_head(), (key.as_str(), head.as_str())]
}

fn key_cells(words: &Words, family: &Family, group: &str) -> Vec<Cell> {
    vec![words.by_cell(family), Cell::text(group)]
}
