//! Paths within skills, and the URIs that they become.

use super::SkillError;

/// The longest path of a file.
const MAX_LENGTH: usize = 1024;

/// Checks a path with `/` between its segments: nothing in it leads anywhere else.
pub(super) fn check(path: &str) -> Result<(), SkillError> {
    let bad = |why: &str| Err(SkillError::new(format!("the path {path:?} {why}")));
    if path.len() > MAX_LENGTH {
        return bad("is too long");
    }
    for segment in path.split('/') {
        match segment {
            "" => return bad("has an empty segment; write it relative to the skill, without a slash at its ends"),
            "." | ".." => return bad("must not have segments such as `..`"),
            _ if segment.contains('\\') => return bad("must have `/` between its segments"),
            _ if segment.chars().any(char::is_control) => return bad("has a control character"),
            _ => {}
        }
    }
    Ok(())
}

/// Returns the URI of a path below `skill://`.
pub(super) fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len().saturating_add(8));
    uri.push_str("skill://");
    for byte in path.bytes() {
        // What RFC 3986 calls unreserved, and what it allows in a segment besides.
        if byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-104 in part: no path leads out of its skill.
    #[test]
    fn paths_stay_inside() {
        for path in ["a", "references/FORMS.md", "a b/c", "..a", "a..", "ü.md"] {
            assert!(check(path).is_ok(), "{path}");
        }
        for path in
            ["", "/a", "a/", "a//b", "..", "a/../b", ".", "./a", "a\\..\\b", "a\u{0}b", "a\nb", &"x".repeat(2000)]
        {
            assert!(check(path).is_err(), "{path}");
        }
    }

    #[test]
    fn what_no_uri_may_have_is_encoded() {
        assert_eq!(uri("pdf/references/FORMS.md"), "skill://pdf/references/FORMS.md");
        assert_eq!(uri("pdf/a b#c?d%e/ü"), "skill://pdf/a%20b%23c%3Fd%25e/%C3%BC");
        assert!(jackfield_protocol::uri::check(&uri("x/{y}|\"<>^`")).is_ok());
    }
}
