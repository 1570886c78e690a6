//! The player `solver`: exact play near the end of a game, and another player before. It stands with the registry because the
//! registry reads and builds that player.

use games::Game;
use spec::{Default, Entry, Fault, Kind, Param, Spec, Value};

use super::PlayerSpec;
use crate::{
    Player,
    artifacts::Artifacts,
    figures::Figure,
    listed::{BuildError, CHECKED, Listed},
    solving::{Solving, solvable},
};

/// Parameters of `solver`.
const FROM: &str = "from";
const BEFORE: &str = "before";

/// The kind `solver`.
pub(super) struct SolverKind;

impl Listed for SolverKind {
    const ENTRY: Entry = Entry {
        name: "solver",
        doc: "plays the ends of a game exactly, and before them as another player",
        params: &[&[
            Param {
                name: FROM,
                kind: Kind::Int(0, 1_000),
                default: Default::Int(32),
                doc: "how far from the end exact play begins, in the game's unit (free edges in Dots and Boxes): of equally good moves \
                      one at random",
            },
            Param {
                name: BEFORE,
                kind: Kind::Text("a player in brackets, such as (mcts:playouts=500)"),
                default: Default::Text("(mcts:playouts=1000)"),
                doc: "the player in brackets that plays until then",
            },
        ]],
        one_of: &[],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        let before = parse(spec.text(BEFORE).expect(CHECKED))?;
        spec.set(BEFORE, Value::Text(format!("({before})")));
        Ok(())
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        solvable(start, FROM)?;
        before(spec).iter().try_for_each(|player| super::check_game(player, start))
    }

    fn figures(spec: &Spec) -> Vec<Figure> {
        before(spec).iter().flat_map(PlayerSpec::figures).collect()
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        let before = before(spec).expect(CHECKED);
        let player = super::build(&before, start, artifacts)?;
        Ok(Box::new(Solving::new(player, solvable(start, FROM)?, spec.int(FROM).expect(CHECKED))))
    }
}

/// The player of a checked spec of `solver` before the end; `None` of another kind.
pub(super) fn before(spec: &Spec) -> Option<PlayerSpec> {
    let Some(Value::Text(text)) = spec.find(BEFORE) else { return None };
    Some(parse(text).expect("the check keeps only what can be read"))
}

/// Reads a player in brackets.
fn parse(text: &str) -> Result<PlayerSpec, Fault> {
    let fault = |reason: String| Fault::Conflict { key: BEFORE.to_owned(), reason };
    let inside = text.trim().strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    let inside = inside.ok_or_else(|| fault(format!("`{text}` is not a player in brackets; write `(PLAYER)`")))?;
    let reasons = |faults: Vec<Fault>| faults.iter().map(Fault::to_string).collect::<Vec<_>>().join("; ");
    let player: PlayerSpec = inside.trim().parse().map_err(|faults| fault(reasons(faults)))?;
    if player.has_players() {
        return Err(fault("the player before the end cannot be made of players".to_owned()));
    }
    Ok(player)
}
