//! All agents at once, and each by itself.

use super::{Asked, Tested, paired};
use crate::{
    Cell, Table,
    questions::Test,
    statistics::{friedman, kruskal_wallis, normality},
};

impl<'a> Asked<'a> {
    /// Whether agents differ at all, a row a problem.
    pub(super) fn together(&self) -> Table {
        let friedman = self.question.test == Test::Friedman;
        let (statistic, effect) = if friedman { ("chi-squared", "Kendall's W") } else { ("H", "epsilon squared") };
        let mut heads = vec![
            ("problem", "problem"),
            ("agents", "agents"),
            ("n", if friedman { "blocks" } else { "n" }),
            ("statistic", statistic),
            ("df", "df"),
            ("p", "p"),
        ];
        heads.extend(self.adjusted_head());
        heads.extend([("effect", effect), ("mark", "")]);
        let mut table = Table::new(self.name(), self.title(), &heads);
        let tested = |problem: &'a str| {
            let arms = self.arms(problem);
            if friedman {
                let samples = paired(self.metric, &arms);
                let n = samples.first().map_or(0, Vec::len);
                let samples: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
                let test = friedman::test(&samples).ok();
                (
                    problem,
                    arms.len(),
                    n,
                    test.map(|test| {
                        (test.df, Tested { statistic: test.chi_squared, p: test.p, effect: test.kendalls_w })
                    }),
                )
            } else {
                let samples: Vec<&[f64]> = arms.iter().map(|arm| arm.values(self.metric)).collect();
                let n = samples.iter().map(|sample| sample.len()).sum();
                let test = kruskal_wallis::test(&samples).ok();
                (
                    problem,
                    arms.len(),
                    n,
                    test.map(|test| (test.df, Tested { statistic: test.h, p: test.p, effect: test.epsilon_squared })),
                )
            }
        };
        let found: Vec<_> = self.study.problems().map(tested).collect();
        let adjusted = self.adjust(found.iter().map(|(.., test)| test.as_ref().map(|(_, tested)| tested.p)));
        for ((problem, agents, n, test), adjusted) in found.iter().zip(adjusted) {
            let tested = test.as_ref().map(|(_, tested)| tested);
            let mut cells = vec![Cell::text(*problem), Cell::Count(*agents as u64), Cell::Count(*n as u64)];
            cells.push(Cell::real(tested.map(|tested| tested.statistic), 3));
            cells.push(test.as_ref().map_or(Cell::Missing, |(df, _)| Cell::Count(*df)));
            cells.push(Cell::probability(tested.map(|tested| tested.p)));
            cells.extend(self.adjusted_head().map(|_| Cell::probability(adjusted)));
            cells.push(Cell::real(tested.map(|tested| tested.effect), 3));
            cells.push(self.mark(adjusted));
            table.push(cells);
        }
        let about = if friedman {
            "Friedman's test: are agents ranked alike in every block, a block being the runs with the same number?"
        } else {
            "Kruskal and Wallis' test: does one of the agents tend to larger values?"
        };
        table.notes.push(format!(
            "{} of all agents at once, within a problem. {about} {} {}",
            self.metric.head,
            self.family("the problems"),
            self.marks()
        ));
        table
    }

    /// Whether the runs of an agent are normal, a row a problem and agent.
    pub(super) fn normality(&self) -> Table {
        let mut heads = vec![("problem", "problem"), ("agent", "agent"), ("n", "n"), ("k2", "K²"), ("p", "p")];
        heads.extend(self.adjusted_head());
        heads.push(("mark", ""));
        let mut table = Table::new(self.name(), self.title(), &heads);
        for problem in self.study.problems() {
            let arms = self.arms(problem);
            let tests: Vec<_> = arms.iter().map(|arm| normality::test(arm.values(self.metric)).ok()).collect();
            let adjusted = self.adjust(tests.iter().map(|test| test.map(|test| test.p)));
            for ((arm, test), adjusted) in arms.iter().zip(&tests).zip(adjusted) {
                let mut cells = vec![Cell::text(problem), Cell::text(&arm.agent), Cell::Count(arm.runs.len() as u64)];
                cells.extend([Cell::real(test.map(|test| test.k2), 3), Cell::probability(test.map(|test| test.p))]);
                cells.extend(self.adjusted_head().map(|_| Cell::probability(adjusted)));
                cells.push(self.mark(adjusted));
                table.push(cells);
            }
        }
        table.notes.push(format!(
            "{} of each agent within a problem: D'Agostino and Pearson's test of normality, for eight runs and more that are not \
             all equal. {} {}",
            self.metric.head,
            self.family("the agents of a problem"),
            self.marks()
        ));
        table
    }
}
