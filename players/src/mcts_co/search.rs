//! The decision: preselection, iterations, and the choice (Richoux 2024, section III).

use games::{Game, Moves as _, Rng, Seed, below, unit};

use super::{expansion::Optimised, playout::Discounted};
use crate::{
    Decision, Player,
    game_rng::GameRng,
    mcts::{Budget, Meter, Reached, Search, Ucb1, UnvisitedFirst, of_tree},
    one_ply::OnePly,
    readout::{Growth, Readout},
};

/// How rewards are accounted for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Account {
    /// A reward is divided by the number of children of the new node's parent.
    pub(super) divides: bool,
    /// The first visit of a node counts for the node itself.
    pub(super) counts_first_visit: bool,
}

/// Searches each move anew.
pub(super) struct MctsCo<G: Game> {
    search: Search<G, UnvisitedFirst<Ucb1>, Discounted, Optimised>,
    optimiser: OnePly,
    /// Moves of the root that are preselected; 0: all.
    select: usize,
    account: Account,
    budget: Budget,
    rng: GameRng,
    growth: Growth,
}

impl<G: Game> MctsCo<G> {
    pub(super) fn new(
        search: Search<G, UnvisitedFirst<Ucb1>, Discounted, Optimised>,
        optimiser: OnePly,
        select: usize,
        account: Account,
        budget: Budget,
    ) -> Self {
        MctsCo { search, optimiser, select, account, budget, rng: GameRng::default(), growth: Growth::default() }
    }

    /// The moves of the root that are searched.
    fn candidates(&mut self, position: &G, moves: &G::Moves) -> Vec<G::Move> {
        let all = (0..moves.len()).map(|place| moves.get(place));
        if self.select == 0 {
            let open: Vec<G::Move> = all.clone().filter(|&chosen| !position.is_masked(chosen)).collect();
            return if open.is_empty() { all.collect() } else { open };
        }
        let rng = self.rng.get();
        let mut valued: Vec<(f64, f64, G::Move)> = self
            .optimiser
            .values(position)
            .iter()
            .zip(all)
            .map(|(&value, chosen)| (value, unit(rng), chosen))
            .collect();
        // Of equal values some at random.
        valued.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.total_cmp(&b.1)));
        valued.truncate(self.select);
        valued.into_iter().map(|(.., chosen)| chosen).collect()
    }

    /// One iteration.
    fn iterate(&mut self) {
        let rng = self.rng.get();
        let points = match self.search.select_leaf(rng) {
            Reached::End(node) => self.search.end(node, rng),
            Reached::Full(node) => self.search.value(node, None, rng),
            Reached::New(node) => {
                let mut points = self.search.value(node, None, rng);
                if self.account.divides {
                    let siblings = f64::from(self.search.siblings());
                    points = points.map(|points| points / siblings);
                }
                if !self.account.counts_first_visit {
                    self.search.leave_new();
                }
                points
            }
            Reached::Pending => unreachable!("nothing waits for its value between two iterations"),
        };
        self.search.back_up(points);
    }

    /// A child of the root with the greatest mean reward, of those that were visited.
    fn chosen(&mut self) -> G::Move {
        let mean = |edge: &crate::mcts::Edge<G::Move>| edge.total / f64::from(edge.visits);
        let visited = || self.search.tree().children().filter(|edge| edge.visits > 0);
        let best = visited().map(mean).fold(f64::NEG_INFINITY, f64::max);
        let equals: Vec<G::Move> = visited().filter(|edge| mean(edge) == best).map(|edge| edge.chosen).collect();
        pick(&equals, self.rng.get())
    }
}

/// One of several, each as likely as another.
fn pick<M: Copy>(equals: &[M], rng: &mut Rng) -> M {
    equals[if equals.len() == 1 { 0 } else { below(rng, equals.len() as u32) as usize }]
}

impl<G: Game> Player<G> for MctsCo<G> {
    fn start(&mut self, seed: &Seed) {
        self.search.clear();
        self.rng.start(seed);
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let position = position.searched().unwrap_or_else(|| position.clone());
        let moves = position.moves();
        self.growth = Growth::default();
        self.search.clear();
        // A move that wins at once is played, masked or not.
        let at_once = if moves.len() == 1 { Some(0) } else { self.optimiser.win(&position) };
        if let Some(place) = at_once {
            return Decision { chosen: moves.get(place), iterations: 0 };
        }
        let candidates = self.candidates(&position, &moves);
        if let [only] = candidates[..] {
            return Decision { chosen: only, iterations: 0 };
        }
        self.search.root_among(&position, &candidates);
        let mut meter = Meter::new(self.budget);
        while meter.next(self.search.tree().len()) {
            self.iterate();
        }
        self.growth = meter.growth(self.search.tree().len());
        Decision { chosen: self.chosen(), iterations: self.growth.iterations }
    }

