//! Which addresses may be dialled for strangers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

/// Why an address is not dialled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct OutOfReach(pub &'static str);

/// How far fetching reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reach {
    /// For servers: `https` to public addresses. A stranger's URL must not open the server's own network.
    #[default]
    Public,
    /// The same with `http`, for documents whose transport protects nothing.
    Web,
    /// The same with private networks and this machine, for those whose operator wants that.
    Local,
    /// For a user's own machine: loopback and private networks too, `http` for loopback only.
    Desktop,
}

impl Reach {
    /// Checks an address before its name is resolved.
    ///
    /// # Errors
    /// The scheme is not allowed, or the address is written as one that is not.
    pub fn check_url(self, url: &Url) -> Result<(), OutOfReach> {
        let host = url.host().ok_or(OutOfReach("no host"))?;
        let literal = match &host {
            Host::Ipv4(address) => Some(IpAddr::V4(*address)),
            Host::Ipv6(address) => Some(IpAddr::V6(*address)),
            Host::Domain(_) => None,
        };
        let is_loopback = literal.is_some_and(|address| address.to_canonical().is_loopback())
            || matches!(host, Host::Domain(name) if is_localhost(name));
        match (url.scheme(), self) {
            ("https", _) | ("http", Self::Web | Self::Local) => {}
            ("http", Self::Desktop) if is_loopback => {}
            _ => return Err(OutOfReach("only https")),
        }
        if matches!(self, Self::Public | Self::Web) && is_loopback {
            return Err(OutOfReach("the address is this machine's own"));
        }
        literal.map_or(Ok(()), |address| self.check_address(address))
    }

    /// Checks an address that a name was resolved to. The one that was checked is the one to dial.
    ///
    /// # Errors
    /// The address is not within reach.
    pub fn check_address(self, address: IpAddr) -> Result<(), OutOfReach> {
        let is_allowed = match self {
            Self::Public | Self::Web => is_public(address),
            Self::Local | Self::Desktop => !is_forbidden_everywhere(address),
        };
        if is_allowed { Ok(()) } else { Err(OutOfReach("the address is not public")) }
    }
}

fn is_localhost(name: &str) -> bool {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    name == "localhost" || name.ends_with(".localhost")
}

/// Whether an address belongs to the public internet: neither private, local, reserved, nor a wrapping of such a one.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    !(address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_broadcast()
        || address.is_documentation()
        || address.is_multicast()
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (18..20).contains(&b))
        || a >= 240)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [first, second, ..] = segments;
    // Only 2000::/3 is given out, which leaves out loopback, unspecified, unique local, link local, multicast, IPv4-mapped
    // and both NAT64 prefixes at once.
    if first & 0xe000 != 0x2000 {
        return false;
    }
    match (first, second) {
        // Teredo and other special registrations below 2001:200::, and documentation.
        (0x2001, 0..0x200) | (0x2001, 0x0db8) => false,
        // 6to4 wraps an IPv4 address.
        (0x2002, _) => false,
        (0x3fff, 0..0x1000) => false,
        _ => true,
    }
}

/// Addresses that no honest URL has, even on a user's own machine: where clouds keep their credentials, and everybody's.
fn is_forbidden_everywhere(address: IpAddr) -> bool {
    let address = address.to_canonical();
    let is_metadata = matches!(address, IpAddr::V4(v4) if v4.is_link_local())
        || matches!(address, IpAddr::V6(v6) if v6.segments() == [0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254]);
    is_metadata
        || address.is_unspecified()
        || address.is_multicast()
        || matches!(address, IpAddr::V4(v4) if v4.is_broadcast())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-062, T-085 in part: spellings of addresses that are not public. SEC-013, AUTH-118
    #[test]
    fn no_spelling_of_an_inner_address_is_within_reach() {
        let hosts = [
            "127.0.0.1",
            "127.1",
            "127.0.1",
            "0177.0.0.1",
            "0x7f.0.0.1",
            "0x7f000001",
            "2130706433",
            "017700000001",
            "127.255.255.254",
            "0.0.0.0",
            "0",
            "0x0",
            "10.0.0.1",
            "10.1",
            "0x0a000001",
            "167772161",
            "012.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.0.1",
            "192.168.1",
            "3232235521",
            "169.254.169.254",
            "0xa9fea9fe",
            "2852039166",
            "0251.0376.0251.0376",
            "169.254.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "198.18.0.1",
            "198.51.100.7",
            "203.0.113.9",
            "192.88.99.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
            "[::1]",
            "[::]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[::ffff:10.0.0.1]",
            "[::ffff:169.254.169.254]",
            "[::127.0.0.1]",
            "[fe80::1]",
            "[fec0::1]",
            "[fc00::1]",
            "[fd00:ec2::254]",
            "[fdff::1]",
            "[ff02::1]",
            "[64:ff9b::7f00:1]",
            "[64:ff9b::a00:1]",
            "[64:ff9b:1::1]",
            "[2002:7f00:1::]",
            "[2002:a00:1::1]",
            "[2002:c0a8:1::]",
            "[2001::1]",
            "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
            "[2001:db8::1]",
            "[2001:10::1]",
            "[100::1]",
            "[3fff::1]",
            "[5f00::1]",
            "localhost",
            "LOCALHOST",
            "localhost.",
            "a.localhost",
            "１２７.0.0.1",
            "127。0。0。1",
        ];
        assert!(hosts.len() >= 60);
        for host in hosts {
            let Ok(url) = Url::parse(&format!("https://{host}/x")) else { continue };
            assert!(Reach::Public.check_url(&url).is_err(), "{host} as {url}");
            assert!(Reach::Web.check_url(&url).is_err(), "{host} as {url}");
        }
        for host in ["1.1.1.1", "93.184.216.34", "[2606:4700::1111]", "example.com", "100.128.0.1", "172.32.0.1"] {
            assert!(Reach::Public.check_url(&Url::parse(&format!("https://{host}/x")).unwrap()).is_ok(), "{host}");
        }
    }

    /// T-062 in part: schemes, and what a name was resolved to. SEC-012
    #[test]
    fn the_scheme_and_the_resolved_address_count() {
        let check = |reach: Reach, url: &str| reach.check_url(&Url::parse(url).unwrap()).is_ok();
        assert!(!check(Reach::Public, "http://example.com/"));
        assert!(!check(Reach::Desktop, "http://example.com/"));
        assert!(check(Reach::Web, "http://example.com/") && !check(Reach::Web, "ftp://example.com/"));
        assert!(check(Reach::Local, "http://10.0.0.1/") && !check(Reach::Local, "http://169.254.169.254/"));
        assert!(check(Reach::Desktop, "http://127.0.0.1:3000/") && check(Reach::Desktop, "http://localhost:3000/"));
        assert!(!check(Reach::Desktop, "ftp://127.0.0.1/") && !check(Reach::Desktop, "https://169.254.169.254/"));
        for address in ["10.0.0.1", "::ffff:10.0.0.1", "169.254.169.254", "64:ff9b::a9fe:a9fe"] {
            assert!(Reach::Public.check_address(address.parse().unwrap()).is_err(), "{address}");
        }
        assert!(Reach::Desktop.check_address("10.0.0.1".parse().unwrap()).is_ok());
        assert!(Reach::Desktop.check_address("::ffff:169.254.169.254".parse().unwrap()).is_err());
    }
}
