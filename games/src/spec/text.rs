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

/// Reads `name` or `name:key=value,key=value`. Values are words until a parameter says what they are.
///
/// # Errors
/// The text has another form.
pub fn parse(text: &str) -> Result<Given, Fault> {
    let form = || Fault::Form { text: text.to_owned() };
    let (name, params) = text.split_once(':').map_or((text, None), |(name, params)| (name, Some(params)));
    let word = |w: &str| !w.is_empty() && w.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c));
    if !word(name) {
        return Err(form());
    }
    let mut given = Given { name: name.to_owned(), params: Vec::new() };
    for param in params.into_iter().flat_map(|params| params.split(',')) {
        let (key, value) = param.split_once('=').ok_or_else(form)?;
        if !word(key) || !is_value(value) {
            return Err(form());
        }
        given.params.push((key.to_owned(), Value::Text(value.to_owned())));
    }
    Ok(given)
}

/// Whether a text can stand behind an equals sign.
pub(super) fn is_value(text: &str) -> bool {
    !text.trim().is_empty() && !text.chars().any(|c| c == ',' || c == '=' || c.is_control())
}
