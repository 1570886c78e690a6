//! The loop: selection, expansion, playout, backup.

use games::{Game, Moves as _, Rng, Turn, below};

use super::{
    playout::Playout,
    selection::Selection,
    tree::{Edge, NONE, Tree},
};

/// A tree and the parts that grow it.
#[derive(Debug)]
pub struct Search<G: Game, S, P> {
    tree: Tree<G>,
    /// The other arena, for keeping a part of the tree.
    spare: Tree<G>,
    selection: S,
    playout: P,
    /// Most positions in the tree.
    nodes_max: usize,
    /// (edge, seat that chose it) from the root to the leaf.
    path: Vec<(u32, u8)>,
    /// Nodes on the way, the root first.
    nodes: Vec<u32>,
}

/// What a root move looks like after a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchStats<M> {
    /// The move.
    pub chosen: M,
    /// Playouts that began with it.
    pub visits: u32,
    /// Their mean points for the player to move.
    pub mean: f64,
}

/// Seat in a path where nature moved.
const NATURE: u8 = u8::MAX;

impl<G: Game, S: Selection, P: Playout<G>> Search<G, S, P> {
    /// An empty search whose tree will hold at most `nodes_max` positions (at least the root).
    pub fn new(selection: S, playout: P, nodes_max: usize) -> Self {
        let (tree, spare) = (Tree::new(), Tree::new());
        Search { tree, spare, selection, playout, nodes_max, path: Vec::new(), nodes: Vec::new() }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree<G> {
        &self.tree
    }

    /// Drops the tree.
    pub fn clear(&mut self) {
        self.tree.clear();
    }

    /// Makes `position` the root: the tree there is kept if its root is that position, else a new one begins.
    pub fn root(&mut self, position: &G) {
        if self.tree.nodes.first().is_none_or(|root| root.position != *position) {
            self.tree.clear();
            self.tree.add(position.clone());
        }
    }

    /// Goes down one move: the subtree behind it becomes the tree. Without such a subtree the tree is dropped.
    pub fn descend(&mut self, played: G::Move) {
        let child = if self.tree.is_empty() {
            None
        } else {
            self.tree.tried(0).find(|edge| edge.chosen == played).map(|edge| edge.child)
        };
        match child {
            None => self.tree.clear(),
            Some(child) => {
                self.tree.copy_below(child, &mut self.spare);
                std::mem::swap(&mut self.tree, &mut self.spare);
            }
        }
    }

    /// One iteration from the root, which must be set.
    #[inline]
    pub fn iterate(&mut self, rng: &mut Rng) {
        self.path.clear();
        self.nodes.clear();
        let mut index = 0u32;
        self.nodes.push(index);
        let points = loop {
            let node = &self.tree.nodes[index as usize];
            if node.edges == NONE {
                // A leaf: the root of a new tree, or a node that is visited again. The first visit of any
                // node but the root is the playout that made it.
                self.tree.expand(index);
            }
            let node = &self.tree.nodes[index as usize];
            let untried = node.untried.as_ref().map_or(0, G::Moves::len);
            if node.tried == 0 && untried == 0 {
                break node.position.points();
            }
            if untried > 0 && self.tree.len() >= self.nodes_max {
                // No room for another node: the playout starts here.
                let mut position = node.position.clone();
                break self.playout.play(&mut position, rng);
            }
            let next = match node.position.mover() {
                Turn::Over => break node.position.points(),
                Turn::Chance => self.draw(index, rng),
                Turn::Player(seat) => self.choose(index, seat, rng),
            };
            match next {
                Step::Down(child) => {
                    index = child;
                    self.nodes.push(index);
                }
                Step::New(child) => {
                    self.nodes.push(child);
                    let mut position = self.tree.nodes[child as usize].position.clone();
                    break self.playout.play(&mut position, rng);
                }
            }
        };
        for &node in &self.nodes {
            self.tree.nodes[node as usize].visits += 1;
        }
        for &(edge, seat) in &self.path {
            if let Some(edge) = &mut self.tree.edges[edge as usize] {
                edge.visits += 1;
                if seat != NATURE {
                    edge.total += points[usize::from(seat)];
                }
            }
        }
    }

    /// A player's step: the best child, or a new one if an untried move scores higher.
    #[inline]
    fn choose(&mut self, index: u32, seat: usize, rng: &mut Rng) -> Step {
        let node = &self.tree.nodes[index as usize];
        let untried = node.untried.as_ref().map_or(0, G::Moves::len);
        let unseen = self.selection.untried();
        let mut best = (f64::NEG_INFINITY, NONE, NONE);
        if untried == 0 || unseen < f64::INFINITY {
            let parent = self.selection.parent(node.visits);
            let first = node.edges as usize;
            for (offset, edge) in self.tree.edges[first..first + node.tried as usize].iter().enumerate() {
                let Some(edge) = edge else { continue };
                let score = self.selection.score(parent, edge.total, edge.visits);
                if score > best.0 {
                    best = (score, (first + offset) as u32, edge.child);
                }
            }
        }
        if untried > 0 && (best.1 == NONE || unseen > best.0) {
            let pick = if untried == 1 { 0 } else { below(rng, untried as u32) as usize };
            return self.add_child(index, pick, seat as u8);
        }
        self.path.push((best.1, seat as u8));
        Step::Down(best.2)
    }

    /// Nature's step.
    fn draw(&mut self, index: u32, rng: &mut Rng) -> Step {
        let node = &self.tree.nodes[index as usize];
        let drawn = node.position.chance(rng);
        let known = self.tree.tried(index).position(|edge| edge.chosen == drawn);
        if let Some(offset) = known {
            let edge = node.edges + offset as u32;
            self.path.push((edge, NATURE));
            let child = self.tree.edges[edge as usize].as_ref().map_or(NONE, |edge| edge.child);
            return Step::Down(child);
        }
        let untried = node.untried.as_ref();
        let pick = untried.and_then(|moves| (0..moves.len()).find(|&i| moves.get(i) == drawn));
        self.add_child(index, pick.expect("nature draws a move of the position"), NATURE)
    }

    /// Adds the child for the `pick`-th untried move.
    #[inline]
    fn add_child(&mut self, index: u32, pick: usize, seat: u8) -> Step {
        let node = &mut self.tree.nodes[index as usize];
        let chosen = node.untried.as_mut().expect("an expanded node has its moves").take(pick);
        let edge = node.edges + node.tried;
        node.tried += 1;
        let mut position = node.position.clone();
        position.play(chosen);
        let child = self.tree.add(position);
        self.tree.edges[edge as usize] = Some(Edge { total: 0.0, visits: 0, child, chosen });
        self.path.push((edge, seat));
        Step::New(child)
    }

    /// Root moves that were tried, in the order they were first tried.
    pub fn root_stats(&self) -> impl Iterator<Item = SearchStats<G::Move>> + '_ {
        let edges = (!self.tree.is_empty()).then(|| self.tree.tried(0));
        edges.into_iter().flatten().map(|edge| SearchStats {
            chosen: edge.chosen,
            visits: edge.visits,
            mean: if edge.visits == 0 { 0.0 } else { edge.total / f64::from(edge.visits) },
        })
    }
}

enum Step {
    /// To a node that was there.
    Down(u32),
    /// To one just made, which wants a playout.
    New(u32),
}
