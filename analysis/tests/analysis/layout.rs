//! Where files of stages lie: a folder a shape, and up to version 0.1.0 one folder for all.

use std::{
    fs,
    path::{Path, PathBuf},
};

use analysis::{
    Error, Options, analyze, export, export_to,
    samples::{Columns, Reading, describe},
};

use tempfile::TempDir;

use crate::common::evolved::Evolution;

/// Two generations, and a final match: stages of two shapes.
fn evolution() -> TempDir {
    let mut run = Evolution::new(1, 2);
    let individual = (2.0, 5, 3, 0.0);
    run.generation(2, 2, &[individual, individual]);
    run.generation(2, 2, &[individual, individual]);
    run.benchmark(true, &[("champion", 0, "best", "mcts-100", vec![[3, -2], [1, 0]])]);
    let directory = tempfile::tempdir().expect("a directory");
    run.write(directory.path());
    directory
}

const FILES: [&str; 3] =
    ["generation/stage=00000.parquet", "generation/stage=00001.parquet", "match/stage=00002.parquet"];

/// The files below `results` of a run, by path.
fn listed(run: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let results = run.join("results");
    let mut found = Vec::new();
    walk(&results, &mut found);
    found.sort();
    found
        .into_iter()
        .map(|path| (path.strip_prefix(&results).expect("inside").to_owned(), fs::read(path).expect("a file")))
        .collect()
}

/// Moves the files of a run to where version 0.1.0 had them.
fn make_old(run: &Path) {
    let results = run.join("results");
    for file in FILES {
        let name = Path::new(file).file_name().expect("a name");
        fs::rename(results.join(file), results.join(name)).expect("moved");
    }
    ["generation", "match"].iter().for_each(|folder| fs::remove_dir(results.join(folder)).expect("empty"));
}

/// Rows of each stage that a reader of the whole folder sees.
fn rows(path: &Path) -> Vec<u64> {
    let columns = Columns { value: "trial".into(), group: "stage".into(), by: None, block: None };
    let (described, _) = describe(path, &columns, &Reading::default()).expect("a table");
    described[0].1.iter().map(|(_, moments)| moments.n).collect()
}

#[test]
fn a_shape_has_a_folder() {
    let run = evolution();
    let files = export(run.path()).expect("files");
    assert_eq!(files, FILES.map(|file| run.path().join("results").join(file)));
    let listed: Vec<PathBuf> = listed(run.path()).into_iter().map(|(path, _)| path).collect();
    assert_eq!(listed, FILES.map(PathBuf::from), "and nothing else");
}

#[test]
fn old_files_are_moved_or_made_anew() {
    let run = evolution();
    export(run.path()).expect("files");
    let wanted = listed(run.path());
    make_old(run.path());
    export(run.path()).expect("files");
    assert!(listed(run.path()) == wanted, "moved");
    // An old file of other results is not the stage's; both at once, and one in the folder of another shape.
    let results = run.path().join("results");
    make_old(run.path());
    fs::write(results.join("stage=00000.parquet"), "out of date").expect("written");
    for folder in ["match", "generation"] {
        fs::create_dir(results.join(folder)).expect("made");
        fs::copy(results.join("stage=00001.parquet"), results.join(folder).join("stage=00001.parquet"))
            .expect("copied");
    }
    analyze(run.path(), &Options::default()).expect("tables");
    assert!(listed(run.path()) == wanted, "made anew, and the others removed");
    // The same in a copy.
    let copy = tempfile::tempdir().expect("a directory");
    export_to(run.path(), copy.path()).expect("files");
    make_old(copy.path());
    export_to(run.path(), copy.path()).expect("files");
    assert!(listed(copy.path()) == wanted);
}

#[test]
fn a_run_that_is_left_as_it_is_is_read_where_its_files_are() {
    let run = evolution();
    let report = analyze(run.path(), &Options::default()).expect("tables");
    make_old(run.path());
    let before = listed(run.path());
    let apart = Options { apart: true, ..Options::default() };
    assert_eq!(analyze(run.path(), &apart).expect("tables"), report);
    assert!(listed(run.path()) == before);
}

#[test]
fn nothing_is_read_twice() {
    let run = evolution();
    let report = analyze(run.path(), &Options::default()).expect("tables");
    let copy = tempfile::tempdir().expect("a directory");
    export_to(run.path(), copy.path()).expect("files");
    let (whole, results) = (rows(copy.path()), copy.path().join("results"));
    assert_eq!(whole, [4, 4, 4]);
    // Without its database a run is its files, of either place.
    for file in &FILES[..2] {
        let name = Path::new(file).file_name().expect("a name");
        fs::copy(results.join(file), results.join(name)).expect("copied");
    }
    fs::rename(results.join(FILES[2]), results.join("stage=00002.parquet")).expect("moved");
    assert_eq!(analyze(copy.path(), &Options::default()).expect("tables"), report);
    assert_eq!((rows(copy.path()), rows(&results)), (whole.clone(), whole));
    // Of two shapes, only its owner knows which is the stage's.
    fs::copy(results.join(FILES[0]), results.join("match/stage=00000.parquet")).expect("copied");
    let error = analyze(copy.path(), &Options::default()).expect_err("stage 0 twice");
    let says = error.to_string();
    assert!(matches!(error, Error::Contract { .. }) && says.contains("stage 0 is also in"), "{says}");
    assert!(says.contains("generation/stage=00000.parquet") && says.contains("match/stage=00000.parquet"), "{says}");
}
