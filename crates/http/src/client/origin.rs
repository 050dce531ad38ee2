//! Whether two addresses belong to the same origin, and what a relative address means.

use http::Uri;
use http::uri::{Authority, PathAndQuery, Scheme};

/// Whether both have the same scheme, host and port.
#[must_use]
pub fn same_origin(a: &Uri, b: &Uri) -> bool {
    let (Some(ours), Some(theirs)) = (a.authority(), b.authority()) else { return false };
    a.scheme() == b.scheme()
        && ours.host().eq_ignore_ascii_case(theirs.host())
        && port(a) == port(b)
        && !has_userinfo(ours)
        && !has_userinfo(theirs)
}

pub(crate) fn port(uri: &Uri) -> Option<u16> {
    uri.port_u16().or(match uri.scheme_str() {
        Some("http") => Some(80),
        Some("https") => Some(443),
        _ => None,
    })
}

pub(crate) fn has_userinfo(authority: &Authority) -> bool {
    authority.as_str().contains('@')
}

/// Returns the address that `reference` means on a page at `base` (RFC 3986, section 5); none if it is not one.
///
/// A fragment is left out, because it is never sent.
#[must_use]
pub fn resolve(base: &Uri, reference: &str) -> Option<Uri> {
    let reference = reference.split('#').next().unwrap_or_default();
    if reference.bytes().any(|byte| byte.is_ascii_control() || byte == b' ' || byte == b'\\') {
        return None;
    }
    if has_scheme(reference) {
        let absolute: Uri = reference.parse().ok()?;
        return (absolute.scheme().is_some() && absolute.authority().is_some()).then_some(absolute);
    }
    let scheme = base.scheme()?.clone();
    if let Some(rest) = reference.strip_prefix("//") {
        return format!("{scheme}://{rest}").parse().ok();
    }
    let authority = base.authority()?.clone();
    let target = match reference.as_bytes().first() {
        None => base.path_and_query().map_or("/", PathAndQuery::as_str).to_owned(),
        Some(b'?') => format!("{}{reference}", base.path()),
        Some(b'/') => without_dots(reference),
        Some(_) => {
            let folder = base.path().rsplit_once('/').map_or("", |(folder, _)| folder);
            without_dots(&format!("{folder}/{reference}"))
        }
    };
    assemble(scheme, authority, &target)
}

fn assemble(scheme: Scheme, authority: Authority, target: &str) -> Option<Uri> {
    Uri::builder().scheme(scheme).authority(authority).path_and_query(target).build().ok()
}

/// Whether it begins with a scheme, before any part of a path.
fn has_scheme(reference: &str) -> bool {
    let Some((scheme, _)) = reference.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn without_dots(target: &str) -> String {
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    };
    let mut kept: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let last = segments.len().saturating_sub(1);
    for (index, segment) in segments.into_iter().enumerate() {
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                if index == last {
                    kept.push("");
                }
            }
            segment => kept.push(segment),
        }
    }
    let mut text = format!("/{}", kept.join("/"));
    if let Some(query) = query {
        text.push('?');
        text.push_str(query);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-031: only the same scheme, host and port are the same origin.
    #[test]
    fn origins_are_compared_whole() {
        let base: Uri = "http://Example.com/mcp".parse().unwrap();
        for same in ["http://example.com/", "http://EXAMPLE.com:80/x?y"] {
            assert!(same_origin(&base, &same.parse().unwrap()), "{same}");
        }
        for other in [
            "https://example.com/",
            "http://example.com:8080/",
            "http://example.com.evil.org/",
            "http://example.com@evil.org/",
            "http://user@example.com/",
            "/mcp",
        ] {
            assert!(!same_origin(&base, &other.parse().unwrap()), "{other}");
        }
    }

    #[test]
    fn relative_addresses_are_resolved() {
        let base: Uri = "http://h:1/a/b?q=1".parse().unwrap();
        for (reference, wanted) in [
            ("/messages?session=1", "http://h:1/messages?session=1"),
            ("messages/", "http://h:1/a/messages/"),
            ("../x/./y", "http://h:1/x/y"),
            ("../../../x", "http://h:1/x"),
            ("?s=2", "http://h:1/a/b?s=2"),
            ("", "http://h:1/a/b?q=1"),
            ("..", "http://h:1/"),
            ("//other/x", "http://other/x"),
            ("https://other/x#y", "https://other/x"),
            ("/a:b", "http://h:1/a:b"),
        ] {
            assert_eq!(resolve(&base, reference).map(|uri| uri.to_string()).as_deref(), Some(wanted), "{reference}");
        }
        for nonsense in ["http:", "javascript:alert(1)", "/a b", "/a\nb", "\\\\other\\x", "http://"] {
            assert_eq!(resolve(&base, nonsense), None, "{nonsense}");
        }
    }
}
