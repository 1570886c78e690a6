//! The result of a tuning: the candidate that leads, as a player's spec.

use coordinator::store::{Folded, Summary};
use record::{
    facts::{Candidate, Kind, TuningFacts, TuningPhase},
    folds::{FinalFold, PairScore, TuningFold},
};
use serde_json::json;

use super::Args;
use crate::{error::CliError, output::Output};

/// Whether a run is a tuning.
pub(super) fn is_tuning(stages: &[Folded]) -> bool {
    stages.first().is_some_and(|first| first.stage.kind() == Some(Kind::Tuning))
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
    let spec = spec_of(stages, &leader.name)?;
    let end = last_scores(stages, &leader)?;
    let text = || {
        let mut lines = vec![format!(
            "{} of {}: {} after generation {generation}, {} of the points in {} games of the search",
            if end.is_some() { "winner" } else { "leader" },
            summary.name,
            leader.name,
            share(leader.points, leader.games),
            leader.games,
        )];
        for PairScore { contestant, opponent, games, points } in end.iter().flatten() {
            let share = share(*points, *games);
            lines.push(format!("  {contestant} v {opponent}: {share} of the points ({games} games)"));
        }
        lines.extend(leader.values.iter().map(|(parameter, value)| format!("{parameter:16} {value}")));
        lines.push(format!("{:16} {spec}", "player"));
        lines.join("\n")
    };
    output.result(text, || {
        json!({
            "experiment": summary.name, "run": summary.id, "state": summary.state, "generation": generation,
            "leader": leader, "player": spec, "scores": end.as_deref().unwrap_or_default(),
        })
    });
    Ok(())
}

/// Points over games, where there are games.
fn share(points: f64, games: u64) -> String {
    if games > 0 { format!("{:.3}", points / games as f64) } else { "–".to_owned() }
}

/// The candidate that leads after a closed generation, the last one if none is named.
fn leader(stages: &[Folded], generation: Option<u32>) -> Result<(u32, Candidate), CliError> {
    let mut closed = Vec::new();
    for Folded { stage, fold } in stages {
        let facts: TuningFacts = stage.facts()?;
        if let (TuningPhase::Generation { .. }, Some(fold)) = (&facts.phase, fold) {
            closed.push((facts.generation, stage.fold::<TuningFold>(fold)?.leader));
        }
    }
    let last = closed.last().map(|(last, _)| *last);
    let wanted = generation.or(last);
    let found = closed.into_iter().find(|(number, _)| Some(*number) == wanted);
    found.ok_or_else(|| match last {
        Some(last) => CliError::usage(format!("generations 0 to {last} are closed")),
        None => CliError::usage("no generation is closed yet: wait for the first"),
    })
}

/// Scores of the final stage, if it is closed and tested this candidate.
fn last_scores(stages: &[Folded], candidate: &Candidate) -> Result<Option<Vec<PairScore>>, CliError> {
    for Folded { stage, fold } in stages {
        let facts: TuningFacts = stage.facts()?;
        if let (TuningPhase::Final { winner }, Some(fold)) = (facts.phase, fold)
            && winner.id == candidate.id
        {
            return Ok(Some(stage.fold::<FinalFold>(fold)?.scores));
        }
    }
    Ok(None)
}

/// The spec of a candidate, from a stage that it played in.
fn spec_of(stages: &[Folded], name: &str) -> Result<String, CliError> {
    for Folded { stage, .. } in stages.iter().rev() {
        if let Some(spec) = stage.facts::<TuningFacts>()?.pairs.specs.remove(name) {
            return Ok(spec);
        }
    }
    Err(CliError::failed(format!("no stage of the run names {name}")))
}
