//! Our figures beside a paper's.

use std::{collections::BTreeMap, path::Path};

use crate::{
    Cell, Error, Report, Table,
    games::{Grid, PairGames},
    papers::{ALL, Paper, PaperRow},
    report::{grid, warnings},
    statistics::{interval, tails},
    tables::CONFIDENCE,
};

/// Sets every row of a paper's table beside the pair of the same players. The table is the experiment's own unless
/// `key` names one.
///
/// # Errors
/// No table is named or known, nothing is closed, or a file cannot be read.
pub fn compare(run: &Path, key: Option<&str>) -> Result<Report, Error> {
    let grid = grid(run)?;
    let key = key.or(grid.meta.paper.as_deref()).ok_or(Error::NoPaper)?;
    let known = || ALL.iter().map(|paper| paper.key).collect::<Vec<_>>().join(", ");
    let paper = Paper::find(key).ok_or_else(|| Error::UnknownPaper { key: key.to_owned(), known: known() })?;
    let mut table = Table::new(
        "compare",
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("games", "our games"),
            ("ours", "ours"),
            ("ours_95", "95 %"),
            ("paper_games", "paper's games"),
            ("paper", "paper"),
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("verdict", "verdict"),
        ],
    );
    let z = tails::normal_quantile(0.5 + 0.5 * CONFIDENCE);
    for row in paper.rows() {
        table.push(cells(&row, &grid, z));
    }
    let compared = table.rows.iter().filter(|row| row.iter().all(|cell| *cell != Cell::Missing)).count();
    table.notes.push(format!(
        "Ours: share of points, a draw half. Its interval takes the two games of a unit as one observation (Student's \
         interval over units; Wilson's over games where all units are equal). Allowed: {z:.2} standard errors of the \
         difference, sqrt(s²/n + p(1-p)/m): ours from the spread s of our n units, the paper's share p as of m \
         independent games. Of {compared} rows compared, {:.1} are expected outside by chance alone.",
        compared as f64 * (1.0 - CONFIDENCE)
    ));
    Ok(Report { tables: vec![table], warnings: warnings(&grid) })
}

/// The grid's pair of a row and whether it stands the other way round: by the names that the catalogue gives, else by
/// the specs, if one pair alone fits them.
fn find<'a>(row: &PaperRow, grid: &'a Grid) -> Option<(&'a PairGames, bool)> {
    let orders = |pair: &'a PairGames, is: &dyn Fn(&str, usize) -> bool| {
        let straight = (is(&pair.a, 0) && is(&pair.b, 1)).then_some((pair, false));
        straight.or_else(|| (is(&pair.b, 0) && is(&pair.a, 1)).then_some((pair, true)))
    };
    let names = [&row.player, &row.opponent];
    if let Some(found) = grid.pairs.iter().find_map(|pair| orders(pair, &|name, i| name == names[i])) {
        return Some(found);
    }
    let fits = |name: &str, i: usize| grid.meta.specs.get(name).is_some_and(|spec| covers(spec, &row.specs[i]));
    let mut found = grid.pairs.iter().filter_map(|pair| orders(pair, &fits));
    found.next().filter(|_| found.next().is_none())
}

/// Whether `spec` is of the kind and has the parameters of `wanted`, among others.
fn covers(spec: &str, wanted: &str) -> bool {
    let parts = |spec: &str| -> (String, BTreeMap<String, String>) {
        let (kind, parameters) = spec.split_once(':').unwrap_or((spec, ""));
        let pair =
            |part: &str| part.split_once('=').map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()));
        (kind.trim().to_owned(), parameters.split(',').filter_map(pair).collect())
    };
    let ((kind, parameters), (wanted_kind, wanted)) = (parts(spec), parts(wanted));
    kind == wanted_kind && wanted.iter().all(|(key, value)| parameters.get(key) == Some(value))
}

fn cells(row: &PaperRow, grid: &Grid, z: f64) -> Vec<Cell> {
    let paper = [Cell::Count(row.games), Cell::real(row.share, 4)];
    let Some((pair, turned)) = find(row, grid) else {
        let mut cells = vec![Cell::text(&row.player), Cell::text(&row.opponent)];
        cells.extend([Cell::Missing, Cell::Missing, Cell::Missing]);
        cells.extend(paper);
        cells.extend([Cell::Missing, Cell::Missing, Cell::Missing, Cell::text("not in this run")]);
        return cells;
    };
    let side = |share: f64| if turned { 1.0 - share } else { share };
    let share = side(pair.points() / pair.games as f64);
    let interval = interval::of_mean_share(&pair.units(), CONFIDENCE)
        .or_else(|| interval::wilson(pair.points(), pair.games, CONFIDENCE))
        .map(|(low, high)| if turned { (1.0 - high, 1.0 - low) } else { (low, high) });
    let difference = share - row.share;
    let binomial = row.share * (1.0 - row.share);
    // Units that are all equal, or one alone, tell nothing of their spread: then as if the paper's share were true.
    let spread = pair.units().error().filter(|&error| error > 0.0).map(|error| error * error);
    let variance = spread.unwrap_or(binomial / pair.games as f64) + binomial / row.games as f64;
    let error = (variance > 0.0).then(|| variance.sqrt());
    let verdict = match error {
        Some(error) if difference.abs() <= z * error => "inside",
        None if difference == 0.0 => "inside",
        _ => "outside",
    };
    let (player, opponent) = if turned { (&pair.b, &pair.a) } else { (&pair.a, &pair.b) };
    let mut cells = vec![Cell::text(player), Cell::text(opponent)];
    cells.extend([Cell::Count(pair.games), Cell::real(share, 4), Cell::interval(interval, 4)]);
    cells.extend(paper);
    cells.extend([
        Cell::real(difference, 4),
        Cell::real(error.map(|error| z * error), 4),
        Cell::real(error.map(|error| difference / error), 1),
        Cell::text(verdict),
    ]);
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_covers_what_it_has() {
        assert!(covers("mcts:c=0.7,playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts:playouts=1000", "mcts:playouts=100"));
        assert!(!covers("uct:playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts", "mcts:playouts=100"));
    }
}
