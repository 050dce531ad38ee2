//! Checks of URIs (RFC 3986).

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
}
