//! Several runs of one experiment under other seeds, and two such settings against one another.
//!
//! A run is one observation here, whatever its number of games: evolution and chance of the games both differ from
//! seed to seed, so that what holds over runs holds for the setting and not for one champion.

mod figures;
mod tables;

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use crate::{
    Error, Report,
    data::{Place, closed_stages},
    forms::figure::Figures,
    kinds::{
        Subject,
        evolution::Evolution,
        grid::{BEST, Grid, SCORE_OF},
        study::{Arm, Study},
        tuning::{self, Final, Tuning},
    },
    report::NOT_REPRODUCIBLE,
    statistics::{CONFIDENCE, interval, moments::Moments},
};

/// Runs that differ by their seed alone.
pub(crate) struct Setting {
    /// `A` or `B` where there are two.
    pub(crate) letter: &'static str,
    pub(crate) experiment: String,
    pub(crate) paper: Option<String>,
    pub(crate) runs: Vec<Replicate>,
    /// What the runs have in common.
    facts: Facts,
}

/// One run.
pub(crate) struct Replicate {
    /// Its directory's name.
    pub(crate) name: String,
    path: PathBuf,
    pub(crate) seed: Option<u64>,
    pub(crate) subject: Subject,
    /// What it came to; nothing of a run that is under way, whose figures would be those of another experiment.
    pub(crate) outcomes: Vec<Outcome>,
}

/// One figure that a run comes to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) name: String,
    pub(crate) value: f64,
    /// Of the chance of the run's own games, where they say something of it.
    pub(crate) interval: Option<(f64, f64)>,
    /// After the point.
    pub(crate) digits: usize,
    /// The least and the largest that it can be.
    pub(crate) range: (f64, f64),
}

impl Replicate {
    /// The evolution, if it is one that has ended.
    pub(crate) fn evolution(&self) -> Option<&Evolution> {
        match &self.subject {
            Subject::Evolution(evolution) if evolution.is_finished() => Some(evolution),
            _ => None,
        }
    }

    /// The tuning, if it is one that has ended.
    pub(crate) fn tuning(&self) -> Option<&Tuning> {
        match &self.subject {
            Subject::Tuning(tuning) if tuning.is_finished() => Some(tuning),
            _ => None,
        }
    }

    pub(crate) fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.name == name)
    }
}

impl Setting {
    /// What the runs came to under this name.
    pub(crate) fn values(&self, outcome: &str) -> Vec<f64> {
        self.runs.iter().filter_map(|run| run.outcome(outcome)).map(|outcome| outcome.value).collect()
    }

    /// What it is called beside another.
    pub(crate) fn title(&self) -> String {
        if self.letter.is_empty() { self.experiment.clone() } else { format!("{}: {}", self.letter, self.experiment) }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        for run in &self.runs {
            if !run.subject.is_finished() {
                warnings.push(format!("`{}` is under way and takes no part in means and tests.", run.name));
            }
            if !run.subject.is_reproducible() {
                warnings.push(format!("`{}` is {NOT_REPRODUCIBLE}", run.name));
            }
        }
        warnings
    }
}

/// Names of outcomes in the order in which they first appear.
pub(crate) fn outcome_names(settings: &[Setting]) -> Vec<String> {
    let mut names = Vec::new();
    for outcome in settings.iter().flat_map(|setting| &setting.runs).flat_map(|run| &run.outcomes) {
        if !names.contains(&outcome.name) {
            names.push(outcome.name.clone());
        }
    }
    names
}

/// Tables of `runs` as replicates of one experiment; with `others`, replicates of another setting, of both and of their
/// difference.
///
/// # Errors
/// A run cannot be analysed, or the runs of a setting are no replicates: they differ by more than their seed, or not
/// even by that.
///
/// # Panics
/// Without a run.
pub fn replicates(runs: &[PathBuf], others: &[PathBuf], with_figures: bool) -> Result<Report, Error> {
    assert!(!runs.is_empty(), "there is a run to analyse");
    let letters = if others.is_empty() { [""; 2] } else { ["A", "B"] };
    let mut settings = vec![read_setting(letters[0], runs)?];
    if !others.is_empty() {
        settings.push(read_setting(letters[1], others)?);
    }
    let mut tables = vec![tables::replicates(&settings), tables::outcomes(&settings)];
    if let [one, other] = &settings[..] {
        let differences = one.facts.differences(&other.facts);
        tables.push(tables::settings(one, other, &differences));
    }
    // A table of outcomes that no run has yet says nothing.
    tables.retain(|table| !table.rows.is_empty());
    let Figures { drawn: figures, left_out } =
        if with_figures { figures::of_settings(&settings) } else { Figures::default() };
    let mut warnings: Vec<String> = settings.iter().flat_map(Setting::warnings).collect();
    warnings.extend(shared_seeds(&settings));
    Ok(Report { tables, figures, warnings, left_out, ..Report::default() }.checked())
}

