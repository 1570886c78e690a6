//! Who may look: a request must come by a name of this site, only look, and bring the view token where there is one.
//!
//! Browsers are asked to hold pages to the same: nothing from elsewhere, no script but ours, no frames.

mod headers;
mod host;
mod session;

use std::{net::SocketAddr, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, to_bytes},
    extract::{Request, State},
    http::{
        HeaderMap, HeaderValue, Method, StatusCode,
        header::{
            ALLOW, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, LOCATION, RETRY_AFTER, SET_COOKIE, WWW_AUTHENTICATE,
        },
        request::Parts,
    },
    middleware::{self, Next},
    response::Response,
};
use coordinator::Token;
use tokio::sync::Semaphore;

use super::{
    answer,
    asked::{self, Asked},
    frame,
    query::Query,
};
use host::Hosts;
use session::Sessions;

/// Path of the form for the token.
const SIGN_IN: &str = "/sign-in";
/// Longest form, in bytes: a token of 1,024 and where to go.
const FORM_MAX: usize = 16_384;
/// Wrong tokens that are answered at once; each takes [`SLOW`].
const GUESSES: usize = 4;
/// How long a wrong token is not answered.
const SLOW: Duration = Duration::from_secs(1);

/// Who may look at pages.
#[derive(Clone, Debug, Default)]
pub struct Guard {
    /// Where the site listens; `None` for a socket that is a file.
    pub listen: Option<SocketAddr>,
    /// Further names by which browsers reach it, with or without a port.
    pub hosts: Vec<String>,
    /// What a viewer must know, if anything.
    pub token: Option<Token>,
}

/// A guard at work.
struct Watch {
    hosts: Hosts,
    token: Option<Token>,
    sessions: Sessions,
    guesses: Semaphore,
}

impl Guard {
    /// The routes, for those who may look.
    pub(crate) fn around(self, routes: Router) -> Router {
        let watch = Watch {
            hosts: Hosts::new(self.listen, self.hosts),
            token: self.token,
            sessions: Sessions::default(),
            guesses: Semaphore::new(GUESSES),
        };
        routes.layer(middleware::from_fn_with_state(Arc::new(watch), admit))
    }
}

