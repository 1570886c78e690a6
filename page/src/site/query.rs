//! What stands behind the `?` of an address, and in the body of a form.

use std::str::FromStr;

/// Names and values, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Query(Vec<(String, String)>);

impl Query {
    /// Of a text like `a=1&b=x+y`. Bytes that are no text become the sign for that.
    pub(crate) fn parse(text: &str) -> Self {
        let pairs = text.split('&').filter(|pair| !pair.is_empty());
        Query(
            pairs
                .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
                .map(|(n, v)| (decoded(n), decoded(v)))
                .collect(),
        )
    }

    /// The last value of that name, if it is not empty.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Every value of that name.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of that name as a number.
    ///
    /// # Errors
    /// It is something else.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Result<Option<T>, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("`{name}` must be a whole number"));
        self.get(name).map(|text| number(text.trim())).transpose()
    }
}

fn decoded(text: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.as_bytes());
    while let Some((&first, behind)) = rest.split_first() {
        let hex = |at: usize| behind.get(at).and_then(|&byte| char::from(byte).to_digit(16));
        match (first, hex(0), hex(1)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                rest = &behind[2..];
                continue;
            }
            (b'+', ..) => bytes.push(b' '),
            _ => bytes.push(first),
        }
        rest = behind;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_read_as_forms_write_it() {
        let query = Query::parse("a=1&run=x%2Fy&run=z+%C3%A9&empty=&flag&bad=%zz%");
        assert_eq!(query.number::<u64>("a"), Ok(Some(1)));
        assert_eq!(query.all("run").collect::<Vec<_>>(), ["x/y", "z é"]);
        assert_eq!(query.get("empty"), None);
        assert_eq!(query.get("flag"), None);
        assert_eq!(query.get("bad"), Some("%zz%"));
        assert!(query.number::<u64>("run").is_err());
        assert_eq!(query.number::<u64>("none"), Ok(None));
        assert_eq!(Query::parse("a=%ff").get("a"), Some("\u{fffd}"));
    }
}
