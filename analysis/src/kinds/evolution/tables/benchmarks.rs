//! What individuals take from fixed opponents, which is where progress shows.

use crate::{
    Cell, Table,
    kinds::{
        evolution::Evolution,
        grid::{Grid, PER_1000, PairGames},
    },
    papers::Paper,
};

const HEADS: [(&str, &str); 11] = [
    ("generation", "generation"),
    ("contestant", "contestant"),
    ("role", "role"),
    ("individual", "individual"),
    ("opponent", "opponent"),
    ("games", "games"),
    ("wins", "wins"),
    ("draws", "draws"),
    ("losses", "losses"),
    ("points_per_1000", "points per 1000"),
    ("points_per_1000_95", "95 %"),
];

/// The paper's runs, where the experiment names such a table.
const PAPER: [(&str, &str); 4] =
    [("paper_runs", "paper's runs"), ("paper_mean", "their mean"), ("paper_min", "lowest"), ("paper_max", "highest")];

const POINTS: &str = "points per 1000: points of 1000 games, a draw half. Its interval takes the two games with the same luck and \
                     swapped seats as one observation (Student's over units; Wilson's over games where all units are equal).";

/// A row a contestant and opponent, of every benchmark.
pub(crate) fn benchmarks(evolution: &Evolution) -> Table {
    let title = format!("{}: {} against fixed players", evolution.facts.header.experiment, evolution.facts.game.game);
    let mut table = Table::new("benchmarks", title, &HEADS);
    for grid in &evolution.benchmarks {
        for pair in &grid.pairs {
            table.push(cells(grid, pair));
        }
    }
    table.notes.push(POINTS.to_owned());
    table
}

/// The same of the benchmark that ends the run, beside the paper's runs where the experiment names such a table.
pub(crate) fn last(evolution: &Evolution, grid: &Grid) -> Table {
    let mut heads = HEADS[1..].to_vec();
    heads.extend(PAPER);
    let paper = evolution.facts.header.paper.as_deref().and_then(Paper::find);
    // Rows of several runs; others belong to `compare`.
    let rows = paper.filter(|paper| paper.is_of_runs()).map_or(Vec::new(), Paper::rows);
    let placed: Vec<_> = rows.iter().filter_map(|row| Some((grid.find(row.names(), row.specs())?.0, row))).collect();
    let title = format!("{}: {}", evolution.facts.header.experiment, grid.stage);
    let mut table = Table::new("final", title, &heads).optional(&PAPER.map(|(key, _)| key));
    for pair in &grid.pairs {
        let mut row = cells(grid, pair).split_off(1);
        let printed = placed.iter().find(|(found, _)| std::ptr::eq(*found, pair));
        row.extend(match printed {
            Some((_, printed)) => [
                Cell::Count(printed.shares.len() as u64),
                Cell::real(printed.share() * PER_1000, 1),
                Cell::real(printed.range().0 * PER_1000, 1),
                Cell::real(printed.range().1 * PER_1000, 1),
            ],
            None => [Cell::Missing, Cell::Missing, Cell::Missing, Cell::Missing],
        });
        table.push(row);
    }
    table.notes.push(POINTS.to_owned());
    if let Some(paper) = paper.filter(|_| !rows.is_empty()) {
        table.notes.push(format!(
            "The paper's: {}; each of its runs stands for one champion, as the best individual does here.",
            paper.title()
        ));
    }
    table
}

fn cells(grid: &Grid, pair: &PairGames) -> Vec<Cell> {
    let contestant = grid.contestant(&pair.a);
    vec![
        grid.meta.generation.map_or(Cell::Missing, |generation| Cell::Count(generation.into())),
        Cell::text(&pair.a),
        contestant.map_or(Cell::Missing, |contestant| Cell::text(contestant.role.name())),
        contestant.map_or(Cell::Missing, |contestant| Cell::Count(contestant.individual as u64)),
        Cell::text(&pair.b),
        Cell::Count(pair.games),
        Cell::Count(pair.wins),
        Cell::Count(pair.draws),
        Cell::Count(pair.games - pair.wins - pair.draws),
        Cell::real(pair.share() * PER_1000, 1),
        Cell::interval(pair.share_interval().map(|(low, high)| (low * PER_1000, high * PER_1000)), 1),
    ]
}
