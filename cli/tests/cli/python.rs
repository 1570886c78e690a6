//! What docs/python.md and the notebooks read is there: paths, globs and columns. `analysis/tests/python/run.sh` executes them.

use std::{
    fs::{self, File},
    path::{Path, PathBuf},
};

use polars_io::{SerReader as _, parquet::read::ParquetReader};
use serde_json::Value;
use tempfile::TempDir;

use crate::common::program::redqueen;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace")
}

/// The files that a path or glob finds from `place`; of a folder those in it.
fn found(place: &Path, glob: &str) -> Vec<PathBuf> {
    let mut found = vec![place.to_owned()];
    for part in glob.split('/') {
        let fits = |name: &str| match part.split_once('*') {
            None => name == part,
            Some((begin, end)) => {
                name.len() + 1 >= part.len() && name.starts_with(begin) && name.ends_with(end) && !name.starts_with('.')
            }
        };
        let entries = found.iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
        found = entries.filter(|entry| fits(&entry.file_name().to_string_lossy())).map(|entry| entry.path()).collect();
    }
    if found.iter().any(|path| path.is_dir()) {
        return found.iter().flat_map(|folder| self::found(folder, "*.parquet")).collect();
    }
    found
}

/// The words that code may ask for in a file: columns, values of texts, and what its metadata say.
fn words(path: &Path) -> Vec<String> {
    if path.extension().is_some_and(|extension| extension == "csv") {
        let text = fs::read_to_string(path).expect("a table");
        return text.lines().next().expect("heads").split(',').map(str::to_owned).collect();
    }
    let mut reader = ParquetReader::new(File::open(path).expect("a file"));
    let metadata = reader.get_metadata().expect("metadata").key_value_metadata().clone();
    let metadata = metadata.into_iter().flatten().filter_map(|pair| pair.value);
    let facts = metadata.flat_map(|text| text.split('"').map(str::to_owned).collect::<Vec<_>>()).collect::<Vec<_>>();
    let frame = reader.finish().expect("rows");
    let texts = frame.columns().iter().filter_map(|column| column.str().ok());
    let texts: Vec<String> =
        texts.flat_map(|texts| texts.iter().flatten().map(str::to_owned).collect::<Vec<_>>()).collect();
    let columns = frame.get_column_names_owned().into_iter().map(|name| name.to_string());
    columns.chain(texts).chain(facts).collect()
}

/// Holds a piece of code against the runs that lie at `place`.
fn check(code: &str, place: &Path, of: &str) {
    let paths: Vec<&str> = code.split(['"', '\'']).filter(|part| part.starts_with("runs/")).collect();
    assert!(!paths.is_empty(), "{of}: a block reads something:\n{code}");
    let mut known = Vec::new();
    for path in paths {
        let files = found(place, path);
        assert!(!files.is_empty(), "{of}: `{path}` finds nothing");
        files.iter().for_each(|file| known.extend(words(file)));
    }
    let is_word = |part: &&str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    for line in code.lines() {
        // What stands between two quotes, but for values of named arguments. The code names columns itself before `=`.
        let parts: Vec<&str> = line.split('"').collect();
        let literals = parts.chunks_exact(2).filter(|pair| !pair[0].ends_with('=')).map(|pair| pair[1]).filter(is_word);
        for word in literals {
            let is_given = code.contains(&format!("{word}="));
            assert!(
                is_given || known.iter().any(|known| known == word),
                "{of}: no `{word}` in what this reads:\n{code}"
            );
        }
    }
}

#[test]
fn the_page_reads_what_runs_leave() {
    let page = fs::read_to_string(root().join("docs/python.md")).expect("a page");
    let place = TempDir::new().expect("a directory");
    std::os::unix::fs::symlink(root().join("experiments"), place.path().join("experiments")).expect("linked");
    let mut runs = 0;
    for line in page.lines().filter(|line| line.starts_with("redqueen ")) {
        let output = redqueen().current_dir(place.path()).args(line.split(' ').skip(1)).output().expect("redqueen");
        assert!(output.status.success(), "`{line}`: {}", String::from_utf8_lossy(&output.stderr));
        runs += 1;
    }
    assert_eq!(runs, 2);
    let blocks: Vec<&str> = page
        .split("```")
        .skip(1)
        .step_by(2)
        .filter_map(|block| block.strip_prefix("python\n").or_else(|| block.strip_prefix("r\n")))
        .collect();
    assert!(blocks.len() >= 8, "{}", blocks.len());
    blocks.iter().for_each(|block| check(block, place.path(), "docs/python.md"));
}

#[test]
fn notebooks_read_what_lies_beside_them() {
    let place = root().join("docs/notebooks");
    let entries = fs::read_dir(&place).expect("a folder").flatten().map(|entry| entry.path());
    let mut kinds = Vec::new();
    for path in entries.filter(|path| path.extension().is_some_and(|extension| extension == "ipynb")) {
        let text = fs::read_to_string(&path).expect("a notebook");
        assert!(text.len() < 60_000, "{}: {} bytes", path.display(), text.len());
        let book: Value = serde_json::from_str(&text).expect("JSON");
        let lines = |cell: &Value| match &cell["source"] {
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect::<String>(),
            text => text.as_str().expect("text").to_owned(),
        };
        let cells = book["cells"].as_array().expect("cells").iter().filter(|cell| cell["cell_type"] == "code");
        let (code, empty): (Vec<String>, Vec<bool>) =
            cells.map(|cell| (lines(cell), cell["outputs"].as_array().is_none_or(Vec::is_empty))).unzip();
        assert!(!empty.contains(&true), "{}: a cell without its output", path.display());
        check(&code.join("\n"), &place, &path.display().to_string());
        kinds.push(path.file_stem().expect("a name").to_string_lossy().into_owned());
    }
    kinds.sort();
    assert_eq!(kinds, ["evolution", "grid", "learning", "study", "tuning"]);
}
