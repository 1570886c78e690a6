//! How a tuning's search fared from generation to generation.

use crate::{
    Cell, Table,
    kinds::{
        tuning::{Generation, Tuning, share_interval},
        workers::Work,
    },
    statistics::quantile::quantile,
};

/// A row a generation.
pub(crate) fn search(tuning: &Tuning) -> Table {
    let facts = &tuning.facts;
    let mut table = Table::new(
        "generations",
        format!(
            "{}: {} search in {} by generation (shares of the points)",
            facts.header.experiment, facts.algorithm, facts.game.game
        ),
        &[
            ("generation", "generation"),
            ("candidates", "candidates"),
            ("games", "games"),
            ("games_so_far", "games so far"),
            ("best", "best"),
            ("quartile_3", "3rd quartile"),
            ("mean", "mean"),
            ("quartile_1", "1st quartile"),
            ("leader", "leader"),
            ("leader_share", "its share"),
            ("leader_95", "95 % (Wilson)"),
            ("leader_games", "its games"),
            ("leads_since", "leads since"),
            ("executor_hours", "executor hours"),
        ],
    )
    .of_kind("search")
    .measured(&["executor_hours"]);
    let mut so_far = 0;
    for generation in &tuning.generations {
        let work = generation.played.work();
        so_far += work.games;
        table.push(row(generation, &work, so_far));
    }
    table.notes.push(
        "Shares are of all games that a candidate has played so far. best: the highest of the generation, mostly that of a \
         lucky candidate with few games. The leader is, of all that ever played, the candidate whose games make sure of \
         most, which is the lower end of the interval; it need not play in the generation. The intervals are those of a single \
         candidate: of many, the luckiest leads, and its interval holds its strength less often than 95 % say. That of the \
         final stage does."
            .to_owned(),
    );
    table
}

fn row(generation: &Generation, work: &Work, so_far: u64) -> Vec<Cell> {
    let (shares, leader) = (generation.shares(), &generation.leader);
    vec![
        Cell::Count(generation.number.into()),
        Cell::Count(generation.candidates.len() as u64),
        Cell::Count(work.games),
        Cell::Count(so_far),
        Cell::real(generation.best_share(), 4),
        Cell::real(quantile(&shares, 0.75), 4),
        Cell::real(generation.mean_share(), 4),
        Cell::real(quantile(&shares, 0.25), 4),
        Cell::text(&leader.name),
        Cell::real(leader.share(), 4),
        Cell::interval(share_interval(leader), 4),
        Cell::Count(leader.games),
        Cell::Count(generation.leads_since.into()),
        Cell::real(work.hours(), 4),
    ]
}
