//! One component of a pattern, ready to match names.

use super::parse::{self, Node};
use super::program::Program;

/// One component of a pattern. Most are simple enough to be compared as text.
#[derive(Clone, Debug)]
pub(super) enum Component {
    /// `**`: any number of names.
    Globstar,
    Literal(String),
    /// Text, a star, and text.
    Around {
        before: String,
        after: String,
    },
    /// So many UTF-16 units, the last of which are given.
    Sized {
        units: usize,
        after: String,
    },
    Program(Program),
}

impl Component {
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        if pattern == "**" {
            return Ok(Self::Globstar);
        }
        // The original compares these without looking for escapes, and counts as JavaScript does.
        if let Some(after) = plain_after(pattern, '*').filter(|after| after.contains('\\')) {
            return Ok(Self::Around { before: String::new(), after: after.to_owned() });
        }
        if let Some(after) = plain_after(pattern, '?') {
            return Ok(Self::Sized { units: pattern.encode_utf16().count(), after: after.to_owned() });
        }
        let nodes = parse::parsed(pattern);
        let mut halves = nodes.split(|node| *node == Node::Star).map(literal);
        Ok(match (halves.next().flatten(), halves.next(), halves.next()) {
            (Some(text), None, None) => Self::Literal(text),
            (Some(before), Some(Some(after)), None) => Self::Around { before, after },
            _ => Self::Program(Program::new(&nodes)?),
        })
    }

    pub(super) fn is_match(&self, name: &str) -> bool {
        match self {
            // It is not compared with a single name.
            Self::Globstar => false,
            Self::Literal(text) => name == text,
            Self::Around { before, after } => {
                name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            }
            Self::Sized { units, after } => name.ends_with(after) && name.encode_utf16().count() == *units,
            Self::Program(program) => program.is_match(name),
        }
    }
}

/// Returns what follows signs of one kind at the beginning, if there is no other sign.
fn plain_after(pattern: &str, sign: char) -> Option<&str> {
    let after = pattern.trim_start_matches(sign);
    (after.len() < pattern.len() && !after.contains(['+', '@', '!', '?', '*', '[', '('].as_slice())).then_some(after)
}

fn literal(nodes: &[Node]) -> Option<String> {
    nodes.iter().map(|node| if let Node::Char(c) = node { Some(*c) } else { None }).collect()
}
