//! The state of what a page follows: its numbers, and the versions of its parts.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::site::{
    Site,
    analyses::{Have, Wanted, version_of},
    assets::ASSETS,
    links::encoded,
    numbers::keyed,
    query::Query,
    source::Run,
    words::{State as Stands, percent},
};

/// How often workers are shown anew, in seconds.
const WORKERS: u64 = 2;
/// The same of courses.
const COURSE: u64 = 15;

/// What a page follows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Topic {
    /// All runs.
    Runs,
    /// One run, by its key.
    Run(String),
    /// The connected workers of a coordinator.
    Workers,
}

impl Topic {
    /// What a query names.
    pub(crate) fn of(query: &Query) -> Option<Self> {
        match query.get("run") {
            Some(key) => Some(Topic::Run(key.to_owned())),
            None if query.get("runs").is_some() => Some(Topic::Runs),
            None => query.get("workers").map(|_| Topic::Workers),
        }
    }

    /// A query that names it.
    pub(crate) fn query(&self) -> String {
        match self {
            Topic::Runs => "runs=1".to_owned(),
            Topic::Run(key) => format!("run={}", encoded(key)),
            Topic::Workers => "workers=1".to_owned(),
        }
    }
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct State {
    /// Texts of numbers, by their keys.
    pub(crate) numbers: BTreeMap<String, String>,
    /// Versions of parts, by their names: a part whose version is another one is to be asked for again.
    pub(crate) parts: BTreeMap<String, String>,
    /// What the title begins with, and the icon.
    pub(crate) title: String,
    pub(crate) icon: String,
    /// Whether nothing will change any more.
    pub(crate) ended: bool,
}

impl State {
    /// The present one.
    pub(crate) fn of(site: &Site, topic: &Topic) -> Self {
        let runs = site.source.runs();
        let parts = versions(site, topic);
        match topic {
            Topic::Runs => {
                let moving = runs.iter().filter(|run| run.state == Stands::Running).count();
                let icon = if moving > 0 { Stands::Running } else { Stands::Finished };
                State {
                    numbers: runs.iter().filter(|run| !run.state.is_ended()).flat_map(|run| keyed(run)).collect(),
                    parts,
                    title: String::new(),
                    icon: ASSETS.icon(icon).path.clone(),
                    ended: false,
                }
            }
            Topic::Run(key) => match runs.iter().find(|run| run.key == *key) {
                Some(run) => {
                    let (done, all) = run.progress();
                    let share = percent(done, all);
                    let title = if run.state == Stands::Running { share } else { run.state.name().to_owned() };
                    let waits = matches!(results(site, run), Some(Have::Working | Have::Old(_)));
                    State {
                        numbers: keyed(run).into_iter().collect(),
                        parts,
                        title: format!("{title} {}", run.name()),
                        icon: ASSETS.icon(run.state).path.clone(),
                        ended: run.state.is_ended() && !waits,
                    }
                }
                None => State { ended: true, ..State::default() },
            },
            Topic::Workers => State { parts, ended: site.source.observer().is_none(), ..State::default() },
        }
    }

    /// All of it, for a page.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "n": self.numbers, "p": self.parts, "t": self.title, "i": self.icon })
    }

    /// What is other than `before`. Parts are always told whole: they are few.
    pub(crate) fn since(&self, before: &State) -> Value {
        let changed: BTreeMap<&String, &String> =
            self.numbers.iter().filter(|(key, text)| before.numbers.get(*key) != Some(text)).collect();
        json!({ "n": changed, "p": self.parts, "t": self.title, "i": self.icon })
    }
}

