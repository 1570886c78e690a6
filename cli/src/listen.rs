//! Where a coordinator listens: an address or a network interface, with a port or a range of them.

use std::{
    net::{IpAddr, SocketAddr},
    str::FromStr,
};

use crate::error::CliError;

/// `ADDRESS:PORT`, `INTERFACE:PORT`, or either with `PORT-PORT`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listen {
    host: Host,
    port: u16,
    /// Further ports to try.
    pub(crate) more: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Interface(String),
}

impl FromStr for Listen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || format!("`{text}` is none of ADDRESS:PORT, ADDRESS:PORT-PORT, INTERFACE:PORT");
        let (host, ports) = text.rsplit_once(':').ok_or_else(form)?;
        let (first, last) = ports.split_once('-').unwrap_or((ports, ports));
        let port = |text: &str| text.parse::<u16>().map_err(|_| format!("`{text}` is not a port (0 to 65535)"));
        let (first, last) = (port(first)?, port(last)?);
        let more = last.checked_sub(first).ok_or_else(|| format!("no port is from {first} to {last}"))?;
        if first == 0 && more > 0 {
            return Err("port 0 takes any free one and begins no range".to_owned());
        }
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
        let host = match bare.parse() {
            Ok(address) => Host::Address(address),
            Err(_) if bare.is_empty() || bare.contains([':', '/', ' ']) => return Err(form()),
            Err(_) => Host::Interface(bare.to_owned()),
        };
        Ok(Listen { host, port: first, more })
    }
}

impl Listen {
    /// The address to listen on.
    pub(crate) fn address(&self) -> Result<SocketAddr, CliError> {
        let name = match &self.host {
            Host::Address(address) => return Ok(SocketAddr::new(*address, self.port)),
            Host::Interface(name) => name,
        };
        let all = interfaces();
        let of_it = all.iter().filter(|(interface, _)| interface == name);
        // IPv4 first: more networks of clusters have it. Link-local addresses need the name of an interface on both ends.
        let best = of_it.map(|(_, address)| *address).filter(|a| !is_link_local(a)).min_by_key(IpAddr::is_ipv6);
        best.map(|address| SocketAddr::new(address, self.port)).ok_or_else(|| {
            let mut names: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
            names.dedup();
            CliError::usage(format!("this machine has no network interface `{name}` with an address"))
                .hint(format!("it has {}", names.join(", ")))
        })
    }
}

/// The URLs at which a coordinator that listens on `address` may be reached, the best first.
pub(crate) fn urls(scheme: &str, address: SocketAddr) -> Vec<String> {
    let url = |ip: IpAddr| format!("{scheme}://{}", SocketAddr::new(ip, address.port()));
    if !address.ip().is_unspecified() {
        return vec![url(address.ip())];
    }
    let mut all: Vec<IpAddr> = interfaces().into_iter().map(|(_, ip)| ip).collect();
    all.retain(|ip| !is_link_local(ip) && (address.is_ipv6() || ip.is_ipv4()));
    // Loopback serves on the same machine only.
    all.sort_by_key(|ip| (ip.is_loopback(), ip.is_ipv6()));
    all.dedup();
    all.into_iter().map(url).collect()
}

/// Names and addresses of this machine's network interfaces; none if the system does not tell.
pub(crate) fn interfaces() -> Vec<(String, IpAddr)> {
    let all = if_addrs::get_if_addrs().unwrap_or_default();
    all.into_iter().map(|interface| (interface.name.clone(), interface.ip())).collect()
}

fn is_link_local(ip: &IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_ports_are_read() {
        for (text, port, more) in
            [("127.0.0.1:7878", 7878, 0), ("0.0.0.0:0", 0, 0), ("[::1]:7800-7899", 7800, 99), ("::1:80", 80, 0)]
        {
            let listen: Listen = text.parse().expect(text);
            assert!(matches!(listen.host, Host::Address(_)), "{text}");
            assert_eq!((listen.port, listen.more), (port, more), "{text}");
        }
        let lo: Listen = "lo:7878".parse().expect("an interface");
        assert!(lo.address().expect("every machine has it").ip().is_loopback());
        for (text, why) in [
            ("7878", "none of"),
            (":7878", "none of"),
            ("127.0.0.1:70000", "not a port"),
            ("eth0:9-8", "no port"),
            ("lo:0-9", "begins no range"),
            ("http://h:1", "none of"),
        ] {
            let refused = text.parse::<Listen>().expect_err(text);
            assert!(refused.contains(why), "{text}: {refused}");
        }
        let unknown = "nosuch0:1".parse::<Listen>().expect("a name").address().expect_err("unknown");
        assert!(unknown.hint.is_some_and(|hint| hint.contains("lo")));
    }

    #[test]
    fn a_coordinator_on_every_address_is_reached_by_loopback_last() {
        let found = urls("https", "0.0.0.0:7878".parse().expect("an address"));
        assert_eq!(found.last().map(String::as_str), Some("https://127.0.0.1:7878"));
        assert_eq!(urls("http", "[::1]:5".parse().expect("an address")), ["http://[::1]:5"]);
    }
}
