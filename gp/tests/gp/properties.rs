//! Properties of all trees: generated, crossed, mutated, written, compiled.

use gp::{Inputs, LANES, Program, Tree, Type, evaluate, full, grow};
use proptest::prelude::*;

use crate::common::{Draws, LIMITS, evolved, numbers, reversi};

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn operators_keep_types_and_limits(seed in any::<u64>()) {
        let (set, mut draws) = (reversi(), Draws::new(seed));
        let tree = evolved(&set, &mut draws);
        // Checks every argument's type and everything stored.
        prop_assert_eq!(Tree::new(tree.nodes().to_vec(), &set), Some(tree.clone()));
        prop_assert_eq!(tree.result(&set), Type::Float);
        prop_assert!(tree.depth(&set) <= LIMITS.depth);
        prop_assert!(tree.introns(&set) < tree.size());
    }

    #[test]
    fn generated_trees_keep_to_their_depth(seed in any::<u64>(), depth in 1u32..9) {
        let (set, mut draws) = (reversi(), Draws::new(seed));
        for kind in [Type::Float, Type::Bool] {
            let full = full(kind, depth, &set, &mut draws);
            prop_assert_eq!(full.depth(&set), depth);
            prop_assert_eq!(full.result(&set), kind);
            let grown = grow(kind, depth, &set, &mut draws);
            prop_assert!(grown.depth(&set) <= depth);
            prop_assert_eq!(Tree::new(grown.nodes().to_vec(), &set), Some(grown));
        }
    }

    #[test]
    fn text_round_trips(seed in any::<u64>()) {
        let set = reversi();
        let tree = evolved(&set, &mut Draws::new(seed));
        let text = tree.to_text(&set);
        prop_assert_eq!(Tree::parse(&text, Type::Float, &set), Ok(tree));
    }

    #[test]
    fn compiled_is_walked_bit_for_bit(seed in any::<u64>()) {
        let (set, mut draws) = (reversi(), Draws::new(seed));
        let tree = evolved(&set, &mut draws);
        let program = Program::new(&tree, &set).expect("small enough");
        let mut registers = program.registers();
        for _ in 0..4 {
            let lanes: Vec<([f64; 7], u64, u64)> = (0..LANES).map(|_| numbers(&mut draws)).collect();
            let columns: Vec<[f64; LANES]> = (0..7).map(|n| std::array::from_fn(|lane| lanes[lane].0[n])).collect();
            let friendly = std::array::from_fn(|lane| lanes[lane].1);
            let enemy = std::array::from_fn(|lane| lanes[lane].2);
            let values = program.run(&mut registers, &columns, &friendly, &enemy);
            for (value, (numbers, friendly, enemy)) in values.iter().zip(&lanes) {
                let inputs = Inputs { numbers, friendly: *friendly, enemy: *enemy };
                let walked = evaluate(&tree, &set, &inputs);
                prop_assert_eq!(value.to_bits(), walked.to_bits(), "{}", tree.to_text(&set));
            }
        }
    }

    #[test]
    fn introns_change_no_value(seed in any::<u64>()) {
        let (set, mut draws) = (reversi(), Draws::new(seed));
        let tree = evolved(&set, &mut draws);
        let (values, friendly, enemy) = numbers(&mut draws);
        let inputs = Inputs { numbers: &values, friendly, enemy };
        // Every intron is replaced.
        let mut changed = Vec::new();
        let mut at = 0;
        while at < tree.size() {
            let node = tree.nodes()[at];
            changed.push(node);
            at += 1;
            let primitive = set.get(node.primitive);
            if primitive.introns.is_empty() {
                continue;
            }
            // What is evaluated stays, with its own introns; then a new subtree replaces the old one.
            let evaluated = tree.subtree(at, &set);
            changed.extend_from_slice(&tree.nodes()[evaluated.clone()]);
            let intron = tree.subtree(evaluated.end, &set);
            changed.extend_from_slice(grow(primitive.introns[0], 3, &set, &mut draws).nodes());
            at = intron.end;
        }
        let changed = Tree::new(changed, &set).expect("types are kept");
        let (before, after) = (evaluate(&tree, &set, &inputs), evaluate(&changed, &set, &inputs));
        prop_assert_eq!(before.to_bits(), after.to_bits());
    }
}
