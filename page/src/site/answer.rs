//! Answers: compressed where that is asked for, and none where the asker has it already.

use std::io::Write as _;

use axum::{
    body::Body,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, VARY},
    },
    response::Response,
};
use flate2::{Compression, write::GzEncoder};

use super::asked::Asked;

/// Shorter texts are not compressed.
const SHORT: usize = 1_000;

/// A text of that type. `essence` says by what two answers are the same; the text itself if it is empty.
pub(crate) fn text(asked: &Asked, status: StatusCode, kind: &'static str, text: String, essence: &str) -> Response {
    let essence = if essence.is_empty() { &text } else { essence };
    let tag = format!("W/\"{}\"", &blake3::hash(essence.as_bytes()).to_hex()[..24]);
    let mut response = if status == StatusCode::OK && asked.known.as_deref().is_some_and(|known| has(known, &tag)) {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response
    } else {
        let packed = (asked.gzip && text.len() > SHORT).then(|| gzip(text.as_bytes(), Compression::fast()));
        let encoded = packed.is_some();
        let mut response = Response::new(Body::from(packed.unwrap_or_else(|| text.into_bytes())));
        *response.status_mut() = status;
        if encoded {
            response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    };
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(VARY, HeaderValue::from_static("accept-encoding, cookie"));
    if status == StatusCode::OK {
        headers.insert(ETAG, HeaderValue::from_str(&tag).expect("hexadecimal digits between quotes"));
    }
    // Kept, and asked for anew each time.
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    response
}

/// Whether a list of tags has this one; for pages weak tags are as good as strong ones.
pub(crate) fn has(known: &str, tag: &str) -> bool {
    let plain = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    known.trim() == "*" || known.split(',').any(|one| plain(one) == plain(tag))
}

/// The bytes, compressed.
pub(crate) fn gzip(bytes: &[u8], level: Compression) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    // Writing to memory cannot fail.
    let _ = packed.write_all(bytes);
    packed.finish().unwrap_or_default()
}
