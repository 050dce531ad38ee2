//! Where requests may go: schemes, hosts and addresses.

use std::io;
use std::net::{IpAddr, SocketAddr};

use jackfield_http::client::{Boxed, Resolve};
use url::{Host, Url};

use super::address::is_public;

/// Where requests may go. It is fixed when the server starts.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Destinations {
    /// Whether private, loopback and link-local addresses may be fetched from.
    pub allow_private_addresses: bool,
    /// Hosts that may be fetched from, with their sub-domains; all if empty.
    pub allowed_hosts: Vec<String>,
    /// Hosts that may not be fetched from, with their sub-domains. They win over the allowed ones.
    pub denied_hosts: Vec<String>,
    /// Addresses that count as public, because tests have no public ones.
    #[cfg(test)]
    pub(super) public_in_tests: Vec<IpAddr>,
}

/// Why nothing is sent to a URL.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("only http and https URLs are fetched")]
    Scheme,
    #[error("a URL with a user name or password is not fetched")]
    UserInfo,
    #[error("the URL has no host")]
    NoHost,
    #[error("the operator of this server does not allow the host {0}")]
    Host(String),
    #[error(
        "{host} resolves to {address}, which is not a public address. Start the server with --allow-private-ips to allow private, loopback and link-local addresses."
    )]
    Address { host: String, address: IpAddr },
}

impl Destinations {
    /// Checks what can be seen without resolving the name. An address counts however it is spelled, because `url` parses it as
    /// browsers and resolvers do.
    pub(super) fn check(&self, url: &Url) -> Result<(), Refusal> {
        self.check_form(url)?;
        let name = url.host_str().unwrap_or_default();
        match url.host() {
            Some(Host::Ipv4(address)) => self.check_address(name, address.into()),
            Some(Host::Ipv6(address)) => self.check_address(name, address.into()),
            _ => Ok(()),
        }
    }

    /// Checks everything but the address.
    pub(super) fn check_form(&self, url: &Url) -> Result<(), Refusal> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Refusal::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refusal::UserInfo);
        }
        let name = url.host_str().filter(|name| !name.is_empty()).ok_or(Refusal::NoHost)?;
        self.check_name(name)
    }

    fn check_name(&self, name: &str) -> Result<(), Refusal> {
        let name = name.trim_end_matches('.').to_ascii_lowercase();
        let is_one_of = |hosts: &[String]| hosts.iter().any(|host| is_below(&name, host));
        let is_allowed = self.allowed_hosts.is_empty() || is_one_of(&self.allowed_hosts);
        if is_allowed && !is_one_of(&self.denied_hosts) { Ok(()) } else { Err(Refusal::Host(name)) }
    }

    fn check_address(&self, host: &str, address: IpAddr) -> Result<(), Refusal> {
        #[cfg(test)]
        if self.public_in_tests.contains(&address) {
            return Ok(());
        }
        if self.allow_private_addresses || is_public(address) {
            return Ok(());
        }
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        Err(Refusal::Address { host, address })
    }
}

fn is_below(name: &str, host: &str) -> bool {
    let host = host.trim_matches('.').to_ascii_lowercase();
    !host.is_empty() && (name == host || name.strip_suffix(&host).is_some_and(|rest| rest.ends_with('.')))
}

/// Resolves names, and refuses a name if any of its addresses may not be reached. Connections are opened to what it returned, so
/// that a name cannot mean something else between the check and the connection.
#[derive(Debug)]
pub(super) struct CheckedNames<R> {
    destinations: Destinations,
    names: R,
}

impl<R: Resolve> CheckedNames<R> {
    pub(super) fn new(destinations: Destinations, names: R) -> Self {
        Self { destinations, names }
    }
}

impl<R: Resolve> Resolve for CheckedNames<R> {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Boxed<'a, io::Result<Vec<SocketAddr>>> {
        Box::pin(async move {
            let addresses = self.names.resolve(host, port).await?;
            for address in &addresses {
                self.destinations
                    .check_address(host, address.ip())
                    .map_err(|refusal| io::Error::new(io::ErrorKind::PermissionDenied, refusal))?;
            }
            Ok(addresses)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(destinations: &Destinations, url: &str) -> Option<Refusal> {
        destinations.check(&Url::parse(url).unwrap()).err()
    }

    /// The original of long ago compared text; each of these is this machine.
    #[test]
    fn no_spelling_of_an_inner_address_passes() {
        for host in [
            "127.0.0.1",
            "2130706433",
            "127.1",
            "0x7f.1",
            "0177.0.0.1",
            "0x7f000001",
            "017700000001",
            "127.0.1",
            "0",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "[::]",
            "１２７.0.0.1",
            "127。0。0。1",
            "127.0.0.1.",
        ] {
            let refused = refusal(&Destinations::default(), &format!("http://{host}/"));
            assert!(matches!(refused, Some(Refusal::Address { .. })), "{host}: {refused:?}");
        }
        let private = Destinations { allow_private_addresses: true, ..Destinations::default() };
        assert_eq!(refusal(&private, "http://127.1/"), None);
    }

    #[test]
    fn a_refused_address_is_named() {
        let refused = refusal(&Destinations::default(), "http://2130706433/x").unwrap();
        assert_eq!(
            refused.to_string(),
            "127.0.0.1 resolves to 127.0.0.1, which is not a public address. Start the server with --allow-private-ips \
             to allow private, loopback and link-local addresses."
        );
    }

    #[test]
    fn only_plain_web_addresses_pass() {
        let open = Destinations::default();
        for (url, wanted) in [
            ("file:///etc/passwd", Refusal::Scheme),
            ("ftp://example.org/", Refusal::Scheme),
            ("gopher://example.org/", Refusal::Scheme),
            ("data:text/plain,x", Refusal::Scheme),
            ("http://user@example.org/", Refusal::UserInfo),
            ("http://:secret@example.org/", Refusal::UserInfo),
            ("https://example.org%2f@evil.example/", Refusal::UserInfo),
        ] {
            assert_eq!(refusal(&open, url), Some(wanted), "{url}");
        }
        assert_eq!(refusal(&open, "https://example.org:8443/x"), None);
    }

    #[test]
    fn hosts_are_allowed_and_denied_with_what_is_below_them() {
        let some = Destinations {
            allowed_hosts: vec!["Example.org".to_owned()],
            denied_hosts: vec!["secret.example.org".to_owned()],
            ..Destinations::default()
        };
        for (host, passes) in [
            ("example.org", true),
            ("EXAMPLE.ORG.", true),
            ("a.example.org", true),
            ("secret.example.org", false),
            ("x.secret.example.org", false),
            ("evilexample.org", false),
            ("example.org.evil.net", false),
        ] {
            assert_eq!(refusal(&some, &format!("http://{host}/")).is_none(), passes, "{host}");
        }
    }
}
