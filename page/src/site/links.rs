//! Links from one page to another. All are relative, so that pages work under any prefix of a proxy.

/// Links of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Links {
    /// The way from the page to the root: `./`, `../../`.
    up: String,
}

impl Links {
    /// Those of the page at `path`, as it was asked for.
    pub(crate) fn of(path: &str) -> Self {
        let depth = path.matches('/').count().saturating_sub(1);
        Links { up: if depth == 0 { "./".to_owned() } else { "../".repeat(depth) } }
    }

    /// A link to a page of the site: its path without the first `/`.
    pub(crate) fn to(&self, path: &str) -> String {
        format!("{}{path}", self.up)
    }

    /// A page of a run; `page` is empty, or begins with `/` or `?`.
    pub(crate) fn run(&self, key: &str, page: &str) -> String {
        format!("{}runs/{}{page}", self.up, encoded(key))
    }

    /// The page of a trial.
    pub(crate) fn trial(&self, key: &str, stage: u32, trial: u64) -> String {
        self.run(key, &format!("/trials/{stage}/{trial}"))
    }

    /// The page of a worker.
    pub(crate) fn worker(&self, name: &str) -> String {
        format!("{}workers/{}", self.up, encoded(name))
    }
}

/// Text as one segment of a path or one value of a query.
pub(crate) fn encoded(text: &str) -> String {
    let mut link = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            // A segment of dots alone would be a way up.
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'~' => link.push(byte.into()),
            b'.' if !text.bytes().all(|byte| byte == b'.') => link.push('.'),
            _ => link.push_str(&format!("%{byte:02X}")),
        }
    }
    link
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_root() {
        for (path, link) in [("/", "./workers"), ("/workers", "./workers"), ("/runs/a/trials", "../../workers")] {
            assert_eq!(Links::of(path).to("workers"), link, "{path}");
        }
    }

    #[test]
    fn names_are_one_segment() {
        let links = Links::of("/workers");
        assert_eq!(links.worker("a/b?c#d e"), "./workers/a%2Fb%3Fc%23d%20e");
        assert_eq!(links.worker(".."), "./workers/%2E%2E");
        assert_eq!(links.worker("w1.example"), "./workers/w1.example");
        assert_eq!(links.run("ab12", "/trials?stage=3"), "./runs/ab12/trials?stage=3");
    }
}
