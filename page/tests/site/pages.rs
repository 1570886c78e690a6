//! Every page: what it says, and how it is answered.

use axum::http::{Method, StatusCode};
use flate2::read::GzDecoder;
use serde_json::json;
use std::io::Read as _;
use tempfile::TempDir;

use crate::{
    html,
    made::{Bench, EVOLUTION, GRID, Site, finished, synthetic},
};

/// A site of a grid that is done, an evolution that is done, and a run that was broken off.
async fn three(place: &TempDir) -> (Site, [String; 3]) {
    let at = |name: &str| place.path().join(name);
    finished(&at("grid"), GRID);
    finished(&at("evolution"), EVOLUTION);
    let mut bench = Bench::start(&at("plain"), &synthetic(1_000));
    bench.store("w1", 0..150);
    bench.fail(151, 1, "w2", "it fell\nover");
    bench.fail(152, 3, "w2", "it fell again");
    let mut rows = bench.rows(3..4);
    let coordinator::rows::Cells::Ints(values) = &mut rows.columns[0] else { panic!("integers") };
    values[0] ^= 1;
    bench.send("w3", rows);
    bench.event("worker-left", json!({ "worker": "w2", "why": "its connection ended", "lost": 7 }));
    bench.end();
    let site = Site::of(&[place.path()]);
    let page = site.page("/").await;
    let key = |name: &str| {
        let before = page.split(&format!(">{name}</a>")).next().expect("a link");
        before.rsplit("./runs/").next().expect("a link").split('"').next().expect("an end").to_owned()
    };
    let keys = ["small-grid", "small-evolution", "plain"].map(key);
    (site, keys)
}

#[tokio::test]
async fn every_page_is_there_and_says_what_it_is_about() {
    let place = TempDir::new().expect("a place");
    let (site, [grid, evolution, plain]) = three(&place).await;
    site.whole(&format!("/runs/{grid}")).await;
    site.whole(&format!("/runs/{evolution}")).await;
    for (path, words) in [
        (
            "/".to_owned(),
            &["3 runs: 2 finished, 1 interrupted.", "<title>0 of 3 runs running", "failed three times"][..],
        ),
        (
            format!("/runs/{grid}"),
            &["<title>finished small-grid", "A grid of &lt;three&gt; &amp;", "Who beats whom", "class=\"heat\""],
        ),
        (format!("/runs/{evolution}"), &["<title>finished small-evolution", "Figures", "coevolution"]),
        (
            format!("/runs/{plain}"),
            &["<title>interrupted plain", "No process has it open", ".done\">151</span> of 1,000 trials are done"],
        ),
        (format!("/runs/{evolution}/champion"), &["As mathematics", "Where it comes from", "href=\"?individual=1:"]),
        (
            format!("/runs/{evolution}/champion?individual=1:9"),
            &["<title>Individual 9 of generation 1 small-evolution", "As mathematics", "href=\"?individual=0:"],
        ),
        (format!("/runs/{grid}/pairs/1"), &["a v c", "The games of the pair"]),
        (format!("/runs/{plain}/trials"), &["trials 0 to 99 of 0 to 999", "w1"]),
        (format!("/runs/{plain}/trials?from=120"), &["given up", "not stored", "trials 120 to 219"]),
        (format!("/runs/{plain}/trials?show=failed"), &["it fell", "0 / 151"]),
        (format!("/runs/{plain}/trials?show=given-up"), &["it fell again", "0 / 152"]),
        (format!("/runs/{plain}/trials?show=disputed"), &["0 / 3", "w3"]),
        (format!("/runs/{grid}/trials?stage=0&pair=1"), &["trials 20 to 39 of 20 to 39"]),
        (format!("/runs/{grid}/trials/0/17"), &["mcts:playouts=20", "moves_hash", "redqueen replay grid 0 17"]),
        (format!("/runs/{plain}/trials/0/151"), &["not stored", "it fell\nover"]),
        (format!("/runs/{plain}/trials/0/152"), &["given up", "Attempt 3"]),
        (format!("/runs/{plain}/trials/0/3"), &["Results that differ", "w3"]),
        (format!("/runs/{grid}/workers"), &["w1", "believed"]),
        (
            format!("/runs/{plain}/events"),
            &["left: its connection ended. 7 trials that it held wait again.", "differs from the one stored by"],
        ),
        (format!("/runs/{plain}/events?kind=worker-left"), &["its connection ended"]),
        (format!("/runs/{grid}/files"), &["experiment.toml", "pairs.csv"]),
        ("/workers".to_owned(), &["w1", "w3", "2 workers."]),
        ("/workers/w2".to_owned(), &["it fell again", "its connection ended"]),
        ("/events".to_owned(), &["It is finished.", "small-grid"]),
        ("/compare".to_owned(), &["type=\"checkbox\""]),
    ] {
        let page = site.page(&path).await;
        for word in words {
            assert!(page.contains(word), "{path} does not say {word:?}: {page}");
        }
        for part in
            ["<!DOCTYPE html>", "<html lang=\"en\"", "<main id=\"main\"", "href=\"#main\"", "<h1>", "name=\"viewport\""]
        {
            assert!(page.contains(part), "{path}: {part}");
        }
        let plain = page.replace(" xmlns=\"http://www.w3.org/2000/svg\"", "");
        for foreign in ["http:", "https:", " style=", "<style", "onclick", "javascript:"] {
            assert!(!plain.contains(foreign), "{path} has {foreign}");
        }
        assert!(!page.contains(&*place.path().to_string_lossy()), "{path} tells where runs are");
        assert!(page.len() < 150_000, "{path} has {} bytes", page.len());
        let document = html::read(&page);
        assert!(document.elements.len() < 2_500, "{path} has {} elements", document.elements.len());
        assert_eq!((document.count("h1"), document.count("main"), document.count("script")), (1, 1, 1), "{path}");
        let mut ids: Vec<&str> = document.elements.iter().filter_map(|element| element.attribute("id")).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{path} has an id twice: {ids:?}");
    }
}

