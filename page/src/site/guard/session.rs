//! Sessions of viewers who gave the token: random names in a cookie, so that the token itself is nowhere kept.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use axum::http::HeaderValue;

/// How long one lasts.
const LASTS: Duration = Duration::from_secs(12 * 3_600);
/// Most at once; the oldest go.
const MOST: usize = 256;

/// The open sessions.
#[derive(Default)]
pub(super) struct Sessions(Mutex<VecDeque<(blake3::Hash, Instant)>>);

impl Sessions {
    /// A new one; gives its name.
    pub(super) fn open(&self) -> String {
        let name = format!("{:032x}", rand::random::<u128>());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() == MOST {
            open.pop_front();
        }
        open.push_back((blake3::hash(name.as_bytes()), Instant::now()));
        name
    }

    /// Whether one of that name is open.
    pub(super) fn has(&self, name: &str) -> bool {
        // Hashes compare in constant time.
        let name = blake3::hash(name.as_bytes());
        let mut open = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while open.front().is_some_and(|(_, since)| since.elapsed() > LASTS) {
            open.pop_front();
        }
        open.iter().any(|(known, _)| *known == name)
    }
}

/// The cookie of a site's session. Browsers send cookies to every port of a machine, so the port is in its name.
pub(super) fn cookie_name(host: &str) -> String {
    let port =
        host.rsplit_once(':').map(|(_, port)| port).filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
    format!("redqueen-view-{}", port.unwrap_or("80"))
}

/// The header that gives a browser its session.
pub(super) fn set_cookie(host: &str, session: &str) -> HeaderValue {
    let cookie =
        format!("{}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}", cookie_name(host), LASTS.as_secs());
    let mut value = HeaderValue::from_str(&cookie).expect("digits, letters and signs");
    value.set_sensitive(true);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_few_and_hard_to_guess() {
        let sessions = Sessions::default();
        let first = sessions.open();
        assert!(sessions.has(&first));
        assert!(!sessions.has("") && !sessions.has(&first[1..]));
        let all: std::collections::BTreeSet<String> = (0..MOST).map(|_| sessions.open()).collect();
        assert_eq!(all.len(), MOST);
        assert!(!sessions.has(&first), "the oldest has gone");
    }
}
