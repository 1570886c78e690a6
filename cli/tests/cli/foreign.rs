//! A finished run that may only be read: another account's, or on a disk that is mounted read-only. Commands show it,
//! and nothing in its directory changes.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::{fs::PermissionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

use crate::common::{
    experiments::{EVOLUTION, GRID},
    files::{place, write},
    program::{redqueen, succeed, text},
};

/// An account without rights, where the test runs as one with all of them.
const NOBODY: u32 = 65_534;

/// Every file under a directory and its content.
fn files(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(directory).expect("listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.insert(path.clone(), Vec::new());
            found.extend(files(&path));
        } else {
            found.insert(path.clone(), fs::read(&path).expect("read"));
        }
    }
    found
}

/// Sets the rights of a directory and all it holds.
fn protect(directory: &Path, directories: u32, plain: u32) {
    for entry in fs::read_dir(directory).expect("listed").flatten() {
        let path = entry.path();
        if path.is_dir() {
            protect(&path, directories, plain);
        } else {
            fs::set_permissions(&path, fs::Permissions::from_mode(plain)).expect("set");
        }
    }
    fs::set_permissions(directory, fs::Permissions::from_mode(directories)).expect("set");
}

/// A run that was made without tables, in a directory that nothing may be written to.
struct Foreign {
    place: TempDir,
    run: PathBuf,
    before: BTreeMap<PathBuf, Vec<u8>>,
    root: bool,
}

impl Foreign {
    fn new(experiment: &str) -> Self {
        let place = place();
        let file = write(&place, "experiment.toml", experiment);
        let run = place.path().join("run");
        succeed(&["run", text(&file), "--no-tables", "--out", text(&run)]);
        protect(&run, 0o555, 0o444);
        fs::set_permissions(place.path(), fs::Permissions::from_mode(0o777)).expect("set");
        let before = files(&run);
        Foreign { root: rustix::process::getuid().is_root(), place, run, before }
    }

    /// Runs a command as an account that may not write the run, in a directory that it may write.
    fn ask(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(redqueen().get_program());
        command.args(arguments).current_dir(self.place.path());
        if self.root {
            command.uid(NOBODY).gid(NOBODY);
        }
        command.output().expect("the program starts")
    }

    /// Runs a command that must succeed; gives its stdout and stderr.
    #[track_caller]
    fn get(&self, arguments: &[&str]) -> (String, String) {
        let output = self.ask(arguments);
        let (told, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
        assert_eq!(files(&self.run), self.before, "{arguments:?} changed the run");
        (told.into_owned(), said.into_owned())
    }
}

impl Drop for Foreign {
    fn drop(&mut self) {
        protect(&self.run, 0o755, 0o644);
    }
}

#[test]
fn a_run_that_may_only_be_read_is_analysed_compared_and_copied() {
    let foreign = Foreign::new(&GRID.replace("= 200", "= 10").replace("c = \"random\"", "o = \"random\""));
    let run = text(&foreign.run);
    for command in [&["status"][..], &["events"], &["digest"], &["replay"]] {
        let more = if command[0] == "replay" { &["0", "1"][..] } else { &[] };
        foreign.get(&[command, &[run], more].concat());
    }
    let (tables, _) = foreign.get(&["analyze", run, "--out", "tables-of-mine"]);
    assert!(tables.contains("test-grid: reversi by pair"));
    assert!(foreign.place.path().join("tables-of-mine/tables/pairs.csv").exists());
    foreign.get(&["export", run, "--out", "copy"]);
    assert!(foreign.place.path().join("copy/results/match/stage=00000.parquet").exists());
    // Nothing can be written beside the run: the tables are printed all the same, with a hint.
    let (shown, said) = foreign.get(&["analyze", run, "--no-figures"]);
    assert_eq!(shown, tables);
    assert!(said.contains("warning: nothing was written beside the run") && said.contains("--out DIR"), "{said}");
    // Who names a place that cannot be written has an error.
    let refused = foreign.ask(&["analyze", run, "--out", run]);
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
    assert_eq!(files(&foreign.run), foreign.before);
}

#[test]
fn an_evolution_that_may_only_be_read_has_its_champion_and_its_comparison() {
    let small = EVOLUTION.replace("generations = 14", "generations = 3").replace("every = 4", "every = 2");
    let foreign = Foreign::new(&small.replace("seed = 5", "seed = 5\npaper = \"evomcts/table-6\""));
    let run = text(&foreign.run);
    let (shown, said) = foreign.get(&["champion", run]);
    assert!(shown.contains("champion of test-evolution") && said.contains("--out FILE"), "{shown}{said}");
    foreign.get(&["champion", run, "--out", "mine.toml"]);
    assert!(foreign.place.path().join("mine.toml").exists());
    let (shown, said) = foreign.get(&["compare", run]);
    assert!(!shown.is_empty() && said.contains("--out DIR"), "{shown}{said}");
    foreign.get(&["compare", run, "--out", "compared"]);
    assert!(foreign.place.path().join("compared/tables").is_dir());
}

/// What names another place leaves the run as it is even where it might be written.
#[test]
fn tables_elsewhere_leave_the_run_as_it_is() {
    let place = place();
    let file = write(&place, "experiment.toml", &GRID.replace("= 200", "= 10"));
    let run = place.path().join("run");
    succeed(&["run", text(&file), "--no-tables", "--out", text(&run)]);
    let before = files(&run);
    succeed(&["analyze", text(&run), "--out", text(&place.path().join("tables"))]);
    succeed(&["export", text(&run), "--out", text(&place.path().join("copy"))]);
    assert_eq!(files(&run), before);
    assert!(place.path().join("tables/tables/pairs.csv").exists());
}
