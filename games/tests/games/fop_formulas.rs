//! Formulas of users: values by CPython (tests/oracles/fop-formulas.json), faults, hostile texts, and the way through
//! specs.

use games::{
    GameSpec,
    fop::{
        expression::Expression,
        function::{Function, KNOWN},
    },
};
use serde_json::Value;

fn oracle() -> Value {
    serde_json::from_str(include_str!("../oracles/fop-formulas.json")).expect("JSON")
}

fn parse(text: &str) -> Expression {
    Expression::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[track_caller]
fn near(found: f64, wanted: f64, what: &str) {
    assert!((found - wanted).abs() <= 1e-12 * wanted.abs().max(1.0), "{what}: {found}, not {wanted}");
}

/// Pairs of x and value.
fn pairs(rows: &Value) -> impl Iterator<Item = (f64, f64)> {
    let number = |value: &Value| value.as_f64().expect("a number");
    rows.as_array().expect("rows").iter().map(move |row| (number(&row[0]), number(&row[1])))
}

#[test]
fn values_are_pythons() {
    let oracle = oracle();
    let formulas = oracle["formulas"].as_array().expect("formulas");
    assert!(formulas.len() > 30);
    for row in formulas {
        let text = row[0].as_str().expect("a formula");
        let formula = parse(text);
        pairs(&row[1]).for_each(|(x, value)| near(formula.value(x), value, &format!("{text} at {x}")));
    }
}

#[test]
fn named_functions_are_pythons() {
    let oracle = oracle();
    for known in &KNOWN {
        let function = Function::known(known.name).expect("a name");
        for (x, value) in pairs(&oracle["functions"][known.name]) {
            // Near 0 the sine's argument is large, and so is its error: x^-5 is 1.7e5 at 0.09.
            let slack = if known.name == "f3" { 1e-9 } else { 1e-12 };
            let found = function.value(x);
            assert!((found - value).abs() <= slack, "{} at {x}: {found}, not {value}", known.name);
        }
    }
}

/// The formula shown for a function is that function, to the bit.
#[test]
fn named_functions_as_formulas() {
    for known in &KNOWN {
        let (function, formula) = (Function::known(known.name).expect("a name"), parse(known.formula));
        for i in 0..10_000 {
            let x = (f64::from(i) + 0.5) / 10_000.0;
            assert_eq!(formula.value(x).to_bits(), function.value(x).to_bits(), "{} at {x}", known.name);
            assert!((0.0..=1.0).contains(&function.value(x)), "{} at {x}", known.name);
        }
    }
}

#[test]
fn a_chance_is_one_whatever_the_formula_does() {
    let chance = |text| Function::expression(text).expect("a formula").chance(0.25);
    assert_eq!(chance("3"), 1.0);
    assert_eq!(chance("-x"), 0.0);
    assert_eq!(chance("ln(-x)"), 0.0, "no number");
    assert_eq!(chance("1/(x-0.25)"), 1.0, "infinite");
    assert_eq!(chance("x"), 0.25);
}

#[track_caller]
fn fault(text: &str, says: &str) {
    let error = Expression::parse(text).expect_err("a fault");
    assert_eq!(error.to_string(), says, "{text}");
}

#[test]
fn faults_say_where_and_what() {
    const VALUE: &str = "where a number, `x`, a function or `(` is expected";
    fault("", &format!("at character 1 there is the end, {VALUE}"));
    fault("0.5*", &format!("at character 5 there is the end, {VALUE}"));
    fault("x+*2", &format!("at character 3 there is `*`, {VALUE}"));
    fault("x**2", &format!("at character 3 there is `*`, {VALUE}; a power is written `x^2`"));
    fault("+x", &format!("at character 1 there is `+`, {VALUE}"));
    fault("2x", "at character 2 there is `x`, where an operator or the end is expected");
    fault("2e", "at character 2 there is `e`, where an operator or the end is expected");
    fault("x)", "at character 2 there is `)`, where an operator or the end is expected");
    fault("x<1", "at character 2 there is `<`, where an operator or the end is expected");
    fault("x = 1", "at character 3 there is `=`, where an operator or the end is expected");
    fault("(x", "at character 3 there is the end, where an operator or `)` is expected");
    fault("sin x", "at character 5 there is `x`, where the function's `(` is expected");
    fault("sin(x", "at character 6 there is the end, where an operator or the function's `)` is expected");
    fault("sin(x,1)", "at character 6 there is `,`, where an operator or the function's `)` is expected");
    fault("min(x)", "at character 6 there is `)`, where an operator or `,` and a second argument is expected");
    fault("if(x,1,2)", "at character 5 there is `,`, where an operator or `<`, `<=`, `>`, `>=` is expected");
    fault(
        "if(x<1)",
        "at character 7 there is `)`, where an operator or `,` and the value where that holds is expected",
    );
    fault("if(x<1,2)", "at character 9 there is `)`, where an operator or `,` and the value elsewhere is expected");
    fault("x\u{b7}2", "at character 2 there is `\u{b7}`, where an operator or the end is expected");
    fault("\u{3c0}*x", &format!("at character 1 there is `\u{3c0}`, {VALUE}"));
    fault("1+sim(x)", "at character 3 there is `sim`, which is not a name here; did you mean `sin`?");
    fault(
        "gamma(x)",
        "at character 1 there is `gamma`, which is not a name here; functions are abs, cos, exp, floor, if, ln, max, min, \
         sin, sqrt, tan; names are x, pi, e",
    );
    fault("1.2.3", "at character 4 there is `.`, where an operator or the end is expected");
    fault("x+.", "at character 3 there is `.`, which is not a finite number");
    fault("1e999", "at character 1 there is `1e999`, which is not a finite number");
}

/// Any text gives a value or a fault, and never overflows the stack.
#[test]
fn hostile_texts() {
    let deep = "from character 65 on it is nested too deeply: at most 64 parentheses, signs and powers inside one \
                another, and 64 values that wait for others";
    fault(&"(".repeat(900), deep);
    fault(&"-".repeat(900), deep);
    assert!(Expression::parse(&format!("{}x", "x^".repeat(400))).is_err());
    assert!(Expression::parse(&"sin(".repeat(200)).is_err());
    assert!(Expression::parse(&format!("{}x{}", "(".repeat(64), ")".repeat(64))).is_ok());
    assert!(Expression::parse(&format!("{}x{}", "(".repeat(65), ")".repeat(65))).is_err());
    fault(&"x+".repeat(501), "it has 1002 characters, and 1000 are the most");
    fault(&"(".repeat(1_000_000), "it has 1000000 characters, and 1000 are the most");
    let wide = format!("x{}", "+x".repeat(499));
    near(parse(&wide).value(0.5), 250.0, "a sum of 500");
    // Each level keeps two values on the stack, which allows 31 levels; their parentheses would allow more.
    let level = |levels| format!("{}x{}", "x+x*(".repeat(levels), ")".repeat(levels));
    assert!(parse(&level(31)).value(0.5).is_finite());
    let error = Expression::parse(&level(32)).expect_err("a fault").to_string();
    assert!(error.contains("nested too deeply"), "{error}");
    let ifs = format!("{}x{}", "if(x<1,x,if(x<2,x,".repeat(10), "))".repeat(10));
    assert_eq!(parse(&ifs).value(0.5), 0.5);
}

proptest::proptest! {
    /// Any characters that formulas are made of, in any order.
    #[test]
    fn no_text_breaks_it(text in "[-x0-9.e+*/^(),<>= ]{0,60}|((sin|if|min|max|ln|pi|x|e|2)[-+*/^(),<>=]){0,20}x?") {
        if let Ok(formula) = Expression::parse(&text) {
            for x in [0.25, 0.5, 1.0] {
                formula.value(x);
            }
        }
    }
}

#[track_caller]
fn reads(text: &str, canonical: &str) {
    let read: GameSpec = text.parse().unwrap_or_else(|faults| panic!("{faults:?}"));
    assert_eq!(read.to_string(), canonical);
    assert_eq!(canonical.parse::<GameSpec>().as_ref(), Ok(&read), "the canonical text is the same game");
}

#[test]
fn specs_name_a_function_or_hold_one() {
    let rest = "width-min=0.00001,branching=2";
    reads("fop", &format!("fop:function=f1,{rest}"));
    reads("fop:function=f2,width-min=1e-6", "fop:function=f2,width-min=0.000001,branching=2");
    reads("fop:expression=0.5*sin(13*x)+0.5", &format!("fop:expression=0.5*sin(13*x)+0.5,{rest}"));
    let conditional = "if(x <= 0.5, min(x, 1), (1-x)^2)";
    reads(&format!("fop:branching=2,expression={conditional}"), &format!("fop:expression={conditional},{rest}"));
    for known in &KNOWN {
        reads(&format!("fop:expression={}", known.formula), &format!("fop:expression={},{rest}", known.formula));
    }
}

/// As from a table in a file.
#[test]
fn specs_from_tables_are_those_of_lines() {
    let formula = "if(x <= 0.5, min(x, 1), (1-x)^2)";
    let params = [("width-min", spec::Value::Real(1e-6)), ("expression", spec::Value::Text(formula.to_owned()))];
    let params = params.map(|(key, value)| (key.to_owned(), value)).to_vec();
    let table = GameSpec::check(&spec::Given { name: "fop".to_owned(), params }).expect("a spec");
    assert_eq!(format!("fop:expression={formula},width-min=1e-6").parse::<GameSpec>().as_ref(), Ok(&table));
    assert_eq!(table.to_string().parse::<GameSpec>().as_ref(), Ok(&table));
}

#[track_caller]
fn spec_fault(text: &str, key: &str, says: &str) {
    let faults = text.parse::<GameSpec>().expect_err("a fault");
    assert_eq!((faults[0].key(), faults[0].to_string().as_str()), (Some(key), says));
}

#[test]
fn faults_of_specs_point_at_the_formula() {
    spec_fault(
        "fop:expression=min(x,sim(x))",
        "expression",
        "`min(x,sim(x))` is not a formula in x: at character 7 there is `sim`, which is not a name here; did you mean `sin`?",
    );
    spec_fault(
        "fop:expression=min(x,0.5,width-min=1e-6",
        "expression",
        "`min(x,0.5` is not a formula in x: at character 10 there is the end, where an operator or the function's `)` is \
         expected",
    );
    spec_fault("fop:function=f2,expression=x", "expression", "`function` and `expression` are two functions; give one");
    spec_fault("fop:function=f6", "function", "`function` cannot be `f6`: it takes one of f1, f2, f3, f4, f5");
    spec_fault(
        "fop:width-min=1e-9",
        "width-min",
        "`width-min` cannot be `1e-9`: it takes a number from 0.00000001 to 1",
    );
    spec_fault("fop:branching=17", "branching", "`branching` cannot be `17`: it takes a whole number from 2 to 16");
}

/// A formula whose value is not a probability is refused, and the error names the place.
#[test]
fn values_must_be_probabilities() {
    let refused = |formula: &str, value: &str, x: &str| {
        let says = format!(
            "`{formula}` is {value} at x = {x}, but a reward is drawn with it as probability: scale it to 0 to 1, as \
             `min(1, max(0, …))` does"
        );
        spec_fault(&format!("fop:expression={formula},width-min=0.3"), "expression", &says);
    };
    // Ends of width 0.25 have their centres at 0.125, 0.375, 0.625 and 0.875.
    refused("2*x", "1.25", "0.625");
    refused("x-0.5", "-0.375", "0.125");
    refused("sqrt(x-0.5)", "NaN", "0.125");
    // Not an end, but a position on the way.
    refused("1/(x-0.5)^2*0.01", "inf", "0.5");
    let small = |formula: &str| format!("fop:expression={formula},width-min=0.3").parse::<GameSpec>().is_ok();
    assert!(small("x") && small("min(1, max(0, 2*x-0.5))") && small("1+1e-12*x"), "rounding is not a fault");
    // A peak of a thousandth of the domain is seen among 131,072 ends.
    assert!("fop:expression=2*exp(-((x-0.3)*4000)^2)".parse::<GameSpec>().is_err());
}
