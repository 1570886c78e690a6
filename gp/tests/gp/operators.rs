//! How often operators do what (EvoMCTS, sections V-D and V-E): counts against probabilities, within four standard errors.

use gp::{
    Crossover, Limits, Mutation, NODES_MAX, Program, Tree, Type, cross_one_way, cross_two_way, mutate, mutate_factor,
    ramped_half_and_half,
};

use crate::common::{Draws, LIMITS, reversi};

const TRIALS: u32 = 40_000;

#[track_caller]
fn about(count: u32, probability: f64, what: &str) {
    let n = f64::from(TRIALS);
    let error = (n * probability * (1.0 - probability)).sqrt();
    assert!(
        (f64::from(count) - n * probability).abs() <= 4.0 * error,
        "{what}: {count} of {TRIALS}, not {probability}"
    );
}

fn parse(text: &str) -> Tree {
    Tree::parse(text, Type::Float, &reversi()).unwrap_or_else(|error| panic!("{error}"))
}

/// A full tree of sums: as large as its depth allows.
fn sums(depth: u32) -> String {
    if depth == 1 { "One".to_owned() } else { format!("(Plus {0} {0})", sums(depth - 1)) }
}

/// Trees near the limit of what can be compiled, under a depth limit that would let them grow beyond it.
#[test]
fn operators_make_nothing_that_cannot_be_compiled() {
    let (set, mut draws) = (reversi(), Draws::new(9));
    let limits = Limits { depth: 30, subtree_depth: 12, factor_step: 0.1 };
    let large = parse(&format!("(Plus {} {})", sums(13), sums(12)));
    assert!(large.size() < NODES_MAX && 2 * large.size() > NODES_MAX);
    let (mut first, mut second) = (large.clone(), large);
    let mut outcomes = Vec::new();
    for _ in 0..300 {
        let one_way = cross_one_way(&first.clone(), &mut second, &limits, &set, &mut draws);
        let two_way = cross_two_way(&mut first, &mut second, &limits, &set, &mut draws);
        outcomes.extend([one_way, two_way]);
        mutate(&mut first, 0.0, &limits, &set, &mut draws);
        for tree in [&first, &second] {
            assert!(Program::new(tree, &set).is_some(), "{} nodes", tree.size());
            assert_eq!(parse(&tree.to_text(&set)), *tree);
        }
    }
    assert!(outcomes.contains(&Crossover::Done));
}

#[test]
fn what_is_too_large_is_refused_by_crossover_and_mutation() {
    let (set, mut draws) = (reversi(), Draws::new(10));
    let limits = Limits { depth: 30, subtree_depth: 12, factor_step: 0.1 };
    // The tree has the greatest size: a part can be replaced only by one that is no larger.
    let largest = parse(&format!("(Plus {} {})", sums(13), sums(13)));
    assert_eq!(largest.size(), NODES_MAX);
    let mut refused = 0;
    for _ in 0..200 {
        let mut receiver = largest.clone();
        refused += u32::from(cross_one_way(&largest, &mut receiver, &limits, &set, &mut draws) == Crossover::TooDeep);
        assert!(receiver.size() <= NODES_MAX);
        let mut mutant = largest.clone();
        let outcome = mutate(&mut mutant, 0.0, &limits, &set, &mut draws);
        assert!(mutant.size() <= NODES_MAX && (outcome != Mutation::TooLarge || mutant == largest));
    }
    assert!(refused < 200, "most crossovers find a pair");
}

#[test]
fn first_trees_can_be_compiled() {
    let (set, mut draws) = (reversi(), Draws::new(11));
    for index in 0..60 {
        let tree = ramped_half_and_half(index, Type::Float, (11, 12), &set, &mut draws);
        assert!(Program::new(&tree, &set).is_some(), "{} nodes", tree.size());
    }
}

#[test]
fn crossover_points_are_uniform_over_the_receiver() {
    let (set, mut draws) = (reversi(), Draws::new(1));
    let donor = parse("Mobility");
    // Three numbers and a truth: the donor has no truth, so that each number is drawn with a third.
    let receiver = parse("(IfTrue True One Zero)");
    let mut counts = [0; 3];
    for _ in 0..TRIALS {
        let mut made = receiver.clone();
        assert_eq!(cross_one_way(&donor, &mut made, &LIMITS, &set, &mut draws), Crossover::Done);
        let texts = ["Mobility", "(IfTrue True Mobility Zero)", "(IfTrue True One Mobility)"];
        let place = texts.iter().position(|text| *text == made.to_text(&set)).expect("one of the places");
        counts[place] += 1;
    }
    counts.iter().for_each(|&count| about(count, 1.0 / 3.0, "a place"));
}

