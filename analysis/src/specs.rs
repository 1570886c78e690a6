//! Specs of players and games as texts: `kind:key=value,key=value`.

use std::collections::BTreeMap;

/// A spec in its parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spec<'a> {
    pub(crate) kind: &'a str,
    /// Values by parameter.
    pub(crate) parameters: BTreeMap<&'a str, &'a str>,
}

impl<'a> Spec<'a> {
    /// The parts of `text`. Commas in brackets part nothing: a value may be a player with parameters of its own.
    pub(crate) fn of(text: &'a str) -> Self {
        let (kind, parameters) = text.split_once(':').unwrap_or((text, ""));
        let mut depth = 0;
        let is_between = |letter: char| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            depth == 0 && letter == ','
        };
        let pair = |part: &'a str| part.split_once('=').map(|(key, value)| (key.trim(), value.trim()));
        Spec { kind: kind.trim(), parameters: parameters.split(is_between).filter_map(pair).collect() }
    }

    /// Whether it is of the kind and has the parameters of `wanted`, among others.
    pub(crate) fn covers(&self, wanted: &Spec<'_>) -> bool {
        // A number is the same however it is written.
        let same = |one: &str, other: &str| match (one.parse::<f64>(), other.parse::<f64>()) {
            (Ok(one), Ok(other)) => one == other,
            _ => one == other,
        };
        let has = |(key, value): (&&str, &&str)| self.parameters.get(key).is_some_and(|found| same(found, value));
        self.kind == wanted.kind && wanted.parameters.iter().all(has)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_covers_what_it_has() {
        let covers = |spec, wanted| Spec::of(spec).covers(&Spec::of(wanted));
        assert!(covers("mcts:c=0.7,playouts=100", "mcts:playouts=100"));
        assert!(!covers("mcts:playouts=1000", "mcts:playouts=100"));
        assert!(!covers("uct:playouts=100", "mcts:playouts=100"));
        assert!(covers("mcts:c=1.0,playouts=5000", "mcts:c=1,playouts=5000"));
        assert!(!covers("mcts", "mcts:playouts=100"));
        assert!(!covers("fop:function=f12", "fop:function=f1"));
    }

    #[test]
    fn commas_in_brackets_part_nothing() {
        let spec = Spec::of("staged:stages=(0 minimax:depth=3,win=1000) (12 mcts:c=1),x=2");
        let wanted = [("stages", "(0 minimax:depth=3,win=1000) (12 mcts:c=1)"), ("x", "2")];
        assert_eq!(spec, Spec { kind: "staged", parameters: BTreeMap::from(wanted) });
    }
}
