//! Who may talk to the server at all: the Host and Origin checks against DNS rebinding; and what of a request goes no further.

use std::net::IpAddr;

use http::HeaderName;
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_LENGTH, COOKIE, HOST, ORIGIN, PROXY_AUTHORIZATION};
use http::request::Parts;
use http::{Response, StatusCode};

use super::McpHeaders;
use crate::response::respond;
use crate::{Body, HttpConfig};

/// The names and origins that are allowed, in lower case.
#[derive(Debug)]
pub(crate) struct HostOriginCheck {
    hosts: Vec<String>,
    origins: Vec<String>,
    hidden: Vec<HeaderName>,
    /// More than the usual headers are hidden.
    hides_more: bool,
}

/// What one look at the headers of a request has shown.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked<'a> {
    pub(crate) headers: McpHeaders<'a>,
    /// There are headers that handlers must not see.
    pub(crate) hides: bool,
    /// The client wants the connection to end with the answer.
    pub(crate) closes: bool,
}

impl HostOriginCheck {
    pub(crate) fn new(config: &HttpConfig) -> Self {
        let lower = |text: &String| text.trim().trim_end_matches('/').to_ascii_lowercase();
        let origins = config.allowed_origins.iter().chain(&config.cors_origins).map(lower).collect();
        let hidden =
            [AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE].into_iter().chain(config.hidden_headers.iter().cloned());
        Self {
            hosts: config.allowed_hosts.iter().map(lower).collect(),
            origins,
            hidden: hidden.collect(),
            hides_more: !config.hidden_headers.is_empty(),
        }
    }

    /// Takes away what a handler must not be able to pass on. It has been checked by now.
    pub(crate) fn hide_credentials(&self, request: &mut Parts) {
        for name in &self.hidden {
            request.headers.remove(name);
        }
    }

    /// Checks a request, whatever its method and path. Returns what it has seen on the way.
    pub(crate) fn check<'a>(&self, request: &'a Parts) -> Result<Checked<'a>, Box<Response<Body>>> {
        // HTTP/2 and the absolute form of HTTP/1 name the host in the target; HTTP/1 names it in a header.
        let authority = request.uri.authority().map(|authority| authority.as_str().as_bytes());
        authority.map_or(Ok(()), |authority| self.check_host(authority))?;
        let mut checked = Checked::default();
        let mut in_header = false;
        for (name, value) in &request.headers {
            if *name == HOST {
                if in_header {
                    return Err(Box::new(respond::refusal(StatusCode::BAD_REQUEST, "more than one Host header")));
                }
                self.check_host(value.as_bytes())?;
                in_header = true;
            } else if *name == ORIGIN {
                self.check_origin(value.as_bytes())?;
            } else if *name == CONNECTION {
                checked.closes |= names_close(value.as_bytes());
            } else if *name == AUTHORIZATION || *name == PROXY_AUTHORIZATION || *name == COOKIE {
                checked.hides = true;
            } else if *name != CONTENT_LENGTH {
                checked.headers.note(name, value);
                checked.hides |= self.hides_more && self.hidden.contains(name);
            }
        }
        if authority.is_none() && !in_header {
            return Err(Box::new(respond::refusal(StatusCode::FORBIDDEN, "the request names no host")));
        }
        Ok(checked)
    }

    fn check_host(&self, host: &[u8]) -> Result<(), Box<Response<Body>>> {
        if self.is_allowed_host(host) {
            return Ok(());
        }
        let shown = shown(host);
        let message = format!(
            "host \"{shown}\" is not allowed; if clients reach this server under that name, add it to `allowed_hosts`"
        );
        Err(Box::new(respond::refusal(StatusCode::FORBIDDEN, message)))
    }

    fn check_origin(&self, origin: &[u8]) -> Result<(), Box<Response<Body>>> {
        if self.is_allowed_origin(origin) {
            return Ok(());
        }
        let shown = shown(origin);
        let message =
            format!("origin \"{shown}\" is not allowed; if its pages may use this server, add it to `allowed_origins`");
        Err(Box::new(respond::refusal(StatusCode::FORBIDDEN, message)))
    }

    fn is_allowed_host(&self, host: &[u8]) -> bool {
        let Some((name, _)) = split_port(host) else { return false };
        is_loopback(name)
            || self.hosts.iter().any(|allowed| {
                host.eq_ignore_ascii_case(allowed.as_bytes()) || name.eq_ignore_ascii_case(allowed.as_bytes())
            })
    }

    fn is_allowed_origin(&self, origin: &[u8]) -> bool {
        if self.origins.iter().any(|allowed| origin.eq_ignore_ascii_case(allowed.as_bytes())) {
            return true;
        }
        let authority = origin.strip_prefix(b"http://").or_else(|| origin.strip_prefix(b"https://"));
        // A page that the server's own host delivered is no stranger.
        authority.is_some_and(|authority| self.is_allowed_host(authority))
    }
}

