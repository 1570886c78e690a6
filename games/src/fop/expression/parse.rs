//! The parser of formulas: recursive descent, a function for each level of precedence, which emits steps.

use std::ops::Range;

use spec::nearest;

use super::{Comparison, Error, FUNCTIONS, LENGTH_MAX, NESTING_MAX, STACK_MAX, Step};

/// What may begin a term, for messages.
const VALUE: &str = "a number, `x`, a function or `(`";
/// What may follow a value, for messages; what ends it depends on where it stands.
const OPERATOR: &str = "an operator or the end";

const MIN: &str = "min";
const MAX: &str = "max";
const IF: &str = "if";
const CONSTANTS: [(&str, f64); 2] = [("pi", std::f64::consts::PI), ("e", std::f64::consts::E)];

/// The steps of the formula `text`.
pub(super) fn steps(text: &str) -> Result<Vec<Step>, Error> {
    let length = text.chars().count();
    if length > LENGTH_MAX {
        return Err(Error::TooLong { length });
    }
    let mut reader = Reader { chars: text.chars().collect(), at: 0, nesting: 0, height: 0, steps: Vec::new() };
    reader.sum()?;
    match reader.peek() {
        None => Ok(reader.steps),
        Some(_) => Err(reader.unexpected(OPERATOR)),
    }
}

struct Reader {
    chars: Vec<char>,
    /// Characters read.
    at: usize,
    /// Open levels.
    nesting: usize,
    /// Height of the stack after the steps so far.
    height: usize,
    steps: Vec<Step>,
}

impl Reader {
    /// The next character that is not a blank.
    fn peek(&mut self) -> Option<char> {
        while self.chars.get(self.at).is_some_and(|c| c.is_whitespace()) {
            self.at += 1;
        }
        self.chars.get(self.at).copied()
    }

