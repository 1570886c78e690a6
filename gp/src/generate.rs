//! Random trees (Koza 1992, chapter 6): grow, full, ramped half-and-half.

use crate::{Node, Op, PrimitiveSet, Random, Stored, Tree, Type};

/// A new node of `primitive`: what it stores is drawn, its factor is 1.
pub(crate) fn make(primitive: u16, set: &PrimitiveSet, rng: &mut impl Random) -> Node {
    let stored = match set.get(primitive).op {
        Op::Random | Op::Scale => {
            let (low, high) = set.constants;
            Stored::Number(low + (high - low) * rng.unit())
        }
        Op::Square(_) => Stored::Square {
            row: rng.below(u32::from(set.rows)) as u8,
            column: rng.below(u32::from(set.columns)) as u8,
        },
        _ => Stored::None,
    };
    Node { primitive, stored, factor: 1.0 }
}

/// A random tree of at most `depth`: each node is drawn uniformly among the primitives of the type that its place needs,
/// at the depth limit among the terminals of that type.
///
/// # Panics
/// If `depth` is 0 or the set has no terminal of the type.
pub fn grow(kind: Type, depth: u32, set: &PrimitiveSet, rng: &mut impl Random) -> Tree {
    random(kind, depth, false, set, rng)
}

/// A random tree of functions above the last level, `depth`, and terminals there; a branch whose type has no functions
/// ends sooner.
///
/// # Panics
/// As [`grow`].
pub fn full(kind: Type, depth: u32, set: &PrimitiveSet, rng: &mut impl Random) -> Tree {
    random(kind, depth, true, set, rng)
}

fn random(kind: Type, depth: u32, full: bool, set: &PrimitiveSet, rng: &mut impl Random) -> Tree {
    assert!(depth > 0, "a node has depth 1");
    let mut nodes = Vec::new();
    // (type, levels left) of the subtrees to make, the next on top.
    let mut open = vec![(kind, depth)];
    while let Some((kind, levels)) = open.pop() {
        let (terminals, functions) = (set.terminals(kind), set.functions(kind));
        let primitive = if levels == 1 || functions.is_empty() {
            terminals[rng.index(terminals.len())]
        } else if full {
            functions[rng.index(functions.len())]
        } else {
            let pick = rng.index(terminals.len() + functions.len());
            if pick < terminals.len() { terminals[pick] } else { functions[pick - terminals.len()] }
        };
        nodes.push(make(primitive, set, rng));
        let primitive = set.get(primitive);
        open.extend((0..primitive.arity()).rev().map(|i| (primitive.argument(i), levels - 1)));
    }
    Tree::of(nodes)
}

/// Tree `index` of a population by ramped half-and-half: depths from `depths.0` to `depths.1` in turn, and for each depth
/// grown and full trees in turn.
///
/// # Panics
/// If the depths are not a range that begins at 1 or more.
pub fn ramped_half_and_half(
    index: usize,
    kind: Type,
    depths: (u32, u32),
    set: &PrimitiveSet,
    rng: &mut impl Random,
) -> Tree {
    assert!(1 <= depths.0 && depths.0 <= depths.1, "a range of depths");
    let ramp = (depths.1 - depths.0 + 1) as usize;
    let deepest = depths.0 + (index % ramp) as u32;
    let full = !(index / ramp).is_multiple_of(2);
    // A tree that is too large to compile is drawn again, with less depth each time.
    let mut trees = (1..=deepest).rev().map(|depth| random(kind, depth, full, set, rng));
    trees.find(|tree| tree.is_usable(set)).expect("a single node can be compiled")
}
