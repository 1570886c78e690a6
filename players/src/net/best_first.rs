//! The kind `best-first`: best-first minimax by a network's values.
//!
//! The tree grows along the line that both sides' best values give at the moment: its end is expanded, all positions behind it
//! are valued together, and values go back by minimax (Korf and Chickering 1996, "Best-first minimax search"). Positions whose
//! value is exact are not searched again (the "completion technique" of Cohen-Solal, arXiv 2603.24572). For self-play, moves are
//! drawn by the order of their values (after the action distribution of Cohen-Solal 2020, arXiv 2008.01188).

use std::time::Instant;

use games::{Game, Moves as _, Rng, Seed, Turn, below, unit};
use spec::{Default, Entry, Fault, Kind, OneOf, Param, Spec};

use super::{ARITHMETIC, NET, check_game, points};
use crate::{
    Decision, Player,
    artifacts::Artifacts,
    budget::Budget,
    game_rng::GameRng,
    listed::{BuildError, CHECKED, Listed},
    mcts::{Evaluator, Leaf},
    params::TIME_MS,
    player::Searched,
    solving::{LEAF_SOLVE_FROM, SOLVE_FROM, Settling, settled},
};

/// The kind `best-first`.
pub(crate) struct BestFirstKind;

const PARAMS: &[Param] = &[
    NET,
    Param {
        name: "evaluations",
        kind: Kind::Int(1, NODES_MAX),
        default: Default::None,
        doc: "positions that are valued for each decision; the last expansion is finished",
    },
    TIME_MS,
    Param {
        name: "greed",
        kind: Kind::Real(0.0, 1.0),
        default: Default::Real(1.0),
        doc: "1: the best move is played; below, moves are looked at from the best on, and each is played with the probability \
              greed + (1 - greed) / moves left; 0: all moves are alike",
    },
    ARITHMETIC,
    SOLVE_FROM,
    LEAF_SOLVE_FROM,
];

/// Most positions of a tree.
const NODES_MAX: i64 = 4_000_000;

impl Listed for BestFirstKind {
    const ENTRY: Entry = Entry {
        name: "best-first",
        doc: "best-first minimax by a network's values: the best line so far is followed and expanded at its end",
        params: &[PARAMS],
        one_of: &[OneOf {
            params: &["evaluations", "time-ms"],
            what: "budgets for one decision",
            default: Some(("evaluations", Default::Int(1_000))),
        }],
    };

    fn check(spec: &mut Spec) -> Result<(), Fault> {
        super::check(spec)
    }

    fn check_game<G: Game>(spec: &Spec, start: &G) -> Result<(), Fault> {
        check_game(spec, start)?;
        let facts = start.facts();
        if !facts.chance {
            return Ok(());
        }
        let reason = format!("`best-first` plays games without chance, and not {}", facts.name);
        Err(Fault::Conflict { key: "name".to_owned(), reason })
    }

    fn build<G: Game>(spec: &Spec, start: &G, artifacts: &dyn Artifacts) -> Result<Box<dyn Player<G>>, BuildError> {
        Self::check_game(spec, start)?;
        Ok(match settled(spec, start, points(spec, start, artifacts, "positions")?)? {
            Settling::With(evaluator) => Box::new(BestFirst::new(spec, evaluator)),
            Settling::Without(evaluator) => Box::new(BestFirst::new(spec, evaluator)),
        })
    }
}

/// A position of the tree.
struct Node<G> {
    position: G,
    /// Points that the first seat gets by the best line known.
    points: f64,
    /// Whether they are exact.
    is_settled: bool,
    /// How often it was on the line that was followed.
    visits: u32,
    /// The node that its move was played at; of the root itself.
    parent: u32,
    /// Place of that move among the legal ones.
    place: u32,
    /// The nodes behind its moves, in their order; none before it is expanded.
    children: std::ops::Range<u32>,
}