/// Versions of the parts that pages about a topic have.
pub(crate) fn versions(site: &Site, topic: &Topic) -> BTreeMap<String, String> {
    let runs = site.source.runs();
    let stand = |run: &Run| {
        let obstacle = run.live.as_ref().map_or("", |live| &live.obstacle);
        let has_end = run.live.as_ref().is_some_and(|live| live.left.is_some());
        let stage = run.stage().map_or("", |stage| &stage.name);
        let (state, headline) = (run.state.name(), run.headline());
        format!("{}|{state}|{stage}|{headline}|{obstacle}|{}|{has_end}", run.key, run.quarantined())
    };
    let wrong = |run: &Run| match &run.outline {
        Ok(outline) => {
            let disputed = if run.state.is_ended() { 0 } else { outline.disputed };
            format!("{}|{}|{disputed}|{}", run.key, outline.distrusted.len(), run.quarantined())
        }
        Err(_) => run.key.clone(),
    };
    let newest = |run: &Run| run.outline.as_ref().map_or(0, |outline| outline.newest_event);
    let mut parts = BTreeMap::from([("alarms".to_owned(), version(runs.iter().map(|run| wrong(run))))]);
    let moves = |run: &Run| run.live.is_some() && !run.state.is_ended();
    if runs.iter().any(|run| moves(run)) {
        parts.insert("course".to_owned(), (site.begun.elapsed().as_secs() / COURSE).to_string());
    }
    match topic {
        Topic::Runs => {
            parts.insert("runs".to_owned(), version(runs.iter().map(|run| stand(run))));
            parts.insert("events".to_owned(), version(runs.iter().map(|run| newest(run).to_string())));
        }
        Topic::Run(key) => {
            if let Some(run) = runs.iter().find(|run| run.key == *key) {
                parts.insert("head".to_owned(), version([stand(run)].into_iter()));
                parts.insert("events".to_owned(), newest(run).to_string());
                let made = match results(site, run) {
                    Some(Have::Ready(made)) => format!("ready {}", made.version),
                    Some(Have::Old(made)) => format!("old {}", made.version),
                    Some(Have::Working) => "working".to_owned(),
                    Some(Have::Failed(why)) => why,
                    None => version_of(run),
                };
                // What is counted of an open stage is shown every few seconds.
                let counted = run.live.as_ref().filter(|_| !run.state.is_ended()).map_or(0, |live| live.counted);
                parts.insert("results".to_owned(), version([made, counted.to_string()].into_iter()));
            }
        }
        // Every worker changes all the time.
        Topic::Workers => {
            parts.extend([("workers".to_owned(), (site.begun.elapsed().as_secs() / WORKERS).to_string())]);
        }
    }
    parts
}

/// What there is of a run's tables, if somebody looks at them.
fn results(site: &Site, run: &Run) -> Option<Have> {
    site.analyses.known(&Wanted::Results(run.directory.clone()), &version_of(run))
}

/// A short name of some texts.
pub(crate) fn version(texts: impl Iterator<Item = String>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in texts {
        hasher.update(text.as_bytes()).update(b"\n");
    }
    hasher.finalize().to_hex()[..12].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changed_is_told() {
        let state = |stored: &str, rate: &str| State {
            numbers: [("r.stored", stored), ("r.rate", rate)]
                .map(|(key, text)| (key.to_owned(), text.to_owned()))
                .into(),
            parts: [("head".to_owned(), "v1".to_owned())].into(),
            title: "63 % x".to_owned(),
            icon: "assets/i.svg".to_owned(),
            ended: false,
        };
        let told = state("2", "9/s").since(&state("1", "9/s"));
        assert_eq!(
            told,
            json!({ "n": { "r.stored": "2" }, "p": { "head": "v1" }, "t": "63 % x", "i": "assets/i.svg" })
        );
    }

    #[test]
    fn a_query_names_what_is_followed() {
        assert_eq!(Topic::of(&Query::parse("run=ab12")), Some(Topic::Run("ab12".to_owned())));
        assert_eq!(Topic::of(&Query::parse("runs=1")), Some(Topic::Runs));
        assert_eq!(Topic::of(&Query::parse("x=1")), None);
    }
}
