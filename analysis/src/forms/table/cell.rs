//! A cell: a value, or the reason why it is missing.

use serde_json::{Value, json};

use super::{
    Form,
    number::{Digits, probability, shown},
};
use crate::statistics::{Reason, moments::Moments};

/// What stands in a cell.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A count.
    Count(u64),
    /// A number, with its digits for people.
    Real(f64, Digits),
    /// An interval, with digits as of a number.
    Interval(f64, f64, Digits),
    /// A mean and, where it has one, its deviation, with digits as of a number: `0.49 ± 0.20`.
    Spread(f64, Option<f64>, Digits),
    /// A probability.
    Probability(f64),
    /// Not there.
    Missing,
    /// Not there, and why.
    Without(Reason),
}

/// A part of a cell, as programs read it.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Field {
    Text(String),
    Count(u64),
    Number(f64),
    Missing,
}

/// A value that a cell may be made of: there, or not, or not for a reason.
pub trait Known<T> {
    /// The value, or [`Cell::Missing`] or [`Cell::Without`].
    ///
    /// # Errors
    /// The cell that stands for it where it is not there.
    fn known(self) -> Result<T, Cell>;
}

impl Known<f64> for f64 {
    fn known(self) -> Result<f64, Cell> {
        Ok(self)
    }
}

impl<T> Known<T> for Option<T> {
    fn known(self) -> Result<T, Cell> {
        self.ok_or(Cell::Missing)
    }
}

impl<T> Known<T> for Result<T, Reason> {
    fn known(self) -> Result<T, Cell> {
        self.map_err(Cell::Without)
    }
}

impl Cell {
    /// A number; [`Cell::Missing`] if it is not finite.
    pub fn real(value: impl Known<f64>, digits: impl Into<Digits>) -> Self {
        Cell::of(value, |value| if value.is_finite() { Cell::Real(value, digits.into()) } else { Cell::Missing })
    }

    /// An interval, with digits as of a number.
    pub fn interval(value: impl Known<(f64, f64)>, digits: impl Into<Digits>) -> Self {
        Cell::of(value, |(low, high)| match low.is_finite() && high.is_finite() {
            true => Cell::Interval(low, high, digits.into()),
            false => Cell::Missing,
        })
    }

    /// What `cell` makes of a value that is there.
    pub fn of<T>(value: impl Known<T>, cell: impl FnOnce(T) -> Cell) -> Self {
        value.known().map_or_else(|without| without, cell)
    }

    /// Mean and sample deviation, or [`Cell::Missing`].
    pub fn spread(of: Option<Moments>, digits: impl Into<Digits>) -> Self {
        let digits = digits.into();
        let spread = of.and_then(|of| {
            let mean = of.mean().filter(|mean| mean.is_finite())?;
            Some(Cell::Spread(mean, of.deviation().filter(|sd| sd.is_finite()), digits))
        });
        spread.unwrap_or(Cell::Missing)
    }

    /// Size, mean and sample deviation, three cells.
    pub fn moments(of: &Moments, digits: impl Into<Digits>) -> [Self; 3] {
        let finite = |value: f64| if value.is_finite() { Ok(value) } else { Err(Reason::NotFinite) };
        let digits = digits.into();
        let deviation = of.deviation().ok_or(Reason::TooFew { needed: 2, found: of.n }).and_then(finite);
        let mean = of.mean().ok_or(Reason::TooFew { needed: 1, found: 0 }).and_then(finite);
        [Cell::Count(of.n), Cell::real(mean, digits), Cell::real(deviation, digits)]
    }

    /// A probability, or the reason why it is missing.
    pub fn probability(value: impl Known<f64>) -> Self {
        Cell::of(value, |value| if value.is_finite() { Cell::Probability(value) } else { Cell::Missing })
    }

    /// Words.
    pub fn text(text: impl Into<String>) -> Self {
        Cell::Text(text.into())
    }

    /// Itself, or [`Cell::Missing`] where a number in it is not finite.
    pub(super) fn finite(self) -> Self {
        match self {
            Cell::Real(value, digits) => Cell::real(value, digits),
            Cell::Interval(low, high, digits) => Cell::interval(Some((low, high)), digits),
            Cell::Spread(mean, _, _) if !mean.is_finite() => Cell::Missing,
            Cell::Spread(mean, sd, digits) => Cell::Spread(mean, sd.filter(|sd| sd.is_finite()), digits),
            Cell::Probability(value) => Cell::probability(value),
            Cell::Text(_) | Cell::Count(_) | Cell::Missing | Cell::Without(_) => self,
        }
    }

    /// Whether it may stand in a column of this form. A single number may stand for a mean whose deviation is not known.
    pub(super) fn fits(&self, form: Form) -> bool {
        match self {
            Cell::Missing | Cell::Without(_) => true,
            Cell::Interval(..) => form == Form::Interval,
            Cell::Spread(..) => form == Form::Spread,
            Cell::Real(..) => form != Form::Interval,
            Cell::Text(_) | Cell::Count(_) | Cell::Probability(_) => form == Form::Plain,
        }
    }

    /// For people; text as it is.
    pub(crate) fn shown(&self) -> String {
        match self {
            Cell::Text(text) => text.clone(),
            Cell::Count(value) => value.to_string(),
            Cell::Real(value, digits) | Cell::Spread(value, None, digits) => shown(*value, *digits),
            Cell::Interval(low, high, digits) => format!("{} to {}", shown(*low, *digits), shown(*high, *digits)),
            Cell::Spread(mean, Some(sd), digits) => format!("{} ± {}", shown(*mean, *digits), shown(*sd, *digits)),
            Cell::Probability(p) => probability(*p),
            Cell::Missing | Cell::Without(_) => "–".to_owned(),
        }
    }

    /// Its fields in CSV and Parquet, as many as its column has.
    pub(super) fn fields(&self, form: Form) -> Vec<Field> {
        let mut fields = match self {
            Cell::Text(text) => vec![Field::Text(text.clone())],
            Cell::Count(value) => vec![Field::Count(*value)],
            Cell::Real(value, _) | Cell::Probability(value) => vec![Field::Number(*value)],
            Cell::Interval(low, high, _) => vec![Field::Number(*low), Field::Number(*high)],
            Cell::Spread(mean, sd, _) => vec![Field::Number(*mean), sd.map_or(Field::Missing, Field::Number)],
            Cell::Missing | Cell::Without(_) => Vec::new(),
        };
        fields.resize(form.fields(), Field::Missing);
        fields
    }

    pub(super) fn json(&self) -> Value {
        match self {
            Cell::Text(text) => json!(text),
            Cell::Count(value) => json!(value),
            Cell::Real(value, _) | Cell::Probability(value) => json!(value),
            Cell::Interval(low, high, _) => json!([low, high]),
            Cell::Spread(mean, sd, _) => json!({ "mean": mean, "sd": sd }),
            Cell::Missing | Cell::Without(_) => Value::Null,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!(Cell::real(-0.0, 2).shown(), "0.00");
        assert_eq!(Cell::real(-0.0001, 2).shown(), "-0.00010");
        assert_eq!(Cell::real(-0.01, 2).shown(), "-0.01");
    }
}
