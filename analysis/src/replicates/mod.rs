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
    data::{Place, closed_stages, replace_old_names},
    forms::figure::Figures,
    kinds::{
        self,
        subject::{Course, Outcome, Subject},
        warnings::NOT_REPRODUCIBLE,
    },
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
    pub(crate) subject: Box<dyn Subject>,
    /// The numbers that are compared; none of a run that is under way.
    pub(crate) outcomes: Vec<Outcome>,
    /// How the run went; nothing of a run that is under way.
    courses: Vec<Course>,
}

impl Replicate {
    pub(crate) fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.name == name)
    }
}

impl Setting {
    /// The runs' values of an outcome.
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
            let header = run.subject.header();
            if !header.finished {
                warnings.push(format!("`{}` is under way and takes no part in means and tests.", run.name));
            }
            if !header.reproducible {
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
    let header = read[0].0.subject.header();
    let (experiment, paper) = (header.experiment.to_owned(), header.paper.map(str::to_owned));
    Ok(Setting { letter, experiment, paper, runs: read.into_iter().map(|(run, _)| run).collect(), facts })
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn read_run(path: &Path) -> Result<(Replicate, Facts), Error> {
    let stages = closed_stages(path, Place::Apart)?;
    let kind = kinds::kind(&stages)?;
    let facts = Facts::read(path, &stages[0].spec.meta, kind.setting)?;
    let subject = (kind.read)(&stages)?;
    let (outcomes, courses) =
        if subject.header().finished { (subject.outcomes(), subject.courses()) } else { Default::default() };
    // `.` has no name, and its parent's would mislead.
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    Ok((Replicate { name, path: path.to_owned(), seed: facts.seed, subject, outcomes, courses }, facts))
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
    fn read(run: &Path, meta: &Value, setting: fn(&Value) -> Value) -> Result<Self, Error> {
        let path = run.join("resolved.toml");
        let mut resolved: Option<Value> = match fs::read_to_string(&path) {
            Ok(text) => {
                Some(toml::from_str(&text).map_err(|error| Error::contract(&path, error.message().to_owned()))?)
            }
            Err(_) => None,
        };
        resolved.as_mut().map(replace_old_names);
        let seed = |value: &Value| value["seed"].as_u64();
        let seed = seed(meta).or_else(|| resolved.as_ref().and_then(seed));
        Ok(Facts { seed, meta: setting(meta), resolved })
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