/// Whether a `Connection` header asks to end the connection.
fn names_close(options: &[u8]) -> bool {
    options.split(|byte| *byte == b',').any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"))
}

/// Splits an authority into name and port; none if it is anything more than that.
fn split_port(authority: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    // By far the most common names need no look at their characters.
    for name in [&b"localhost"[..], b"127.0.0.1"] {
        if let Some([] | [b':', ..]) = authority.strip_prefix(name) {
            return authority.split_at_checked(name.len()).and_then(|(name, rest)| with_port(name, rest));
        }
    }
    let end = match authority.strip_prefix(b"[") {
        Some(rest) => memchr::memchr(b']', rest)?.checked_add(2)?,
        None => memchr::memchr(b':', authority).unwrap_or(authority.len()),
    };
    let (name, rest) = authority.split_at_checked(end)?;
    let odd = |byte: &u8| !byte.is_ascii_alphanumeric() && !matches!(byte, b'.' | b'-' | b'_' | b':' | b'[' | b']');
    if name.is_empty() || name.iter().any(odd) {
        return None;
    }
    with_port(name, rest)
}

fn with_port<'a>(name: &'a [u8], rest: &'a [u8]) -> Option<(&'a [u8], Option<&'a [u8]>)> {
    match rest.strip_prefix(b":") {
        Some(port) if port.len() <= 5 && port.iter().all(u8::is_ascii_digit) => Some((name, Some(port))),
        None if rest.is_empty() => Some((name, None)),
        _ => None,
    }
}

/// Names of this machine that no name server can point elsewhere: an address in digits is not checked up at all.
fn is_loopback(name: &[u8]) -> bool {
    if name == b"127.0.0.1" || name.eq_ignore_ascii_case(b"localhost") {
        return true;
    }
    let digits = name.strip_prefix(b"[").and_then(|name| name.strip_suffix(b"]")).unwrap_or(name);
    let address = std::str::from_utf8(digits).ok().and_then(|text| text.parse::<IpAddr>().ok());
    address.is_some_and(|address| address.to_canonical().is_loopback())
}

/// What a stranger sent, safe to repeat.
fn shown(text: &[u8]) -> String {
    text.iter().take(100).map(|byte| if byte.is_ascii_graphic() { char::from(*byte) } else { '?' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard() -> HostOriginCheck {
        HostOriginCheck::new(
            &HttpConfig::default()
                .allow_host("mcp.example.com")
                .allow_host("one.example.com:8443")
                .allow_origin("https://app.example.com"),
        )
    }

    /// T-020, HTTP-007: names of this machine and configured ones pass, all others do not.
    #[test]
    fn hosts() {
        for host in [
            "localhost",
            "LOCALHOST:80",
            "127.0.0.1:3000",
            "127.8.9.1",
            "[::1]",
            "[::1]:3000",
            "[0:0:0:0:0:0:0:1]:1",
            "[::ffff:127.0.0.1]",
            "mcp.example.com",
            "MCP.example.com:99",
            "one.example.com:8443",
        ] {
            assert!(guard().is_allowed_host(host.as_bytes()), "{host}");
        }
        for host in [
            "evil.example.com",
            "localhost.evil.com",
            "127.0.0.1.evil.com",
            "localhost@evil.com",
            "user@localhost",
            "localhost:80:80",
            "localhost:x",
            "localhost/",
            "[::1",
            "[::2]",
            "::1.evil.com",
            "",
            ":80",
            "one.example.com:1",
            "0.0.0.0",
            "169.254.169.254",
            "localhost,evil.com",
            "localhost evil.com",
            "localhost.",
        ] {
            assert!(!guard().is_allowed_host(host.as_bytes()), "{host}");
        }
    }

    /// T-020, HTTP-008.
    #[test]
    fn origins() {
        for origin in [
            "http://localhost",
            "http://localhost:6274",
            "https://127.0.0.1",
            "http://[::1]:1",
            "https://app.example.com",
            "https://mcp.example.com",
        ] {
            assert!(guard().is_allowed_origin(origin.as_bytes()), "{origin}");
        }
        for origin in [
            "null",
            "",
            "http://evil.com",
            "http://localhost.evil.com",
            "http://localhost@evil.com",
            "http://evil.com?http://localhost",
            "http://evil.com#localhost",
            "file://",
            "chrome-extension://abc",
            "http://localhost/",
            "https://app.example.com.evil.com",
            "http://app.example.com",
            "localhost",
        ] {
            assert!(!guard().is_allowed_origin(origin.as_bytes()), "{origin}");
        }
    }
}
