//! All pairs of agents against one another, and the letters that say what came of it.

use super::{Asked, Tested, paired};
use crate::{
    Cell, Table,
    questions::Test,
    statistics::{letters::letters, mann_whitney, quantile::median, student, welch, wilcoxon},
    study::Arm,
};

/// A pair of agents, its samples' sizes and means, and what the test says where it says something.
struct Pair<'a> {
    arms: [&'a Arm; 2],
    sizes: [u64; 2],
    tested: Option<Tested>,
}

impl<'a> Asked<'a> {
    /// The agents with their letters, and the tests.
    pub(super) fn pairs(&self) -> Vec<Table> {
        let (statistic, effect) = match self.question.test {
            Test::Wilcoxon => ("W", "rank-biserial r"),
            Test::Welch | Test::Student => ("t", "Cohen's d"),
            _ => ("U", "A12"),
        };
        let mut heads = vec![
            ("problem", "problem"),
            ("a", "a"),
            ("b", "b"),
            ("n_a", "n a"),
            ("n_b", "n b"),
            ("mean_a", "mean a"),
            ("mean_b", "mean b"),
            ("statistic", statistic),
            ("p", "p"),
        ];
        heads.extend(self.adjusted_head());
        heads.extend([("effect", effect), ("mark", "")]);
        let mut table = Table::new(self.name(), self.title(), &heads);
        let mut groups = Table::new(
            format!("{}-groups", self.name()),
            self.title(),
            &[
                ("problem", "problem"),
                ("agent", "agent"),
                ("n", "n"),
                ("mean", &format!("{} (mean ± sd)", self.metric.head)),
                ("median", "median"),
                ("letters", "letters"),
            ],
        );
        for problem in self.study.problems() {
            let mut arms = self.arms(problem);
            let pairs: Vec<Pair<'_>> = (0..arms.len())
                .flat_map(|i| (i + 1..arms.len()).map(move |j| (i, j)))
                .map(|(i, j)| self.pair(arms[i], arms[j]))
                .collect();
            let adjusted = self.adjust(pairs.iter().map(|pair| pair.tested.as_ref().map(|tested| tested.p)));
            for (pair, adjusted) in pairs.iter().zip(&adjusted) {
                table.push(self.cells(problem, pair, *adjusted));
            }
            // The highest mean has the letter a.
            let mean = |arm: &Arm| arm.moments(self.metric).map_or(0.0, |moments| moments.mean);
            arms.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
            let differ = |i: usize, j: usize| {
                let is = |pair: &Pair<'_>| {
                    let [a, b] = pair.arms.map(|arm| &arm.agent);
                    [a, b] == [&arms[i].agent, &arms[j].agent] || [b, a] == [&arms[i].agent, &arms[j].agent]
                };
                let found = pairs.iter().position(is).and_then(|place| adjusted[place]);
                found.is_some_and(|p| p < self.question.alpha)
            };
            for (arm, letters) in arms.iter().zip(letters(arms.len(), differ)) {
                groups.push(vec![
                    Cell::text(problem),
                    Cell::text(&arm.agent),
                    Cell::Count(arm.runs.len() as u64),
                    Cell::spread(arm.moments(self.metric), self.metric.digits),
                    Cell::real(median(arm.values(self.metric)), self.metric.digits),
                    Cell::text(letters),
                ]);
            }
        }
        let about = match self.question.test {
            Test::Wilcoxon => {
                "Wilcoxon's signed ranks, two-sided, of runs with the same number; n: such runs; pairs without a difference are \
                 left out. r: the share of ranks where a is ahead minus that where b is."
            }
            Test::Welch => "Welch's t, two-sided. d: the difference of means in pooled deviations.",
            Test::Student => {
                "Student's t with one variance, two-sided. d: the difference of means in pooled deviations."
            }
            _ => "Mann-Whitney's U, two-sided. A12: how often a run of a is above one of b, a tie being half.",
        };
        let family = self.family("the pairs of a problem");
        table.notes.push(format!(
            "{} of all pairs of agents within a problem: {about} {family} {}",
            self.metric.head,
            self.marks()
        ));
        groups.notes.push(format!(
            "By mean; agents that share a letter are not different at {} by the tests of `{}` (Piepho 2004). {family}",
            self.question.alpha,
            self.name()
        ));
        vec![groups, table]
    }

    fn pair(&self, a: &'a Arm, b: &'a Arm) -> Pair<'a> {
        let (x, y) = (a.values(self.metric), b.values(self.metric));
        let mut sizes = [x.len() as u64, y.len() as u64];
        let tested = match self.question.test {
            Test::Welch => welch::test(x, y).map(|test| Tested { statistic: test.t, p: test.p, effect: test.cohens_d }),
            Test::Student => {
                student::test(x, y).map(|test| Tested { statistic: test.t, p: test.p, effect: test.cohens_d })
            }
            Test::Wilcoxon => {
                let [x, y]: [Vec<f64>; 2] = paired(self.metric, &[a, b]).try_into().unwrap_or_default();
                sizes = [x.len() as u64; 2];
                wilcoxon::test(&x, &y).map(|test| Tested { statistic: test.w, p: test.p, effect: test.rank_biserial })
            }
            _ => mann_whitney::test(x, y).map(|test| Tested { statistic: test.u1, p: test.p, effect: test.a12 }),
        };
        Pair { arms: [a, b], sizes, tested: tested.ok() }
    }

    fn cells(&self, problem: &str, pair: &Pair<'_>, adjusted: Option<f64>) -> Vec<Cell> {
        let mean = |arm: &Arm| Cell::real(arm.moments(self.metric).map(|moments| moments.mean), self.metric.digits + 1);
        let [a, b] = pair.arms;
        let tested = pair.tested.as_ref();
        let mut cells = vec![Cell::text(problem), Cell::text(&a.agent), Cell::text(&b.agent)];
        cells.extend(pair.sizes.map(Cell::Count));
        cells.extend([mean(a), mean(b)]);
        let digits = if matches!(self.question.test, Test::Welch | Test::Student) { 2 } else { 1 };
        cells.push(Cell::real(tested.map(|tested| tested.statistic), digits));
        cells.push(Cell::probability(tested.map(|tested| tested.p)));
        cells.extend(self.adjusted_head().map(|_| Cell::probability(adjusted)));
        cells.push(Cell::real(tested.map(|tested| tested.effect), 3));
        cells.push(self.mark(adjusted));
        cells
    }
}