#[tokio::test]
async fn a_papers_run_is_beside_it() {
    let place = TempDir::new().expect("a place");
    finished(place.path(), GRID);
    let site = Site::of(&[place.path()]);
    let key = site.keys().await.remove(0);
    let page = site.whole(&format!("/runs/{key}/paper")).await;
    assert!(page.contains("not in this run"), "no player of the paper is in this grid: {page}");
    assert!(site.whole(&format!("/runs/{key}")).await.contains(">Paper</a>"));
}

/// The paper's file says what it contradicts.
#[tokio::test]
async fn what_a_paper_says_otherwise_is_quoted() {
    let file: toml::Table = include_str!("../../../analysis/papers/siea-mcts/table-6-8.toml").parse().expect("TOML");
    let said: Vec<&str> =
        file["contradictions"].as_array().expect("a list").iter().filter_map(toml::Value::as_str).collect();
    let place = TempDir::new().expect("a place");
    finished(place.path(), &GRID.replace("evomcts/table-5", "siea-mcts/table-6-8"));
    let site = Site::of(&[place.path()]);
    let key = site.keys().await.remove(0);
    let (page, report) = (format!("/runs/{key}/paper"), format!("/runs/{key}/report.html"));
    for html in [site.whole(&page).await, site.get(&report).await.text().to_owned()] {
        let document = html::read(&html);
        let wanted = format!("The paper contradicts itself in {} places, quoted below", said.len());
        assert!(said.len() > 1 && document.text.contains(&wanted), "{wanted}: {}", document.text);
        for text in &said {
            assert!(document.text.contains(text), "{text}: {}", document.text);
        }
        let ids: Vec<&str> = document.elements.iter().filter_map(|element| element.attribute("id")).collect();
        assert!(html.contains("href=\"#paper-compare\"") && ids.contains(&"paper-compare"), "{ids:?}");
        let missing = html.matches(">not in this run</td>").count();
        assert!(document.text.contains(&format!("{missing} not in this run")), "{missing}: {}", document.text);
    }
}

