//! Ways to the coordinator.

use std::{fmt, sync::Arc};

use redqueen_wire::{Credentials, Dial, Tls};

/// A way to the coordinator.
#[derive(Clone)]
pub struct Route {
    /// `http://host:port` of the coordinator, or `https`.
    pub url: String,
    /// The token, if the coordinator demands one; read for each connection.
    pub credentials: Credentials,
    /// The TLS configuration, for `https`.
    pub tls: Option<Tls>,
    /// How connections are opened: over TCP, or a simulated network in tests.
    pub dial: Dial,
}

/// Why no way to the coordinator is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// Not yet, or not now: this is why.
    ForNow(String),
    /// There is nothing to do any more.
    Finished,
}

/// Finds the ways to the coordinator, the best first.
pub type Find = Arc<dyn Fn() -> Result<Vec<Route>, Unknown> + Send + Sync>;

/// How the coordinator is reached.
#[derive(Clone)]
pub enum Routes {
    /// Always by the same way.
    Fixed(Route),
    /// By ways that are looked up before every round of attempts, since a coordinator may move.
    Found {
        /// Where they are looked up, for people.
        place: String,
        /// Looks them up; may block.
        find: Find,
    },
}

impl fmt::Debug for Routes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.place())
    }
}

impl Routes {
    /// The URL, or where URLs are looked up.
    pub(crate) fn place(&self) -> &str {
        match self {
            Routes::Fixed(route) => &route.url,
            Routes::Found { place, .. } => place,
        }
    }

    async fn find(&self) -> Result<Vec<Route>, Unknown> {
        match self {
            Routes::Fixed(route) => Ok(vec![route.clone()]),
            Routes::Found { find, .. } => {
                let find = Arc::clone(find);
                let found = tokio::task::spawn_blocking(move || find()).await;
                found.unwrap_or_else(|panic| std::panic::resume_unwind(panic.into_panic()))
            }
        }
    }
}

/// Takes the ways in turn, in rounds that begin with the one that last worked.
pub(crate) struct Rota<'a> {
    routes: &'a Routes,
    /// Those that are untried in this round.
    left: Vec<Route>,
    /// URL of the one that last worked.
    good: Option<String>,
}

impl<'a> Rota<'a> {
    pub(crate) fn new(routes: &'a Routes) -> Self {
        Rota { routes, left: Vec::new(), good: None }
    }

    /// The next way to try.
    pub(crate) async fn next(&mut self) -> Result<Route, Unknown> {
        if self.left.is_empty() {
            self.left = self.routes.find().await?;
            self.left.sort_by_key(|route| self.good.as_ref() != Some(&route.url));
            self.left.reverse();
        }
        self.left.pop().ok_or_else(|| Unknown::ForNow("it names no address".to_owned()))
    }

    /// Whether some of this round are untried.
    pub(crate) fn has_more(&self) -> bool {
        !self.left.is_empty()
    }

    /// Notes that the way to `url` worked, and begins a new round.
    pub(crate) fn worked(&mut self, url: String) {
        self.good = Some(url);
        self.left.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_round_begins_with_the_way_that_last_worked() {
        let route = |url: &&str| Route {
            url: (*url).to_owned(),
            credentials: Credentials::default(),
            tls: None,
            dial: redqueen_wire::tcp(),
        };
        let find: Find = Arc::new(move || Ok(["a", "b", "c"].iter().map(route).collect()));
        let routes = Routes::Found { place: "here".to_owned(), find };
        let mut rota = Rota::new(&routes);
        let mut seen = Vec::new();
        for works in [false, false, true, false, false, false, false] {
            let route = rota.next().await.expect("a way");
            seen.push(route.url.clone());
            if works {
                rota.worked(route.url);
            }
        }
        assert_eq!(seen, ["a", "b", "c", "c", "a", "b", "c"]);
        assert!(rota.has_more());
    }
}
