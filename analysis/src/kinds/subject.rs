//! What every kind of run says of itself, so that tables, replicates and comparisons need not know the kinds.

use crate::{
    Error, Question, Table,
    forms::{
        figure::{Figures, Look},
        table::LongTable,
    },
    kinds::{grid::Grid, study::Study},
    report::Options,
};

/// A run of some kind, as far as its stages are closed.
pub(crate) trait Subject {
    /// What it is called, and how far it is.
    fn header(&self) -> Header<'_>;

    /// Its tables, in their order.
    ///
    /// # Errors
    /// An option asks for something that the run does not have.
    fn tables(&self, options: &Options) -> Result<Tables, Error>;

    /// Its figures, in their order.
    fn figures(&self) -> Figures;

    /// What a reader must know before the tables.
    fn warnings(&self) -> Vec<String>;

    /// What the experiment asks, in a sentence; `asked` are its own questions, if it has any.
    fn question(&self, asked: &[Question]) -> String;

    /// What came out, in a few sentences that say no number but those of `tables`, which are its own.
    fn findings(&self, tables: &[Table]) -> Vec<String>;

    /// The numbers by which replicates are compared. They are asked of finished runs only: before its end a run is
    /// one of another, smaller experiment.
    fn outcomes(&self) -> Vec<Outcome>;

    /// How those numbers, or others, developed during the run, for figures of replicates.
    fn courses(&self) -> Vec<Course> {
        Vec::new()
    }

    /// What a paper's tables are compared with.
    fn evidence(&self) -> Evidence<'_>;
}

/// A run's name and state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header<'a> {
    /// Name of the experiment.
    pub(crate) experiment: &'a str,
    /// Key of the paper's table that the experiment names.
    pub(crate) paper: Option<&'a str>,
    /// Whether the same spec and seed give the same results on every machine.
    pub(crate) reproducible: bool,
    /// Whether all of its stages are closed.
    pub(crate) finished: bool,
    /// Number of closed generations; `None` of a kind without generations.
    pub(crate) generations: Option<u64>,
}

/// What a paper's tables are compared with.
pub(crate) enum Evidence<'a> {
    /// The grid whose results count: a match grid, the final benchmark of an evolution, the final stage of a tuning.
    Games(&'a Grid),
    /// A study's agents on problems.
    Agents(&'a Study),
    /// Nothing yet: the stage that counts is not closed.
    None,
}

impl<'a> Evidence<'a> {
    /// The grid, if there is one.
    pub(crate) fn grid(&self) -> Option<&'a Grid> {
        match self {
            Evidence::Games(grid) => Some(grid),
            Evidence::Agents(_) | Evidence::None => None,
        }
    }
}

/// The tables of a run.
#[derive(Default)]
pub(crate) struct Tables {
    /// Those that are shown.
    pub(crate) shown: Vec<Table>,
    /// Those that are written as CSV and Parquet only.
    pub(crate) long: Vec<LongTable>,
    /// Which tables are missing, and why.
    pub(crate) left_out: Vec<String>,
}

/// A number that a finished run gives.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    /// Its name in tables; equal for replicates.
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Its 95 % interval by the chance of the run's own games, where they give one.
    pub(crate) interval: Option<(f64, f64)>,
    /// Digits after the point.
    pub(crate) digits: usize,
    /// The least and the largest possible value.
    pub(crate) range: (f64, f64),
    /// The opponent, of a champion's or winner's points.
    pub(crate) opponent: Option<String>,
    /// What the name means, for the note below a table.
    pub(crate) note: Option<&'static str>,
    /// The value at equal strength, of outcomes that are drawn as boxes over runs.
    pub(crate) drawn_about: Option<f64>,
}

/// How a number developed during a run: a panel of a figure over replicates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Course {
    /// Name of the figure; courses of one figure are its panels.
    pub(crate) figure: &'static str,
    /// Title of the panel.
    pub(crate) title: String,
    /// Labels of the axes.
    pub(crate) x: &'static str,
    pub(crate) y: &'static str,
    /// The values' range; `None`: from 0 to a tenth above the highest.
    pub(crate) range: Option<(f64, f64)>,
    /// A level that is marked, with its name.
    pub(crate) level: Option<(f64, &'static str)>,
    /// Looks of the first setting's line and of the second's.
    pub(crate) looks: [Look; 2],
    /// (x, y), by x.
    pub(crate) points: Vec<(u64, f64)>,
}
