//! The pairs of a stage of shape `match`, spelled out from its facts as docs/run-directory.md describes them.

use record::Stage;
use serde_json::Value;

fn names(list: &Value) -> Vec<String> {
    serde_json::from_value(list.clone()).expect("a list of names")
}

/// Names of every pair, in order.
pub(crate) fn of(stage: &Stage) -> Vec<[String; 2]> {
    if let Some(pairs) = stage.meta.get("pairs") {
        return serde_json::from_value(pairs.clone()).expect("pairs");
    }
    let pairing = &stage.meta["pairing"];
    let mut pairs = Vec::new();
    match pairing["rule"].as_str() {
        Some("round-robin") => {
            let players = &stage.labels["players"];
            for (i, a) in players.iter().enumerate() {
                pairs.extend(players[i + 1..].iter().map(|b| [a.clone(), b.clone()]));
            }
        }
        Some("gauntlet") => {
            let against = names(&pairing["against"]);
            for a in names(&pairing["champions"]) {
                pairs.extend(against.iter().map(|b| [a.clone(), b.clone()]));
            }
        }
        other => panic!("{other:?} is not a rule"),
    }
    pairs
}
