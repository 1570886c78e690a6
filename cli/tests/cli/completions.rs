//! Completions as a shell asks for them, and manual pages.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use crate::common::{
    experiments::GRID,
    files::{place, write},
    process::coordinator,
    program::{json, redqueen, succeed, text},
    runs::submit,
};

/// What bash offers for a line, in `directory`, without options where none is begun; bash keeps what stands before the
/// last `:` or `=`.
#[track_caller]
fn bash(directory: &Path, url: &str, line: &str) -> Vec<String> {
    let program = env!("CARGO_BIN_EXE_redqueen");
    let script = format!(
        "set -u; source <('{program}' completions bash); COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; _redqueen; \
         printf '%s\n' \"${{COMPREPLY[@]}}\""
    );
    // The settings of a test's commands, for a bash that calls the program.
    let ours = redqueen();
    let mut bash = Command::new("bash");
    ours.get_envs().for_each(|(key, value)| match value {
        Some(value) => drop(bash.env(key, value)),
        None => drop(bash.env_remove(key)),
    });
    let bash = bash.args(["--norc", "-c", &script]).env("REDQUEEN_COORDINATOR", url).current_dir(directory);
    let output = bash.stdin(Stdio::null()).output().expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{line}");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    let options = line.rsplit(' ').next().is_some_and(|word| word.starts_with('-'));
    printed.lines().filter(|word| !word.is_empty() && (options || !word.starts_with("--"))).map(str::to_owned).collect()
}

/// Where nothing answers.
const NOWHERE: &str = "http://127.0.0.1:1";

/// Names in a list that a command prints.
fn names(list: &serde_json::Value) -> Vec<&str> {
    list.as_array().expect("a list").iter().map(|entry| entry["name"].as_str().expect("a name")).collect()
}

#[test]
fn bash_is_offered_commands_games_players_and_their_parameters() {
    let place = place();
    let offered = |line: &str| bash(place.path(), NOWHERE, line);
    assert_eq!(offered("redqueen an"), ["analyze"]);
    assert!(!offered("redqueen ").contains(&"executor".to_owned()), "it is not for people");
    assert!(offered("redqueen run --thr").contains(&"--threads".to_owned()));
    assert_eq!(offered("redqueen perft "), names(&json(&["games"])["games"]));
    let (players, games) = (json(&["players"]), json(&["games"]));
    assert_eq!(offered("redqueen play dodgem --first "), names(&players["players"]));
    let mcts = players["players"].as_array().expect("a list").iter().find(|player| player["name"] == "mcts");
    let parameters: Vec<String> =
        names(&mcts.expect("a player")["params"]).into_iter().map(|name| format!("{name}=")).collect();
    assert_eq!(offered("redqueen play dodgem --first mcts:"), parameters);
    assert_eq!(offered("redqueen play dodgem --first mcts:playou"), ["playouts="]);
    let others: Vec<&String> = parameters.iter().filter(|parameter| *parameter != "playouts=").collect();
    assert_eq!(offered("redqueen play dodgem --first=mcts:playouts=9,").len(), others.len());
    assert_eq!(offered("redqueen play dodgem --first mcts:keep-tree="), ["true", "false"]);
    let dodgem = games["games"].as_array().expect("a list").iter().find(|game| game["name"] == "dodgem");
    assert!(names(&dodgem.expect("a game")["params"]).contains(&"size"));
    assert_eq!(offered("redqueen perft dodgem:si"), ["size="]);
    assert_eq!(offered("redqueen compare r --paper evomcts/table-11"), ["evomcts/table-11"]);
    assert_eq!(offered("redqueen run f --set match-grid.games"), ["match-grid.games-per-pair="]);
}

#[test]
fn bash_is_offered_runs() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let small = ["--set", "match-grid.games-per-pair=2", "--no-tables"];
    succeed(&[&["run", text(&file), "--out", text(&place.path().join("runs/mine"))][..], &small].concat());
    fs::create_dir(place.path().join("runs/no-run")).expect("made");
    assert_eq!(bash(place.path(), NOWHERE, "redqueen digest "), ["runs/mine"]);
    assert_eq!(bash(place.path(), NOWHERE, "redqueen analyze runs/m"), ["runs/mine"]);
    // Other directories where no run is meant.
    assert!(bash(place.path(), NOWHERE, "redqueen digest ru").contains(&"runs/mine".to_owned()));
    let data = place.path().join("data");
    let (_coordinator, url) = coordinator(&data, 0, &[]);
    let (run, _) = submit(&file, &url);
    assert_eq!(bash(place.path(), &url, "redqueen watch "), [&run[..8]]);
    assert_eq!(bash(place.path(), &url, &format!("redqueen pause {}", &run[..3])), [&run[..8]]);
    assert_eq!(bash(place.path(), &url, "redqueen status "), [&run[..8], "runs/mine"]);
}

/// zsh and fish call the program as their scripts say; what they make of the answer is clap_complete's business.
#[test]
fn zsh_and_fish_have_scripts_that_call_the_program() {
    for (shell, separator) in [("zsh", ":"), ("fish", "\t")] {
        let script = succeed(&["completions", shell]);
        assert!(script.contains("REDQUEEN_COMPLETE") && script.contains(env!("CARGO_BIN_EXE_redqueen")), "{script}");
        let mut asked = redqueen();
        asked.env("REDQUEEN_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", "4").env("_CLAP_IFS", "\n");
        let output = asked.args(["--", "redqueen", "play", "dodgem", "--first", "alpha"]).output().expect("it starts");
        let offered = String::from_utf8(output.stdout).expect("UTF-8");
        let first = offered.split(separator).next().expect("a part");
        assert!(first.starts_with("alpha"), "{shell}: {offered}");
    }
}

#[test]
fn every_command_has_a_manual_page_that_says_what_its_help_says() {
    let place = place();
    let pages = place.path().join("man/man1");
    let listed = succeed(&["man", text(&pages)]);
    let help = succeed(&["--help"]);
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let commands: Vec<&str> = commands
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 26 && commands.contains(&"completions"), "{commands:?}");
    assert_eq!(listed.lines().count(), commands.len() + 1);
    // The last heading and text of roff; hyphens are written `\-`.
    let read = |page: &str| fs::read_to_string(pages.join(page)).expect("a page").replace("\\-", "-");
    assert!(read("redqueen.1").contains("redqueen-analyze(1)"));
    for command in commands {
        let (page, help) = (read(&format!("redqueen-{command}.1")), succeed(&[command, "--help"]));
        assert!(page.contains(".TH") && page.contains(".SH DESCRIPTION"), "{page}");
        let words = help.split(|c: char| c.is_whitespace() || c == ',' || c == '[' || c == ']' || c == '`');
        for option in words.filter(|word| word.starts_with("--") && word.len() > 2) {
            let option = option.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-');
            assert!(page.contains(option), "{command}: {option}\n{page}");
        }
    }
}
