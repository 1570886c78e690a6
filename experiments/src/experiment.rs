//! An experiment: what a file says, checked, with every default filled in.

use std::{path::Path, time::Duration};

use record::{
    Question,
    facts::{self, Header},
};

use crate::{
    brought::Brought,
    document::{self, Data, Node},
    fault::{FaultKind, Faults},
    kinds::Kind,
    old::OldNames,
    overrides::Overrides,
    questions,
    quoted::quoted,
    reader::{Reader, Sink, is_name},
    warnings::Remarks,
};

/// Format of experiment files that this version reads.
const FORMAT: i128 = 1;
/// Ceiling of a trial where the file names none: an hour.
const TRIAL_TIMEOUT_SECS: f64 = 3_600.0;
/// Greatest ceiling: a week.
const TRIAL_TIMEOUT_SECS_MAX: f64 = 604_800.0;

/// A checked experiment. Everything that results depend on is in it, and in its resolved text, as are the questions
/// that are asked of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Experiment {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) seed: u64,
    pub(crate) scale: f64,
    pub(crate) trial_timeout_secs: f64,
    pub(crate) paper: Option<String>,
    pub(crate) audit: f64,
    pub(crate) kind: Kind,
    pub(crate) questions: Vec<Question>,
    pub(crate) remarks: Remarks,
    pub(crate) brought: Brought,
}

impl Experiment {
    /// Reads the text of a file, called `file` in messages, under `overrides`.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn parse(source: &str, file: impl AsRef<Path>, overrides: &Overrides) -> Result<Self, Faults> {
        let sink = Sink::new(file.as_ref(), source);
        let (mut root, faults) = document::parse(source);
        if !faults.is_empty() {
            // Half a file would only give faults that are not there.
            faults.into_iter().for_each(|(kind, origin)| sink.push(kind, &origin, "", None));
            return sink.finish(None);
        }
        let mut old_names = OldNames::default();
        old_names.replace(&mut root);
        overrides.apply(&mut root, &sink);
        // An override may have old names, too.
        old_names.replace(&mut root);
        let experiment = read(&root, &sink);
        let remarks = Remarks(old_names.warnings());
        let brought = Brought(sink.brought.take());
        sink.finish(experiment.map(|experiment| Experiment { remarks, brought, ..experiment }))
    }

    /// Reads a resolved text.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn from_resolved(text: &str) -> Result<Self, Faults> {
        Experiment::parse(text, "resolved.toml", &Overrides::default())
    }

    /// The experiment with every default filled in, as TOML: reading it gives the same experiment. Its questions come
    /// last, behind all that the run is made from.
    pub fn to_resolved_toml(&self) -> String {
        self.run_toml() + &self.questions_toml()
    }

    /// The questions with every default filled in: the end of the resolved text, empty without any.
    pub fn questions_toml(&self) -> String {
        questions::write(&self.questions)
    }

    /// All but the questions, with every default filled in.
    fn run_toml(&self) -> String {
        let mut text = format!("format = {FORMAT}\n");
        self.outermost().iter().for_each(|(key, value)| text.push_str(&format!("{key} = {value}\n")));
        self.kind.write(&mut text);
        text
    }

    /// Keys of the outermost table with their values, but for those of the kind.
    pub(crate) fn outermost(&self) -> Vec<(&'static str, String)> {
        let mut keys = vec![
            ("name", quoted(&self.name)),
            ("title", quoted(&self.title)),
            ("kind", quoted(self.kind.name())),
            ("seed", self.seed.to_string()),
            ("scale", format!("{:?}", self.scale)),
            ("trial-timeout-secs", format!("{:?}", self.trial_timeout_secs)),
        ];
        keys.extend(self.paper.as_ref().map(|paper| ("paper", quoted(paper))));
        keys.push(("audit", format!("{:?}", self.audit)));
        keys
    }

    /// What is asked of the results, in the order of the file.
    pub fn questions(&self) -> &[Question] {
        &self.questions
    }

    /// Its name: lower-case words joined by hyphens.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line for people; the name where the file has none.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Its kind: `coevolution`, `match-grid`, `study`, `synthetic` or `tuning`.
    pub fn kind_name(&self) -> &'static str {
        self.kind.name()
    }

    /// Seed of every random stream of its run.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The header of its stages' facts.
    pub(crate) fn header(&self, kind: facts::Kind) -> Header {
        Header {
            kind,
            experiment: self.name.clone(),
            title: Some(self.title.clone()),
            paper: self.paper.clone(),
            reproducible: self.reproducible(),
            seed: Some(self.seed),
            scale: self.scale,
        }
    }

    /// How long a trial may take, whatever its budget; then it is ended and counts as failed.
    pub fn trial_timeout(&self) -> Duration {
        Duration::from_secs_f64(self.trial_timeout_secs)
    }

    /// The paper's table it reproduces (`evomcts/table-5`), if it names one.
    pub fn paper(&self) -> Option<&str> {
        self.paper.as_deref()
    }

    /// Whether results depend on spec and seed alone: no player has a time budget.
    pub fn reproducible(&self) -> bool {
        self.kind.reproducible()
    }

    /// Share of the trials that two workers run, and whose results are compared; from 0 to 1. Nothing where results
    /// depend on the clock.
    pub fn audit(&self) -> f64 {
        if self.reproducible() { self.audit } else { 0.0 }
    }

    /// Trials of the first stage.
    pub fn trial_count(&self) -> u64 {
        self.kind.trial_count(self.scale)
    }
}