/// Runs of two settings with one seed have the same luck, as far as the settings let them.
fn shared_seeds(settings: &[Setting]) -> Option<String> {
    let [one, other] = settings else { return None };
    let seeds = |setting: &Setting| setting.runs.iter().filter_map(|run| run.seed).collect::<Vec<_>>();
    let others = seeds(other);
    let shared: Vec<String> = seeds(one).iter().filter(|seed| others.contains(seed)).map(ToString::to_string).collect();
    (!shared.is_empty()).then(|| {
        format!(
            "A and B share the seeds {}: such runs share their luck and are not independent, which the tests take them to \
             be. Seeds of their own for each setting are safe.",
            shared.join(", ")
        )
    })
}

fn read_setting(letter: &'static str, runs: &[PathBuf]) -> Result<Setting, Error> {
    let mut read: Vec<(Replicate, Facts)> = Vec::new();
    for path in runs {
        let (replicate, facts) = read_run(path)?;
        for (earlier, earlier_facts) in &read {
            let differences = earlier_facts.differences(&facts);
            if !differences.is_empty() {
                let [one, other] = [&earlier.path, &replicate.path].map(Clone::clone);
                return Err(Error::NoReplicate { one, other, differences });
            }
            let same_seed = replicate.seed.is_some() && replicate.seed == earlier.seed;
            if same_seed || is_same(&earlier.path, &replicate.path) {
                let [one, other] = [&earlier.path, &replicate.path].map(Clone::clone);
                return Err(Error::SameSeed { one, other });
            }
        }
        read.push((replicate, facts));
    }
    let facts = read[0].1.clone();
    let subject = &read[0].0.subject;
    let (experiment, paper) = (subject.experiment().to_owned(), subject.paper().map(str::to_owned));
    Ok(Setting { letter, experiment, paper, runs: read.into_iter().map(|(run, _)| run).collect(), facts })
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn read_run(path: &Path) -> Result<(Replicate, Facts), Error> {
    let stages = closed_stages(path, Place::Apart)?;
    let facts = Facts::read(path, &stages[0].spec.meta)?;
    let subject = Subject::of(&stages)?;
    let outcomes = match &subject {
        Subject::Grid(grid) => grid_outcomes(grid),
        Subject::Evolution(evolution) if evolution.is_finished() => evolution_outcomes(evolution),
        Subject::Evolution(_) => Vec::new(),
        Subject::Tuning(tuning) => tuning.end.as_ref().map_or(Vec::new(), tuning_outcomes),
        Subject::Study(study) => study_outcomes(study),
    };
    // `.` has no name, and its parent's would mislead.
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok((Replicate { name, path: path.to_owned(), seed: facts.seed, subject, outcomes }, facts))
}

fn score(name: String, pair: &crate::kinds::grid::PairGames) -> Outcome {
    let interval = pair.share_interval().map(|(low, high)| (low * SCORE_OF, high * SCORE_OF));
    Outcome { name, value: pair.share() * SCORE_OF, interval, digits: 1, range: (0.0, SCORE_OF) }
}

fn grid_outcomes(grid: &Grid) -> Vec<Outcome> {
    grid.pairs.iter().map(|pair| score(format!("score {} v {}", pair.a, pair.b), pair)).collect()
}

/// The mean over a study's runs of what it is about, an outcome a problem and agent.
fn study_outcomes(study: &Study) -> Vec<Outcome> {
    let metric = study.main_metric();
    let outcome = |arm: &Arm| {
        let values = arm.moments(metric)?;
        Some(Outcome {
            name: format!("{} of {} on {}", metric.name, arm.agent, arm.problem),
            value: values.mean()?,
            interval: interval::of_mean_share(&values, CONFIDENCE),
            digits: 4,
            // Points of any game.
            range: (0.0, 1.0),
        })
    };
    study.arms.iter().filter_map(outcome).collect()
}

/// Name of the outcome that is the champion's score against `opponent`.
pub(crate) fn score_against(opponent: &str) -> String {
    format!("score v {opponent}")
}

fn evolution_outcomes(evolution: &Evolution) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    if let Some(last) = evolution.generations.last() {
        let plain = |name: &str, value, digits, most| Outcome {
            name: name.to_owned(),
            value,
            interval: None,
            digits,
            range: (0.0, most),
        };
        outcomes.push(plain(FITNESS_SHARE, last.best_share(), 4, 1.0));
        let size = Moments::of(&last.size).mean();
        outcomes.extend(size.map(|size| plain("mean size", size, 1, f64::INFINITY)));
    }
    let best = evolution.last_benchmark().into_iter().flat_map(|grid| grid.pairs_of(BEST));
    outcomes.extend(best.map(|pair| score(score_against(&pair.b), pair)));
    outcomes
}