    fn readout(&self, bins: usize) -> Option<Readout> {
        (!self.search.tree().is_empty()).then(|| of_tree(self.search.tree(), self.search.seat(), &self.growth, bins))
    }

    fn figures(&self, values: &mut Vec<f64>) {
        values.push(self.search.tree().root_share());
    }
}

#[cfg(test)]
mod tests {
    use games::{
        Turn,
        reversi::Reversi,
        toys::{TreeGame, Wild},
    };

    use super::*;
    use crate::{
        mcts::TreeLimit,
        mcts_co::playout::{FinalSign, Moves},
        one_ply::Ends,
    };

    const FIRST: Turn = Turn::Player(0);
    const SECOND: Turn = Turn::Player(1);

    const PLAIN: Account = Account { divides: false, counts_first_visit: true };

    /// A search of `position` after `playouts` iterations.
    fn searched<G: Game>(position: &G, playouts: u64, expansion: Optimised, account: Account) -> MctsCo<G> {
        let optimiser = OnePly::new(Ends::Result);
        let playout = Discounted::new(Moves::Random, 0.9, FinalSign::Own, optimiser.clone());
        let selection = UnvisitedFirst(Ucb1::new(0.3, 1.0, f64::INFINITY).drawing_ties(true));
        let search = Search::expanding(selection, playout, expansion, TreeLimit::NONE);
        let mut player = MctsCo::new(search, optimiser, 0, account, Budget::Playouts(playouts));
        player.start(&Seed::derive(5, 0, playouts, "player"));
        player.decide(position);
        player
    }

    /// Visits and total reward of the root's children.
    fn children<G: Game>(player: &MctsCo<G>) -> Vec<(u32, f64)> {
        player.search.tree().children().map(|edge| (edge.visits, edge.total)).collect()
    }

    /// Two moves that win in the end, each behind three answers of the other side. The first visit of a move is of its first
    /// answer, so that three visits add three answers: rewards of 1, or of 1, 1/2 and 1/3.
    #[test]
    fn rewards_are_whole_or_divided_by_the_siblings() {
        const PLIES: &[(Turn, u8)] = &[(FIRST, 2), (SECOND, 3), (FIRST, 1)];
        let game = TreeGame::new(PLIES, |_| 1.0);
        assert_eq!(children(&searched(&game, 6, Optimised::random(), PLAIN)), [(3, 3.0); 2]);
        let divided = Account { divides: true, ..PLAIN };
        for (visits, total) in children(&searched(&game, 6, Optimised::random(), divided)) {
            assert_eq!(visits, 3);
            assert!((total - (1.0 + 1.0 / 2.0 + 1.0 / 3.0)).abs() < 1e-12, "{total}");
        }
    }

    /// Every visit of a root's move adds an answer or goes on below one; the answer's first visit counts for it, or not.
    #[test]
    fn first_visits_count_for_the_node_or_only_above() {
        for counts_first_visit in [true, false] {
            let account = Account { counts_first_visit, ..PLAIN };
            let player = searched(&Reversi::new(), 400, Optimised::random(), account);
            assert_eq!(children(&player).iter().map(|child| child.0).sum::<u32>(), 400);
            for (own, below, added) in player.search.tree().visits_below() {
                assert!(added > 0);
                assert_eq!(own, below + if counts_first_visit { 0 } else { added });
            }
        }
    }

    /// The children of a node, in the order in which they were added, are its best moves, or any.
    #[test]
    fn expansion_adds_the_best_moves_first() {
        let mut unordered = 0;
        for seed in 0..50 {
            let game = Wild::new(seed, 2);
            let values = |expansion| {
                let player = searched(&game, 60, expansion, PLAIN);
                let mut optimiser = OnePly::new(Ends::Result);
                player.search.tree().values_in_order(|position| optimiser.values(position).to_vec())
            };
            for values in values(Optimised::best(OnePly::new(Ends::Result))) {
                assert!(values.is_sorted_by(|a, b| a >= b), "{values:?}");
            }
            unordered += values(Optimised::random()).iter().filter(|v| !v.is_sorted_by(|a, b| a >= b)).count();
        }
        assert!(unordered > 50, "{unordered}");
    }
}
