//! Files that may be taken away, and ways to others.

use std::{fs, os::unix::fs::symlink};

use axum::http::StatusCode;
use tempfile::TempDir;

use crate::made::{GRID, Site, finished};

#[tokio::test]
async fn a_run_gives_the_files_that_it_is_known_to_have() {
    let place = TempDir::new().expect("a place");
    let run = place.path().join("grid");
    finished(&run, GRID);
    fs::create_dir_all(run.join("tables")).expect("made");
    fs::write(run.join("tables/pairs.csv"), "a,b\n").expect("written");
    fs::write(run.join("tables/.hidden.csv"), "x").expect("written");
    fs::write(run.join("tables/script.js"), "x").expect("written");
    fs::create_dir_all(run.join("results/match")).expect("made");
    fs::write(run.join("results/match/stage=00000.parquet"), "PAR1").expect("written");
    fs::write(place.path().join("secret.csv"), "secret").expect("written");
    symlink(place.path().join("secret.csv"), run.join("tables/link.csv")).expect("linked");
    symlink(place.path(), run.join("figures")).expect("linked");
    let site = Site::of(&[&run]);
    let key = site.keys().await.remove(0);
    let page = site.page(&format!("/runs/{key}/files")).await;
    for name in ["experiment.toml", "resolved.toml", "tables/pairs.csv", "results/match/stage=00000.parquet"] {
        assert!(page.contains(&format!(">{name}</a>")), "{name}: {page}");
        let answer = site.get(&format!("/runs/{key}/files/{}", name.replace('=', "%3D"))).await;
        assert_eq!(answer.status, StatusCode::OK, "{name}");
        assert_eq!(answer.bytes, fs::read(run.join(name)).expect("there"), "{name}");
        assert!(answer.header("content-disposition").starts_with("attachment; filename=\""), "{name}");
        assert!(answer.header("content-security-policy").contains("sandbox"), "{name}");
    }
    for way in [
        "tables/link.csv",
        "tables/.hidden.csv",
        "tables/script.js",
        "figures/secret.csv",
        "redqueen.sqlite",
        "redqueen.lock",
        "tables",
        "tables/",
        "../secret.csv",
        "..%2Fsecret.csv",
        "%2e%2e/secret.csv",
        "%2e%2e%2fsecret.csv",
        "tables/../../secret.csv",
        "tables/..%2f..%2fsecret.csv",
        "%2fetc%2fpasswd",
        "//etc/passwd",
        "tables%2fpairs.csv%00",
        "tables\\pairs.csv",
        "..%5csecret.csv",
        ".",
        "%ff",
    ] {
        let answer = site.get(&format!("/runs/{key}/files/{way}")).await;
        assert!(matches!(answer.status, StatusCode::NOT_FOUND | StatusCode::BAD_REQUEST), "{way}: {}", answer.status);
        assert!(!answer.bytes.windows(6).any(|bytes| bytes == b"secret" && !way.contains("secret")), "{way}");
    }
}

#[tokio::test]
async fn tables_and_figures_are_given_as_they_are_made() {
    let place = TempDir::new().expect("a place");
    finished(place.path(), GRID);
    let site = Site::of(&[place.path()]);
    let key = site.keys().await.remove(0);
    site.whole(&format!("/runs/{key}")).await;
    let csv = site.get(&format!("/runs/{key}/tables/pairs.csv")).await;
    assert_eq!(csv.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(csv.text().lines().count(), 4, "a line of heads and three pairs: {}", csv.text());
    let json = site.get(&format!("/runs/{key}/tables/pairs.json")).await;
    let value: serde_json::Value = serde_json::from_str(json.text()).expect("JSON");
    assert_eq!(value["rows"].as_array().map(Vec::len), Some(3));
    assert!(site.page(&format!("/runs/{key}/tables/pairs")).await.contains("<caption>"));
    let page = site.page(&format!("/runs/{key}/files")).await;
    let figure = page.split("/figures/").nth(1).expect("a figure").split(".svg").next().expect("a name");
    let svg = site.get(&format!("/runs/{key}/figures/{figure}.svg")).await;
    assert_eq!((svg.status, svg.header("content-type")), (StatusCode::OK, "image/svg+xml"));
    assert!(svg.header("content-security-policy").contains("sandbox"));
    let png = site.get(&format!("/runs/{key}/figures/{figure}.png")).await;
    assert!(png.bytes.starts_with(b"\x89PNG"));
    let pdf = site.get(&format!("/runs/{key}/figures/{figure}.pdf")).await;
    assert!(pdf.bytes.starts_with(b"%PDF"));
    let parquet = site.get(&format!("/runs/{key}/tables/pairs.parquet")).await;
    assert!(parquet.bytes.starts_with(b"PAR1"));
    let report = site.get(&format!("/runs/{key}/report.html")).await;
    assert_eq!((report.status, report.header("content-type")), (StatusCode::OK, "text/html; charset=utf-8"));
    assert!(report.text().contains("<section id=\"measured\">"));
    let policy = report.header("content-security-policy");
    assert!(
        policy.starts_with("default-src 'none'") && policy.contains("sandbox") && !policy.contains("same-origin"),
        "{policy}"
    );
    for none in ["tables/none", "tables/pairs.exe", "figures/none.svg", "figures/x.exe", "figures/..%2f..%2fx.svg"] {
        assert_eq!(site.get(&format!("/runs/{key}/{none}")).await.status, StatusCode::NOT_FOUND, "{none}");
    }
}
