//! What a kind of player is listed by: its entry, what is checked of its specs, and how it is built.

use games::Game;
use spec::{Entry, Fault, Spec};

use crate::{
    Player,
    artifacts::{ArtifactError, Artifacts},
    figures::Figure,
};

/// Why reading a checked spec cannot fail.
pub(crate) const CHECKED: &str = "a checked spec has every parameter with a default";

/// A kind of player that a spec can name.
pub(crate) trait Listed {
    /// Its name and parameters.
    const ENTRY: Entry;

    /// Checks what the parameters do not show one by one, and writes them in their canonical form.
    ///
    /// # Errors
    /// Parameters that do not go together.
    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let _ = spec;
        Ok(())
    }

    /// Checks that the player of a checked spec can play from `start`.
    ///
    /// # Errors
    /// Why not.
    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        let _ = (spec, start);
        Ok(())
    }

    /// Figures that the player of a checked spec has of each decision that takes a search ([`Player::figures`]).
    fn figures(spec: &Spec) -> Vec<Figure> {
        let _ = spec;
        Vec::new()
    }

    /// The player of a checked spec for the game that begins at `start`.
    ///
    /// # Errors
    /// Why it cannot play that game, or an artifact that is missing or is not what it needs.
    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError>;
}

/// Why a player cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// It cannot play the game, as [`PlayerSpec::check_game`] says.
    #[error(transparent)]
    Spec(#[from] Fault),
    /// It lacks an artifact that its spec names.
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
}
