//! How values of any size stand on an axis that can be drawn.
//!
//! kuva lays out an axis in doubles: ticks of a decade at infinity take all memory, and its logarithmic axis ends at
//! 1e-10. So values far from 1 are drawn in a power of ten, logarithms over many decades as plain numbers, values far
//! outside of the axis at its edge, and what is no number not at all.

use std::sync::Arc;

use kuva::prelude::{Layout, TickFormat};

/// Values this large and larger, and whole axes this small and smaller, are drawn in a power of ten.
const LARGE: f64 = 1e9;
const SMALL: f64 = 1e-5;
/// Ends closer than this share of their size have no ticks between them that differ when written.
const APART_MIN: f64 = 1e-9;
/// Room about a single value, as a share of the value.
const ROOM: f64 = 0.05;
/// A logarithmic axis within these ends, and of at most so many decades, has ticks that kuva can place.
const LOG_ENDS: (f64, f64) = (1e-9, 1e12);
const LOG_DECADES_MAX: f64 = 12.0;
/// Less than this is drawn at 0.
const NOTHING: f64 = 1e-100;
/// Ticks of an axis over decades, about.
const TICKS: f64 = 6.0;

/// Which of a figure's axes.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Side {
    X,
    Y,
}

/// How values are placed on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    form: Form,
    /// Ends of the axis, as it is drawn; `None` leaves them to kuva.
    ends: Option<(f64, f64)>,
    /// Least and greatest of what the axis was made for, as drawn; `None` without a value.
    reach: Option<(f64, f64)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    /// In multiples of this power of ten.
    Linear(i32),
    /// Positive values on kuva's logarithmic axis.
    Log,
    /// Their decimal logarithms on a plain one.
    Decades,
}

impl Form {
    fn scaled(self, value: f64) -> f64 {
        let at = match self {
            Form::Linear(exponent) => {
                // In two steps, because the power may be beyond the range of doubles.
                let first = -exponent / 2;
                value * 10f64.powi(first) * 10f64.powi(-exponent - first)
            }
            Form::Log => value,
            Form::Decades => value.log10(),
        };
        // What is nothing beside the axis is nothing: a quotient of it may be infinite.
        if self != Form::Log && at.abs() < NOTHING { 0.0 } else { at }
    }
}

impl Frame {
    /// A plain axis over `values`, or with `ends` that do not follow from them.
    pub(super) fn linear(values: impl Iterator<Item = f64>, ends: Option<(f64, f64)>) -> Self {
        let ends = ends.map(finite_ends);
        let (low, high) = ends.unwrap_or_else(|| reach(values));
        let largest = low.abs().max(high.abs());
        let plain = !largest.is_finite() || largest == 0.0 || (SMALL..LARGE).contains(&largest);
        let form = Form::Linear(if plain { 0 } else { largest.log10().floor() as i32 });
        if low > high {
            return Frame { form, ends: None, reach: None };
        }
        let drawn = (form.scaled(low), form.scaled(high));
        let wide = drawn.1 - drawn.0 > APART_MIN * drawn.0.abs().max(drawn.1.abs());
        // Without ends that were asked for, kuva finds its own wherever it can.
        let ends = if wide && ends.is_none() { None } else { Some(apart(drawn)) };
        Frame { form, ends, reach: ends.or(Some(drawn)) }
    }

    /// A logarithmic axis over `values`, or with `ends`. Values that are not positive have no place on it.
    pub(super) fn log(values: impl Iterator<Item = f64>, ends: Option<(f64, f64)>) -> Self {
        let least = f64::from_bits(1);
        let asked = ends.map(finite_ends).map(|(low, high)| (low.max(least), high.max(least)));
        let (low, high) = asked.unwrap_or_else(|| reach(values.filter(|value| *value > 0.0)));
        if low > high {
            return Frame { form: Form::Log, ends: None, reach: None };
        }
        if low >= LOG_ENDS.0 && high <= LOG_ENDS.1 && (high / low).log10() <= LOG_DECADES_MAX {
            return Frame { form: Form::Log, ends: asked, reach: Some((low, high)) };
        }
        let ends = Some(apart((low.log10(), high.log10())));
        Frame { form: Form::Decades, ends, reach: ends }
    }

