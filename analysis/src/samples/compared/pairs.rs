//! Tests of all pairs of groups, and the letters that summarise them.

use record::Test;

use super::{Asking, mean_cell};
use crate::{
    Cell, Digits, Table,
    samples::{Family, Sample, paired, partnered},
    statistics::{
        Reason, TTest,
        effect::{self, Magnitude},
        letters::{Pair, letters},
        mann_whitney,
        moments::Moments,
        student, welch, wilcoxon,
    },
};

/// Letters of each sample of each family: samples that share one are not different. None of a sample that was tested
/// against no other, for the reason of its tests.
pub type Letters = Vec<Vec<Result<String, Reason>>>;

/// A pair; every number is computed from the values that were tested.
struct Row {
    names: [String; 2],
    of: [Moments; 2],
    test: Result<Tested, Reason>,
    /// Apart from the test: it may be there where a probability is not.
    effect: Result<Effect, Reason>,
}

/// What a test of two samples says.
#[derive(Clone, Copy)]
struct Tested {
    statistic: f64,
    /// Degrees of freedom and the interval of the difference of means, of a t test.
    of_t: Option<(f64, (f64, f64))>,
    p: f64,
    /// Whether p is exact, of a test that can be exact or approximate.
    exact: Option<bool>,
}

/// How large a difference is.
#[derive(Clone, Copy)]
struct Effect {
    value: f64,
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
            let rows: Vec<Row> = pairs.iter().map(|pair| self.test(pair.map(|place| samples[place]))).collect();
            let p: Vec<_> = rows.iter().map(|row| row.test.map(|test| test.p)).collect();
            let adjusted = self.adjust(&p);
            for (row, adjusted) in rows.iter().zip(&adjusted) {
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
            self.about().replace("{block}", &self.words.block),
            self.family("the pairs"),
            self.marks()
        ));
        (table, all_letters)
    }

    /// Means of the values that were tested.
    fn means(self, family: &Family, samples: &[(&Sample, Moments)]) -> Vec<f64> {
        let mean = |of: &Moments| of.mean().unwrap_or(f64::NEG_INFINITY);
        if self.asked.test == Test::Wilcoxon {
            return partnered(family).samples.iter().map(|sample| mean(&sample.moments())).collect();
        }
        samples.iter().map(|(_, of)| mean(of)).collect()
    }

    /// Letters of a family's samples; the one with the highest mean, of values that were tested, has the letter a.
    fn letters(self, means: &[f64], pairs: &[[usize; 2]], p: &[Result<f64, Reason>]) -> Vec<Result<String, Reason>> {
        let count = means.len();
        let mut of_pairs = vec![Pair::Untested; count * count];
        let mut reasons = vec![None; count];
        for (&[i, j], p) in pairs.iter().zip(p) {
            let pair = match p {
                Ok(p) if *p < self.asked.alpha => Pair::Different,
                Ok(_) => Pair::Alike,
                Err(reason) => {
                    [i, j].into_iter().for_each(|place| reasons[place] = reasons[place].or(Some(*reason)));
                    Pair::Untested
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
        if self.asked.test == Test::Wilcoxon { partnered(family) } else { family.clone() }
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
        heads.push(if self.is_of_t() { ("df", "df") } else { ("method", "method") });
        heads.extend([("p", "p"), self.adjusted_head(), ("effect", effect)]);
        heads.extend(companion);
        heads.extend(companion.map(|_| ("size", "size")));
        heads.push(("mark", ""));
        heads
    }

    fn test(self, [(a, of_a), (b, of_b)]: [(&Sample, Moments); 2]) -> Row {
        let by_t = |test: TTest| Tested { statistic: test.t, of_t: Some((test.df, test.ci95)), p: test.p, exact: None };
        let of_means = effect::cohens_d(&of_a, &of_b).map(|d| Effect {
            value: d,
            companion: effect::hedges_g(&of_a, &of_b).ok().map(|g| (g, Magnitude::of_cohens_d(d))),
        });
        let (of, test, effect) = match self.asked.test {
            Test::Welch => ([of_a, of_b], welch::from_moments(&of_a, &of_b).map(by_t), of_means),
            Test::Student => ([of_a, of_b], student::from_moments(&of_a, &of_b).map(by_t), of_means),
            Test::Wilcoxon => {
                let [x, y]: [Vec<f64>; 2] = paired(&[a, b]).try_into().unwrap_or_default();
                let found = wilcoxon::test_decimals(&x, &y);
                let ranked = |test: wilcoxon::Wilcoxon| Tested {
                    statistic: test.w,
                    of_t: None,
                    p: test.p,
                    exact: Some(test.exact),
                };
                let effect = found.map(|test| Effect { value: test.rank_biserial, companion: None });
                ([Moments::of(&x), Moments::of(&y)], found.map(ranked), effect)
            }
            _ => {
                let found = mann_whitney::test(&a.values, &b.values);
                let ranked = |test: mann_whitney::MannWhitney| Tested {
                    statistic: test.u1,
                    of_t: None,
                    p: test.p,
                    exact: Some(test.exact),
                };
                let effect = found.map(|test| Effect {
                    value: test.a12,
                    companion: Some((test.cliffs_delta, Magnitude::of_a12(test.a12))),
                });
                ([of_a, of_b], found.map(ranked), effect)
            }
        };
        Row { names: [&a.name, &b.name].map(String::clone), of, test, effect }
    }

    fn pair_cells(self, Row { names, of, test, effect }: &Row, adjusted: Result<f64, Reason>) -> Vec<Cell> {
        let digits = Digits::measured(self.words.digits + 1);
        let mut cells: Vec<Cell> = names.each_ref().map(Cell::text).into();
        cells.extend(of.map(|of| Cell::Count(of.n)));
        cells.extend(of.map(|of| mean_cell(&of, digits)));
        let of_t = test.map(|test| test.of_t.unwrap_or_default());
        if self.is_of_t() {
            let interval = of_t.and_then(|(_, (low, high))| Ok((in_range(low)?, in_range(high)?)));
            cells.push(Cell::interval(interval, digits));
        }
        let statistic = test.and_then(|test| in_range(test.statistic));
        cells.push(Cell::real(statistic, if self.is_of_t() { 2 } else { 1 }));
        cells.push(if self.is_of_t() {
            Cell::real(of_t.map(|(df, _)| df), 1)
        } else {
            let way = |exact| Cell::text(if exact { "exact" } else { "normal" });
            Cell::of(test.map(|test| test.exact.unwrap_or_default()), way)
        });
        cells.extend([Cell::probability(test.map(|test| test.p)), self.adjusted_cell(adjusted)]);
        cells.push(Cell::real(effect.and_then(|effect| in_range(effect.value)), 3));
        if self.asked.test != Test::Wilcoxon {
            let companion = effect.map(|effect| effect.companion);
            let value = companion.and_then(|found| found.map(|(value, _)| in_range(value)).transpose());
            cells.push(Cell::of(value, |value| Cell::real(value, 3)));
            cells.push(Cell::of(companion, |found| Cell::of(found, |(_, size)| Cell::text(size.word()))));
        }
        cells.push(self.mark(adjusted));
        cells
    }

    fn about(self) -> &'static str {
        match self.asked.test {
            Test::Wilcoxon => {
                "Wilcoxon's signed ranks, two-sided, of {block}; n and means: of such pairs; those without a difference are \
                 left out of the test. method: exact up to 50 pairs without zeros and ties, and up to 13 with them, else by the \
                 normal approximation. r: the share of ranks where a is ahead minus that where b is."
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
                "Mann-Whitney's U, two-sided. method: exact where the product of the sizes is at most 200, and without ties where \
                 one size is at most 8, else by the normal approximation. A12: how often a value of a is above one of b, a tie \
                 being half; delta: 2 A12 − 1; size: Vargha and Delaney's words for A12, from 0.56, 0.64 and 0.71 or as far \
                 below a half."
            }
        }
    }
}

/// A figure that is a number.
fn in_range(value: f64) -> Result<f64, Reason> {
    if value.is_finite() { Ok(value) } else { Err(Reason::BeyondRange) }
}
