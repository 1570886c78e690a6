//! What the groups are like, before any test.

use super::{Asking, Comparison, Letters, Words};
use crate::{
    Cell, Table,
    samples::{Family, Sample},
    statistics::{Reason, moments::Moments},
};

/// A row a group in the order of the samples: size, mean, deviation, median, and its letters by each of some tests.
pub fn summary(families: &[Family], words: &Words, name: &str, title: &str, letters: &[(String, Letters)]) -> Table {
    let letter_heads: Vec<(String, String)> = letters
        .iter()
        .map(|(test, _)| (format!("letters_{}", test.replace('-', "_")), format!("letters ({test})")))
        .collect();
    let mut heads: Vec<(&str, &str)> = key_heads(words);
    heads.extend([("n", "n"), ("mean", "mean"), ("sd", "sd"), ("median", "median")]);
    heads.extend(letter_heads.iter().map(|(key, head)| (key.as_str(), head.as_str())));
    let mut table = Table::new(name, title, &heads);
    for (f, family) in families.iter().enumerate() {
        for (s, sample) in family.samples.iter().enumerate() {
            let mut row = key_cells(words, family, &sample.name);
            row.extend(Cell::moments(&sample.moments(), words.digits));
            row.push(Cell::real(sample.median().ok_or(Reason::NotANumber), words.digits));
            row.extend(letters.iter().map(|(_, letters)| Cell::text(&letters[f][s])));
            table.push(row);
        }
    }
    if !letters.is_empty() {
        table
            .notes
            .push(format!("Letters: {} that share one are not different by that test (Piepho 2004).", words.groups));
    }
    table
}

/// A row a group, the highest mean first: mean with deviation, median, letters by the test of `asked`.
pub fn groups(families: &[Family], words: &Words, asked: &Comparison, letters: &Letters) -> Table {
    let mut heads = key_heads(words);
    let mean = format!("{} (mean ± sd)", words.value);
    heads.extend([("n", "n"), ("mean", mean.as_str()), ("median", "median"), ("letters", "letters")]);
    let mut table =
        Table::new(format!("{}-groups", asked.name), format!("{} By {}", asked.title, words.group.1), &heads);
    for (family, letters) in families.iter().zip(letters) {
        let mut samples: Vec<(Moments, &Sample, &String)> =
            family.samples.iter().zip(letters).map(|(sample, letters)| (sample.moments(), sample, letters)).collect();
        samples.sort_by(|one, other| other.0.mean.total_cmp(&one.0.mean));
        for (moments, sample, letters) in samples {
            let mut row = key_cells(words, family, &sample.name);
            row.extend([
                Cell::Count(moments.n),
                Cell::spread(Some(moments), words.digits),
                Cell::real(sample.median(), words.digits),
                Cell::text(letters),
            ]);
            table.push(row);
        }
    }
    let adjusted = Asking { asked, words }.family("the pairs");
    table.notes.push(format!(
        "By mean; {} that share a letter are not different at {} by the tests of `{}` (Piepho 2004). {adjusted}",
        words.groups, asked.alpha, asked.name
    ));
    table
}

fn key_heads(words: &Words) -> Vec<(&str, &str)> {
    let by = words.by.iter().map(|by| &by.column);
    by.chain([&words.group]).map(|(key, head)| (key.as_str(), head.as_str())).collect()
}

fn key_cells(words: &Words, family: &Family, group: &str) -> Vec<Cell> {
    let by = words.by.iter().map(|_| Cell::text(&family.name));
    by.chain([Cell::text(group)]).collect()
}