    /// Where a value is drawn; nowhere if it is no number of this axis, or the axis was made for no value.
    pub(super) fn place(&self, value: f64) -> Option<f64> {
        if !value.is_finite() || !self.has(value) {
            return None;
        }
        let at = self.form.scaled(value);
        let (low, high) = self.reach?;
        // Beyond the edge by the length of the axis is as good as at infinity, and its pixels can be counted.
        Some(match self.form {
            Form::Log => at.clamp(low * (low / high), high * (high / low)),
            _ => at.clamp(low - (high - low), high + (high - low)),
        })
    }

    fn has(&self, value: f64) -> bool {
        matches!(self.form, Form::Linear(_)) || value > 0.0
    }

    /// The ends of an interval about a value that is drawn. What has no end goes to the edge.
    pub(super) fn interval(&self, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        if low.is_nan() || high.is_nan() {
            return None;
        }
        let edge = |value: f64, at: fn((f64, f64)) -> f64| self.place(value).or_else(|| self.ends.map(at));
        Some((edge(low, |ends| ends.0)?, edge(high, |ends| ends.1)?))
    }

    /// The axis' text, with the power of ten that its numbers are multiples of.
    pub(super) fn head(&self, text: &str) -> String {
        match self.form {
            Form::Linear(0) | Form::Log | Form::Decades => text.to_owned(),
            Form::Linear(exponent) => format!("{text} (× 1e{exponent})"),
        }
    }

    /// A layout with this axis.
    pub(super) fn on(&self, side: Side, layout: Layout) -> Layout {
        let layout = match (self.ends, side) {
            (None, _) => layout,
            (Some((low, high)), Side::X) => layout.with_x_axis_min(low).with_x_axis_max(high),
            (Some((low, high)), Side::Y) => layout.with_y_axis_min(low).with_y_axis_max(high),
        };
        let (Form::Decades, Some((low, high))) = (self.form, self.ends) else {
            return match (self.form, side) {
                (Form::Log, Side::X) => layout.with_log_x(),
                (Form::Log, Side::Y) => layout.with_log_y(),
                _ => layout,
            };
        };
        let step = decade_step(high - low);
        let ticks = TickFormat::Custom(Arc::new(power_tick));
        match side {
            Side::X => layout.with_x_tick_step(step).with_x_tick_format(ticks),
            Side::Y => layout.with_y_tick_step(step).with_y_tick_format(ticks),
        }
    }

    /// Whether values stand on it as they are.
    pub(super) fn is_plain(&self) -> bool {
        self.form == Form::Linear(0)
    }

    /// Whether kuva's own logarithmic ticks stand on it.
    pub(super) fn is_log(&self) -> bool {
        self.form == Form::Log
    }
}

/// Least and greatest of the values that are numbers; turned round where there is none.
fn reach(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let wider = |(low, high): (f64, f64), value: f64| (low.min(value), high.max(value));
    values.filter(|value| value.is_finite()).fold((f64::INFINITY, f64::NEG_INFINITY), wider)
}

fn finite_ends((low, high): (f64, f64)) -> (f64, f64) {
    let finite = |value: f64| if value.is_nan() { 0.0 } else { value.clamp(f64::MIN, f64::MAX) };
    (finite(low), finite(high))
}

/// Ends that ticks fit between.
fn apart((low, high): (f64, f64)) -> (f64, f64) {
    let size = low.abs().max(high.abs());
    if high - low > APART_MIN * size {
        return (low, high);
    }
    let (middle, room) = (0.5 * low + 0.5 * high, if size > 0.0 { ROOM * size } else { 0.5 });
    (middle - room, middle + room)
}

