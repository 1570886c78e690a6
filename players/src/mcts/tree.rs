//! The tree in two arenas with 32-bit indices.
//!
//! A node holds a position; its edges, one for each legal move, lie side by side, so that selection reads
//! memory in order. Edges are made when their node is visited a second time, since most leaves never are; with priors,
//! which are to be kept, when the node is valued.

use std::mem::size_of;

use games::{Game, Moves as _};

use super::Prior;

/// No edges yet, or no node yet.
pub(super) const NONE: u32 = u32::MAX;

/// Not an index: the node waits for its value, and its edges for their priors.
pub(super) const PENDING: u32 = u32::MAX - 1;

/// A move with its statistics: one that was tried, or, with priors, one to be tried.
#[derive(Clone, Copy, Debug)]
pub struct Edge<M, R = ()> {
    /// Points of the player who chooses here, summed over visits.
    pub total: f64,
    /// Playouts that went this way.
    pub visits: u32,
    /// Node it leads to; [`NONE`] of a move to be tried.
    pub(crate) child: u32,
    /// The move.
    pub chosen: M,
    /// What the evaluation of the position said about the move.
    pub prior: R,
}

#[derive(Clone, Debug)]
pub(super) struct Node<G: Game> {
    pub(super) position: G,
    /// Legal moves without an edge. Nothing until `edges` is set, and nothing where edges have priors.
    pub(super) untried: Option<G::Moves>,
    /// First of its edges, one for each legal move. Those that were tried come first, in the order in which they were.
    pub(super) edges: u32,
    /// Number of its legal moves. Meaningless until `edges` is set.
    pub(super) moves: u32,
    /// Number of moves that were tried.
    pub(super) tried: u32,
    /// Playouts through this node.
    pub(super) visits: u32,
}

/// A search tree. Keeps its memory when cleared.
#[derive(Debug)]
pub struct Tree<G: Game, R = ()> {
    pub(super) nodes: Vec<Node<G>>,
    /// Slots of nodes' edges; `None` where a move is untried and has no prior.
    pub(super) edges: Vec<Option<Edge<G::Move, R>>>,
    /// Bytes that positions and moves hold outside of the arenas.
    heap_bytes: usize,
}

impl<G: Game, R: Prior> Tree<G, R> {
    pub(super) fn new() -> Self {
        Tree { nodes: Vec::new(), edges: Vec::new(), heap_bytes: 0 }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
        self.heap_bytes = 0;
    }

    /// Adds a node for a position not seen yet; gives its index.
    #[inline]
    pub(super) fn add(&mut self, position: G) -> u32 {
        let index = self.nodes.len() as u32;
        self.heap_bytes += position.heap_bytes();
        self.nodes.push(Node { position, untried: None, edges: NONE, moves: 0, tried: 0, visits: 0 });
        index
    }

    /// Makes room for a node's edges.
    pub(super) fn expand(&mut self, node: u32) {
        let first = self.edges.len() as u32;
        let node = &mut self.nodes[node as usize];
        let moves = node.position.moves();
        self.edges.resize(self.edges.len() + moves.len(), None);
        self.heap_bytes += moves.heap_bytes();
        node.edges = first;
        node.moves = moves.len() as u32;
        node.untried = Some(moves);
    }

    /// Makes a node's edges for the moves in `order`, by their place in `moves`; others never become children.
    pub(super) fn expand_in(&mut self, node: u32, moves: &G::Moves, order: &[u32]) {
        let first = self.edges.len() as u32;
        let edge = |&index| {
            let (chosen, prior) = (moves.get(index as usize), R::default());
            Some(Edge { total: 0.0, visits: 0, child: NONE, chosen, prior })
        };
        self.edges.extend(order.iter().map(edge));
        let node = &mut self.nodes[node as usize];
        node.edges = first;
        node.moves = order.len() as u32;
    }

    /// Adds a child without visits for each of these moves to a node that has none, and no others later.
    pub(super) fn add_children(&mut self, node: u32, moves: &[G::Move]) {
        let first = self.edges.len() as u32;
        for &chosen in moves {
            let mut position = self.nodes[node as usize].position.clone();
            position.play(chosen);
            let child = self.add(position);
            self.edges.push(Some(Edge { total: 0.0, visits: 0, child, chosen, prior: R::default() }));
        }
        let node = &mut self.nodes[node as usize];
        node.edges = first;
        node.moves = moves.len() as u32;
        node.tried = node.moves;
    }

