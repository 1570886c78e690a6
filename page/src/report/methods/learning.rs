//! A learning.

use std::collections::BTreeMap;

use analysis::{Cell, Table};
use record::facts::{LearningFacts, LearningPhase};

use super::{Part, Settings, games};
use crate::{Error, html::thousands, report::gathered::Gathered};

pub(super) fn parts(facts: &LearningFacts, gathered: &Gathered, settings: &Settings) -> Result<Vec<Part>, Error> {
    let text = |key: &str| settings.text(&format!("learning.{key}"));
    let mut rounds = vec![format!(
        "A player with a network played against itself, its network was trained on the positions of those games, and the new \
         network met the old one; {} rounds of this were asked for.",
        thousands(facts.rounds.into())
    )];
    if let (Some(played), Some(window)) = (settings.count("learning.self-play.games"), text("self-play.window")) {
        rounds.push(format!(
            "A round has {} games; positions of the last {window} rounds were trained on.",
            thousands(played)
        ));
    }
    rounds.extend(games::scale(facts.header.scale));
    let mut training = Vec::new();
    if let (Some(epochs), Some(batch), Some(rate), Some(loss)) =
        (text("training.epochs"), text("training.batch"), text("training.learning-rate"), text("training.loss"))
    {
        training.push(format!(
            "Training is Adam (Kingma and Ba 2015) on shuffled positions: {epochs} epochs in batches of {batch}, a learning rate \
             of {rate} in the first, {loss} as the loss of outcomes."
        ));
    }
    let heads = [("net", "net"), ("architecture", "architecture")];
    let mut nets = Table::new("networks", "Networks that were trained", &heads);
    for net in &facts.nets {
        nets.push(vec![Cell::text(&net.name), Cell::text(&net.architecture)]);
    }
    let mut parts = vec![
        Part::new("Game", vec![games::game(&facts.game.game)]),
        Part::new("Rounds", rounds),
        Part::new("Training", training).with(nets),
    ];
    parts.extend(opponents(gathered)?);
    Ok(parts)
}

/// Who met the networks in gates and at the end.
fn opponents(gathered: &Gathered) -> Result<Option<Part>, Error> {
    let mut specs = BTreeMap::new();
    for folded in &gathered.stages {
        let facts: LearningFacts = folded.stage.facts()?;
        if let LearningPhase::Gate(pairs) | LearningPhase::Final(pairs) = facts.phase {
            specs.extend(pairs.specs);
        }
    }
    Ok((!specs.is_empty()).then(|| {
        let sentences =
            vec!["In gates and at the end games came in units of two with the same luck and swapped seats.".to_owned()];
        Part::new("Gates and final stage", sentences).with(games::players(&specs))
    }))
}
