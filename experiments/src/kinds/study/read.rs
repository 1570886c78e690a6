//! A study from the tables of a file.

use games::{GameSpec, line};
use players::{
    PlayError,
    solo::{self, Measure},
};

use super::{MEASURES, Study};
use crate::{
    document::Entry,
    fault::FaultKind,
    reader::{Reader, Sink},
    specs,
};

/// Most runs of an agent at a problem.
const RUNS_MAX: i128 = 1_000_000_000_000;

/// Most bins of a histogram: a row has three numbers for each.
const BINS_MAX: i128 = 4_096;

impl Study {
    pub(crate) fn read(reader: &mut Reader<'_>, scale: f64) -> Option<Self> {
        let sink = reader.sink;
        let problems = specs::problems(reader);
        let games: Vec<GameSpec> = problems.iter().filter_map(|(_, game)| game.clone()).collect();
        let players = specs::players(reader, &games, 1);
        let entry = reader.required("study", "a table with `runs`")?;
        let table = sink.table(&entry.node, "study")?;
        let mut inner = Reader::new(table, &entry.key_origin, "study", sink);
        let runs = inner.required("runs", "how often each agent meets each problem");
        let runs = runs.and_then(|entry| sink.int(&entry.node, "study.runs", 1..=RUNS_MAX));
        let measure = match inner.optional("measure") {
            Some(entry) => sink.choice(&entry.node, "study.measure", "measure", &MEASURES),
            None => Some(Measure::Decision),
        };
        let bins = read_bins(&mut inner, &games);
        let at = inner.optional("position");
        let position = at.map(|entry| sink.text(&entry.node, "study.position"));
        if position != Some(None) {
            let mut begin = Begin { measure, entry: at, position: position.flatten(), reported: Vec::new() };
            for (entry, game) in &problems {
                game.iter().for_each(|game| begin.check(entry, game, sink));
            }
        }
        let turn_figures = inner.bool_or("turn-figures", false);
        inner.finish();
        let whole = problems.into_iter().map(|(entry, game)| Some((entry.key.clone(), game?))).collect();
        let study = Study {
            problems: Option::<Vec<_>>::filter(whole, |problems| !problems.is_empty())?,
            players: specs::whole(players).filter(|players| !players.is_empty())?,
            runs: u64::try_from(runs?).ok()?,
            measure: measure?,
            histogram_bins: bins?,
            turn_figures: turn_figures?,
            position: position.map_or(Some(None), |text| text.map(|text| Some(text.to_owned())))?,
        };
        let (groups, parts, most) = (study.cells(), study.runs(scale), i64::MAX as u64);
        if groups.checked_mul(parts).is_none_or(|trials| trials > most) {
            let (group, part) = ("agents at problems", "runs");
            let kind = FaultKind::TooManyTrials { groups, group, parts, part, most };
            sink.push(kind, &entry.key_origin, "study", None);
            return None;
        }
        Some(study)
    }
}

/// Key `histogram-bins`: 0 where there is no line.
fn read_bins(reader: &mut Reader<'_>, games: &[GameSpec]) -> Option<usize> {
    const KEY: &str = "histogram-bins";
    let bins = usize::try_from(reader.int_or(KEY, 0, 0..=BINS_MAX)?).ok()?;
    // Nothing is known of problems that cannot be read.
    if bins > 0 && !games.is_empty() && !games.iter().any(line::is_line) {
        reader.without_effect(KEY, "no problem searches a line, as `fop` does");
        return None;
    }
    Some(bins)
}

/// What trials begin with, as far as it can be read.
struct Begin<'a> {
    measure: Option<Measure>,
    /// Where the file names a position.
    entry: Option<&'a Entry>,
    position: Option<&'a str>,
    /// Faults of the position that were reported: each once, however many problems have it.
    reported: Vec<String>,
}

impl Begin<'_> {
    /// Tells if trials of a problem cannot begin so.
    fn check(&mut self, problem: &Entry, game: &GameSpec, sink: &Sink<'_>) {
        let mut found = solo::check(game, self.measure.unwrap_or(Measure::Decision), self.position);
        if let Err(error @ PlayError::NotAlone { .. }) = found {
            let hint = Some("`measure = \"decision\"` measures one decision of any game".to_owned());
            let key = format!("problems.{}", problem.key);
            sink.push(FaultKind::Problem(error), &problem.node.origin, &key, hint);
            // What is wrong with the position is reported, too.
            found = solo::check(game, Measure::Decision, self.position);
        }
        if let Err(error) = found {
            let (origin, key) = match self.entry {
                Some(entry) => (&entry.node.origin, "study.position".to_owned()),
                None => (&problem.node.origin, format!("problems.{}", problem.key)),
            };
            let text = format!("{key}: {error}");
            if !self.reported.contains(&text) {
                sink.push(FaultKind::Problem(error), origin, &key, None);
                self.reported.push(text);
            }
        }
    }
}
