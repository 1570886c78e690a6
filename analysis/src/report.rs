//! All tables of a run, and their files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    Error, Table,
    export::closed_stages,
    games::{self, Grid},
    tables,
};

/// What to analyse beyond the usual.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Pairs to test against one another: (`a v o`, `b v o`).
    pub contrasts: Vec<(String, String)>,
}

/// Format of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `.md`
    Markdown,
    /// `.csv`
    Csv,
    /// `.tex`
    Latex,
    /// `.json`
    Json,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 4] = [Format::Markdown, Format::Csv, Format::Latex, Format::Json];

    fn extension(self) -> &'static str {
        match self {
            Format::Markdown => "md",
            Format::Csv => "csv",
            Format::Latex => "tex",
            Format::Json => "json",
        }
    }

    fn render(self, table: &Table) -> String {
        match self {
            Format::Markdown => table.to_markdown(),
            Format::Csv => table.to_csv(),
            Format::Latex => table.to_latex(),
            Format::Json => format!("{:#}\n", table.to_json()),
        }
    }
}

/// Tables with what a reader must know of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The tables.
    pub tables: Vec<Table>,
    /// What makes their figures mean less than they seem to.
    pub warnings: Vec<String>,
}

impl Report {
    /// For a terminal: warnings, then tables.
    pub fn to_markdown(&self) -> String {
        let warnings = self.warnings.iter().map(|warning| format!("**Warning:** {warning}\n"));
        warnings.chain(self.tables.iter().map(Table::to_markdown)).collect::<Vec<_>>().join("\n")
    }

    /// The same facts as one value.
    pub fn to_json(&self) -> Value {
        json!({ "warnings": self.warnings, "tables": self.tables.iter().map(Table::to_json).collect::<Vec<_>>() })
    }

    /// Writes a file a table and format under `run/tables`; gives their paths.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, run: &Path, formats: &[Format]) -> Result<Vec<PathBuf>, Error> {
        let directory = run.join("tables");
        fs::create_dir_all(&directory).map_err(|error| Error::io(&directory, error))?;
        let mut files = Vec::new();
        for table in &self.tables {
            for format in formats {
                let path = directory.join(format!("{}.{}", table.name, format.extension()));
                fs::write(&path, format.render(table)).map_err(|error| Error::io(&path, error))?;
                files.push(path);
            }
        }
        Ok(files)
    }
}

/// The match grid of a run.
pub(crate) fn grid(run: &Path) -> Result<Grid, Error> {
    let stages = closed_stages(run, run)?;
    // A match grid has one stage.
    games::read(&stages[0])
}

/// Exports what is closed and makes the tables.
///
/// # Errors
/// Nothing is closed, the kind has no tables, or a file cannot be read or written.
pub fn analyze(run: &Path, options: &Options) -> Result<Report, Error> {
    let grid = grid(run)?;
    let mut tables = vec![tables::pairs(&grid), tables::seats(&grid), tables::tests(&grid)];
    if !options.contrasts.is_empty() {
        tables.push(tables::contrasts(&grid, &options.contrasts)?);
    }
    tables.extend([tables::ratings(&grid), tables::cost(&grid), tables::workers(&grid)]);
    Ok(Report { tables, warnings: warnings(&grid) })
}

/// Fewer different games than this share make intervals mean less than they say.
const DISTINCT_MIN: f64 = 0.9;

/// What a reader must know before the figures.
pub(crate) fn warnings(grid: &Grid) -> Vec<String> {
    let mut warnings = Vec::new();
    if !grid.meta.reproducible {
        warnings.push(
            "not reproducible: a player has a time budget, so these figures depend on the machines and their load."
                .to_owned(),
        );
    }
    let missing = grid.trials.saturating_sub(grid.games());
    if missing > 0 {
        warnings.push(format!(
            "{missing} of {} games have no result (quarantined after repeated failures). Units that miss a game are left \
             out of intervals over units and of tests over units.",
            grid.trials
        ));
    }
    for pair in grid.pairs.iter().filter(|pair| (pair.distinct as f64) < DISTINCT_MIN * pair.games as f64) {
        warnings.push(format!(
            "only {} of the {} games of {} v {} differ: the rest are repetitions, and intervals that count them are too \
             narrow. Random opening plies make games differ.",
            pair.distinct, pair.games, pair.a, pair.b
        ));
    }
    warnings
}
