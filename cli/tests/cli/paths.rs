//! Unusual paths and texts: bytes that are not UTF-8, names that mean something to SQLite, a shell or a terminal, files
//! in another encoding, directories that exist already.

use std::{
    ffi::{OsStr, OsString},
    fs,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use crate::common::{
    self,
    experiments::{EVOLUTION, GRID},
    files::{place, write},
    process::{Process, worker},
    program::{redqueen, run, succeed, text},
};

/// `latin` with an e acute as Latin-1 has it.
fn latin() -> OsString {
    OsString::from_vec(b"lat\xe9in".to_vec())
}

fn small() -> String {
    GRID.replace("= 200", "= 4")
}

/// Runs a command in a directory; gives its exit code, stdout and stderr.
fn ask(directory: &Path, arguments: &[&OsStr]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } =
        redqueen().args(arguments).current_dir(directory).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("what is printed is UTF-8");
    (status.code(), text(stdout), text(stderr))
}

/// The same of a command that must succeed.
#[track_caller]
fn get(directory: &Path, arguments: &[&OsStr]) -> String {
    let (code, stdout, stderr) = ask(directory, arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {stdout}{stderr}");
    stdout
}

#[test]
fn a_path_that_is_no_utf8_is_a_path_in_every_command() {
    let place = place();
    let home = place.path().join(latin());
    fs::create_dir(&home).expect("made");
    let file = home.join("grid.toml");
    fs::write(&file, small()).expect("written");
    let (name, out) = (latin(), home.join(latin()));
    let (file, run) = (file.as_os_str(), out.as_os_str());
    let word = OsStr::new;
    for json in [false, true] {
        let get = |arguments: &[&OsStr]| {
            let more = if json { &[word("--json")][..] } else { &[] };
            let told = get(&home, &[arguments, more].concat());
            assert!(!json || serde_json::from_str::<serde_json::Value>(&told).is_ok(), "{arguments:?}: {told}");
        };
        get(&[word("check"), file]);
        get(&[word("run"), file, word("--out"), run]);
        // A relative path of one name, and an absolute path.
        for run in [run, name.as_os_str()] {
            get(&[word("status"), run]);
            get(&[word("events"), run]);
            get(&[word("digest"), run]);
            get(&[word("replay"), run, word("0"), word("1")]);
            get(&[word("analyze"), run, word("--no-figures")]);
            get(&[word("analyze"), run, word("--no-figures"), word("--out"), &OsString::from_vec(b"t\xff".to_vec())]);
            get(&[word("compare"), run, word("--paper"), word("evomcts/table-5"), word("--out"), word("c")]);
        }
        let copy = OsString::from_vec(format!("copy-{json}-").into_bytes().into_iter().chain([0xfe]).collect());
        get(&[word("export"), run, word("--out"), &copy]);
    }
    let table = home.join(OsString::from_vec(b"scores\xe9.csv".to_vec()));
    fs::write(&table, "agent,score\na,1\na,3\na,4\nb,2\nb,6\nb,7\n").expect("written");
    get(&home, &[word("test"), table.as_os_str(), word("--value"), word("score"), word("--group"), word("agent")]);
}

/// A champion beside the file that names it, and one that an option names.
#[test]
fn a_champion_and_a_coordinator_in_such_a_directory() {
    let place = place();
    let home = place.path().join(latin());
    fs::create_dir(&home).expect("made");
    let file = write(&place, "evolution.toml", &EVOLUTION.replace("generations = 14", "generations = 2"));
    let (run, word) = (home.join("run"), OsStr::new);
    get(&home, &[word("run"), file.as_os_str(), word("--no-tables"), word("--out"), run.as_os_str()]);
    get(&home, &[word("champion"), run.as_os_str()]);
    let population = OsString::from_vec(b"population\xe9.json".to_vec());
    get(&home, &[word("champion"), run.as_os_str(), word("--json"), word("--population"), &population]);
    let grid = home.join("grid.toml");
    let champion = small().replace("c = \"random\"", "c = \"evomcts:champion=run/champion.toml,playouts=5\"");
    fs::write(&grid, champion).expect("written");
    get(place.path(), &[word("check"), grid.as_os_str()]);

    let (data, token) = (home.join("data"), home.join(OsString::from_vec(b"token\xe9".to_vec())));
    fs::write(&token, "a-secret-of-some-length").expect("written");
    fs::set_permissions(&token, std::os::unix::fs::PermissionsExt::from_mode(0o600)).expect("set");
    let mut server = redqueen();
    server.env("REDQUEEN_TOKEN_FILE", &token);
    let (_server, url) = common::process::coordinator_by(server, &data, 0, &[], Stdio::null());
    let at = |command: &[&OsStr]| -> Vec<OsString> {
        let more = [word("--coordinator"), word(&url), word("--token-file"), token.as_os_str(), word("--json")];
        command.iter().chain(&more).map(|word| (*word).to_owned()).collect()
    };
    let ask_boss = |command: &[&OsStr]| {
        let command = at(command);
        get(&home, &command.iter().map(OsString::as_os_str).collect::<Vec<_>>())
    };
    let told: serde_json::Value = serde_json::from_str(&ask_boss(&[word("submit"), file.as_os_str()])).expect("JSON");
    let id = told["run"].as_str().expect("an id");
    let mut process = redqueen();
    process.args(["worker", "--coordinator", &url, "--threads", "1", "--token-file"]).arg(&token);
    let _process = Process(process.stderr(Stdio::null()).spawn().expect("the worker starts"));
    ask_boss(&[word("watch"), word(id)]);
    ask_boss(&[word("export"), word(id), word("--out"), &OsString::from_vec(b"copy\xe9".to_vec())]);
}

/// Names that SQLite would take for a URI, and with it another file or none.
#[test]
fn a_directory_that_is_called_like_a_uri_is_a_directory() {
    let place = place();
    let file = write(&place, "grid.toml", &small());
    for name in ["file:x?mode=memory", "file:y", "file:///z%20?immutable=1", ":memory:"] {
        let (word, name) = (OsStr::new, OsStr::new(name));
        get(place.path(), &[word("run"), file.as_os_str(), word("--out"), name]);
        assert!(place.path().join(name).join("redqueen.sqlite").exists(), "{name:?}");
        let status = get(place.path(), &[word("status"), name, word("--json")]);
        let status: serde_json::Value = serde_json::from_str(&status).expect("JSON");
        assert_eq!((&status["state"], &status["stored"]), (&"finished".into(), &12.into()), "{name:?}");
        get(place.path(), &[word("run"), file.as_os_str(), word("--out"), name]);
        get(place.path(), &[word("export"), name, word("--out"), word("file:copy")]);
    }
    // Nothing beside them: `x` is what SQLite would have made.
    let mut names: Vec<PathBuf> =
        fs::read_dir(place.path()).expect("listed").flatten().map(|e| e.file_name().into()).collect();
    names.sort();
    assert_eq!(
        names.iter().map(|n| text(n)).collect::<Vec<_>>(),
        [":memory:", "file:", "file:copy", "file:x?mode=memory", "file:y", "grid.toml"]
    );
}

/// The command that runs a failed trial again is one for a shell.
#[test]
fn what_is_printed_to_be_copied_can_be_pasted() {
    let place = place();
    let file = write(
        &place,
        "fails.toml",
        "format = 1\nname = \"fails\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 3\nfails = [1]\n",
    );
    for name in ["my runs", "it's; exit 9 #", "$(exit 9)"] {
        let out = place.path().join(name);
        let output = run(&["run", text(&file), "--out", text(&out), "--threads", "1"]);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        for said in [told, succeed(&["status", text(&out)])] {
            let line = said.lines().find_map(|line| line.split_once("redqueen replay ")).expect("a command").1;
            let script = format!("{} replay {line}", text(Path::new(redqueen().get_program())));
            let replayed = Command::new("sh").args(["-c", &script]).output().expect("a shell");
            let error = String::from_utf8_lossy(&replayed.stderr);
            assert_eq!(replayed.status.code(), Some(1), "{script}: {error}");
            assert!(error.contains("the trial has no result"), "{script}: {error}");
        }
    }
}

/// (what stands at --out or in the file, what the error must say)
#[test]
fn a_hint_names_the_true_cause() {
    let place = place();
    let file = write(&place, "grid.toml", &small());
    let out = |name: &str| place.path().join(name);
    fs::create_dir(out("taken")).expect("made");
    fs::write(out("taken/thesis.doc"), "text").expect("written");
    fs::write(out("a-file"), "text").expect("written");
    for (name, said) in [("taken", "`thesis.doc`"), ("a-file", "is not a directory")] {
        let output = run(&["run", text(&file), "--out", text(&out(name))]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(said) && told.contains("choose another --out"), "{told}");
    }
    assert_eq!(fs::read(out("taken/thesis.doc")).expect("still there"), b"text");
    let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(small().encode_utf16().flat_map(u16::to_le_bytes)).collect();
    fs::write(out("utf16.toml"), utf16).expect("written");
    fs::write(out("latin1.toml"), [b"title = \"caf\xe9\"\n", small().as_bytes()].concat()).expect("written");
    fs::write(out("bom.toml"), [b"\xef\xbb\xbf", small().as_bytes()].concat()).expect("written");
    for (name, code, said) in
        [("utf16.toml", 2, "is UTF-16"), ("latin1.toml", 2, "line 1 has the byte 0xe9"), ("bom.toml", 0, "")]
    {
        let output = run(&["check", text(&out(name))]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(said) && !told.contains("catalogue"), "{told}");
    }
    for given in ["1e3", "1000.0", "1_000", "1e+3"] {
        let spec = format!("mcts:playouts={given}");
        let output = run(&["play", "reversi", "--first", &spec, "--second", "random"]);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains("write it as a whole number: `1000`"), "{given}: {told}");
        let table = write(
            &place,
            "table.toml",
            &small().replace("\"mcts:playouts=40\"", "{ name = \"mcts\", playouts = 1e3 }"),
        );
        let told = String::from_utf8_lossy(&run(&["check", text(&table)]).stderr).into_owned();
        assert!(told.contains("cannot be `1000.0`") && told.contains("`1000`"), "{told}");
    }
    for given in ["1.5", "1e99", "nan", "ten"] {
        let output = run(&["play", "reversi", "--first", &format!("mcts:playouts={given}"), "--second", "random"]);
        assert!(!String::from_utf8_lossy(&output.stderr).contains("write it as"), "{given}");
    }
}

