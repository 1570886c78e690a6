//! The functions that are searched: those of the thesis, and formulas of users.
//!
//! To add one in code: a function of x with values in [0, 1], and a line in [`KNOWN`].

use std::f64::consts::PI;

use super::expression::{Error, Expression};

/// A function with a name.
#[derive(Debug)]
pub struct Known {
    /// Name in specs.
    pub name: &'static str,
    /// The same as a formula, for people; a test compares the two.
    pub formula: &'static str,
    /// Its value at x in (0, 1), from 0 to 1.
    value: fn(f64) -> f64,
}

/// Every function with a name, in the order of names.
pub static KNOWN: [Known; COUNT] = [
    Known { name: "f1", formula: "sin(pi*x)", value: f1 },
    Known { name: "f2", formula: "0.5*sin(13*x)*sin(27*x)+0.5", value: f2 },
    Known { name: "f3", formula: "if(x < 0.5, 0.5+0.5*abs(sin(x^-5)), 0.35+0.5*abs(sin(x^-5)))", value: f3 },
    Known { name: "f4", formula: "0.5*x+(1-0.7*x)*sin(5*pi*x)^4", value: f4 },
    Known { name: "f5", formula: "0.5*x+(1-0.7*x)*sin(5*pi*x)^80", value: f5 },
];

const COUNT: usize = 5;

/// Their names.
pub(crate) static NAMES: [&str; COUNT] = {
    let mut names = [""; COUNT];
    let mut i = 0;
    while i < COUNT {
        names[i] = KNOWN[i].name;
        i += 1;
    }
    names
};

/// Thesis, equation 4.2: one maximum in the middle.
fn f1(x: f64) -> f64 {
    libm::sin(PI * x)
}

/// Equation 4.3: six maxima of different height.
fn f2(x: f64) -> f64 {
    0.5 * libm::sin(13.0 * x) * libm::sin(27.0 * x) + 0.5
}

/// Equation 4.4: smooth on the right, ever faster towards 0, where rounding decides the value.
fn f3(x: f64) -> f64 {
    let low = if x < 0.5 { 0.5 } else { 0.35 };
    low + 0.5 * libm::sin(libm::pow(x, -5.0)).abs()
}

/// Equation 4.5: five maxima, the highest on the left of a rising slope.
fn f4(x: f64) -> f64 {
    peaks(x, 4.0)
}

/// Equation 4.6: the same with needles for hills, so that the slope misleads.
fn f5(x: f64) -> f64 {
    peaks(x, 80.0)
}

fn peaks(x: f64, exponent: f64) -> f64 {
    0.5 * x + (1.0 - 0.7 * x) * libm::pow(libm::sin(5.0 * PI * x), exponent)
}

/// A function to search.
#[derive(Clone, Debug)]
pub enum Function {
    /// A function with a name.
    Known(&'static Known),
    /// A user's formula.
    Expression(Expression),
}

impl Function {
    /// The function of this name.
    pub fn known(name: &str) -> Option<Self> {
        KNOWN.iter().find(|known| known.name == name).map(Function::Known)
    }

    /// A user's formula.
    ///
    /// # Errors
    /// `text` is not a formula; the error says where.
    pub fn expression(text: &str) -> Result<Self, Error> {
        Expression::parse(text).map(Function::Expression)
    }

    /// Its name, or its formula. A formula never equals a name.
    pub fn text(&self) -> &str {
        match self {
            Function::Known(known) => known.name,
            Function::Expression(expression) => expression.text(),
        }
    }

    /// Its value at `x` in (0, 1). A formula's value may be outside [0, 1] or NaN; see [`Function::chance`].
    pub fn value(&self, x: f64) -> f64 {
        match self {
            Function::Known(known) => (known.value)(x),
            Function::Expression(expression) => expression.value(x),
        }
    }

    /// Its value as a probability: values below 0 and NaN are 0, values above 1 are 1. Specs are checked at a grid of
    /// centres only; a formula may go wrong between them, and a trial must have a result all the same.
    pub fn chance(&self, x: f64) -> f64 {
        let value = self.value(x);
        if value > 0.0 { value.min(1.0) } else { 0.0 }
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}