/// The player.
struct BestFirst<G: Game, E> {
    evaluator: E,
    budget: Budget,
    greed: f64,
    /// The root first.
    tree: Vec<Node<G>>,
    leaves: Vec<Leaf<G, ()>>,
    rng: GameRng,
}

impl<G: Game, E: Evaluator<G, Prior = ()>> BestFirst<G, E> {
    /// The player of a checked spec.
    fn new(spec: &Spec, evaluator: E) -> Self {
        BestFirst {
            evaluator,
            budget: Budget::of(spec).expect(CHECKED),
            greed: spec.real("greed").expect(CHECKED),
            tree: Vec::new(),
            leaves: Vec::new(),
            rng: GameRng::default(),
        }
    }

    /// Grows a tree from a position until the budget is spent or its value is exact.
    #[expect(clippy::disallowed_methods, reason = "a time budget needs the clock; it marks its run not reproducible")]
    fn grow(&mut self, position: &G) {
        let start = Instant::now();
        self.tree.clear();
        let root = Node {
            position: position.clone(),
            points: 0.5,
            is_settled: false,
            visits: 0,
            parent: 0,
            place: 0,
            children: 0..0,
        };
        self.tree.push(root);
        while !self.tree[0].is_settled && self.tree.len() <= NODES_MAX as usize {
            let end = self.end_of_line();
            self.expand(end);
            self.back_up(end);
            let is_spent = match self.budget {
                Budget::Time(limit) => start.elapsed() >= limit,
                Budget::Playouts(most) => self.tree.len() as u64 > most,
                Budget::Depth(_) | Budget::Nodes(_) => unreachable!("it has no such budget"),
            };
            if is_spent {
                break;
            }
        }
    }

    /// The end of the line of best values, over positions whose value is not exact.
    fn end_of_line(&mut self) -> usize {
        let mut at = 0;
        loop {
            self.tree[at].visits += 1;
            let Some(next) = self.best(at, |node| !node.is_settled) else { return at };
            at = next;
        }
    }

    /// The child of the best value for who moves, among those that count; of equal ones that of the fewest visits, then the
    /// first. `None` if there is none.
    fn best(&self, at: usize, counts: impl Fn(&Node<G>) -> bool) -> Option<usize> {
        let side = side(&self.tree[at].position);
        let children = self.tree[at].children.clone().map(|child| child as usize);
        let mut best: Option<(f64, u32, usize)> = None;
        for child in children.filter(|&child| counts(&self.tree[child])) {
            let Node { points, visits, .. } = self.tree[child];
            let value = side * points;
            if best.is_none_or(|(most, fewest, _)| value > most || (value == most && visits < fewest)) {
                best = Some((value, visits, child));
            }
        }
        best.map(|(_, _, child)| child)
    }

    /// Adds the positions behind all moves of a node, with their values.
    fn expand(&mut self, at: usize) {
        let position = &self.tree[at].position;
        let moves = position.moves();
        let behind = |index| {
            let mut position = position.clone();
            position.play(moves.get(index));
            Leaf { position, points: [0.5; 2], priors: Vec::new() }
        };
        self.leaves.clear();
        self.leaves.extend((0..moves.len()).map(behind));
        self.evaluator.evaluate_all(&mut self.leaves, self.rng.get());
        let first = self.tree.len() as u32;
        for (place, leaf) in self.leaves.drain(..).enumerate() {
            self.tree.push(Node {
                points: leaf.points[0],
                is_settled: leaf.position.turn() == Turn::Over || self.evaluator.settles(&leaf.position),
                position: leaf.position,
                visits: 0,
                parent: at as u32,
                place: place as u32,
                children: 0..0,
            });
        }
        self.tree[at].children = first..self.tree.len() as u32;
    }