    /// Makes a node's edges with a prior for each of its moves, in the game's order. The edges stand by falling prior,
    /// equal ones in the game's order.
    pub(super) fn expand_by(&mut self, node: u32, priors: &[R]) {
        let first = self.edges.len();
        let node = &mut self.nodes[node as usize];
        let moves = node.position.moves();
        assert_eq!(moves.len(), priors.len(), "an evaluation gives one prior for each move");
        let edge = |(index, &prior)| Some(Edge { total: 0.0, visits: 0, child: NONE, chosen: moves.get(index), prior });
        self.edges.extend(priors.iter().enumerate().map(edge));
        sort_by_prior(&mut self.edges[first..]);
        node.edges = first as u32;
        node.moves = moves.len() as u32;
    }

    /// The edges of a node that were tried, in the order they were.
    #[inline]
    pub(super) fn tried(&self, node: u32) -> impl Iterator<Item = &Edge<G::Move, R>> {
        let node = &self.nodes[node as usize];
        let range = if node.tried == 0 { 0..0 } else { node.edges as usize..(node.edges + node.tried) as usize };
        self.edges[range].iter().flatten()
    }

    /// The root's children that were tried, in the order they were; none of an empty tree.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Edge<G::Move, R>> {
        let edges = (!self.is_empty()).then(|| self.tried(0));
        edges.into_iter().flatten()
    }

    /// Share of the visits of the root's children that the most visited one has; 0 without visits.
    pub(crate) fn root_share(&self) -> f64 {
        let visits = || self.children().map(|edge| u64::from(edge.visits));
        visits().max().unwrap_or(0) as f64 / visits().sum::<u64>().max(1) as f64
    }

    /// Playouts through the root; 0 of an empty tree.
    pub(crate) fn visits(&self) -> u32 {
        self.nodes.first().map_or(0, |root| root.visits)
    }

    /// Positions in the tree.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is not even a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Bytes that the tree takes: its nodes and edges, and what positions and moves hold outside of them
    /// ([`Game::heap_bytes`]). Room for growth is not counted.
    pub fn bytes(&self) -> usize {
        size_of::<Node<G>>() * self.nodes.len()
            + size_of::<Option<Edge<G::Move, R>>>() * self.edges.len()
            + self.heap_bytes
    }

    /// Copies the part below `node` into `to`, whose root becomes node 0.
    pub(super) fn copy_below(&self, node: u32, to: &mut Tree<G, R>) {
        to.clear();
        // (node here, edge there that leads to its copy)
        let mut open = vec![(node, NONE)];
        while let Some((from, edge)) = open.pop() {
            let mut copy = self.nodes[from as usize].clone();
            to.heap_bytes += copy.position.heap_bytes() + copy.untried.as_ref().map_or(0, G::Moves::heap_bytes);
            let index = to.nodes.len() as u32;
            if edge != NONE
                && let Some(edge) = &mut to.edges[edge as usize]
            {
                edge.child = index;
            }
            if copy.edges != NONE {
                let first = to.edges.len() as u32;
                let here = copy.edges as usize..(copy.edges + copy.moves) as usize;
                to.edges.extend_from_slice(&self.edges[here]);
                for (offset, edge) in self.tried(from).enumerate() {
                    open.push((edge.child, first + offset as u32));
                }
                copy.edges = first;
            }
            to.nodes.push(copy);
        }
    }
}

/// Puts edges in the order of falling prior; equal ones keep theirs.
pub(super) fn sort_by_prior<M, R: Prior>(edges: &mut [Option<Edge<M, R>>]) {
    let prior = |edge: &Option<Edge<M, R>>| edge.as_ref().map_or(0.0, |edge| edge.prior.number());
    edges.sort_by(|a, b| prior(b).total_cmp(&prior(a)));
}

#[cfg(test)]
impl<G: Game, R: Prior> Tree<G, R> {
    /// For each child of the root: its visits, the visits of its children, and their number.
    pub(crate) fn visits_below(&self) -> Vec<(u32, u32, u32)> {
        let of = |edge: &Edge<G::Move, R>| {
            let below: Vec<u32> = self.tried(edge.child).map(|edge| edge.visits).collect();
            (edge.visits, below.iter().sum(), below.len() as u32)
        };
        self.children().map(of).collect()
    }

    /// Values of the children of every node but the root where a player decides, in the order in which they were added.
    pub(crate) fn values_in_order(&self, mut values: impl FnMut(&G) -> Vec<f64>) -> Vec<Vec<f64>> {
        let decided = (1..self.len() as u32).filter(|&node| {
            let node = &self.nodes[node as usize];
            node.tried > 1 && matches!(node.position.mover(), games::Turn::Player(_))
        });
        let of = |node| {
            let position = &self.nodes[node as usize].position;
            let (moves, values) = (position.moves(), values(position));
            let place = |chosen| (0..moves.len()).find(|&place| moves.get(place) == chosen).expect("a move");
            self.tried(node).map(|edge| values[place(edge.chosen)]).collect()
        };
        decided.map(of).collect()
    }
}
