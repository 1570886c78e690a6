//! Simplified trees: what is written, and that it means the same.

mod common;

use common::{Draws, NUMBERS, evolved, numbers, reversi};
use gp::{Inputs, Op, PrimitiveSet, Stored, Tree, Type, evaluate, simplify};
use proptest::prelude::*;

#[track_caller]
fn writes(tree: &str, text: &str, latex: &str) {
    let set = reversi();
    let tree = Tree::parse(tree, Type::Float, &set).unwrap_or_else(|error| panic!("{error}"));
    let simple = simplify(&tree, &set);
    assert_eq!(simple.to_text(4), text);
    assert_eq!(simple.to_latex(4), latex);
}

#[test]
fn by_hand() {
    writes(
        "(Plus Mobility*0.9 (MultERC:5 CornerCount))",
        "0.9*Mobility + 5*CornerCount",
        "0.9\\,\\mathrm{Mobility} + 5\\,\\mathrm{CornerCount}",
    );
    writes("(Minus Mobility (NullJ Mobility CornerCount))", "0", "0");
    writes("(Plus (Plus ManCount One) (Minus ManCount ERC:-2.5))", "2*ManCount + 3.5", "2\\,\\mathrm{ManCount} + 3.5");
    writes("(MultERC:-1 ManCount)", "-ManCount", "-\\mathrm{ManCount}");
    writes(
        "(IfTrue (LowerEqual Mobility ERC:3) One Zero)",
        "(if Mobility <= 3 then 1 else 0)",
        "\\begin{cases} 1 & \\text{if } \\mathrm{Mobility} \\le 3 \\\\ 0 & \\text{otherwise} \\end{cases}",
    );
    // 3 <= Mobility, the number on the left as it was.
    writes(
        "(IfTrue (LowerEqual ERC:3 Mobility) One Zero)",
        "(if 3 <= Mobility then 1 else 0)",
        "\\begin{cases} 1 & \\text{if } 3 \\le \\mathrm{Mobility} \\\\ 0 & \\text{otherwise} \\end{cases}",
    );
    writes("(IfTrue (LowerEqual Mobility Mobility) ManCount Zero)", "ManCount", "\\mathrm{ManCount}");
    writes("(IfTrue (NOR True IsManPiece:0:0) ManCount CornerCount)", "CornerCount", "\\mathrm{CornerCount}");
    // De Morgan, and a negated question changes the branches.
    writes(
        "(IfTrue (NOTG (AND IsManPiece:0:1 IsFriendlyPiece:2:3) False) One Zero)",
        "(if empty(0,1) or not friendly(2,3) then 1 else 0)",
        "\\begin{cases} 1 & \\text{if } \\mathrm{empty}(0,1) \\lor \\lnot \\mathrm{friendly}(2,3) \\\\ 0 & \
         \\text{otherwise} \\end{cases}",
    );
    writes(
        "(IfTrue IsEmptySquare:0:0 One ManCount)",
        "(if occupied(0,0) then ManCount else 1)",
        "\\begin{cases} \\mathrm{ManCount} & \\text{if } \\mathrm{occupied}(0,0) \\\\ 1 & \\text{otherwise} \\end{cases}",
    );
    // What both branches have stands outside; what the condition says is known inside.
    writes(
        "(IfTrue IsManPiece:0:0 (Plus Mobility One) (Plus Mobility (IfTrue IsManPiece:0:0 ManCount Zero)))",
        "Mobility + (if occupied(0,0) then 1 else 0)",
        "\\mathrm{Mobility} + \\begin{cases} 1 & \\text{if } \\mathrm{occupied}(0,0) \\\\ 0 & \\text{otherwise} \\end{cases}",
    );
    // if a then x else (if b then x else y)
    writes(
        "(IfTrue IsManPiece:0:0 One (IfTrue IsManPiece:7:7 One Zero))",
        "(if occupied(0,0) or occupied(7,7) then 1 else 0)",
        "\\begin{cases} 1 & \\text{if } \\mathrm{occupied}(0,0) \\lor \\mathrm{occupied}(7,7) \\\\ 0 & \\text{otherwise} \
         \\end{cases}",
    );
    writes(
        "(IfTrue (OR IsManPiece:0:0 (AND IsManPiece:0:0 IsManPiece:1:1)) One Zero)",
        "(if occupied(0,0) then 1 else 0)",
        "\\begin{cases} 1 & \\text{if } \\mathrm{occupied}(0,0) \\\\ 0 & \\text{otherwise} \\end{cases}",
    );
    writes("(IfTrue (AND IsManPiece:1:1 (NOTG IsManPiece:1:1 True)) One Zero)", "0", "0");
    writes("ERC:1234.5678", "1235", "1235");
    writes("ERC:0.0000123456", "1.235e-5", "1.235 \\cdot 10^{-5}");
}

/// Whether a comparison of the tree is so close to a tie that rounding may decide it.
fn near_tie(tree: &Tree, set: &PrimitiveSet, inputs: &Inputs<'_>) -> bool {
    let nodes = tree.nodes();
    (0..nodes.len()).any(|at| {
        if set.get(nodes[at].primitive).op != Op::AtMost {
            return false;
        }
        // The difference of its two sides as a tree of its own.
        let mut minus =
            vec![gp::Node { primitive: set.find("Minus").expect("a primitive"), stored: Stored::None, factor: 1.0 }];
        let mut end = at + 1;
        for _ in 0..2 {
            let mut open = 1;
            while open > 0 {
                open += set.get(nodes[end].primitive).arity();
                open -= 1;
                minus.push(nodes[end]);
                end += 1;
            }
        }
        let difference = evaluate(&Tree::new(minus, set).expect("a tree"), set, inputs);
        difference != 0.0 && difference.abs() < 1e-9
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// To rounding, and where no comparison is decided by rounding.
    #[test]
    fn simplified_is_the_same_number(seed in any::<u64>()) {
        // A board of four squares: questions come up again.
        let (set, mut draws) = (PrimitiveSet::evomcts(NUMBERS, (2, 2)), Draws::new(seed));
        let tree = evolved(&set, &mut draws);
        let simple = simplify(&tree, &set);
        for _ in 0..8 {
            let (values, friendly, enemy) = numbers(&mut draws);
            let inputs = Inputs { numbers: &values, friendly, enemy };
            if near_tie(&tree, &set, &inputs) {
                continue;
            }
            let (wanted, found) = (evaluate(&tree, &set, &inputs), simple.evaluate(&inputs));
            prop_assert!(
                (wanted - found).abs() <= 1e-9 * (1.0 + wanted.abs()),
                "{} is not {}: {} and {}", found, wanted, tree.to_text(&set), simple.to_text(6)
            );
        }
        prop_assert!(simple.size() <= 2 * (tree.size() - tree.introns(&set)), "{}", simple.to_text(4));
        let (text, latex) = (simple.to_text(4), simple.to_latex(4));
        let count = |text: &str, what: &str| text.matches(what).count();
        prop_assert_eq!(count(&text, "("), count(&text, ")"));
        prop_assert_eq!(count(&latex, "{"), count(&latex, "}"));
        prop_assert_eq!(count(&latex, "\\left"), count(&latex, "\\right"));
        prop_assert_eq!(count(&latex, "\\begin{cases}"), count(&latex, "\\end{cases}"));
    }
}
