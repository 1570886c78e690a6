//! Specs of games as a person writes them.

use games::GameSpec;
use spec::{Value, parse};

#[track_caller]
fn fault(text: &str, says: &str, hint: Option<&str>) {
    let faults = text.parse::<GameSpec>().expect_err("a fault");
    assert_eq!(faults[0].to_string(), says);
    assert_eq!(faults[0].hint(), hint);
}

#[test]
fn faults_say_what_and_what_to_do() {
    fault("reversy", "unknown game `reversy`", Some("did you mean `reversi`?"));
    fault("chess", "unknown game `chess`", Some("known are: checkers, dodgem, fop, reversi"));
    fault("reversi:n=8", "`reversi` has no parameter `n`", Some("`reversi` takes no parameters"));
    fault("dodgem:size=6", "`size` cannot be `6`: it takes a whole number from 3 to 5", None);
    for text in [
        "",
        "reversi:",
        "reversi:n",
        "a b",
        "reversi:n=",
        "reversi:=3",
        "reversi:n=a=b",
        "reversi:n=1,",
        "reversi:n=(a),b",
    ] {
        fault(text, &format!("`{text}` is not of the form `name:key=value,key=value`"), None);
    }
}

/// The values of `a`, `b` and so on in a line.
#[track_caller]
fn values(line: &str, wanted: &[&str]) {
    let given = parse(&format!("name:{line}")).expect("a spec");
    let wanted: Vec<(String, Value)> =
        ('a'..).zip(wanted).map(|(key, value)| (key.to_string(), Value::Text((*value).to_owned()))).collect();
    assert_eq!(given.params, wanted, "{line}");
}

#[test]
fn parentheses_keep_commas_and_equals_signs() {
    values("a=1,b=2", &["1", "2"]);
    values("a=(1,b=2),b=(3)", &["(1,b=2)", "(3)"]);
    values("a=f(g(1,2),3)+h(4,5),b=x y", &["f(g(1,2),3)+h(4,5)", "x y"]);
    values("a=(1),b=2)", &["(1)", "2)"]);
    // One that is never closed ends where a key follows.
    values("a=f(1,2,b=3", &["f(1,2", "3"]);
    values("a=f(1,g(2,3),b=4", &["f(1,g(2,3)", "4"]);
    values("a=f(1,b=g(2,3),c=4", &["f(1", "g(2,3)", "4"]);
}
