//! Checks of URIs (RFC 3986).

/// Checks that a text is a URI with a scheme: what a resource can be named by.
pub(crate) fn check(uri: &str) -> Result<(), &'static str> {
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

/// Checks a scheme.
pub(crate) fn check_scheme(scheme: &str) -> Result<(), &'static str> {
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
pub(crate) const MAX_LENGTH: usize = 8192;
