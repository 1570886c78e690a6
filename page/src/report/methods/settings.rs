//! The keys of a resolved experiment.

use toml::{Table, Value};

/// A resolved experiment; empty where the run's directory has none.
pub(super) struct Settings(pub(super) Table);

impl Settings {
    /// The value under a key with dots, as people write it: texts without quotes.
    pub(super) fn text(&self, key: &str) -> Option<String> {
        Some(match self.value(key)? {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        })
    }

    /// The whole number under a key with dots.
    pub(super) fn count(&self, key: &str) -> Option<u64> {
        self.value(key)?.as_integer().and_then(|value| u64::try_from(value).ok())
    }

    fn value(&self, key: &str) -> Option<&Value> {
        let (outer, last) = key.rsplit_once('.').unwrap_or(("", key));
        let mut table = &self.0;
        for name in outer.split('.').filter(|name| !name.is_empty()) {
            table = table.get(name)?.as_table()?;
        }
        table.get(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_joined_by_dots() {
        let settings = Settings("a = \"x\"\n[b]\nc = 3\nd = 0.5\n[b.e]\nf = true".parse().expect("TOML"));
        assert_eq!(settings.text("a").as_deref(), Some("x"));
        assert_eq!((settings.count("b.c"), settings.count("b.d")), (Some(3), None));
        assert_eq!(settings.text("b.e.f").as_deref(), Some("true"));
        assert_eq!((settings.text("b.g"), settings.text("c.d"), settings.count("a")), (None, None, None));
    }
}
