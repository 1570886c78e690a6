//! Grids over parameters: the results with each value of each parameter, and whether it matters.

use crate::{
    Cell, Table,
    kinds::grid::{Cost, Grid, PairGames, axes::Axes},
    statistics::{CONFIDENCE, Reason, interval, kruskal_wallis, regression},
};

/// A row a value of a parameter: the games of all settings with it.
pub(crate) fn levels(grid: &Grid, axes: &Axes) -> Table {
    let mut table = Table::new(
        "levels",
        format!("{}: by the values of parameters", grid.meta.header.experiment),
        &[
            ("opponent", "opponent"),
            ("parameter", "parameter"),
            ("value", "value"),
            ("games", "games"),
            ("wins", "wins"),
            ("draws", "draws"),
            ("losses", "losses"),
            ("share", "share"),
            ("wilson_95", "95 % (Wilson)"),
            ("plies", "plies"),
            ("us", "µs a decision"),
            ("us_iteration", "µs an iteration"),
        ],
    )
    .measured(&["us", "us_iteration"]);
    for (place, opponent) in axes.opponents.iter().enumerate() {
        for (along, axis) in axes.all.iter().enumerate() {
            for (level, value) in axis.levels.iter().enumerate() {
                let pairs: Vec<&PairGames> = axes.at(grid, place, along, level).collect();
                let sum = |of: fn(&PairGames) -> u64| pairs.iter().map(|pair| of(pair)).sum::<u64>();
                let (games, wins, draws) = (sum(|pair| pair.games), sum(|pair| pair.wins), sum(|pair| pair.draws));
                if games == 0 {
                    continue;
                }
                let (points, cost) =
                    (wins as f64 + 0.5 * draws as f64, Cost::sum(pairs.iter().map(|pair| &pair.cost[0])));
                table.push(vec![
                    Cell::text(opponent),
                    Cell::text(&axis.name),
                    Cell::text(value.to_string()),
                    Cell::Count(games),
                    Cell::Count(wins),
                    Cell::Count(draws),
                    Cell::Count(games - wins - draws),
                    Cell::real(points / games as f64, 4),
                    Cell::interval(interval::wilson(points, games, CONFIDENCE), 4),
                    Cell::real(sum(|pair| pair.plies) as f64 / games as f64, 1),
                    Cell::real(cost.per_decision(cost.us), 1),
                    Cell::real((cost.iterations > 0).then(|| cost.us as f64 / cost.iterations as f64), 3),
                ]);
            }
        }
    }
    table.notes.push(
        "Each row has the games of all settings with that value, whatever their other parameters; Wilson takes games as \
         independent. Times are the workers'."
            .to_owned(),
    );
    table
}

/// A row a parameter: whether points and time depend on it.
pub(crate) fn influence(grid: &Grid, axes: &Axes) -> Table {
    let mut table = Table::new(
        "influence",
        format!("{}: what parameters do", grid.meta.header.experiment),
        &[
            ("opponent", "opponent"),
            ("parameter", "parameter"),
            ("values", "values"),
            ("h", "points: H"),
            ("p", "p (Kruskal-Wallis)"),
            ("epsilon_squared", "ε²"),
            ("exponent", "time: exponent"),
            ("exponent_95", "95 %"),
            ("p_exponent", "p (exponent 0)"),
        ],
    )
    .measured(&["exponent", "exponent_95", "p_exponent"]);
    for (place, opponent) in axes.opponents.iter().enumerate() {
        let exponents = exponents(grid, axes, place);
        for (along, axis) in axes.all.iter().enumerate() {
            let points = by_points(grid, axes, place, along);
            let exponent = exponents.as_ref().map(|slopes| slopes[along]).map_err(|reason| *reason);
            table.push(vec![
                Cell::text(opponent),
                Cell::text(&axis.name),
                Cell::Count(axis.levels.len() as u64),
                Cell::real(points.map(|test| test.h), 2),
                Cell::probability(points.map(|test| test.p)),
                Cell::real(points.map(|test| test.epsilon_squared), 4),
                Cell::real(exponent.map(|slope| slope.slope), 4),
                Cell::interval(exponent.map(|slope| slope.ci95), 4),
                Cell::probability(exponent.map(|slope| slope.p)),
            ]);
        }
    }
    table.notes.push(
        "Points of games (1, 0.5, 0) by the parameter's values, whatever the other parameters, games taken as independent. Time: a \
         setting's mean time a decision follows value^exponent, fitted over settings by least squares of logarithms, all \
         parameters together: 1 is linear, 0 is no influence."
            .to_owned(),
    );
    table
}

/// Whether points depend on a parameter.
pub(crate) fn by_points(
    grid: &Grid,
    axes: &Axes,
    opponent: usize,
    along: usize,
) -> Result<kruskal_wallis::KruskalWallis, Reason> {
    let points = |level: usize| {
        let of_pair = |pair: &PairGames| {
            let repeated = |points: f64, games: u64| std::iter::repeat_n(points, usize::try_from(games).unwrap_or(0));
            let losses = pair.games - pair.wins - pair.draws;
            repeated(1.0, pair.wins).chain(repeated(0.5, pair.draws)).chain(repeated(0.0, losses)).collect::<Vec<_>>()
        };
        axes.at(grid, opponent, along, level).flat_map(of_pair).collect::<Vec<f64>>()
    };
    let samples: Vec<Vec<f64>> =
        (0..axes.all[along].levels.len()).map(points).filter(|points| !points.is_empty()).collect();
    kruskal_wallis::test(&samples.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// With which power of each parameter a setting's mean time a decision grows, the other parameters held.
pub(crate) fn exponents(grid: &Grid, axes: &Axes, opponent: usize) -> Result<Vec<regression::Slope>, Reason> {
    let mut times = Vec::new();
    let mut logarithms = vec![Vec::new(); axes.all.len()];
    for (pair, levels) in axes.against(grid, opponent) {
        let Some(time) = pair.cost[0].per_decision(pair.cost[0].us) else { continue };
        // The logarithm of 0 is not finite, and then neither is a fit.
        times.push(time.ln());
        for (of_axis, value) in logarithms.iter_mut().zip(axes.values(levels)) {
            of_axis.push(value.ln());
        }
    }
    regression::slopes(&times, &logarithms.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
