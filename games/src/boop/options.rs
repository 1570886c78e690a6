//! Options of boop. in specs.

use spec::{Default, Entry, Fault, Kind, Param, Spec, Value};

use super::{Boop, GAME, Graduation, PLIES_MAX, Rules, SearchBorder, SearchWins};
use crate::listed::{CHECKED, Listed, plies};

/// Presets of the options of searches.
const SEARCHES: [&str; 2] = ["repaired", "released"];

impl Listed for Boop {
    const ENTRY: Entry = Entry {
        name: GAME,
        doc: "boop. (Gekitai squared): placed pieces push, three in a line become large, three large in a line win",
        params: &[&[
            Param {
                name: "graduation",
                kind: Kind::Choice(&Graduation::NAMES),
                default: Default::Text(Graduation::NAMES[0]),
                doc: "which pieces may graduate where there is a choice: any; heuristic: those that the paper's promotion \
                      heuristic scores highest, as all its agents play",
            },
            Param {
                name: "plies-max",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(300),
                doc: "plies after which a game is unfinished and counts as a draw",
            },
            Param {
                name: "playout-plies",
                kind: Kind::Int(1, PLIES_MAX as i64),
                default: Default::Int(300),
                doc: "plies after which a playout counts as a draw",
            },
            Param {
                name: "search",
                kind: Kind::Choice(&SEARCHES),
                default: Default::Text(SEARCHES[0]),
                doc: "rules of searches: repaired: those of the game; released: those of the paper's program, which sets \
                      `search-wins=both` and `search-border=masked` if they are not given",
            },
            Param {
                name: "search-wins",
                kind: Kind::Choice(&SearchWins::NAMES),
                default: Default::None,
                doc: "whose win a search sees after a move: mover: the mover's, as in the game; both: either side's, the \
                      first player's first; by `search` if not given",
            },
            Param {
                name: "search-border",
                kind: Kind::Choice(&SearchBorder::NAMES),
                default: Default::None,
                doc: "free: a search may choose any move; masked: none on the border up to ply 6, and nodes before ply 6 \
                      count as expanded six children earlier; by `search` if not given",
            },
        ]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let preset = index(spec, "search", &SEARCHES);
        for (key, names) in [("search-wins", SearchWins::NAMES), ("search-border", SearchBorder::NAMES)] {
            if spec.get(key).is_none() {
                spec.set(key, Value::Text(names[preset].to_owned()));
            }
        }
        Ok(())
    }

    fn start(spec: &Spec) -> Self {
        Boop::new(Rules {
            plies_max: plies(spec, "plies-max"),
            playout_plies: plies(spec, "playout-plies"),
            graduation: Graduation::ALL[index(spec, "graduation", &Graduation::NAMES)],
            search_wins: SearchWins::ALL[index(spec, "search-wins", &SearchWins::NAMES)],
            search_border: SearchBorder::ALL[index(spec, "search-border", &SearchBorder::NAMES)],
        })
    }
}

fn index(spec: &Spec, key: &str, names: &[&str]) -> usize {
    let name = spec.text(key).expect(CHECKED);
    names.iter().position(|&known| known == name).expect(CHECKED)
}
