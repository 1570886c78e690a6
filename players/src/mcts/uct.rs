//! The UCT player of the EvoMCTS paper (Benbassat and Sipper 2013, section II; docs/papers/evomcts.md).

use games::{Game, Moves as _, Rng, Seed, below};

use super::{Budget, Edge, Evaluator, Search, Selection, budget::Meter, of_tree};
use crate::{
    Decision, Player,
    game_rng::GameRng,
    readout::{Growth, Readout},
};

/// Which root move is played after the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinalMove {
    /// Highest mean, then most visits, then at random.
    HighestMean,
    /// Most visits, then highest mean, then at random.
    MostVisited,
    /// Most visits, then at random (SIEA-MCTS thesis, section 2.4).
    VisitsAlone,
    /// Most wins, with draws as halves, then at random, where rewards are 1, 0 and -1 for a win, a draw and a loss.
    MostWins,
    /// Highest score of the policy that descended, then at random.
    Score,
}

/// Parameters of [`Uct`] that are not parts of the search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// What a decision may cost.
    pub budget: Budget,
    /// Which root move is played.
    pub final_move: FinalMove,
    /// Keep the subtree behind the moves that were played.
    pub keep_tree: bool,
    /// Search where there is only one move.
    pub search_forced: bool,
    /// Iterations whose leaves are valued together, at least 1.
    pub batch: usize,
}

/// Searches, then plays.
pub struct Uct<G: Game, S, E: Evaluator<G>> {
    search: Search<G, S, E>,
    options: Options,
    rng: GameRng,
    /// Growth of the tree in the last decision.
    growth: Growth,
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>> Uct<G, S, E> {
    /// A player that searches with `search`.
    pub fn new(search: Search<G, S, E>, options: Options) -> Self {
        Uct { search, options, rng: GameRng::default(), growth: Growth::default() }
    }

    /// Searches from `position` and plays the move that `choose` picks; `prepare` may change the root before. A forced move is
    /// played without either, unless such are searched.
    pub(crate) fn decide_by(
        &mut self,
        position: &G,
        prepare: impl FnOnce(&mut Search<G, S, E>, &mut GameRng),
        choose: impl FnOnce(&Search<G, S, E>, &mut Rng) -> G::Move,
    ) -> Decision<G::Move> {
        if !self.options.search_forced {
            let moves = position.moves();
            if moves.len() == 1 {
                return Decision { chosen: moves.get(0), iterations: 0 };
            }
        }
        self.search.root(position);
        prepare(&mut self.search, &mut self.rng);
        let mut meter = Meter::new(self.options.budget);
        loop {
            let more = || meter.next(self.search.tree().len());
            let count = std::iter::repeat_with(more).take(self.options.batch).take_while(|&more| more).count();
            if count == 0 {
                break;
            }
            self.search.iterate_together(count, self.rng.get());
        }
        self.growth = meter.growth(self.search.tree().len());
        let chosen = choose(&self.search, self.rng.get());
        Decision { chosen, iterations: self.growth.iterations }
    }

    /// The search, as the last decision left it.
    pub fn search(&self) -> &Search<G, S, E> {
        &self.search
    }
}

/// The move that a finished search recommends.
pub(crate) fn recommend<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>>(
    search: &Search<G, S, E>,
    final_move: FinalMove,
    rng: &mut Rng,
) -> G::Move {
    let parent = search.selection().parent(search.tree().visits());
    let key = |edge: &Edge<G::Move, E::Prior>| {
        let visits = f64::from(edge.visits);
        let mean = if edge.visits == 0 { 0.0 } else { edge.total / visits };
        match final_move {
            FinalMove::HighestMean => (mean, visits),
            FinalMove::MostVisited => (visits, mean),
            FinalMove::VisitsAlone => (visits, 0.0),
            FinalMove::MostWins => (0.5 * (visits + edge.total), 0.0),
            FinalMove::Score => (search.selection().score(parent, edge.total, edge.visits, edge.prior), 0.0),
        }
    };
    let mut top = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    let mut best = Vec::new();
    for edge in search.tree().children() {
        let key = key(edge);
        if key > top {
            top = key;
            best.clear();
        }
        if key == top {
            best.push(edge.chosen);
        }
    }
    let pick = if best.len() == 1 { 0 } else { below(rng, best.len() as u32) as usize };
    best[pick]
}

impl<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>> Player<G> for Uct<G, S, E> {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng.start(seed);
    }

    fn draw_parameters(&mut self, shared: &Seed) {
        self.search.selection_mut().draw(shared);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let final_move = self.options.final_move;
        self.decide_by(position, |_, _| (), |search, rng| recommend(search, final_move, rng))
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        (!self.search.tree().is_empty()).then(|| of_tree(self.search.tree(), self.search.seat(), &self.growth, bins))
    }

    fn figures(&self, values: &mut Vec<f64>) {
        values.push(self.search.tree().root_share());
    }

    fn root_visits(&self, visits: &mut Vec<(G::Move, u32)>) {
        visits.extend(self.search.tree().children().map(|edge| (edge.chosen, edge.visits)));
    }

    fn observe(&mut self, _before: &G, played: G::Move) {
        if self.options.keep_tree {
            self.search.descend(played);
        } else {
            self.search.clear();
        }
    }
}
