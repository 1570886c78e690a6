//! Expressions as plain text and as LaTeX.

use super::{Atom, Condition, Linear, condition::Question};

/// Style of the output.
pub(super) struct Text<'a> {
    /// Names of the position's numbers, by index.
    pub(super) names: &'a [String],
    /// Significant digits.
    pub(super) digits: usize,
    pub(super) latex: bool,
}

impl Text<'_> {
    /// A number with that many significant digits.
    fn real(&self, value: f64) -> String {
        match rounded(value, self.digits) {
            Rounded::Plain(text) => text,
            Rounded::Power(digits, power) if self.latex => format!("{digits} \\cdot 10^{{{power}}}"),
            Rounded::Power(digits, power) => format!("{digits}e{power}"),
        }
    }

    pub(super) fn linear(&self, number: &Linear) -> String {
        let mut text = String::new();
        let mut add = |negative: bool, part: &str| {
            text.push_str(match (text.is_empty(), negative) {
                (true, true) => "-",
                (true, false) => "",
                (false, true) => " - ",
                (false, false) => " + ",
            });
            text.push_str(part);
        };
        for (atom, times) in &number.terms {
            let written = self.atom(atom);
            let size = times.abs();
            let part = if size == 1.0 {
                written
            } else {
                let between = match (self.latex, atom) {
                    (false, _) => "*",
                    (true, Atom::Number(_)) => "\\,",
                    (true, _) => " \\cdot ",
                };
                format!("{}{between}{written}", self.real(size))
            };
            add(*times < 0.0, &part);
        }
        if number.constant != 0.0 || number.terms.is_empty() {
            // Without the sign of a zero.
            add(number.constant < 0.0, &self.real(number.constant.abs()));
        }
        text
    }

    /// The text, in brackets if it is a sum.
    fn factor(&self, number: &Linear) -> String {
        let parts = number.terms.len() + usize::from(number.constant != 0.0);
        let text = self.linear(number);
        match (parts > 1 || text.starts_with('-'), self.latex) {
            (false, _) => text,
            (true, false) => format!("({text})"),
            (true, true) => format!("\\left({text}\\right)"),
        }
    }

    fn atom(&self, atom: &Atom) -> String {
        let name = |index: u8| self.names.get(usize::from(index)).map_or("?", String::as_str);
        if self.latex {
            return match atom {
                Atom::Number(index) => format!("\\mathrm{{{}}}", escaped(name(*index))),
                Atom::Either(condition, then, otherwise) => format!(
                    "\\begin{{cases}} {} & \\text{{if }} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                    self.linear(then),
                    self.condition(condition, false),
                    self.linear(otherwise)
                ),
                Atom::Times(x, y) => format!("{} \\cdot {}", self.factor(x), self.factor(y)),
                Atom::Divide(x, y) => format!("\\frac{{{}}}{{{}}}", self.linear(x), self.linear(y)),
                Atom::Sqrt(x) => format!("\\sqrt{{\\left|{}\\right|}}", self.linear(x)),
                Atom::Ln(x) => format!("\\ln\\left({}\\right)", self.linear(x)),
                Atom::LnAbs(x) => format!("\\ln\\left|{}\\right|", self.linear(x)),
            };
        }
        match atom {
            Atom::Number(index) => name(*index).to_owned(),
            Atom::Either(condition, then, otherwise) => format!(
                "(if {} then {} else {})",
                self.condition(condition, false),
                self.linear(then),
                self.linear(otherwise)
            ),
            Atom::Times(x, y) => format!("{}*{}", self.factor(x), self.factor(y)),
            Atom::Divide(x, y) => format!("({} / {})", self.factor(x), self.factor(y)),
            Atom::Sqrt(x) => format!("sqrt|{}|", self.linear(x)),
            Atom::Ln(x) => format!("ln({})", self.linear(x)),
            Atom::LnAbs(x) => format!("ln|{}|", self.linear(x)),
        }
    }

    /// A condition; in brackets if it has several parts and stands `inside` another one.
    fn condition(&self, condition: &Condition, inside: bool) -> String {
        let [and, or, open, close] =
            if self.latex { [" \\land ", " \\lor ", "\\left(", "\\right)"] } else { [" and ", " or ", "(", ")"] };
        let (parts, between) = match condition {
            Condition::Is(question, truth) => return self.question(question, *truth),
            Condition::All(parts) => (parts, and),
            Condition::Any(parts) => (parts, or),
        };
        let texts: Vec<String> = parts.iter().map(|part| self.condition(part, true)).collect();
        let text = texts.join(between);
        if inside { format!("{open}{text}{close}") } else { text }
    }

    fn question(&self, question: &Question, truth: bool) -> String {
        let word = |word: &str| if self.latex { format!("\\mathrm{{{word}}}") } else { word.to_owned() };
        let not = if self.latex { "\\lnot " } else { "not " };
        match question {
            Question::Friendly { row, column } => {
                format!("{}{}({row},{column})", if truth { "" } else { not }, word("friendly"))
            }
            Question::Occupied { row, column } => {
                format!("{}({row},{column})", word(if truth { "occupied" } else { "empty" }))
            }
            Question::NotAbove0(number) => self.comparison(number, truth),
        }
    }

    fn comparison(&self, number: &Linear, truth: bool) -> String {
        let (left, right) = sides(number);
        let sign = match (truth, self.latex) {
            (true, false) => "<=",
            (true, true) => "\\le",
            (false, _) => ">",
        };
        format!("{} {sign} {}", self.linear(&left), self.linear(&right))
    }
}

/// A number for people.
pub(super) enum Rounded {
    /// As it is.
    Plain(String),
    /// Digits, and a power of ten.
    Power(String, String),
}

/// A number with so many significant digits.
pub(super) fn rounded(value: f64, digits: usize) -> Rounded {
    let rounded: f64 = format!("{value:.*e}", digits.max(1) - 1).parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-4..1e15).contains(&rounded.abs()) {
        let text = format!("{rounded:e}");
        return match text.split_once('e') {
            Some((digits, power)) => Rounded::Power(digits.to_owned(), power.to_owned()),
            None => Rounded::Plain(text),
        };
    }
    Rounded::Plain(rounded.to_string())
}

/// Both sides of a comparison with 0: the positive terms on the left, the negated negative ones on the right.
pub(super) fn sides(number: &Linear) -> (Linear, Linear) {
    let (mut left, mut right) = (Linear::constant(0.0), Linear::constant(0.0));
    for (atom, times) in &number.terms {
        let (side, times) = if *times > 0.0 { (&mut left, *times) } else { (&mut right, -times) };
        side.terms.push((atom.clone(), times));
    }
    // The constant goes where nothing else is, or to the side where it is positive.
    if left.terms.is_empty() || (number.constant > 0.0 && !right.terms.is_empty()) {
        left.constant = number.constant;
    } else {
        right.constant = -number.constant;
    }
    (left, right)
}

/// A name with LaTeX's special characters escaped.
fn escaped(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_string() } else { format!("\\{c}") }).collect()
}
