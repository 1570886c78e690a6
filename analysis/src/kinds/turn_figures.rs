//! Figures of decisions by turn, where rows have them (`turn-figures`): what players declare of their trees and formulas.
//!
//! Values are counted in millionths and added up as whole numbers, so that neither the size of batches nor the order of rows
//! can move a digit.

use std::collections::BTreeMap;

use record::{Shape, facts::TurnFigure};

use crate::{Cell, Error, Table, data::parquet::Batch, statistics::moments::Moments};

/// Parts of 1 that values are counted in.
const PARTS: f64 = 1e6;

/// No game has more turns: a turn beyond would only take memory.
const TURNS_MAX: usize = 1 << 20;

/// How often each value occurs, in parts.
type Counts = BTreeMap<i64, u64>;

/// A shape and the columns of figures, behind each of the prefixes.
pub(crate) fn with_figures(mut shape: Shape, figures: &[TurnFigure], prefixes: &[String]) -> Shape {
    shape.columns.extend(prefixes.iter().flat_map(|prefix| figures.iter().map(|figure| figure.to_column(prefix))));
    shape
}

/// The figures of some players' decisions.
#[derive(Clone, Debug, Default)]
pub(crate) struct TurnFigures {
    figures: Vec<TurnFigure>,
    /// By problem and player.
    groups: Vec<[String; 2]>,
    /// By group, figure and turn.
    counts: Vec<Vec<Vec<Counts>>>,
}

impl TurnFigures {
    /// Nothing counted yet, for players at problems in the order of their rows in tables.
    pub(crate) fn new(figures: &[TurnFigure], groups: Vec<[String; 2]>) -> Self {
        TurnFigures { figures: figures.to_vec(), counts: vec![vec![Vec::new(); figures.len()]; groups.len()], groups }
    }

    /// The columns of a seat, behind `prefix`.
    pub(crate) fn columns(&self, prefix: &str) -> Vec<String> {
        self.figures.iter().map(|figure| figure.to_column(prefix).name).collect()
    }

    /// Counts the rows of a seat; `group` is the place of a row's player at its problem.
    ///
    /// # Errors
    /// A column cannot be read, or holds something else than turns and values.
    pub(crate) fn add(
        &mut self,
        batch: Batch<'_>,
        prefix: &str,
        group: impl Fn(usize) -> Option<usize>,
    ) -> Result<(), Error> {
        for (figure, column) in self.columns(prefix).into_iter().enumerate() {
            for (row, text) in batch.texts(&column)?.into_iter().enumerate() {
                let Some(group) = group(row) else { continue };
                for word in text.split_whitespace() {
                    let wrong = || Error::contract(batch.path, format!("`{word}` in `{column}` is not `turn:value`"));
                    let (turn, value) = word.split_once(':').ok_or_else(wrong)?;
                    let turn = turn.parse().ok().filter(|turn| *turn < TURNS_MAX).ok_or_else(wrong)?;
                    let value = value.parse().ok().filter(|value: &f64| value.is_finite()).ok_or_else(wrong)?;
                    let turns = &mut self.counts[group][figure];
                    if turns.len() <= turn {
                        turns.resize(turn + 1, Counts::new());
                    }
                    *turns[turn].entry((value * PARTS).round() as i64).or_default() += 1;
                }
            }
        }
        Ok(())
    }

    /// Two tables: all decisions of a game together, and turn by turn. Without figures they have no rows.
    pub(crate) fn tables(&self, experiment: &str) -> [Table; 2] {
        let heads = [("problem", "problem"), ("player", "player"), ("figure", "figure")];
        let values = [("decisions", "decisions"), ("mean", "mean"), ("median", "median"), ("quartiles", "quartiles")];
        let new = |name: &str, title: &str, heads: &[(&str, &str)]| {
            Table::new(name, format!("{experiment}: {title}"), heads).spreads(&["mean"]).intervals(&["quartiles"])
        };
        let mut all = new("decision-figures", "figures of decisions", &[&heads[..], &values].concat());
        let turn = [("turn", "turn")];
        let mut by_turn = new("turn-figures", "figures of decisions by turn", &[&heads[..], &turn, &values].concat());
        for ([problem, player], counts) in self.groups.iter().zip(&self.counts) {
            for (figure, turns) in self.figures.iter().zip(counts) {
                let names = [problem, player, &figure.title].map(Cell::text);
                let sum = sum(turns);
                if !sum.is_empty() {
                    all.push([names.to_vec(), cells(&sum, figure)].concat());
                }
                for (turn, counts) in turns.iter().enumerate().filter(|(_, counts)| !counts.is_empty()) {
                    by_turn.push([names.to_vec(), vec![Cell::Count(turn as u64 + 1)], cells(counts, figure)].concat());
                }
            }
        }
        let note = "Over decisions that took a search: mean ± sample deviation, median and quartiles of the decisions themselves. A \
                    share of what is so or not so is its mean.";
        all.notes.push(note.to_owned());
        by_turn.notes.push(format!("{note} Turns are the player's own, counted from 1."));
        [all, by_turn]
    }
}

/// The counts of all turns together.
fn sum(turns: &[Counts]) -> Counts {
    let mut sum = Counts::new();
    for (value, count) in turns.iter().flatten() {
        *sum.entry(*value).or_default() += count;
    }
    sum
}

/// Number, mean, median and quartiles.
fn cells(counts: &Counts, figure: &TurnFigure) -> Vec<Cell> {
    let digits = usize::from(figure.digits);
    let n = counts.values().sum();
    let total = |of: fn(i64) -> i128| counts.iter().map(|(value, count)| of(*value) * i128::from(*count)).sum::<i128>();
    let squares = total(|value| i128::from(value) * i128::from(value));
    let moments = Moments::of_sums(n, total(i128::from), squares).scaled(1.0 / PARTS);
    vec![
        Cell::Count(n),
        Cell::spread(Some(moments), digits),
        Cell::real(quantile(counts, n, 0.5), digits),
        Cell::interval(quantile(counts, n, 0.25).zip(quantile(counts, n, 0.75)), digits),
    ]
}

/// The value that a share `p` of the decisions did not exceed.
fn quantile(counts: &Counts, n: u64, p: f64) -> Option<f64> {
    let wanted = (p * n as f64).ceil().max(1.0) as u64;
    let mut seen = 0;
    let found = counts.iter().find(|(_, count)| {
        seen += **count;
        seen >= wanted
    });
    found.map(|(value, _)| *value as f64 / PARTS)
}
