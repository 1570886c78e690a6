//! The text form of a spec.

use std::fmt;

use super::{Fault, Value};

/// A spec as given, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Name of the entry.
    pub name: String,
    /// Parameters in the order given.
    pub params: Vec<(String, Value)>,
}

impl Given {
    /// What is given for a parameter.
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.params.iter().find(|(found, _)| found == key).map(|(_, value)| value)
    }

    /// Whether this spec has the name and the parameters of `wanted`, among others. Numbers are compared as numbers.
    pub fn covers(&self, wanted: &Given) -> bool {
        let same = |one: &str, other: &str| match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => one == other,
            _ => one == other,
        };
        let has = |(key, value): &(String, Value)| {
            self.get(key).is_some_and(|found| same(&found.to_string(), &value.to_string()))
        };
        self.name == wanted.name && wanted.params.iter().all(has)
    }
}

impl fmt::Display for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (at, (key, value)) in self.params.iter().enumerate() {
            write!(f, "{}{key}={value}", if at == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// Reads `name` or `name:key=value,key=value`. Values are words until a parameter says what they are. Inside
/// parentheses a value may have commas and equals signs of its own: `expression=min(x,1)`.
///
/// # Errors
/// The text has another form.
pub fn parse(text: &str) -> Result<Given, Fault> {
    let form = || Fault::Form { text: text.to_owned() };
    let (name, params) = text.split_once(':').map_or((text, None), |(name, params)| (name, Some(params)));
    if !is_word(name) {
        return Err(form());
    }
    let mut given = Given { name: name.to_owned(), params: Vec::new() };
    for param in params.map(split).unwrap_or_default() {
        let (key, value) = param.split_once('=').ok_or_else(form)?;
        if !is_word(key) || !is_value(value) {
            return Err(form());
        }
        given.params.push((key.to_owned(), Value::Text(value.to_owned())));
    }
    Ok(given)
}

/// Whether a text can follow an equals sign and is read back unchanged.
pub(super) fn is_value(text: &str) -> bool {
    let one_line = !text.trim().is_empty() && !text.chars().any(char::is_control);
    let no_key = || text.bytes().zip(insides(text)).all(|(c, inside)| c != b'=' || inside != Inside::None);
    one_line && split(text).len() == 1 && no_key()
}

pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(is_word_character)
}

pub(super) fn is_word_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.+".contains(c)
}

/// Splits parameters at commas.
///
/// Balanced parentheses protect commas. After a parenthesis that is never closed a comma splits only before `key=`, so
/// that the other parameters keep their values and the unclosed one is reported by its own check.
fn split(params: &str) -> Vec<&str> {
    let inside = insides(params);
    let parts = |&(at, c): &(usize, char)| {
        let rest = || params[at + 1..].split_once('=').is_some_and(|(key, _)| is_word(key));
        c == ',' && (inside[at] == Inside::None || inside[at] == Inside::Open && rest())
    };
    let mut start = 0;
    let mut found = Vec::new();
    for (at, _) in params.char_indices().filter(parts) {
        found.push(&params[start..at]);
        start = at + 1;
    }
    found.push(&params[start..]);
    found
}

/// What encloses a byte of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// No parentheses.
    None,
    /// A parenthesis that is never closed, and no balanced pair.
    Open,
    /// A pair of parentheses.
    Closed,
}

/// For each byte of `text`.
fn insides(text: &str) -> Vec<Inside> {
    // Places of open parentheses; at the end of the text, of those that are never closed.
    let mut open = Vec::new();
    for (at, c) in text.bytes().enumerate() {
        match c {
            b'(' => open.push(at),
            b')' => drop(open.pop()),
            _ => {}
        }
    }
    let (mut pairs, mut unclosed) = (0u32, false);
    let inside = |(at, c): (usize, u8)| {
        match c {
            b'(' if open.binary_search(&at).is_ok() => unclosed = true,
            b'(' => pairs += 1,
            b')' => pairs = pairs.saturating_sub(1),
            _ => {}
        }
        match (pairs, unclosed) {
            (0, false) => Inside::None,
            (0, true) => Inside::Open,
            _ => Inside::Closed,
        }
    };
    text.bytes().enumerate().map(inside).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values of `a`, `b` and so on in a line.
    #[track_caller]
    fn values(line: &str, wanted: &[&str]) {
        let given = parse(&format!("name:{line}")).expect("a spec");
        let wanted: Vec<(String, Value)> =
            ('a'..).zip(wanted).map(|(key, value)| (key.to_string(), Value::Text((*value).to_owned()))).collect();
        assert_eq!(given.params, wanted, "{line}");
    }

    #[test]
    fn parentheses_keep_commas_and_equals_signs() {
        values("a=1,b=2", &["1", "2"]);
        values("a=(1,b=2),b=(3)", &["(1,b=2)", "(3)"]);
        values("a=f(g(1,2),3)+h(4,5),b=x y", &["f(g(1,2),3)+h(4,5)", "x y"]);
        values("a=(1),b=2)", &["(1)", "2)"]);
        // One that is never closed ends where a key follows.
        values("a=f(1,2,b=3", &["f(1,2", "3"]);
        values("a=f(1,g(2,3),b=4", &["f(1,g(2,3)", "4"]);
        values("a=f(1,b=g(2,3),c=4", &["f(1", "g(2,3)", "4"]);
        values(
            "a=(0 minimax:depth=3,win=1000) (12 mcts:c=1),b=2",
            &["(0 minimax:depth=3,win=1000) (12 mcts:c=1)", "2"],
        );
    }

    #[test]
    fn a_spec_covers_what_it_has() {
        let covers = |spec, wanted| parse(spec).expect("a spec").covers(&parse(wanted).expect("a spec"));
        assert!(covers("mcts:c=0.7,playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts:playouts=1000", "mcts:playouts=100"));
        assert!(!covers("uct:playouts=100", "mcts:playouts=100"));
        assert!(covers("mcts:c=1.0,playouts=5000", "mcts:c=1,playouts=5000"));
        assert!(!covers("mcts", "mcts:playouts=100"));
        assert!(!covers("fop:function=f12", "fop:function=f1"));
    }
}
