//! Our figures beside a paper's.

use std::path::Path;

use crate::{
    Cell, Error, Report, Table,
    games::PairGames,
    papers::{ALL, Paper, PaperRow},
    report::{grid, warnings},
    statistics::interval,
    tables::CONFIDENCE,
};

/// Half-width of a 95 % interval in standard errors.
const Z: f64 = 1.959_963_984_540_054;

/// Sets every row of a paper's table beside the pair of the same players. The table is the experiment's own unless
/// `key` names one.
///
/// # Errors
/// No table is named or known, nothing is closed, or a file cannot be read.
pub fn compare(run: &Path, key: Option<&str>) -> Result<Report, Error> {
    let (meta, games) = grid(run)?;
    let key = key.or(meta.paper.as_deref()).ok_or(Error::NoPaper)?;
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
            ("ours_95", "95 % (units)"),
            ("paper_games", "paper's games"),
            ("paper", "paper"),
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("verdict", "verdict"),
        ],
    );
    for row in paper.rows() {
        table.push(cells(&row, &games));
    }
    let rows = table.rows.len();
    table.notes.push(format!(
        "Ours: share of points, a draw half; its interval takes the two games of a unit as one observation. Allowed: \
         {Z:.2} standard errors of the difference, ours from the spread of our units, the paper's as of independent games \
         (sqrt(p(1-p)/n)). Of {rows} rows, {:.1} are expected outside by chance alone.",
        rows as f64 * (1.0 - CONFIDENCE)
    ));
    Ok(Report { tables: vec![table], warnings: warnings(&meta, &games) })
}

fn cells(row: &PaperRow, games: &[PairGames]) -> Vec<Cell> {
    let ours = games.iter().find_map(|pair| {
        let turned = (pair.b == row.player && pair.a == row.opponent).then_some(true);
        turned
            .or_else(|| (pair.a == row.player && pair.b == row.opponent).then_some(false))
            .map(|turned| (pair, turned))
    });
    let names = [Cell::text(&row.player), Cell::text(&row.opponent)];
    let paper = [Cell::Count(row.games), Cell::real(row.share, 4)];
    let Some((pair, turned)) = ours else {
        let rest = [Cell::Missing, Cell::Missing, Cell::Missing, Cell::text("not in this run")];
        return names
            .into_iter()
            .chain([Cell::Missing, Cell::Missing, Cell::Missing])
            .chain(paper)
            .chain(rest)
            .collect();
    };
    let side = |share: f64| if turned { 1.0 - share } else { share };
    let share = side(pair.units.mean);
    let interval = interval::of_mean_share(&pair.units, CONFIDENCE).map(|(low, high)| {
        let (low, high) = (side(low), side(high));
        (low.min(high), low.max(high))
    });
    let difference = share - row.share;
    let paper_variance = row.share * (1.0 - row.share) / row.games as f64;
    let error = pair.units.error().map(|error| (error * error + paper_variance).sqrt()).filter(|&e| e > 0.0);
    let verdict = match error {
        None => "too few games",
        Some(error) if difference.abs() <= Z * error => "inside",
        Some(_) => "outside",
    };
    let ours = [Cell::Count(pair.games), Cell::real(share, 4), Cell::interval(interval, 4)];
    let rest = [
        Cell::real(difference, 4),
        Cell::real(error.map(|error| Z * error), 4),
        Cell::real(error.map(|error| difference / error), 1),
        Cell::text(verdict),
    ];
    names.into_iter().chain(ours).chain(paper).chain(rest).collect()
}
