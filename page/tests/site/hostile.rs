//! Texts that others choose stay texts.

use serde_json::json;
use tempfile::TempDir;

use crate::{
    html,
    made::{Bench, Site, synthetic},
};

/// What a worker, an error or a title may be.
const NAMES: [&str; 6] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "</title></textarea></pre><svg onload=alert(1)>",
    "'; DROP TABLE run; --",
    "\u{202e}gnp.exe\u{2066}",
    "../../../etc/passwd?x#y%00",
];

#[tokio::test]
async fn names_of_everything_stay_text() {
    let place = TempDir::new().expect("a place");
    let text = synthetic(100).replace("kind =", "title = \"<script>alert('title')</script> \\u202e\"\nkind =");
    let mut bench = Bench::start(&place.path().join("<b>run&amp;"), &text);
    let long = "n".repeat(120);
    for (place, name) in NAMES.iter().copied().chain([long.as_str()]).enumerate() {
        let place = place as u64 * 10;
        bench.store(name, place..place + 5);
        bench.fail(place + 6, 3, name, &format!("{name}\n{}", "x".repeat(10_000)));
        bench.event("worker-left", json!({ "worker": name, "why": name, "lost": 1 }));
        bench.event("stage-closed", json!({ "stage": 0, "name": name, "headline": name }));
    }
    bench.event("<b>", json!({ "<i>": "</pre><script>" }));
    bench.end();
    let site = Site::of(&[place.path()]);
    let key = site.keys().await.remove(0);
    let mut paths = vec!["/".to_owned(), "/workers".to_owned(), "/events".to_owned(), "/compare".to_owned()];
    paths.extend(
        [
            "",
            "/trials",
            "/trials?show=failed",
            "/trials?show=given-up",
            "/trials/0/1",
            "/trials/0/6",
            "/workers",
            "/events",
            "/files",
        ]
        .map(|page| format!("/runs/{key}{page}")),
    );
    paths.push("/?name=%3Cscript%3Ealert(1)%3C/script%3E".to_owned());
    paths.push(format!("/runs/{key}/events?kind=%22%3E%3Cscript%3E&worker=%3Cscript%3E"));
    paths.push(format!("/runs/{key}/trials?show=%3Cscript%3E"));
    paths.push("/%3Cscript%3Ealert(1)%3C/script%3E".to_owned());
    for name in NAMES {
        let encoded: String = name.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let answer = site.get(&format!("/workers/{encoded}")).await;
        assert!(answer.status.is_success(), "{name}: {}", answer.text());
        check(name, answer.text());
    }
    for path in paths {
        let answer = site.get(&path).await;
        assert!(answer.text().contains("</html>"), "{path}");
        check(&path, answer.text());
    }
}

/// The page is well formed, no element is there that a page does not have, and nothing turns what stands around it.
#[track_caller]
fn check(path: &str, page: &str) {
    let document = html::read(page);
    assert_eq!(document.count("script"), 1, "{path}: {page}");
    for (element, content) in &document.raw {
        assert!(element.name == "script" && content.is_empty(), "{path}: {content}");
    }
    for element in ["b", "i", "img", "iframe", "style"] {
        assert_eq!(document.count(element), 0, "{path} has <{element}>: {page}");
    }
    for mark in ["\u{202e}", "\u{2066}"] {
        assert!(!page.contains(mark), "{path} has {mark:?}: {page}");
    }
}
