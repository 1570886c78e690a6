//! Specs of players as a person writes them.

use players::PlayerSpec;

#[track_caller]
fn reads(text: &str, canonical: &str) {
    let spec: PlayerSpec = text.parse().expect("a player");
    assert_eq!(spec.to_string(), canonical);
    assert_eq!(canonical.parse::<PlayerSpec>().as_ref(), Ok(&spec), "the canonical text is the same player");
}

#[test]
fn defaults_are_filled_in() {
    reads("random", "random");
    let rest = "c=0.7,factor=1,fpu=inf,keep-tree=true,final-move=highest-mean,ties=first,terminals=resample,\
                search-forced=false,nodes-max=4000000";
    reads("mcts", &format!("mcts:playouts=100,{rest}"));
    reads("mcts:time-ms=50", &format!("mcts:time-ms=50,{rest}"));
    reads("mcts:c=1,playouts=7", &format!("mcts:playouts=7,{}", rest.replace("0.7", "1")));
}

#[track_caller]
fn fault(text: &str, says: &str, hint: Option<&str>) {
    let faults = text.parse::<PlayerSpec>().expect_err("a fault");
    assert_eq!(faults[0].to_string(), says);
    assert_eq!(faults[0].hint(), hint);
}

#[test]
fn faults_say_what_and_what_to_do() {
    fault("mtcs", "unknown player `mtcs`", Some("did you mean `mcts`?"));
    fault("mcts:playout=5", "`mcts` has no parameter `playout`", Some("did you mean `playouts`?"));
    fault("mcts:playouts=0", "`playouts` cannot be `0`: it takes a whole number from 1 to 1000000000", None);
    fault("mcts:playouts=many", "`playouts` cannot be `many`: it takes a whole number from 1 to 1000000000", None);
    fault("mcts:nodes-max=1", "`nodes-max` cannot be `1`: it takes a whole number from 2 to 100000000", None);
    fault("mcts:c=-1", "`c` cannot be `-1`: it takes a number from 0 to 1000000", None);
    fault("mcts:c=2,c-max=1", "`c-max` is 1, below `c`, 2", None);
    fault("mcts:keep-tree=yes", "`keep-tree` cannot be `yes`: it takes true or false", None);
    let moves = "highest-mean, most-visited, visits-alone";
    fault("mcts:final-move=best", &format!("`final-move` cannot be `best`: it takes one of {moves}"), None);
    fault("mcts:c=1,c=2", "`c` is given twice", None);
    fault("mcts:playouts=5,time-ms=5", "`playouts` and `time-ms` are two budgets for one decision; give one", None);
    assert_eq!("mcts:c=-1,playout=5".parse::<PlayerSpec>().expect_err("faults").len(), 2, "all at once");
}

#[test]
fn only_time_budgets_depend_on_the_machine() {
    let reproducible = |text: &str| text.parse::<PlayerSpec>().expect("a player").reproducible();
    assert!(reproducible("random") && reproducible("mcts:playouts=5"));
    assert!(!reproducible("mcts:time-ms=5"));
}