async fn admit(State(watch): State<Arc<Watch>>, request: Request, next: Next) -> Response {
    let is_asset = request.uri().path().starts_with("/assets/");
    let mut response = watch.answer(request, next, is_asset).await;
    headers::add(response.headers_mut());
    if watch.token.is_some() && !is_asset {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

impl Watch {
    async fn answer(&self, request: Request, next: Next, is_asset: bool) -> Response {
        let (parts, body) = request.into_parts();
        let Some(host) = asked::host(&parts) else {
            return plain(StatusCode::BAD_REQUEST, "the request names no host\n".to_owned());
        };
        if !self.hosts.knows(&host) {
            return plain(StatusCode::MISDIRECTED_REQUEST, host::refusal(&host));
        }
        let is_form = self.token.is_some() && parts.uri.path() == SIGN_IN;
        match parts.method {
            Method::GET | Method::HEAD => {}
            Method::POST if is_form => return self.sign_in(&parts, &host, body).await,
            _ => {
                let mut refused =
                    plain(StatusCode::METHOD_NOT_ALLOWED, "these pages are to be looked at: GET and HEAD\n".to_owned());
                let allowed = if is_form { "GET, HEAD, POST" } else { "GET, HEAD" };
                refused.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
                return refused;
            }
        }
        if let Some(token) = &self.token {
            let has_session = asked::cookie(&parts.headers, &session::cookie_name(&host))
                .is_some_and(|session| self.sessions.has(&session));
            if is_form {
                return form(&Asked::of(&parts), StatusCode::OK, "");
            }
            // The form needs its style.
            if !has_session && !is_asset {
                match bearer(&parts.headers) {
                    Some(secret) if token.is_secret(secret) => {}
                    Some(_) => return self.wrong(&Asked::of(&parts)).await,
                    None => return form(&Asked::of(&parts), StatusCode::UNAUTHORIZED, ""),
                }
            }
        }
        next.run(Request::from_parts(parts, body)).await
    }

    /// Takes the form: a session for the right token.
    async fn sign_in(&self, parts: &Parts, host: &str, body: Body) -> Response {
        let asked = Asked::of(parts);
        if !is_from_here(&parts.headers, host) {
            return plain(StatusCode::FORBIDDEN, "the form is of another site\n".to_owned());
        }
        let Ok(bytes) = to_bytes(body, FORM_MAX).await else {
            return plain(StatusCode::PAYLOAD_TOO_LARGE, "the form is too long\n".to_owned());
        };
        let sent = Query::parse(&String::from_utf8_lossy(&bytes));
        let right =
            self.token.as_ref().zip(sent.get("token")).is_some_and(|(token, secret)| token.is_secret(secret.trim()));
        if !right {
            return self.wrong(&asked).await;
        }
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SEE_OTHER;
        let headers = response.headers_mut();
        let back = here(sent.get("back").unwrap_or_default());
        headers.insert(LOCATION, HeaderValue::from_str(&back).unwrap_or(HeaderValue::from_static("./")));
        headers.insert(SET_COOKIE, session::set_cookie(host, &self.sessions.open()));
        response
    }

    /// The answer to a wrong token, late.
    async fn wrong(&self, asked: &Asked) -> Response {
        let Ok(_permit) = self.guesses.try_acquire() else {
            let mut refused = plain(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens at once\n".to_owned());
            refused.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("2"));
            return refused;
        };
        tokio::time::sleep(SLOW).await;
        form(asked, StatusCode::UNAUTHORIZED, "That is not the view token.")
    }
}

/// The form for the token, in place of the page that was asked for.
fn form(asked: &Asked, status: StatusCode, fault: &str) -> Response {
    let page = frame::sign_in(asked, fault);
    let mut response = answer::text(asked, status, "text/html; charset=utf-8", page.into_string(), "");
    if status == StatusCode::UNAUTHORIZED {
        response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"redqueen\""));
    }
    response
}

/// Whether a form that changes something was sent by a page of this site. A client that says nothing of it is no browser,
/// so that nobody could have made it send the form.
fn is_from_here(headers: &HeaderMap, host: &str) -> bool {
    let site = asked::text(headers, "sec-fetch-site").is_none_or(|site| matches!(site, "same-origin" | "none"));
    let origin = asked::text(headers, "origin")
        .is_none_or(|origin| origin.split_once("://").is_some_and(|(_, origin)| origin.eq_ignore_ascii_case(host)));
    site && origin
}

/// A path of this site as a link from a page at its root.
pub(crate) fn here(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'"' | b'<' | b'>');
    match path.strip_prefix('/') {
        Some(rest) if !rest.starts_with('/') && rest.bytes().all(plain) => format!("./{rest}"),
        _ => "./".to_owned(),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = asked::text(headers, AUTHORIZATION.as_str())?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

fn plain(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_stays_here() {
        for (path, link) in [
            ("/runs/a?x=1", "./runs/a?x=1"),
            ("/", "./"),
            ("//evil.example/", "./"),
            ("/\\evil.example", "./"),
            ("https://evil.example/", "./"),
            ("/a\r\nSet-Cookie: x", "./"),
            ("", "./"),
        ] {
            assert_eq!(here(path), link, "{path:?}");
        }
    }

    #[test]
    fn forms_of_other_sites_are_known() {
        let from = |pairs: &[(&'static str, &'static str)]| {
            let pairs = pairs
                .iter()
                .map(|(name, value)| (axum::http::HeaderName::from_static(name), HeaderValue::from_static(value)));
            is_from_here(&pairs.collect(), "localhost:7879")
        };
        assert!(from(&[]));
        assert!(from(&[("origin", "http://localhost:7879"), ("sec-fetch-site", "same-origin")]));
        for other in ["http://evil.example", "null", "http://localhost:80"] {
            assert!(!from(&[("origin", other)]), "{other}");
        }
        assert!(!from(&[("sec-fetch-site", "cross-site")]));
    }
}
