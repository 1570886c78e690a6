//! Who did the work, and how fast.

use super::{Work, Workers};
use crate::{Cell, Table};

/// A row a worker; `trials` says what it ran, in the plural and in the singular.
pub(crate) fn workers(experiment: &str, workers: &Workers, trials: [&str; 2]) -> Table {
    let [many, one] = trials;
    let ms = format!("{one}_ms");
    let mut table = Table::new(
        "workers",
        format!("{experiment}: speed by worker"),
        &[
            ("worker", "worker"),
            (many, many),
            (&ms, &format!("ms a {one}")),
            ("decision_us", "µs a decision"),
            ("iterations_per_second", "iterations a second and thread"),
        ],
    )
    .of_kind(&format!("workers of {many}"))
    .measured(&["worker", many, &ms, "decision_us", "iterations_per_second"]);
    for (name, work) in workers {
        table.push(vec![
            Cell::text(name),
            Cell::Count(work.games),
            Cell::real(Work::mean(work.elapsed_us, work.games).map(|us| us / 1e3), 3),
            Cell::real(Work::mean(work.deciding_us, work.decisions), 1),
            Cell::real(Work::mean(work.iterations, work.deciding_us).map(|rate| rate * 1e6), 0),
        ]);
    }
    table
}