#[test]
fn one_way_leaves_the_donor_and_two_way_keeps_every_node() {
    let (set, mut draws) = (reversi(), Draws::new(2));
    for _ in 0..500 {
        let mut first = parse("(Plus Mobility (Minus One CornerCount))");
        let mut second = parse("(IfTrue (LowerEqual ManCount Zero) ERC:2 (MultERC:3 EnemyManCount))");
        let names = |trees: [&Tree; 2]| {
            let mut names: Vec<u16> = trees.iter().flat_map(|tree| tree.nodes().iter().map(|n| n.primitive)).collect();
            names.sort_unstable();
            names
        };
        let before = names([&first, &second]);
        assert_eq!(cross_two_way(&mut first, &mut second, &LIMITS, &set, &mut draws), Crossover::Done);
        assert_eq!(names([&first, &second]), before, "subtrees change places");
    }
}

#[test]
fn what_would_be_too_deep_is_not_done() {
    let (set, mut draws) = (reversi(), Draws::new(3));
    let donor = parse("(MultERC:1 (MultERC:1 One))");
    // The limit is the depth of both: results keep to it, and a failure leaves the receiver unchanged.
    let limits = Limits { depth: 3, ..LIMITS };
    for _ in 0..2_000 {
        let mut receiver = donor.clone();
        let done = cross_one_way(&donor, &mut receiver, &limits, &set, &mut draws);
        assert!(receiver.depth(&set) <= 3);
        assert!(done == Crossover::Done || receiver == donor);
    }
    let mut shallow = parse("One");
    let limits = Limits { depth: 1, ..LIMITS };
    let deep = parse("(MultERC:1 One)");
    let outcomes: Vec<Crossover> =
        (0..20_000).map(|_| cross_one_way(&deep, &mut shallow, &limits, &set, &mut draws)).collect();
    // Ten times the donor's root in a row: once in 1,024.
    assert!(outcomes.contains(&Crossover::TooDeep) && outcomes.contains(&Crossover::Done));
}

#[test]
fn a_factor_moves_by_a_normal_step() {
    let mut draws = Draws::new(4);
    let (mut sum, mut squares) = (0.0, 0.0);
    for _ in 0..TRIALS {
        let mut tree = parse("One");
        mutate_factor(&mut tree, 0, &LIMITS, &mut draws);
        let step = tree.nodes()[0].factor - 1.0;
        sum += step;
        squares += step * step;
    }
    let n = f64::from(TRIALS);
    let deviation = (squares / n).sqrt();
    assert!((sum / n).abs() < 4.0 * 0.1 / n.sqrt(), "mean {}", sum / n);
    assert!((deviation - 0.1).abs() < 4.0 * 0.1 / (2.0 * n).sqrt(), "standard deviation {deviation}");
}

#[test]
fn mutation_picks_any_node_introns_too() {
    let (set, mut draws) = (reversi(), Draws::new(5));
    let tree = parse("(NullJ Mobility (IfTrue True One Zero))");
    let mut moved = [0; 6];
    let mut subtrees = 0;
    for _ in 0..TRIALS {
        let mut mutant = tree.clone();
        match mutate(&mut mutant, 1.0, &LIMITS, &set, &mut draws) {
            // Always local where the node is a number.
            Mutation::Factor => {
                let place = mutant.nodes().iter().position(|node| node.factor != 1.0).expect("a factor moved");
                moved[place] += 1;
            }
            Mutation::Subtree => subtrees += 1,
            Mutation::TooLarge => panic!("a small tree"),
        }
    }
    about(subtrees, 1.0 / 6.0, "the truth node");
    [0, 1, 2, 4, 5].iter().for_each(|&place: &usize| about(moved[place], 1.0 / 6.0, "a number node"));
    assert_eq!(moved[3], 0);
    let subtree =
        (0..TRIALS).filter(|_| mutate(&mut parse("One"), 0.5, &LIMITS, &set, &mut draws) == Mutation::Subtree);
    about(subtree.count() as u32, 0.5, "subtree instead of local mutation");
}

#[test]
fn a_ramped_population_has_every_depth_grown_and_full() {
    let (set, mut draws) = (reversi(), Draws::new(6));
    for index in 0..120 {
        let tree = ramped_half_and_half(index, Type::Float, (2, 6), &set, &mut draws);
        let depth = 2 + (index % 5) as u32;
        assert_eq!(tree.result(&set), Type::Float);
        if index / 5 % 2 == 1 {
            assert_eq!(tree.depth(&set), depth, "a full tree");
        } else {
            assert!(tree.depth(&set) <= depth, "a grown tree");
        }
    }
}
