//! How a population fared from generation to generation.

use crate::{
    Cell, Table,
    kinds::{
        evolution::{Evolution, Generation},
        workers::Work,
    },
    statistics::{moments::Moments, quantile::median},
};

/// A row a generation.
pub(crate) fn generations(evolution: &Evolution) -> Table {
    // Every generation of a run plays as many games.
    let of = evolution.generations.first().map_or(0.0, |generation| generation.of);
    let mut table = Table::new(
        "generations",
        format!(
            "{}: {} by generation (fitness in points of {of})",
            evolution.facts.header.experiment, evolution.facts.game.game
        ),
        &[
            ("generation", "generation"),
            ("best", "best"),
            ("mean", "mean"),
            ("sd", "sd"),
            ("median", "median"),
            ("min", "min"),
            ("size_mean", "mean size"),
            ("size_max", "max size"),
            ("depth_mean", "mean depth"),
            ("introns", "introns"),
            ("distinct", "distinct"),
            ("individuals", "individuals"),
            ("plies", "plies"),
            ("executor_hours", "executor hours"),
        ],
    )
    .measured(&["executor_hours"]);
    evolution.generations.iter().for_each(|generation| table.push(row(generation)));
    table.notes.push(
        "Fitness comes from games inside the population, so that its mean is half of the games whatever the players are \
         worth: progress shows in the benchmarks. size: nodes of a tree; introns: mean share of nodes that cannot change \
         its value; distinct: different trees."
            .to_owned(),
    );
    table
}

fn row(generation: &Generation) -> Vec<Cell> {
    let (fitness, work) = (Moments::of(&generation.fitness), generation.played.work());
    let mean = |values: &[f64]| Moments::of(values).mean();
    vec![
        Cell::Count(generation.number.into()),
        Cell::real(generation.best_fitness(), 1),
        Cell::real(fitness.mean(), 2),
        Cell::real(fitness.deviation(), 2),
        Cell::real(median(&generation.fitness), 1),
        Cell::real(generation.fitness.iter().copied().min_by(f64::total_cmp), 1),
        Cell::real(mean(&generation.size), 1),
        Cell::real(generation.size.iter().copied().max_by(f64::total_cmp), 0),
        Cell::real(mean(&generation.depth), 2),
        Cell::real(mean(&generation.introns), 3),
        Cell::Count(generation.distinct),
        Cell::Count(generation.individuals() as u64),
        Cell::real(Work::mean(work.plies, work.games), 1),
        Cell::real(work.hours(), 4),
    ]
}
