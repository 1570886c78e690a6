//! The tree in two arenas with 32-bit indices.
//!
//! A node holds a position; its edges, one for each legal move, lie side by side, so that selection reads
//! memory in order. Edges are made when their node is visited a second time: most leaves never are.

use games::{Game, Moves as _};

/// No edges yet, or no node yet.
pub(super) const NONE: u32 = u32::MAX;

/// A move that was tried, with its statistics.
#[derive(Clone, Copy, Debug)]
pub struct Edge<M> {
    /// Points of the player who chooses here, summed over visits.
    pub total: f64,
    /// Playouts that went this way.
    pub visits: u32,
    /// Node it leads to.
    pub(crate) child: u32,
    /// The move.
    pub chosen: M,
}

#[derive(Clone, Debug)]
pub(super) struct Node<G: Game> {
    pub(super) position: G,
    /// Legal moves without an edge. Meaningless until `edges` is set.
    pub(super) untried: Option<G::Moves>,
    /// First of its edges.
    pub(super) edges: u32,
    /// How many edges are in use.
    pub(super) tried: u32,
    /// Playouts through this node.
    pub(super) visits: u32,
}

/// A search tree. Keeps its memory when cleared.
#[derive(Debug)]
pub struct Tree<G: Game> {
    pub(super) nodes: Vec<Node<G>>,
    /// Slots of nodes' edges; `None` where a move is untried.
    pub(super) edges: Vec<Option<Edge<G::Move>>>,
}

impl<G: Game> Tree<G> {
    pub(super) fn new() -> Self {
        Tree { nodes: Vec::new(), edges: Vec::new() }
    }

    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// Adds a node for a position not seen yet; gives its index.
    #[inline]
    pub(super) fn add(&mut self, position: G) -> u32 {
        let index = self.nodes.len() as u32;
        self.nodes.push(Node { position, untried: None, edges: NONE, tried: 0, visits: 0 });
        index
    }

    /// Makes room for a node's edges; gives the number of its moves.
    pub(super) fn expand(&mut self, node: u32) {
        let first = self.edges.len() as u32;
        let node = &mut self.nodes[node as usize];
        let moves = node.position.moves();
        self.edges.resize(self.edges.len() + moves.len(), None);
        node.edges = first;
        node.untried = Some(moves);
    }

    /// The edges of a node that were tried, in the order they were.
    #[inline]
    pub(super) fn tried(&self, node: u32) -> impl Iterator<Item = &Edge<G::Move>> {
        let node = &self.nodes[node as usize];
        let range = if node.edges == NONE { 0..0 } else { node.edges as usize..(node.edges + node.tried) as usize };
        self.edges[range].iter().flatten()
    }

    /// The root's children that were tried, in the order they were; none of an empty tree.
    pub(crate) fn children(&self) -> impl Iterator<Item = &Edge<G::Move>> {
        let edges = (!self.is_empty()).then(|| self.tried(0));
        edges.into_iter().flatten()
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

    /// Copies the part below `node` into `to`, whose root becomes node 0.
    pub(super) fn copy_below(&self, node: u32, to: &mut Tree<G>) {
        to.clear();
        // (node here, edge there that leads to its copy)
        let mut open = vec![(node, NONE)];
        while let Some((from, edge)) = open.pop() {
            let mut copy = self.nodes[from as usize].clone();
            let index = to.nodes.len() as u32;
            if edge != NONE
                && let Some(edge) = &mut to.edges[edge as usize]
            {
                edge.child = index;
            }
            if copy.edges != NONE {
                let first = to.edges.len() as u32;
                let slots = copy.tried as usize + copy.untried.as_ref().map_or(0, G::Moves::len);
                let here = copy.edges as usize..copy.edges as usize + slots;
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
