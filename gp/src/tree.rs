//! A tree: nodes in prefix order.

use std::ops::Range;

use crate::{Op, Primitive, PrimitiveSet, Type};

/// What a node stores, fixed when it is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stored {
    /// Nothing.
    None,
    /// A number.
    Number(f64),
    /// A square.
    Square {
        /// From 0 (X in the EvoMCTS paper).
        row: u8,
        /// From 0 (Y).
        column: u8,
    },
}

impl Stored {
    /// The number, or 0 if it stores none.
    pub(crate) fn number(self) -> f64 {
        if let Stored::Number(number) = self { number } else { 0.0 }
    }

    /// Row and column.
    pub(crate) fn square(self) -> (u8, u8) {
        let Stored::Square { row, column } = self else { unreachable!("a square node has a square") };
        (row, column)
    }
}

/// A node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Index of its primitive.
    pub primitive: u16,
    /// What it stores.
    pub stored: Stored,
    /// Factor of a number node's value (EvoMCTS, section V-E); 1 for a truth node.
    pub factor: f64,
}

/// A tree of a [`PrimitiveSet`], whose root is at depth 1. Never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// A tree of nodes in prefix order. `None` if they do not form one: arguments are missing or left over, a type does not
    /// fit, a node stores what its primitive does not, or a square is off the board.
    pub fn new(nodes: Vec<Node>, set: &PrimitiveSet) -> Option<Self> {
        // Types of the arguments to come, the next on top.
        let mut open = vec![None];
        for node in &nodes {
            let kind: Option<Type> = open.pop()?;
            let primitive = set.all().get(usize::from(node.primitive))?;
            if kind.is_some_and(|kind| kind != primitive.op.result()) || !stores(primitive.op, node.stored, set) {
                return None;
            }
            let factored = set.factors && primitive.op.result() == Type::Float;
            if !node.factor.is_finite() || (!factored && node.factor != 1.0) {
                return None;
            }
            open.extend((0..primitive.arity()).rev().map(|i| Some(primitive.argument(i))));
        }
        open.is_empty().then_some(Tree { nodes })
    }

    /// A tree of nodes that are known to form one.
    pub(crate) fn of(nodes: Vec<Node>) -> Self {
        debug_assert!(!nodes.is_empty(), "a tree has a root");
        Tree { nodes }
    }

    /// Its nodes in prefix order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    pub(crate) fn nodes_mut(&mut self) -> &mut [Node] {
        &mut self.nodes
    }

    /// Number of nodes, introns included.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// Type of its value.
    pub fn result(&self, set: &PrimitiveSet) -> Type {
        self.kind(0, set)
    }

    /// Type of the node at `index`.
    pub(crate) fn kind(&self, index: usize, set: &PrimitiveSet) -> Type {
        set.get(self.nodes[index].primitive).op.result()
    }

    /// The subtree whose root is the node at `index`, as a range of nodes.
    pub fn subtree(&self, index: usize, set: &PrimitiveSet) -> Range<usize> {
        let (mut end, mut open) = (index, 1);
        while open > 0 {
            open += set.get(self.nodes[end].primitive).arity();
            open -= 1;
            end += 1;
        }
        index..end
    }

    /// Depth of each node, the root's being 1.
    pub(crate) fn depths(&self, set: &PrimitiveSet) -> Vec<u32> {
        let mut open = vec![1];
        let depths = self.nodes.iter().map(|node| {
            let depth = open.pop().expect("a tree has a place for each node");
            open.extend(std::iter::repeat_n(depth + 1, set.get(node.primitive).arity()));
            depth
        });
        depths.collect()
    }

    /// Depth of its deepest node, introns included; a single node has depth 1.
    pub fn depth(&self, set: &PrimitiveSet) -> u32 {
        self.depths(set).into_iter().max().unwrap_or(1)
    }

    /// Number of nodes that are never evaluated.
    pub fn introns(&self, set: &PrimitiveSet) -> usize {
        // Whether each subtree to come is evaluated, the next on top.
        let mut open = vec![true];
        let mut count = 0;
        for node in &self.nodes {
            let evaluated = open.pop().expect("a tree has a place for each node");
            count += usize::from(!evaluated);
            let primitive = set.get(node.primitive);
            open.extend(std::iter::repeat_n(false, primitive.introns.len()));
            open.extend(std::iter::repeat_n(evaluated, primitive.op.evaluated().len()));
        }
        count
    }

    /// Roots of the arguments of the node at `index`.
    pub(crate) fn arguments(&self, index: usize, set: &PrimitiveSet) -> Vec<usize> {
        let mut at = index + 1;
        let arity = set.get(self.nodes[index].primitive).arity();
        let argument = |_| {
            let root = at;
            at = self.subtree(at, set).end;
            root
        };
        (0..arity).map(argument).collect()
    }

    /// This tree with the subtree at `index` replaced by `with`.
    pub(crate) fn graft(&self, index: usize, with: &[Node], set: &PrimitiveSet) -> Tree {
        let old = self.subtree(index, set);
        let mut nodes = Vec::with_capacity(self.size() - old.len() + with.len());
        nodes.extend_from_slice(&self.nodes[..old.start]);
        nodes.extend_from_slice(with);
        nodes.extend_from_slice(&self.nodes[old.end..]);
        Tree { nodes }
    }
}

/// Traverses a tree in prefix order, for code that builds something from each subtree.
pub(crate) struct Cursor<'a> {
    tree: &'a Tree,
    set: &'a PrimitiveSet,
    /// The next node.
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(tree: &'a Tree, set: &'a PrimitiveSet) -> Self {
        Cursor { tree, set, at: 0 }
    }

    /// The next node; its arguments follow.
    pub(crate) fn next(&mut self) -> (Node, &'a Primitive) {
        let node = self.tree.nodes()[self.at];
        self.at += 1;
        (node, self.set.get(node.primitive))
    }

    /// Skips the introns of a node whose evaluated arguments have been traversed.
    pub(crate) fn skip_introns(&mut self, primitive: &Primitive) {
        for _ in &primitive.introns {
            self.at = self.tree.subtree(self.at, self.set).end;
        }
    }
}

/// Whether a node of `op` may have `stored`.
fn stores(op: Op, stored: Stored, set: &PrimitiveSet) -> bool {
    match (op, stored) {
        (Op::Random | Op::Scale, Stored::Number(number)) => number.is_finite(),
        (Op::Square(_), Stored::Square { row, column }) => row < set.rows && column < set.columns,
        (Op::Random | Op::Scale | Op::Square(_), _) => false,
        (_, stored) => stored == Stored::None,
    }
}
