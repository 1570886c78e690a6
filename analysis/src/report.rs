//! All tables and figures of a run, and their files.

use std::{
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Value, json};

#[cfg(debug_assertions)]
use crate::forms::table::schema;
use crate::{
    Error, Figure, Table,
    data::Place,
    forms::figure::Figures,
    kinds::{
        Subject,
        evolution::{self, Evolution},
        grid::{
            self, Grid, PairGames,
            axes::Axes,
            tables::{ByPair, LongTable},
        },
        study,
        tuning::{self, Tuning},
        workers,
    },
    questions::Question,
};

/// What to analyse beyond the usual.
#[derive(Clone, Debug)]
pub struct Options {
    /// Pairs to test against one another: (`a v o`, `b v o`).
    pub contrasts: Vec<(String, String)>,
    /// What a study is asked; the usual, if nothing is.
    pub questions: Vec<Question>,
    /// Whether to draw.
    pub figures: bool,
    /// Whether to leave the run's directory as it is. What may not be written is left in any case.
    pub apart: bool,
    /// Tables of more pairs than this are neither shown nor held: they are written as CSV, row by row.
    pub pairs_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { contrasts: Vec::new(), questions: Vec::new(), figures: false, apart: false, pairs_max: 50_000 }
    }
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

/// Tables and figures with what a reader must know of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The tables.
    pub tables: Vec<Table>,
    /// The figures, if any were asked for.
    pub figures: Vec<Figure>,
    /// What makes their figures mean less than they seem to.
    pub warnings: Vec<String>,
    /// Tables that are written as CSV alone.
    pub long: Vec<LongTable>,
    /// What there is no table or figure of, and why.
    pub left_out: Vec<String>,
}

impl Report {
    /// Itself. In debug builds, and so in every test that makes a table, no table has columns that are not written down.
    pub(crate) fn checked(self) -> Self {
        #[cfg(debug_assertions)]
        self.tables.iter().for_each(schema::check);
        self
    }

    /// For a terminal: warnings, then tables, then what is left out.
    pub fn to_markdown(&self) -> String {
        let warnings = self.warnings.iter().map(|warning| format!("**Warning:** {warning}\n"));
        let left_out = self.left_out.iter().map(|reason| format!("{reason}.\n"));
        warnings.chain(self.tables.iter().map(Table::to_markdown)).chain(left_out).collect::<Vec<_>>().join("\n")
    }

    /// The same facts as one value.
    pub fn to_json(&self) -> Value {
        let tables: Vec<Value> = self.tables.iter().map(Table::to_json).collect();
        json!({ "warnings": self.warnings, "tables": tables, "left_out": self.left_out })
    }

