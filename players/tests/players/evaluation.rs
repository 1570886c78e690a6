//! Searches whose leaves are valued by an evaluator: priors, leaves valued together, and the bound on memory.

use games::{
    Game, Moves as _, Rng, Seed, Turn,
    reversi::Reversi,
    toys::{TreeGame, Wide},
};
use players::{
    Player as _,
    mcts::{
        Budget, Evaluator, FinalMove, Leaf, Options, Prior, Puct, Search, Selection, TreeLimit, Ucb1, Uct,
        UniformPlayout, Untried,
    },
};

const FIRST: Turn = Turn::Player(0);
const SECOND: Turn = Turn::Player(1);

/// Values positions by a playout, moves by fixed priors in the game's order or all alike. Counts what it values.
#[derive(Default)]
struct Oracle {
    priors: &'static [f32],
    evaluations: usize,
    batches: Vec<usize>,
}

impl<G: Game> Evaluator<G> for Oracle {
    type Prior = f32;

    fn evaluate(&mut self, leaf: &mut Leaf<G, f32>, rng: &mut Rng) {
        self.evaluations += 1;
        let moves = leaf.position.moves().len();
        leaf.priors = (0..moves).map(|index| *self.priors.get(index).unwrap_or(&(1.0 / moves as f32))).collect();
        leaf.points = leaf.position.playout(rng);
    }

    fn evaluate_all(&mut self, leaves: &mut [Leaf<G, f32>], rng: &mut Rng) {
        self.batches.push(leaves.len());
        for leaf in leaves {
            self.evaluate(leaf, rng);
        }
    }
}

fn oracle(priors: &'static [f32]) -> Oracle {
    Oracle { priors, ..Oracle::default() }
}

fn puct(c: f64) -> Puct {
    Puct { c, untried: Untried::Fixed(0.0) }
}

/// A search from `root` whose iterations are made `batch` at a time.
fn search<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>>(
    root: &G,
    (selection, evaluator): (S, E),
    iterations: usize,
    batch: usize,
) -> Search<G, S, E> {
    let mut search = Search::new(selection, evaluator, TreeLimit::NONE);
    let mut rng = Seed::derive(4, 0, 0, "evaluation").rng();
    search.root(root);
    for first in (0..iterations).step_by(batch) {
        search.iterate_together(batch.min(iterations - first), &mut rng);
    }
    search
}

/// (move, visits, mean) of the root's children, in the order in which they were tried.
fn stats<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>>(
    search: &Search<G, S, E>,
) -> Vec<(G::Move, u32, f64)> {
    search.root_stats().map(|s| (s.chosen, s.visits, s.mean)).collect()
}

fn visits<G: Game, E: Evaluator<G>, S: Selection<Prior = E::Prior>>(search: &Search<G, S, E>) -> u32 {
    search.root_stats().map(|s| s.visits).sum()
}

#[test]
fn visits_add_up_to_the_budget_with_priors_and_in_batches() {
    for iterations in [1, 2, 5, 100, 700] {
        for batch in [1, 2, 8, 64] {
            let found = search(&Reversi::new(), (puct(1.5), oracle(&[])), iterations, batch);
            assert_eq!(visits(&found), iterations as u32, "{iterations} in batches of {batch}");
            assert_eq!(found.tree().len(), iterations + 1, "one node an iteration");
            let plain =
                search(&Reversi::new(), (Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout), iterations, batch);
            assert_eq!(visits(&plain), iterations as u32, "{iterations} in batches of {batch}");
            assert_eq!(plain.tree().len(), iterations + 1, "one node an iteration");
        }
    }
}

#[test]
fn a_batch_of_one_is_the_plain_loop() {
    fn check<E: Evaluator<Reversi>, S: Selection<Prior = E::Prior>>(parts: impl Fn() -> (S, E)) {
        let together = search(&Reversi::new(), parts(), 900, 1);
        let (selection, evaluator) = parts();
        let mut plain = Search::new(selection, evaluator, TreeLimit::NONE);
        let mut rng = Seed::derive(4, 0, 0, "evaluation").rng();
        plain.root(&Reversi::new());
        for _ in 0..900 {
            plain.iterate(&mut rng);
        }
        assert_eq!(stats(&together), stats(&plain));
        assert_eq!(together.tree().len(), plain.tree().len());
    }
    check(|| (Ucb1::new(0.7, 1.0, f64::INFINITY), UniformPlayout));
    check(|| (puct(1.5), oracle(&[])));
}

