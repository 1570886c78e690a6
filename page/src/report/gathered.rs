//! All that a report is made of, read once.

use std::{fs, path::Path};

use analysis::Report;
use coordinator::store::{self, Digest, Failure, Folded, Share, StoredEvent, Summary, Times};
use experiments::Experiment;
use record::{
    facts::{Header, Kind},
    files::RESOLVED,
};

use super::Options;
use crate::{
    Error,
    champion::{self, Evolved, Tuned},
};

/// Events read at once.
const EVENTS: u32 = 10_000;
/// Kinds of events that a reader of results should know of.
const TOLD: [&str; 9] = [
    "alarm",
    "audit-skipped",
    "commits-lost",
    "distrusted",
    "extended",
    "quarantined",
    "retracted",
    "retried",
    "suspected",
];
/// So many of them are told one by one.
const TOLD_MAX: usize = 200;

/// A run with everything that its report says.
pub(super) struct Gathered {
    pub(super) summary: Summary,
    pub(super) digest: Digest,
    pub(super) stages: Vec<Folded>,
    pub(super) times: Times,
    pub(super) failures: Vec<Failure>,
    pub(super) shares: Vec<Share>,
    /// Those of the kinds in [`TOLD`], the oldest first, and how many there are.
    pub(super) events: Vec<StoredEvent>,
    pub(super) events_in_all: usize,
    /// `resolved.toml`, if the directory has it, and what it says.
    pub(super) resolved: Option<(String, Experiment)>,
    /// What the stages of all kinds but synthetic ones say of the experiment.
    pub(super) header: Option<Header>,
    /// Tables and figures of the run.
    pub(super) report: Report,
    pub(super) beside: Beside,
    /// The run as a replicate, beside others.
    pub(super) replicates: Option<Report>,
    pub(super) champion: Option<Found>,
}

/// What a run found.
pub(super) enum Found {
    Evolved(Box<Evolved>, experiments::lineage::Evolution),
    Tuned(Box<Tuned>),
}

/// The run beside the paper that its experiment names.
pub(super) enum Beside {
    /// It names none.
    NoPaper,
    /// It cannot be compared, and why.
    Not(String),
    /// The tables of `redqueen compare`.
    Compared(Report),
}

impl Gathered {
    pub(super) fn read(directory: &Path, report: Report, options: &Options) -> Result<Self, Error> {
        let summary = store::summary(directory)?;
        let stages = store::folded(directory)?;
        let header = stages.first().and_then(|first| first.stage.facts::<Header>().ok());
        let (events, events_in_all) = told(directory)?;
        Ok(Gathered {
            digest: store::digest(directory)?,
            times: store::times(directory)?,
            failures: store::failures(directory)?,
            shares: store::shares(directory)?,
            resolved: resolved(directory)?,
            beside: beside(directory, header.as_ref())?,
            replicates: replicates(directory, options)?,
            champion: found(directory, &summary, &stages)?,
            summary,
            stages,
            events,
            events_in_all,
            header,
            report,
        })
    }

    /// One line for people.
    pub(super) fn title(&self) -> String {
        let title = self.header.as_ref().and_then(|header| header.title.clone());
        title.unwrap_or_else(|| self.summary.name.clone())
    }

    /// What kind of experiment it is.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.stages.first().and_then(|first| first.stage.kind())
    }

    /// The resolved experiment as a table of keys.
    pub(super) fn settings(&self) -> toml::Table {
        let text = self.resolved.as_ref().map(|(text, _)| text.as_str());
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    }
}

/// A copy that holds nothing but results has no such file; one that cannot be read is an error.
fn resolved(directory: &Path) -> Result<Option<(String, Experiment)>, Error> {
    let Ok(text) = fs::read_to_string(directory.join(RESOLVED)) else { return Ok(None) };
    Ok(Some((text, store::read_experiment(directory)?)))
}

fn beside(directory: &Path, header: Option<&Header>) -> Result<Beside, Error> {
    if header.is_none_or(|header| header.paper.is_none()) {
        return Ok(Beside::NoPaper);
    }
    match analysis::compare(directory, None) {
        Ok(report) => Ok(Beside::Compared(report)),
        // Its own words name the directory.
        Err(analysis::Error::NoFinalStage { .. }) => {
            Ok(Beside::Not("The stage that the paper's table is compared with is not closed yet.".to_owned()))
        }
        Err(error) if error.is_input() => Ok(Beside::Not(format!("The run cannot be compared: {error}."))),
        Err(error) => Err(error.into()),
    }
}

fn replicates(directory: &Path, options: &Options) -> Result<Option<Report>, Error> {
    if options.against.is_empty() {
        return Ok(None);
    }
    Ok(Some(analysis::replicates(&[directory.to_owned()], &options.against, true)?))
}

/// The champion or the winner; none of another kind, or before a generation is closed.
pub(super) fn found(directory: &Path, summary: &Summary, stages: &[Folded]) -> Result<Option<Found>, Error> {
    let found = match stages.first().and_then(|first| first.stage.kind()) {
        Some(Kind::Coevolution) => champion::evolution(directory, stages).and_then(|evolution| {
            let evolved = Evolved::find(&evolution, summary, stages, None, None)?;
            Ok(Found::Evolved(Box::new(evolved), evolution))
        }),
        Some(Kind::Tuning) => Tuned::find(stages, None).map(|tuned| Found::Tuned(Box::new(tuned))),
        _ => return Ok(None),
    };
    match found {
        Ok(found) => Ok(Some(found)),
        Err(champion::Error::NothingClosed) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Events that a reader should know of, the first ones, and how many there are.
fn told(directory: &Path) -> Result<(Vec<StoredEvent>, usize), Error> {
    let (mut told, mut all, mut after) = (Vec::new(), 0, 0);
    loop {
        let page = store::events(directory, after, EVENTS)?.events;
        let Some(last) = page.last() else { return Ok((told, all)) };
        after = last.event;
        for event in page.into_iter().filter(|event| TOLD.contains(&event.kind.as_str())) {
            all += 1;
            if told.len() < TOLD_MAX {
                told.push(event);
            }
        }
    }
}
