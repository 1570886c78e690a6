//! What evolved formulas hold, as table 5.11 of the SIEA-MCTS thesis gives it, and which come more than once.

use crate::{
    Cell, Table,
    kinds::study::{Arm, Metric, Study},
};

/// Formulas of an agent and problem that are listed.
const LISTED_MAX: usize = 5;

/// A row a problem and agent that evolves its formula.
pub(crate) fn formulas(study: &Study) -> Table {
    let mut table = Table::new(
        "formulas",
        format!("{}: final formulas", study.meta.header.experiment),
        &[
            ("problem", "problem"),
            ("agent", "agent"),
            ("runs", "runs"),
            ("rate_n", "rate of n"),
            ("rate_big_n", "rate of N"),
            ("rate_q", "rate of Q"),
            ("rate_c", "rate of C"),
            ("nodes", "nodes"),
            ("fitness", "fitness"),
            ("ties", "ties"),
            ("semantic_choices", "by semantics"),
            ("greedy", "greedy"),
            ("stuck", "stuck"),
            ("random", "random"),
            ("unchanged", "unchanged"),
            ("distinct", "different"),
        ],
    )
    .spreads(&["nodes", "fitness", "ties", "semantic_choices"]);
    study.arms.iter().filter(|arm| arm.evolves()).for_each(|arm| table.push(row(study, arm)));
    let labels = if study.is_of_decisions() {
        "greedy: share with Q and without n; stuck: with n and without Q; random: with neither."
    } else {
        "A rate is the mean over runs of the share of their decisions; greedy, stuck and random cannot be told from it."
    };
    table.notes.push(format!(
        "rate: share of final formulas with at least one n (visits of the node), N (of its parent), Q (mean reward) or C (a \
         constant); nodes, fitness, ties (generations in which several formulas shared the best fitness) and those that \
         semantics decided: mean ± sample deviation over runs. {labels} unchanged: share of runs whose last decision ended with \
         the formula it began with, and different: formulas of last decisions, both constants aside."
    ));
    table
}

fn row(study: &Study, arm: &Arm) -> Vec<Cell> {
    let rate = |name| Cell::real(arm.of(name).and_then(|values| values.mean()), 2);
    let label = |q: bool, n: bool| Cell::real(study.is_of_decisions().then(|| share(arm, q, n)), 2);
    vec![
        Cell::text(&arm.problem),
        Cell::text(&arm.agent),
        Cell::Count(arm.runs.len() as u64),
        rate("uses-visits"),
        rate("uses-parent-visits"),
        rate("uses-q"),
        rate("uses-c"),
        Cell::spread(arm.of("formula-nodes"), 2),
        Cell::spread(arm.of("fitness"), 3),
        Cell::spread(arm.of("ties"), 1),
        Cell::spread(arm.of("semantic-choices"), 1),
        label(true, false),
        label(false, true),
        label(false, false),
        Cell::real((!arm.formulas.is_empty()).then(|| study.unchanged(arm) as f64 / arm.runs.len() as f64), 2),
        if arm.formulas.is_empty() { Cell::Missing } else { Cell::Count(arm.formulas.len() as u64) },
    ]
}

/// Share of runs whose formula holds Q or does not, and n or does not.
fn share(arm: &Arm, q: bool, n: bool) -> f64 {
    let uses = |name| arm.values(Metric::find(name).expect("a metric of the list")).iter().map(|share| *share > 0.5);
    let such = uses("uses-q").zip(uses("uses-visits")).filter(|found| *found == (q, n)).count();
    such as f64 / arm.runs.len() as f64
}

/// Formulas that several runs ended with, the most frequent first.
pub(crate) fn frequent(study: &Study) -> Table {
    let mut table = Table::new(
        "formula-counts",
        format!("{}: formulas that several runs ended with", study.meta.header.experiment),
        &[("problem", "problem"), ("agent", "agent"), ("formula", "formula"), ("runs", "runs"), ("share", "share")],
    );
    for arm in &study.arms {
        let mut counted: Vec<(&String, u64)> = arm.formulas.iter().map(|(text, count)| (text, *count)).collect();
        // Stable: equal counts stay in the order of their texts.
        counted.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        for (formula, count) in counted.into_iter().take(LISTED_MAX).filter(|(_, count)| *count > 1) {
            table.push(vec![
                Cell::text(&arm.problem),
                Cell::text(&arm.agent),
                Cell::text(formula),
                Cell::Count(count),
                Cell::real(count as f64 / arm.runs.len() as f64, 2),
            ]);
        }
    }
    table.notes.push(format!("At most {LISTED_MAX} of an agent and problem, by the last decision of a run; formulas are equal if they differ by constants alone."));
    table
}
