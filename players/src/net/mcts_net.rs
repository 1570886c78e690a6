//! The kind `mcts-net`: the search of `mcts` with leaves that a network values.

use games::Game;
use spec::{Default, Entry, Fault, Kind, Param, Spec};

use super::{ARITHMETIC, BATCH, Deciding, EACH_STEP, NET, THRESHOLD, THRESHOLD_SHARE, check_game, points, threshold};
use crate::{
    Player,
    artifacts::Artifacts,
    figures::{Figure, ROOT_SHARE},
    listed::{BuildError, CHECKED, Listed},
    mcts::UniformPlayout,
    params::check_reward,
    solving::{LEAF_SOLVE_FROM, Settling, settled},
    uct,
};

/// The kind `mcts-net`.
pub(crate) struct MctsNetKind;

const PARAMS: &[Param] = &[
    NET,
    Param {
        name: "leaf",
        kind: Kind::Choice(&["value", "threshold"]),
        default: Default::Text("value"),
        doc: "value: the points that the network expects; threshold: its likeliest result where it is sure enough, else a playout",
    },
    THRESHOLD,
    EACH_STEP,
    ARITHMETIC,
    BATCH,
    LEAF_SOLVE_FROM,
];

fn is_by_threshold(spec: &Spec) -> bool {
    spec.text("leaf") == Some("threshold")
}

impl Listed for MctsNetKind {
    const ENTRY: Entry = Entry {
        name: "mcts-net",
        doc: "UCT Monte-Carlo tree search whose leaves a network values, in place of playouts or before them",
        params: &[PARAMS, uct::PARAMS],
        one_of: &[uct::BUDGET],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        super::check(spec)?;
        if !is_by_threshold(spec) && spec.text("reward") == Some("result") {
            let reason = "a network's values are expected points, not results; `reward` goes with leaf=threshold";
            return Err(Fault::Conflict { key: "reward".to_owned(), reason: reason.to_owned() });
        }
        uct::check(spec)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        check_game(spec, start)?;
        check_reward(spec, start)
    }

    fn figures(spec: &Spec) -> Vec<Figure> {
        if is_by_threshold(spec) { vec![ROOT_SHARE, THRESHOLD_SHARE] } else { vec![ROOT_SHARE] }
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        check_reward(spec, start)?;
        let batch = usize::try_from(spec.int(BATCH.name).expect(CHECKED)).expect(CHECKED);
        if is_by_threshold(spec) {
            let evaluator = threshold(spec, start, artifacts, UniformPlayout)?;
            return Ok(match settled(spec, start, evaluator)? {
                Settling::With(evaluator) => Box::new(Deciding::new(uct::together(spec, evaluator, batch))),
                Settling::Without(evaluator) => Box::new(Deciding::new(uct::together(spec, evaluator, batch))),
            });
        }
        Ok(match settled(spec, start, points(spec, start, artifacts, "leaves")?)? {
            Settling::With(evaluator) => Box::new(uct::together(spec, evaluator, batch)),
            Settling::Without(evaluator) => Box::new(uct::together(spec, evaluator, batch)),
        })
    }
}
