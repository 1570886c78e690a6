//! EA-MCTS and SIEA-MCTS: the selection policy evolves inside one decision (SIEA-MCTS thesis, section 5.3;
//! docs/papers/siea-mcts.md has what the thesis leaves open).
//!
//! A decision begins with plain iterations until the root has no untried move. Then a (1 + lambda) evolution strategy
//! changes the formula that selects: every formula is valued by playing with it for some iterations, which grow the
//! tree as any others do. What is left of the budget is spent with the final formula. Nothing is carried over to the
//! next decision.

mod evolution;
mod formula;
mod options;
mod screen;
mod semantics;

use games::{Game, Moves as _, Seed};
use spec::{Entry, Fault, Spec};

use crate::{
    Decision, Player,
    artifacts::Artifacts,
    ea::{
        evolution::{Evolved, FIGURES, Searching},
        formula::Formula,
    },
    figures::Figure,
    game_rng::GameRng,
    listed::{BuildError, Listed},
    mcts::{Evaluator as _, Meter, UniformPlayout, of_tree, recommend},
    params,
    readout::{Growth, Readout},
};
use options::Options;

/// The kind `ea-mcts`.
pub(crate) struct EaMctsKind;

impl Listed for EaMctsKind {
    const ENTRY: Entry = Entry {
        name: "ea-mcts",
        doc: "MCTS whose selection formula evolves inside each decision, as in the SIEA-MCTS thesis",
        params: &[options::PARAMS],
        one_of: &[options::BUDGET],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        Options::of(spec).map(drop)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        params::check_reward(spec, start)
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        FIGURES.to_vec()
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        params::check_reward(spec, start)?;
        Ok(Box::new(EaMcts::of(spec)?))
    }
}

/// The kind `siea-mcts`.
pub(crate) struct SieaMctsKind;

impl Listed for SieaMctsKind {
    const ENTRY: Entry = Entry {
        name: "siea-mcts",
        doc: "EA-MCTS that decides among equally fit formulas by their semantics",
        params: &[options::PARAMS, options::WINDOW_PARAMS],
        one_of: &[options::BUDGET],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        Options::of(spec).map(drop)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        params::check_reward(spec, start)
    }

    fn figures(_: &Spec) -> Vec<Figure> {
        FIGURES.to_vec()
    }

    fn build<G: Game>(spec: &Spec, start: &G, _: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        params::check_reward(spec, start)?;
        Ok(Box::new(EaMcts::of(spec)?))
    }
}

/// Searches by a formula that it evolves while it does.
pub(crate) struct EaMcts<G: Game> {
    search: Searching<G>,
    options: Options,
    rng: GameRng,
    /// Growth of the tree in the last decision.
    growth: Growth,
    evolved: Evolved,
}

impl<G: Game> EaMcts<G> {
    /// The player of a spec of either kind.
    ///
    /// # Errors
    /// As [`Options::of`].
    pub(crate) fn of(spec: &Spec) -> Result<Self, Fault> {
        let options = Options::of(spec)?;
        let selection = Formula::new(&options.initial(1.0), &options.language, options.opponent);
        let search = params::search(spec, selection, params::rewarded(spec, UniformPlayout));
        let (rng, growth, evolved) = (GameRng::default(), Growth::default(), Evolved::default());
        Ok(EaMcts { search, options, rng, growth, evolved })
    }
}

impl<G: Game> Player<G> for EaMcts<G> {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        if !self.options.search_forced {
            let moves = position.moves();
            if moves.len() == 1 {
                return Decision { chosen: moves.get(0), iterations: 0 };
            }
        }
        self.search.clear();
        self.search.root(position);
        let sum = self.search.evaluator().mean(position).iter().sum();
        self.search.selection_mut().rewards_sum_to(sum);
        let mut meter = Meter::new(self.options.budget);
        self.evolved = evolution::run(&mut self.search, &self.options, &mut meter, self.rng.get());
        self.growth = meter.growth(self.search.tree().len());
        let chosen = recommend(&self.search, self.options.final_move, self.rng.get());
        Decision { chosen, iterations: self.growth.iterations }
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        if self.search.tree().is_empty() {
            return None;
        }
        let mut readout = of_tree(self.search.tree(), self.search.seat(), &self.growth, bins);
        self.evolved.tell(&self.options.language, &mut readout);
        Some(readout)
    }

    fn figures(&self, values: &mut Vec<f64>) {
        values.push(self.search.tree().root_share());
        values.extend(self.evolved.figures(&self.options.language));
    }
}

#[cfg(test)]
mod tests {
    use games::reversi::Reversi;

    use super::*;

    #[test]
    fn rewards_add_up_to_what_is_maximised() {
        for (reward, sum) in [("game", 1.0), ("result", 0.0)] {
            let spec: crate::PlayerSpec = format!("ea-mcts:playouts=9,reward={reward}").parse().expect("a player");
            let mut player = EaMcts::<Reversi>::of(spec.spec()).expect("its parameters go together");
            player.start(&Seed::derive(0, 0, 0, "sums"));
            player.decide(&Reversi::new());
            assert_eq!(player.search.selection().sum, sum, "{reward}");
        }
    }
}
