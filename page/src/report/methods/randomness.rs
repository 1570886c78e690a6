//! Seeds and how streams derive from them.

use record::facts::Kind;

use super::Part;
use crate::report::gathered::Gathered;

pub(super) fn part(gathered: &Gathered) -> Part {
    let mut sentences = Vec::new();
    if let Some(seed) = gathered.header.as_ref().and_then(|header| header.seed) {
        sentences.push(format!("The seed of the run is {seed}."));
    }
    sentences.push(
        "Every random stream begins from a hash (BLAKE3 in key-derivation mode) of the seed, the stage, the number of the unit or \
         run, and a text that says what the stream is for; no stream is drawn from another. The generator is xoshiro256++ \
         (Blackman and Vigna 2021)."
            .to_owned(),
    );
    let named = match gathered.kind() {
        Some(Kind::MatchGrid) => Some(
            "Streams are named after the two players of a pair: a player added to the grid changes no game between the others, and \
             a smaller scale plays the first games of a larger one.",
        ),
        Some(Kind::Study) => {
            Some("Streams are named after the problem: an agent added changes nothing for the others.")
        }
        Some(Kind::Coevolution | Kind::Tuning) => {
            Some("What follows from a generation is a function of its stored results and the seed alone.")
        }
        Some(Kind::Learning) => Some("Networks follow from stored games and the seed alone, to the last bit."),
        Some(Kind::Synthetic) | None => None,
    };
    sentences.extend(named.map(str::to_owned));
    if !gathered.summary.reproducible {
        sentences.push("A player has a time budget, so that results depend on the machines as well.".to_owned());
    }
    Part::new("Randomness", sentences)
}
