//! Specs of games as people write them.

use games::GameSpec;

#[track_caller]
fn fault(text: &str, says: &str, hint: Option<&str>) {
    let faults = text.parse::<GameSpec>().expect_err("a fault");
    assert_eq!(faults[0].to_string(), says);
    assert_eq!(faults[0].hint(), hint);
}

#[test]
fn faults_say_what_and_what_to_do() {
    fault("reversy", "unknown game `reversy`", Some("did you mean `reversi`?"));
    let names: Vec<&str> = games::all().iter().map(|entry| entry.name).collect();
    fault("chess", "unknown game `chess`", Some(&format!("one of `{}`", names.join("`, `"))));
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
