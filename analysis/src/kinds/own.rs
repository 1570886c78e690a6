//! Columns that results have of a game's own, as the game declares them: numbers, and lists with a number a turn. No
//! other part of this crate knows what such a column is about.

use record::{
    ColumnType, Shape,
    columns::{SOURCE_END, in_files},
};

use crate::{
    Cell, Error, Table,
    data::parquet::Batch,
    forms::figure::{Bars, Chart, Look, Panel, Parts, Point, Scale, Series, Stacked},
    statistics::{CONFIDENCE, interval, running::Running},
};

/// The own columns of a stage's rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OwnColumns {
    /// Columns of a number a game.
    pub(crate) numbers: Vec<String>,
    /// Columns of a list a game, with a number a turn.
    pub(crate) lists: Vec<String>,
}

impl OwnColumns {
    /// Those of `shape` that are not among the columns of all games, which `common` has.
    pub(crate) fn of(shape: &Shape, common: &Shape) -> Self {
        let mut found = OwnColumns::default();
        for column in shape.columns.iter().filter(|column| !common.has(&column.name)) {
            let list = if column.kind == ColumnType::Text { &mut found.lists } else { &mut found.numbers };
            list.push(column.name.clone());
        }
        found
    }

    /// All of them.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.iter().chain(&self.lists).map(String::as_str)
    }

    /// Their values in a batch of rows.
    pub(crate) fn read<'a>(&'a self, batch: Batch<'a>) -> Result<OwnValues<'a>, Error> {
        let numbers = self.numbers.iter().map(|name| batch.reals(name)).collect::<Result<_, _>>()?;
        let lists = self.lists.iter().map(|name| batch.texts(name)).collect::<Result<_, _>>()?;
        Ok(OwnValues { columns: self, batch, numbers, lists })
    }

    /// The same columns by what they are about: `first_meeples` and `second_meeples` are `meeples` of two seats. A column
    /// of the whole game is of both.
    pub(crate) fn by_seat(&self) -> BySeat {
        BySeat { numbers: by_seat(&self.numbers), lists: by_seat(&self.lists) }
    }
}

/// Own columns of a game for two.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct BySeat {
    /// Name, and the place among the columns for the first and the second seat.
    pub(crate) numbers: Vec<(String, [usize; 2])>,
    /// The same of lists.
    pub(crate) lists: Vec<(String, [usize; 2])>,
}

fn by_seat(names: &[String]) -> Vec<(String, [usize; 2])> {
    let place = |name: String| names.iter().position(|known| *known == name);
    let of = |(at, name): (usize, &String)| match (name.strip_prefix("first_"), name.strip_prefix("second_")) {
        (Some(what), _) => Some((what.to_owned(), [at, place(format!("second_{what}")).unwrap_or(at)])),
        (None, Some(what)) if place(format!("first_{what}")).is_some() => None,
        _ => Some((name.clone(), [at, at])),
    };
    names.iter().enumerate().filter_map(of).collect()
}

/// Values of own columns in a batch of rows.
pub(crate) struct OwnValues<'a> {
    columns: &'a OwnColumns,
    batch: Batch<'a>,
    numbers: Vec<Vec<f64>>,
    lists: Vec<Vec<&'a str>>,
}

impl OwnValues<'_> {
    /// The numbers of a row.
    pub(crate) fn numbers(&self, row: usize) -> impl Iterator<Item = f64> {
        self.numbers.iter().map(move |column| column[row])
    }

    /// Adds a row to the figures.
    ///
    /// # Errors
    /// A list has something else than whole numbers between blanks.
    pub(crate) fn add_to(&self, figures: &mut OwnFigures, row: usize) -> Result<(), Error> {
        figures.numbers.resize(self.numbers.len(), Running::default());
        for (sum, value) in figures.numbers.iter_mut().zip(self.numbers(row)) {
            sum.add(value);
        }
        figures.turns.resize(self.lists.len(), Vec::new());
        for (place, (turns, column)) in figures.turns.iter_mut().zip(&self.lists).enumerate() {
            for (turn, value) in column[row].split_ascii_whitespace().enumerate() {
                let value: i64 = value.parse().map_err(|_| {
                    let name = &self.columns.lists[place];
                    Error::contract(self.batch.path, format!("`{value}` in `{name}` is not a whole number"))
                })?;
                if turn == turns.len() {
                    turns.push(Running::default());
                }
                turns[turn].add(value as f64);
            }
        }
        Ok(())
    }
}

/// Means and spreads of own columns over games, in the order of [`OwnColumns`].
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct OwnFigures {
    pub(crate) numbers: Vec<Running>,
    /// By list and turn; games that are over by then are not in it.
    pub(crate) turns: Vec<Vec<Running>>,
}

impl OwnFigures {
    /// Mean and deviation of the number at `place` among the columns.
    pub(crate) fn number(&self, place: usize) -> Cell {
        Cell::spread(self.numbers.get(place).map(Running::moments), DIGITS)
    }

    /// Mean and deviation of a list at a turn, from 0.
    pub(crate) fn turn(&self, place: usize, turn: usize) -> Cell {
        Cell::spread(self.turns.get(place).and_then(|turns| turns.get(turn)).map(Running::moments), DIGITS)
    }

    /// Most turns of a list.
    pub(crate) fn turns_max(&self) -> usize {
        self.turns.iter().map(Vec::len).max().unwrap_or(0)
    }
}