/// Moves by PUCT, step by step without a tree: one player, arms whose worth is known.
#[test]
fn visits_of_arms_are_those_of_the_formula() {
    const PRIORS: &[f32] = &[0.125, 0.5, 0.25, 0.125];
    const WORTH: [f64; 4] = [0.25, 0.5, 1.0, 0.0];
    let game = TreeGame::new(&[(FIRST, 4)], |history| WORTH[usize::from(history[0])]);
    let found = search(&game, (puct(1.25), oracle(PRIORS)), 500, 1);
    let mut visits = [0u32; 4];
    for n in 0..500u32 {
        let score = |arm: &usize| {
            let (visits, prior) = (f64::from(visits[*arm]), f64::from(PRIORS[*arm]));
            let q = if visits == 0.0 { 0.0 } else { WORTH[*arm] };
            q + 1.25 * prior * f64::from(n).sqrt() / (1.0 + visits)
        };
        // The first of equals in the order of the priors, which is that of the tree.
        let best = [1, 2, 0, 3].into_iter().reduce(|best, arm| if score(&arm) > score(&best) { arm } else { best });
        visits[best.expect("arms")] += 1;
    }
    let mut expected: Vec<(u8, u32, f64)> =
        (0..4).map(|arm| (arm as u8, visits[usize::from(arm as u8)], WORTH[arm])).collect();
    expected.retain(|arm| arm.1 > 0);
    let mut found = stats(&found);
    found.sort_by_key(|arm| arm.0);
    assert_eq!(found, expected);
    assert!(visits[2] > 300, "the best arm has most visits: {visits:?}");
}

