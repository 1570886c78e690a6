//! The tables and figures of a run, what a reader must know of them, and their files.

use std::{
    fs::{self, File},
    io::{BufWriter, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

#[cfg(debug_assertions)]
use crate::forms::table::schema;
use crate::{Error, Figure, Question, Table, Words, forms::table::LongTable};

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

impl Options {
    /// Refuses contrasts, which ask for pairs where there are `none, because` of `why`.
    ///
    /// # Errors
    /// There is a contrast.
    pub(crate) fn without_contrasts(&self, why: &str) -> Result<(), Error> {
        match self.contrasts.first() {
            Some((pair, _)) => Err(Error::UnknownPair { pair: pair.clone(), known: format!("none, because {why}") }),
            None => Ok(()),
        }
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
    /// What was asked and what came out, of a run's own report.
    pub words: Words,
}

impl Report {
    /// Itself. In debug builds, and so in every test that makes a table, no table has columns that are not written down.
    #[must_use]
    pub fn checked(self) -> Self {
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
