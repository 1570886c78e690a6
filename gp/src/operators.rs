//! Operators: crossover and mutation (EvoMCTS, sections V-D, V-E and V-I; SIEA-MCTS thesis, section 5.3).

use crate::{
    Node, PrimitiveSet, Random, Stored, Tree, Type,
    generate::{full, grow},
};

/// Attempts of a crossover (pairs of nodes) or mutation (subtrees) before it leaves the trees unchanged.
pub const NODE_TRIES: u32 = 10;

/// Limits and parameters of the operators.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Greatest depth of a resulting tree.
    pub depth: u32,
    /// Greatest depth of a new subtree; its own limit is drawn from 1 to this.
    pub subtree_depth: u32,
    /// Standard deviation of a factor's step.
    pub factor_step: f64,
}

/// What a crossover did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossover {
    /// Subtrees were copied or exchanged.
    Done,
    /// Every attempt exceeded the depth limit or what can be compiled: the trees are unchanged.
    TooDeep,
}

/// What a mutation did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutation {
    /// A node's factor was changed (local mutation).
    Factor,
    /// A subtree was replaced by a new one.
    Subtree,
    /// Every attempt gave a tree that cannot be compiled: the tree is unchanged.
    TooLarge,
}

impl Limits {
    /// Whether a tree is within the limits.
    fn allow(&self, tree: &Tree, set: &PrimitiveSet) -> bool {
        tree.depth(set) <= self.depth && tree.is_usable(set)
    }
}

/// A node of the receiver, drawn uniformly, and a node of the donor, drawn uniformly among those of the same type. If
/// the donor has none, the receiver's node is drawn again; `None` if that holds for all of them.
fn points(receiver: &Tree, donor: &Tree, set: &PrimitiveSet, rng: &mut impl Random) -> Option<(usize, usize)> {
    let has = |kind: Type| (0..donor.size()).any(|i| donor.kind(i, set) == kind);
    let (number, truth) = (has(Type::Float), has(Type::Bool));
    let fits = |kind| if kind == Type::Float { number } else { truth };
    if !(0..receiver.size()).any(|i| fits(receiver.kind(i, set))) {
        return None;
    }
    let at = loop {
        let at = rng.index(receiver.size());
        if fits(receiver.kind(at, set)) {
            break at;
        }
    };
    let kind = receiver.kind(at, set);
    let donors: Vec<usize> = (0..donor.size()).filter(|&i| donor.kind(i, set) == kind).collect();
    Some((at, donors[rng.index(donors.len())]))
}

fn part<'t>(tree: &'t Tree, root: usize, set: &PrimitiveSet) -> &'t [Node] {
    &tree.nodes()[tree.subtree(root, set)]
}

/// One-way crossover: a copy of a random subtree of `donor` replaces a random subtree of the same type in `receiver`.
pub fn cross_one_way(
    donor: &Tree,
    receiver: &mut Tree,
    limits: &Limits,
    set: &PrimitiveSet,
    rng: &mut impl Random,
) -> Crossover {
    for _ in 0..NODE_TRIES {
        let Some((at, from)) = points(receiver, donor, set, rng) else { break };
        let made = receiver.graft(at, part(donor, from, set), set);
        if limits.allow(&made, set) {
            *receiver = made;
            return Crossover::Done;
        }
    }
    Crossover::TooDeep
}

/// Two-way crossover: random subtrees of the same type are exchanged.
pub fn cross_two_way(
    first: &mut Tree,
    second: &mut Tree,
    limits: &Limits,
    set: &PrimitiveSet,
    rng: &mut impl Random,
) -> Crossover {
    for _ in 0..NODE_TRIES {
        let Some((at, from)) = points(second, first, set, rng) else { break };
        let new_second = second.graft(at, part(first, from, set), set);
        let new_first = first.graft(from, part(second, at, set), set);
        if limits.allow(&new_first, set) && limits.allow(&new_second, set) {
            (*first, *second) = (new_first, new_second);
            return Crossover::Done;
        }
    }
    Crossover::TooDeep
}

/// Local mutation of the number node at `index`: a normally distributed step of its factor.
pub fn mutate_factor(tree: &mut Tree, index: usize, limits: &Limits, rng: &mut impl Random) {
    tree.nodes_mut()[index].factor += limits.factor_step * rng.normal();
}

/// Subtree mutation at `index`: a grown subtree of the same type, within the depth limits.
pub fn mutate_subtree(
    tree: &mut Tree,
    index: usize,
    limits: &Limits,
    set: &PrimitiveSet,
    rng: &mut impl Random,
) -> Mutation {
    let kind = tree.kind(index, set);
    let room = limits.depth.saturating_sub(tree.depths(set)[index] - 1).max(1);
    for _ in 0..NODE_TRIES {
        let depth = (1 + rng.below(limits.subtree_depth.max(1))).min(room);
        let fresh = grow(kind, depth, set, rng);
        let made = tree.graft(index, fresh.nodes(), set);
        // A tree that was too deep or too large before may become smaller.
        if made.is_usable(set) || made.size() < tree.size() {
            *tree = made;
            return Mutation::Subtree;
        }
    }
    Mutation::TooLarge
}

/// Parameters of a mutation by class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ByClass {
    /// Probability that the mutated node is a function; else it is a terminal.
    pub internal: f64,
    /// Range of the new subtree's depth, drawn uniformly; a single node has depth 1.
    pub depths: (u32, u32),
}

/// Subtree mutation of EA-MCTS (SIEA-MCTS thesis, section 5.3 and table 5.2): the node is drawn uniformly within a drawn
/// class, or is the root if the class is empty, and a full subtree replaces it. Every number that a new node stores is
/// `number`. The caller checks the depth of the result.
pub fn mutate_by_class(tree: &Tree, how: &ByClass, number: f64, set: &PrimitiveSet, rng: &mut impl Random) -> Tree {
    let internal = rng.happens(how.internal);
    let is_of_class = |node: &Node| (set.get(node.primitive).arity() > 0) == internal;
    let class = tree.nodes().iter().filter(|node| is_of_class(node)).count();
    let point = if class == 0 { 0 } else { rng.index(class) };
    let places = tree.nodes().iter().enumerate().filter(|(_, node)| is_of_class(node)).map(|(place, _)| place);
    let at = places.into_iter().nth(point).unwrap_or(0);
    let (low, high) = how.depths;
    let depth = low + rng.below(high - low + 1);
    let mut fresh = full(tree.kind(at, set), depth, set, rng);
    for node in fresh.nodes_mut() {
        if let Stored::Number(stored) = &mut node.stored {
            *stored = number;
        }
    }
    tree.graft(at, fresh.nodes(), set)
}

/// Mutates one node, drawn uniformly with introns included: a number node with probability `local` by its factor (if the
/// set has factors), any other by a new subtree.
pub fn mutate(tree: &mut Tree, local: f64, limits: &Limits, set: &PrimitiveSet, rng: &mut impl Random) -> Mutation {
    let index = rng.index(tree.size());
    if set.factors && tree.kind(index, set) == Type::Float && rng.happens(local) {
        mutate_factor(tree, index, limits, rng);
        return Mutation::Factor;
    }
    mutate_subtree(tree, index, limits, set, rng)
}
