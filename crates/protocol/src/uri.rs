//! Checks of URIs (RFC 3986).

use std::net::Ipv6Addr;

/// Checks that a text is a URI with a scheme: what a resource can be named by. Letters beyond ASCII may stand as they are.
///
/// # Errors
/// What is wrong with it, for people.
pub fn check(uri: &str) -> Result<(), &'static str> {
    let Some((scheme, rest)) = uri.split_once(':') else { return Err("a URI begins with a scheme such as `note:`") };
    check_scheme(scheme)?;
    if rest.is_empty() {
        return Err("the URI names nothing after its scheme");
    }
    if uri.len() > MAX_LENGTH {
        return Err("the URI is too long");
    }
    let bad = |c: char| c.is_control() || c == ' ' || matches!(c, '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}');
    if rest.contains(bad) { Err("the URI has a character that must be percent-encoded") } else { Ok(()) }
}

/// Decodes `%XX` once. `None` if one is malformed, which the crate `percent-encoding` would leave as it is.
#[must_use]
pub fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        decoded.push(if byte == b'%' { digit(bytes.next())? << 4 | digit(bytes.next())? } else { byte });
    }
    Some(decoded)
}

/// Whether a text is a URI to the letter of RFC 3986, section 3, as JSON Schema asks where it says `uri`.
#[must_use]
pub fn is_strict(uri: &str) -> bool {
    let Some((scheme, rest)) = uri.split_once(':') else { return false };
    let (rest, fragment) = rest.split_once('#').unwrap_or((rest, ""));
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let in_path = |b: u8| matches!(b, b':' | b'@' | b'/');
    uri.len() <= MAX_LENGTH
        && check_scheme(scheme).is_ok()
        && is_authority(authority)
        && is_written_with(path, in_path)
        && is_written_with(query, |b| in_path(b) || b == b'?')
        && is_written_with(fragment, |b| in_path(b) || b == b'?')
}

fn is_authority(text: &str) -> bool {
    let (user, place) = text.split_once('@').unwrap_or(("", text));
    let (host, port) = match place.strip_prefix('[') {
        Some(literal) => match literal.split_once(']') {
            Some((address, port)) if is_literal(address) => ("", port),
            _ => return false,
        },
        None => place.split_at(place.find(':').unwrap_or(place.len())),
    };
    let is_port = |port: &str| port.bytes().all(|b| b.is_ascii_digit());
    is_written_with(user, |b| b == b':')
        && is_written_with(host, |_| false)
        && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// What stands in brackets: an address of IPv6, or one of a kind that is still to come.
fn is_literal(address: &str) -> bool {
    let Some(future) = address.strip_prefix(['v', 'V']) else { return address.parse::<Ipv6Addr>().is_ok() };
    future.split_once('.').is_some_and(|(version, address)| {
        let is_version = !version.is_empty() && version.bytes().all(|b| b.is_ascii_hexdigit());
        is_version && !address.is_empty() && !address.contains('%') && is_written_with(address, |b| b == b':')
    })
}

/// Whether a part has only letters, digits, marks that mean nothing to the whole, percent-encoded bytes, and what `also` allows.
fn is_written_with(part: &str, also: impl Fn(u8) -> bool) -> bool {
    let mut bytes = part.bytes();
    while let Some(b) = bytes.next() {
        let is_fine = match b {
            b'%' => [bytes.next(), bytes.next()].iter().all(|digit| digit.is_some_and(|b| b.is_ascii_hexdigit())),
            b'-' | b'.' | b'_' | b'~' => true,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => true,
            _ => b.is_ascii_alphanumeric() || also(b),
        };
        if !is_fine {
            return false;
        }
    }
    true
}

/// Checks a scheme.
///
/// # Errors
/// What is wrong with it, for people.
pub fn check_scheme(scheme: &str) -> Result<(), &'static str> {
    let mut bytes = scheme.bytes();
    if !bytes.next().is_some_and(|b| b.is_ascii_alphabetic()) {
        return Err("a URI's scheme begins with a letter");
    }
    if bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.')) {
        Ok(())
    } else {
        Err("a URI's scheme has only letters, digits, `+`, `-` and `.`")
    }
}

/// The longest URI that is looked at.
pub const MAX_LENGTH: usize = 8192;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_has_a_scheme_and_names_something() {
        for good in ["note:a", "https://x/%20?a=b#c", "skill://pdf/SKILL.md", "git+ssh://a", "file:///ä"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        let long = format!("note:{}", "a".repeat(MAX_LENGTH));
        for bad in ["", "note", "note:", ":a", "1a:b", "n_te:a", "note:a b", "note:<a>", "note:\n", "note:{a}", &long] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }

    /// The examples of RFC 3986, section 1.1.2, and the edges of each part.
    #[test]
    fn a_strict_uri_has_no_letter_that_must_be_encoded() {
        for good in [
            "ftp://ftp.is.co.za/rfc/rfc1808.txt",
            "http://www.ietf.org/rfc/rfc2396.txt",
            "ldap://[2001:db8::7]/c=GB?objectClass?one",
            "mailto:John.Doe@example.com",
            "news:comp.infosystems.www.servers.unix",
            "tel:+1-816-555-1212",
            "telnet://192.0.2.16:80/",
            "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
            "mailto:",
            "https://u:p@x:/%20;a=b?c/d?e#f/g?h",
            "file:///a",
            "x://[v1.a:b]:1",
            "x://[::ffff:1.2.3.4]",
        ] {
            assert!(is_strict(good), "{good}");
        }
        let long = format!("note:{}", "a".repeat(MAX_LENGTH));
        for bad in [
            "",
            "a",
            ":a",
            "1a:b",
            "//x",
            "https://x/ä",
            "https://x/%zz",
            "a:%",
            "a:%1",
            "a:[[",
            "a:b c",
            "a:b\\c",
            "a:b#c#d",
            "a:b?[c]",
            "a:b#[c]",
            "x://[::1",
            "x://[::1]a",
            "x://[::1%25eth0]",
            "x://[1.2.3.4]",
            "x://[v.a]",
            "x://[v1.]",
            "x://[vg.a]",
            "x://h:1a",
            "x://h:1:2",
            "x://a@b@c",
            "x://a/[b]",
            &long,
        ] {
            assert!(!is_strict(bad), "{bad}");
        }
    }
}
