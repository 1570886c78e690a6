//! All groups at once, and each by itself.

use record::Test;

use super::Asking;
use crate::{
    Cell, Table,
    samples::{Family, Sample, paired},
    statistics::{Reason, friedman, kruskal_wallis, normality},
};

/// What a test of all groups says.
#[derive(Clone, Copy)]
struct Tested {
    statistic: f64,
    df: u64,
    p: f64,
    effect: f64,
    /// Iman and Davenport's F and its p, of Friedman's test.
    of_f: Option<Result<(f64, f64), Reason>>,
}

impl Asking<'_> {
    /// Whether groups differ at all, a row a family.
    pub(super) fn together(self, families: &[Family]) -> Table {
        let friedman = self.asked.test == Test::Friedman;
        let (statistic, effect) = if friedman { ("chi-squared", "Kendall's W") } else { ("H", "epsilon squared") };
        let mut heads = vec![
            (self.words.groups.as_str(), self.words.groups.as_str()),
            ("n", if friedman { "blocks" } else { "n" }),
            ("statistic", statistic),
            ("df", "df"),
            ("p", "p"),
        ];
        heads.extend([self.adjusted_head(), ("effect", effect)]);
        if friedman {
            heads.extend([("f", "F"), ("p_f", "p (F)")]);
        }
        heads.push(("mark", ""));
        let mut table = self.table(&heads);
        let found: Vec<_> =
            families.iter().map(|family| if friedman { of_blocks(family) } else { of_ranks(family) }).collect();
        let adjusted = self.adjust(&found.iter().map(|(_, test)| test.map(|test| test.p)).collect::<Vec<_>>());
        for ((family, (n, test)), adjusted) in families.iter().zip(&found).zip(adjusted) {
            let mut row = vec![self.family_cell(family)];
            row.extend([Cell::Count(family.samples.len() as u64), Cell::Count(*n)]);
            row.push(Cell::real(test.map(|test| test.statistic), 3));
            row.push(Cell::of(*test, |test| Cell::Count(test.df)));
            row.push(Cell::probability(test.map(|test| test.p)));
            row.push(self.adjusted_cell(adjusted));
            row.push(Cell::real(test.map(|test| test.effect), 3));
            if friedman {
                let part = |part: fn((f64, f64)) -> f64| test.map(|test| test.of_f.map(|of_f| of_f.map(part)));
                row.push(Cell::of(part(|(f, _)| f), |f| Cell::of(f, |f| Cell::real(f, 3))));
                row.push(Cell::of(part(|(_, p)| p), |p| Cell::of(p, Cell::probability)));
            }
            row.push(self.mark(adjusted));
            table.push(row);
        }
        let groups = &self.words.groups;
        let about = if friedman {
            format!(
                "Friedman's test: are {groups} ranked alike in every block, a block being {}? F: Iman and Davenport's form of \
                 it, not adjusted.",
                self.words.block
            )
        } else {
            format!("Kruskal and Wallis' test: does one of the {groups} tend to larger values?")
        };
        let family = match &self.words.by {
            Some(by) => self.adjusted_over(&by.all),
            // One test is its whole family.
            None => String::new(),
        };
        table.notes.push(format!(
            "{} of all {groups} at once{}. {about} {family} {}",
            self.words.value,
            self.comma_within(),
            self.marks()
        ));
        table
    }

    /// Whether the values of a group are normal, a row a group.
    pub(super) fn normality(self, families: &[Family]) -> Table {
        let (key, head) = &self.words.group;
        let group = (key.as_str(), head.as_str());
        let mut table = self.table(&[group, ("n", "n"), ("k2", "K²"), ("p", "p"), self.adjusted_head(), ("mark", "")]);
        for family in families {
            let tests: Vec<_> = family.samples.iter().map(|sample| normality::test(&sample.values)).collect();
            let adjusted = self.adjust(&tests.iter().map(|test| test.map(|test| test.p)).collect::<Vec<_>>());
            for ((sample, test), adjusted) in family.samples.iter().zip(&tests).zip(adjusted) {
                let mut row = vec![self.family_cell(family)];
                row.extend([Cell::text(&sample.name), Cell::Count(sample.values.len() as u64)]);
                row.extend([Cell::real(test.map(|test| test.k2), 3), Cell::probability(test.map(|test| test.p))]);
                row.push(self.adjusted_cell(adjusted));
                row.push(self.mark(adjusted));
                table.push(row);
            }
        }
        let groups = &self.words.groups;
        table.notes.push(format!(
            "{} of each of the {groups}{}: D'Agostino and Pearson's test of normality. {} {}",
            self.words.value,
            self.within(),
            self.family(&format!("the {groups}")),
            self.marks()
        ));
        table
    }

    fn comma_within(self) -> String {
        self.words.by.as_ref().map_or(String::new(), |by| format!(", within {}", by.one))
    }
}

fn of_ranks(family: &Family) -> (u64, Result<Tested, Reason>) {
    let samples: Vec<&[f64]> = family.samples.iter().map(|sample| sample.values.as_slice()).collect();
    let n = samples.iter().map(|sample| sample.len() as u64).sum();
    let found = kruskal_wallis::test(&samples).map(|test| Tested {
        statistic: test.h,
        df: test.df,
        p: test.p,
        effect: test.epsilon_squared,
        of_f: None,
    });
    (n, found)
}

fn of_blocks(family: &Family) -> (u64, Result<Tested, Reason>) {
    let samples = paired(&family.samples.iter().collect::<Vec<&Sample>>());
    let n = samples.first().map_or(0, Vec::len) as u64;
    let found = friedman::test(&samples.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(|test| Tested {
        statistic: test.chi_squared,
        df: test.df,
        p: test.p,
        effect: test.kendalls_w,
        of_f: Some(test.iman_davenport.map(|of_f| (of_f.f, of_f.p))),
    });
    (n, found)
}
