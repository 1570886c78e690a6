//! Reading a tuning's stages.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::Value;

use super::{Candidate, Domain, Final, Generation, Parameter, Tuning};
use crate::{
    Error,
    data::Exported,
    kinds::{grid, workers::Played},
};

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
    let facts = stages[0].meta()?;
    let (mut generations, mut end) = (Vec::new(), None);
    for stage in stages {
        match stage.spec.meta["phase"].as_str() {
            Some("generation") => generations.push(generation(stage)?),
            Some("final") => end = Some(Final { winner: stage.fact("winner")?, grid: grid::read(stage)? }),
            _ => return Err(stage.contract("its phase is neither `generation` nor `final`")),
        }
    }
    Ok(Tuning { facts, generations, end })
}

fn generation(stage: &Exported) -> Result<Generation, Error> {
    let mut candidates: Vec<Candidate> = stage.fact("candidates")?;
    let Fold { points, games, leader, leads_since } = stage.fold()?;
    if [points.len(), games.len()] != [candidates.len(); 2] {
        return Err(stage.contract("its fold has lists of other lengths than its candidates"));
    }
    for (candidate, (points, games)) in candidates.iter_mut().zip(points.iter().zip(games)) {
        candidate.points += points;
        candidate.games += games;
    }
    Ok(Generation { number: stage.fact("generation")?, candidates, leader, leads_since, played: Played::of(stage)? })
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