#[test]
fn a_player_in_no_pair_is_warned_of() {
    let place = place();
    let listed = "pairing = \"listed\"\npairs = [[\"a\", \"b\"]]";
    let file = write(&place, "grid.toml", &small().replace("pairing = \"round-robin\"", listed));
    let gauntlet = "pairing = \"gauntlet\"\nchampions = [\"a\"]\nagainst = [\"b\"]";
    let other = write(&place, "gauntlet.toml", &small().replace("pairing = \"round-robin\"", gauntlet));
    let whole = write(&place, "whole.toml", &small());
    let out = place.path().join("run");
    for command in [&["check", text(&file)][..], &["check", text(&other)], &["run", text(&file), "--out", text(&out)]] {
        let output = run(command);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{told}");
        assert!(told.contains("warning: player `c` is in no pair"), "{told}");
    }
    assert_eq!(common::program::json(&["check", text(&file)])["warnings"].as_array().map(Vec::len), Some(1));
    assert_eq!(common::program::json(&["check", text(&whole)])["warnings"].as_array().map(Vec::len), Some(0));
}

/// Text of files, of the command line and of the wire: a terminal shows it and does not obey it.
#[test]
fn no_text_commands_a_terminal() {
    let place = place();
    let evil = "name = \"test-grid\"\ntitle = \"red \\u001b[31m \\u009b2J \\u0007 end\"";
    let file = write(&place, "grid.toml", &small().replace("name = \"test-grid\"", evil));
    let raw = small().replace("seed = 11", "seed = \"\u{1b}[31m\u{9b}\"").replace("c = ", "\"c\u{1b}]0;x\u{7}\" = ");
    let broken = write(&place, "broken.toml", &raw);
    let out = place.path().join("run");
    let data = place.path().join("data");
    let (_server, url) = common::process::coordinator(&data, 0, &[]);
    let _worker = worker(&url, "w", 1, &[]);
    let commands: [&[&str]; 7] = [
        &["check", text(&file)],
        &["check", text(&broken)],
        &["run", text(&file), "--out", text(&out)],
        &["status", text(&out)],
        &["no\u{1b}[31m"],
        &["play", "reversi", "--first", "no\u{1b}[31m", "--second", "random"],
        &["submit", text(&file), "--coordinator", &url],
    ];
    for command in commands {
        for json in [&[][..], &["--json"]] {
            let output = run(&[command, json].concat());
            let all = [output.stdout, output.stderr].concat();
            let text = String::from_utf8(all).expect("UTF-8");
            assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{command:?}: {text:?}");
        }
    }
    assert!(succeed(&["check", text(&file)]).contains("red \\u{1b}[31m \\u{9b}2J \\u{7} end"));
}
