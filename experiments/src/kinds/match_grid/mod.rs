//! Kind `match-grid`: players against players, pair by pair, as one stage.

mod longer;
mod plan;
mod read;

use crate::{
    matches::{Matches, Pairing, scaled},
    quoted::quoted,
};
pub(crate) use plan::GridPlan;

/// What a match grid says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchGrid {
    /// Who meets whom.
    pub(crate) matches: Matches,
    /// As the file has it, before the scale.
    games_per_pair: u64,
}

impl MatchGrid {
    /// Games of a pair at a scale: whole units, at least one.
    pub(crate) fn games_per_pair(&self, scale: f64) -> u64 {
        scaled(self.games_per_pair, self.matches.seat, scale)
    }

    pub(crate) fn trial_count(&self, scale: f64) -> u64 {
        self.matches.trials(self.games_per_pair(scale))
    }

    /// Names of the players that are in no pair.
    pub(crate) fn idle(&self) -> Vec<&str> {
        let (players, playing) = (&self.matches.players, self.matches.pairing.players());
        let idle = |i: &usize| u32::try_from(*i).is_ok_and(|player| playing.binary_search(&player).is_err());
        (0..players.len()).filter(idle).map(|i| players[i].0.as_str()).collect()
    }

    pub(crate) fn write(&self, text: &mut String) {
        let Matches { game, players, pairing, opening_plies, seat, turn_times, turn_figures } = &self.matches;
        text.push_str(&format!("game = {}\n\n[players]\n", quoted(&game.to_string())));
        for (name, spec) in players {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        text.push_str("\n[match-grid]\n");
        let names = |indices: &[u32]| {
            let quoted: Vec<String> = indices.iter().map(|&p| quoted(&players[p as usize].0)).collect();
            format!("[{}]", quoted.join(", "))
        };
        match pairing {
            Pairing::Listed(pairs) => {
                text.push_str("pairing = \"listed\"\npairs = [\n");
                for pair in pairs {
                    text.push_str(&format!("    {},\n", names(pair)));
                }
                text.push_str("]\n");
            }
            Pairing::RoundRobin { .. } => text.push_str("pairing = \"round-robin\"\n"),
            Pairing::Gauntlet { champions, against } => text.push_str(&format!(
                "pairing = \"gauntlet\"\nchampions = {}\nagainst = {}\n",
                names(champions),
                names(against)
            )),
        }
        text.push_str(&format!("seat = {}\n", quoted(seat.name())));
        text.push_str(&format!("games-per-pair = {}\nopening-plies = {opening_plies}\n", self.games_per_pair));
        text.push_str(&format!("turn-times = {turn_times}\n"));
        // Only where it is asked for: ids of other grids are those of before there was such a key.
        if *turn_figures {
            text.push_str("turn-figures = true\n");
        }
    }
}