    /// Gives a node and those before it the values of their best children. A value is exact if all children's are, or if it is
    /// a win for who moves.
    fn back_up(&mut self, mut at: usize) {
        loop {
            let best = self.best(at, |_| true).expect("an expanded node has children");
            let (points, is_settled) = (self.tree[best].points, self.tree[best].is_settled);
            let won = if side(&self.tree[at].position) > 0.0 { 1.0 } else { 0.0 };
            let mut children = self.tree[at].children.clone();
            let node_is_settled =
                (is_settled && points == won) || children.all(|child| self.tree[child as usize].is_settled);
            (self.tree[at].points, self.tree[at].is_settled) = (points, node_is_settled);
            if at == 0 {
                return;
            }
            at = self.tree[at].parent as usize;
        }
    }

    /// The child of the root whose move is played: the best by value, then by visits, then by lot; or one by the order of
    /// values, as the greed says.
    fn chosen(&mut self) -> u32 {
        let side = side(&self.tree[0].position);
        let rng = self.rng.get();
        let mut children: Vec<(f64, u32, u32, u32)> = Vec::new();
        for child in self.tree[0].children.clone() {
            let node = &self.tree[child as usize];
            children.push((side * node.points, node.visits, below(rng, u32::MAX), child));
        }
        children.sort_by(|a, b| b.0.total_cmp(&a.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
        drawn(children.iter().map(|child| child.3), self.greed, rng)
    }
}

/// 1 where the first seat moves, -1 where the second does.
fn side<G: Game>(position: &G) -> f64 {
    if position.mover() == Turn::Player(0) { 1.0 } else { -1.0 }
}

/// One of some in their order: each is taken with the probability `greed + (1 - greed) / m`, where it is the first of m left.
fn drawn(from: impl ExactSizeIterator<Item = u32>, greed: f64, rng: &mut Rng) -> u32 {
    let count = from.len();
    let mut last = 0;
    for (place, one) in from.enumerate() {
        last = one;
        let left = (count - place) as f64;
        if greed == 1.0 || unit(rng) < greed + (1.0 - greed) / left {
            return one;
        }
    }
    last
}

impl<G: Game, E: Evaluator<G, Prior = ()>> Player<G> for BestFirst<G, E> {
    fn start(&mut self, seed: &Seed) {
        self.rng.start(seed);
        self.tree.clear();
    }

    fn decide(&mut self, position: &G) -> Decision<G::Move> {
        let moves = position.moves();
        self.tree.clear();
        if moves.len() == 1 {
            return Decision { chosen: moves.get(0), iterations: 0 };
        }
        self.grow(position);
        let chosen = self.chosen();
        let place = self.tree[chosen as usize].place as usize;
        Decision { chosen: moves.get(place), iterations: self.tree.len() as u64 - 1 }
    }

    fn searched(&self, found: &mut Vec<Searched>) {
        // Where each expanded node stands among those.
        let mut numbers = vec![0; self.tree.len()];
        for (at, node) in self.tree.iter().enumerate().filter(|(_, node)| !node.children.is_empty()) {
            numbers[at] = found.len() as u32;
            found.push(Searched { parent: numbers[node.parent as usize], place: node.place, points: node.points });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The i-th of m left is taken with `greed + (1 - greed) / m`.
    #[test]
    fn moves_are_drawn_by_their_order() {
        const DRAWS: u32 = 40_000;
        let mut rng = Seed::derive(1, 0, 0, "drawn").rng();
        for (greed, wanted) in
            [(1.0, [1.0, 0.0, 0.0, 0.0]), (0.0, [0.25; 4]), (0.6, [0.7, 0.3 * 11.0 / 15.0, 0.08 * 0.8, 0.08 * 0.2])]
        {
            let mut counts = [0u32; 4];
            for _ in 0..DRAWS {
                counts[drawn(0..4u32, greed, &mut rng) as usize] += 1;
            }
            for (count, wanted) in counts.into_iter().zip(wanted) {
                let share = f64::from(count) / f64::from(DRAWS);
                assert!((share - wanted).abs() < 0.012, "{greed}: {counts:?}");
            }
        }
    }
}
