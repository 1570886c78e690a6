//! A table in a file, CSV or Parquet, a row a measurement: its numbers by group.
//!
//! The file is read once, some ten thousand rows at a time, and of it only the columns that are asked for. Texts become
//! numbers while they are read ([`texts`]), so that grouping a row is arithmetic. What the groups keep is theirs to
//! say: every value ([`read`]) or sums ([`describe`]).

mod csv;
mod parquet;
mod sums;
mod texts;

use std::{fs::File, io::Read as _, path::Path};

use super::{Family, Sample};
use crate::{Error, statistics::moments::Moments};
use sums::Sums;
use texts::Texts;

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

/// Reads the samples of a file; families and their groups in the order of their names, as numbers if all of them are.
/// Memory follows the number of rows: 8 bytes each, 12 with blocks.
///
/// # Errors
/// The file cannot be read or is no such table, it lacks a column, a value is no number, or a block occurs twice in a
/// sample.
pub fn read(path: &Path, columns: &Columns) -> Result<Vec<Family>, Error> {
    let mut held = Held::default();
    let names = scan(path, columns, &mut held)?;
    held.families(path, columns, &names)
}

/// Size, mean and spread of the groups of a file, in the same order. Memory follows the number of groups and what is
/// read at a time: of Parquet a row group.
///
/// # Errors
/// As of [`read`], blocks aside.
pub fn describe(path: &Path, columns: &Columns) -> Result<Described, Error> {
    let columns = Columns { block: None, ..columns.clone() };
    let mut sums = Sums::default();
    let names = scan(path, &columns, &mut sums)?;
    let moments = sums.moments();
    let of_family = |(by, name): (usize, &str)| {
        let group = |(group, name): (usize, &str)| Some((name.to_owned(), *moments.get(&(by, group))?));
        (name.to_owned(), names.groups.ordered().into_iter().filter_map(group).collect())
    };
    Ok(names.families().into_iter().map(of_family).collect())
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
#[derive(Default)]
struct Names {
    groups: Texts,
    by: Texts,
    blocks: Texts,
}

impl Names {
    /// Families in order; one without a name where nothing is asked by.
    fn families(&self) -> Vec<(usize, &str)> {
        let ordered = self.by.ordered();
        if ordered.is_empty() { vec![(0, "")] } else { ordered }
    }
}

/// Gives every row of a file to `sink`.
fn scan(path: &Path, columns: &Columns, sink: &mut impl Sink) -> Result<Names, Error> {
    let io = |error| Error::io(path, error);
    let mut start = Vec::new();
    File::open(path).map_err(io)?.take(4).read_to_end(&mut start).map_err(io)?;
    let mut names = Names::default();
    if start == *b"PAR1" {
        parquet::scan(path, columns, &mut names, sink)?;
    } else {
        csv::scan(path, columns, &mut names, sink)?;
    }
    if names.groups.ordered().is_empty() {
        return Err(Error::BadTable { path: path.to_owned(), reason: "it has no rows".to_owned() });
    }
    Ok(names)
}

/// The place of a column among the heads of a file.
fn place(path: &Path, heads: &[&str], column: &str) -> Result<usize, Error> {
    let mut found = heads.iter().enumerate().filter(|(_, head)| **head == column);
    match (found.next(), found.next()) {
        (Some((place, _)), None) => Ok(place),
        (Some(_), Some(_)) => {
            Err(Error::BadTable { path: path.to_owned(), reason: format!("two columns are called `{column}`") })
        }
        (None, _) => Err(Error::UnknownColumn {
            path: path.to_owned(),
            column: column.to_owned(),
            known: heads.iter().map(|head| (*head).to_owned()).collect(),
        }),
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
        let mut families = Vec::new();
        for (by, name) in names.families() {
            let mut samples = Vec::new();
            for (group, group_name) in names.groups.ordered() {
                let cell = self.0.get_mut(by).and_then(|family| family.get_mut(group)).map(std::mem::take);
                let Some(cell) = cell.filter(|cell| !cell.values.is_empty()) else { continue };
                let sample = cell.sample(group_name, &ranks).map_err(|block| Error::BadTable {
                    path: path.to_owned(),
                    reason: repeated(columns, names.blocks.name(block), group_name, name),
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