/// A table without rows: the columns of `heads` (key, text), then a mean with its deviation for each of the own columns
/// `names`. `kind` is its entry in docs/tables.md.
pub(crate) fn table<'a>(
    name: &str,
    kind: &str,
    title: String,
    heads: &[(&str, &str)],
    names: impl Iterator<Item = &'a str>,
) -> Table {
    let names: Vec<(&str, String)> = names.map(|name| (name, head(name))).collect();
    let own = names.iter().map(|(name, head)| (*name, head.as_str()));
    let columns: Vec<(&str, &str)> = heads.iter().copied().chain(own).collect();
    let spreads: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    Table::new(name, title, &columns).of_kind(kind).spreads(&spreads)
}

/// Means of a list by turn with their intervals: a panel for each title, and in it a line for each name.
pub(crate) fn by_turn(list: &str, panels: impl Iterator<Item = (String, Vec<(String, Vec<Running>)>)>) -> Chart {
    let series = |(place, (name, turns)): (usize, (String, Vec<Running>))| {
        let mean = |(turn, running): (usize, &Running)| {
            let moments = running.moments();
            let spread = interval::of_mean(&moments, CONFIDENCE);
            Some(Point { x: turn as f64 + 1.0, y: moments.mean()?, spread })
        };
        let points = turns.iter().enumerate().filter_map(mean).collect();
        Series { name, colour: place, look: Look::band(place), points }
    };
    let panel = |(title, lines): (String, Vec<_>)| Panel {
        title: format!("{}: {title}", head(list.strip_suffix("_by_turn").unwrap_or(list))),
        x: "turn".to_owned(),
        y: "mean, 95 %".to_owned(),
        x_scale: Scale::Linear,
        y_range: None,
        y_scale: Scale::Linear,
        y_step: None,
        level: None,
        series: lines.into_iter().enumerate().map(series).collect(),
    };
    Chart { name: format!("own-{}", in_files(list)), panels: panels.map(panel).collect() }
}

/// Points by where they come from: a panel for each title, and in it a bar for each name, whose values are the means of
/// the columns `names`. `None` without two columns of that kind ([`SOURCE_END`]).
pub(crate) fn by_source<'a>(
    experiment: &str,
    names: impl Iterator<Item = &'a str>,
    panels: impl Iterator<Item = (String, Vec<(String, Vec<Running>)>)>,
) -> Option<Bars> {
    let (places, parts): (Vec<usize>, Vec<String>) =
        names.enumerate().filter_map(|(place, name)| Some((place, head(name.strip_suffix(SOURCE_END)?)))).unzip();
    let group = |(name, numbers): (String, Vec<Running>)| {
        let mean = |place: &usize| numbers.get(*place).and_then(|number| number.moments().mean());
        Parts { name, values: places.iter().map(|place| mean(place).unwrap_or(0.0)).collect() }
    };
    let panel = |(title, groups): (String, Vec<_>)| Stacked { title, groups: groups.into_iter().map(group).collect() };
    (places.len() > 1).then(|| Bars {
        name: "points-by-source".to_owned(),
        title: format!("{experiment}: where points come from"),
        x: "mean points a game".to_owned(),
        panels: panels.map(panel).collect(),
        parts,
    })
}

/// Digits of a mean, for people.
pub(crate) const DIGITS: usize = 3;

/// A column's name for people: `points_of_cities` is `points of cities`.
pub(crate) fn head(name: &str) -> String {
    name.replace('_', " ")
}

#[cfg(test)]
mod tests {
    use record::{columns::pure, study::study_shape};

    use super::*;

    #[test]
    fn own_columns_are_those_beyond_the_common_ones() {
        let mut shape = study_shape();
        let own = [("first_eyes", ColumnType::Int), ("mean", ColumnType::Real), ("first_line", ColumnType::Text)];
        shape.columns.extend(own.map(|(name, kind)| pure(name, kind)));
        let found = OwnColumns::of(&shape, &study_shape());
        assert_eq!(found.names().collect::<Vec<_>>(), ["first_eyes", "mean", "first_line"]);
        assert_eq!(found.lists, ["first_line"]);
        assert_eq!(OwnColumns::of(&study_shape(), &study_shape()), OwnColumns::default());
    }

    #[test]
    fn parts_of_a_score_are_known_by_their_names() {
        let running = |values: &[f64]| {
            let mut running = Running::default();
            values.iter().for_each(|value| running.add(*value));
            running
        };
        let panels = |_| {
            let values = vec![running(&[9.0]), running(&[1.0, 3.0]), running(&[5.0]), running(&[4.0, 5.0])];
            std::iter::once(("p".to_owned(), vec![("a".to_owned(), values), ("b".to_owned(), Vec::new())]))
        };
        let names = ["score", "city_points", "points_played", "long_road_points"];
        let bars = by_source("e", names.into_iter(), panels(())).expect("two sources");
        assert_eq!(bars.parts, ["city", "long road"]);
        let groups: Vec<(&str, &[f64])> =
            bars.panels[0].groups.iter().map(|parts| (parts.name.as_str(), &parts.values[..])).collect();
        assert_eq!(groups, [("a", &[2.0, 4.5][..]), ("b", &[0.0, 0.0])]);
        assert!(by_source("e", names[..3].iter().copied(), panels(())).is_none(), "one source is no breakdown");
    }

    #[test]
    fn columns_of_two_seats_are_one() {
        let names = ["first_eyes", "all", "second_eyes", "second_only"].map(str::to_owned).to_vec();
        let found = by_seat(&names);
        let wanted = [("eyes", [0, 2]), ("all", [1, 1]), ("second_only", [3, 3])];
        assert_eq!(found, wanted.map(|(name, places)| (name.to_owned(), places)));
    }
}
