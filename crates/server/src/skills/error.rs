//! What is wrong with a skill.

use std::fmt;
use std::io;
use std::path::Path;

/// A skill cannot be served as it is. The message names the skill or the file, and the rule.
#[derive(Debug)]
pub struct SkillError {
    message: String,
    source: Option<io::Error>,
}

impl SkillError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    pub(super) fn reading(path: &Path, source: io::Error) -> Self {
        Self { message: format!("cannot read {}", path.display()), source: Some(source) }
    }

    /// Says where the problem is.
    pub(super) fn at(mut self, place: impl fmt::Display) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }
}

impl fmt::Display for SkillError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SkillError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_ref().map(|source| source as _)
    }
}
