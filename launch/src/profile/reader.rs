//! Reads a TOML text key by key, and collects all that is wrong with it.

use std::{cell::RefCell, fmt, ops::Range, time::Duration};

use toml::{
    Spanned,
    de::{DeFloat, DeInteger, DeTable, DeValue},
};

use super::values;

/// What is wrong with a key of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file's name.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The key with its tables, as in `slurm.walltime`; empty for the text as a whole.
    pub key: String,
    /// What was expected, or is wrong.
    pub why: String,
    /// What to write instead, if that is clear.
    pub hint: Option<String>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: ", self.file, self.line)?;
        if !self.key.is_empty() {
            write!(f, "`{}`: ", self.key)?;
        }
        f.write_str(&self.why)?;
        self.hint.iter().try_for_each(|hint| write!(f, "; {hint}"))
    }
}

/// A text and its faults so far.
pub(super) struct Source<'t> {
    pub(super) file: &'t str,
    pub(super) text: &'t str,
    faults: RefCell<Vec<Fault>>,
}

impl<'t> Source<'t> {
    pub(super) fn new(file: &'t str, text: &'t str) -> Self {
        Source { file, text, faults: RefCell::default() }
    }

    pub(super) fn fault(&self, at: Range<usize>, key: &str, why: impl Into<String>, hint: Option<String>) {
        let line =
            1 + self.text.as_bytes()[..at.start.min(self.text.len())].iter().filter(|byte| **byte == b'\n').count();
        self.faults.borrow_mut().push(Fault { file: self.file.into(), line, key: key.into(), why: why.into(), hint });
    }

    /// The faults, in the order of their lines.
    pub(super) fn faults(self) -> Vec<Fault> {
        let mut faults = self.faults.into_inner();
        faults.sort_by_key(|fault| fault.line);
        faults
    }
}

/// A table of a text. Keys that are not asked for are faults.
pub(super) struct Table<'s, 'd> {
    source: &'s Source<'s>,
    name: String,
    table: Option<&'d DeTable<'d>>,
    asked: RefCell<Vec<&'static str>>,
}

impl<'s, 'd> Table<'s, 'd> {
    /// The whole text.
    pub(super) fn root(source: &'s Source<'s>, table: &'d DeTable<'d>) -> Self {
        Table { source, name: String::new(), table: Some(table), asked: RefCell::default() }
    }

    pub(super) fn get(&self, key: &'static str) -> Option<&'d Spanned<DeValue<'d>>> {
        self.asked.borrow_mut().push(key);
        self.table?.iter().find(|(name, _)| name.get_ref() == key).map(|(_, value)| value)
    }

    /// Whether the text has this table.
    pub(super) fn is_there(&self) -> bool {
        self.table.is_some()
    }

    /// A table below this one, empty if it is not there.
    pub(super) fn table(&self, key: &'static str) -> Table<'s, 'd> {
        let table = self.read(key, "a table", |value| value.as_table());
        Table { source: self.source, name: self.path(key), table, asked: RefCell::default() }
    }

    pub(super) fn text(&self, key: &'static str) -> Option<String> {
        self.read(key, "a text in one line", |value| one_line(value))
    }

    pub(super) fn texts(&self, key: &'static str) -> Vec<String> {
        let texts = |value: &DeValue| value.as_array()?.iter().map(|item| one_line(item.get_ref())).collect();
        self.read(key, "a list of texts in one line each", texts).unwrap_or_default()
    }

    pub(super) fn flag(&self, key: &'static str) -> Option<bool> {
        self.read(key, "true or false", DeValue::as_bool)
    }

    /// A whole number from `least` on.
    pub(super) fn whole(&self, key: &'static str, least: u32) -> Option<u32> {
        let whole = |value: &DeValue| {
            let integer = value.as_integer()?;
            u32::from_str_radix(&integer.as_str().replace('_', ""), integer.radix()).ok().filter(|n| *n >= least)
        };
        self.read(key, &format!("a whole number from {least} on"), whole)
    }

    /// A number above 0.
    pub(super) fn amount(&self, key: &'static str) -> Option<f64> {
        let amount = |value: &DeValue| {
            let digits = value.as_integer().map(DeInteger::as_str).or_else(|| value.as_float().map(DeFloat::as_str))?;
            digits.replace('_', "").parse().ok().filter(|amount: &f64| *amount > 0.0 && amount.is_finite())
        };
        self.read(key, "a number above 0", amount)
    }

    pub(super) fn duration(&self, key: &'static str) -> Option<Duration> {
        let expected = "a time with its unit, such as \"90s\", \"15m\", \"8h\" or \"3d\"";
        self.read(key, expected, |value| values::duration(value.as_str()?))
    }

    pub(super) fn memory_mb(&self, key: &'static str) -> Option<u64> {
        self.read(key, "memory with its unit, such as \"512M\" or \"100G\"", |value| values::memory_mb(value.as_str()?))
    }

    pub(super) fn ports(&self, key: &'static str) -> Option<(u16, u16)> {
        self.read(key, "ports such as \"7800-7899\"", |value| values::ports(value.as_str()?))
    }

    /// The value of `key` as `reads` takes it; a fault says what was `expected`.
    pub(super) fn read<T>(
        &self,
        key: &'static str,
        expected: &str,
        reads: impl FnOnce(&'d DeValue<'d>) -> Option<T>,
    ) -> Option<T> {
        let value = self.get(key)?;
        let read = reads(value.get_ref());
        if read.is_none() {
            let found = &self.source.text[value.span()];
            self.fault(key, format!("expected {expected}, found {}", found.lines().next().unwrap_or_default()), None);
        }
        read
    }

    /// Says that the value of `key` is wrong.
    pub(super) fn fault(&self, key: &'static str, why: impl Into<String>, hint: Option<String>) {
        let value = self.table.and_then(|table| table.iter().find(|(name, _)| name.get_ref() == key));
        let at = value.map_or(0..0, |(name, _)| name.span());
        self.source.fault(at, &self.path(key), why, hint);
    }

    /// Says which keys were not asked for.
    pub(super) fn done(self) {
        let known = self.asked.borrow();
        for (name, _) in self.table.into_iter().flat_map(|table| table.iter()) {
            if !known.contains(&name.get_ref().as_ref()) {
                let place = if self.name.is_empty() { "here".into() } else { format!("in `[{}]`", self.name) };
                let hint = Some(nearest(name.get_ref(), &known));
                self.source.fault(
                    name.span(),
                    &self.path(name.get_ref()),
                    format!("this key is not known {place}"),
                    hint,
                );
            }
        }
    }

    fn path(&self, key: &str) -> String {
        if self.name.is_empty() { key.into() } else { format!("{}.{key}", self.name) }
    }
}

/// A text that can stand in a line of a script.
fn one_line(value: &DeValue) -> Option<String> {
    value.as_str().filter(|text| !text.contains(['\n', '\r', '\0'])).map(String::from)
}

/// The known key that may be meant, or else all of them.
pub(super) fn nearest(name: &str, known: &[&str]) -> String {
    let distances = known.iter().map(|known| (strsim::damerau_levenshtein(name, known), known));
    match distances.min_by_key(|(distance, _)| *distance) {
        Some((distance, known)) if distance <= name.chars().count().max(3) / 3 => format!("did you mean `{known}`?"),
        _ => format!("one of `{}`", known.join("`, `")),
    }
}
