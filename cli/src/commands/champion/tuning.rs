//! The result of a tuning: the candidate that leads, as a player's spec.

use coordinator::store::{Folded, Summary};
use page::champion::Tuned;
use record::folds::PairScore;
use serde_json::json;

use super::Args;
use crate::{error::CliError, output::Output};

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
    let Tuned { generation, leader, player: spec, scores: end } = Tuned::find(stages, args.generation)?;
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
