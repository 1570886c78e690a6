//! Another language than EvoMCTS's is a list: the formulas that EA-MCTS evolves (tests/oracles/formulas.json, computed by
//! another program).

use gp::{Inputs, LANES, Op, Primitive, PrimitiveSet, Program, Tree, Type, evaluate};
use serde_json::Value;

/// Q, n, N and c are numbers 0 to 3; 2 is a constant.
fn formulas() -> PrimitiveSet {
    let mut primitives: Vec<Primitive> =
        ["Q", "n", "N", "c"].iter().zip(0..).map(|(name, index)| Primitive::new(name, Op::Number(index))).collect();
    primitives.push(Primitive::new("2", Op::Constant(2.0)));
    let functions =
        [("+", Op::Plus), ("-", Op::Minus), ("*", Op::Times), ("/", Op::Divide), ("sqrt", Op::Sqrt), ("ln", Op::Ln)];
    primitives.extend(functions.map(|(name, op)| Primitive::new(name, op)));
    PrimitiveSet::new(primitives, false, (0.0, 1.0), (0, 0))
}

/// Prefix notation with the brackets it can do without.
fn bracketed(prefix: &mut std::slice::Iter<'_, Value>, set: &PrimitiveSet) -> String {
    let node = prefix.next().expect("a node");
    let name = node.as_str().map_or_else(|| node.to_string(), str::to_owned);
    let arity = set.get(set.find(&name).unwrap_or_else(|| panic!("no `{name}`"))).arity();
    let arguments: String = (0..arity).map(|_| format!(" {}", bracketed(prefix, set))).collect();
    if arity == 0 { name } else { format!("({name}{arguments})") }
}

fn oracle() -> Value {
    serde_json::from_str(include_str!("oracles/formulas.json")).expect("JSON")
}

#[test]
fn formulas_have_the_oracle_s_values() {
    let set = formulas();
    let mut checked = 0;
    for wanted in oracle()["formulas"].as_array().expect("formulas") {
        let prefix = wanted["prefix"].as_array().expect("a list");
        let text = bracketed(&mut prefix.iter(), &set);
        let tree = Tree::parse(&text, Type::Float, &set).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(tree.to_text(&set), text);
        assert_eq!(wanted["nodes"], tree.size());
        // The thesis counts edges.
        assert_eq!(wanted["height"], tree.depth(&set) - 1);
        let program = Program::new(&tree, &set).expect("small enough");
        let mut registers = program.registers();
        for row in wanted["values"].as_array().expect("rows") {
            let row: Vec<f64> = row.as_array().expect("a row").iter().map(|v| v.as_f64().expect("a number")).collect();
            // Q, n, N, c, value.
            let (numbers, value) = (&row[..4], row[4]);
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
            Some("ln") => ("(ln Q)", [number(1), 0.0, 0.0, 0.0], number(2)),
            _ => ("(/ Q n)", [number(1), number(2), 0.0, 0.0], number(3)),
        };
        let tree = Tree::parse(text, Type::Float, &set).expect("a tree");
        let found = evaluate(&tree, &set, &Inputs { numbers: &numbers, friendly: 0, enemy: 0 });
        assert!((found - value).abs() <= 1e-6 * (1.0 + value.abs()), "{case:?}: {found}");
    }
}
