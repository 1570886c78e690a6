//! Figures of a search with a threshold.

use games::{Game, Seed};

use super::Asking;
use crate::{
    Decision, Player,
    mcts::{Evaluator, Rewarded, Selection, Uct},
    readout::Readout,
};

/// A search that says at how many of its leaves the network decided.
pub(crate) struct Deciding<G: Game, S, E: Evaluator<G>> {
    uct: Uct<G, S, Rewarded<E>>,
    /// That share in the last decision.
    share: f64,
}

impl<G: Game, S, E: Evaluator<G>> Deciding<G, S, E> {
    /// The player that searches by `uct`.
    pub(crate) fn new(uct: Uct<G, S, Rewarded<E>>) -> Self {
        Deciding { uct, share: f64::NAN }
    }
}

impl<G: Game, S: Selection<Prior = E::Prior>, E: Evaluator<G> + Asking> Player<G> for Deciding<G, S, E> {
    fn start(&mut self, seed: &Seed) {
        self.uct.start(seed);
    }

    fn draw_parameters(&mut self, shared: &Seed) {
        self.uct.draw_parameters(shared);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let before = self.uct.search().evaluator().counts();
        let decision = self.uct.decide(position);
        let after = self.uct.search().evaluator().counts();
        let [asked, decided] = [0, 1].map(|place| (after[place] - before[place]) as f64);
        self.share = if asked > 0.0 { decided / asked } else { f64::NAN };
        decision
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        self.uct.readout(bins)
    }

    fn figures(&self, values: &mut Vec<f64>) {
        self.uct.figures(values);
        values.push(self.share);
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        self.uct.root_visits(visits);
    }

    fn observe(&mut self, before: &G, played: G::Move) {
        self.uct.observe(before, played);
    }
}
