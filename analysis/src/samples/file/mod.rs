//! A table in a file, CSV or Parquet, a row a measurement: its numbers by group.
//!
//! The file is read once, some ten thousand rows at a time, and of it only the columns that are asked for. Texts become
//! numbers while they are read ([`texts`]), so that grouping a row is arithmetic. What the groups keep is theirs to
//! say: every value ([`read`]) or sums ([`describe`]). A folder is a table whose files follow one another ([`folder`]).

mod csv;
mod folder;
mod parquet;
mod reading;
mod separators;
mod skipped;
mod source;
mod sums;
mod texts;

use std::path::Path;

use super::{Family, Sample};
use crate::{Error, statistics::moments::Moments};
use folder::Part;
use sums::Sums;
use texts::Texts;

pub use reading::{Decimal, Missing, Reading};
pub use skipped::Skipped;
pub(crate) use source::is_standard_input;

/// Which columns say what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The numbers.
    pub value: String,
    /// What they are compared by.
    pub group: String,
    /// Within what: the problem.
    pub by: Option<String>,
    /// What makes numbers of different groups belong together: the seed.
    pub block: Option<String>,
}

/// Size, mean and spread of groups, by family: (family, [(group, moments)]).
pub type Described = Vec<(String, Vec<(String, Moments)>)>;

/// Reads the samples of a file, or of the files of a folder, or of standard input (`-`); families and their groups in
/// the order of their names, as numbers if all of them are. Memory follows the number of rows: 8 bytes each, 12 with
/// blocks.
///
/// # Errors
/// The file cannot be read or is no such table, it lacks a column, a value is no number, or a block occurs twice in a
/// sample.
pub fn read(path: &Path, columns: &Columns, reading: &Reading) -> Result<(Vec<Family>, Skipped), Error> {
    let mut held = Held::default();
    let (names, skipped) = scan(path, columns, reading, &mut held)?;
    Ok((held.families(path, columns, &names)?, skipped))
}

/// Size, mean and spread of the groups of a file, in the same order. Memory follows the number of groups and what is
/// read at a time: of Parquet a row group.
///
/// # Errors
/// As of [`read`], blocks aside.
pub fn describe(path: &Path, columns: &Columns, reading: &Reading) -> Result<(Described, Skipped), Error> {
    let columns = Columns { block: None, ..columns.clone() };
    let mut sums = Sums::default();
    let (names, skipped) = scan(path, &columns, reading, &mut sums)?;
    let moments = sums.moments();
    let used = Used::of(&names, moments.keys().copied());
    let of_family = |(by, name): (usize, &str)| {
        let group = |(group, name): (usize, &str)| Some((name.to_owned(), *moments.get(&(by, group))?));
        (name.to_owned(), used.groups(&names).into_iter().filter_map(group).collect())
    };
    Ok((used.families(&names).into_iter().map(of_family).collect(), skipped))
}

/// Some rows. Texts are places in [`Names`].
struct Rows<'a> {
    values: &'a [f64],
    groups: &'a [u32],
    /// Empty where nothing is asked by.
    by: &'a [u32],
    /// Empty where there are no blocks.
    blocks: &'a [u32],
}

/// What rows are given to.
trait Sink {
    fn take(&mut self, rows: &Rows<'_>);
}

/// The texts of the columns.
struct Names {
    groups: Texts,
    by: Texts,
    blocks: Texts,
}

/// Which texts rows have: Parquet and rows that are left out may name others.
struct Used {
    groups: Vec<bool>,
    /// Empty where nothing is asked by.
    by: Vec<bool>,
}

impl Used {
    /// By the cells, `(by, group)`, that have values.
    fn of(names: &Names, cells: impl Iterator<Item = (usize, usize)>) -> Self {
        let mut used = Used { groups: vec![false; names.groups.len()], by: vec![false; names.by.len()] };
        for (by, group) in cells {
            used.groups[group] = true;
            if let Some(by) = used.by.get_mut(by) {
                *by = true;
            }
        }
        used
    }

    /// Families in order; one without a name where nothing is asked by.
    fn families<'n>(&self, names: &'n Names) -> Vec<(usize, &'n str)> {
        if self.by.is_empty() { vec![(0, "")] } else { names.by.ordered(|number| self.by[number]) }
    }

    /// Groups in order.
    fn groups<'n>(&self, names: &'n Names) -> Vec<(usize, &'n str)> {
        names.groups.ordered(|number| self.groups[number])
    }
}

/// What a scan is asked, and where what it finds goes.
struct Scan<'a, S> {
    columns: &'a Columns,
    reading: &'a Reading,
    names: Names,
    skipped: Skipped,
    rows: u64,
    sink: &'a mut S,
}

impl<S: Sink> Scan<'_, S> {
    fn take(&mut self, rows: &Rows<'_>) {
        if !rows.values.is_empty() {
            self.rows += rows.values.len() as u64;
            self.sink.take(rows);
        }
    }
}

