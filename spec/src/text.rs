//! The text form of a spec.

use super::{Fault, Value};

/// A spec as given, unchecked.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Name of the entry.
    pub name: String,
    /// Parameters in the order given.
    pub params: Vec<(String, Value)>,
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

/// Whether a text can stand behind an equals sign and is read back as it is.
pub(super) fn is_value(text: &str) -> bool {
    let one_line = !text.trim().is_empty() && !text.chars().any(char::is_control);
    let no_key = || text.bytes().zip(insides(text)).all(|(c, inside)| c != b'=' || inside != Inside::None);
    one_line && split(text).len() == 1 && no_key()
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c))
}

/// Parameters between the commas that part them.
///
/// A comma inside parentheses does not. Where a parenthesis is never closed, one does if a key follows: whoever reads
/// the value can then say what is wrong with it, and the other parameters are what they were.
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

/// What a byte of a text stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// No parentheses.
    None,
    /// A parenthesis that is never closed, and no pair.
    Open,
    /// A pair of parentheses.
    Closed,
}

/// For each byte of `text`.
fn insides(text: &str) -> Vec<Inside> {
    // Places of the parentheses that wait for their end; at the end of the text, of those that have none.
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
