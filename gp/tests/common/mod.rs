//! Shared by the tests.

pub(crate) mod draws;

pub(crate) use draws::Draws;
use gp::{
    Limits, PrimitiveSet, Random as _, Tree, Type, cross_one_way, cross_two_way, grow, mutate, ramped_half_and_half,
};

/// The numbers of EvoMCTS table II.
pub(crate) const NUMBERS: [&str; 7] = [
    "EnemyManCount",
    "FriendlyManCount",
    "ManCount",
    "Mobility",
    "FriendlyCornerCount",
    "EnemyCornerCount",
    "CornerCount",
];

/// The language of Reversi.
pub(crate) fn reversi() -> PrimitiveSet {
    PrimitiveSet::evomcts(NUMBERS, (8, 8))
}

/// Numbers and pieces of a random board.
pub(crate) fn numbers(draws: &mut Draws) -> ([f64; 7], u64, u64) {
    let pieces = draws.next() & draws.next();
    let side = draws.next();
    let numbers = std::array::from_fn(|_| f64::from(draws.below(40)) - 10.0);
    (numbers, pieces & side, pieces & !side)
}

/// The paper's depth limit.
pub(crate) const LIMITS: Limits = Limits { depth: 15, subtree_depth: 5, factor_step: 0.1 };

/// A tree that has been through some operators, so that it has factors and depth.
pub(crate) fn evolved(set: &PrimitiveSet, draws: &mut Draws) -> Tree {
    let mut tree = ramped_half_and_half(draws.next() as usize % 20, Type::Float, (2, 6), set, draws);
    for _ in 0..draws.next() % 12 {
        let mut other = grow(Type::Float, 6, set, draws);
        match draws.next() % 3 {
            0 => drop(cross_one_way(&other, &mut tree, &LIMITS, set, draws)),
            1 => drop(cross_two_way(&mut other, &mut tree, &LIMITS, set, draws)),
            _ => drop(mutate(&mut tree, 0.5, &LIMITS, set, draws)),
        }
    }
    tree
}
