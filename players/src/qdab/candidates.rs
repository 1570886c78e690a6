//! Moves that the search looks at, and the playouts.

use games::{
    Game as _, Moves as _, Rng, below,
    dots_and_boxes::{Categories, DotsAndBoxes, Move, MoveSet, Solver},
    endings::Endings as _,
};

use crate::mcts::{Evaluator, Expansion, Leaf};

/// Completed turns before which the opening's rules hold.
const OPENING_TURNS: u32 = 16;
/// Completed turns from which all chains may be opened.
const CHAIN_TURNS: u32 = 20;
/// Safe moves below which chains are opened, too.
const FEW_SAFE: usize = 6;
/// Safe moves that stay when those between untouched boxes are left out, at least.
const SPARED: usize = 6;
/// Candidates of an opening.
const OPENING_MOST: usize = 20;
/// In playouts, safe moves below which chains are opened, too.
const FEW_SAFE_IN_PLAYOUTS: usize = 7;
/// Completed turns at which playouts end, and free edges that they have at most then: exact play decides.
const SOLVED_TURNS: u32 = 30;
const SOLVED_EDGES: u32 = 30;

pub(super) fn edges(set: MoveSet) -> impl Iterator<Item = Move> {
    (0..set.len()).map(move |index| set.get(index))
}

/// Orders the candidates of a position by the free edges of the boxes at them, ascending, equal ones at random.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    ranked: Vec<(u32, u32, Move)>,
    places: Vec<u32>,
}

impl Candidates {
    /// Fills in the candidates.
    fn collect(&mut self, position: &DotsAndBoxes) {
        let categories = position.categories();
        self.ranked.clear();
        let mut add = |edge: Move| self.ranked.push((position.free_around(edge).iter().sum(), 0, edge));
        if let Some(edge) = edges(categories.distinct(0)).next() {
            // Taken at once, whatever else there is.
            return add(edge);
        }
        if !categories.distinct(2).is_empty() {
            return edges(categories.distinct(2)).for_each(add);
        }
        let turns = position.completed_turns();
        let safe = categories.distinct(1);
        let is_untouched = |edge: &Move| position.free_around(*edge) == [4, 4];
        let spares = turns < OPENING_TURNS && edges(safe).filter(|edge| !is_untouched(edge)).count() >= SPARED;
        edges(safe).filter(|edge| !spares || !is_untouched(edge)).for_each(&mut add);
        if safe.len() < FEW_SAFE || turns >= CHAIN_TURNS {
            let chains = edges(categories.distinct(3));
            if (OPENING_TURNS..CHAIN_TURNS).contains(&turns) {
                chains.min_by_key(|&edge| given_away(position, edge)).into_iter().for_each(add);
            } else {
                chains.for_each(add);
            }
        }
    }
}

/// Boxes that the other side can take when an edge is drawn.
fn given_away(position: &DotsAndBoxes, edge: Move) -> u32 {
    let mut after = *position;
    after.play(edge);
    let before = after.open_boxes();
    while let Some(taking) = edges(after.moves()).find(|&edge| after.completes(edge) > 0) {
        after.play(taking);
    }
    before - after.open_boxes()
}

impl Expansion<DotsAndBoxes> for Candidates {
    const ORDERS: bool = true;

    fn order(&mut self, position: &DotsAndBoxes, moves: &MoveSet, rng: &mut Rng) -> &[u32] {
        self.collect(position);
        for candidate in &mut self.ranked {
            candidate.1 = below(rng, 1 << 30);
        }
        self.ranked.sort_unstable_by_key(|&(sum, tie, _)| (sum, tie));
        if position.completed_turns() < OPENING_TURNS {
            self.ranked.truncate(OPENING_MOST);
        }
        let place = |edge: Move| (0..moves.len()).position(|index| moves.get(index) == edge);
        self.places.clear();
        self.places.extend(self.ranked.iter().filter_map(|&(_, _, edge)| place(edge)).map(|place| place as u32));
        &self.places
    }
}

/// Plays by categories at random until exact play is quick, and values the position by who wins then.
pub(super) struct CategoryPlayout {
    solver: Solver,
}

impl CategoryPlayout {
    pub(super) fn new() -> Self {
        CategoryPlayout { solver: Solver::default() }
    }

    /// Points of each seat at the end of the game if both sides play best. Decisions ask for it, too.
    pub(super) fn solved(&mut self, position: &DotsAndBoxes) -> [f64; 2] {
        if self.solver.is_at_least(position, 1) {
            [1.0, 0.0]
        } else if self.solver.is_at_least(position, 0) {
            [0.5; 2]
        } else {
            [0.0, 1.0]
        }
    }
}

impl Evaluator<DotsAndBoxes> for CategoryPlayout {
    type Prior = ();

    fn evaluate(&mut self, leaf: &mut Leaf<DotsAndBoxes, ()>, rng: &mut Rng) {
        let position = &mut leaf.position;
        while position.free_edges() > SOLVED_EDGES
            || position.completed_turns() < SOLVED_TURNS && position.free_edges() > 0
        {
            let chosen = random_move(&position.categories(), rng);
            position.play(chosen);
        }
        leaf.points = self.solved(position);
    }
}

/// A category 0 edge if there is one; else one at random of category 2, or of 1, with 3 if those are few.
fn random_move(categories: &Categories, rng: &mut Rng) -> Move {
    if let Some(taking) = edges(categories.distinct(0)).next() {
        return taking;
    }
    let rests = categories.distinct(2);
    if !rests.is_empty() {
        return rests.get(draw(rng, rests.len()));
    }
    let (safe, chains) = (categories.distinct(1), categories.distinct(3));
    let chains_count = if safe.len() < FEW_SAFE_IN_PLAYOUTS { chains.len() } else { 0 };
    let index = draw(rng, safe.len() + chains_count);
    if index < safe.len() { safe.get(index) } else { chains.get(index - safe.len()) }
}

/// A number below `count`; one of one takes no draw.
fn draw(rng: &mut Rng, count: usize) -> usize {
    if count == 1 { 0 } else { below(rng, count as u32) as usize }
}