/// The distance of ticks over so many decades: 1, 2 or 5 and so many zeros, or parts of one decade.
fn decade_step(decades: f64) -> f64 {
    let least = decades / TICKS;
    let unit = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0].map(|digit| digit * unit).into_iter().find(|step| *step >= least).unwrap_or(10.0 * unit)
}

/// A tick at a logarithm, as the number: `1e-300`, and `3.2e5` between two decades.
fn power_tick(tick: f64) -> String {
    let decade = tick.round();
    if (tick - decade).abs() < 1e-6 {
        return format!("1e{decade}");
    }
    let exponent = tick.floor();
    format!("{:.2}e{exponent}", 10f64.powf(tick - exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(values: &[f64]) -> Frame {
        Frame::linear(values.iter().copied(), None)
    }

    #[test]
    fn plain_values_stay_as_they_are() {
        let frame = linear(&[0.0, 0.5, 40_000.0]);
        assert_eq!((frame.form, frame.ends), (Form::Linear(0), None));
        assert_eq!((frame.place(0.5), frame.place(f64::NAN)), (Some(0.5), None));
        let log = Frame::log([0.01, 5e4].into_iter(), None);
        assert_eq!((log.form, log.ends), (Form::Log, None));
    }

    #[test]
    fn values_far_from_one_are_drawn_in_a_power_of_ten() {
        let frame = linear(&[-1e300, 2e300]);
        assert_eq!(frame.head("s"), "s (× 1e300)");
        assert!((frame.place(2e300).expect("a place") - 2.0).abs() < 1e-12);
        let least = linear(&[5e-324, 0.0]);
        assert_eq!(least.head("s"), "s (× 1e-324)");
        assert!((least.place(5e-324).expect("a place") - 4.94).abs() < 0.01);
    }

    #[test]
    fn what_lies_far_outside_is_drawn_at_the_edge() {
        let frame = Frame::linear([1e300].into_iter(), Some((0.0, 1.0)));
        assert_eq!((frame.place(1e300), frame.place(-1e300), frame.place(1.5)), (Some(2.0), Some(-1.0), Some(1.5)));
        assert_eq!(frame.interval((f64::NEG_INFINITY, 0.5)), Some((0.0, 0.5)));
        assert_eq!(frame.interval((f64::NAN, 0.5)), None);
        // Where kuva finds the ends itself, and where nothing has any.
        let found = linear(&[0.0, 5.0]);
        assert_eq!((found.ends, found.place(f64::MIN), found.place(7.0)), (None, Some(-5.0), Some(7.0)));
        assert_eq!(linear(&[]).place(1.0), None);
    }

    #[test]
    fn ends_are_apart() {
        for values in [&[1.0, 1.0 + 1e-15][..], &[7e8], &[0.0, 0.0], &[-3.0, -3.0]] {
            let (low, high) = linear(values).ends.expect("ends");
            assert!(high - low >= 0.05 * low.abs() && low < values[0] && values[0] < high, "{low} to {high}");
        }
    }

    #[test]
    fn many_decades_are_plain_numbers() {
        let frame = Frame::log([2.3e-308, 5.0].into_iter(), None);
        assert_eq!(frame.form, Form::Decades);
        let (low, high) = frame.ends.expect("ends");
        assert!((-308.0..-307.0).contains(&low) && (0.69..0.7).contains(&high));
        assert_eq!((frame.place(1e-100), frame.place(0.0)), (Some(-100.0), None));
        assert_eq!([308.0, 5.0, 0.3].map(decade_step), [100.0, 1.0, 0.05]);
        assert_eq!([-300.0, 0.0, 5.5].map(power_tick), ["1e-300", "1e0", "3.16e5"]);
        // An end that overflowed is the last number there is.
        let asked = Frame::log([1.0].into_iter(), Some((0.0, f64::INFINITY)));
        assert!(asked.ends.is_some_and(|(low, high)| low > -324.0 && high < 309.0), "{asked:?}");
    }
}
