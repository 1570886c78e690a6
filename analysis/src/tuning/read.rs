//! Reading a tuning's stages.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::{Candidate, Domain, Facts, Final, Generation, Parameter, Tuning};
use crate::{Error, export::Exported, games};

/// What a generation's plan wrote of it.
#[derive(Deserialize)]
struct Fold {
    points: Vec<f64>,
    games: Vec<u64>,
    leader: Candidate,
    leads_since: u32,
}

/// Reads stages of generations and the one that ends them.
pub(crate) fn read(stages: &[Exported]) -> Result<Tuning, Error> {
    let first = &stages[0];
    let facts: Facts = serde_json::from_value(first.spec.meta.clone())
        .map_err(|error| Error::contract(&first.path, error.to_string()))?;
    let (mut generations, mut end) = (Vec::new(), None);
    for stage in stages {
        match stage.spec.meta["phase"].as_str() {
            Some("generation") => generations.push(generation(stage)?),
            Some("final") => end = Some(Final { winner: part(stage, "winner")?, grid: games::read(stage)? }),
            _ => return Err(contract(stage, "its phase is neither `generation` nor `final`")),
        }
    }
    Ok(Tuning { facts, generations, end })
}

fn contract(stage: &Exported, reason: &str) -> Error {
    Error::contract(&stage.path, format!("stage {}: {reason}", stage.spec.index))
}

/// A part of a stage's facts.
fn part<T: serde::de::DeserializeOwned>(stage: &Exported, name: &str) -> Result<T, Error> {
    serde_json::from_value(stage.spec.meta[name].clone())
        .map_err(|error| contract(stage, &format!("`{name}` of its meta: {error}")))
}

fn generation(stage: &Exported) -> Result<Generation, Error> {
    let mut candidates: Vec<Candidate> = part(stage, "candidates")?;
    let Fold { points, games, leader, leads_since } =
        serde_json::from_value(stage.fold.clone()).map_err(|error| contract(stage, &format!("its fold: {error}")))?;
    if [points.len(), games.len()] != [candidates.len(); 2] {
        return Err(contract(stage, "its fold has lists of other lengths than its candidates"));
    }
    for (candidate, (points, games)) in candidates.iter_mut().zip(points.iter().zip(games)) {
        candidate.points += points;
        candidate.games += games;
    }
    Ok(Generation {
        number: part(stage, "generation")?,
        candidates,
        leader,
        leads_since,
        trials: stage.spec.trials,
        workers: games::read_workers(stage)?,
    })
}

/// A first stage's facts without what is drawn with the seed: who the candidates are.
pub(crate) fn setting(meta: &Value) -> Value {
    let mut meta = meta.clone();
    let drawn = meta["candidates"].take();
    if let Some(facts) = meta.as_object_mut() {
        facts.remove("candidates");
        facts.remove("state");
    }
    if let Some(specs) = meta["specs"].as_object_mut() {
        for candidate in drawn.as_array().into_iter().flatten() {
            specs.remove(candidate["name"].as_str().unwrap_or_default());
        }
    }
    meta
}

/// A parameter as it is stored.
#[derive(Deserialize)]
struct Stored {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    min: Option<f64>,
    max: Option<f64>,
    scale: Option<String>,
    values: Option<Vec<Value>>,
}

impl<'de> Deserialize<'de> for Parameter {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Stored { name, kind, min, max, scale, values } = Stored::deserialize(deserializer)?;
        let domain = match (kind.as_str(), min, max, values) {
            ("integer" | "real", Some(min), Some(max), _) => {
                Domain::Number { whole: kind == "integer", min, max, log: scale.as_deref() == Some("log") }
            }
            ("category", _, _, Some(values)) => Domain::Category(values.iter().map(Domain::text).collect()),
            _ => {
                return Err(D::Error::custom(format!(
                    "the parameter `{name}` of type `{kind}` lacks its bounds or values"
                )));
            }
        };
        Ok(Parameter { name, domain })
    }
}
