//! The language of the formulas that EA-MCTS evolves (tests/oracles/formulas.json, computed by another program).

use gp::{ByClass, Inputs, LANES, Op, PrimitiveSet, Program, Stored, Tree, Type, evaluate, full, mutate_by_class};
use serde_json::Value;

use crate::common::Draws;

fn formulas() -> PrimitiveSet {
    PrimitiveSet::selection(true, Op::Ln)
}

/// Prefix notation with its optional brackets; `c` is the number of every constant.
fn bracketed(prefix: &mut std::slice::Iter<'_, Value>, c: f64, set: &PrimitiveSet) -> String {
    let node = prefix.next().expect("a node");
    let name = match node.as_str() {
        Some("c") => return format!("C:{c}"),
        Some(name) => name.to_owned(),
        None => node.to_string(),
    };
    let arity = set.get(set.find(&name).unwrap_or_else(|| panic!("no `{name}`"))).arity();
    let arguments: String = (0..arity).map(|_| format!(" {}", bracketed(prefix, c, set))).collect();
    if arity == 0 { name } else { format!("({name}{arguments})") }
}

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracles/formulas.json")).expect("JSON")
}

#[test]
fn formulas_have_the_oracle_s_values() {
    let set = formulas();
    let mut checked = 0;
    for wanted in oracle()["formulas"].as_array().expect("formulas") {
        let prefix = wanted["prefix"].as_array().expect("a list");
        for row in wanted["values"].as_array().expect("rows") {
            let row: Vec<f64> = row.as_array().expect("a row").iter().map(|v| v.as_f64().expect("a number")).collect();
            // Q, n, N, c, value.
            let (numbers, c, value) = (&row[..3], row[3], row[4]);
            let text = bracketed(&mut prefix.iter(), c, &set);
            let tree = Tree::parse(&text, Type::Float, &set).unwrap_or_else(|error| panic!("{text}: {error}"));
            assert_eq!(tree.to_text(&set), text);
            assert_eq!(wanted["nodes"], tree.size());
            // The thesis counts edges.
            assert_eq!(wanted["height"], tree.depth(&set) - 1);
            let program = Program::new(&tree, &set).expect("small enough");
            let mut registers = program.registers();
            let walked = evaluate(&tree, &set, &Inputs { numbers, friendly: 0, enemy: 0 });
            assert!((walked - value).abs() <= 1e-8 * (1.0 + value.abs()), "{text}: {walked} is not {value}");
            let lanes: Vec<[f64; LANES]> = numbers.iter().map(|&number| [number; LANES]).collect();
            assert_eq!(program.run(&mut registers, &lanes, &[0; LANES], &[0; LANES]), [walked; LANES]);
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

#[test]
fn protected_operators_are_protected() {
    let set = formulas();
    for case in oracle()["protected"]["cases_code"].as_array().expect("cases") {
        let case = case.as_array().expect("a list");
        let number = |index: usize| case[index].as_f64().expect("a number");
        let (text, numbers, value) = match case[0].as_str() {
            Some("ln") => ("(ln Q)", [number(1), 0.0, 0.0], number(2)),
            _ => ("(/ Q n)", [number(1), number(2), 0.0], number(3)),
        };
        let tree = Tree::parse(text, Type::Float, &set).expect("a tree");
        let found = evaluate(&tree, &set, &Inputs { numbers: &numbers, friendly: 0, enemy: 0 });
        assert!((found - value).abs() <= 1e-6 * (1.0 + value.abs()), "{case:?}: {found}");
    }
}

/// The logarithm of the thesis, beside that of its program.
#[test]
fn the_logarithm_of_the_absolute_value_is_another() {
    for (ln, q, value) in
        [(Op::Ln, -5.0, -4.605_170_185_988_091), (Op::LnAbs, -5.0, 1.609_437_912_434_100_3), (Op::LnAbs, 1.0, 0.0)]
    {
        let set = PrimitiveSet::selection(false, ln);
        let tree = Tree::parse("(ln Q)", Type::Float, &set).expect("a tree");
        let found = evaluate(&tree, &set, &Inputs { numbers: &[q, 0.0, 0.0], friendly: 0, enemy: 0 });
        assert!((found - value).abs() < 1e-12, "{ln:?} of {q}: {found}");
        let program = Program::new(&tree, &set).expect("small enough");
        assert_eq!(program.run(&mut program.registers(), &[[q; LANES]; 3], &[0; LANES], &[0; LANES]), [found; LANES]);
    }
}

/// Mean nodes of full subtrees by height (edges), and over heights 1 to 3, as the oracle has them.
#[test]
fn full_subtrees_have_the_oracle_s_sizes() {
    const DRAWS: u32 = 40_000;
    let (set, mut draws) = (formulas(), Draws::new(1));
    let mut check = |wanted: f64, make: &mut dyn FnMut(&mut Draws) -> Tree| {
        let sizes: Vec<f64> = (0..DRAWS).map(|_| make(&mut draws).size() as f64).collect();
        let mean = sizes.iter().sum::<f64>() / f64::from(DRAWS);
        let squares = sizes.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>();
        let error = squares.sqrt() / f64::from(DRAWS);
        assert!((mean - wanted).abs() < 5.0 * error, "{mean} is not {wanted}");
    };
    for (depth, wanted) in [(2, 2.666_667), (3, 5.444_444), (4, 10.074_074)] {
        check(wanted, &mut |draws| full(Type::Float, depth, &set, draws));
    }
    let lone = Tree::parse("Q", Type::Float, &set).expect("a tree");
    let how = ByClass { internal: 0.9, depths: (2, 4) };
    check(6.061_728, &mut |draws| mutate_by_class(&lone, &how, 1.0, &set, draws));
}

/// The root of UCB1 with 13 nodes is replaced, and its leaf Q hit, as often as the oracle says (a hit leaf is made
/// anew).
#[test]
fn points_of_mutation_are_drawn_by_class() {
    const DRAWS: u32 = 100_000;
    let (set, mut draws) = (formulas(), Draws::new(2));
    let ucb1 = "(+ Q (* (* 2 C:0.5) (sqrt (/ (* 2 (ln N)) n))))";
    let tree = Tree::parse(ucb1, Type::Float, &set).expect("a tree");
    let how = ByClass { internal: 0.9, depths: (2, 4) };
    let rest = ucb1.strip_prefix("(+ Q ").expect("so it begins");
    let (mut root, mut leaf) = (0, 0);
    for _ in 0..DRAWS {
        let text = mutate_by_class(&tree, &how, 7.0, &set, &mut draws).to_text(&set);
        if text.starts_with("(+ Q ") {
            continue;
        }
        if text.ends_with(&format!(" {rest}")) { leaf += 1 } else { root += 1 }
    }
    for (count, wanted) in [(root, 0.128_571), (leaf, 0.016_667)] {
        let (share, error) = (f64::from(count) / f64::from(DRAWS), (wanted * (1.0 - wanted) / f64::from(DRAWS)).sqrt());
        // A new root that begins and ends like the old one, (+ Q …), is rare and not told apart.
        assert!((share - wanted).abs() < 5.0 * error + 0.004, "{share} is not {wanted}");
    }
}

#[test]
fn new_constants_share_their_number_and_old_ones_keep_theirs() {
    let (set, mut draws) = (formulas(), Draws::new(3));
    let tree = Tree::parse("(+ (* C:0.5 Q) (- C:0.5 N))", Type::Float, &set).expect("a tree");
    let how = ByClass { internal: 0.9, depths: (2, 4) };
    let (mut old, mut new) = (0, 0);
    for _ in 0..2_000 {
        let made = mutate_by_class(&tree, &how, 3.0, &set, &mut draws);
        assert!(Tree::new(made.nodes().to_vec(), &set).is_some());
        assert!(made.depth(&set) < 3 + 4);
        for node in made.nodes() {
            match node.stored {
                Stored::Number(0.5) => old += 1,
                Stored::Number(3.0) => new += 1,
                Stored::None => {}
                other => panic!("{other:?}"),
            }
        }
    }
    assert!(old > 500 && new > 500, "{old} {new}");
    // If the class is empty, the root is replaced.
    let lone = Tree::parse("Q", Type::Float, &set).expect("a tree");
    assert!(mutate_by_class(&lone, &how, 3.0, &set, &mut draws).size() > 1);
}
