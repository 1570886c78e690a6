//! How fields of text are read: numbers, their decimal mark, and what counts as missing.

/// How a table is to be read, where its content does not say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// What separates fields of text; a comma if not given, or a tab where the file is called `.tsv`.
    pub separator: Option<u8>,
    /// The decimal mark of numbers that are written as text.
    pub decimal: Decimal,
    /// What happens to rows without a value.
    pub missing: Missing,
}

/// A decimal mark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// `1.5`
    #[default]
    Point,
    /// `1,5`
    Comma,
}

/// What happens to rows that lack a value in a column that is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Missing {
    /// They are an error that names the first of them.
    #[default]
    Refuse,
    /// They are left out and counted.
    Skip,
}

/// What stands for a missing value, beside the empty field, in any case of letters.
const WORDS: [&str; 10] = ["na", "n/a", "#n/a", "<na>", "nan", "+nan", "-nan", "null", "none", "."];
/// The same of names, as they are written: `none` and `None` may be names of groups, and so may `.`.
const NAMELESS: [&str; 9] = ["NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "Null"];

/// A field of the column of values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Number {
    Is(f64),
    Missing,
    /// Something else.
    Not,
}

impl Decimal {
    /// A number as this mark writes it.
    pub(super) fn parse(self, text: &str) -> Option<f64> {
        let text = text.trim();
        match self {
            Decimal::Point => text.parse().ok(),
            Decimal::Comma if text.contains('.') => None,
            Decimal::Comma => text.replace(',', ".").parse().ok(),
        }
    }
}

impl Reading {
    /// Whether rows without a value are left out.
    pub(super) fn skips(&self) -> bool {
        self.missing == Missing::Skip
    }

    /// A field of the column of values.
    pub(super) fn number(&self, text: &str) -> Number {
        match self.decimal.parse(text) {
            Some(number) if number.is_nan() => Number::Missing,
            Some(number) => Number::Is(number),
            None => {
                let text = text.trim().to_ascii_lowercase();
                match text.as_str() {
                    "true" => Number::Is(1.0),
                    "false" => Number::Is(0.0),
                    text if text.is_empty() || WORDS.contains(&text) => Number::Missing,
                    _ => Number::Not,
                }
            }
        }
    }

    /// Whether a field of a column of names has none. Only an empty one, unless rows without a value are skipped: `NA`
    /// may be a name.
    pub(super) fn is_nameless(&self, text: &str) -> bool {
        match self.missing {
            Missing::Refuse => text.is_empty(),
            Missing::Skip => {
                let text = text.trim();
                text.is_empty() || NAMELESS.contains(&text)
            }
        }
    }

    /// What to do about a field that is not a number.
    pub(super) fn advice(&self, text: &str) -> String {
        let text = text.trim();
        let number_with = |from: char, to: &str| text.replace(from, to).parse::<f64>().is_ok();
        let marks = |mark: char| text.matches(mark).count();
        if self.number(text) == Number::Missing {
            return MISSING.to_owned();
        }
        match self.decimal {
            Decimal::Point if marks(',') == 1 && marks('.') == 0 && number_with(',', ".") => {
                "if the comma is the decimal mark, give `--decimal ,`".to_owned()
            }
            Decimal::Comma if number_with(' ', "") => {
                "this number has a decimal point: leave out `--decimal ,`, or write all numbers with a comma".to_owned()
            }
            _ if [',', '.', ' ', '\'', '_', '\u{a0}', '\u{202f}'].into_iter().any(|mark| number_with(mark, "")) => {
                "write numbers without marks between thousands".to_owned()
            }
            _ if text.strip_suffix('%').is_some_and(|text| self.decimal.parse(text).is_some()) => {
                "write numbers without `%`".to_owned()
            }
            _ => "correct the field, or name a column of numbers with --value".to_owned(),
        }
    }
}

/// What to do about a missing value.
pub(super) const MISSING: &str = "fill it in, or leave out rows without a value with `--missing skip`";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_by_their_mark() {
        let (point, comma) = (Reading::default(), Reading { decimal: Decimal::Comma, ..Reading::default() });
        for (text, by_point, by_comma) in [
            ("1.5", Number::Is(1.5), Number::Not),
            ("1,5", Number::Not, Number::Is(1.5)),
            (" -2e3 ", Number::Is(-2e3), Number::Is(-2e3)),
            ("-1,25e-2", Number::Not, Number::Is(-0.0125)),
            ("1.000,5", Number::Not, Number::Not),
            ("True", Number::Is(1.0), Number::Is(1.0)),
            ("", Number::Missing, Number::Missing),
            ("NA", Number::Missing, Number::Missing),
            ("None", Number::Missing, Number::Missing),
            ("NaN", Number::Missing, Number::Missing),
            ("nothing", Number::Not, Number::Not),
        ] {
            assert_eq!((point.number(text), comma.number(text)), (by_point, by_comma), "{text}");
        }
    }

    #[test]
    fn names_that_look_missing_are_names_unless_rows_are_skipped() {
        let skip = Reading { missing: Missing::Skip, ..Reading::default() };
        for (text, by_default, skipped) in
            [("", true, true), ("NA", false, true), ("none", false, false), ("None", false, false), ("a", false, false)]
        {
            assert_eq!((Reading::default().is_nameless(text), skip.is_nameless(text)), (by_default, skipped), "{text}");
        }
    }

    #[test]
    fn advice_says_what_the_mark_is() {
        let (point, comma) = (Reading::default(), Reading { decimal: Decimal::Comma, ..Reading::default() });
        for (reading, text, says) in [
            (point, "1,5", "`--decimal ,`"),
            (point, "1.234.567", "thousands"),
            (point, "1 234", "thousands"),
            (point, "5%", "without `%`"),
            (point, "", "--missing skip"),
            (comma, "1.5", "leave out `--decimal ,`"),
            (point, "abc", "--value"),
        ] {
            assert!(reading.advice(text).contains(says), "{text}: {}", reading.advice(text));
        }
    }
}