fn read(root: &Node, sink: &Sink<'_>) -> Option<Experiment> {
    let table = sink.table(root, "")?;
    let mut reader = Reader::new(table, &root.origin, "", sink);
    if let Some(entry) = reader.required("format", &format!("write `format = {FORMAT}`"))
        && let Some(found) = sink.int(&entry.node, "format", 0..=i128::from(u32::MAX))
        && found != FORMAT
    {
        let kind = FaultKind::UnknownFormat { found, known: FORMAT };
        let hint =
            if found > FORMAT { "a newer redqueen reads it" } else { "experiments/FORMAT.md describes the format" };
        sink.push(kind, &entry.node.origin, "format", Some(hint.to_owned()));
    }
    let name = reader.required("name", "lower-case words joined by hyphens").and_then(|entry| {
        let name = sink.text(&entry.node, "name")?;
        sink.check_name(name, &entry.node.origin, "name");
        Some(name.to_owned())
    });
    let title = reader.text_or("title", name.as_deref().unwrap_or_default());
    let seed = reader.int_or("seed", 1, 0..=i128::from(i64::MAX)).and_then(|seed| u64::try_from(seed).ok());
    let scale = scale(&mut reader);
    let trial_timeout_secs = trial_timeout_secs(&mut reader);
    let paper = paper(&mut reader);
    let audit = reader.real_or("audit", 0.01, 0.0..=1.0);
    let kind = Kind::read(&mut reader, scale.unwrap_or(1.0));
    reader.finish();
    let (kind, questions) = kind?;
    Some(Experiment {
        name: name?,
        title: title?,
        seed: seed?,
        scale: scale?,
        trial_timeout_secs: trial_timeout_secs?,
        paper: paper?,
        audit: audit?,
        kind,
        questions,
        remarks: Remarks::default(),
        brought: Brought::default(),
    })
}

fn scale(reader: &mut Reader<'_>) -> Option<f64> {
    let Some(entry) = reader.optional("scale") else { return Some(1.0) };
    let scale = match entry.node.data {
        Data::Int(Ok(value)) => value as f64,
        Data::Real(value) => value,
        _ => {
            reader.sink.wrong_type(&entry.node, "scale", "a number", None);
            return None;
        }
    };
    if scale.is_finite() && scale > 0.0 {
        return Some(scale);
    }
    reader.sink.push(
        FaultKind::BadScale { scale },
        &entry.node.origin,
        "scale",
        Some("1 is the size of the file".into()),
    );
    None
}

fn trial_timeout_secs(reader: &mut Reader<'_>) -> Option<f64> {
    const KEY: &str = "trial-timeout-secs";
    let secs = reader.real_or(KEY, TRIAL_TIMEOUT_SECS, 0.0..=TRIAL_TIMEOUT_SECS_MAX)?;
    // Below a microsecond nothing ends in time; a duration would round it to nothing.
    if secs >= 1e-6 {
        return Some(secs);
    }
    if let Some(entry) = reader.optional(KEY) {
        let (low, high) = ("above 0".to_owned(), TRIAL_TIMEOUT_SECS_MAX.to_string());
        let kind = FaultKind::OutOfRange { value: secs.to_string(), low, high };
        reader.sink.push(kind, &entry.node.origin, KEY, None);
    }
    None
}

/// Outer `None`: something is wrong; inner: no paper is named.
fn paper(reader: &mut Reader<'_>) -> Option<Option<String>> {
    let Some(entry) = reader.optional("paper") else { return Some(None) };
    let paper = reader.sink.text(&entry.node, "paper")?;
    let parts: Vec<&str> = paper.split('/').collect();
    if parts.len() != 2 || !parts.iter().all(|part| is_name(part)) {
        let hint = Some("a paper and its table: `evomcts/table-5`".to_owned());
        reader.sink.push(FaultKind::BadPaper { paper: paper.to_owned() }, &entry.node.origin, "paper", hint);
    }
    Some(Some(paper.to_owned()))
}
