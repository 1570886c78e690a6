//! A figure as a paper prints it, and how a table's file says where it stands.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::layout::{Side, fill};

/// A printed figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// As printed: a mean over games or runs. The middle, where a range is printed.
    pub mean: f64,
    /// What is printed of its spread.
    pub spread: Spread,
    /// Games or runs behind it.
    pub n: u64,
    /// Half a unit of the last digit that is printed of the mean.
    pub rounding: f64,
}

/// What a table prints behind ±.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Spread {
    /// The deviation over runs, and half a unit of its last digit.
    Runs(f64, f64),
    /// Something else or nothing: how far means over runs are off by chance is not printed.
    Unknown,
    /// Nothing, since the mean is a share of runs.
    Share,
    /// The lowest and the highest of several means, of which this is one.
    Range(f64, f64),
}

/// What a figure of a row is, and in which columns it is printed. Without its columns a row does not have it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct FigureColumn {
    /// What is measured, with `{column}` in place of a row's value.
    pub(super) metric: String,
    /// Column of its mean.
    #[serde(default)]
    mean: Option<String>,
    /// Column of the deviation over games or runs, if that is what is printed.
    #[serde(default)]
    sd: Option<String>,
    /// Columns of the lowest and the highest mean, in place of a mean.
    #[serde(default)]
    range: Option<[String; 2]>,
    /// Column of a count among the games, in place of a mean: its share is compared.
    #[serde(default)]
    count: Option<String>,
    /// Digits that are printed after the point.
    #[serde(default)]
    decimals: i32,
    /// The mean is out of this: 100 for per cent.
    #[serde(default = "one")]
    out_of: f64,
    /// Beside the figure's name: what it is if it is not what the paper prints.
    #[serde(default)]
    pub(super) remark: Option<String>,
    /// The seat, 1 or 2, of a table with figures of both seats in a row.
    #[serde(default)]
    pub(super) seat: Option<u64>,
}

fn one() -> f64 {
    1.0
}

impl FigureColumn {
    /// The figure of a row, over `n` games or runs.
    pub(super) fn printed(&self, row: &toml::Table, n: u64) -> Option<Printed> {
        let number = |column: &Option<String>| column.as_ref().and_then(|column| number(row, column));
        let rounding = half_unit(self.decimals) / self.out_of;
        if let Some([low, high]) = &self.range {
            let [low, high] = [low, high].map(|column| self::number(row, column).map(|value| value / self.out_of));
            let (low, high) = (low?, high?);
            return Some(Printed { mean: 0.5 * (low + high), spread: Spread::Range(low, high), n, rounding });
        }
        if let Some(count) = number(&self.count) {
            return Some(Printed { mean: count / n as f64, spread: Spread::Share, n, rounding: 0.0 });
        }
        let mean = number(&self.mean)? / self.out_of;
        let spread = number(&self.sd).map_or(Spread::Unknown, |sd| Spread::Runs(sd / self.out_of, rounding));
        Some(Printed { mean, spread, n, rounding })
    }
}

/// Names and specs of players by their printed names.
pub(super) type Players = BTreeMap<String, Side>;

/// The player that `pattern` names in a row.
pub(super) fn player<'a>(players: &'a Players, pattern: &str, row: &toml::Table) -> &'a Side {
    let printed = fill(pattern, row);
    players.get(&printed).unwrap_or_else(|| panic!("`{printed}` is not among the players of the layout"))
}

/// A number in a column of a row, whole or not.
pub(super) fn number(row: &toml::Table, column: &str) -> Option<f64> {
    let value = row.get(column)?;
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
}

/// Half a unit of the last of so many digits after the point.
pub(super) fn half_unit(decimals: i32) -> f64 {
    0.5 / f64::from(10i32.pow(decimals.unsigned_abs()))
}