/// Gives every row of a file, or of a folder's files, to `sink`.
fn scan(path: &Path, columns: &Columns, reading: &Reading, sink: &mut impl Sink) -> Result<(Names, Skipped), Error> {
    let texts = || Texts::new(reading.decimal);
    let names = Names { groups: texts(), by: texts(), blocks: texts() };
    let mut scan = Scan { columns, reading, names, skipped: Skipped::default(), rows: 0, sink };
    for part in folder::parts(path)? {
        match source::open(&part.path)? {
            source::Content::Parquet(file) => parquet::scan(&part, file, &mut scan)?,
            source::Content::Text(text) => csv::scan(&part, text, &mut scan)?,
        }
    }
    match (scan.rows, scan.skipped.note()) {
        (0, Some(note)) => Err(Error::table(path, format!("no row is left. {note}"), "name other columns")),
        (0, None) => Err(Error::table(path, "it has no rows", "give a table with a row a measurement")),
        _ => Ok((scan.names, scan.skipped)),
    }
}

/// Where a column is.
#[derive(Clone, Debug, PartialEq)]
enum Place {
    /// Its place in the file.
    Column(usize),
    /// In no file, but in the name of a folder: its value, if there is one.
    Fixed(Option<String>),
}

/// The place of a column among the heads of a file and what its folders say.
fn place(part: &Part, heads: &[&str], column: &str) -> Result<Place, Error> {
    let mut found = heads.iter().enumerate().filter(|(_, head)| **head == column);
    match (found.next(), found.next()) {
        (Some((place, _)), None) => return Ok(Place::Column(place)),
        (Some(_), Some(_)) => {
            let advice = "rename one of them; columns that are not used may share a name";
            return Err(Error::table(&part.path, format!("two columns are called `{column}`"), advice));
        }
        (None, _) => {}
    }
    match part.fixed.iter().find(|(key, _)| key == column) {
        Some((_, value)) => Ok(Place::Fixed(value.clone())),
        None => {
            let known = heads.iter().copied().chain(part.fixed.iter().map(|(key, _)| key.as_str()));
            let known = known.map(str::to_owned).collect();
            Err(Error::UnknownColumn { path: part.path.clone(), column: column.to_owned(), known, advice: None })
        }
    }
}

/// Every value of every cell, `[by, group]`.
#[derive(Default)]
struct Held(Vec<Vec<Cell>>);

#[derive(Clone, Default)]
struct Cell {
    values: Vec<f64>,
    blocks: Vec<u32>,
}

impl Sink for Held {
    fn take(&mut self, rows: &Rows<'_>) {
        for (row, &value) in rows.values.iter().enumerate() {
            let (by, group) = (rows.by.get(row).map_or(0, |by| *by as usize), rows.groups[row] as usize);
            if self.0.len() <= by {
                self.0.resize_with(by + 1, Vec::new);
            }
            let family = &mut self.0[by];
            if family.len() <= group {
                family.resize_with(group + 1, Cell::default);
            }
            family[group].values.push(value);
            if let Some(block) = rows.blocks.get(row) {
                family[group].blocks.push(*block);
            }
        }
    }
}

impl Held {
    fn families(mut self, path: &Path, columns: &Columns, names: &Names) -> Result<Vec<Family>, Error> {
        let ranks = names.blocks.ranks();
        let filled = |(by, family): (usize, &Vec<Cell>)| {
            let filled = family.iter().enumerate().filter(|(_, cell)| !cell.values.is_empty());
            filled.map(|(group, _)| (by, group)).collect::<Vec<_>>()
        };
        let used = Used::of(names, self.0.iter().enumerate().flat_map(filled));
        let mut families = Vec::new();
        for (by, name) in used.families(names) {
            let mut samples = Vec::new();
            for (group, group_name) in used.groups(names) {
                let cell = self.0.get_mut(by).and_then(|family| family.get_mut(group)).map(std::mem::take);
                let Some(cell) = cell.filter(|cell| !cell.values.is_empty()) else { continue };
                let sample = cell.sample(group_name, &ranks).map_err(|block| {
                    let advice = match &columns.by {
                        Some(_) => "leave one of the rows out, or name another column with --block",
                        None => {
                            "if another column tells them apart, as the problem does, name it with --by; else leave one of \
                             the rows out"
                        }
                    };
                    Error::table(path, repeated(columns, names.blocks.name(block), group_name, name), advice)
                })?;
                samples.push(sample);
            }
            families.push(Family { name: name.to_owned(), samples });
        }
        Ok(families)
    }
}

fn repeated(columns: &Columns, block: &str, group: &str, by: &str) -> String {
    let Columns { group: group_column, by: by_column, block: block_column, .. } = columns;
    let within = by_column.as_ref().map_or(String::new(), |column| format!(" and `{column}` `{by}`"));
    let block_column = block_column.as_deref().unwrap_or_default();
    format!("`{block_column}` `{block}` occurs twice with `{group_column}` `{group}`{within}, so that it says no pairs")
}

impl Cell {
    /// In the order of the blocks; fails with a block that occurs twice.
    fn sample(self, name: &str, ranks: &[u64]) -> Result<Sample, u32> {
        let name = name.to_owned();
        if self.blocks.is_empty() {
            return Ok(Sample { name, values: self.values, blocks: Vec::new() });
        }
        let mut rows: Vec<(u64, u32, f64)> = self
            .blocks
            .iter()
            .zip(&self.values)
            .map(|(&block, &value)| (ranks[block as usize], block, value))
            .collect();
        rows.sort_by_key(|row| row.0);
        if let Some(pair) = rows.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(pair[0].1);
        }
        let (values, blocks) = rows.into_iter().map(|(rank, _, value)| (value, rank)).unzip();
        Ok(Sample { name, values, blocks })
    }
}
