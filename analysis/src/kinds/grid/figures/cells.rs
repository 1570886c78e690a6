//! A grid over two parameters as a map.

use crate::{
    forms::figure::{Heat, LeftOut, Square},
    kinds::grid::{Grid, PairGames, axes::Axes},
    statistics::{CONFIDENCE, interval},
};

/// More cells than this beside or under one another are a blot.
const LEVELS_MAX: usize = 16;
/// More figures of one kind than this are a table.
const MAPS_MAX: usize = 12;

/// Share, wins, draws and losses by the two parameters that differ, a figure an opponent; nothing of other grids.
pub(crate) fn maps(grid: &Grid, axes: &Axes) -> Vec<Result<Heat, LeftOut>> {
    let [down, across] = &axes.all[..] else { return Vec::new() };
    // The longer one across: pages are wider than they are high.
    let turned = down.levels.len() > across.levels.len();
    let (rows, columns) = if turned { (1, 0) } else { (0, 1) };
    if let Some(axis) = axes.all.iter().find(|axis| axis.levels.len() > LEVELS_MAX) {
        let what = format!("values of `{}`", axis.name);
        return vec![Err(LeftOut::too_many("cells", axis.levels.len(), &what, LEVELS_MAX))];
    }
    if axes.opponents.len() > MAPS_MAX {
        return vec![Err(LeftOut::too_many("cells", axes.opponents.len(), "opponents, a map each", MAPS_MAX))];
    }
    let map = |(place, opponent): (usize, &String)| {
        let cell = |row: usize, column: usize| {
            let is_there = |levels: &[usize]| levels[rows] == row && levels[columns] == column;
            axes.against(grid, place).find(|(_, levels)| is_there(levels)).map(|(pair, _)| square(pair))
        };
        let row = |row: usize| {
            let cells = (0..axes.all[columns].levels.len()).map(|column| cell(row, column)).collect();
            (axes.all[rows].levels[row].to_string(), cells)
        };
        Ok(Heat {
            name: if axes.opponents.len() > 1 { format!("cells-{opponent}") } else { "cells".to_owned() },
            title: format!(
                "{}: share of the points against {opponent}; wins-draws-losses; 95 % (Wilson)",
                grid.meta.header.experiment
            ),
            x: axes.all[columns].name.clone(),
            y: axes.all[rows].name.clone(),
            columns: axes.all[columns].levels.iter().map(f64::to_string).collect(),
            rows: (0..axes.all[rows].levels.len()).map(row).collect(),
        })
    };
    axes.opponents.iter().enumerate().map(map).collect()
}

fn square(pair: &PairGames) -> Square {
    let mut lines = vec![
        format!("{:.2}", pair.share()),
        format!("{}-{}-{}", pair.wins, pair.draws, pair.games - pair.wins - pair.draws),
    ];
    let interval = interval::wilson(pair.points(), pair.games, CONFIDENCE);
    lines.extend(interval.map(|(low, high)| format!("{low:.2} to {high:.2}")));
    Square { value: pair.share(), lines }
}
