//! Facts of the stages of a kind `learning`.

use serde::{Deserialize, Serialize};

use super::{GameFacts, Header, PairFacts};

/// Name of the player with the net that was trained last, where it meets the one before.
pub const NEW: &str = "new";
/// Name of the player with the net that played so far.
pub const OLD: &str = "old";
/// Name of the player with the net that a learning ends with.
pub const LEARNED: &str = "learned";

/// Facts of a stage of a learning, with where it stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningFacts {
    /// What all kinds have.
    #[serde(flatten)]
    pub header: Header,
    /// What is played.
    #[serde(flatten)]
    pub game: GameFacts,
    /// Rounds that the experiment asks for.
    pub rounds: u32,
    /// The round that the stage belongs to, from 0.
    pub round: u32,
    /// The nets that are trained; the first one plays.
    pub nets: Vec<NetFacts>,
    /// Hash of the net that plays, among the artifacts; `None` before there is one.
    pub playing: Option<String>,
    /// Hashes of the nets as they were trained last, by `nets`; empty before the first training.
    pub trained: Vec<String>,
    /// Hashes of the positions that are trained on, those of the oldest round first.
    pub positions: Vec<String>,
    /// Hash of the positions that nets are tested on, if there are any.
    #[serde(default)]
    pub test: Option<String>,
    /// What the stage is.
    #[serde(flatten)]
    pub phase: LearningPhase,
}

/// A net that is trained.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetFacts {
    /// Its name in the experiment.
    pub name: String,
    /// Its layers, as one line.
    pub architecture: String,
}

/// What a stage of a learning is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "kebab-case")]
pub enum LearningPhase {
    /// Games that give positions with exact values, on which nets are tested.
    Test(PlayFacts),
    /// Games that give positions to train on.
    SelfPlay(PlayFacts),
    /// One trial for each net.
    Training,
    /// Games of the new net against the old one and against fixed opponents.
    Gate(Box<PairFacts>),
    /// Games of the net that a learning ends with against fixed opponents.
    Final(Box<PairFacts>),
}

/// Games of a player against itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayFacts {
    /// The player, as a spec.
    pub player: String,
    /// Most random plies at the beginning.
    pub opening_plies: u32,
}
