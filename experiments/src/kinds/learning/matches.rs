//! The games of a network against the one before and against fixed opponents.

use players::PlayerSpec;
use record::facts::{LEARNED, NEW, OLD};

use super::{Learning, with_net};
use crate::matches::{Matches, Pairing};

impl Learning {
    /// The games of a gate: the new network against the old one, if there is one, and against the opponents. `None` if nobody
    /// meets, because the file asks for no games.
    pub(super) fn gate_matches(&self, new: &str, old: Option<&str>) -> Option<Matches> {
        let mut players = vec![(NEW.to_owned(), with_net(&self.player, new))];
        if self.gate.games == 0 {
            return None;
        }
        players.extend(old.map(|old| (OLD.to_owned(), with_net(&self.player, old))));
        if self.gate.opponents {
            players.extend(self.opponents.iter().cloned());
        }
        self.first_against_others(players, self.gate.opening_plies)
    }

    /// The games that end a learning. `None` if there is no opponent.
    pub(super) fn final_matches(&self, net: &str) -> Option<Matches> {
        let mut players = vec![(LEARNED.to_owned(), with_net(&self.player, net))];
        players.extend(self.opponents.iter().cloned());
        self.first_against_others(players, self.gate.opening_plies)
    }

    fn first_against_others(&self, players: Vec<(String, PlayerSpec)>, opening_plies: u32) -> Option<Matches> {
        let pairs: Vec<[u32; 2]> = (1..players.len() as u32).map(|other| [0, other]).collect();
        if pairs.is_empty() {
            return None;
        }
        Some(Matches::new(self.game.clone(), players, Pairing::Listed(pairs), opening_plies))
    }
}
