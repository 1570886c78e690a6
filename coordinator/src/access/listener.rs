//! The account at the other end of a connection within this machine.

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

/// State of a listening socket in the tables of Linux.
const LISTENS: &str = "0A";

/// The accounts (uids) behind the connection from `here` to `there`, as far as known.
///
/// Linux lists sockets with their owners: the listening socket and, once the connection is accepted, that of the
/// connection. A connection that waits to be accepted is listed as root's and ends with the listening socket. So if
/// both must have a trusted owner, the port cannot change hands in between. On other systems no owner is known.
pub(super) fn owners(here: SocketAddr, there: SocketAddr) -> Vec<u32> {
    let read = |name| fs::read_to_string(name).unwrap_or_default();
    let sockets = [read("/proc/self/net/tcp"), read("/proc/self/net/tcp6")];
    sockets.iter().flat_map(|table| table.lines()).filter_map(|line| owner(line, here, there)).collect()
}

/// Owner of the socket in a line, if it is the other end of the connection or listens for it.
fn owner(line: &str, here: SocketAddr, there: SocketAddr) -> Option<u32> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let (local, remote) = (address(fields.get(1)?)?, address(fields.get(2)?)?);
    let same = |one: SocketAddr, other: SocketAddr| {
        one.port() == other.port() && one.ip().to_canonical() == other.ip().to_canonical()
    };
    let listens = *fields.get(3)? == LISTENS
        && local.port() == there.port()
        && (local.ip().is_unspecified() || same(local, there));
    if listens || (same(local, there) && same(remote, here)) { fields.get(7)?.parse().ok() } else { None }
}

/// An address in the tables: words of four bytes in the byte order of the machine, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (ip, port) = text.split_once(':')?;
    let word = |at: usize| Some(u32::from_str_radix(ip.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let ip: IpAddr = match ip.len() {
        8 => Ipv4Addr::from(word(0)?).into(),
        32 => {
            let bytes = [word(0)?, word(8)?, word(16)?, word(24)?].concat();
            Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?).into()
        }
        _ => return None,
    };
    Some(SocketAddr::from((ip, u16::from_str_radix(port, 16).ok()?)))
}

#[cfg(all(test, target_endian = "little"))]
mod tests {
    use super::*;

    #[test]
    fn owners_are_found_by_the_addresses_of_sockets() {
        let (here, there) = ("127.0.0.1:50000".parse().expect("one"), "127.0.0.1:7878".parse().expect("one"));
        // As Linux writes them; 7878 is 1EC6 and 50000 is C350.
        let rows = [
            ("0100007F:1EC6 00000000:0000 0A", Some(1000), "listens on the address"),
            ("00000000:1EC6 00000000:0000 0A", Some(1000), "listens on every address"),
            ("0100007F:1EC6 0100007F:C350 01", Some(1000), "was accepted"),
            ("0100007F:C350 0100007F:1EC6 01", None, "is our own end"),
            ("0200007F:1EC6 00000000:0000 0A", None, "listens on another address"),
            ("0100007F:1EC7 00000000:0000 0A", None, "listens on another port"),
            ("0100007F:1EC6 0100007F:C351 01", None, "is another connection"),
            (
                "00000000000000000000000000000000:1EC6 00000000000000000000000000000000:0000 0A",
                Some(1000),
                "both families",
            ),
            (
                "0000000000000000FFFF00000100007F:1EC6 0000000000000000FFFF00000100007F:C350 01",
                Some(1000),
                "was accepted by a socket of both families",
            ),
        ];
        for (socket, wanted, what) in rows {
            let line = format!("  12: {socket} 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0 100 0");
            assert_eq!(owner(&line, here, there), wanted, "{what}");
        }
        assert_eq!(owner("  sl  local_address rem_address   st tx_queue", here, there), None);
    }
}
