//! Which players meet in a stage of shape `match`: pairs by their index, by arithmetic where they follow a rule
//! (docs/run-directory.md). Memory follows the number of players, unless the stage lists its pairs.

use record::{
    columns::PLAYERS,
    facts::{Pairs, Rule},
};

use crate::{Error, data::Exported};

/// The pairs of a stage, by the names of the players.
#[derive(Clone, Debug)]
pub(crate) enum Pairing {
    /// As the stage lists them.
    Listed(Vec<[String; 2]>),
    /// Everyone against everyone after them: (0, 1), (0, 2), …, (1, 2), ….
    RoundRobin(Vec<String>),
    /// Each champion against each of the others, the champion first in the pair.
    Gauntlet { champions: Vec<String>, against: Vec<String> },
}

impl Pairing {
    /// The pairs of a stage.
    ///
    /// # Errors
    /// The stage does not list its players.
    pub(crate) fn read(stage: &Exported, pairs: &Pairs) -> Result<Self, Error> {
        match pairs {
            Pairs::Listed { pairs } => Ok(Pairing::Listed(pairs.clone())),
            Pairs::Rule { pairing: Rule::RoundRobin } => {
                let players = stage.spec.labels.get(PLAYERS);
                let players = players.ok_or_else(|| stage.contract("it has no list of its `players`"))?;
                Ok(Pairing::RoundRobin(players.clone()))
            }
            Pairs::Rule { pairing: Rule::Gauntlet { champions, against } } => {
                Ok(Pairing::Gauntlet { champions: champions.clone(), against: against.clone() })
            }
        }
    }

    /// Number of pairs.
    pub(crate) fn count(&self) -> usize {
        match self {
            Pairing::Listed(pairs) => pairs.len(),
            Pairing::RoundRobin(players) => players.len() * players.len().saturating_sub(1) / 2,
            Pairing::Gauntlet { champions, against } => champions.len() * against.len(),
        }
    }

    /// Names of the pair of `index`, if there is such a pair.
    pub(crate) fn pair(&self, index: usize) -> Option<[&str; 2]> {
        if index >= self.count() {
            return None;
        }
        Some(match self {
            Pairing::Listed(pairs) => pairs[index].each_ref().map(String::as_str),
            Pairing::RoundRobin(players) => {
                // Counted from the end, the rows of the triangle have 1, 2, 3, … pairs.
                let from_end = self.count() - 1 - index;
                let row = ((8 * from_end + 1).isqrt() - 1) / 2;
                let column = from_end - row * (row + 1) / 2;
                [players.len() - 2 - row, players.len() - 1 - column].map(|player| players[player].as_str())
            }
            Pairing::Gauntlet { champions, against } => {
                [champions[index / against.len()].as_str(), against[index % against.len()].as_str()]
            }
        })
    }

    /// All pairs, in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = [&str; 2]> {
        (0..self.count()).map(|index| self.pair(index).expect("an index below the count"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|player| format!("p{player}")).collect()
    }

    #[test]
    fn rules_count_through_all_pairs_in_order() {
        for players in 0..40 {
            let pairing = Pairing::RoundRobin(names(players));
            let expected: Vec<_> = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b])).collect();
            let expected: Vec<_> = expected.into_iter().map(|pair| pair.map(|player| format!("p{player}"))).collect();
            assert_eq!(pairing.iter().collect::<Vec<_>>(), expected);
            assert_eq!(pairing.pair(expected.len()), None);
        }
        let pairing = Pairing::Gauntlet { champions: names(2), against: vec!["x".into(), "y".into()] };
        assert_eq!(pairing.iter().collect::<Vec<_>>(), [["p0", "x"], ["p0", "y"], ["p1", "x"], ["p1", "y"]]);
        assert_eq!(pairing.pair(4), None);
    }
}
