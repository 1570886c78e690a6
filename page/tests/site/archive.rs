//! Everything of a run as one tar.

use std::{collections::BTreeMap, fs, io::Read as _, os::unix::fs::symlink};

use axum::http::{Method, StatusCode};
use tar::{Archive, EntryType};
use tempfile::TempDir;

use crate::made::{Answer, Bench, EVOLUTION, Site, finished, synthetic};

/// The files of an archive, in which every name is a plain path and nothing but content tells two runs apart.
fn files(answer: &Answer) -> BTreeMap<String, Vec<u8>> {
    assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/x-tar"));
    let mut files = BTreeMap::new();
    for entry in Archive::new(&answer.bytes[..]).entries().expect("a tar") {
        let mut entry = entry.expect("a whole entry");
        let name = String::from_utf8(entry.path_bytes().into_owned()).expect("letters");
        let is_plain = |part: &str| {
            !part.is_empty()
                && !part.starts_with('.')
                && part.chars().all(|c| c.is_ascii_alphanumeric() || "._-=".contains(c))
        };
        assert!(name.split('/').all(is_plain), "{name}");
        let header = entry.header();
        assert_eq!(header.entry_type(), EntryType::Regular, "{name}");
        let facts = [header.uid(), header.gid(), header.mode().map(u64::from), header.mtime()];
        assert_eq!(facts.map(|fact| fact.expect("a number")), [0, 0, 0o644, 315_532_800], "{name}");
        let mut content = Vec::new();
        entry.read_to_end(&mut content).expect("a whole file");
        assert!(files.insert(name.clone(), content).is_none(), "{name} twice");
    }
    files
}

#[tokio::test]
async fn an_archive_has_everything_and_is_the_same_each_time() {
    let place = TempDir::new().expect("a place");
    let run = place.path().join("run");
    finished(&run, EVOLUTION);
    let site = Site::of(&[&run]);
    let key = site.keys().await.remove(0);
    assert!(site.page(&format!("/runs/{key}/files")).await.contains(&format!("href=\"../../runs/{key}/run.tar\"")));
    let answer = site.get(&format!("/runs/{key}/run.tar")).await;
    assert_eq!(answer.header("content-disposition"), "attachment; filename=\"small-evolution.tar\"");
    let found = files(&answer);
    let file = |name: &str| found.get(&format!("small-evolution/{name}")).unwrap_or_else(|| panic!("{name}"));
    for name in ["experiment.toml", "resolved.toml"] {
        assert_eq!(file(name), &fs::read(run.join(name)).expect("it is there"), "{name}");
    }
    assert_eq!(file("report.html"), &site.get(&format!("/runs/{key}/report.html")).await.bytes);
    assert!(file("champion.toml").starts_with(b"# An evolved function."));
    // Three generations, then the benchmark of the last one and the final one.
    let stages = found.keys().filter(|name| name.contains("/results/")).count();
    let listed = site.page(&format!("/runs/{key}")).await;
    assert!(listed.contains(&format!("{stages} so far")), "{stages} stages: {listed}");
    assert!(file("results/generation/stage=00000.parquet").starts_with(b"PAR1"));
    for end in ["csv", "md", "tex", "json", "parquet"] {
        let table = site.get(&format!("/runs/{key}/tables/generations.{end}")).await;
        assert_eq!(file(&format!("tables/generations.{end}")), &table.bytes, "{end}");
    }
    for (end, begin) in [("svg", "<svg"), ("png", "\u{89}PNG"), ("pdf", "%PDF")] {
        let all: Vec<_> = found.iter().filter(|(name, _)| name.contains("/figures/") && name.ends_with(end)).collect();
        let begins =
            |bytes: &[u8]| bytes.iter().map(|&byte| char::from(byte)).take(begin.chars().count()).eq(begin.chars());
        assert!(!all.is_empty() && all.iter().all(|(_, bytes)| begins(bytes)), "{end}");
    }

    // What lies in the directory is no part of it.
    fs::create_dir_all(run.join("tables")).expect("made");
    fs::write(run.join("tables/generations.csv"), "old").expect("written");
    fs::write(place.path().join("secret.csv"), "secret").expect("written");
    symlink(place.path().join("secret.csv"), run.join("tables/link.csv")).expect("linked");
    assert!(site.get(&format!("/runs/{key}/run.tar")).await.bytes == answer.bytes, "the second has other bytes");
}

#[tokio::test]
async fn what_has_no_tables_has_an_archive_and_what_has_no_results_has_none() {
    let place = TempDir::new().expect("a place");
    finished(&place.path().join("run"), &synthetic(10));
    let mut bench = Bench::start(&place.path().join("open"), &synthetic(10).replace("plain", "open"));
    bench.store("w1", 0..5);
    bench.end();
    let site = Site::of(&[place.path()]);
    for key in site.keys().await {
        let path = format!("/runs/{key}/run.tar");
        let answer = site.get(&path).await;
        if site.page(&format!("/runs/{key}")).await.contains("<h1>open</h1>") {
            assert_eq!(answer.status, StatusCode::NOT_FOUND);
            assert!(answer.text().contains("No stage is closed yet"), "{}", answer.text());
            continue;
        }
        let names: Vec<String> = files(&answer).into_keys().collect();
        assert_eq!(names.len(), 3, "{names:?}");
        assert!(names[2].starts_with("plain/results/") && names[2].ends_with("/stage=00000.parquet"), "{names:?}");
        assert_eq!(site.ask(Method::HEAD, &path, &[], "").await.bytes.len(), 0);
    }
}
