//! Kind `learning`: networks trained on positions of games that a player with such a network plays against itself (Silver et
//! al. 2017, 2018), or on positions with exact values (docs/papers/dots-and-boxes.md).
//!
//! A round is three stages: games of the player against itself, whose positions become an artifact; the training, one trial
//! for each network; and a gate, in which the player with the new network meets that with the old one, and fixed opponents.
//! Before the first round there may be a stage that makes positions with exact values, on which networks are tested; behind
//! the last one the player that was learned meets the opponents.

mod costs;
mod longer;
mod matches;
mod plan;
mod play;
mod read;
mod results;
mod training;
mod write;

use games::GameSpec;
use nets::{Architecture, Settings};
use players::{PlayerSpec, self_play::Labels};
use record::facts::Seat;

pub(crate) use plan::LearningPlan;

use crate::{artifacts::ANY, matches::scaled};

/// Parameter of players that names a network.
const NET: &str = "net";

/// What a learning says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Learning {
    pub(crate) game: GameSpec,
    /// Fixed opponents: name and spec, in the order of the file.
    opponents: Vec<(String, PlayerSpec)>,
    /// Networks by name; the first one plays.
    nets: Vec<(String, Architecture)>,
    /// The player that learns, with [`ANY`].
    player: PlayerSpec,
    rounds: u32,
    self_play: SelfPlay,
    training: Training,
    gate: Gate,
    test: Option<Test>,
    /// Games of a pair at the end, before the scale.
    final_games: u64,
}

/// What `[learning.self-play]` says.
#[derive(Clone, Debug, PartialEq)]
struct SelfPlay {
    /// Who plays, with [`ANY`] where it has a network; the player that learns if `None`.
    player: Option<PlayerSpec>,
    /// Who plays in the first round, before there is a network.
    first: Option<PlayerSpec>,
    /// Games of a round, before the scale.
    games: u64,
    /// Most random plies at the beginning of a game.
    opening_plies: u32,
    labels: Labels,
    /// Rounds whose positions are trained on.
    window: usize,
}

/// What `[learning.training]` says.
#[derive(Clone, Debug, PartialEq)]
struct Training {
    /// All but the seed.
    settings: Settings,
    start: Start,
}

/// Where a training begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// With the network as the round before left it.
    Last,
    /// With fresh weights.
    Fresh,
}

impl Start {
    const ALL: [(&'static str, Start); 2] = [("last", Start::Last), ("fresh", Start::Fresh)];
}

/// What `[learning.gate]` says.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Gate {
    /// Games of a pair, before the scale; 0: there is no gate, and every new network plays.
    games: u64,
    /// Whether the new network meets the fixed opponents as well.
    opponents: bool,
    opening_plies: u32,
    /// Standard errors by which the share must be above one half.
    errors: f64,
}

/// What `[learning.test]` says.
#[derive(Clone, Debug, PartialEq)]
struct Test {
    player: PlayerSpec,
    /// Before the scale.
    games: u64,
    opening_plies: u32,
    /// Greatest distance from the end of its positions.
    from: u32,
}

impl Learning {
    /// Who plays against itself in a round, with [`ANY`] where it has a network.
    fn playing(&self, round: u32) -> &PlayerSpec {
        let first = self.self_play.first.as_ref().filter(|_| round == 0);
        first.or(self.self_play.player.as_ref()).unwrap_or(&self.player)
    }

    fn self_play_games(&self, scale: f64) -> u64 {
        of_scale(self.self_play.games, scale)
    }

    fn test_games(&self, scale: f64) -> u64 {
        self.test.as_ref().map_or(0, |test| of_scale(test.games, scale))
    }

    fn gate_games(&self, scale: f64) -> u64 {
        if self.gate.games == 0 { 0 } else { scaled(self.gate.games, Seat::Both, scale) }
    }

    fn final_games(&self, scale: f64) -> u64 {
        scaled(self.final_games, Seat::Both, scale)
    }

    /// Trials of the first stage.
    pub(crate) fn first_trials(&self, scale: f64) -> u64 {
        if self.test.is_some() { self.test_games(scale) } else { self.self_play_games(scale) }
    }

    pub(crate) fn reproducible(&self) -> bool {
        self.players().all(PlayerSpec::reproducible)
    }

    /// Everyone who plays.
    pub(crate) fn players(&self) -> impl Iterator<Item = &PlayerSpec> {
        let own = [Some(&self.player), self.self_play.player.as_ref(), self.self_play.first.as_ref()];
        let test = self.test.as_ref().map(|test| &test.player);
        own.into_iter().flatten().chain(test).chain(self.opponents.iter().map(|(_, opponent)| opponent))
    }
}

/// `games` at a scale: at least one.
fn of_scale(games: u64, scale: f64) -> u64 {
    // Casting saturates.
    if scale == 1.0 { games } else { ((games as f64 * scale).round() as u64).max(1) }
}

/// Whether a spec has a network that stands for any.
fn has_any_net(player: &PlayerSpec) -> bool {
    player.artifacts().iter().any(|hash| hash == ANY)
}

/// A player with this network where it has one that stands for any.
fn with_net(player: &PlayerSpec, net: &str) -> PlayerSpec {
    if has_any_net(player) { player.with_artifact(NET, net) } else { player.clone() }
}