/// Name of the outcome that is the champion's share of the points in its last population.
pub(crate) const FITNESS_SHARE: &str = "best fitness share";

/// Name of the outcome that is how much more the winner of a tuning takes than the defaults.
pub(crate) const ADVANTAGE: &str = "advantage over the defaults";

/// What the winner takes on fresh games, and how much more than the defaults. Nothing of the search's own points, which
/// flatter the winner of a larger one more.
fn tuning_outcomes(end: &Final) -> Vec<Outcome> {
    let winner = end.grid.pairs.iter().filter(|pair| pair.a == tuning::WINNER);
    let mut outcomes: Vec<Outcome> = winner.map(|pair| score(score_against(&pair.b), pair)).collect();
    if let (Some([winner, defaults]), lead) = (end.mean_scores(), end.mean_lead()) {
        outcomes.push(Outcome {
            name: ADVANTAGE.to_owned(),
            value: (winner.share - defaults.share) * SCORE_OF,
            interval: lead.ok().map(|lead| (lead.ci95.0 * SCORE_OF, lead.ci95.1 * SCORE_OF)),
            digits: 1,
            range: (-SCORE_OF, SCORE_OF),
        });
    }
    outcomes
}

/// What tells settings apart: the resolved experiment, and the facts of its first stage for a copy that has no such
/// file.
#[derive(Clone, Debug)]
struct Facts {
    seed: Option<u64>,
    resolved: Option<Value>,
    meta: Value,
}

impl Facts {
    fn read(run: &Path, meta: &Value) -> Result<Self, Error> {
        let path = run.join("resolved.toml");
        let resolved: Option<Value> = match fs::read_to_string(&path) {
            Ok(text) => {
                Some(toml::from_str(&text).map_err(|error| Error::contract(&path, error.message().to_owned()))?)
            }
            Err(_) => None,
        };
        let seed = |value: &Value| value["seed"].as_u64();
        let seed = seed(meta).or_else(|| resolved.as_ref().and_then(seed));
        let meta = if meta["kind"] == tuning::KIND { tuning::setting(meta) } else { meta.clone() };
        Ok(Facts { seed, meta, resolved })
    }

    /// What differs beyond the seed and what follows from it, for people: `population is 48 and 32`.
    fn differences(&self, other: &Facts) -> Vec<String> {
        // The first population is drawn with the seed; a clock's figures are no setting, nor is what changes no result.
        let (one, other, ignored): (_, _, &[&str]) = match (&self.resolved, &other.resolved) {
            (Some(one), Some(other)) => (one, other, &["seed", "analysis", "title", "trial-timeout-secs", "audit"]),
            _ => (&self.meta, &other.meta, &["seed", "population", "spent_us", "title"]),
        };
        let mut found = Vec::new();
        differ("", one, other, &mut |key, one, other| {
            if !ignored.contains(&key) {
                found.push(format!("`{key}` is {one} and {other}"));
            }
        });
        found
    }
}

/// Tells `report` of every key, dotted, under which the values differ; of plain values before tables.
fn differ(key: &str, one: &Value, other: &Value, report: &mut dyn FnMut(&str, &Value, &Value)) {
    let (Some(from), Some(to)) = (one.as_object(), other.as_object()) else {
        if one != other {
            report(key, one, other);
        }
        return;
    };
    let mut names: Vec<&String> = from.keys().chain(to.keys()).collect();
    names.sort_unstable_by_key(|name| (one[*name].is_object() || other[*name].is_object(), *name));
    names.dedup();
    for name in names {
        let inner = if key.is_empty() { name.clone() } else { format!("{key}.{name}") };
        differ(&inner, &one[name], &other[name], report);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_named_by_key() {
        let one = json!({ "seed": 1, "coevolution": { "population": 48, "elites": 0 }, "scale": 1.0 });
        let other = json!({ "seed": 2, "coevolution": { "population": 32, "elites": 0 }, "paper": "x" });
        let facts = |value: &Value| Facts { seed: None, resolved: Some(value.clone()), meta: Value::Null };
        let found = facts(&one).differences(&facts(&other));
        assert_eq!(
            found,
            ["`paper` is null and \"x\"", "`scale` is 1.0 and null", "`coevolution.population` is 48 and 32"]
        );
        assert_eq!(facts(&one).differences(&facts(&one)), Vec::<String>::new());
    }
}
