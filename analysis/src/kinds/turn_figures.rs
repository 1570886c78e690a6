//! Figures of decisions by turn, where rows have them (`turn-figures`): what players declare of their trees and formulas.
//!
//! Values are counted in millionths and added up as whole numbers, so that neither the size of batches nor the order of rows
//! can move a digit.

use std::collections::BTreeMap;

use record::{Shape, columns::in_files, facts::TurnFigure};

use crate::{
    Cell, Error, Table,
    data::parquet::Batch,
    forms::figure::{Chart, Look, Panel, Point, Scale, Series},
    statistics::{CONFIDENCE, interval, moments::Moments},
};

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

    /// Number of decisions, lower quartile, median and upper quartile of a player's figure on each of its turns that have
    /// it.
    pub(crate) fn quartiles(&self, player: &str, figure: &str) -> impl Iterator<Item = (u64, [f64; 3])> {
        let place = self.figures.iter().position(|known| known.name == figure);
        let of_player = self.groups.iter().zip(&self.counts).filter(move |([_, known], _)| known == player);
        let turns = of_player.filter_map(move |(_, counts)| Some(&counts[place?])).flatten();
        turns.filter_map(|counts| {
            let n = counts.values().sum();
            Some((n, [quantile(counts, n, 0.25)?, quantile(counts, n, 0.5)?, quantile(counts, n, 0.75)?]))
        })
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

impl TurnFigures {
    /// A chart a figure: a panel a problem, and in it a line a player over its own turns. What is so or not so has the
    /// share's interval as its band, other figures the middle half of the decisions.
    pub(crate) fn charts(&self) -> Vec<Chart> {
        self.figures.iter().enumerate().map(|(place, figure)| self.chart(place, figure)).collect()
    }

    fn chart(&self, place: usize, figure: &TurnFigure) -> Chart {
        let values = || self.counts.iter().flat_map(|counts| &counts[place]).flat_map(Counts::keys);
        let is_share = values().all(|value| [0, PARTS as i64].contains(value));
        let (spread, y_range) = if is_share { ("share, 95 %", Some((0.0, 1.0))) } else { ("mean, middle half", None) };
        let is_alone = self.groups.windows(2).all(|groups| groups[0][0] == groups[1][0]);
        let mut panels: Vec<Panel> = Vec::new();
        for ([problem, player], counts) in self.groups.iter().zip(&self.counts) {
            // The name of a grid's game can be longer than a figure is wide.
            let title = if is_alone { figure.title.clone() } else { format!("{}: {problem}", figure.title) };
            if panels.last().is_none_or(|panel| panel.title != title) {
                panels.push(Panel {
                    title,
                    x: "turn of the player".to_owned(),
                    x_scale: Scale::Linear,
                    y: spread.to_owned(),
                    y_range,
                    y_scale: Scale::Linear,
                    y_step: None,
                    level: None,
                    series: Vec::new(),
                });
            }
            let point = |(turn, counts)| point(turn, counts, is_share);
            let points: Vec<Point> = counts[place].iter().enumerate().filter_map(point).collect();
            if let Some(panel) = panels.last_mut().filter(|_| !points.is_empty()) {
                let colour = panel.series.len();
                panel.series.push(Series { name: player.clone(), colour, look: Look::band(colour), points });
            }
        }
        panels.retain(|panel| !panel.series.is_empty());
        Chart { name: format!("turn-{}", in_files(&figure.name)), panels }
    }
}

/// A turn's mean, with what its band spans; `None` without a decision.
fn point(turn: usize, counts: &Counts, is_share: bool) -> Option<Point> {
    let n: u64 = counts.values().sum();
    let sum: i128 = counts.iter().map(|(value, count)| i128::from(*value) * i128::from(*count)).sum();
    let y = (n > 0).then(|| sum as f64 / n as f64 / PARTS)?;
    let spread = match is_share {
        true => interval::wilson(sum as f64 / PARTS, n, CONFIDENCE),
        false => quantile(counts, n, 0.25).zip(quantile(counts, n, 0.75)),
    };
    Some(Point { x: turn as f64 + 1.0, y, spread })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn figures(turns: &[(usize, &[f64])]) -> TurnFigures {
        let figure = TurnFigure { name: "x".into(), column: "x_by_turn".into(), title: "an x".into(), digits: 1 };
        let groups = [["p", "a"], ["p", "b"], ["q", "a"]].map(|names| names.map(str::to_owned)).to_vec();
        let mut figures = TurnFigures::new(&[figure], groups);
        for group in [0, 2] {
            figures.counts[group][0] = vec![Counts::new(); turns.len()];
            for (turn, values) in turns {
                for value in *values {
                    *figures.counts[group][0][*turn].entry((value * PARTS) as i64).or_default() += 1;
                }
            }
        }
        figures
    }

    #[test]
    fn a_line_has_the_middle_half_about_its_mean() {
        let charts = figures(&[(0, &[2.0, 3.0, 4.0, 11.0]), (1, &[]), (2, &[7.0])]).charts();
        let [chart] = &charts[..] else { panic!("a chart a figure") };
        let titles: Vec<&str> = chart.panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!((chart.name.as_str(), titles), ("turn-x", vec!["an x: p", "an x: q"]));
        let panel = &chart.panels[1];
        assert_eq!((panel.y.as_str(), panel.series.len()), ("mean, middle half", 1));
        // b has no such figure. Quartiles are the first and the third of four; nothing happens on the second turn.
        let points =
            [Point { x: 1.0, y: 5.0, spread: Some((2.0, 4.0)) }, Point { x: 3.0, y: 7.0, spread: Some((7.0, 7.0)) }];
        assert_eq!((panel.series[0].name.as_str(), &panel.series[0].points[..]), ("a", &points[..]));
    }

    /// Wilson's interval of 1 in 4 by its formula in Python 3.11.
    #[test]
    fn what_is_so_or_not_so_is_a_share() {
        let charts = figures(&[(0, &[1.0, 0.0, 0.0, 0.0])]).charts();
        let panel = &charts[0].panels[0];
        assert_eq!((panel.y.as_str(), panel.y_range), ("share, 95 %", Some((0.0, 1.0))));
        let Point { y, spread: Some((low, high)), .. } = panel.series[0].points[0] else { panic!("an interval") };
        assert_eq!(y, 0.25);
        assert!((low - 0.045_587).abs() < 1e-6 && (high - 0.699_358).abs() < 1e-6, "{low} to {high}");
    }
}