    /// Reads `wanted` if it is next.
    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char, what: &'static str) -> Result<(), Error> {
        if self.take(wanted) { Ok(()) } else { Err(self.unexpected(what)) }
    }

    fn unexpected(&mut self, wanted: &'static str) -> Error {
        let next = self.peek();
        let found = next.map_or_else(|| "the end".to_owned(), |c| format!("`{}`", c.escape_debug()));
        let doubled = next == Some('*') && self.at > 0 && self.chars[self.at - 1] == '*';
        let hint = if doubled { "; a power is written `x^2`".to_owned() } else { String::new() };
        Error::Unexpected { at: self.at + 1, found, wanted, hint }
    }

    fn push(&mut self, step: Step) -> Result<(), Error> {
        self.height = self.height + 1 - step.takes();
        if self.height > STACK_MAX {
            return Err(Error::TooDeep { at: self.at });
        }
        self.steps.push(step);
        Ok(())
    }

    /// Reads one level deeper.
    fn inside(&mut self, read: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<(), Error> {
        if self.nesting == NESTING_MAX {
            return Err(Error::TooDeep { at: self.at });
        }
        self.nesting += 1;
        read(self)?;
        self.nesting -= 1;
        Ok(())
    }

    /// `a + b - c`
    fn sum(&mut self) -> Result<(), Error> {
        self.product()?;
        loop {
            let step = match self.peek() {
                Some('+') => Step::Add,
                Some('-') => Step::Subtract,
                _ => return Ok(()),
            };
            self.at += 1;
            self.product()?;
            self.push(step)?;
        }
    }

    /// `a * b / c`
    fn product(&mut self) -> Result<(), Error> {
        self.signed()?;
        loop {
            let step = match self.peek() {
                Some('*') => Step::Multiply,
                Some('/') => Step::Divide,
                _ => return Ok(()),
            };
            self.at += 1;
            self.signed()?;
            self.push(step)?;
        }
    }

    /// `-a`, or a power.
    fn signed(&mut self) -> Result<(), Error> {
        if self.take('-') {
            self.inside(Self::signed)?;
            return self.push(Step::Negate);
        }
        self.power()
    }

    /// `a ^ b`, which is right-associative.
    fn power(&mut self) -> Result<(), Error> {
        self.value()?;
        if self.take('^') {
            self.inside(Self::signed)?;
            self.push(Step::Power)?;
        }
        Ok(())
    }

    fn value(&mut self) -> Result<(), Error> {
        match self.peek() {
            Some('(') => {
                self.at += 1;
                self.inside(Self::sum)?;
                self.expect(')', "an operator or `)`")
            }
            Some(c) if c.is_ascii_digit() || c == '.' => self.number(),
            Some(c) if c.is_ascii_alphabetic() => self.name(),
            _ => Err(self.unexpected(VALUE)),
        }
    }

    /// Digits, with a point or an exponent: `12`, `.5`, `1e-3`.
    fn number(&mut self) -> Result<(), Error> {
        let start = self.at;
        self.digits();
        if self.chars.get(self.at) == Some(&'.') {
            self.at += 1;
            self.digits();
        }
        // `2e` is 2 and the constant e: an exponent needs digits.
        let sign = usize::from(matches!(self.chars.get(self.at + 1), Some('+' | '-')));
        if matches!(self.chars.get(self.at), Some('e' | 'E'))
            && self.chars.get(self.at + 1 + sign).is_some_and(char::is_ascii_digit)
        {
            self.at += 1 + sign;
            self.digits();
        }
        let digits = self.text(start..self.at);
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() => self.push(Step::Number(number)),
            _ => Err(Error::BadNumber { at: start + 1, digits }),
        }
    }

    fn digits(&mut self) {
        while self.chars.get(self.at).is_some_and(char::is_ascii_digit) {
            self.at += 1;
        }
    }

    fn text(&self, range: Range<usize>) -> String {
        self.chars[range].iter().collect()
    }

    fn name(&mut self) -> Result<(), Error> {
        let start = self.at;
        while self.chars.get(self.at).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_') {
            self.at += 1;
        }
        let name = self.text(start..self.at);
        if name == "x" {
            return self.push(Step::X);
        }
        if let Some((_, number)) = CONSTANTS.iter().find(|(constant, _)| *constant == name) {
            return self.push(Step::Number(*number));
        }
        let unary = FUNCTIONS.iter().position(|(function, _)| *function == name);
        if unary.is_none() && ![MIN, MAX, IF].contains(&name.as_str()) {
            return Err(Error::UnknownName { at: start + 1, hint: hint(&name), name });
        }
        self.expect('(', "the function's `(`")?;
        match (unary, name.as_str()) {
            (Some(index), _) => {
                self.inside(Self::sum)?;
                self.push(Step::Function(index as u8))?;
            }
            (None, IF) => self.conditional()?,
            (None, _) => {
                self.inside(Self::sum)?;
                self.expect(',', "an operator or `,` and a second argument")?;
                self.inside(Self::sum)?;
                self.push(if name == MIN { Step::Min } else { Step::Max })?;
            }
        }
        self.expect(')', "an operator or the function's `)`")
    }

    /// `a < b, then, else` of `if(…)`.
    fn conditional(&mut self) -> Result<(), Error> {
        self.inside(Self::sum)?;
        let comparison = match (self.take('<'), self.take('>')) {
            (true, false) if self.chars.get(self.at) == Some(&'=') => Comparison::LessEqual,
            (true, false) => Comparison::Less,
            (false, true) if self.chars.get(self.at) == Some(&'=') => Comparison::GreaterEqual,
            (false, true) => Comparison::Greater,
            _ => return Err(self.unexpected("an operator or `<`, `<=`, `>`, `>=`")),
        };
        self.at += usize::from(matches!(comparison, Comparison::LessEqual | Comparison::GreaterEqual));
        self.inside(Self::sum)?;
        self.expect(',', "an operator or `,` and the value where that holds")?;
        self.inside(Self::sum)?;
        self.expect(',', "an operator or `,` and the value elsewhere")?;
        self.inside(Self::sum)?;
        self.push(Step::If(comparison))
    }
}

/// What may have been meant by `name`.
fn hint(name: &str) -> String {
    let mut known: Vec<&str> = FUNCTIONS.iter().map(|(name, _)| *name).chain([MIN, MAX, IF]).collect();
    known.sort_unstable();
    match nearest(name, known.iter().copied()) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => format!("functions are {}; names are x, pi, e", known.join(", ")),
    }
}
