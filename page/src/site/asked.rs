//! A request, as far as pages care.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{
        HeaderMap,
        header::{ACCEPT_ENCODING, COOKIE, HOST, IF_NONE_MATCH},
        request::Parts,
    },
};

use super::{links::Links, query::Query};

/// Which colours were chosen by hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Those of the system.
    #[default]
    System,
    /// Light ones.
    Light,
    /// Dark ones.
    Dark,
}

impl Theme {
    /// Each, by its name in cookies and addresses.
    pub(crate) const ALL: [(&'static str, Theme); 3] =
        [("system", Theme::System), ("light", Theme::Light), ("dark", Theme::Dark)];

    /// The one of that name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Theme::ALL.into_iter().find(|(known, _)| *known == name).map(|(_, theme)| theme)
    }

    /// What the document's element says of it.
    pub(crate) fn attribute(self) -> Option<&'static str> {
        match self {
            Theme::System => None,
            Theme::Light => Some("light"),
            Theme::Dark => Some("dark"),
        }
    }
}

/// Name of the cookie that keeps the theme.
pub(crate) const THEME_COOKIE: &str = "redqueen-theme";

/// A request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Its path and query.
    pub(crate) target: String,
    /// Links of the page at its path.
    pub(crate) links: Links,
    /// Its query.
    pub(crate) query: Query,
    /// The part of a page that is asked for, if it is not all of it.
    pub(crate) part: Option<String>,
    /// The colours.
    pub(crate) theme: Theme,
    /// Whether the answer may be compressed.
    pub(crate) gzip: bool,
    /// What the asker has already.
    pub(crate) known: Option<String>,
}

impl Asked {
    /// What a request asks.
    pub(crate) fn of(parts: &Parts) -> Self {
        let query = Query::parse(parts.uri.query().unwrap_or_default());
        Asked {
            target: parts.uri.path_and_query().map_or("/", |target| target.as_str()).to_owned(),
            links: Links::of(parts.uri.path()),
            part: query.get("part").map(str::to_owned),
            query,
            theme: cookie(&parts.headers, THEME_COOKIE).and_then(|name| Theme::named(&name)).unwrap_or_default(),
            gzip: accepts_gzip(&parts.headers),
            known: text(&parts.headers, IF_NONE_MATCH.as_str()).map(str::to_owned),
        }
    }

    /// Its path.
    pub(crate) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }
}

impl<S: Sync> FromRequestParts<S> for Asked {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        Ok(Asked::of(parts))
    }
}

/// A header's text.
pub(crate) fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// The value of a cookie.
pub(crate) fn cookie(headers: &HeaderMap, name: &str) -> Option<String> {
    let cookies = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(known, _)| *known == name).map(|(_, value)| value.to_owned())
}

/// The host that a request names: of the address it asks for, or of its header.
pub(crate) fn host(parts: &Parts) -> Option<String> {
    match parts.uri.authority() {
        Some(authority) => Some(authority.as_str().to_owned()),
        None => text(&parts.headers, HOST.as_str()).map(str::to_owned),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = text(headers, ACCEPT_ENCODING.as_str()).unwrap_or_default();
    accepted.split(',').any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}
