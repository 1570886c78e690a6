//! Games of players with fixed seats beside a paper's.

use record::columns::in_files;

use super::verdict::{self, Judged, NOT_HERE, counted};
use crate::{
    Cell, Table,
    kinds::{
        grid::{Grid, SEATS, Side},
        own::head,
    },
    papers::{Paper, SeatFigure},
    statistics::{CONFIDENCE, moments::Moments, running::Running},
};

/// Figure by figure.
pub(super) fn beside(name: String, paper: &Paper, grid: &Grid) -> Table {
    let mut table = Table::new(
        name,
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("player", "player"),
            ("opponent", "opponent"),
            ("seat", "seat"),
            ("figure", "figure"),
            ("games", "our games"),
            ("ours", "ours"),
            ("paper_games", "paper's games"),
            ("paper", "paper"),
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("p", "Fisher's p"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-seats")
    .spreads(&["ours", "paper"]);
    for figure in paper.seat_figures() {
        table.push(cells(&figure, grid));
    }
    let z = verdict::quantile();
    table.notes.push(format!(
        "Of the player in that seat: wins, draws and losses as shares of the games, the margin (its score beyond the \
         opponent's), and what the game counts, as mean ± deviation over games. Allowed: {z:.2} standard errors of the \
         difference, sqrt(s²/n + p²/m), with s of our n games and p of the paper's m, and half a unit of the last printed \
         digit. p is what is printed behind ±; where no deviation over games is printed, ours; of shares sqrt(q(1-q)), q the \
         printed share. In errors: the same without the rounding. Shares of games that are counts on both sides are inside \
         where Fisher's exact p is at least {:.2}. {}",
        1.0 - CONFIDENCE,
        counted(&table)
    ));
    table
}

fn cells(figure: &SeatFigure, grid: &Grid) -> Vec<Cell> {
    let names = [figure.player.as_str(), &figure.opponent];
    let [mean, _] = verdict::paper(&figure.printed);
    let paper = [Cell::Count(figure.printed.n), mean];
    let side = grid.find(names, figure.specs.each_ref().map(String::as_str)).map(|(pair, turned)| {
        // A pair that stands the other way round has the figure's player as its second.
        Side::of(pair, !turned, figure.seat)
    });
    let found = side.as_ref().and_then(|side| {
        let ours = measured(&figure.metric, side, grid)?;
        Some((side, ours, Judged::of_games(&figure.printed, &ours)?))
    });
    let [player, opponent] = found.as_ref().map_or(names, |(side, ..)| [side.player, side.opponent]);
    let mut row =
        [player, opponent, SEATS[figure.seat], &head(&figure.metric.replace('-', "_"))].map(Cell::text).to_vec();
    let (ours, judged) = match &found {
        Some((_, ours, judged)) => (
            [Cell::Count(ours.n), verdict::ours(&figure.printed, *ours)],
            (judged.cells(), judged.p(), judged.verdict()),
        ),
        None => ([const { Cell::Missing }; 2], ([const { Cell::Missing }; 3], Cell::Missing, NOT_HERE)),
    };
    row.extend(ours);
    row.extend(paper);
    row.extend(judged.0);
    row.push(judged.1);
    row.push(Cell::text(judged.2));
    row
}

/// A figure of a player in its seat, over games.
fn measured(metric: &str, side: &Side<'_>, grid: &Grid) -> Option<Moments> {
    let games = side.games.games();
    let share = |count: u64| Moments::of_sums(games, count.into(), count.into());
    match metric {
        "wins" => Some(share(side.wins())),
        "draws" => Some(share(side.games.draws)),
        "losses" => Some(share(games - side.games.draws - side.wins())),
        "margin" => Some(side.margins()),
        own => {
            let numbers = grid.own.by_seat().numbers;
            let (_, places) = numbers.iter().find(|(name, _)| in_files(name) == own)?;
            side.games.own.numbers.get(places[side.seat]).map(Running::moments)
        }
    }
}
