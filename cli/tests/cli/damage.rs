//! Damaged runs as a person meets them: a message that names the file, a documented exit code, never a panic; and a
//! coordinator that serves the others (docs/failures.md, rows 19 and 20).

use std::{
    fs::{self, OpenOptions},
    os::unix::fs::FileExt as _,
    path::{Path, PathBuf},
};

use crate::common::{
    files::{place, write},
    process::{coordinator, coordinator_by, worker},
    program::{redqueen, run, succeed, text},
    random::Draws,
    runs::{digest, submit, wait_for_end},
};

fn experiment(name: &str, trials: u64) -> String {
    format!("format = 1\nname = \"{name}\"\nkind = \"synthetic\"\n[synthetic]\ntrials = {trials}\n")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("read").flatten().filter(|entry| entry.path().is_file()) {
        fs::copy(entry.path(), to.join(entry.file_name())).expect("copied");
    }
}

/// Runs commands on a directory; every refusal must be short, name the file and have exit code 1 or 2.
#[track_caller]
fn ask(file: &Path, directory: &Path, case: &str) -> usize {
    let (file, directory) = (text(file), text(directory));
    let commands: [&[&str]; 6] = [
        &["status", directory],
        &["digest", directory],
        &["events", directory],
        &["analyze", directory],
        &["run", file, "--no-tables", "--threads", "1", "--out", directory],
        &["replay", directory, "0", "0"],
    ];
    let mut refusals = 0;
    for command in commands {
        let output = run(command);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(!stderr.contains("panicked"), "{case}: {command:?}\n{stderr}");
        match output.status.code() {
            Some(0) => {}
            Some(1 | 2) => {
                // Kind `synthetic` has no tables; that is no complaint about the file.
                let file_named = stderr.contains("redqueen.sqlite") || stderr.contains("resolved.toml");
                assert!(file_named || stderr.contains("have no tables"), "{case}: {command:?}\n{stderr}");
                assert!(!file_named || stderr.contains("hint: "), "{case}: {command:?}\n{stderr}");
                refusals += usize::from(file_named);
            }
            code => panic!("{case}: {command:?} ended with {code:?}\n{stderr}"),
        }
    }
    refusals
}

#[test]
fn every_command_refuses_damaged_files_by_name() {
    let place = place();
    let file = write(&place, "some.toml", &experiment("some", 4_000));
    let whole = place.path().join("whole");
    succeed(&["run", text(&file), "--no-tables", "--threads", "2", "--out", text(&whole)]);
    let length = fs::metadata(whole.join("redqueen.sqlite")).expect("there").len();
    let damaged = |case: &str, damage: &dyn Fn(&Path)| {
        let directory = place.path().join("damaged");
        let _ = fs::remove_dir_all(&directory);
        copy(&whole, &directory);
        damage(&directory);
        ask(&file, &directory, case)
    };
    for cut in [0, 100, 4_096, length / 2] {
        let refusals = damaged(&format!("cut to {cut}"), &|directory| {
            let file = OpenOptions::new().write(true).open(directory.join("redqueen.sqlite")).expect("opens");
            file.set_len(cut).expect("cut");
        });
        assert_eq!(refusals, 6, "cut to {cut}");
    }
    let gone = damaged("gone", &|directory| {
        fs::remove_file(directory.join("redqueen.sqlite")).expect("removed");
        fs::create_dir(directory.join("results")).expect("made");
    });
    assert_eq!(gone, 6);
    let resolved = damaged("resolved.toml cut", &|directory| {
        let text = fs::read(directory.join("resolved.toml")).expect("there");
        fs::write(directory.join("resolved.toml"), &text[..text.len() / 2]).expect("cut");
    });
    assert_eq!(resolved, 3, "what needs the experiment");
    let seed = std::process::id();
    println!("seed {seed}");
    let mut draws = Draws::new(seed);
    for case in 0..12 {
        let at = draws.below(length / 512) * 512;
        damaged(&format!("seed {seed}, case {case}: 2048 zeros at {at}"), &|directory| {
            let file = OpenOptions::new().write(true).open(directory.join("redqueen.sqlite")).expect("opens");
            file.write_all_at(&vec![0; 2_048.min((length - at) as usize)], at).expect("written");
        });
    }
}

#[test]
fn a_coordinator_leaves_a_damaged_run_alone_and_serves_the_others() {
    let place = place();
    let data = place.path().join("data");
    let files: Vec<PathBuf> =
        ["one", "two", "three"].map(|name| write(&place, &format!("{name}.toml"), &experiment(name, 2_000))).into();
    let (mut server, url) = coordinator(&data, 0, &[]);
    let directories: Vec<PathBuf> = files.iter().map(|file| submit(file, &url).1).collect();
    server.kill();
    let broken = directories[1].join("redqueen.sqlite");
    let before = b"no database any more";
    fs::write(&broken, before).expect("written");

    let log = place.path().join("log");
    let stderr = fs::File::create(&log).expect("made").into();
    let (_server, url) = coordinator_by(redqueen(), &data, 0, &[], stderr);
    let _worker = worker(&url, "w", 1, &[]);
    for (file, directory) in [(&files[0], &directories[0]), (&files[2], &directories[2])] {
        let (run, _) = submit(file, &url);
        assert_eq!(wait_for_end(&run, &url), "finished");
        digest(directory);
    }
    let output = run(&["submit", text(&files[1]), "--coordinator", &url]);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{stderr}");
    assert!(stderr.contains(text(&broken)), "{stderr}");
    assert_eq!(fs::read(&broken).expect("there"), before, "left as it was");
    let log = fs::read_to_string(&log).expect("a log");
    assert!(log.contains("run left alone") && log.contains(text(&broken)), "{log}");
}

/// A run of format 2 (see coordinator/tests/store/format.rs) goes on under this version, by the same command.
#[test]
fn a_run_of_an_older_version_goes_on() {
    let place = place();
    let old = Path::new(env!("CARGO_MANIFEST_DIR")).join("../coordinator/tests/data/format-2");
    let directory = place.path().join("old");
    copy(&old, &directory);
    succeed(&["status", text(&directory)]);
    succeed(&["run", text(&old.join("experiment.toml")), "--threads", "2", "--out", text(&directory)]);
    assert_eq!(digest(&directory), "43202fcb4f81cc66411b3ae692b4a266ef0633de687cad105fc42046d9482838");
    let events = succeed(&["events", text(&directory), "--kind", "migrated"]);
    assert!(events.contains("from 2, to 4"), "{events}");
    let other = rusqlite::Connection::open(directory.join("redqueen.sqlite")).expect("opens");
    other.pragma_update(None, "user_version", 99).expect("set");
    drop(other);
    for command in ["status", "digest", "events", "analyze"] {
        let output = run(&[command, text(&directory)]);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command}: {stderr}");
        assert!(stderr.contains("format 99; this redqueen reads formats 2 to 4"), "{command}: {stderr}");
    }
}
