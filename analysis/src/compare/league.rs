//! The points of a league beside a paper's.

use super::verdict::{self, Judged, NOT_HERE, counted};
use crate::{
    Cell, Table,
    kinds::{
        grid::{
            Grid,
            league::{Standing, matches, standings},
        },
        own::head,
    },
    papers::{LeagueFigure, Paper, covers},
};

/// Figure by figure.
pub(super) fn beside(name: String, paper: &Paper, grid: &Grid) -> Table {
    let mut table = Table::new(
        name,
        format!("{}: ours beside the paper's", paper.title()),
        &[
            ("player", "player"),
            ("figure", "figure"),
            ("matches", "our matches"),
            ("ours", "ours"),
            ("paper_games", "paper's games a match"),
            ("paper", "paper"),
            ("difference", "difference"),
            ("allowed", "allowed ±"),
            ("errors", "in errors"),
            ("verdict", "verdict"),
        ],
    )
    .of_kind("compare-league");
    let standings = standings(&matches(grid));
    for figure in paper.league_figures() {
        table.push(cells(&figure, &standings, grid));
    }
    let z = verdict::quantile();
    table.notes.push(format!(
        "Points, matches and bonuses as in the table `league`. Allowed: {z:.2} standard errors of the difference, sqrt(2 v), and \
         half a unit of the last printed digit. v is the variance of our figure if each game of a match were drawn anew from \
         the outcomes of our games of that match, and of a sum of mean margins the sum of s²/n; the paper's is taken to be the \
         same. So a match that one player always wins is not expected to vary. {}",
        counted(&table)
    ));
    table
}

fn cells(figure: &LeagueFigure, standings: &[Standing], grid: &Grid) -> Vec<Cell> {
    let named = standings.iter().find(|standing| standing.player == figure.player);
    let fits = |standing: &&Standing| {
        let spec = grid.meta.pairs.specs.get(&standing.player);
        spec.is_some_and(|spec| covers(spec, &figure.spec))
    };
    let by_spec = || {
        let mut found = standings.iter().filter(fits);
        found.next().filter(|_| found.next().is_none())
    };
    let ours = named.or_else(by_spec).and_then(|standing| Some((standing, standing.figure(&figure.metric)?)));
    let printed = &figure.printed;
    let digits = if printed.rounding < 0.5 { 2 } else { 0 };
    let what = head(&figure.metric.replace('-', "_"));
    let what = figure.remark.as_ref().map_or(what.clone(), |remark| format!("{what}, {remark}"));
    let player = ours.map_or(&figure.player, |(standing, _)| &standing.player);
    let mut row = vec![Cell::text(player), Cell::text(what)];
    row.extend(match ours {
        Some((standing, ours)) => [Cell::Count(standing.matches()), Cell::real(ours.value, digits)],
        None => [Cell::Missing, Cell::Missing],
    });
    row.extend([Cell::Count(printed.n), Cell::real(printed.mean, digits)]);
    let judged = ours.map(|(_, ours)| {
        // Whole numbers are printed whole.
        let rounding = if digits == 0 { 0.0 } else { printed.rounding };
        Judged::new(ours.value - printed.mean, (2.0 * ours.variance).sqrt(), rounding)
    });
    row.extend(judged.map_or([Cell::Missing, Cell::Missing, Cell::Missing], |judged| judged.cells()));
    row.push(Cell::text(judged.map_or(NOT_HERE, |judged| judged.verdict())));
    row
}
