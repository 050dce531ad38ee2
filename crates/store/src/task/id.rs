//! Names of tasks.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The name of a task. Whoever knows it may be let in, so nobody can guess it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TaskId(String);

impl TaskId {
    /// Makes a new name of 192 random bits, as letters, digits, `-` and `_`.
    #[must_use]
    pub fn random() -> Self {
        let mut bytes = [0; 24];
        getrandom::fill(&mut bytes).expect("the system has a source of random numbers");
        Self(URL_SAFE_NO_PAD.encode(bytes))
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for TaskId {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Logs are read by more people than tasks are: they see where a name begins.
impl fmt::Debug for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskId({}…)", self.0.chars().take(6).collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TASK-013, TASK-044, XTSK-041: names are unique and cannot be guessed.
    #[test]
    fn names_have_192_random_bits() {
        let names: std::collections::BTreeSet<_> = (0..1000).map(|_| TaskId::random()).collect();
        assert_eq!(names.len(), 1000);
        for name in &names {
            assert_eq!(URL_SAFE_NO_PAD.decode(name.as_str()).unwrap().len(), 24);
            assert!(!format!("{name:?}").contains(name.as_str()));
        }
    }
}
