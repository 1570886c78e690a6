//! Who did the work, and how fast.

use crate::{
    Cell, Table,
    games::{Work, Workers},
};

/// A row a worker.
pub(crate) fn workers(experiment: &str, workers: &Workers) -> Table {
    let mut table = Table::new(
        "workers",
        format!("{experiment}: speed by worker"),
        &[
            ("worker", "worker"),
            ("games", "games"),
            ("game_ms", "ms a game"),
            ("decision_us", "µs a decision"),
            ("iterations_per_second", "iterations a second and thread"),
        ],
    );
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
