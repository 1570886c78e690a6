//! Names of older versions, which files, run directories and artifacts still have.
//!
//! They are read as what they are called now. Only artifacts are still written with them: their hashes are part of a
//! run's digest, which must not change.

use std::borrow::Cow;

use super::{
    Given, Value, parse,
    text::{is_word, is_word_character},
};

/// A name that has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed {
    place: Place,
    /// The name that older versions know.
    pub old: &'static str,
    /// The name since then.
    pub now: &'static str,
}

/// Where a name stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It names a game or player.
    Entry,
    /// It is a value of a key: of a game, a player or a table of an experiment, and the key.
    Value(&'static str, &'static str),
}

/// Every name that has changed.
const RENAMED: &[Renamed] = &[
    Renamed { place: Place::Entry, old: "alphabeta", now: "alpha-beta" },
    Renamed { place: Place::Entry, old: "report-mcts", now: "checkers-mcts" },
    Renamed { place: Place::Value("checkers", "rules"), old: "report", now: "project" },
    Renamed { place: Place::Value("tuning", "mutation"), old: "report", now: "single-gene" },
];

/// The change that `value` went through, if it is the old name of a value of `key`. `owner` is the game or player that
/// has the key, or the table of an experiment.
pub fn renamed_value(owner: &str, key: &str, value: &str) -> Option<&'static Renamed> {
    Renaming::TO_NOW.value(owner, key, value)
}

/// A spec's text with the names of now. Text that is not a spec is left as it is.
pub fn with_new_names(text: &str) -> Cow<'_, str> {
    Renaming::TO_NOW.text(text)
}

/// A spec's text with the names of version 0.1.0, as artifacts have it. Text that is not a spec is left as it is.
pub fn with_old_names(text: &str) -> Cow<'_, str> {
    Renaming::TO_OLD.text(text)
}

impl Given {
    /// Replaces old names with those of now; gives the changes that were made.
    pub fn rename(&mut self) -> Vec<&'static Renamed> {
        Renaming::TO_NOW.given(self)
    }
}

/// One direction: from old names to those of now, or back.
struct Renaming {
    from: fn(&Renamed) -> &'static str,
    to: fn(&Renamed) -> &'static str,
}

impl Renaming {
    const TO_NOW: Renaming = Renaming { from: |renamed| renamed.old, to: |renamed| renamed.now };
    const TO_OLD: Renaming = Renaming { from: |renamed| renamed.now, to: |renamed| renamed.old };

    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let Ok(mut given) = parse(text) else { return Cow::Borrowed(text) };
        if self.given(&mut given).is_empty() { Cow::Borrowed(text) } else { Cow::Owned(given.to_string()) }
    }

    fn given(&self, given: &mut Given) -> Vec<&'static Renamed> {
        let mut done = Vec::new();
        let entry = self.entry(&given.name);
        // Keys belong to the name of now.
        let owner = entry.map_or(given.name.clone(), |renamed| renamed.now.to_owned());
        for (key, value) in &mut given.params {
            let Value::Text(text) = value else { continue };
            if let Some(renamed) = self.value(&owner, key, text) {
                *text = (self.to)(renamed).to_owned();
                done.push(renamed);
            } else if let Some((nested, renamed)) = self.nested(text) {
                *text = nested;
                done.extend(renamed);
            }
        }
        if let Some(renamed) = entry {
            given.name = (self.to)(renamed).to_owned();
            done.push(renamed);
        }
        done
    }

    fn entry(&self, name: &str) -> Option<&'static Renamed> {
        RENAMED.iter().find(|renamed| renamed.place == Place::Entry && (self.from)(renamed) == name)
    }

    fn value(&self, owner: &str, key: &str, value: &str) -> Option<&'static Renamed> {
        let is_here = |renamed: &Renamed| matches!(renamed.place, Place::Value(o, k) if o == owner && k == key);
        RENAMED.iter().find(|renamed| is_here(renamed) && (self.from)(renamed) == value)
    }

    /// A value whose parentheses hold players of their own, renamed; `None` if none has such a name.
    fn nested(&self, value: &str) -> Option<(String, Vec<&'static Renamed>)> {
        let (mut text, mut done) = (String::new(), Vec::new());
        let mut depth = 0;
        let mut rest = value;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| !is_word_character(c)).unwrap_or(rest.len()).max(first.len_utf8());
            let (part, after) = rest.split_at(end);
            depth += i32::from(part == "(") - i32::from(part == ")");
            match self.entry(part).filter(|_| depth > 0 && is_word(part)) {
                Some(renamed) => {
                    text.push_str((self.to)(renamed));
                    done.push(renamed);
                }
                None => text.push_str(part),
            }
            rest = after;
        }
        (!done.is_empty()).then_some((text, done))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIRS: [(&str, &str); 5] = [
        ("alphabeta:depth=4", "alpha-beta:depth=4"),
        ("report-mcts", "checkers-mcts"),
        ("checkers:rules=report,plies-max=40", "checkers:rules=project,plies-max=40"),
        (
            "staged:stages=(0 alphabeta) (12 report-mcts:playouts=500,p=2) (30 mcts:c=1)",
            "staged:stages=(0 alpha-beta) (12 checkers-mcts:playouts=500,p=2) (30 mcts:c=1)",
        ),
        ("mcts:c=0.70,playouts=100", "mcts:c=0.70,playouts=100"),
    ];

    #[test]
    fn old_names_are_read_and_written() {
        for (old, now) in PAIRS {
            assert_eq!(with_new_names(old), now);
            assert_eq!(with_new_names(now), now);
            assert_eq!(with_old_names(now), old);
        }
    }

    #[test]
    fn only_names_are_renamed() {
        // A parameter, a path, a value of another key, a longer word, and text that is not a spec.
        for text in [
            "mcts:alphabeta=1",
            "evomcts:champion=alphabeta",
            "reversi:rules=report",
            "staged:stages=(0 alphabeta-2)",
            "a title: report-mcts",
        ] {
            assert_eq!(with_new_names(text), text);
        }
        assert_eq!(renamed_value("tuning", "mutation", "report").map(|renamed| renamed.now), Some("single-gene"));
        assert_eq!(renamed_value("tuning", "crossover", "report"), None);
    }

    #[test]
    fn changes_are_told() {
        let mut given = parse("staged:stages=(0 alphabeta) (3 alphabeta:depth=2)").expect("a spec");
        assert_eq!(given.rename().iter().map(|renamed| renamed.old).collect::<Vec<_>>(), ["alphabeta", "alphabeta"]);
        assert_eq!(given.rename(), Vec::<&Renamed>::new());
    }
}
