//! Why there is no champion.

use coordinator::store;
use record::FactsError;

/// Why there is no champion.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The run's directory cannot be read.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// A stage says something else than this version reads.
    #[error(transparent)]
    Facts(#[from] FactsError),
    /// The run searches for nothing.
    #[error("this run is a {kind}: only a coevolution has champions, and a tuning a winner")]
    OtherKind {
        /// What it is.
        kind: &'static str,
    },
    /// A population is not one.
    #[error("artifact {hash} {reason}")]
    Population {
        /// Its hash.
        hash: String,
        /// What is wrong.
        reason: String,
    },
    /// The run is of a game of another version.
    #[error("the run's game `{game}` is not known here")]
    UnknownGame {
        /// The game.
        game: String,
    },
    /// Nothing evolves for this game.
    #[error("{game} has no evolved functions")]
    WithoutFunctions {
        /// The game.
        game: String,
    },
    /// The tree is of another version.
    #[error("the champion is not a tree of {game}: {reason}")]
    NotATree {
        /// The game.
        game: String,
        /// What is wrong.
        reason: String,
    },
    /// The first stage is a benchmark.
    #[error("the run does not begin with a generation")]
    NoGenerationFirst,
    /// The run's player is of another version.
    #[error("the run's player is not known here")]
    UnknownPlayer,
    /// Nothing is closed.
    #[error("no generation is closed yet: wait for the first")]
    NothingClosed,
    /// A generation that is not there, or not closed.
    #[error("generations 0 to {last} are closed")]
    NoSuchGeneration {
        /// The last that is closed.
        last: usize,
    },
    /// An individual that is not there.
    #[error("there are generations 0 to {generation} with individuals 0 to {individual}")]
    NoSuchIndividual {
        /// The last generation.
        generation: usize,
        /// The last individual of each.
        individual: usize,
    },
    /// No stage says what the winner is.
    #[error("no stage of the run names {name}")]
    NoSpec {
        /// The winner.
        name: String,
    },
}

impl Error {
    /// Whether something was asked for that the run does not have.
    pub fn is_input(&self) -> bool {
        matches!(
            self,
            Error::OtherKind { .. }
                | Error::NothingClosed
                | Error::NoSuchGeneration { .. }
                | Error::NoSuchIndividual { .. }
        )
    }
}
