//! Players for tests alone, under the feature `toys`. Specs may then name them; lists of the registry never show them.

use games::{Game, Moves as _, Seed};
use spec::{Default, Entry, Kind, Param, Spec};

use crate::{
    Decision, Player,
    artifacts::{ArtifactError, Artifacts},
    listed::{BuildError, Listed},
};

/// Plays the next move of its script, or the first legal one where that move is not legal or there is no script.
pub(crate) struct Scripted {
    script: Vec<String>,
    next: usize,
}

impl Listed for Scripted {
    const ENTRY: Entry = Entry {
        name: "toy-scripted",
        doc: "plays the moves of a script that an artifact holds",
        params: &[&[Param {
            name: "script",
            kind: Kind::Artifact("the script: texts of moves between blanks"),
            default: Default::None,
            doc: "hash of the script",
        }]],
        one_of: &[],
    };

    fn build<G: Game>(spec: &Spec, _: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let Some(hash) = spec.artifact("script") else {
            return Ok(Box::new(Scripted { script: Vec::new(), next: 0 }));
        };
        let unreadable = |error: std::string::FromUtf8Error| ArtifactError::Unreadable {
            hash: hash.to_owned(),
            reason: error.to_string(),
        };
        let text = String::from_utf8(artifacts.get(hash)?).map_err(unreadable)?;
        Ok(Box::new(Scripted { script: text.split_whitespace().map(str::to_owned).collect(), next: 0 }))
    }
}

impl<G: Game> Player<G> for Scripted {
    fn start(&mut self, _seed: &Seed) {
        self.next = 0;
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let scripted = self.script.get(self.next).and_then(|text| position.parse_move(text).ok());
        self.next += 1;
        Decision { chosen: scripted.unwrap_or_else(|| position.moves().get(0)), iterations: 0 }
    }
}
