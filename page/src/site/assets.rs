//! Files that pages need: one style sheet, one script, and an icon for each state. They are part of the program, have a
//! hash in their names, and are compressed once.

use std::sync::LazyLock;

use axum::{
    body::{Body, Bytes},
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, VARY},
    },
    response::Response,
};
use flate2::Compression;

use super::{answer::gzip, asked::Asked, words::State};

/// What pages share with reports.
const BASE_CSS: &str = include_str!("../../assets/base.css");
const SITE_CSS: &str = include_str!("../../assets/site.css");
const PAGE_JS: &str = include_str!("../../assets/page.js");
/// idiomorph 0.8.0 (page/assets/vendor/README.md).
pub(super) const IDIOMORPH: &str = include_str!("../../assets/vendor/idiomorph-0.8.0.min.js");

/// A file.
pub(crate) struct Asset {
    /// Its path without the first `/`.
    pub(crate) path: String,
    kind: &'static str,
    plain: Bytes,
    packed: Bytes,
}

impl Asset {
    fn new(stem: &str, end: &str, kind: &'static str, text: String) -> Self {
        let hash = blake3::hash(text.as_bytes()).to_hex();
        Asset {
            path: format!("assets/{stem}-{}.{end}", &hash[..12]),
            kind,
            packed: gzip(text.as_bytes(), Compression::best()).into(),
            plain: text.into(),
        }
    }

    /// The file as an answer that never changes.
    fn answer(&self, asked: &Asked) -> Response {
        let mut response = Response::new(Body::from(if asked.gzip { self.packed.clone() } else { self.plain.clone() }));
        let headers = response.headers_mut();
        if asked.gzip {
            headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(self.kind));
        headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
        response
    }
}

/// All files.
pub(crate) struct Assets {
    pub(crate) style: Asset,
    pub(crate) script: Asset,
    icons: Vec<(State, Asset)>,
}

impl Assets {
    /// The icon of a page about something in this state.
    pub(crate) fn icon(&self, state: State) -> &Asset {
        let found = self.icons.iter().find(|(known, _)| *known == state);
        &found.unwrap_or(&self.icons[0]).1
    }

    /// The file at `path`.
    pub(crate) fn answer(&self, asked: &Asked, path: &str) -> Option<Response> {
        let icons = self.icons.iter().map(|(_, icon)| icon);
        let file = [&self.style, &self.script].into_iter().chain(icons).find(|file| file.path == path)?;
        Some(file.answer(asked))
    }
}

/// They are the same for every site.
pub(crate) static ASSETS: LazyLock<Assets> = LazyLock::new(|| Assets {
    style: Asset::new("site", "css", "text/css; charset=utf-8", format!("{BASE_CSS}\n{SITE_CSS}")),
    script: Asset::new("page", "js", "text/javascript; charset=utf-8", format!("{IDIOMORPH}\n{PAGE_JS}")),
    icons: State::ALL
        .into_iter()
        .map(|state| (state, Asset::new(&format!("icon-{}", state.name()), "svg", "image/svg+xml", icon(state))))
        .collect(),
});

/// A disc in the colour of the state, with its shape in it.
fn icon(state: State) -> String {
    let (colour, shape) = match state {
        State::Running => ("#0072b2", "<path d=\"M6 4.5v7l6-3.5z\" fill=\"#fff\"/>"),
        State::Paused => ("#8a5a00", "<path d=\"M5.5 4.5h2v7h-2zm3.5 0h2v7H9z\" fill=\"#fff\"/>"),
        State::Finished => {
            ("#00664a", "<path d=\"M4.5 8.2l2.4 2.4 4.6-5\" fill=\"none\" stroke=\"#fff\" stroke-width=\"1.8\"/>")
        }
        State::Failed => ("#a23a00", "<path d=\"M7.1 4h1.8v5H7.1zm0 6.2h1.8V12H7.1z\" fill=\"#fff\"/>"),
        State::Cancelled => ("#545c66", "<path d=\"M5 5h6v6H5z\" fill=\"#fff\"/>"),
        State::Interrupted => {
            ("#545c66", "<path d=\"M4 8h3m2 0h3\" fill=\"none\" stroke=\"#fff\" stroke-width=\"2\"/>")
        }
        State::Unreadable => ("#a23a00", "<path d=\"M5 5l6 6m0-6l-6 6\" stroke=\"#fff\" stroke-width=\"1.8\"/>"),
    };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 16 16\"><circle cx=\"8\" cy=\"8\" r=\"8\" \
         fill=\"{colour}\"/>{shape}</svg>"
    )
}

/// The answer to a request for `/assets/NAME`.
pub(crate) fn serve(asked: &Asked, name: &str) -> Response {
    ASSETS.answer(asked, &format!("assets/{name}")).unwrap_or_else(|| {
        let mut response = Response::new(Body::from("there is no such file; load the page anew\n"));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        response
    })
}
