//! Tests of all pairs of groups, and the letters that summarise them.

use super::{
    Asking,
    listed::{Found, Pair},
    mean_cell,
};
use crate::{
    Cell, Digits, Table,
    samples::{Family, Sample, paired, partnered},
    statistics::{
        Reason,
        letters::{self, letters},
        moments::Moments,
    },
};

/// Letters of each sample of each family: samples that share one are not different. None of a sample that was tested
/// against no other, for the reason of its tests.
pub type Letters = Vec<Vec<Result<String, Reason>>>;

/// A row; every number is computed from the values that were tested.
struct Row {
    names: [String; 2],
    of: [Moments; 2],
    found: Found,
}

impl Asking<'_> {
    pub(super) fn pairs(self, families: &[Family], test: fn(&Pair<'_>) -> Found) -> (Table, Letters) {
        let [before, behind] = self.listed().heads;
        let mut heads = vec![("a", "a"), ("b", "b"), ("n_a", "n a"), ("n_b", "n b")];
        heads.extend([("mean_a", "mean a"), ("mean_b", "mean b")]);
        heads.extend(before);
        heads.extend([("p", "p"), self.adjusted_head()]);
        heads.extend(behind);
        heads.push(("mark", ""));
        let mut table = self.table(&heads);
        let mut all_letters = Letters::new();
        for family in families {
            let samples: Vec<(&Sample, Moments)> = family.samples.iter().map(|s| (s, s.moments())).collect();
            let count = samples.len();
            let pairs: Vec<_> = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j])).collect();
            let rows: Vec<Row> = pairs.iter().map(|pair| self.row(test, pair.map(|place| samples[place]))).collect();
            let adjusted = self.adjust(&rows.iter().map(|row| row.found.p).collect::<Vec<_>>());
            for (row, adjusted) in rows.into_iter().zip(&adjusted) {
                let mut cells = vec![self.family_cell(family)];
                cells.extend(self.pair_cells(row, *adjusted));
                table.push(cells);
            }
            all_letters.push(self.letters(&self.means(family, &samples), &pairs, &adjusted));
        }
        table.notes.push(format!(
            "{} of all pairs of {}{}: {} {} {}",
            self.words.value,
            self.words.groups,
            self.within(),
            self.about(),
            self.family("the pairs"),
            self.marks()
        ));
        (table, all_letters)
    }

    /// Means of the values that were tested.
    fn means(self, family: &Family, samples: &[(&Sample, Moments)]) -> Vec<f64> {
        let mean = |of: &Moments| of.mean().unwrap_or(f64::NEG_INFINITY);
        if self.listed().uses_partners() {
            return partnered(family).samples.iter().map(|sample| mean(&sample.moments())).collect();
        }
        samples.iter().map(|(_, of)| mean(of)).collect()
    }

    /// Letters of a family's samples; the one with the highest mean, of values that were tested, has the letter a.
    fn letters(self, means: &[f64], pairs: &[[usize; 2]], p: &[Result<f64, Reason>]) -> Vec<Result<String, Reason>> {
        let count = means.len();
        let mut of_pairs = vec![letters::Pair::Untested; count * count];
        let mut reasons = vec![None; count];
        for (&[i, j], p) in pairs.iter().zip(p) {
            let pair = match p {
                Ok(p) if *p < self.asked.alpha => letters::Pair::Different,
                Ok(_) => letters::Pair::Alike,
                Err(reason) => {
                    [i, j].into_iter().for_each(|place| reasons[place] = reasons[place].or(Some(*reason)));
                    letters::Pair::Untested
                }
            };
            (of_pairs[i * count + j], of_pairs[j * count + i]) = (pair, pair);
        }
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&one, &other| means[other].total_cmp(&means[one]));
        let mut of_samples = vec![Ok(String::new()); count];
        let found = letters(count, |i, j| of_pairs[order[i] * count + order[j]]);
        for (letters, &place) in found.into_iter().zip(&order) {
            of_samples[place] = match reasons[place] {
                Some(reason) if letters.is_empty() => Err(reason),
                _ => Ok(letters),
            };
        }
        of_samples
    }

    /// The values that a test uses: those that have a partner, where it is one of pairs.
    pub(super) fn tested(self, family: &Family) -> Family {
        if self.listed().uses_partners() { partnered(family) } else { family.clone() }
    }

    fn row(self, test: fn(&Pair<'_>) -> Found, [(a, of_a), (b, of_b)]: [(&Sample, Moments); 2]) -> Row {
        let names = [&a.name, &b.name].map(String::clone);
        let digits = self.mean_digits();
        if !self.listed().needs_blocks {
            let of = [of_a, of_b];
            return Row { names, of, found: test(&Pair { values: [&a.values, &b.values], of, digits }) };
        }
        let [a, b]: [Vec<f64>; 2] = paired(&[a, b]).try_into().unwrap_or_default();
        let of = [&a, &b].map(|values| Moments::of(values));
        Row { names, of, found: test(&Pair { values: [&a, &b], of, digits }) }
    }

    fn pair_cells(self, Row { names, of, found }: Row, adjusted: Result<f64, Reason>) -> Vec<Cell> {
        let [before, behind] = found.cells;
        let mut cells: Vec<Cell> = names.map(Cell::text).into();
        cells.extend(of.map(|of| Cell::Count(of.n)));
        cells.extend(of.map(|of| mean_cell(&of, self.mean_digits())));
        cells.extend(before);
        cells.extend([Cell::probability(found.p), self.adjusted_cell(adjusted)]);
        cells.extend(behind);
        cells.push(self.mark(adjusted));
        cells
    }

    fn mean_digits(self) -> Digits {
        Digits::measured(self.words.digits + 1)
    }
}
