//! What a run of a single grid says of itself, and the tables that every grid has.

use std::sync::Arc;

use super::{
    Grid,
    axes::Axes,
    figures, outcomes, read,
    tables::{self, ByPair},
    words,
};
use crate::{
    Error, Question, Table,
    forms::{figure::Figures, table::LongTable},
    kinds::{
        kind::{Kind, is_named, only},
        subject::{Evidence, Header, Outcome, Subject, Tables},
        workers,
    },
    papers::Paper,
    report::Options,
};

/// Runs of a single grid.
pub(crate) const KIND: Kind = Kind {
    takes: |stages| is_named(stages, "match-grid"),
    read: |stages| Ok(Box::new(Arc::new(read(only(stages)?)?))),
    setting: Clone::clone,
};

impl Subject for Arc<Grid> {
    fn header(&self) -> Header<'_> {
        Header {
            experiment: &self.meta.header.experiment,
            paper: self.meta.header.paper.as_deref(),
            reproducible: self.meta.header.reproducible,
            finished: true,
            generations: None,
        }
    }

    fn tables(&self, options: &Options) -> Result<Tables, Error> {
        let mut tables = Tables::default();
        if self.pairs.len() > options.pairs_max {
            tables.shown = in_order(self, options, Vec::new())?;
            tables.long = by_pair(self).into_iter().map(|table| table.long(self)).collect();
            let names: Vec<String> =
                tables.long.iter().map(|table: &LongTable| format!("`{}`", table.name())).collect();
            tables.left_out.push(format!(
                "tables {} have rows of {} pairs, and more than {} are not shown: they are written as CSV and Parquet alone, under \
                 tables/",
                names.join(", "),
                self.pairs.len(),
                options.pairs_max
            ));
        } else {
            tables.shown = whole(self, options)?;
        }
        let figures = self.turn_figures.tables(&self.meta.header.experiment);
        tables.shown.extend(figures.into_iter().filter(|table| !table.rows.is_empty()));
        tables.shown.push(workers::table(&self.meta.header.experiment, &self.workers, workers::GAMES));
        Ok(tables)
    }

    fn figures(&self) -> Figures {
        figures::of_grid(self)
    }

    fn warnings(&self) -> Vec<String> {
        Grid::warnings(self)
    }

    fn question(&self, _: &[Question]) -> String {
        words::question(self)
    }

    fn findings(&self, tables: &[Table]) -> Vec<String> {
        words::findings(tables)
    }

    fn outcomes(&self) -> Vec<Outcome> {
        outcomes::outcomes(self)
    }

    fn evidence(&self) -> Evidence<'_> {
        Evidence::Games(self)
    }
}

/// The tables of a grid in their order, without that of the workers.
///
/// # Errors
/// A contrast names a pair that the grid does not have.
pub(crate) fn whole(grid: &Grid, options: &Options) -> Result<Vec<Table>, Error> {
    in_order(grid, options, by_pair(grid))
}

/// The tables with rows of every pair of a grid.
fn by_pair(grid: &Grid) -> Vec<ByPair> {
    let mut by_pair = vec![tables::pairs(grid), tables::seats(grid), tables::tests(grid), tables::cost(grid)];
    by_pair.extend(grid.has_turns().then(|| tables::times(grid)));
    by_pair.extend((!grid.own.numbers.is_empty()).then(|| tables::own(grid)));
    by_pair.extend((!grid.own.lists.is_empty()).then(|| tables::own_by_turn(grid)));
    by_pair
}

/// So many of the tables of [`by_pair`] are about results, and come before those about cost.
const RESULTS: usize = 3;

fn in_order(grid: &Grid, options: &Options, by_pair: Vec<ByPair>) -> Result<Vec<Table>, Error> {
    let mut ordered: Vec<Table> = by_pair.into_iter().map(|table| table.whole(grid)).collect();
    let behind = ordered.split_off(ordered.len().min(RESULTS));
    if !options.contrasts.is_empty() {
        ordered.push(tables::contrasts(grid, &options.contrasts)?);
    }
    if let Some(axes) = Axes::of(grid) {
        // A value of a single parameter is a pair, and pairs have their table.
        ordered.extend((axes.all.len() > 1).then(|| tables::levels(grid, &axes)));
        ordered.push(tables::influence(grid, &axes));
    }
    ordered.push(tables::ratings(grid));
    let paper = grid.meta.header.paper.as_deref().and_then(Paper::find);
    ordered.extend(paper.filter(|paper| paper.has_league()).map(|_| tables::league(grid)));
    ordered.extend(behind);
    Ok(ordered)
}
