//! Folders of files with the same columns, whose names may say more: `problem=9/part-0.parquet`.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::source::is_standard_input;
use crate::{
    Error,
    data::{has_stages, is_superseded},
};

/// Folders in folders; more is a link that leads to itself.
const DEEPEST: usize = 32;
/// How hive writes a missing value in a folder's name.
const NO_VALUE: &str = "__HIVE_DEFAULT_PARTITION__";

/// A file of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) path: PathBuf,
    /// Columns that its folders' names say, the same in every row: names and values, `None` where one is missing.
    pub(super) fixed: Vec<(String, Option<String>)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Parquet,
}

/// The files of a table: the one at `path`, or those in the folder. Of a run's directory, those of its closed stages.
pub(super) fn parts(path: &Path) -> Result<Vec<Part>, Error> {
    if is_standard_input(path) || !path.is_dir() {
        return Ok(vec![Part { path: path.to_owned(), fixed: Vec::new() }]);
    }
    if path.join(record::files::DATABASE).exists() {
        let files = crate::data::export(path)?;
        return Ok(files.into_iter().map(|path| Part { path, fixed: Vec::new() }).collect());
    }
    // What `export` makes of a run has its rows there, and perhaps tables beside them.
    let results = path.join(record::files::RESULTS);
    let root = if has_stages(&results) { results.as_path() } else { path };
    let mut found = Vec::new();
    walk(root, &[], 0, &mut found)?;
    found.retain(|(part, _)| !is_superseded(&part.path));
    let other = |found: &&(Part, Kind)| found.1 != Kind::Text;
    if let (Some((text, _)), Some((parquet, _))) =
        (found.iter().find(|found| !other(found)), found.iter().find(|found| other(found)))
    {
        let reason = format!("it has text (`{}`) and Parquet (`{}`)", text.path.display(), parquet.path.display());
        return Err(Error::table(path, reason, "rows might count twice: name a folder with files of one kind"));
    }
    let parts: Vec<Part> = found.into_iter().map(|(part, _)| part).collect();
    if let Some(twice) = parts.iter().find(|part| {
        let plain = plain(&part.path);
        plain != part.path && parts.iter().any(|other| other.path == plain)
    }) {
        let reason = format!("it has `{}` packed and not packed", plain(&twice.path).display());
        return Err(Error::table(path, reason, "rows would count twice: remove one of the two"));
    }
    if parts.is_empty() {
        let advice = "files of tables are called .csv, .tsv, .txt or .parquet, packed also .gz or .zst";
        return Err(Error::table(path, "it is a folder without tables", advice));
    }
    Ok(parts)
}

fn walk(
    folder: &Path,
    fixed: &[(String, Option<String>)],
    depth: usize,
    found: &mut Vec<(Part, Kind)>,
) -> Result<(), Error> {
    let io = |error| Error::io(folder, error);
    if depth > DEEPEST {
        let reason = format!("folders lie more than {DEEPEST} deep in one another");
        return Err(Error::table(folder, reason, "look for a link that leads back to its own folder"));
    }
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(io)? {
        paths.push(entry.map_err(io)?.path());
    }
    paths.sort();
    for path in paths {
        let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else { continue };
        // Hidden files, and what Spark and Hadoop leave beside data (`_SUCCESS`, `_metadata`).
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            let mut fixed = fixed.to_vec();
            if let Some((key, value)) = name.split_once('=') {
                let (key, value) = (decoded(key), decoded(value));
                let value = (value != NO_VALUE && !value.is_empty()).then_some(value);
                fixed.retain(|(known, _)| *known != key);
                fixed.push((key, value));
            }
            walk(&path, &fixed, depth + 1, found)?;
        } else if let Some(kind) = kind(&path) {
            found.push((Part { path, fixed: fixed.to_vec() }, kind));
        }
    }
    Ok(())
}

/// A file's path without the ending of its packing.
fn plain(path: &Path) -> PathBuf {
    let packed = path.extension().is_some_and(|ending| ["gz", "zst"].iter().any(|known| ending == *known));
    if packed { path.with_extension("") } else { path.to_owned() }
}

fn kind(path: &Path) -> Option<Kind> {
    let plain = plain(path);
    match plain.extension()?.to_string_lossy().to_ascii_lowercase().as_str() {
        "csv" | "tsv" | "txt" => Some(Kind::Text),
        "parquet" | "pq" => Some(Kind::Parquet),
        _ => None,
    }
}

/// Whether a file's name says that its fields are separated by tabs.
pub(super) fn has_tabs(path: &Path) -> bool {
    plain(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tsv"))
}

/// A part of a folder's name with its `%20` read, as Spark and Arrow write what paths cannot hold.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits =
            bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        // `from_str_radix` would take a sign.
        let digits = digits.filter(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
        match digits.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                plain.push(byte);
                at += 3;
            }
            None => {
                plain.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8(plain).unwrap_or_else(|_| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_folders_are_decoded() {
        for (text, wanted) in [
            ("a%20b", "a b"),
            ("100%25", "100%"),
            ("%", "%"),
            ("%2", "%2"),
            ("%+1", "%+1"),
            ("%ff", "%ff"),
            ("gr%C3%BCn", "grün"),
        ] {
            assert_eq!(decoded(text), wanted);
        }
    }

    #[test]
    fn endings_say_what_a_file_is() {
        for (name, wanted) in [
            ("a.csv", Some(Kind::Text)),
            ("a.CSV.gz", Some(Kind::Text)),
            ("a.parquet.zst", Some(Kind::Parquet)),
            ("a.csv.crc", None),
            ("a.json", None),
            ("csv", None),
        ] {
            assert_eq!(kind(Path::new(name)), wanted, "{name}");
        }
        assert!(has_tabs(Path::new("a.tsv.gz")) && !has_tabs(Path::new("a.csv")));
    }
}
