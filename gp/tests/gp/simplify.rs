//! Simplified trees: their text, and that their values are those of the tree.

use gp::{Inputs, Op, PrimitiveSet, Stored, Tree, Type, evaluate, simplify};
use proptest::prelude::*;

use crate::common::{Draws, NUMBERS, evolved, numbers, reversi};

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
    // Common summands are taken out of both branches; the condition is known inside.
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

/// Whether each element ends where it should; otherwise what does not.
fn closed(markup: &str) -> Result<(), String> {
    let mut open = Vec::new();
    for tag in markup.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').ok_or(tag)?;
        match tag.strip_prefix('/') {
            Some(name) if open.pop() == Some(name) => {}
            Some(name) => return Err(name.to_owned()),
            None => open.push(tag.split(' ').next().unwrap_or(tag)),
        }
    }
    open.pop().map_or(Ok(()), |name| Err(name.to_owned()))
}

/// As a browser reads it: MathML Core, by hand.
#[test]
fn mathml_by_hand() {
    let set = reversi();
    let name = |name: &str| format!("<mi mathvariant=\"normal\">{name}</mi>");
    for (tree, wanted) in [
        (
            "(Plus Mobility*0.9 (MultERC:-5 CornerCount))",
            format!(
                "<mrow><mn>0.9</mn><mo>⋅</mo>{}<mo>\u{2212}</mo><mn>5</mn><mo>⋅</mo>{}</mrow>",
                name("Mobility"),
                name("CornerCount")
            ),
        ),
        ("(MultERC:-1 ManCount)", format!("<mrow><mo>\u{2212}</mo>{}</mrow>", name("ManCount"))),
        (
            "(IfTrue (LowerEqual Mobility ERC:3) One Zero)",
            format!(
                "<mrow><mrow><mo fence=\"true\">{{</mo><mtable><mtr><mtd><mrow><mn>1</mn></mrow></mtd><mtd><mrow>\
                 <mtext>if\u{a0}</mtext><mrow><mrow>{}</mrow><mo>≤</mo><mrow><mn>3</mn></mrow></mrow></mrow></mtd></mtr>\
                 <mtr><mtd><mrow><mn>0</mn></mrow></mtd><mtd><mtext>otherwise</mtext></mtd></mtr></mtable></mrow></mrow>",
                name("Mobility")
            ),
        ),
    ] {
        let parsed = Tree::parse(tree, Type::Float, &set).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(simplify(&parsed, &set).to_mathml(4), wanted, "{tree}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    /// Equal up to rounding, unless rounding decides a comparison.
    #[test]
    fn simplified_is_the_same_number(seed in any::<u64>()) {
        // A board of four squares, so that questions recur.
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
        let mathml = simple.to_mathml(4);
        prop_assert_eq!(closed(&mathml), Ok(()), "{}", mathml);
    }
}

#[expect(clippy::disallowed_methods, reason = "how long it takes is what is tested")]
fn now() -> std::time::Instant {
    std::time::Instant::now()
}

/// Simplifies a tree at the limits, writes it, and compares it with the tree unless a comparison is near a tie.
fn ends(tree: &Tree, set: &PrimitiveSet, draws: &mut Draws) -> std::time::Duration {
    let begin = now();
    let simple = simplify(tree, set);
    assert!(!simple.to_text(4).is_empty() && !simple.to_latex(4).is_empty());
    let took = begin.elapsed();
    for _ in 0..2 {
        let (values, friendly, enemy) = numbers(draws);
        let inputs = Inputs { numbers: &values, friendly, enemy };
        let (wanted, found) = (evaluate(tree, set, &inputs), simple.evaluate(&inputs));
        if (wanted - found).abs() > 1e-6 * (1.0 + wanted.abs()) && !near_tie(tree, set, &inputs) {
            panic!("{found} is not {wanted}: {}", tree.to_text(set));
        }
    }
    took
}

/// A tree that goes down to depth 30 along one argument of each node; the other ones are small.
fn chain(functions: &[&str], set: &PrimitiveSet, draws: &mut Draws) -> Tree {
    fn node(kind: Type, depth: u32, functions: &[&str], set: &PrimitiveSet, draws: &mut Draws) -> String {
        let fits: Vec<&str> = functions
            .iter()
            .copied()
            .filter(|name| set.get(set.find(name).expect("a primitive")).op.result() == kind)
            .collect();
        if depth <= 1 || fits.is_empty() {
            return gp::grow(kind, depth.clamp(1, 2), set, draws).to_text(set);
        }
        let name = fits[draws.next() as usize % fits.len()];
        let primitive = set.get(set.find(name).expect("a primitive"));
        let deep = draws.next() as usize % primitive.arity();
        let argument = |i: usize, draws: &mut Draws| match i == deep {
            true => node(primitive.argument(i), depth - 1, functions, set, draws),
            false => gp::grow(primitive.argument(i), (depth - 1).clamp(1, 3), set, draws).to_text(set),
        };
        let arguments: Vec<String> = (0..primitive.arity()).map(|i| argument(i, draws)).collect();
        let number = if name == "MultERC" { ":1.5" } else { "" };
        format!("({name}{number} {})", arguments.join(" "))
    }
    let text = node(Type::Float, 30, functions, set, draws);
    Tree::parse(&text, Type::Float, set).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn nested_choices_are_simplified_in_time() {
    let (set, mut draws) = (reversi(), Draws::new(1));
    let mut tree = "CornerCount".to_owned();
    for level in 0..28 {
        let square = format!("IsEmptySquare:{}:{}", level / 8, level % 8);
        tree = format!("(IfTrue {square} (MultERC:{}.5 Mobility) {tree})", level + 1);
    }
    let tree = Tree::parse(&tree, Type::Float, &set).expect("a tree");
    assert_eq!(tree.depth(&set), 30);
    let took = ends(&tree, &set, &mut draws);
    assert!(took.as_secs_f64() < 1.0, "{took:?}");
    let text = simplify(&tree, &set).to_text(4);
    assert_eq!((text.matches("if occupied(").count(), text.matches("Mobility").count()), (28, 28), "{text}");
}

/// A balanced tree of `function` with `leaves` grown subtrees of depth `depth` in it.
fn wide(function: &str, kind: Type, leaves: usize, depth: u32, set: &PrimitiveSet, draws: &mut Draws) -> String {
    if leaves == 1 {
        return gp::full(kind, depth, set, draws).to_text(set);
    }
    let half = wide(function, kind, leaves / 2, depth, set, draws);
    format!("({function} {half} {})", wide(function, kind, leaves - leaves / 2, depth, set, draws))
}

/// Thousands of different questions, and thousands of different terms.
#[test]
fn wide_trees_are_simplified_in_time() {
    for (board, seed) in [((2, 2), 4), ((8, 8), 5)] {
        let (set, mut draws) = (PrimitiveSet::evomcts(NUMBERS, board), Draws::new(seed));
        for depth in [2, 3] {
            let trees = [
                format!("(IfTrue {} One Zero)", wide("AND", Type::Bool, 1_000, depth, &set, &mut draws)),
                format!("(IfTrue {} One Zero)", wide("NOR", Type::Bool, 1_000, depth, &set, &mut draws)),
                wide("Plus", Type::Float, 1_000, depth + 1, &set, &mut draws),
                wide("IfTrue True", Type::Float, 1_000, depth, &set, &mut draws),
            ];
            for text in trees {
                let tree = Tree::parse(&text, Type::Float, &set).unwrap_or_else(|error| panic!("{error}"));
                let took = ends(&tree, &set, &mut draws);
                assert!(took.as_secs_f64() < 20.0, "{took:?} for {} nodes", tree.size());
            }
        }
    }
}

/// Every shape that the limits of depth and size allow.
#[test]
fn trees_at_the_limits_are_simplified_in_time() {
    let shapes: [&[&str]; 6] = [
        &["IfTrue"],
        &["IfTrue", "AND", "OR", "LowerEqual"],
        &["IfTrue", "LowerEqual", "Minus"],
        &["IfTrue", "NAND", "NOR", "NOTG", "LowerEqual", "Plus"],
        &["Plus", "Minus", "MultERC", "IfTrue"],
        &["IfTrue", "AND", "OR", "LowerEqual", "NAND", "NOR", "NOTG", "Plus", "Minus", "MultERC", "NullJ"],
    ];
    // A small board, so that questions recur, and a large one.
    for (board, seed) in [((2, 2), 2), ((8, 8), 3)] {
        let (set, mut draws) = (PrimitiveSet::evomcts(NUMBERS, board), Draws::new(seed));
        for shape in shapes {
            for _ in 0..15 {
                let tree = chain(shape, &set, &mut draws);
                let took = ends(&tree, &set, &mut draws);
                assert!(took.as_secs_f64() < 5.0, "{took:?} for {}", tree.to_text(&set));
            }
        }
        // Full trees of some ten thousand nodes.
        for index in [3, 7] {
            let tree = gp::ramped_half_and_half(index, Type::Float, (11, 12), &set, &mut draws);
            assert!(tree.is_usable(&set));
            let took = ends(&tree, &set, &mut draws);
            assert!(took.as_secs_f64() < 20.0, "{took:?} for {} nodes", tree.size());
        }
    }
}
