//! Access to a coordinator: on loopback, too, only the account that started it may command it.

use std::{
    fs,
    net::{Shutdown, TcpListener, TcpStream},
    os::unix::{
        fs::{MetadataExt as _, symlink},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

use crate::common::{
    files::{place, secret, set_mode, write},
    process::{Process, coordinator, coordinator_by, free_port, worker},
    program::{ANNOUNCED, redqueen, run, succeed, text},
    runs::{status, submit, wait_for_end},
    wait::wait,
};

const TRIALS: &str = "format = 1\nname = \"few\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 50\n";
/// Goes on for as long as the test looks at it.
const ENDLESS: &str =
    "format = 1\nname = \"long\"\nkind = \"synthetic\"\n[synthetic]\ntrials = 100000\nsleep-us = 1000000\n";
const SECRET: &str = "a-secret-of-enough-length";

/// An account that is neither the test's nor root.
const OTHER: u32 = 65_534;

/// Another account of the machine, which only root can act as.
struct Other {
    program: PathBuf,
}

impl Other {
    /// None where the test may not act as another; it looks at modes of files then.
    fn of(place: &TempDir) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        // The other account may look into neither the test's place nor its build.
        set_mode(place.path(), 0o755);
        let (built, program) = (env!("CARGO_BIN_EXE_redqueen"), place.path().join("redqueen"));
        fs::hard_link(built, &program).or_else(|_| fs::copy(built, &program).map(drop)).expect("copied");
        set_mode(&program, 0o755);
        Some(Other { program })
    }

    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.uid(OTHER).gid(OTHER).current_dir("/").env_clear();
        command
    }

    fn redqueen(&self, arguments: &[&str]) -> Output {
        self.command(&self.program).args(arguments).output().expect("it starts")
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Exit code and stderr of a command without a token.
fn refused(arguments: &[&str], words: &[&str]) {
    let output = run(arguments);
    let stderr = said(&output);
    assert_eq!(output.status.code(), Some(2), "redqueen {arguments:?}\n{stderr}");
    for word in words {
        assert!(stderr.contains(word), "`{word}` is not said by redqueen {arguments:?}:\n{stderr}");
    }
}

#[test]
fn another_account_of_the_machine_is_obeyed_in_nothing() {
    let place = place();
    let data = place.path().join("data");
    let (_server, url) = coordinator(&data, 0, &[]);
    let (id, _) = submit(&write(&place, "few.toml", TRIALS), &url);
    let token = data.join("redqueen.token");
    let found = fs::metadata(&token).expect("a token");
    assert_eq!((found.mode() & 0o7777, found.uid()), (0o600, rustix::process::geteuid().as_raw()));
    let announced = Path::new(ANNOUNCED).join("redqueen/coordinators");
    assert_eq!(fs::metadata(&announced).expect("a directory").mode() & 0o7777, 0o700);
    let Some(other) = Other::of(&place) else { return };
    let file = write(&place, "other.toml", &TRIALS.replace("few", "other"));
    for arguments in [
        &["list"][..],
        &["status", &id],
        &["watch", &id],
        &["events", &id],
        &["export", &id, "--out", "/tmp/none"],
        &["submit", text(&file)],
        &["pause", &id],
        &["resume", &id],
        &["cancel", &id],
        &["worker", "--threads", "1"],
    ] {
        let output = other.redqueen(&[arguments, &["--coordinator", &url]].concat());
        let stderr = said(&output);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {stderr}");
        assert!(stderr.contains("token") && output.stdout.is_empty(), "{arguments:?}: {stderr}");
    }
    let output = other.redqueen(&["list", "--coordinator", &url, "--token-file", text(&token)]);
    assert!(said(&output).contains("Permission denied"), "{}", said(&output));
    let stolen = other.command(Path::new("cat")).arg(&token).output().expect("cat runs");
    assert!(!stolen.status.success() && stolen.stdout.is_empty());
    // The account itself is obeyed, without a word about tokens, and nothing has happened meanwhile.
    let now = status(&id, &url);
    assert_eq!((&now["state"], &now["stored"], &now["workers"]), (&"running".into(), &0.into(), &0.into()));
    let _worker = worker(&url, "own", 1, &[]);
    assert_eq!(wait_for_end(&id, &url), "finished");
}

#[test]
fn a_stranger_on_the_port_of_a_dead_coordinator_gets_no_token() {
    let place = place();
    let data = place.path().join("data");
    let (mut server, url) = coordinator(&data, 0, &[]);
    server.kill();
    let port = url.rsplit(':').next().expect("a port").parse().expect("a number");
    let Some(other) = Other::of(&place) else {
        // Whose a socket is, is tried on lines as the system writes them (`cargo test -p coordinator --lib`).
        return;
    };
    let theirs = place.path().join("theirs");
    fs::create_dir(&theirs).expect("made");
    set_mode(&theirs, 0o777);
    let stranger = other.command(&other.program);
    let (_stranger, same) = coordinator_by(stranger, &theirs, port, &["--no-token"], Stdio::null());
    assert_eq!(same, url);
    for arguments in [&["list", "--coordinator", &url][..], &["worker", "--coordinator", &url, "--patience-secs", "0"]]
    {
        refused(arguments, &["another account", "uid 65534"]);
    }
    // Who names a token means that coordinator, and one who has none to lose is let in.
    let named = secret(&place, "named", SECRET);
    succeed(&["list", "--coordinator", &url, "--token-file", text(&named)]);
    fs::remove_file(data.join("redqueen.token")).expect("removed");
    succeed(&["list", "--coordinator", &url]);
}

#[test]
fn a_token_is_made_once_and_found_by_those_who_start_it() {
    let place = place();
    let (data, port) = (place.path().join("data"), free_port());
    let url = format!("http://127.0.0.1:{port}");
    // A worker that is there before its coordinator, as scripts start them.
    let _early = worker(&url, "early", 1, &["--patience-secs", "60"]);
    let (mut server, _) = coordinator(&data, port, &[]);
    let token = fs::read_to_string(data.join("redqueen.token")).expect("a token");
    assert!(token.trim_end().len() >= 32 && token.trim_end().bytes().all(|b| b.is_ascii_hexdigit()), "{token}");
    let (id, _) = submit(&write(&place, "few.toml", TRIALS), &url);
    assert_eq!(wait_for_end(&id, &url), "finished");
    succeed(&["list", "--coordinator", &format!("http://localhost:{port}/")]);
    let entries = || {
        let entries = fs::read_dir(Path::new(ANNOUNCED).join("redqueen/coordinators")).expect("read");
        entries.flatten().filter(|e| e.file_name().to_string_lossy().ends_with(&format!(":{port}"))).count()
    };
    assert_eq!(entries(), 1);
    // Killed, it comes back with the same token, which its worker has.
    server.kill();
    let (mut server, _) = coordinator(&data, port, &[]);
    assert_eq!(fs::read_to_string(data.join("redqueen.token")).expect("a token"), token);
    wait("the worker", || (status(&id, &url)["workers"] == 1).then_some(()));
    server.signal("TERM");
    assert_eq!(server.end(), Some(0));
    assert_eq!(entries(), 0, "it is announced no longer than it is there");
    // Without the directories of an account there is nothing to find, and a name is needed.
    let mut bare = redqueen();
    for name in ["XDG_RUNTIME_DIR", "XDG_CACHE_HOME"] {
        bare.env_remove(name);
    }
    bare.env("HOME", "/nonexistent");
    let (_server, url) = coordinator_by(bare, &data, 0, &[], Stdio::null());
    refused(&["list", "--coordinator", &url], &["token", "redqueen.token"]);
    succeed(&["list", "--coordinator", &url, "--token-file", text(&data.join("redqueen.token"))]);
}

#[test]
fn a_token_that_others_can_read_is_refused_on_both_sides() {
    let place = place();
    let named = secret(&place, "token", SECRET);
    let link = place.path().join("link");
    symlink(&named, &link).expect("linked");
    let data = place.path().join("data");
    let unused = format!("http://127.0.0.1:{}", free_port());
    for mode in [0o640, 0o604, 0o644, 0o660, 0o620, 0o666] {
        set_mode(&named, mode);
        for file in [&named, &link] {
            let file = text(file);
            let words = [&format!("{mode:04o}"), "chmod 600", file];
            refused(&["coordinator", "--data", text(&data), "--listen", "127.0.0.1:0", "--token-file", file], &words);
            refused(&["list", "--coordinator", &unused, "--token-file", file], &words);
            refused(&["worker", "--coordinator", &unused, "--token-file", file], &words);
        }
    }
    for mode in [0o600, 0o400, 0o700] {
        set_mode(&named, mode);
        let (_server, url) = coordinator(&data, 0, &["--token-file", text(&link)]);
        succeed(&["list", "--coordinator", &url, "--token-file", text(&link)]);
        // A named token is not announced.
        refused(&["list", "--coordinator", &url], &["token"]);
    }
    assert!(!data.join("redqueen.token").exists());
}

/// Many machines and jobs may hold the workers' token: it does not allow them to submit, read or stop a run.
#[test]
fn the_workers_token_lets_workers_work_and_nothing_else() {
    let place = place();
    let few = write(&place, "few.toml", TRIALS);
    let named = secret(&place, "workers", "a-secret-of-workers");
    for (made, options) in [(true, vec![]), (false, vec!["--worker-token-file", text(&named)])] {
        let data = place.path().join(format!("data-{made}"));
        let (_server, url) = coordinator(&data, 0, &options);
        let workers = if made { data.join("redqueen.worker.token") } else { named.clone() };
        assert_eq!(fs::metadata(&workers).expect("a file").mode() & 0o777, 0o600);
        let (id, _) = submit(&few, &url);
        let commands = [
            &["list"][..],
            &["submit", text(&few)],
            &["status", &id],
            &["watch", &id],
            &["events", &id],
            &["pause", &id],
            &["resume", &id],
            &["cancel", &id],
        ];
        let access = ["--coordinator", &url, "--token-file", text(&workers)];
        for command in commands {
            refused(&[command, &access].concat(), &["workers' token", "--token-file", "redqueen.token"]);
        }
        let _worker = worker(&url, "one", 1, &["--token-file", text(&workers)]);
        assert_eq!(wait_for_end(&id, &url), "finished");
    }
    let (full, data) = (secret(&place, "token", SECRET), place.path().join("other"));
    let start = ["coordinator", "--data", text(&data), "--listen", "127.0.0.1:0"];
    let same = ["--token-file", text(&full), "--worker-token-file", text(&full)];
    refused(&[&start[..], &same].concat(), &["is the coordinator's own", "--worker-token-file"]);
    refused(&[&start[..], &["--no-token", "--worker-token-file", text(&named)]].concat(), &["--no-token"]);
    set_mode(&named, 0o640);
    refused(&[&start[..], &["--worker-token-file", text(&named)]].concat(), &["0640", "chmod 600"]);
}

#[test]
fn a_made_token_must_still_be_what_was_made() {
    let place = place();
    let data = place.path().join("data");
    let token = data.join("redqueen.token");
    let (_server, url) = coordinator(&data, 0, &[]);
    let again = ["coordinator", "--data", text(&data), "--listen", "127.0.0.1:0"];
    set_mode(&token, 0o644);
    refused(&["list", "--coordinator", &url], &["0644", "chmod 600"]);
    refused(&["worker", "--coordinator", &url], &["0644", "chmod 600"]);
    refused(&again, &["0644", "chmod 600"]);
    set_mode(&token, 0o600);
    succeed(&["list", "--coordinator", &url]);
    // A link, a pipe, or an empty file in its place is not followed, waited for, or taken.
    let elsewhere = secret(&place, "elsewhere", SECRET);
    fs::remove_file(&token).expect("removed");
    symlink(&elsewhere, &token).expect("linked");
    refused(&again, &["the token cannot be used", "cannot read"]);
    fs::remove_file(&token).expect("removed");
    assert!(Command::new("mkfifo").args(["-m", "600"]).arg(&token).status().expect("mkfifo runs").success());
    refused(&again, &["not a file of this account"]);
    // Another coordinator that starts meanwhile may have put the way to it away.
    refused(&["list", "--coordinator", &url], &["token"]);
    fs::remove_file(&token).expect("removed");
    fs::write(&token, "").expect("written");
    set_mode(&token, 0o600);
    refused(&again, &["16 to"]);
}

#[test]
fn no_token_is_wanted_only_where_that_was_said() {
    let place = place();
    let data = place.path().join("data");
    let token = secret(&place, "token", SECRET);
    // Killed, so that its announcement stays; the next one at its address takes that away.
    let (mut server, url) = coordinator(&data, 0, &[]);
    server.kill();
    let port = url.rsplit(':').next().expect("a port").parse().expect("a number");
    let open = place.path().join("open");
    let (_server, _) = coordinator(&open, port, &["--no-token"]);
    assert!(!open.join("redqueen.token").exists());
    succeed(&["list", "--coordinator", &url]);
    succeed(&["list", "--coordinator", &url, "--token-file", text(&token)]);
    if let Some(other) = Other::of(&place) {
        let output = other.redqueen(&["list", "--coordinator", &url]);
        assert!(output.status.success(), "{}", said(&output));
    }
    for listen in ["0.0.0.0:0", "[::]:0"] {
        refused(
            &["coordinator", "--data", text(&open), "--listen", listen, "--no-token"],
            &["other machines", "token"],
        );
    }
    let both = ["--no-token", "--token-file", text(&token)];
    refused(&[&["coordinator", "--data", text(&open), "--listen", "127.0.0.1:0"], &both[..]].concat(), &["--no-token"]);
}

/// Passes connections on to a coordinator, as SSH does.
fn relay(url: &str) -> String {
    let to = url.trim_start_matches("http://").to_owned();
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("bound");
    std::thread::spawn(move || {
        for from in listener.incoming().flatten() {
            let Ok(to) = TcpStream::connect(&to) else { continue };
            for (mut from, mut to) in [(from.try_clone(), to.try_clone()), (Ok(to), Ok(from))]
                .into_iter()
                .filter_map(|(from, to)| Some((from.ok()?, to.ok()?)))
            {
                std::thread::spawn(move || {
                    let _ = std::io::copy(&mut from, &mut to);
                    let _ = to.shutdown(Shutdown::Both);
                });
            }
        }
    });
    format!("http://{address}")
}

#[cfg(target_os = "linux")]
#[test]
fn a_coordinator_behind_a_relay_of_the_same_account_gets_its_own_token() {
    let place = place();
    // Two, so that it must be told which token is wanted.
    let coordinators = ["one", "two"].map(|name| coordinator(&place.path().join(name), 0, &[]));
    for (name, (_, url)) in ["first", "second"].iter().zip(&coordinators) {
        let there = relay(url);
        let file = write(&place, &format!("{name}.toml"), &TRIALS.replace("few", name));
        let (id, _) = submit(&file, &there);
        let _worker = worker(&there, "relayed", 1, &[]);
        assert_eq!(wait_for_end(&id, &there), "finished");
        assert_eq!(status(&id, url)["state"], "finished");
    }
    let named = secret(&place, "named", SECRET);
    let (_server, url) = coordinator(&place.path().join("three"), 0, &["--token-file", text(&named)]);
    refused(&["list", "--coordinator", &relay(&url)], &["token"]);
    let (_server, url) = coordinator(&place.path().join("four"), 0, &["--no-token"]);
    succeed(&["list", "--coordinator", &relay(&url)]);
}

/// Ports on which a process listens, from what the system says of its sockets.
#[cfg(target_os = "linux")]
fn ports(process: &Process) -> Vec<u16> {
    let pid = process.0.id();
    let files = fs::read_dir(format!("/proc/{pid}/fd")).expect("alive").flatten();
    let sockets: Vec<String> = files
        .filter_map(|file| fs::read_link(file.path()).ok()?.to_str().map(str::to_owned))
        .filter_map(|name| Some(name.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let table = fs::read_to_string(format!("/proc/{pid}/net/tcp")).expect("alive");
    let port = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let listens = fields[3] == "0A" && sockets.iter().any(|inode| inode == fields[9]);
        listens.then(|| u16::from_str_radix(fields[1].rsplit(':').next().expect("a port"), 16).expect("a number"))
    };
    table.lines().skip(1).filter_map(port).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_in_one_process_is_as_closed() {
    let place = place();
    let child = redqueen()
        .args(["run", text(&write(&place, "long.toml", ENDLESS)), "--no-tables", "--threads", "1"])
        .arg("--out")
        .arg(place.path().join("out"))
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let process = Process(child);
    let port = wait("a port", || ports(&process).first().copied());
    let url = format!("http://127.0.0.1:{port}");
    // Its token is in its memory alone, so not even the same account gets in.
    refused(&["list", "--coordinator", &url], &["token"]);
    refused(&["worker", "--coordinator", &url], &["token"]);
    assert!(!place.path().join("out/redqueen.token").exists());
}
