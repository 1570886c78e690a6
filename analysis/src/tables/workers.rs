//! Who did the work, and how fast.

use crate::{Cell, Table, games::Grid};

/// A row a worker.
pub(crate) fn workers(grid: &Grid) -> Table {
    let mut table = Table::new(
        "workers",
        format!("{}: speed by worker", grid.meta.experiment),
        &[
            ("worker", "worker"),
            ("games", "games"),
            ("game_ms", "ms a game"),
            ("decision_us", "µs a decision"),
            ("iterations_per_second", "iterations a second and thread"),
        ],
    );
    for (name, work) in &grid.workers {
        let ratio = |part: u64, of: u64| (of > 0).then(|| part as f64 / of as f64);
        table.push(vec![
            Cell::text(name),
            Cell::Count(work.games),
            Cell::real(ratio(work.elapsed_us, work.games).map(|us| us / 1e3), 3),
            Cell::real(ratio(work.deciding_us, work.decisions), 1),
            Cell::real(ratio(work.iterations, work.deciding_us).map(|rate| rate * 1e6), 0),
        ]);
    }
    table
}
