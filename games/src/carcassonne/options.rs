//! Options of Carcassonne in specs.

use spec::{Default, Entry, Fault, Kind, Param, Spec};

use super::{Carcassonne, Deck, GAME, Reward, Rules, Variant};
use crate::listed::{CHECKED, Listed};

/// Decks of the base game, and their names.
const DECKS: [Deck; 2] = [Deck::Printed, Deck::Thesis];
const DECK_NAMES: [&str; 2] = ["printed", "thesis"];

impl Listed for Carcassonne {
    const ENTRY: Entry = Entry {
        name: GAME,
        doc: "Carcassonne, third edition: the base game for two, or the small games for one of the SIEA-MCTS thesis",
        params: &[&[
            Param {
                name: "variant",
                kind: Kind::Choice(&Variant::NAMES),
                default: Default::Text(Variant::NAMES[0]),
                doc: "base: for two, 7 meeples, 72 tiles; 1s, 3s: for one with 1 or 3 meeples and 24 tiles; 1d, 3d: \
                      the same, with an order of the tiles that is drawn before the first turn and known",
            },
            Param {
                name: "deck",
                kind: Kind::Choice(&DECK_NAMES),
                default: Default::Text(DECK_NAMES[0]),
                doc: "tiles of the base game: as printed, or as in the thesis' program, with one pennant more",
            },
            Param {
                name: "reward",
                kind: Kind::Choice(&Reward::NAMES),
                default: Default::Text(Reward::NAMES[0]),
                doc: "what searches of the base game maximise: difference: of the scores, by 593; result: 1, 0 or -1 \
                      for a win, draw or loss; games for one reward with the score by 105 (1 meeple) or 135 (3 meeples)",
            },
            Param {
                name: "segments-twice",
                kind: Kind::Bool,
                default: Default::Bool(false),
                doc: "a tile with two segments in a city or road counts twice there, as in the thesis' program",
            },
            Param {
                name: "stale-cities",
                kind: Kind::Bool,
                default: Default::Bool(false),
                doc: "of two cities that became one, a field that met only one may get nothing, as in the thesis' \
                      program",
            },
            Param {
                name: "unplaceable-stays",
                kind: Kind::Bool,
                default: Default::Bool(false),
                doc: "a tile that fits nowhere stays in the stack and another is drawn, as in the thesis' program; \
                      else it leaves the game",
            },
        ]],
        one_of: &[],
    };

    /// Refuses what has no effect in games for one.
    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let variant = spec.text("variant").expect(CHECKED);
        for (key, name) in [("deck", DECK_NAMES[0]), ("reward", Reward::NAMES[0])] {
            let given = spec.text(key).expect(CHECKED);
            if variant != Variant::NAMES[0] && given != name {
                let reason = format!("`{key}={given}` has no effect with `variant={variant}`");
                return Err(Fault::Conflict { key: key.to_owned(), reason });
            }
        }
        Ok(())
    }

    fn start(spec: &Spec) -> Self {
        let index = |key: &str, names: &[&str]| {
            let name = spec.text(key).expect(CHECKED);
            names.iter().position(|&known| known == name).expect(CHECKED)
        };
        let switch = |key: &str| spec.bool(key).expect(CHECKED);
        let mut rules = Rules::of(Variant::ALL[index("variant", &Variant::NAMES)]);
        if rules.deck == Deck::Printed {
            rules.deck = DECKS[index("deck", &DECK_NAMES)];
        }
        Carcassonne::new(Rules {
            reward: Reward::ALL[index("reward", &Reward::NAMES)],
            segments_twice: switch("segments-twice"),
            stale_cities: switch("stale-cities"),
            unplaceable_stays: switch("unplaceable-stays"),
            ..rules
        })
    }
}
