//! `/metrics` and `/health`: well-formed, true, and not open to other machines by accident.

use std::{
    collections::{BTreeMap, HashMap},
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use crate::common::{
    self,
    experiments::{GRID, GRID_TRIALS},
    files::{place, secret, write},
    http::get,
    process::{Process, worker},
    program::{redqueen, run, text},
    runs::{submit, wait_for_end},
    wait::wait,
};

/// A page of metrics, read by the rules of the text format 0.0.4.
struct Page {
    types: HashMap<String, String>,
    /// By name and labels as written.
    samples: BTreeMap<(String, String), f64>,
}

impl Page {
    #[track_caller]
    fn read(text: &str) -> Self {
        let (mut helps, mut page) = (HashMap::new(), Page { types: HashMap::new(), samples: BTreeMap::new() });
        assert!(text.ends_with('\n'), "the last line ends too");
        for line in text.lines() {
            if let Some(help) = line.strip_prefix("# HELP ") {
                let (name, words) = help.split_once(' ').expect("a text");
                assert!(helps.insert(name.to_owned(), words.to_owned()).is_none(), "{name} is explained twice");
            } else if let Some(kind) = line.strip_prefix("# TYPE ") {
                let (name, kind) = kind.split_once(' ').expect("a type");
                assert!(matches!(kind, "counter" | "gauge" | "histogram"), "{line}");
                assert!(helps.contains_key(name), "{name} is not explained");
                assert!(page.types.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} has two types");
            } else if !line.starts_with('#') {
                page.sample(line);
            }
        }
        page
    }

    fn sample(&mut self, line: &str) {
        let (series, value) = line.rsplit_once(' ').expect("a value");
        let (name, labels) = series.split_once('{').map_or((series, ""), |(n, l)| (n, l.trim_end_matches('}')));
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        assert!(name.starts_with("redqueen_") && name.chars().all(plain), "{line}");
        let value: f64 = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
        let stem = ["_bucket", "_count", "_sum"].iter().find_map(|end| name.strip_suffix(end));
        let histogram = stem.filter(|stem| self.types.get(*stem).is_some_and(|kind| kind == "histogram"));
        let kind = self.types.get(histogram.unwrap_or(name)).unwrap_or_else(|| panic!("no type: {line}"));
        assert_eq!(kind == "counter", name.ends_with("_total"), "{line}");
        assert!(self.samples.insert((name.to_owned(), labels.to_owned()), value).is_none(), "twice: {line}");
    }

    /// The sum over all series of a name whose labels contain these words.
    fn sum(&self, name: &str, labels: &[&str]) -> Option<f64> {
        let matching =
            self.samples.iter().filter(|((n, l), _)| n == name && labels.iter().all(|word| l.contains(word)));
        let values: Vec<f64> = matching.map(|(_, value)| *value).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    }
}

#[test]
fn a_run_is_seen_from_outside() {
    let place = place();
    let file = write(&place, "grid.toml", GRID);
    let child = redqueen()
        .args(["coordinator", "--data", text(&place.path().join("data")), "--listen", "127.0.0.1:0"])
        .args(["--heartbeat-secs", "1", "--http", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the coordinator starts");
    let mut server = Process(child);
    let mut lines = BufReader::new(server.0.stdout.take().expect("piped")).lines();
    let mut line = |start: &str| {
        let line = lines.next().expect("a line").expect("UTF-8");
        line.strip_prefix(start).unwrap_or_else(|| panic!("{line}")).to_owned()
    };
    let url = line("listening on ");
    let page_url = line("metrics at http://");
    let address = page_url.strip_suffix("/metrics").expect("a path");

    let (head, body) = get(address, "/health");
    assert!(head.starts_with("http/1.1 200 "), "{head}");
    assert_eq!(body, "ok\n");
    assert!(get(address, "/else").0.starts_with("http/1.1 404 "));

    let (run, directory) = submit(&file, &url);
    let process = worker(&url, "worker", 1, &[]);
    let page = || {
        let (head, body) = get(address, "/metrics");
        assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
        Page::read(&body)
    };
    let labels = [format!("run=\"{run}\""), "name=\"test-grid\"".to_owned()];
    let part = |page: &Page, part: &str| {
        page.sum("redqueen_run_trials", &[&labels[0], &labels[1], &format!("part=\"{part}\"")]).expect("a run")
    };
    wait("a session", || (page().sum("redqueen_sessions", &[]) == Some(1.0)).then_some(()));
    assert_eq!(page().sum("redqueen_threads", &[]), Some(1.0));
    assert_eq!(wait_for_end(&run, &url), "finished");
    let now = page();
    assert_eq!(part(&now, "stored"), GRID_TRIALS as f64);
    for none in ["leased", "waiting", "quarantined"] {
        assert_eq!(part(&now, none), 0.0, "{none}");
    }
    assert_eq!(now.sum("redqueen_runs", &["state=\"finished\""]), Some(1.0));
    let size = std::fs::metadata(directory.join("redqueen.sqlite")).expect("a database").len();
    assert!(now.sum("redqueen_run_database_bytes", &[&labels[0]]).expect("a size") >= size as f64);
    for (name, kind) in [
        ("redqueen_trials_stored_total", "counter"),
        ("redqueen_commit_seconds", "histogram"),
        ("redqueen_commit_rows", "histogram"),
        ("redqueen_outbox_rows", "gauge"),
        ("redqueen_leases_open", "gauge"),
        ("redqueen_trials_lost_total", "counter"),
        ("redqueen_copies_issued_total", "counter"),
        ("redqueen_trial_failures_total", "counter"),
        ("redqueen_alarms_total", "counter"),
        ("redqueen_run_results_per_second", "gauge"),
        ("redqueen_run_stage", "gauge"),
    ] {
        assert_eq!(now.types.get(name).map(String::as_str), Some(kind), "{name}");
    }
    drop(process);
    wait("the session to end", || (page().sum("redqueen_sessions", &[]) == Some(0.0)).then_some(()));
    assert_eq!(page().sum("redqueen_threads", &[]), Some(0.0));
}

#[test]
fn whoever_is_turned_away_is_counted() {
    let place = place();
    let token = secret(&place, "token", "0123456789abcdef0123");
    let wrong = secret(&place, "wrong", "fedcba9876543210fedc");
    let http = format!("127.0.0.1:{}", common::process::free_port());
    let extra = ["--token-file", text(&token), "--http", &http];
    let (_server, url) = common::process::coordinator(&place.path().join("data"), 0, &extra);
    let list = |token: &std::path::Path| run(&["list", "--coordinator", &url, "--token-file", text(token)]).status;
    assert!(!list(&wrong).success());
    assert!(list(&token).success());
    let (_, body) = get(&http, "/metrics");
    assert_eq!(Page::read(&body).sum("redqueen_refused_total", &["reason=\"token\""]), Some(1.0));
    assert!(!body.contains("0123456789abcdef0123"));
}

#[test]
fn open_to_other_machines_only_if_told() {
    let place = place();
    let data = place.path().join("data");
    let output = run(&["coordinator", "--data", text(&data), "--listen", "127.0.0.1:0", "--http", "0.0.0.0:0"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("--http-public"));
    let output = run(&["coordinator", "--data", text(&data), "--http-public"]);
    assert_eq!(output.status.code(), Some(2));
}
