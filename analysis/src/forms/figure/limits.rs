//! How much a figure may hold: what is drawn takes time and memory by these limits, not by its data.
//!
//! Lines of many points keep their extremes and look the same. Of many marks every so many is drawn, and the legend
//! says so. What has no room, more panels, groups or rows than can be read, is no figure, for a reason.

use super::Figure;

/// Panels of a figure.
pub(super) const PANELS_MAX: usize = 40;
/// Series of a panel, and groups of a distribution.
pub(super) const SERIES_MAX: usize = 40;
pub(super) const GROUPS_MAX: usize = 100;
/// Named rows under one another.
pub(super) const ROWS_MAX: usize = 100;
/// Cells of a map.
pub(super) const CELLS_MAX: usize = 1_024;
/// Height of a drawing; pixels.
pub(super) const HEIGHT_MAX: f64 = 12_000.0;
/// Ends of a line's parts, and marks, in all of a figure.
const ENDS_MAX: usize = 100_000;
const MARKS_MAX: usize = 40_000;
/// The same of one series: a line has fewer pixels than that across, and more marks with error bars are a blot.
const LINE_MAX: usize = 2_000;
const BARS_MAX: usize = 250;
/// Letters of a title, of a name in a legend or beside a wide row, and of one beside a panel.
pub(super) const TITLE_MAX: usize = 100;
pub(super) const NAME_MAX: usize = 56;
pub(super) const GROUP_MAX: usize = 32;

/// Why there is no figure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("figure `{figure}` is left out: {reason}")]
pub(crate) struct LeftOut {
    figure: String,
    reason: String,
}

impl LeftOut {
    pub(crate) fn new(figure: &str, reason: impl Into<String>) -> Self {
        LeftOut { figure: figure.to_owned(), reason: reason.into() }
    }

    /// A figure of more than it may have.
    pub(crate) fn too_many(figure: &str, found: usize, what: &str, most: usize) -> Self {
        LeftOut::new(figure, format!("it has {found} {what}, and at most {most} can be read"))
    }
}

/// A figure, `None` without data, or why the data cannot be drawn.
pub(crate) type Drawn = Result<Option<Figure>, LeftOut>;

/// # Errors
/// More than `most`.
pub(super) fn at_most(figure: &str, found: usize, what: &str, most: usize) -> Result<(), LeftOut> {
    if found > most { Err(LeftOut::too_many(figure, found, what, most)) } else { Ok(()) }
}

/// # Errors
/// No value of it is a number that the axes have.
pub(super) fn something(figure: &str, any: bool) -> Result<(), LeftOut> {
    if any { Ok(()) } else { Err(LeftOut::new(figure, "none of its values is a number on its axes")) }
}

/// Text that fits and that a drawing may hold: cut in its middle, without control characters.
pub(super) fn short(text: &str, most: usize) -> String {
    let plain = |c: char| if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') { ' ' } else { c };
    let count = text.chars().count();
    if count <= most {
        return text.chars().map(plain).collect();
    }
    let (head, tail) = (most / 2, most - most / 2 - 1);
    let first = text.chars().take(head);
    first.chain(['…']).chain(text.chars().skip(count - tail)).map(plain).collect()
}

/// Points of one of so many lines.
pub(super) fn line_max(lines: usize) -> usize {
    (ENDS_MAX / lines.max(1)).clamp(100, LINE_MAX)
}

/// Marks of one of so many series.
pub(super) fn marks_max(series: usize) -> usize {
    (MARKS_MAX / series.max(1)).max(250)
}

/// Marks with error bars of one of so many series.
pub(super) fn bars_max(series: usize) -> usize {
    marks_max(series).min(BARS_MAX)
}

/// So many at most, every one as far from the next; and that distance.
pub(super) fn every<T: Copy>(items: &[T], most: usize) -> (Vec<T>, usize) {
    let step = items.len().div_ceil(most).max(1);
    (items.iter().copied().step_by(step).collect(), step)
}

/// A line by fewer points: the first, the last, and the lowest and highest of each stretch between.
pub(super) fn thin<T: Copy>(points: &[T], most: usize, y: impl Fn(&T) -> f64) -> Vec<T> {
    if points.len() <= most {
        return points.to_vec();
    }
    let stretch = points.len().div_ceil((most / 2).max(1));
    let mut kept = Vec::with_capacity(most + 2);
    for (number, part) in points.chunks(stretch).enumerate() {
        let by = |a: &usize, b: &usize| y(&part[*a]).total_cmp(&y(&part[*b]));
        let (low, high) = ((0..part.len()).min_by(by), (0..part.len()).max_by(by));
        let mut places: Vec<usize> = low.into_iter().chain(high).collect();
        places.extend((number == 0).then_some(0));
        places.extend(((number + 1) * stretch >= points.len()).then(|| part.len() - 1));
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|place| part[place]));
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thin_line_keeps_its_ends_and_extremes() {
        let points: Vec<(usize, f64)> =
            (0..10_000).map(|i| (i, if i == 4_321 { 9.0 } else { (i % 7) as f64 })).collect();
        let thin = thin(&points, 100, |point| point.1);
        assert!(thin.len() <= 102, "{}", thin.len());
        assert_eq!((thin[0].0, thin[thin.len() - 1].0), (0, 9_999));
        assert!(thin.contains(&(4_321, 9.0)) && thin.is_sorted_by_key(|point| point.0));
    }

    #[test]
    fn texts_fit() {
        assert_eq!(short("abc\u{1b}[1m", 8), "abc [1m");
        assert_eq!(short("0123456789", 7), "012…789");
        assert_eq!(every(&[1, 2, 3, 4, 5], 2), (vec![1, 4], 3));
    }
}
