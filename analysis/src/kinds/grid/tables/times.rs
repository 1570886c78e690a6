//! How long decisions took, one by one.

use crate::{
    Cell, Table,
    kinds::grid::{Grid, tables::ByPair, turns::Turns},
};

/// A player's own turns that are taken together, counted from 0; the last has no end. The Checkers report says that
/// most of the fall of its times is in the first 25.
pub(crate) const PHASES: [(usize, usize, &str); 4] =
    [(0, 10, "turns 1-10"), (10, 25, "11-25"), (25, 50, "26-50"), (50, usize::MAX, "51-")];

/// A row a pair and player.
pub(crate) fn times(grid: &Grid) -> ByPair {
    let heads: Vec<(String, String)> = PHASES
        .iter()
        .map(|(from, to, name)| {
            let to = if *to == usize::MAX { String::new() } else { format!("_{to}") };
            (format!("from_{}{to}", from + 1), format!("{name} (ms)"))
        })
        .collect();
    let mut columns = vec![
        ("player", "player"),
        ("opponent", "opponent"),
        ("decisions", "decisions"),
        ("mean_ms", "mean (ms)"),
        ("sd_ms", "sd"),
        ("median_ms", "median"),
        ("quartiles_ms", "quartiles"),
        ("p95_ms", "95 of 100 below"),
        ("longest_ms", "longest"),
    ];
    columns.extend(heads.iter().map(|(key, head)| (key.as_str(), head.as_str())));
    let figures: Vec<&str> = columns.iter().skip(2).map(|(key, _)| *key).collect();
    let mut table = Table::new("times", format!("{}: time of a decision", grid.meta.header.experiment), &columns)
        .intervals(&["quartiles_ms"])
        .measured(&figures);
    table.notes.push(
        "Over decisions that were searched for, ms of the workers; quantiles to three digits, of the decisions themselves. Turns \
         are the player's own."
            .to_owned(),
    );
    ByPair::new(table, |_, pair| vec![cells(&pair.a, &pair.b, &pair.turns[0]), cells(&pair.b, &pair.a, &pair.turns[1])])
}

fn cells(player: &str, opponent: &str, turns: &Turns) -> Vec<Cell> {
    let ms = |us: Option<f64>| Cell::real(us.map(|us| us / 1_000.0), 3);
    let moments = turns.moments();
    let quantile = |p: f64| turns.quantile(p).map(|us| us / 1_000.0);
    let mut cells = vec![
        Cell::text(player),
        Cell::text(opponent),
        Cell::Count(moments.n),
        ms(moments.mean()),
        ms(moments.deviation()),
        Cell::real(quantile(0.5), 3),
        Cell::interval(quantile(0.25).zip(quantile(0.75)), 3),
        Cell::real(quantile(0.95), 3),
        Cell::real(quantile(1.0), 3),
    ];
    cells.extend(PHASES.iter().map(|(from, to, _)| ms(turns.between(*from, *to).mean())));
    cells
}
