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
    Program(Program),
}

impl Component {
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        if pattern == "**" {
            return Ok(Self::Globstar);
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
            Self::Program(program) => program.is_match(name),
        }
    }
}

fn literal(nodes: &[Node]) -> Option<String> {
    nodes.iter().map(|node| if let Node::Char(c) = node { Some(*c) } else { None }).collect()
}
