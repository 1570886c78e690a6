//! A learning as TOML, with every default filled in.

use nets::Loss;
use players::{PlayerSpec, self_play::Labels};

use super::{Learning, NET, Start, Test, has_any_net};
use crate::quoted::quoted;

impl Learning {
    pub(crate) fn write(&self, text: &mut String) {
        text.push_str(&format!("game = {}\n", quoted(&self.game.to_string())));
        if !self.opponents.is_empty() {
            text.push_str("\n[players]\n");
        }
        for (name, spec) in &self.opponents {
            text.push_str(&format!("{name} = {}\n", quoted(&spec.to_string())));
        }
        text.push_str(&format!("\n[learning]\nplayer = {}\nrounds = {}\n", shown(&self.player), self.rounds));
        text.push_str("\n[learning.nets]\n");
        for (name, architecture) in &self.nets {
            text.push_str(&format!("{name} = {}\n", quoted(&architecture.to_string())));
        }
        let play = &self.self_play;
        text.push_str("\n[learning.self-play]\n");
        for (key, player) in [("player", &play.player), ("first", &play.first)] {
            if let Some(player) = player {
                text.push_str(&format!("{key} = {}\n", shown(player)));
            }
        }
        let (labels, from) = match play.labels {
            Labels::Outcome(from) => ("outcome", from),
            Labels::Exact(from) => ("exact", from),
            Labels::Searched(from) => ("searched", from),
        };
        text.push_str(&format!(
            "games = {}\nopening-plies = {}\nlabels = \"{labels}\"\nsolve-from = {from}\nwindow = {}\n",
            play.games, play.opening_plies, play.window
        ));
        let settings = &self.training.settings;
        let loss = if settings.loss == Loss::MeanSquare { "mean-square" } else { "cross-entropy" };
        let start = Start::ALL.iter().find(|(_, start)| *start == self.training.start).map_or("last", |(name, _)| name);
        text.push_str(&format!(
            "\n[learning.training]\nepochs = {}\nbatch = {}\nlearning-rate = {:?}\ndecay = {:?}\nweight-decay = {:?}\n\
             loss = \"{loss}\"\nvalue-weight = {:?}\npolicy-weight = {:?}\nheld-out = {:?}\nstart = \"{start}\"\n",
            settings.epochs,
            settings.batch,
            settings.learning_rate,
            settings.decay,
            settings.weight_decay,
            settings.value_weight,
            settings.policy_weight,
            settings.held_out,
        ));
        let gate = &self.gate;
        text.push_str(&format!(
            "\n[learning.gate]\ngames = {}\nopponents = {}\nopening-plies = {}\nerrors = {:?}\n",
            gate.games, gate.opponents, gate.opening_plies, gate.errors
        ));
        if let Some(Test { player, games, opening_plies, from }) = &self.test {
            text.push_str(&format!(
                "\n[learning.test]\nplayer = {}\ngames = {games}\nopening-plies = {opening_plies}\nfrom = {from}\n",
                shown(player)
            ));
        }
        text.push_str(&format!("\n[learning.final]\ngames = {}\n", self.final_games));
    }
}

/// A player as a file names it: without the network that stands for any.
fn shown(player: &PlayerSpec) -> String {
    quoted(&if has_any_net(player) { player.text_without(NET) } else { player.to_string() })
}
