//! Names that older versions of redqueen stored, replaced with those of now: runs of different versions are compared.

use serde_json::Value;

/// Keys whose value is a spec.
const SPEC: [&str; 2] = ["game", "player"];
/// Keys whose values are specs by name.
const SPECS: [&str; 3] = ["specs", "players", "problems"];

/// Replaces old names in the facts of a stage or in a resolved experiment.
pub(crate) fn replace_old_names(value: &mut Value) {
    replace_in("", value);
}

fn replace_in(owner: &str, value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(|value| replace_in(owner, value)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if SPEC.contains(&key.as_str()) => {
                        *text = spec::with_new_names(text).into_owned();
                    }
                    Value::String(text) => {
                        if let Some(renamed) = spec::renamed_value(owner, key, text) {
                            *text = renamed.now.to_owned();
                        }
                    }
                    Value::Object(specs) if SPECS.contains(&key.as_str()) => {
                        for text in specs.values_mut() {
                            if let Value::String(text) = text {
                                *text = spec::with_new_names(text).into_owned();
                            }
                        }
                    }
                    Value::Array(steps) if key == "made" => steps.iter_mut().for_each(replace_step),
                    value => replace_in(key, value),
                }
            }
        }
        _ => {}
    }
}

/// A step that made a candidate: `report of p` is the mutation and its parameter.
fn replace_step(step: &mut Value) {
    if let Value::String(text) = step
        && let Some((mutation, parameter)) = text.split_once(" of ")
        && let Some(renamed) = spec::renamed_value("tuning", "mutation", mutation)
    {
        *text = format!("{} of {parameter}", renamed.now);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_replaced_where_they_stand_alone() {
        let mut facts = json!({
            "title": "alphabeta", "experiment": "alphabeta", "game": "checkers:rules=report,plies-max=40",
            "specs": { "alphabeta": "alphabeta:depth=3", "random": "random" },
            "problems": { "c": "checkers:rules=report" },
            "player": "staged:stages=(0 alphabeta) (9 report-mcts:p=2)",
            "candidates": [{ "name": "candidate-1", "made": ["uniform", "report of c", "reset of p"] }],
            "tuning": { "algorithm": "genetic", "mutation": "report", "player": "report-mcts" },
        });
        replace_old_names(&mut facts);
        assert_eq!(
            facts,
            json!({
                "title": "alphabeta", "experiment": "alphabeta", "game": "checkers:rules=project,plies-max=40",
                "specs": { "alphabeta": "alpha-beta:depth=3", "random": "random" },
                "problems": { "c": "checkers:rules=project" },
                "player": "staged:stages=(0 alpha-beta) (9 checkers-mcts:p=2)",
                "candidates": [{ "name": "candidate-1", "made": ["uniform", "single-gene of c", "reset of p"] }],
                "tuning": { "algorithm": "genetic", "mutation": "single-gene", "player": "checkers-mcts" },
            })
        );
    }
}
