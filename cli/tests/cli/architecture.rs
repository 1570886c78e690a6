//! The arrows between crates are those of ARCHITECTURE.md.

use std::{collections::BTreeMap, process::Command};

/// (crate, our crates it may depend on).
const ARROWS: [(&str, &[&str]); 14] = [
    ("analysis", &["record", "spec"]),
    ("coordinator", &["experiments", "record", "redqueen-wire"]),
    ("experiments", &["games", "gp", "nets", "players", "record", "spec"]),
    ("games", &["spec"]),
    ("gp", &[]),
    ("launch", &["redqueen-wire"]),
    ("nets", &[]),
    ("page", &["analysis", "coordinator", "experiments", "games", "gp", "players", "record", "spec"]),
    ("players", &["games", "gp", "nets", "spec"]),
    (
        "redqueen",
        &[
            "analysis",
            "coordinator",
            "experiments",
            "games",
            "launch",
            "nets",
            "page",
            "players",
            "record",
            "redqueen-wire",
            "spec",
            "worker",
        ],
    ),
    ("record", &[]),
    ("redqueen-wire", &[]),
    ("spec", &[]),
    ("worker", &["experiments", "record", "redqueen-wire"]),
];

/// Crates that may name polars.
const POLARS: &str = "analysis";

#[test]
fn dependencies_follow_the_arrows() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let names: Vec<&str> = packages.iter().map(|p| p["name"].as_str().expect("a name")).collect();
    let mut found: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in packages {
        let name = package["name"].as_str().expect("a name");
        // Tests of a crate may use what the crate may not.
        let normal = package["dependencies"].as_array().expect("dependencies").iter().filter(|d| d["kind"].is_null());
        let dependencies: Vec<&str> = normal.map(|d| d["name"].as_str().expect("a name")).collect();
        assert!(name == POLARS || !dependencies.iter().any(|d| d.starts_with("polars")), "{name} names polars");
        let mut ours: Vec<&str> = dependencies.into_iter().filter(|d| names.contains(d)).collect();
        ours.sort_unstable();
        found.insert(name, ours);
    }
    let wanted: BTreeMap<&str, Vec<&str>> = ARROWS.iter().map(|(name, to)| (*name, to.to_vec())).collect();
    assert_eq!(found, wanted);
}

/// Nothing is decided by the time of day: setting a clock moves no lease and no result.
#[test]
fn the_wall_clock_is_for_people() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let mut found = Vec::new();
    for (name, _) in ARROWS {
        let folder = match name {
            "redqueen" => root.join("cli/src"),
            "redqueen-wire" => root.join("src"),
            name => root.join(name).join("src"),
        };
        let mut folders = vec![folder];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("a folder of sources").flatten() {
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if std::fs::read_to_string(entry.path()).is_ok_and(|text| text.contains("SystemTime")) {
                    found.push(entry.path().strip_prefix(root).expect("inside").display().to_string());
                }
            }
        }
    }
    found.sort();
    // How long ago a launcher wrote; a clock that no protocol can write, which is refused; the end of a batch system's job, by
    // its clock; the dates of a certificate; texts of the database; lines of a launch's journal; when a list of hosts
    // was changed; and the stamp of a page.
    let known = [
        "cli/src/commands/launch/status.rs",
        "cli/src/connection.rs",
        "cli/src/place.rs",
        "cli/src/tls/made.rs",
        "coordinator/src/store/time.rs",
        "launch/src/driver.rs",
        "launch/src/profile/hosts.rs",
        "page/src/site/time.rs",
    ];
    assert_eq!(found, known);
}

/// Clippy reads the one file nearest to a crate, so each pure crate has a copy of the same.
#[test]
fn pure_crates_have_the_same_linter() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a workspace");
    let pure = ["experiments", "games", "gp", "nets", "players", "spec"];
    let file = |name: &str| std::fs::read_to_string(root.join(name).join("clippy.toml")).ok();
    let wanted = file(pure[0]).expect("a file");
    let found: Vec<&str> = ARROWS.iter().map(|(name, _)| *name).filter(|name| file(name).is_some()).collect();
    assert_eq!(found, pure);
    for name in pure {
        assert!(file(name).as_ref() == Some(&wanted), "{name}/clippy.toml is another one than that of {}", pure[0]);
    }
}
