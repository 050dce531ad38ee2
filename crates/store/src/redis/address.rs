//! Where Redis is.

use std::fmt;
use std::time::Duration;

use redis::{ConnectionInfo, IntoConnectionInfo};

use crate::StoreError;

/// Where Redis is, as its address says.
#[derive(Clone)]
pub(super) struct Address {
    /// One server, or some nodes of a cluster.
    pub(super) nodes: Vec<ConnectionInfo>,
    pub(super) is_cluster: bool,
    /// What the names of all keys begin with.
    pub(super) prefix: String,
    /// How long a command may take.
    pub(super) timeout: Duration,
}

impl Address {
    /// Reads `redis://[USER:PASSWORD@]HOST[:PORT][,HOST…][/DB][?prefix=TEXT][&timeout=MILLISECONDS]`.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let bad = StoreError::BadUrl;
        let (scheme, rest) = url.split_once("://").ok_or(bad("`//` and a host have to stand behind `redis:`"))?;
        let (scheme, is_cluster) = match scheme.strip_suffix("+cluster") {
            Some(scheme) => (scheme, true),
            None => (scheme, false),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (place, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, hosts) = place.rsplit_once('@').map_or(("", place), |(login, hosts)| (login, hosts));
        let login = if login.is_empty() { String::new() } else { format!("{login}@") };
        let node = |host: &str| {
            let text = format!("{scheme}://{login}{host}/{path}");
            // What the parser complains about may show the password.
            text.as_str().into_connection_info().map_err(|_| bad("the host, the port or the database cannot be read"))
        };
        let nodes = hosts.split(',').map(node).collect::<Result<Vec<_>, _>>()?;
        let is_cluster = is_cluster || nodes.len() > 1;
        if is_cluster && !matches!(path, "" | "0") {
            return Err(bad("a cluster has no databases"));
        }
        let mut address = Self { nodes, is_cluster, prefix: "jackfield:".to_owned(), timeout: Duration::from_secs(1) };
        for option in query.split('&').filter(|option| !option.is_empty()) {
            match option.split_once('=') {
                Some(("prefix", prefix)) if !prefix.contains(['{', '}']) => address.prefix = prefix.to_owned(),
                Some(("timeout", millis)) => {
                    let millis = millis.parse::<u32>().ok().filter(|millis| *millis > 0);
                    let millis = millis.ok_or(bad("`timeout` has to be a number of milliseconds"))?;
                    address.timeout = Duration::from_millis(millis.into());
                }
                _ => return Err(bad("behind `?` there may be `prefix=` and `timeout=`")),
            }
        }
        Ok(address)
    }
}

/// Shows hosts, and nothing that is secret.
impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes: Vec<_> = self.nodes.iter().map(|node| node.addr().to_string()).collect();
        f.debug_struct("Address").field("nodes", &nodes).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (url, nodes, is_cluster) in [
            ("redis://localhost", "localhost:6379", false),
            ("redis://localhost:1234/3", "localhost:1234", false),
            ("rediss://user:pass@example.com:1", "example.com:1", false),
            ("redis://:p%40ss@[::1]:7000", "::1:7000", false),
            ("redis+cluster://a", "a:6379", true),
            ("redis://:secret@a:1,b,c:3", "a:1 b:6379 c:3", true),
        ] {
            let address = Address::parse(url).expect(url);
            let found: Vec<_> = address.nodes.iter().map(|node| node.addr().to_string()).collect();
            assert_eq!((found.join(" ").replace(['[', ']'], "").as_str(), address.is_cluster), (nodes, is_cluster));
            assert!(!format!("{address:?}").contains("ss@") && !format!("{address:?}").contains("secret"));
        }
        let address = Address::parse("redis://h?prefix=mine:&timeout=250").expect("it is good");
        assert_eq!((address.prefix.as_str(), address.timeout.as_millis()), ("mine:", 250));
    }

    #[test]
    fn bad_addresses_show_no_secrets() {
        for url in [
            "redis:",
            "redis:host",
            "redis://:secret@host:port",
            "redis://:secret@",
            "redis://:secret@host/x",
            "redis://:secret@host?color=red",
            "redis://:secret@host?timeout=0",
            "redis://:secret@host?prefix={a}",
            "redis://:secret@a,b/1",
        ] {
            let error = Address::parse(url).expect_err(url);
            assert!(matches!(error, StoreError::BadUrl(_)), "{url}");
            assert!(!format!("{error} {error:?}").contains("secret"), "{url}");
        }
    }
}