    /// All tables as one text. CSV and LaTeX have no place for warnings; tables of CSV have an empty line between them.
    pub fn render(&self, format: Format) -> String {
        match format {
            Format::Markdown => self.to_markdown(),
            Format::Json => format!("{:#}\n", self.to_json()),
            Format::Csv | Format::Latex => {
                self.tables.iter().map(|table| format.render(table)).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Writes a file a table and format under `directory/tables`, and each figure as SVG and PNG under
    /// `directory/figures`; gives their paths.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, directory: &Path, formats: &[Format]) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        let mut write = |folder: &str, name: String, content: &[u8]| {
            let folder = directory.join(folder);
            fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
            let path = folder.join(name);
            fs::write(&path, content).map_err(|error| Error::io(&path, error))?;
            files.push(path);
            Ok::<(), Error>(())
        };
        for table in &self.tables {
            for format in formats {
                write("tables", format!("{}.{}", table.name, format.extension()), format.render(table).as_bytes())?;
            }
        }
        for figure in &self.figures {
            write("figures", format!("{}.svg", figure.name), figure.svg.as_bytes())?;
            write("figures", format!("{}.png", figure.name), &figure.to_png()?)?;
        }
        for table in self.long.iter().filter(|_| formats.contains(&Format::Csv)) {
            files.push(write_long(table, directory)?);
        }
        Ok(files)
    }
}

/// Writes a table row by row; gives its path.
fn write_long(table: &LongTable, directory: &Path) -> Result<PathBuf, Error> {
    let folder = directory.join("tables");
    fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
    let path = folder.join(format!("{}.csv", table.name()));
    let write = || {
        let mut out = BufWriter::new(File::create(&path)?);
        table.write_csv(&mut out)?;
        out.flush()
    };
    write().map_err(|error| Error::io(&path, error))?;
    Ok(path)
}

/// Exports what is closed and makes tables and figures.
///
/// # Errors
/// Nothing is closed, the kind has no tables, or a file cannot be read or written.
pub fn analyze(run: &Path, options: &Options) -> Result<Report, Error> {
    let place = if options.apart { Place::Apart } else { Place::Beside };
    let report = match Subject::read(run, place)? {
        Subject::Grid(grid) => of_grid(&Arc::new(grid), options),
        Subject::Evolution(evolution) => of_evolution(&evolution, options),
        Subject::Tuning(tuning) => of_tuning(&tuning, options),
        Subject::Study(study) => study::report::report(&study, options),
    };
    report.map(Report::checked)
}

/// Figures if they are asked for.
pub(crate) fn drawn(options: &Options, draw: impl FnOnce() -> Figures) -> Figures {
    if options.figures { draw() } else { Figures::default() }
}

fn of_grid(grid: &Arc<Grid>, options: &Options) -> Result<Report, Error> {
    let Figures { drawn: figures, mut left_out } = drawn(options, || grid::figures::of_grid(grid));
    let (mut tables, mut long) = (Vec::new(), Vec::new());
    if grid.pairs.len() > options.pairs_max {
        tables = grid_tables(grid, options, Vec::new())?;
        long.extend(by_pair(grid).into_iter().map(|table| table.long(grid)));
        let names: Vec<String> = long.iter().map(|table: &LongTable| format!("`{}`", table.name())).collect();
        left_out.push(format!(
            "tables {} have rows of {} pairs, and more than {} are not shown: they are written as CSV alone, under tables/",
            names.join(", "),
            grid.pairs.len(),
            options.pairs_max
        ));
    } else {
        tables.extend(grid_tables(grid, options, by_pair(grid))?);
    }
    tables.push(workers::workers(&grid.meta.experiment, &grid.workers, GAMES));
    Ok(Report { tables, figures, warnings: warnings(grid), long, left_out })
}

/// The tables with rows of every pair of a grid.
fn by_pair(grid: &Grid) -> Vec<ByPair> {
    let mut tables =
        vec![grid::tables::pairs(grid), grid::tables::seats(grid), grid::tables::tests(grid), grid::tables::cost(grid)];
    tables.extend(grid.has_turns().then(|| grid::tables::times(grid)));
    tables
}

/// The tables of a grid in their order, but for that of the workers.
fn grid_tables(grid: &Grid, options: &Options, by_pair: Vec<ByPair>) -> Result<Vec<Table>, Error> {
    let mut tables: Vec<Table> = by_pair.into_iter().map(|table| table.whole(grid)).collect();
    let behind = tables.split_off(tables.len().min(OUTCOMES));
    if !options.contrasts.is_empty() {
        tables.push(grid::tables::contrasts(grid, &options.contrasts)?);
    }
    if let Some(axes) = Axes::of(grid) {
        // A value of a single parameter is a pair, and pairs have their table.
        tables.extend((axes.all.len() > 1).then(|| grid::tables::levels(grid, &axes)));
        tables.push(grid::tables::influence(grid, &axes));
    }
    tables.push(grid::tables::ratings(grid));
    tables.extend(behind);
    Ok(tables)
}

/// So many of the tables of [`by_pair`] are about results, and come before those about cost.
const OUTCOMES: usize = 3;

fn of_tuning(tuning: &Tuning, options: &Options) -> Result<Report, Error> {
    let mut tables = vec![tuning::tables::search(tuning), tuning::tables::candidates(tuning)];
    match (&tuning.end, options.contrasts.first()) {
        (Some(end), _) => {
            tables.push(tuning::tables::retest(&tuning.facts, end));
            tables.extend(grid_tables(&end.grid, options, by_pair(&end.grid))?);
        }
        (None, Some((pair, _))) => {
            let known = "none, because the final stage is not closed".into();
            return Err(Error::UnknownPair { pair: pair.clone(), known });
        }
        (None, None) => {}
    }
    tables.push(workers::workers(&tuning.facts.experiment, &tuning.workers(), GAMES));
    let Figures { drawn: figures, left_out } = drawn(options, || tuning::figures::of_tuning(tuning));
    Ok(Report { tables, figures, warnings: tuning_warnings(tuning), left_out, ..Report::default() })
}

fn of_evolution(evolution: &Evolution, options: &Options) -> Result<Report, Error> {
    if let Some((one, _)) = options.contrasts.first() {
        return Err(Error::UnknownPair { pair: one.clone(), known: "none, because this run is no grid".into() });
    }
    let mut tables = Vec::new();
    if !evolution.generations.is_empty() {
        tables.push(evolution::tables::generations(evolution));
    }
    if !evolution.benchmarks.is_empty() {
        tables.push(evolution::tables::benchmarks(evolution));
    }
    tables.extend(evolution.last_benchmark().map(|grid| evolution::tables::last(evolution, grid)));
    tables.extend([
        evolution::tables::phases(evolution),
        workers::workers(&evolution.facts.experiment, &evolution.workers(), GAMES),
    ]);
    let Figures { drawn: figures, left_out } = drawn(options, || evolution::figures::of_evolution(evolution));
    Ok(Report { tables, figures, warnings: evolution_warnings(evolution), left_out, ..Report::default() })
}

/// What workers ran, as [`tables::workers`] wants it.
const GAMES: [&str; 2] = ["games", "game"];

/// Fewer different games than this share make intervals mean less than they say.
const DISTINCT_MIN: f64 = 0.9;
/// More warnings of one kind than this are one.
const REPETITIONS_MAX: usize = 20;

/// What a reader must know before the figures.
pub(crate) fn warnings(grid: &Grid) -> Vec<String> {
    let mut warnings = Vec::new();
    if !grid.meta.reproducible {
        warnings.push(NOT_REPRODUCIBLE.to_owned());
    }
    let missing = grid.trials.saturating_sub(grid.games());
    if missing > 0 {
        warnings.push(format!(
            "{missing} of {} games have no result (quarantined after repeated failures). Units that miss a game are left \
             out of intervals over units and of tests over units.",
            grid.trials
        ));
    }
    warnings.extend(repetitions(grid));
    warnings
}

pub(crate) const NOT_REPRODUCIBLE: &str =
    "not reproducible: a player has a time budget, so these figures depend on the machines and their load.";

/// Of pairs whose games are often the same: of each, or of all together where they are many.
fn repetitions(grid: &Grid) -> Vec<String> {
    let often = |pair: &&PairGames| (pair.distinct as f64) < DISTINCT_MIN * pair.games as f64;
    let found = grid.pairs.iter().filter(often).count();
    if found > REPETITIONS_MAX {
        return vec![format!(
            "{found} of {} pairs have repeated games (column `distinct` of table `pairs`): intervals that count them are too \
             narrow. Random opening plies make games differ.",
            grid.pairs.len()
        )];
    }
    let one = |pair: &PairGames| {
        format!(
            "only {} of the {} games of {} v {} differ: the rest are repetitions, and intervals that count them are too \
             narrow. Random opening plies make games differ.",
            pair.distinct, pair.games, pair.a, pair.b
        )
    };
    grid.pairs.iter().filter(often).map(one).collect()
}

/// The same for a run of many stages.
fn evolution_warnings(evolution: &Evolution) -> Vec<String> {
    let mut warnings = Vec::new();
    if !evolution.is_finished() {
        let asked = evolution.facts.generations.map_or(String::new(), |asked| format!(" of {asked}"));
        warnings.push(format!(
            "under way: {}{asked} generations are closed, and there is no final benchmark yet.",
            evolution.generations.len()
        ));
    }
    if !evolution.facts.reproducible {
        warnings.push(NOT_REPRODUCIBLE.to_owned());
    }
    let (bred, tested) = (&evolution.generations, &evolution.benchmarks);
    let games: u64 = bred.iter().map(|g| g.played.work().games).chain(tested.iter().map(Grid::games)).sum();
    let trials: u64 = bred.iter().map(|g| g.played.trials).chain(tested.iter().map(|grid| grid.trials)).sum();
    if games < trials {
        warnings.push(format!(
            "{} of {trials} games have no result (quarantined after repeated failures). Individuals have the mean of their \
             other games instead; units that miss a game are left out of intervals.",
            trials - games
        ));
    }
    for grid in tested {
        warnings.extend(repetitions(grid).into_iter().map(|warning| format!("{}: {warning}", grid.stage)));
    }
    warnings
}

/// The same for a tuning.
fn tuning_warnings(tuning: &Tuning) -> Vec<String> {
    let mut warnings = Vec::new();
    if !tuning.is_finished() {
        warnings.push(format!(
            "under way: {} of {} generations are closed, and the final stage is not. What the search says of its leader is \
             too much: it leads because it was lucky, too.",
            tuning.generations.len(),
            tuning.facts.generations
        ));
    }
    if !tuning.facts.reproducible {
        warnings.push(NOT_REPRODUCIBLE.to_owned());
    }
    let (searched, last) = (&tuning.generations, tuning.last_grid());
    let games: u64 = searched.iter().map(|g| g.played.work().games).chain(last.map(Grid::games)).sum();
    let trials: u64 = searched.iter().map(|g| g.played.trials).chain(last.map(|grid| grid.trials)).sum();
    if games < trials {
        warnings.push(format!(
            "{} of {trials} games have no result (quarantined after repeated failures). They count for nobody in the search; \
             units that miss a game are left out of intervals over units and of tests over units.",
            trials - games
        ));
    }
    warnings.extend(last.into_iter().flat_map(repetitions).map(|warning| format!("final stage: {warning}")));
    warnings
}
