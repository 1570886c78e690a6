//! A coevolution.

use record::facts::{EvolutionFacts, EvolutionPhase};

use super::{Part, Settings, games};
use crate::{Error, html::thousands, report::gathered::Gathered};

pub(super) fn parts(facts: &EvolutionFacts, gathered: &Gathered, settings: &Settings) -> Result<Vec<Part>, Error> {
    let mut evolution = Vec::new();
    if let EvolutionPhase::Generation(individuals) = &facts.phase {
        evolution.push(format!(
            "{} individuals evolved by playing one another (Benbassat and Sipper 2013). An individual is a function that \
             guides the playouts of the player {}. In each generation every individual sat first in {} games against others \
             drawn at random, and second in as many; its fitness is the points it took.",
            thousands(individuals.individuals as u64),
            individuals.player,
            thousands(individuals.games_as_first)
        ));
    }
    evolution.extend(
        facts.generations.map(|asked| format!("The experiment asks for {} generations.", thousands(asked.into()))),
    );
    evolution.extend(breeding(settings));
    evolution.extend(games::opening(
        settings.count("coevolution.opening-plies").and_then(|n| u32::try_from(n).ok()).unwrap_or(0),
    ));
    evolution.extend(games::scale(facts.header.scale));
    let mut parts = vec![Part::new("Game", vec![games::game(&facts.game.game)]), Part::new("Evolution", evolution)];
    parts.extend(benchmarks(gathered, settings)?);
    Ok(parts)
}

/// How the next population was made.
fn breeding(settings: &Settings) -> Option<String> {
    let text = |key: &str| settings.text(&format!("coevolution.{key}"));
    Some(format!(
        "The first population was made by ramped half-and-half, with depths from {} to {}. Parents were the fittest of {} \
         drawn individuals, the best {} went on unchanged; a pair was crossed with probability {}, an individual mutated with \
         probability {}, in a share of {} of number nodes by a step of the factor with standard deviation {}. Trees had at most \
         {} levels.",
        text("initial-depth-min")?,
        text("initial-depth-max")?,
        text("tournament")?,
        text("elites")?,
        text("crossover-rate")?,
        text("mutation-rate")?,
        text("local-mutation-rate")?,
        text("factor-step")?,
        text("depth-max")?
    ))
}

/// Games against fixed players; nothing without any.
fn benchmarks(gathered: &Gathered, settings: &Settings) -> Result<Option<Part>, Error> {
    let mut found = None;
    for folded in &gathered.stages {
        let facts: EvolutionFacts = folded.stage.facts()?;
        if let EvolutionPhase::Benchmark(benchmark) = facts.phase {
            found = Some(benchmark);
        }
    }
    let Some(benchmark) = found else { return Ok(None) };
    let count = |key: &str| settings.count(&format!("coevolution.benchmark.{key}"));
    let mut sentences = Vec::new();
    if let (Some(every), Some(played)) = (count("every").filter(|every| *every > 0), count("games")) {
        sentences.push(format!(
            "Every {every} generations the best individual, and some at random, played {} games against each opponent.",
            thousands(played)
        ));
    }
    sentences.extend(count("final-games").map(|played| {
        format!("After the last generation the fittest played {} games against each.", thousands(played))
    }));
    sentences.extend(games::seats(&benchmark.pairs));
    let contestants: Vec<&str> = benchmark.contestants.iter().map(|contestant| contestant.name.as_str()).collect();
    let specs = benchmark.pairs.specs.iter().filter(|(name, _)| !contestants.contains(&name.as_str()));
    let specs = specs.map(|(name, spec)| (name.clone(), spec.clone())).collect();
    Ok(Some(Part::new("Benchmarks", sentences).with(games::players(&specs))))
}
