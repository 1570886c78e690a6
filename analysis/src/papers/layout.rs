//! How the rows of a paper's table are read.

use serde::Deserialize;

use super::printed::{FigureColumn, Players};

/// The layout of a table. Names and specs of pairs have `{column}` in place of a row's value; a spec has the kind and the
/// parameters that count, for grids that name their players otherwise.
#[derive(Debug, Deserialize)]
#[serde(tag = "form", rename_all = "kebab-case")]
pub(super) enum Layout {
    /// A row is a pair.
    Pairs {
        player: Side,
        opponent: Side,
        /// Column of the player's points.
        column: String,
        /// Points are out of this: 1 for a share, 1000 for points of 1000 games.
        #[serde(default = "one")]
        out_of: f64,
    },
    /// A row is an evolutionary run, whose best player meets an opponent a column.
    Runs {
        player: Side,
        opponents: Vec<Opponent>,
        /// Points are out of this, as in `Pairs`.
        #[serde(default = "one")]
        out_of: f64,
    },
    /// A row is an agent on a problem; the file says what its figures are.
    Agents(Agents),
    /// A row is a player against another, with figures by seat.
    Seats(Seats),
    /// A row is a player in a league.
    League(League),
    /// A row is an agent on a problem, with figures of its trees.
    Trees,
    /// A row is a problem, with figures of the formulas of two agents.
    Formulas,
    /// A row is a pair of agents on a problem and whether they differ.
    Contrasts,
    /// A row is a statement about all games of a grid.
    Claims,
    /// The table stands for others, given by their keys.
    Several { tables: Vec<String> },
}

/// Agents on problems.
#[derive(Debug, Deserialize)]
pub(super) struct Agents {
    /// Name and spec of a row's problem, with `{column}` in place of the row's values.
    pub(super) problem: Side,
    /// The printed name of a row's agent: `{agent}`.
    pub(super) agent: String,
    /// By printed name.
    pub(super) players: Players,
    pub(super) figures: Vec<FigureColumn>,
}

/// Players against one another by seat.
#[derive(Debug, Deserialize)]
pub(super) struct Seats {
    /// The printed name of a row's player, whose figures are given: `{p1}`.
    pub(super) player: String,
    /// That of the other.
    pub(super) opponent: String,
    /// Column of the player's seat, 1 or 2; without one and without seats of figures it is the first.
    #[serde(default)]
    pub(super) seat: Option<String>,
    /// Games behind a figure; without it, the sample size.
    #[serde(default)]
    pub(super) games: Option<u64>,
    /// By printed name.
    pub(super) players: Players,
    pub(super) figures: Vec<FigureColumn>,
}

/// Players in a league, of which every ordered pair with fixed seats is a match.
#[derive(Debug, Deserialize)]
pub(super) struct League {
    /// The printed name of a row's player: `{agent}`.
    pub(super) player: String,
    /// Games of a match.
    pub(super) games: u64,
    /// By printed name.
    pub(super) players: Players,
    pub(super) figures: Vec<FigureColumn>,
}

/// A player of a table.
#[derive(Debug, Deserialize)]
pub(super) struct Side {
    pub(super) name: String,
    pub(super) spec: String,
}

/// An opponent of the best players of runs.
#[derive(Debug, Deserialize)]
pub(super) struct Opponent {
    /// Column of the points against it.
    pub(super) column: String,
    pub(super) name: String,
    pub(super) spec: String,
}

fn one() -> f64 {
    1.0
}

/// The number of games in a column of a row, if it has one.
pub(super) fn games(row: &toml::Table, column: &str) -> Option<u64> {
    row.get(column).and_then(toml::Value::as_integer).map(i64::unsigned_abs)
}

/// A name or spec with the values of a row in it.
pub(super) fn fill(pattern: &str, row: &toml::Table) -> String {
    let mut name = pattern.to_owned();
    for (key, value) in row {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        name = name.replace(&format!("{{{key}}}"), &value);
    }
    name
}
