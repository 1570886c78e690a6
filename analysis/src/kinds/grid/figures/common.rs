//! Shares of pairs whose two players have a value of a parameter in common, by that value: what an advantage is worth as
//! the budget of both grows.

use std::collections::BTreeMap;

use crate::{
    forms::figure::{Chart, Look, Panel, Point, Scale, Series},
    kinds::grid::{
        Grid, PairGames,
        axes::{Axis, Setting},
    },
};

/// An axis whose greatest value is at least so many times its least is logarithmic.
const DECADES_FROM: f64 = 20.0;
/// Ends of the axis of shares, and between its ticks; a line at an end would be cut in half.
const SHARES: (f64, f64) = (-0.02, 1.02);
const SHARES_STEP: f64 = 0.2;

/// A line for each two kinds of settings that meet at several values of the parameter that they share; `None` where no
/// parameter, or more than one, has the same value on both sides of every pair and differs between pairs.
pub(crate) fn chart(grid: &Grid) -> Option<Chart> {
    let setting = |name: &String| Setting::parse(grid.meta.pairs.specs.get(name)?);
    let sides = |pair: &PairGames| Some([setting(&pair.a)?, setting(&pair.b)?]);
    let sides: Vec<[Setting; 2]> = grid.pairs.iter().map(sides).collect::<Option<_>>()?;
    let [first, _] = sides.first()?;
    let mut shared = first.parameters.keys().filter_map(|key| shared(key, &sides));
    let axis = shared.next().filter(|_| shared.next().is_none())?;
    // By what the two settings are but for the shared value.
    let mut lines: BTreeMap<[Setting; 2], Vec<(f64, &PairGames)>> = BTreeMap::new();
    for (pair, mut sides) in grid.pairs.iter().zip(sides) {
        let [value, _] = sides.each_mut().map(|side| side.parameters.remove(&axis.name));
        lines.entry(sides).or_default().push((value?.parse().ok()?, pair));
    }
    let mut lines: Vec<(String, Vec<Point>)> = lines.iter().map(|(sides, pairs)| line(sides, pairs)).collect();
    lines.retain(|(_, points)| points.len() > 1);
    let look = |(place, (name, points)): (usize, (String, Vec<Point>))| Series {
        name,
        colour: place,
        look: Look::band(place),
        points,
    };
    let series: Vec<Series> = lines.into_iter().enumerate().map(look).collect();
    let (least, greatest) = (axis.levels.first()?, axis.levels.last()?);
    let has_decades = *least > 0.0 && greatest / least >= DECADES_FROM;
    let panel = Panel {
        title: format!("{}: share of the points by {}, 95 %", grid.meta.header.experiment, axis.name),
        x: format!("{} of both players", axis.name),
        x_scale: if has_decades { Scale::Log } else { Scale::Linear },
        y: "share of the points of the first named".to_owned(),
        y_range: Some(SHARES),
        y_scale: Scale::Linear,
        y_step: Some(SHARES_STEP),
        level: Some((0.5, "equal")),
        series,
    };
    Some(Chart { name: format!("shares-by-{}", axis.name), panels: vec![panel] })
}

/// The values of a parameter that the two players of every pair have in common, if they differ between pairs.
fn shared(key: &str, sides: &[[Setting; 2]]) -> Option<Axis> {
    let value = |pair: &[Setting; 2]| {
        let [a, b] = pair.each_ref().map(|side| side.parameters.get(key));
        a?.parse().ok().filter(|value: &f64| a == b && value.is_finite())
    };
    let mut levels: Vec<f64> = sides.iter().map(value).collect::<Option<_>>()?;
    levels.sort_by(f64::total_cmp);
    levels.dedup();
    (levels.len() > 1).then(|| Axis { name: key.to_owned(), levels })
}

/// The name of a line and its points, from the least value to the greatest.
fn line(sides: &[Setting; 2], pairs: &[(f64, &PairGames)]) -> (String, Vec<Point>) {
    let named = |of: fn(&PairGames) -> &str, setting: &Setting| {
        let start = common_start(pairs.iter().map(|(_, pair)| of(pair)));
        if start.is_empty() { setting.name.clone() } else { start.to_owned() }
    };
    let name = format!("{} v {}", named(|pair| &pair.a, &sides[0]), named(|pair| &pair.b, &sides[1]));
    let point = |(value, pair): &(f64, &PairGames)| Point { x: *value, y: pair.share(), spread: pair.share_interval() };
    let mut points: Vec<Point> = pairs.iter().map(point).collect();
    points.sort_by(|one, other| one.x.total_cmp(&other.x));
    (name, points)
}

/// What all names begin with, without what stands between a name and a number: `full` of `full-10` and `full-300`.
fn common_start<'a>(mut names: impl Iterator<Item = &'a str>) -> &'a str {
    let first = names.next().unwrap_or_default();
    let common = |start: &'a str, name: &str| {
        let equal = start.char_indices().zip(name.chars()).take_while(|((_, one), other)| one == other);
        &start[..equal.map(|((at, one), _)| at + one.len_utf8()).last().unwrap_or(0)]
    };
    let start = names.fold(first, common);
    start.trim_end_matches(|last: char| !last.is_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::common_start;

    #[test]
    fn a_line_has_what_its_names_begin_with() {
        let rows = [
            (&["full-10", "full-300"][..], "full"),
            (&["uct", "uct"], "uct"),
            (&["a1", "b1"], ""),
            (&["é-1", "é-10"], "é"),
            (&["10", "100"], ""),
        ];
        for (names, start) in rows {
            assert_eq!(common_start(names.iter().copied()), start, "{names:?}");
        }
    }
}
