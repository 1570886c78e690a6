//! Expressions as MathML Core, which browsers draw without help.

use super::{
    Atom, Condition, Linear,
    condition::Question,
    print::{Rounded, rounded, sides},
};

/// Writes elements.
pub(super) struct Writer<'a> {
    /// Names of the position's numbers, by index.
    pub(super) names: &'a [String],
    /// Significant digits.
    pub(super) digits: usize,
}

/// An operator.
fn operator(sign: &str) -> String {
    format!("<mo>{sign}</mo>")
}

/// A word in upright letters.
fn word(word: &str) -> String {
    format!("<mi mathvariant=\"normal\">{}</mi>", escaped(word))
}

fn row(parts: &str) -> String {
    format!("<mrow>{parts}</mrow>")
}

fn between(open: &str, inside: &str, close: &str) -> String {
    row(&format!("<mo fence=\"true\">{open}</mo>{inside}<mo fence=\"true\">{close}</mo>"))
}

impl Writer<'_> {
    fn real(&self, value: f64) -> String {
        match rounded(value, self.digits) {
            Rounded::Plain(text) => format!("<mn>{text}</mn>"),
            Rounded::Power(digits, power) => format!(
                "<mn>{digits}</mn><mo>⋅</mo><msup><mn>10</mn><mn>{}</mn></msup>",
                power.replace('-', "\u{2212}")
            ),
        }
    }

    /// A sum, as a row.
    pub(super) fn linear(&self, number: &Linear) -> String {
        let mut parts = String::new();
        let mut add = |negative: bool, part: &str| {
            match (parts.is_empty(), negative) {
                (_, true) => parts.push_str(&operator("\u{2212}")),
                (true, false) => {}
                (false, false) => parts.push_str(&operator("+")),
            }
            parts.push_str(part);
        };
        for (atom, times) in &number.terms {
            let (written, size) = (self.atom(atom), times.abs());
            let part = if size == 1.0 { written } else { format!("{}<mo>⋅</mo>{written}", self.real(size)) };
            add(*times < 0.0, &part);
        }
        if number.constant != 0.0 || number.terms.is_empty() {
            add(number.constant < 0.0, &self.real(number.constant.abs()));
        }
        row(&parts)
    }

    /// In brackets if it is a sum or negative.
    fn factor(&self, number: &Linear) -> String {
        let parts = number.terms.len() + usize::from(number.constant != 0.0);
        let negative = number.terms.first().map_or(number.constant, |(_, times)| *times) < 0.0;
        let written = self.linear(number);
        if parts > 1 || negative { between("(", &written, ")") } else { written }
    }

    fn atom(&self, atom: &Atom) -> String {
        match atom {
            Atom::Number(index) => word(self.names.get(usize::from(*index)).map_or("?", String::as_str)),
            Atom::Either(condition, then, otherwise) => {
                let line = |value: &Linear, when: &str| {
                    format!("<mtr><mtd>{}</mtd><mtd>{when}</mtd></mtr>", self.linear(value))
                };
                let when = row(&format!("<mtext>if\u{a0}</mtext>{}", self.condition(condition, false)));
                let lines = line(then, &when) + &line(otherwise, "<mtext>otherwise</mtext>");
                row(&format!("<mo fence=\"true\">{{</mo><mtable>{lines}</mtable>"))
            }
            Atom::Times(x, y) => row(&format!("{}<mo>⋅</mo>{}", self.factor(x), self.factor(y))),
            Atom::Divide(x, y) => format!("<mfrac>{}{}</mfrac>", self.linear(x), self.linear(y)),
            Atom::Sqrt(x) => format!("<msqrt>{}</msqrt>", between("|", &self.linear(x), "|")),
            Atom::Ln(x) => row(&format!("<mi>ln</mi>{}", between("(", &self.linear(x), ")"))),
            Atom::LnAbs(x) => row(&format!("<mi>ln</mi>{}", between("|", &self.linear(x), "|"))),
        }
    }

    /// In brackets if it has several parts and stands `inside` another one.
    fn condition(&self, condition: &Condition, inside: bool) -> String {
        let (parts, sign) = match condition {
            Condition::Is(question, truth) => return self.question(question, *truth),
            Condition::All(parts) => (parts, "∧"),
            Condition::Any(parts) => (parts, "∨"),
        };
        let written: Vec<String> = parts.iter().map(|part| self.condition(part, true)).collect();
        let joined = written.join(&operator(sign));
        if inside { between("(", &joined, ")") } else { row(&joined) }
    }

    fn question(&self, question: &Question, truth: bool) -> String {
        let square = |name: &str, row: u8, column: u8| {
            format!("{}{}", word(name), between("(", &format!("<mn>{row}</mn><mo>,</mo><mn>{column}</mn>"), ")"))
        };
        match question {
            Question::Friendly { row, column } => {
                format!("{}{}", if truth { "" } else { "<mo>¬</mo>" }, square("friendly", *row, *column))
            }
            Question::Occupied { row, column } => square(if truth { "occupied" } else { "empty" }, *row, *column),
            Question::NotAbove0(number) => {
                let (left, right) = sides(number);
                let sign = operator(if truth { "≤" } else { "&gt;" });
                row(&format!("{}{sign}{}", self.linear(&left), self.linear(&right)))
            }
        }
    }
}

/// A name as text between tags.
fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
