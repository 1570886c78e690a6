//! All groups at once, and each by itself.

use super::{Asking, listed::Found};
use crate::{
    Cell, Table,
    samples::{Family, Sample, paired},
};

impl Asking<'_> {
    /// Whether groups differ at all, a row a family.
    pub(super) fn together(self, families: &[Family], test: fn(&[&[f64]]) -> Found) -> Table {
        let listed = self.listed();
        let [before, behind] = listed.heads;
        let groups = self.words.groups.as_str();
        let mut heads = vec![(groups, groups), ("n", if listed.needs_blocks { "blocks" } else { "n" })];
        heads.extend(before);
        heads.extend([("p", "p"), self.adjusted_head()]);
        heads.extend(behind);
        heads.push(("mark", ""));
        let mut table = self.table(&heads);
        let found: Vec<(usize, Found)> = families
            .iter()
            .map(|family| {
                if listed.needs_blocks {
                    let samples = paired(&family.samples.iter().collect::<Vec<&Sample>>());
                    let blocks = samples.first().map_or(0, Vec::len);
                    return (blocks, test(&samples.iter().map(Vec::as_slice).collect::<Vec<_>>()));
                }
                let samples: Vec<&[f64]> = family.samples.iter().map(|sample| sample.values.as_slice()).collect();
                (samples.iter().map(|sample| sample.len()).sum(), test(&samples))
            })
            .collect();
        let adjusted = self.adjust(&found.iter().map(|(_, found)| found.p).collect::<Vec<_>>());
        for ((family, (n, found)), adjusted) in families.iter().zip(found).zip(adjusted) {
            let [before, behind] = found.cells;
            let mut row = vec![self.family_cell(family)];
            row.extend([Cell::Count(family.samples.len() as u64), Cell::Count(n as u64)]);
            row.extend(before);
            row.extend([Cell::probability(found.p), self.adjusted_cell(adjusted)]);
            row.extend(behind);
            row.push(self.mark(adjusted));
            table.push(row);
        }
        let family = match &self.words.by {
            Some(by) => self.adjusted_over(&by.all),
            // One test is its whole family.
            None => String::new(),
        };
        table.notes.push(format!(
            "{} of all {groups} at once{}. {} {family} {}",
            self.words.value,
            self.comma_within(),
            self.about(),
            self.marks()
        ));
        table
    }

    /// Whether a group is what is expected of it, a row a group.
    pub(super) fn each(self, families: &[Family], test: fn(&[f64]) -> Found) -> Table {
        let [before, behind] = self.listed().heads;
        let (key, head) = &self.words.group;
        let mut heads = vec![(key.as_str(), head.as_str()), ("n", "n")];
        heads.extend(before);
        heads.extend([("p", "p"), self.adjusted_head()]);
        heads.extend(behind);
        heads.push(("mark", ""));
        let mut table = self.table(&heads);
        for family in families {
            let found: Vec<_> = family.samples.iter().map(|sample| test(&sample.values)).collect();
            let adjusted = self.adjust(&found.iter().map(|found| found.p).collect::<Vec<_>>());
            for ((sample, found), adjusted) in family.samples.iter().zip(found).zip(adjusted) {
                let [before, behind] = found.cells;
                let mut row = vec![self.family_cell(family)];
                row.extend([Cell::text(&sample.name), Cell::Count(sample.values.len() as u64)]);
                row.extend(before);
                row.extend([Cell::probability(found.p), self.adjusted_cell(adjusted)]);
                row.extend(behind);
                row.push(self.mark(adjusted));
                table.push(row);
            }
        }
        let groups = &self.words.groups;
        table.notes.push(format!(
            "{} of each of the {groups}{}: {} {} {}",
            self.words.value,
            self.within(),
            self.about(),
            self.family(&format!("the {groups}")),
            self.marks()
        ));
        table
    }

    fn comma_within(self) -> String {
        self.words.by.as_ref().map_or(String::new(), |by| format!(", within {}", by.one))
    }
}
