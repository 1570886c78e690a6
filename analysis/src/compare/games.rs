//! Games between pairs beside a paper's.

use super::NOT_HERE;
use crate::{
    Cell, Table,
    kinds::grid::{Grid, PairGames},
    papers::{Paper, PaperRow},
    statistics::{CONFIDENCE, moments::Moments, tails},
};

/// Row by row, each with the chance that both samples have.
pub(super) fn beside_pairs(paper: &Paper, grid: &Grid) -> Table {
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
    )
    .of_kind("compare-pairs");
    let z = tails::normal_quantile(0.5 + 0.5 * CONFIDENCE);
    for row in paper.rows() {
        table.push(pair_cells(&row, grid, z));
    }
    let compared = table.rows.iter().filter(|row| row.iter().all(|cell| *cell != Cell::Missing)).count();
    table.notes.push(format!(
        "Ours: share of points, a draw half. Its interval takes the two games of a unit as one observation (Student's \
         interval over units; Wilson's over games where all units are equal). Allowed: {z:.2} standard errors of the \
         difference, sqrt(s²/n + p(1-p)/m): ours from the spread s of our n units, the paper's share p as of m \
         independent games. Of {compared} rows compared, {:.1} are expected outside by chance alone.",
        compared as f64 * (1.0 - CONFIDENCE)
    ));
    table
}

/// One champion of ours beside the champions of the paper's runs.
pub(super) fn beside_runs(paper: &Paper, grid: &Grid) -> Table {
    let mut table = Table::new(
        "compare",
        format!("{}: our champion beside the paper's", paper.title()),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("games", "our games"),
            ("ours", "ours"),
            ("ours_95", "95 %"),
            ("paper_runs", "paper's runs"),
            ("paper_games", "games each"),
            ("paper", "paper's mean"),
            ("paper_sd", "sd"),
            ("paper_range", "paper's range"),
            ("difference", "difference"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-runs")
    .intervals(&["paper_range"]);
    for row in paper.rows() {
        let printed = Moments::of(&row.shares);
        let range = row.range();
        let paper = [
            Cell::Count(printed.n),
            Cell::Count(row.games),
            Cell::real(printed.mean(), 4),
            Cell::real(printed.deviation(), 4),
            Cell::interval(Some(range), 4),
        ];
        let Some(ours) = Ours::find(&row, grid) else {
            let mut cells = vec![Cell::text(&row.player), Cell::text(&row.opponent)];
            cells.extend([Cell::Missing, Cell::Missing, Cell::Missing]);
            cells.extend(paper);
            cells.extend([Cell::Missing, Cell::text(NOT_HERE)]);
            table.push(cells);
            continue;
        };
        let (low, high) = ours.interval.unwrap_or((ours.share, ours.share));
        let verdict = if low <= range.1 && high >= range.0 { "inside" } else { "outside" };
        let mut cells = ours.cells();
        cells.extend(paper);
        cells.extend([Cell::real(printed.mean().map(|mean| ours.share - mean), 4), Cell::text(verdict)]);
        table.push(cells);
    }
    table.notes.push(
        "Ours: share of points, a draw half. Its interval takes the two games of a unit as one observation (Student's \
         interval over units; Wilson's over games where all units are equal). The paper gives one champion for each of its \
         runs, and ours is the champion of one run more: inside if our interval meets the range from the paper's lowest \
         run to its highest, which holds the chance of their games as well as of their evolutions. Several runs of ours \
         say more: `redqueen analyze RUN RUN …` tests their points against those of the paper's runs."
            .to_owned(),
    );
    table
}

/// Our figures for a row, from the side of the row's player.
struct Ours<'a> {
    pair: &'a PairGames,
    players: [&'a str; 2],
    share: f64,
    interval: Option<(f64, f64)>,
}

impl<'a> Ours<'a> {
    fn find(row: &PaperRow, grid: &'a Grid) -> Option<Self> {
        let (pair, turned) = grid.find(row.names(), row.specs())?;
        let (share, interval) = (pair.share(), pair.share_interval());
        Some(if turned {
            let interval = interval.map(|(low, high)| (1.0 - high, 1.0 - low));
            Ours { pair, players: [&pair.b, &pair.a], share: 1.0 - share, interval }
        } else {
            Ours { pair, players: [&pair.a, &pair.b], share, interval }
        })
    }

    /// Players, games, share, interval.
    fn cells(&self) -> Vec<Cell> {
        let [player, opponent] = self.players.map(Cell::text);
        let games = Cell::Count(self.pair.games);
        vec![player, opponent, games, Cell::real(self.share, 4), Cell::interval(self.interval, 4)]
    }
}

fn pair_cells(row: &PaperRow, grid: &Grid, z: f64) -> Vec<Cell> {
    let printed = row.share();
    let paper = [Cell::Count(row.games), Cell::real(printed, 4)];
    let Some(ours) = Ours::find(row, grid) else {
        let mut cells = vec![Cell::text(&row.player), Cell::text(&row.opponent)];
        cells.extend([Cell::Missing, Cell::Missing, Cell::Missing]);
        cells.extend(paper);
        cells.extend([Cell::Missing, Cell::Missing, Cell::Missing, Cell::text(NOT_HERE)]);
        return cells;
    };
    let difference = ours.share - printed;
    let binomial = printed * (1.0 - printed);
    // Units that are all equal, or one alone, tell nothing of their spread: then as if the paper's share were true.
    let spread = ours.pair.units().error().filter(|&error| error > 0.0).map(|error| error * error);
    let variance = spread.unwrap_or(binomial / ours.pair.games as f64) + binomial / row.games as f64;
    let error = (variance > 0.0).then(|| variance.sqrt());
    let verdict = match error {
        Some(error) if difference.abs() <= z * error => "inside",
        None if difference == 0.0 => "inside",
        _ => "outside",
    };
    let mut cells = ours.cells();
    cells.extend(paper);
    cells.extend([
        Cell::real(difference, 4),
        Cell::real(error.map(|error| z * error), 4),
        Cell::real(error.map(|error| difference / error), 1),
        Cell::text(verdict),
    ]);
    cells
}
