//! What stands before the names of a server's tools and prompts.

use jackfield_server::Prefix;

/// What separates it from them. A prefix neither contains it nor ends with a part of it, so that each name can be read in one way only.
const SEPARATOR: &str = "__";
/// The longest; 128 characters are allowed for the whole name of a tool, and models do not do well with long ones.
const LONGEST: usize = 48;

/// A server cannot be offered under its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BadName {
    /// Nothing of it can stand in the name of a tool.
    #[error("the name {0:?} has no letter or digit, so it cannot stand before the names of tools")]
    Empty(String),
    /// It is too long.
    #[error("the name {0:?} is longer than {LONGEST} characters, which leaves too few for the names of tools")]
    TooLong(String),
    /// Another server stands under the same prefix.
    #[error("the servers {0:?} and {1:?} would be offered under the same name")]
    Twice(String, String),
}

/// Makes the prefix of a server by the name that it was given: letters, digits, `-` and single `_` stay, all else becomes `-`.
pub(crate) fn prefix(name: &str) -> Result<Prefix, BadName> {
    let mut text = String::with_capacity(name.len());
    for c in name.chars() {
        match c {
            '_' if text.ends_with('_') => {}
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') => text.push(c),
            _ => text.push('-'),
        }
    }
    let text = text.trim_matches(['-', '_']);
    if text.is_empty() {
        return Err(BadName::Empty(name.to_owned()));
    }
    if text.len() > LONGEST {
        return Err(BadName::TooLong(name.to_owned()));
    }
    Ok(Prefix::new(text).separated_by(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use jackfield_protocol::check_tool_name;

    use super::*;

    #[test]
    fn every_name_becomes_part_of_a_tool_name_or_is_refused() {
        for (name, tool) in [
            ("files", "files__read"),
            ("my files!", "my-files__read"),
            ("a__b_", "a_b__read"),
            ("io.github.x/y", "io-github-x-y__read"),
            ("größe", "gr--e__read"),
        ] {
            let made = prefix(name).map(|prefix| prefix.name("read"));
            assert_eq!(made.as_deref(), Ok(tool));
            assert_eq!(check_tool_name(tool), Ok(()));
        }
        assert!(matches!(prefix("…"), Err(BadName::Empty(_))));
        assert!(matches!(prefix(&"x".repeat(49)), Err(BadName::TooLong(_))));
    }
}
