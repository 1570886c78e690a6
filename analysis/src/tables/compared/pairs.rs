//! All pairs of groups against one another, and the letters that say what came of it.

use super::Asking;
use crate::{
    Cell, Table,
    questions::Test,
    samples::{Family, Sample, paired},
    statistics::{
        Reason, TTest, effect::Magnitude, letters::letters, mann_whitney, moments::Moments, student, welch, wilcoxon,
    },
};

/// Letters of each sample of each family: samples that share one are not different.
pub type Letters = Vec<Vec<String>>;

/// What a test of two samples says.
#[derive(Clone, Copy)]
struct Tested {
    statistic: f64,
    /// Degrees of freedom and the interval of the difference of means, of a t test.
    of_t: Option<(f64, (f64, f64))>,
    p: f64,
    effect: f64,
    /// Cliff's delta or Hedges' g, and the word for the effect.
    companion: Option<(f64, Magnitude)>,
}

impl Asking<'_> {
    pub(super) fn pairs(self, families: &[Family]) -> (Table, Letters) {
        let mut table = self.table(&self.pair_heads());
        let mut all_letters = Letters::new();
        for family in families {
            let samples: Vec<(&Sample, Moments)> = family.samples.iter().map(|s| (s, s.moments())).collect();
            let count = samples.len();
            let pairs: Vec<_> = (0..count).flat_map(|i| (i + 1..count).map(move |j| [i, j])).collect();
            let tests: Vec<_> = pairs.iter().map(|pair| self.test(pair.map(|place| samples[place]))).collect();
            let adjusted = self.adjust(&tests.iter().map(|(_, test)| test.map(|test| test.p)).collect::<Vec<_>>());
            for ((pair, (sizes, test)), adjusted) in pairs.iter().zip(&tests).zip(&adjusted) {
                let mut row = self.row(family);
                row.extend(self.pair_cells(pair.map(|place| samples[place]), *sizes, *test, *adjusted));
                table.push(row);
            }
            let different = pairs.iter().zip(&adjusted).filter(|(_, p)| p.is_ok_and(|p| p < self.asked.alpha));
            all_letters.push(by_mean(&samples, &different.map(|(pair, _)| *pair).collect::<Vec<_>>()));
        }
        table.notes.push(format!(
            "{} of all pairs of {}{}: {} {} {}",
            self.words.value,
            self.words.groups,
            self.within(),
            self.about().replace("{block}", &self.words.block),
            self.family("the pairs"),
            self.marks()
        ));
        (table, all_letters)
    }

    /// Whether it is a t test, with degrees of freedom and an interval.
    fn is_of_t(self) -> bool {
        matches!(self.asked.test, Test::Welch | Test::Student)
    }

    fn pair_heads(self) -> Vec<(&'static str, &'static str)> {
        let (statistic, effect, companion) = match self.asked.test {
            Test::Wilcoxon => ("W", "rank-biserial r", None),
            Test::Welch | Test::Student => ("t", "Cohen's d", Some(("hedges_g", "Hedges' g"))),
            _ => ("U", "A12", Some(("cliffs_delta", "Cliff's delta"))),
        };
        let mut heads = vec![("a", "a"), ("b", "b"), ("n_a", "n a"), ("n_b", "n b")];
        heads.extend([("mean_a", "mean a"), ("mean_b", "mean b")]);
        heads.extend(self.is_of_t().then_some(("difference_95", "a − b, 95 %")));
        heads.push(("statistic", statistic));
        heads.extend(self.is_of_t().then_some(("df", "df")));
        heads.push(("p", "p"));
        heads.extend(self.adjusted_head());
        heads.push(("effect", effect));
        heads.extend(companion);
        heads.extend(companion.map(|_| ("size", "size")));
        heads.push(("mark", ""));
        heads
    }

    /// Sizes of the samples as tested, and the test.
    fn test(self, [(a, of_a), (b, of_b)]: [(&Sample, Moments); 2]) -> ([u64; 2], Result<Tested, Reason>) {
        let sizes = [of_a.n, of_b.n];
        let by_t = |test: TTest| Tested {
            statistic: test.t,
            of_t: Some((test.df, test.ci95)),
            p: test.p,
            effect: test.cohens_d,
            companion: Some((test.hedges_g, Magnitude::of_cohens_d(test.cohens_d))),
        };
        let found = match self.asked.test {
            Test::Welch => welch::from_moments(&of_a, &of_b).map(by_t),
            Test::Student => student::from_moments(&of_a, &of_b).map(by_t),
            Test::Wilcoxon => {
                let [x, y]: [Vec<f64>; 2] = paired(&[a, b]).try_into().unwrap_or_default();
                let found = wilcoxon::test(&x, &y).map(|test| Tested {
                    statistic: test.w,
                    of_t: None,
                    p: test.p,
                    effect: test.rank_biserial,
                    companion: None,
                });
                return ([x.len() as u64; 2], found);
            }
            _ => mann_whitney::test(&a.values, &b.values).map(|test| Tested {
                statistic: test.u1,
                of_t: None,
                p: test.p,
                effect: test.a12,
                companion: Some((test.cliffs_delta, Magnitude::of_a12(test.a12))),
            }),
        };
        (sizes, found)
    }

    fn pair_cells(
        self,
        pair: [(&Sample, Moments); 2],
        sizes: [u64; 2],
        test: Result<Tested, Reason>,
        adjusted: Result<f64, Reason>,
    ) -> Vec<Cell> {
        let digits = self.words.digits;
        let mut cells: Vec<Cell> = pair.map(|(sample, _)| Cell::text(&sample.name)).into();
        cells.extend(sizes.map(Cell::Count));
        cells.extend(pair.map(|(_, of)| Cell::real((of.n > 0).then_some(of.mean), digits + 1)));
        let of_t = test.map(|test| test.of_t.unwrap_or_default());
        if self.is_of_t() {
            cells.push(Cell::interval(of_t.map(|(_, interval)| interval), digits + 1));
        }
        cells.push(Cell::real(test.map(|test| test.statistic), if self.is_of_t() { 2 } else { 1 }));
        if self.is_of_t() {
            cells.push(Cell::real(of_t.map(|(df, _)| df), 1));
        }
        cells.push(Cell::probability(test.map(|test| test.p)));
        cells.extend(self.adjusted_head().map(|_| Cell::probability(adjusted)));
        cells.push(Cell::real(test.map(|test| test.effect), 3));
        if self.asked.test != Test::Wilcoxon {
            let companion = test.map(|test| test.companion);
            cells.push(Cell::of(companion, |found| Cell::real(found.map(|(value, _)| value), 3)));
            cells.push(Cell::of(companion, |found| Cell::of(found, |(_, size)| Cell::text(size.word()))));
        }
        cells.push(self.mark(adjusted));
        cells
    }

    fn about(self) -> &'static str {
        match self.asked.test {
            Test::Wilcoxon => {
                "Wilcoxon's signed ranks, two-sided, of {block}; n: such pairs; those without a difference are left out. \
                 r: the share of ranks where a is ahead minus that where b is."
            }
            Test::Welch => {
                "Welch's t, two-sided. d: the difference of means in pooled deviations, g: without its bias in small samples; \
                 size: Cohen's words for d, from 0.2, 0.5 and 0.8."
            }
            Test::Student => {
                "Student's t with one variance, two-sided. d: the difference of means in pooled deviations, g: without its \
                 bias in small samples; size: Cohen's words for d, from 0.2, 0.5 and 0.8."
            }
            _ => {
                "Mann-Whitney's U, two-sided. A12: how often a value of a is above one of b, a tie being half; delta: 2 A12 − 1; \
                 size: Vargha and Delaney's words for A12, from 0.56, 0.64 and 0.71 or as far below a half."
            }
        }
    }
}

/// Letters of the samples; the one with the highest mean has the letter a.
fn by_mean(samples: &[(&Sample, Moments)], different: &[[usize; 2]]) -> Vec<String> {
    let mut order: Vec<usize> = (0..samples.len()).collect();
    order.sort_by(|&one, &other| samples[other].1.mean.total_cmp(&samples[one].1.mean));
    let differ = |i: usize, j: usize| {
        let pair = [order[i].min(order[j]), order[i].max(order[j])];
        different.binary_search(&pair).is_ok()
    };
    let mut of_samples = vec![String::new(); samples.len()];
    for (letters, &place) in letters(samples.len(), differ).into_iter().zip(&order) {
        of_samples[place] = letters;
    }
    of_samples
}
