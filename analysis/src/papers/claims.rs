//! What a paper says of a whole grid: counts, means, and how something depends on parameters.

use serde::Deserialize;

/// A statement.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Claim {
    /// In words.
    pub says: String,
    /// Where it stands.
    pub place: String,
    /// What its figure is of.
    pub quantity: Quantity,
    /// The parameter that an exponent is of.
    pub parameter: Option<String>,
    /// The player that quartiles are of.
    pub player: Option<String>,
    /// The figure of its decisions.
    pub figure: Option<String>,
    /// As printed; of counts the count.
    pub value: f64,
    /// Games behind it.
    pub games: Option<u64>,
    /// Where ours agrees, ends included: of statements in words and of shapes. Without, and without games, it is shown
    /// alone.
    pub band: Option<[f64; 2]>,
}

/// A quantity of a grid's games. Settings are the first players of its pairs, opponents the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// Games that settings won.
    Wins,
    /// Drawn games.
    Draws,
    /// Games that opponents won.
    Losses,
    /// Mean plies of a game.
    Plies,
    /// With which power of a parameter the mean time of a setting's decision grows.
    Exponent,
    /// Mean time of a setting's first ten decisions over that from the 51st on, at the largest value of the parameter
    /// that time follows most.
    Fall,
    /// Which share of that fall the decisions from the 26th to the 50th have behind them.
    #[serde(rename = "fall-by-25")]
    FallBy25,
    /// [`Quantity::Fall`] of the opponents.
    OpponentFall,
    /// Median time of the settings' decisions there over the mean of the opponents'.
    Ratio,
    /// Milliseconds of an iteration of the settings.
    MsPerIteration,
    /// Milliseconds of an opponent's decision.
    OpponentMs,
    /// The least lower quartile of a figure over a player's turns.
    LowerQuartile,
    /// The greatest upper quartile.
    UpperQuartile,
    /// Its median on the last turn.
    LastMedian,
    /// Turns of the player that have the figure.
    Turns,
    /// Hours that the games took, added up over threads.
    Hours,
}