#[tokio::test]
async fn runs_of_one_setting_and_of_two_are_compared() {
    let place = TempDir::new().expect("a place");
    for (name, text) in [
        ("one", GRID.to_owned()),
        ("two", GRID.replace("seed = 3", "seed = 5")),
        ("other", GRID.replace("playouts=20", "playouts=30").replace("seed = 3", "seed = 9")),
    ] {
        finished(&place.path().join(name), &text);
    }
    let site = Site::of(&[place.path()]);
    let keys = site.keys().await;
    assert_eq!(keys.len(), 3);
    let page = site.whole(&format!("/compare?run={}&run={}&runs={}", keys[0], keys[1], keys[2])).await;
    assert!(page.contains("What differs"), "{page}");
    assert!(page.contains("mcts:playouts=30"), "{page}");
    assert!(page.contains("What came out"), "{page}");
    assert_eq!(site.get("/compare?runs=nothing").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let place = TempDir::new().expect("a place");
    let (site, [grid, evolution, _]) = three(&place).await;
    for path in [
        "/nothing".to_owned(),
        "/runs".to_owned(),
        "/runs/".to_owned(),
        "/runs/ffffffff".to_owned(),
        "/runs/ffffffff/trials".to_owned(),
        format!("/runs/{grid}/nothing"),
        format!("/runs/{grid}/trials?stage=7"),
        format!("/runs/{grid}/trials?pair=3"),
        format!("/runs/{grid}/trials/0/60"),
        format!("/runs/{grid}/trials/7/0"),
        format!("/runs/{grid}/trials/0/-1"),
        format!("/runs/{grid}/trials/0/99999999999999999999999"),
        format!("/runs/{grid}/pairs/3"),
        format!("/runs/{grid}/pairs/x"),
        format!("/runs/{grid}/champion?individual=0:0"),
        format!("/runs/{evolution}/champion?individual=3:0"),
        format!("/runs/{evolution}/champion?individual=0:10"),
        "/workers/nobody".to_owned(),
        format!("/workers/{}", "n".repeat(10_000)),
        format!("/runs/{}", "a".repeat(10_000)),
    ] {
        let answer = site.get(&path).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert!(answer.text().contains("<h1>Not found</h1>"), "{path}");
    }
    for query in
        ["stage=x", "from=-1", "from=x", "show=x", "show=failed&after=x", "pair=x", "from=99999999999999999999999"]
    {
        let answer = site.get(&format!("/runs/{grid}/trials?{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
    }
    let none = site.get(&format!("/runs/{evolution}/champion?individual=3:0")).await;
    assert!(none.text().contains("generations 0 to 2 with individuals 0 to 9"), "{}", none.text());
    for individual in ["1", "1:", ":1", "1:-1", "1:1:1", "x:0", "4294967296:0", "%2e%2e%2f"] {
        let answer = site.get(&format!("/runs/{evolution}/champion?individual={individual}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{individual}");
    }
    assert_eq!(site.get("/stream").await.status, StatusCode::BAD_REQUEST);
    assert_eq!(site.get("/theme/pink").await.status, StatusCode::NOT_FOUND);
    assert_eq!(site.get("/assets/..%2fsite.css").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_is_known_is_not_sent_again_and_what_is_sent_is_packed() {
    let place = TempDir::new().expect("a place");
    let (site, [grid, ..]) = three(&place).await;
    let path = format!("/runs/{grid}");
    let plain = site.whole(&path).await;
    let answer = site.ask(Method::GET, &path, &[("accept-encoding", "br, gzip;q=0.8")], "").await;
    assert_eq!(answer.header("content-encoding"), "gzip");
    let mut unpacked = String::new();
    GzDecoder::new(&answer.bytes[..]).read_to_string(&mut unpacked).expect("gzip");
    let stamp = |page: &str| page.split("<footer>").next().expect("a body").to_owned();
    assert_eq!(stamp(&unpacked), stamp(&plain));
    let tag = answer.header("etag").to_owned();
    for known in [tag.clone(), format!("\"x\", {tag}"), tag.replace("W/", ""), "*".to_owned()] {
        let again = site.ask(Method::GET, &path, &[("if-none-match", &known)], "").await;
        assert_eq!((again.status, again.bytes.len()), (StatusCode::NOT_MODIFIED, 0), "{known}");
    }
    let dark = site.ask(Method::GET, &path, &[("if-none-match", &tag), ("cookie", "redqueen-theme=dark")], "").await;
    assert_eq!(dark.status, StatusCode::OK, "other colours are another page");
    assert!(dark.text().contains("data-theme=\"dark\""));
    let never = site.ask(Method::GET, &path, &[("accept-encoding", "gzip;q=0")], "").await;
    assert_eq!(never.header("content-encoding"), "");
}

#[tokio::test]
async fn a_first_visit_is_small() {
    let place = TempDir::new().expect("a place");
    let (site, [grid, ..]) = three(&place).await;
    let path = format!("/runs/{grid}");
    let page = site.whole(&path).await;
    let head = page.split("</head>").next().expect("a head");
    let files: Vec<&str> =
        head.split("../assets/").skip(1).map(|rest| rest.split('"').next().expect("an end")).collect();
    assert_eq!(files.len(), 3, "a style, an icon and a script: {head}");
    let mut sum = site.ask(Method::GET, &path, &[("accept-encoding", "gzip")], "").await.bytes.len();
    for file in files {
        let answer = site.ask(Method::GET, &format!("/assets/{file}"), &[("accept-encoding", "gzip")], "").await;
        assert_eq!(answer.status, StatusCode::OK, "{file}");
        assert_eq!(answer.header("cache-control"), "public, max-age=31536000, immutable");
        sum += answer.bytes.len();
    }
    assert!(sum <= 40_000, "{sum} bytes");
}

#[tokio::test]
async fn colours_are_kept_in_a_cookie_and_the_way_back_stays_here() {
    let site = Site::of(&[]);
    let answer = site.get("/theme/dark?back=%2Fworkers%3Fname%3Dx").await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER);
    assert_eq!(answer.header("location"), "../workers?name=x");
    assert!(answer.header("set-cookie").starts_with("redqueen-theme=dark; Path=/; HttpOnly"));
    for back in ["%2F%2Fevil.example", "https%3A%2F%2Fevil.example", "%2F%5Cevil.example", "", "%0d%0aSet-Cookie:x=1"] {
        let answer = site.get(&format!("/theme/light?back={back}")).await;
        assert_eq!(answer.header("location"), "../", "{back}");
    }
}

#[tokio::test]
async fn a_stream_tells_the_state_first() {
    let place = TempDir::new().expect("a place");
    let (site, [grid, _, plain]) = three(&place).await;
    site.whole(&format!("/runs/{grid}")).await;
    // A run that has ended says so and ends its stream.
    let answer = site.get(&format!("/stream?run={grid}")).await;
    assert_eq!(answer.header("content-type"), "text/event-stream");
    assert_eq!(answer.header("content-encoding"), "");
    assert_eq!(answer.header("x-accel-buffering"), "no");
    assert!(answer.text().contains("event: state\n"), "{}", answer.text());
    assert!(
        answer.text().trim_end().ends_with("event: ended\ndata:") || answer.text().contains("event: ended"),
        "{}",
        answer.text()
    );
    let told = site.page(&format!("/stream?run={plain}&once=1")).await;
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["n"][format!("{plain}.stored")], "150");
    assert_eq!(told["t"], "interrupted plain");
    // The page has the same versions of its parts.
    let page = site.page(&format!("/runs/{plain}")).await;
    for part in ["alarms", "head", "results"] {
        let version = told["p"][part].as_str().expect("a version");
        assert!(page.contains(&format!("data-part=\"{part}\" data-version=\"{version}\"")), "{part}: {page}");
        let alone = site.page(&format!("/runs/{plain}?part={part}")).await;
        assert!(alone.starts_with("<div") && alone.contains(&format!("id=\"part-{part}\"")), "{alone}");
        assert!(page.contains(alone.trim()), "{part} alone is as in its page");
    }
    assert_eq!(site.get(&format!("/runs/{plain}?part=none")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_site_without_runs_says_how_to_make_one() {
    let place = TempDir::new().expect("a place");
    let page = Site::of(&[place.path()]).page("/").await;
    assert!(page.contains("redqueen run experiments/catalogue/quickstart.toml"), "{page}");
}

#[tokio::test]
async fn a_damaged_run_does_not_hide_the_others() {
    let place = TempDir::new().expect("a place");
    finished(&place.path().join("good"), &synthetic(10));
    finished(&place.path().join("bad"), &synthetic(20));
    std::fs::write(place.path().join("bad/redqueen.sqlite"), "no database").expect("written");
    let site = Site::of(&[place.path()]);
    let page = site.page("/").await;
    assert!(page.contains("unreadable") && page.contains(">plain</a>"), "{page}");
    assert!(page.contains("does not begin like an SQLite database"), "{page}");
    for path in ["", "/trials", "/events", "/workers", "/files", "/paper"] {
        let answer = site.get(&format!("/runs/unreadable-0{path}")).await;
        assert!(!answer.text().contains(&*place.path().to_string_lossy()), "{path}");
        assert!(answer.status != StatusCode::INTERNAL_SERVER_ERROR, "{path}");
    }
}
