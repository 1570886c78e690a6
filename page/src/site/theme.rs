//! The colours that a viewer prefers, in a cookie.

use axum::{
    body::Body,
    extract::Path,
    http::{
        HeaderValue, StatusCode,
        header::{CACHE_CONTROL, LOCATION, SET_COOKIE},
    },
    response::Response,
};

use super::asked::{Asked, THEME_COOKIE, Theme};

/// Keeps the theme of that name and goes back to where the link was.
pub(crate) async fn choose(asked: Asked, Path(name): Path<String>) -> Response {
    let mut response = Response::new(Body::empty());
    let Some(theme) = Theme::named(&name) else {
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    // It decides nothing but colours, so that a link of another site that sets it does no harm.
    let lasts = if theme == Theme::System { 0 } else { 31_536_000 };
    let cookie = format!("{THEME_COOKIE}={name}; Path=/; HttpOnly; SameSite=Lax; Max-Age={lasts}");
    let back = super::guard::here(asked.query.get("back").unwrap_or_default());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(LOCATION, location(&asked, &back));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        headers.insert(SET_COOKIE, cookie);
    }
    response
}

/// A way from the root, `./runs`, as one from this page.
fn location(asked: &Asked, back: &str) -> HeaderValue {
    let way = asked.links.to(back.strip_prefix("./").unwrap_or_default());
    HeaderValue::from_str(&way).unwrap_or(HeaderValue::from_static("../"))
}
