//! Which addresses belong to the public internet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks without public destinations: IANA's special-purpose registry, multicast and the reserved rest.
const INNER_V4: [(Ipv4Addr, u32); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Anycast services inside those.
const PUBLIC_V4: [(Ipv4Addr, u32); 2] = [(Ipv4Addr::new(192, 0, 0, 9), 32), (Ipv4Addr::new(192, 0, 0, 10), 32)];

/// The same for IPv6.
const INNER_V6: [(Ipv6Addr, u32); 13] = [
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    // IPv4-compatible addresses, deprecated: some systems still send them to the IPv4 address inside.
    (Ipv6Addr::UNSPECIFIED, 96),
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x100, 0, 0, 0, 0, 0, 0, 0), 64),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
];

/// Anycast and other global services inside 2001::/23.
const PUBLIC_V6: [(Ipv6Addr, u32); 6] = [
    (Ipv6Addr::new(0x2001, 1, 0, 0, 0, 0, 0, 1), 128),
    (Ipv6Addr::new(0x2001, 1, 0, 0, 0, 0, 0, 2), 128),
    (Ipv6Addr::new(0x2001, 3, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2001, 4, 0x112, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x2001, 0x20, 0, 0, 0, 0, 0, 0), 28),
    (Ipv6Addr::new(0x2001, 0x30, 0, 0, 0, 0, 0, 0), 28),
];

/// The prefix of NAT64 (RFC 6052): a gateway sends to the IPv4 address in the last 32 bits.
const NAT64: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is a public destination. One that carries an IPv4 address is judged by that.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match inner_v4(address) {
            Some(inner) => is_public_v4(inner),
            None => contains_v6(&PUBLIC_V6, address) || !contains_v6(&INNER_V6, address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    contains_v4(&PUBLIC_V4, address) || !contains_v4(&INNER_V4, address)
}

/// Returns the IPv4 address that packets to an IPv4-mapped or NAT64 address end up at.
fn inner_v4(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let nat64 = || contains_v6(&[NAT64], address).then(|| Ipv4Addr::from(last_32_bits(address)));
    address.to_ipv4_mapped().or_else(nat64)
}

fn last_32_bits(address: Ipv6Addr) -> [u8; 4] {
    let [.., a, b, c, d] = address.octets();
    [a, b, c, d]
}

fn contains_v4(networks: &[(Ipv4Addr, u32)], address: Ipv4Addr) -> bool {
    networks.iter().any(|(network, bits)| {
        let ignored = 32_u32.saturating_sub(*bits);
        (u32::from(*network) ^ u32::from(address)).checked_shr(ignored).unwrap_or(0) == 0
    })
}

fn contains_v6(networks: &[(Ipv6Addr, u32)], address: Ipv6Addr) -> bool {
    networks.iter().any(|(network, bits)| {
        let ignored = 128_u32.saturating_sub(*bits);
        (u128::from(*network) ^ u128::from(address)).checked_shr(ignored).unwrap_or(0) == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(addresses: &str, wanted: bool) {
        for address in addresses.split_whitespace() {
            assert_eq!(is_public(address.parse().unwrap()), wanted, "{address}");
        }
    }

    /// The first and the last address of every network of the contract.
    #[test]
    fn special_networks_are_not_public_to_their_edges() {
        check(
            "0.0.0.0 0.255.255.255 10.0.0.0 10.255.255.255 100.64.0.0 100.127.255.255 127.0.0.0 127.255.255.255",
            false,
        );
        check("169.254.0.0 169.254.169.254 169.254.255.255 172.16.0.0 172.31.255.255 192.0.0.0 192.0.0.8", false);
        check("192.0.0.11 192.0.0.255 192.0.2.0 192.0.2.255 192.88.99.0 192.88.99.255 192.168.0.0", false);
        check("192.168.255.255 198.18.0.0 198.19.255.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255", false);
        check("224.0.0.0 239.255.255.255 240.0.0.0 255.255.255.255 100.100.100.200", false);
        check(":: ::1 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff 100:: 100::ffff:ffff:ffff:ffff", false);
        check(
            "2001:: 2001:1ff:ffff::1 2001:db8:: 2001:db8:ffff::1 2002:: 2002:ffff::1 fc00:: fdff::1 fd00:ec2::254",
            false,
        );
        check("fe80:: febf::1 ff00:: ff02::1 fec0::1 3fff::1 ::127.0.0.1 ::7f00:1", false);
    }

    #[test]
    fn their_neighbours_and_exceptions_are_public() {
        check("1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0", true);
        check("169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 192.0.0.9 192.0.0.10 192.0.1.0 192.0.3.0", true);
        check("192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 198.17.255.255 198.20.0.0 223.255.255.255", true);
        check("2001:1::1 2001:1::2 2001:3::1 2001:4:112::1 2001:20::1 2001:2f:ffff::1 2001:30::1 2001:200::1", true);
        check("2001:db7:ffff::1 2001:db9::1 2003::1 2606:4700::1111 2a00:1450:4001::1", true);
    }

    #[test]
    fn an_address_that_carries_another_is_judged_by_that() {
        check("::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 64:ff9b::a9fe:a9fe", false);
        check("::ffff:1.1.1.1 64:ff9b::101:101 ::ffff:192.0.0.9", true);
    }
}
