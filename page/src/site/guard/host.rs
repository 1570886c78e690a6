//! By which names a site is reached. A page of elsewhere can give its own name the address of this machine (DNS
//! rebinding) and would then read pages as if they were its own; the name that the browser asks by betrays it.

use std::net::{IpAddr, SocketAddr};

/// Longest name that a refusal repeats.
const NAME_MAX: usize = 100;

/// Names of a site.
pub(super) struct Hosts {
    listen: Option<IpAddr>,
    named: Vec<String>,
}

impl Hosts {
    pub(super) fn new(listen: Option<SocketAddr>, named: Vec<String>) -> Self {
        let named = named.into_iter().map(|name| name.to_ascii_lowercase().trim_end_matches('.').to_owned()).collect();
        Hosts { listen: listen.map(|address| address.ip()), named }
    }

    /// Whether `host`, a name with or without a port, is one.
    pub(super) fn knows(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let Some(name) = name_of(&host) else { return false };
        let name = name.trim_end_matches('.');
        if self.named.iter().any(|known| known == name || *known == host) || name == "localhost" {
            return true;
        }
        // An address is not a name, so that nobody could have turned it to this machine.
        match (address(name), self.listen) {
            (Some(address), _) if address.is_loopback() => true,
            (Some(address), Some(listen)) => listen == address || listen.is_unspecified(),
            _ => false,
        }
    }
}

/// A host without its port.
fn name_of(host: &str) -> Option<&str> {
    let (name, port) = match host.strip_prefix('[') {
        Some(rest) => {
            let end = rest.find(']')? + 2;
            (&host[..end], host[end..].strip_prefix(':').or(host[end..].is_empty().then_some("0"))?)
        }
        None => host.split_once(':').unwrap_or((host, "0")),
    };
    (port.parse::<u16>().is_ok() && !name.is_empty()).then_some(name)
}

fn address(name: &str) -> Option<IpAddr> {
    let plain = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(name);
    plain.parse().ok()
}

/// Why a request is refused, and what helps.
pub(super) fn refusal(host: &str) -> String {
    let name: String = name_of(host).unwrap_or(host).chars().filter(char::is_ascii_graphic).take(NAME_MAX).collect();
    format!("these pages are not known by the name `{name}`; if that is theirs, start with --http-host {name}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_elsewhere_is_none_of_ours() {
        let loopback = Hosts::new(Some("127.0.0.1:7879".parse().expect("an address")), vec!["Login.example".into()]);
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:7879",
            "127.9.9.9",
            "[::1]:7879",
            "[::1]",
            "login.example:99",
            "login.example.",
        ] {
            assert!(loopback.knows(host), "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "evil.example:7879",
            "10.0.0.7:7879",
            "127.0.0.1.evil.example",
            "localhost:x",
            "[::1",
            "[::1]x",
            "",
            ":80",
            "2130706433",
        ] {
            assert!(!loopback.knows(host), "{host}");
        }
        let open = Hosts::new(Some("0.0.0.0:80".parse().expect("an address")), Vec::new());
        assert!(open.knows("10.0.0.7") && open.knows("127.0.0.1") && !open.knows("evil.example"));
        let one = Hosts::new(Some("10.0.0.7:80".parse().expect("an address")), Vec::new());
        assert!(one.knows("10.0.0.7:80") && !one.knows("10.0.0.8"));
        let socket = Hosts::new(None, Vec::new());
        assert!(socket.knows("localhost:8080") && !socket.knows("10.0.0.7"));
    }

    #[test]
    fn a_refusal_names_the_flag() {
        assert!(refusal("evil.example:80").ends_with("start with --http-host evil.example\n"));
        assert!(refusal(&"x".repeat(10_000)).len() < 400);
    }
}
