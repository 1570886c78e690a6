//! The commands of README.md and docs/guide.md, with smaller sizes, and the output that README.md shows.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Stdio},
};

use tempfile::TempDir;

use crate::common::{
    experiments::GRID,
    files::{place, secret, write},
    process::Process,
    program::redqueen,
};

/// What makes the experiments of the guide small: a part of a command, and what a test has in its place.
const SMALLER: [(&str, &str); 11] = [
    ("evomcts/table-5.toml --scale 0.1", "evomcts/table-5.toml --scale 0.0005"),
    ("quickstart.toml", "quickstart.toml --scale 0.02"),
    ("benchmark.toml", "benchmark.toml --scale 0.1"),
    (
        "dodgem-small.toml",
        "dodgem-small.toml --set coevolution.generations=2 --set coevolution.population=8 --scale 0.02",
    ),
    ("fop.toml --scale 0.1", "fop.toml --scale 0.01"),
    ("learning/dodgem.toml", "learning/dodgem.toml --set learning.rounds=1 --scale 0.02"),
    ("view runs", "view runs --http 127.0.0.1:0"),
    ("--http 127.0.0.1:7879", "--http 127.0.0.1:0"),
    ("~/.local/share/man", "man"),
    ("completions fish | source", "completions fish"),
    ("tuning-dodgem.toml", "tuning-dodgem.toml --set tuning.generations=2 --scale 0.02"),
];

/// Budgets of the catalogue that are a hundredth in the copy of a test.
const BUDGETS: [u32; 4] = [5_000, 10_000, 15_000, 20_000];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace")
}

/// Copies a folder of experiments, with smaller budgets.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("made");
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (path, copied) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &copied);
            continue;
        }
        // Networks stand beside experiments.
        if path.extension().is_some_and(|end| end == "safetensors") {
            fs::copy(&path, &copied).expect("copied");
            continue;
        }
        let text = fs::read_to_string(&path).expect("UTF-8");
        let smaller = |text: String, budget: &u32| {
            text.replace(&format!("playouts={budget},"), &format!("playouts={},", budget / 100))
                .replace(&format!("playouts={budget}\""), &format!("playouts={}\"", budget / 100))
        };
        fs::write(&copied, BUDGETS.iter().fold(text, smaller)).expect("written");
    }
}

/// The blocks between fences of a page of the repository.
fn blocks(page: &str) -> Vec<String> {
    let text = fs::read_to_string(root().join(page)).expect("UTF-8");
    text.split("\n```\n").skip(1).step_by(2).map(str::to_owned).collect()
}

/// Commands of the program in a block, without comments.
fn commands(block: &str) -> Vec<String> {
    let lines = block.lines().filter_map(|line| line.strip_prefix("redqueen "));
    lines.map(|line| line.split('#').next().expect("a part").trim().to_owned()).collect()
}

/// Runs a command in the test's place, and gives what it prints.
#[track_caller]
fn succeed(place: &TempDir, program: &mut Command, line: &str) -> String {
    let output = program.current_dir(place.path()).args(line.split_whitespace()).output().expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "redqueen {line}: {:?}\n{said}", output.status);
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn every_command_of_the_guide_works() {
    let place = place();
    copy(&root().join("experiments/catalogue"), &place.path().join("experiments/catalogue"));
    fs::copy(root().join("analysis/tests/samples/scores.csv"), place.path().join("scores.csv")).expect("copied");
    let lines: Vec<String> = blocks("docs/guide.md").iter().flat_map(|block| commands(block)).collect();
    assert!(lines.len() > 20, "{lines:?}");
    for line in lines {
        let mut line = SMALLER.iter().fold(line, |line, (whole, small)| line.replace(whole, small));
        // Pages are served until their process is ended.
        if line.starts_with("view") {
            let mut view = redqueen();
            let child = view.current_dir(place.path()).args(line.split_whitespace()).stdout(Stdio::piped()).spawn();
            let mut process = Process(child.expect("the program starts"));
            let mut first = String::new();
            BufReader::new(process.0.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
            assert!(first.starts_with("pages at http://127.0.0.1:"), "{first}");
            continue;
        }
        // Figures are drawn in other tests, and take long in a test build.
        match line.split_whitespace().next() {
            Some("run") => line.push_str(" --no-tables"),
            Some("analyze") => line.push_str(" --no-figures"),
            _ => {}
        }
        succeed(&place, &mut redqueen(), &line);
    }
}

#[test]
fn the_quickstart_prints_what_the_readme_shows() {
    let place = place();
    symlink(root().join("experiments"), place.path().join("experiments")).expect("linked");
    let blocks = blocks("README.md");
    let command = blocks[0].strip_prefix("cargo run --release -- ").expect("the quickstart first");
    let printed = succeed(&place, &mut redqueen(), command);
    let shown = blocks[1].lines().filter(|line| !line.is_empty() && *line != "…");
    let missing: Vec<&str> = shown.filter(|line| !printed.lines().any(|printed| printed == *line)).collect();
    assert!(missing.is_empty(), "not printed:\n{}\nbut:\n{printed}", missing.join("\n"));
}

#[test]
fn the_commands_of_the_readme_work_with_a_coordinator() {
    let place = place();
    secret(&place, "token", "0123456789abcdef0123456789abcdef");
    write(&place, "experiment.toml", GRID);
    let block =
        blocks("README.md").into_iter().find(|block| block.contains("redqueen coordinator")).expect("a cluster");
    let (mut url, mut run, mut running) = (String::new(), String::new(), Vec::new());
    for line in commands(&block) {
        let line = line.replace("0.0.0.0:7878", "127.0.0.1:0").replace("http://HOST:7878", &url).replace("RUN", &run);
        let spawn = |stdout| {
            let arguments = line.split_whitespace();
            let child =
                redqueen().current_dir(place.path()).args(arguments).stdout(stdout).stderr(Stdio::null()).spawn();
            Process(child.expect("the program starts"))
        };
        match line.split_whitespace().next().expect("a command") {
            "coordinator" => {
                let mut process = spawn(Stdio::piped());
                let mut first = String::new();
                BufReader::new(process.0.stdout.take().expect("piped")).read_line(&mut first).expect("a line");
                url = first.trim().strip_prefix("listening on ").expect("an address").to_owned();
                running.push(process);
            }
            "worker" => running.push(spawn(Stdio::null())),
            "submit" => {
                let submitted = succeed(&place, redqueen().arg("--json"), &line);
                let value: serde_json::Value = serde_json::from_str(&submitted).expect("JSON");
                run = value["run"].as_str().expect("an id").to_owned();
            }
            _ => drop(succeed(&place, &mut redqueen(), &line)),
        }
    }
    assert!(place.path().join("copy/tables/pairs.md").exists());
    assert_eq!(running.len(), 2);
}
