//! All tables of a run, and their files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use crate::{
    Error, Table,
    export::closed_stages,
    games::{self, Meta, PairGames},
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

/// A match grid and what its games gave.
pub(crate) fn grid(run: &Path) -> Result<(Meta, Vec<PairGames>), Error> {
    let stages = closed_stages(run, run)?;
    // A match grid has one stage.
    let stage = &stages[0];
    let meta = games::meta(stage)?;
    let games = games::read(stage, &meta)?;
    Ok((meta, games))
}

/// Exports what is closed and makes the tables.
///
/// # Errors
/// Nothing is closed, the kind has no tables, or a file cannot be read or written.
pub fn analyze(run: &Path, options: &Options) -> Result<Report, Error> {
    let (meta, games) = grid(run)?;
    let mut tables = vec![tables::pairs(&meta, &games), tables::seats(&meta, &games), tables::tests(&meta, &games)];
    if !options.contrasts.is_empty() {
        tables.push(tables::contrasts(&meta, &games, &options.contrasts)?);
    }
    tables.push(tables::ratings(&meta, &games));
    Ok(Report { tables, warnings: warnings(&meta, &games) })
}

/// Fewer different games than this share make intervals mean less than they say.
const DISTINCT_MIN: f64 = 0.9;

pub(crate) fn warnings(meta: &Meta, games: &[PairGames]) -> Vec<String> {
    let mut warnings = Vec::new();
    if !meta.reproducible {
        warnings.push(
            "a player has a time budget: these figures depend on the machines and their load, and cannot be reproduced."
                .to_owned(),
        );
    }
    for pair in games.iter().filter(|pair| (pair.distinct as f64) < DISTINCT_MIN * pair.games as f64) {
        warnings.push(format!(
            "only {} of the {} games of {} v {} differ: the rest are repetitions, and intervals that count them are too \
             narrow. Random opening plies make games differ.",
            pair.distinct, pair.games, pair.a, pair.b
        ));
    }
    warnings
}
