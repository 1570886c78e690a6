//! What pages ask: which runs there are, and how they stand. Where what they show comes from, a coordinator or files, pages
//! need not know.

use std::{
    collections::{BTreeSet, HashMap},
    future::Future,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
};

use coordinator::{
    Observer,
    store::look::{Outline, StageOutline},
};

use super::words::State;

/// A future of a trait's object.
pub(crate) type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Where runs are seen.
pub(crate) trait Source: Send + Sync + 'static {
    /// Every run, as last seen; at once.
    fn runs(&self) -> Arc<Vec<Arc<Run>>>;

    /// What the coordinator that gives them lets see, if one does.
    fn observer(&self) -> Option<&Observer>;

    /// Ends when something may have changed; false if nothing will any more.
    fn changed(&self) -> Later<'_, bool>;
}

/// A run as it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Run {
    /// What it is called in addresses: the first digits of its id, more where two runs begin alike.
    pub(crate) key: String,
    /// Where it is.
    pub(crate) directory: PathBuf,
    /// Its state.
    pub(crate) state: State,
    /// What its files say of it; why they cannot be read, if they cannot.
    pub(crate) outline: Result<Arc<Outline>, String>,
    /// Stored trials of its last stage.
    pub(crate) stored: u64,
    /// What only a coordinator knows.
    pub(crate) live: Option<Live>,
}

/// What only a coordinator knows of a run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Live {
    /// Trials that workers hold.
    pub(crate) leased: u64,
    /// Results a second.
    pub(crate) rate: f64,
    /// Seconds left in the stage, and in all.
    pub(crate) left: Option<[f64; 2]>,
    /// Connected workers.
    pub(crate) workers: u32,
    /// Their threads.
    pub(crate) threads: u32,
    /// Why it does not go on as it could; empty if it does.
    pub(crate) obstacle: String,
    /// Stored trials as of some seconds ago: what counts of results are shown of.
    pub(crate) counted: u64,
}

impl Run {
    /// Name of its experiment, or of its directory.
    pub(crate) fn name(&self) -> String {
        match &self.outline {
            Ok(outline) => outline.name.clone(),
            Err(_) => self.place(),
        }
    }

    /// Name of its directory; where that is, is nobody's business who only looks.
    pub(crate) fn place(&self) -> String {
        self.directory.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }

    /// A fact of its experiment.
    pub(crate) fn fact(&self, name: &str) -> Option<&str> {
        self.outline.as_ref().ok()?.facts[name].as_str()
    }

    /// Its last stage.
    pub(crate) fn stage(&self) -> Option<&StageOutline> {
        self.outline.as_ref().ok()?.stages.last()
    }

    /// The stage of that index.
    pub(crate) fn stage_at(&self, index: u32) -> Option<&StageOutline> {
        self.outline.as_ref().ok()?.stages.iter().find(|stage| stage.index == index)
    }

    /// Stored trials of a stage. Those of a closed one are all but the ones given up.
    pub(crate) fn stored_of(&self, stage: &StageOutline) -> u64 {
        match stage.closed_at {
            Some(_) => stage.trials.saturating_sub(stage.quarantined),
            None => self.stored,
        }
    }

    /// What is done of all that is expected, and all of that: trials.
    pub(crate) fn progress(&self) -> (u64, u64) {
        let Ok(outline) = &self.outline else { return (0, 0) };
        let done = outline.stages.iter().map(|stage| self.stored_of(stage) + stage.quarantined).sum();
        let all: u64 = outline.stages.iter().map(|stage| stage.trials).sum();
        let ahead = if self.state.is_ended() && self.state != State::Cancelled { 0 } else { outline.ahead };
        (done, all + ahead)
    }

    /// Trials that were given up.
    pub(crate) fn quarantined(&self) -> u64 {
        self.outline.as_ref().map_or(0, |outline| outline.stages.iter().map(|stage| stage.quarantined).sum())
    }

    /// What the last closed stage says in a line.
    pub(crate) fn headline(&self) -> &str {
        let Ok(outline) = &self.outline else { return "" };
        let said = outline.stages.iter().rev().map(|stage| stage.headline.as_str());
        said.into_iter().find(|line| !line.is_empty()).unwrap_or_default()
    }
}

/// Gives runs their keys: as many digits of the id as tell them apart, and a number where the same run is there twice.
pub(crate) fn keys(ids: &[Option<String>]) -> Vec<String> {
    const SHORT: usize = 8;
    let short = |id: &str| id[..SHORT.min(id.len())].to_owned();
    let mut alike: HashMap<String, BTreeSet<&str>> = HashMap::new();
    for id in ids.iter().flatten() {
        alike.entry(short(id)).or_default().insert(id);
    }
    let mut copies: HashMap<&str, usize> = HashMap::new();
    let mut keys = Vec::with_capacity(ids.len());
    for (place, id) in ids.iter().enumerate() {
        let Some(id) = id else {
            keys.push(format!("unreadable-{place}"));
            continue;
        };
        let begin = short(id);
        let key = if alike[&begin].len() > 1 { id.clone() } else { begin };
        let copy = copies.entry(id).and_modify(|copy| *copy += 1).or_insert(1);
        keys.push(if *copy == 1 { key } else { format!("{key}-{copy}") });
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_tell_runs_apart() {
        let ids = ["aaaaaaaa11", "bbbbbbbb22", "aaaaaaaa33", "bbbbbbbb22"].map(|id| Some(id.to_owned()));
        let ids = [&ids[..], &[None]].concat();
        assert_eq!(keys(&ids), ["aaaaaaaa11", "bbbbbbbb", "aaaaaaaa33", "bbbbbbbb-2", "unreadable-4"]);
    }
}
