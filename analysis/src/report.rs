//! The tables and figures of a run, what a reader must know of them, and their files.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write as _},
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

/// Format of a table as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// `.md`
    Markdown,
    /// `.csv`
    Csv,
    /// `.tex`
    Latex,
    /// `.json`
    Json,
}

impl Text {
    fn render(self, table: &Table) -> String {
        match self {
            Text::Markdown => table.to_markdown(),
            Text::Csv => table.to_csv(),
            Text::Latex => table.to_latex(),
            Text::Json => format!("{:#}\n", table.to_json()),
        }
    }
}

/// Format of a table's file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text.
    Text(Text),
    /// `.parquet`
    Parquet,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 5] = [
        Format::Text(Text::Markdown),
        Format::Text(Text::Csv),
        Format::Text(Text::Latex),
        Format::Text(Text::Json),
        Format::Parquet,
    ];

    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Text(Text::Markdown) => "md",
            Format::Text(Text::Csv) => "csv",
            Format::Text(Text::Latex) => "tex",
            Format::Text(Text::Json) => "json",
            Format::Parquet => "parquet",
        }
    }

    /// A table in this format.
    ///
    /// # Errors
    /// It cannot be Parquet.
    pub fn render(self, table: &Table) -> Result<Vec<u8>, Error> {
        match self {
            Format::Text(text) => Ok(text.render(table).into_bytes()),
            Format::Parquet => table.to_parquet(),
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
    /// Tables that are written as CSV and Parquet alone.
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
    pub fn render(&self, format: Text) -> String {
        match format {
            Text::Markdown => self.to_markdown(),
            Text::Json => format!("{:#}\n", self.to_json()),
            Text::Csv | Text::Latex => {
                self.tables.iter().map(|table| format.render(table)).collect::<Vec<_>>().join("\n")
            }
        }
    }

    /// Writes a file a table and format under `directory/tables`, and each figure as SVG, PNG and PDF under
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
                write("tables", format!("{}.{}", table.name, format.extension()), &format.render(table)?)?;
            }
        }
        for figure in &self.figures {
            write("figures", format!("{}.svg", figure.name), figure.svg.as_bytes())?;
            write("figures", format!("{}.png", figure.name), &figure.to_png()?)?;
            write("figures", format!("{}.pdf", figure.name), &figure.to_pdf()?)?;
        }
        for table in &self.long {
            for format in formats {
                if let Some(path) = write_long(table, *format, directory)? {
                    files.push(path);
                }
            }
        }
        Ok(files)
    }
}

/// Writes a table part by part and gives its path, if the format can be written so.
fn write_long(table: &LongTable, format: Format, directory: &Path) -> Result<Option<PathBuf>, Error> {
    let rows: fn(&LongTable, &mut BufWriter<File>) -> io::Result<()> = match format {
        Format::Text(Text::Csv) => LongTable::write_csv,
        Format::Parquet => LongTable::write_parquet,
        Format::Text(Text::Markdown | Text::Latex | Text::Json) => return Ok(None),
    };
    let folder = directory.join("tables");
    fs::create_dir_all(&folder).map_err(|error| Error::io(&folder, error))?;
    let path = folder.join(format!("{}.{}", table.name(), format.extension()));
    let write = || {
        let mut out = BufWriter::new(File::create(&path)?);
        rows(table, &mut out)?;
        out.flush()
    };
    write().map_err(|error| Error::io(&path, error))?;
    Ok(Some(path))
}
