//! What the parts of an evolution took.

use crate::{
    Cell, Table,
    kinds::{evolution::Evolution, workers::Work},
};

/// A row for each part of the run, and one for the whole.
pub(crate) fn phases(evolution: &Evolution) -> Table {
    let mut table = Table::new(
        "cost",
        format!("{}: what it took", evolution.facts.header.experiment),
        &[
            ("part", "part"),
            ("stages", "stages"),
            ("games", "games"),
            ("executor_hours", "executor hours"),
            ("game_ms", "ms a game"),
            ("decision_us", "µs a decision"),
            ("iterations", "iterations a decision"),
        ],
    )
    .of_kind("phases")
    .measured(&["executor_hours", "game_ms", "decision_us"]);
    let (bred, tested) = (&evolution.generations, &evolution.benchmarks);
    let fitness = Work::sum(bred.iter().flat_map(|generation| generation.played.workers.values()));
    let benchmarks = Work::sum(tested.iter().flat_map(|grid| grid.workers.values()));
    let parts = [
        ("fitness games", bred.len(), fitness),
        ("benchmarks", tested.len(), benchmarks),
        ("all", bred.len() + tested.len(), Work::sum([&fitness, &benchmarks])),
    ];
    for (name, stages, work) in parts {
        table.push(vec![
            Cell::text(name),
            Cell::Count(stages as u64),
            Cell::Count(work.games),
            Cell::real(work.hours(), 4),
            Cell::real(Work::mean(work.elapsed_us, work.games).map(|us| us / 1e3), 3),
            Cell::real(Work::mean(work.deciding_us, work.decisions), 1),
            Cell::real(Work::mean(work.iterations, work.decisions), 1),
        ]);
    }
    table.notes.push("Times are the workers' and differ from run to run; games and iterations do not.".to_owned());
    table
}
