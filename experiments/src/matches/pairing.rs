//! Which players meet: pairs by their index, by arithmetic where they follow a rule.

use record::facts::{Pairs, Rule};

/// The pairs of a grid. Players are their index in the experiment's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pairing {
    /// As the file lists them.
    Listed(Vec<[u32; 2]>),
    /// Everyone against everyone after them in the list: (0, 1), (0, 2), …, (1, 2), ….
    RoundRobin {
        /// Number of players, at least 2.
        players: u32,
    },
    /// Each champion against each of the others, the champion first in the pair.
    Gauntlet {
        /// Whose score the table gives.
        champions: Vec<u32>,
        /// Whom they meet.
        against: Vec<u32>,
    },
}

impl Pairing {
    /// Number of pairs.
    pub(crate) fn count(&self) -> u64 {
        match self {
            Self::Listed(pairs) => pairs.len() as u64,
            Self::RoundRobin { players } => {
                let players = u64::from(*players);
                players * (players - 1) / 2
            }
            Self::Gauntlet { champions, against } => champions.len() as u64 * against.len() as u64,
        }
    }

    /// The pair of `index`.
    ///
    /// # Panics
    /// If there are not so many pairs.
    pub(crate) fn pair(&self, index: u64) -> [u32; 2] {
        assert!(index < self.count(), "pair {index} of {}", self.count());
        match self {
            Self::Listed(pairs) => pairs[usize::try_from(index).expect("an index of a list")],
            Self::RoundRobin { players } => round_robin(u64::from(*players), index),
            Self::Gauntlet { champions, against } => {
                let width = against.len() as u64;
                let at = |list: &[u32], index: u64| list[usize::try_from(index).expect("an index of a list")];
                [at(champions, index / width), at(against, index % width)]
            }
        }
    }

    /// The pairs as a stage's facts have them, where players are called `names`: a rule and what it needs, which takes
    /// no more room than the players do, or the pairs that a file lists.
    pub(crate) fn facts(&self, names: &[String]) -> Pairs {
        let name = |player: &u32| names[*player as usize].clone();
        let named = |players: &[u32]| players.iter().map(name).collect::<Vec<_>>();
        match self {
            Self::Listed(pairs) => {
                Pairs::Listed { pairs: pairs.iter().map(|pair| pair.each_ref().map(name)).collect() }
            }
            Self::RoundRobin { .. } => Pairs::Rule { pairing: Rule::RoundRobin },
            Self::Gauntlet { champions, against } => {
                Pairs::Rule { pairing: Rule::Gauntlet { champions: named(champions), against: named(against) } }
            }
        }
    }

    /// The players that play, ascending, each once.
    pub(crate) fn players(&self) -> Vec<u32> {
        let mut players = match self {
            Self::Listed(pairs) => pairs.iter().flatten().copied().collect(),
            Self::RoundRobin { players } => (0..*players).collect(),
            Self::Gauntlet { champions, against } => champions.iter().chain(against).copied().collect::<Vec<_>>(),
        };
        players.sort_unstable();
        players.dedup();
        players
    }
}

/// Counted from the end, the rows of the triangle have 1, 2, 3, … pairs, so the row of a pair is an
/// integer square root away.
fn round_robin(players: u64, index: u64) -> [u32; 2] {
    let from_end = players * (players - 1) / 2 - 1 - index;
    // Less than 2^63 pairs of 2^32 players: 8 times that needs more than 64 bits.
    let root = (8 * u128::from(from_end) + 1).isqrt();
    let row_from_end = u64::try_from((root - 1) / 2).expect("a root of less than 2^67");
    let row_start = row_from_end * (row_from_end + 1) / 2;
    let first = players - 2 - row_from_end;
    let second = players - 1 - (from_end - row_start);
    [first, second].map(|player| u32::try_from(player).expect("an index of a player"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_counts_through_all_pairs_in_order() {
        for players in 2..60 {
            let pairing = Pairing::RoundRobin { players };
            let mut expected = (0..players).flat_map(|a| (a + 1..players).map(move |b| [a, b]));
            for index in 0..pairing.count() {
                assert_eq!(Some(pairing.pair(index)), expected.next());
            }
            assert_eq!(expected.next(), None);
        }
    }

    #[test]
    fn the_greatest_round_robin_has_exact_ends() {
        let pairing = Pairing::RoundRobin { players: u32::MAX };
        assert_eq!(pairing.pair(0), [0, 1]);
        let last = pairing.count() - 1;
        assert_eq!(pairing.pair(last), [u32::MAX - 2, u32::MAX - 1]);
        let row = u64::from(u32::MAX - 1);
        assert_eq!(pairing.pair(row - 1), [0, u32::MAX - 1]);
        assert_eq!(pairing.pair(row), [1, 2]);
    }

    #[test]
    fn a_gauntlet_gives_each_champion_all_opponents_in_turn() {
        let pairing = Pairing::Gauntlet { champions: vec![4, 2], against: vec![0, 1, 3] };
        let pairs: Vec<_> = (0..pairing.count()).map(|index| pairing.pair(index)).collect();
        assert_eq!(pairs, [[4, 0], [4, 1], [4, 3], [2, 0], [2, 1], [2, 3]]);
        assert_eq!(pairing.players(), [0, 1, 2, 3, 4]);
    }
}
