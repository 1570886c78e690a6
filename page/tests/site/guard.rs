//! Who may look.

use std::{fs, os::unix::fs::PermissionsExt as _};

use axum::http::{Method, StatusCode};
use coordinator::Token;
use page::Guard;
use tempfile::TempDir;

use crate::made::Site;

const SECRET: &str = "0123456789abcdef-view";

fn guarded(place: &TempDir) -> Site {
    let file = place.path().join("view-token");
    fs::write(&file, SECRET).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).expect("set");
    let token = Token::read(&file).expect("a token");
    Site(page::of_directories(Vec::new(), Guard { token: Some(token), ..Guard::default() }))
}

#[tokio::test]
async fn names_of_elsewhere_are_refused_and_nothing_is_said() {
    let site = Site::of(&[]);
    for host in ["evil.example", "localhost.evil.example:80", "10.1.2.3", "", "a b"] {
        let answer = site.ask(Method::GET, "/", &[("host", host)], "").await;
        assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "{host}");
        assert!(!answer.text().contains('<'), "{host}");
    }
    let answer = site.ask(Method::GET, "/", &[("host", "evil.example")], "").await;
    assert!(answer.text().contains("--http-host evil.example"), "{}", answer.text());
    let answer = site.ask(Method::GET, "http://evil.example/", &[("host", "localhost")], "").await;
    assert_eq!(answer.status, StatusCode::MISDIRECTED_REQUEST, "the address counts, not the header beside it");
    for host in ["localhost", "127.0.0.1:7879", "[::1]:80"] {
        assert_eq!(site.ask(Method::GET, "/", &[("host", host)], "").await.status, StatusCode::OK, "{host}");
    }
    let named = Site(page::of_directories(Vec::new(), Guard { hosts: vec!["lab.example".into()], ..Guard::default() }));
    assert_eq!(named.ask(Method::GET, "/", &[("host", "lab.example:8443")], "").await.status, StatusCode::OK);
}

#[tokio::test]
async fn only_looking_is_answered() {
    let site = Site::of(&[]);
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS, Method::TRACE] {
        for path in ["/", "/theme/dark", "/sign-in", "/stream?runs=1", "/nothing"] {
            let answer = site.ask(method.clone(), path, &[], "x=1").await;
            assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
            assert_eq!(answer.header("allow"), "GET, HEAD");
        }
    }
    let (get, head) = (site.get("/").await, site.ask(Method::HEAD, "/", &[], "").await);
    assert_eq!((head.status, head.bytes.len()), (StatusCode::OK, 0));
    assert_eq!(head.header("etag"), get.header("etag"));
}

#[tokio::test]
async fn every_answer_is_held_tight() {
    let site = Site::of(&[]);
    for (path, host) in
        [("/", "localhost"), ("/nothing", "localhost"), ("/assets/none.js", "localhost"), ("/", "evil.example")]
    {
        let answer = site.ask(Method::GET, path, &[("host", host), ("origin", "http://evil.example")], "").await;
        let policy = answer.header("content-security-policy");
        for part in
            ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"]
        {
            assert!(policy.contains(part), "{path}: {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
        assert_eq!(answer.header("referrer-policy"), "no-referrer");
        assert_eq!(answer.header("cross-origin-opener-policy"), "same-origin");
        assert_eq!(answer.header("cross-origin-resource-policy"), "same-origin");
        assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control-")), "no CORS");
    }
}

#[tokio::test]
async fn a_token_is_asked_for_and_a_session_keeps_it() {
    let place = TempDir::new().expect("a place");
    let site = guarded(&place);
    for path in ["/", "/runs/ab", "/stream?runs=1", "/nothing", "/theme/dark"] {
        let answer = site.get(path).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert!(answer.text().contains("View token"), "{path}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
    let bearer = format!("Bearer {SECRET}");
    assert_eq!(site.ask(Method::GET, "/", &[("authorization", &bearer)], "").await.status, StatusCode::OK);

    let form = format!("back=%2Fworkers%3Fname%3Dx&token={SECRET}");
    let answer = site
        .ask(Method::POST, "/sign-in", &[("host", "localhost:7879"), ("origin", "http://localhost:7879")], &form)
        .await;
    assert_eq!(answer.status, StatusCode::SEE_OTHER, "{}", answer.text());
    assert_eq!(answer.header("location"), "./workers?name=x");
    let cookie = answer.header("set-cookie").to_owned();
    assert!(!cookie.contains(SECRET));
    for part in ["redqueen-view-7879=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"] {
        assert!(cookie.contains(part), "{cookie}");
    }
    let session = cookie.split(';').next().expect("a pair");
    let headers = [("host", "localhost:7879"), ("cookie", session)];
    let answer = site.ask(Method::GET, "/", &headers, "").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("cache-control"), "no-store");
    // Of another port it is another site's.
    let elsewhere = [("host", "localhost:9999"), ("cookie", session)];
    assert_eq!(site.ask(Method::GET, "/", &elsewhere, "").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn wrong_tokens_are_slow_and_forms_of_elsewhere_are_refused() {
    let place = TempDir::new().expect("a place");
    let site = guarded(&place);
    let right = format!("token={SECRET}");
    for headers in [[("origin", "http://evil.example")], [("sec-fetch-site", "cross-site")], [("origin", "null")]] {
        let answer = site.ask(Method::POST, "/sign-in", &headers, &right).await;
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{headers:?}");
        assert_eq!(answer.header("set-cookie"), "");
    }
    let long = format!("token={}", "x".repeat(20_000));
    assert_eq!(site.ask(Method::POST, "/sign-in", &[], &long).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let begun = tokio::time::Instant::now();
    let answer = site.ask(Method::POST, "/sign-in", &[], "token=wrong").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    assert!(answer.text().contains("not the view token"));
    assert!(begun.elapsed().as_millis() >= 1_000, "a wrong token is answered late");
    let answer = site.ask(Method::GET, "/", &[("authorization", "Bearer wrong-wrong-wrong")], "").await;
    assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    // Guesses at once are not answered at all.
    let guesses = (0..20).map(|_| {
        let site = site.clone();
        tokio::spawn(async move { site.ask(Method::POST, "/sign-in", &[], "token=wrong").await.status })
    });
    let mut refused = 0;
    for guess in guesses.collect::<Vec<_>>() {
        refused += u32::from(guess.await.expect("answered") == StatusCode::TOO_MANY_REQUESTS);
    }
    assert_eq!(refused, 16);
}