#[test]
fn moves_are_tried_by_falling_prior() {
    const PRIORS: &[f32] = &[0.1, 0.3, 0.2, 0.3, 0.1];
    let game = TreeGame::new(&[(FIRST, 5), (SECOND, 2)], |_| 0.5);
    // Untried moves are worth so much that every one is tried before any twice.
    let puct = Puct { c: 1.0, untried: Untried::Fixed(1e6) };
    let found = search(&game, (puct, oracle(PRIORS)), 5, 1);
    let order: Vec<u8> = stats(&found).iter().map(|arm| arm.0).collect();
    assert_eq!(order, [1, 3, 2, 0, 4], "equal ones in the game's order");
    // With uniform priors that is the game's order.
    let found = search(&game, (puct, oracle(&[])), 5, 1);
    assert_eq!(stats(&found).iter().map(|arm| arm.0).collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
}

#[test]
fn a_prior_of_nothing_hides_a_move_and_a_good_one_is_found_behind_a_bad_prior() {
    let game = TreeGame::new(&[(FIRST, 3)], |history| f64::from(u8::from(history[0] == 2)));
    let most = |priors| {
        let found = search(&game, (puct(1.0), oracle(priors)), 400, 1);
        stats(&found).iter().max_by_key(|arm| arm.1).expect("arms").0
    };
    assert_eq!(most(&[0.6, 0.39, 0.01]), 2);
    assert_eq!(most(&[0.6, 0.4, 0.0]), 0, "a search sees what its priors let it see");
}

#[test]
fn each_player_wants_its_own_points_with_priors() {
    // First wins by 0 only if second answers 1; second will not. Move 1 is a sure half.
    let value = |history: &[u8]| if history[0] == 1 { 0.5 } else { f64::from(history[1]) };
    let game = TreeGame::new(&[(FIRST, 2), (SECOND, 2)], value);
    for batch in [1, 16] {
        let found = search(&game, (puct(1.0), oracle(&[])), 2_000, batch);
        assert_eq!(stats(&found).iter().max_by_key(|arm| arm.1).expect("arms").0, 1, "in batches of {batch}");
    }
}

#[test]
fn leaves_of_a_batch_differ_and_are_valued_together() {
    let game = TreeGame::new(&[(FIRST, 8), (SECOND, 8), (FIRST, 8)], |history| f64::from(history[0]) / 8.0);
    let found = search(&game, (puct(1.0), oracle(&[])), 8, 8);
    assert_eq!(stats(&found).iter().map(|arm| arm.1).collect::<Vec<_>>(), [1; 8], "a visit of each arm");
    let mut found = search(&Reversi::new(), (puct(1.0), oracle(&[])), 512, 32);
    assert_eq!(found.evaluator().evaluations, found.tree().len(), "each position once");
    let most = *found.evaluator().batches.iter().max().expect("batches");
    assert!((16..=32).contains(&most), "up to {most} together");
    found.clear();
    assert!(found.tree().is_empty());
}

#[test]
fn nature_is_weighed_in_batches_too() {
    // Move 0 leads to a draw that is worth 0.2 in the mean, move 1 is worth 0.5.
    let value = |history: &[u8]| if history[0] == 1 { 0.5 } else { f64::from(history[1]) };
    let game = TreeGame::new(&[(FIRST, 2), (Turn::Chance, 2), (FIRST, 2)], value).with_odds(0.8);
    for batch in [1, 2, 7, 32] {
        let found = search(&game, (puct(3.0), oracle(&[])), 4_000, batch);
        let mut arms = stats(&found);
        arms.sort_by_key(|arm| arm.0);
        assert_eq!(arms.iter().map(|arm| arm.1).sum::<u32>(), 4_000);
        assert!((arms[0].2 - 0.2).abs() < 1e-12, "the mean is by the probabilities: {arms:?}");
        assert!((arms[1].2 - 0.5).abs() < 1e-12, "{arms:?}");
    }
}

#[test]
fn a_kept_tree_keeps_its_priors() {
    let mut found = search(&Reversi::new(), (puct(1.5), oracle(&[])), 600, 1);
    let before = found.root_stats().max_by_key(|s| s.visits).expect("moves");
    let mut child = Reversi::new();
    child.play(before.chosen);
    found.descend(before.chosen);
    found.root(&child);
    assert_eq!(found.tree().len() as u32, before.visits);
    assert_eq!(visits(&found), before.visits - 1);
    let mut rng = Seed::derive(1, 0, 0, "on top").rng();
    found.iterate_together(64, &mut rng);
    assert_eq!(visits(&found), before.visits + 63, "the root has its priors already");
}

#[test]
fn a_player_searches_with_priors_and_batches() {
    let play = |batch| {
        let options = Options {
            budget: Budget::Playouts(101),
            final_move: FinalMove::MostVisited,
            keep_tree: true,
            search_forced: false,
            batch,
        };
        let mut player = Uct::new(Search::new(puct(1.5), oracle(&[]), TreeLimit::NONE), options);
        player.start(&Seed::derive(2, 0, 0, "batches"));
        let decision = player.decide(&Reversi::new());
        assert_eq!((decision.iterations, visits(player.search())), (101, 101));
        assert!(player.readout(0).expect("a search").metrics.nodes == 102.0);
    };
    for batch in [1, 8, 101, 1_000] {
        play(batch);
    }
}

#[test]
fn a_tree_stays_within_its_bytes() {
    let root = Wide::new(600, 30);
    let grown = |bytes| {
        let limit = TreeLimit { bytes, ..TreeLimit::NONE };
        let mut search = Search::new(Ucb1::new(0.1, 1.0, 0.5), UniformPlayout, limit);
        let mut rng = Seed::derive(9, 0, 0, "bytes").rng();
        search.root(&root);
        for _ in 0..3_000 {
            search.iterate(&mut rng);
        }
        (search.tree().bytes(), search.tree().len())
    };
    let (free, nodes) = grown(usize::MAX);
    assert_eq!(nodes, 3_001);
    // Every expanded node holds a list of 600 moves and an edge for each.
    let node = 600 * (2 + 16);
    assert!(free > 1_000_000, "{free}");
    for bytes in [100_000, 400_000] {
        let (used, nodes) = grown(bytes);
        assert!((bytes..bytes + 4 * node).contains(&used), "{used} of {bytes}");
        assert!(nodes < 3_001);
    }
}

#[test]
fn priors_take_no_memory_where_there_are_none() {
    assert_eq!([<() as Prior>::GIVEN, <f32 as Prior>::GIVEN], [false, true]);
    assert_eq!((size_of::<players::mcts::Edge<u64>>(), size_of::<players::mcts::Edge<u64, f32>>()), (24, 32));
}
