//! The result of a tuning: the candidate that leads, as a player's spec.

use coordinator::store::{Folded, Summary};
use serde_json::{Value, json};

use super::Args;
use crate::{error::CliError, output::Output};

/// Whether a run is a tuning.
pub(super) fn is_tuning(stages: &[Folded]) -> bool {
    stages.first().is_some_and(|first| first.stage.meta["kind"] == "tuning")
}

pub(super) fn show(args: &Args, summary: &Summary, stages: &[Folded], output: &Output) -> Result<(), CliError> {
    let of_evolutions = [
        ("--individual", args.individual.is_some()),
        ("--out", args.out.is_some()),
        ("--lineage", args.lineage),
        ("--dot", args.dot.is_some()),
        ("--population", args.population.is_some()),
    ];
    if let Some((option, _)) = of_evolutions.iter().find(|(_, given)| *given) {
        return Err(CliError::usage(format!("this run is a tuning, and {option} is for a coevolution"))
            .hint("the winner is a spec: use it wherever a player is named"));
    }
    let (generation, leader) = leader(stages, args.generation)?;
    let spec = spec_of(stages, &leader)
        .ok_or_else(|| CliError::failed(format!("no stage of the run names {}", leader["name"])))?;
    let end = stages.iter().find(|stage| stage.stage.meta["phase"] == "final");
    // What the final stage says is of the leader after the last generation alone.
    let end = end.filter(|end| end.stage.meta["winner"]["id"] == leader["id"]).and_then(|end| end.fold.as_ref());
    let scores = end.and_then(|fold| fold["scores"].as_array()).map_or(&[][..], Vec::as_slice);
    let text = || {
        let name = leader["name"].as_str().unwrap_or_default();
        let mut lines = vec![format!(
            "{} of {}: {name} after generation {generation}, {} of the points in {} games of the search",
            if end.is_some() { "winner" } else { "leader" },
            summary.name,
            share(&leader),
            leader["games"],
        )];
        for score in scores {
            let text = |key: &str| score[key].as_str().unwrap_or_default();
            let (contestant, opponent) = (text("contestant"), text("opponent"));
            lines.push(format!(
                "  {contestant} v {opponent}: {} of the points ({} games)",
                share(score),
                score["games"]
            ));
        }
        for (parameter, value) in leader["values"].as_object().into_iter().flatten() {
            lines.push(format!("{parameter:16} {value}"));
        }
        lines.push(format!("{:16} {spec}", "player"));
        lines.join("\n")
    };
    output.result(text, || {
        json!({
            "experiment": summary.name, "run": summary.id, "state": summary.state, "generation": generation,
            "leader": leader, "player": spec, "scores": scores,
        })
    });
    Ok(())
}

/// Points over games, where there are games.
fn share(of: &Value) -> String {
    match (of["points"].as_f64(), of["games"].as_f64()) {
        (Some(points), Some(games)) if games > 0.0 => format!("{:.3}", points / games),
        _ => "–".to_owned(),
    }
}

/// Who leads after a closed generation, the last one if none is named.
fn leader(stages: &[Folded], generation: Option<u32>) -> Result<(u64, Value), CliError> {
    let closed = stages.iter().filter(|stage| stage.stage.meta["phase"] == "generation");
    let closed: Vec<(u64, &Value)> =
        closed.filter_map(|stage| Some((stage.stage.meta["generation"].as_u64()?, stage.fold.as_ref()?))).collect();
    let found = match generation {
        Some(generation) => closed.iter().find(|(number, _)| *number == u64::from(generation)),
        None => closed.last(),
    };
    found.map(|(number, fold)| (*number, fold["leader"].clone())).ok_or_else(|| match closed.last() {
        Some((last, _)) => CliError::usage(format!("generations 0 to {last} are closed")),
        None => CliError::usage("no generation is closed yet: wait for the first"),
    })
}

/// The spec of a candidate, from a generation that it played in.
fn spec_of(stages: &[Folded], candidate: &Value) -> Option<String> {
    let name = candidate["name"].as_str()?;
    stages.iter().rev().find_map(|stage| stage.stage.meta["specs"][name].as_str().map(str::to_owned))
}
