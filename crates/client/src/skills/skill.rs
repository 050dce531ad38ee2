//! A skill as a server lists it.

use jackfield_protocol::JsonObject;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A skill as a server lists it.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Skill {
    /// The URI of its `SKILL.md`.
    pub uri: String,
    /// The head of its `SKILL.md`: at least `name` and `description`.
    pub frontmatter: JsonObject,
    /// Its files.
    #[serde(rename = "resources")]
    pub files: SkillFiles,
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillFiles {
    /// They are made when they are asked for, so nothing is known about them before.
    Dynamic,
    /// Every file, `SKILL.md` included.
    Listed(Vec<SkillFile>),
}

/// A file of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct SkillFile {
    /// Its URI.
    pub uri: String,
    /// `sha256:` and 64 hexadecimal digits.
    pub digest: String,
    /// Its size in bytes.
    pub size: u64,
}

impl Skill {
    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns what it is for.
    #[must_use]
    pub fn description(&self) -> &str {
        self.text("description")
    }

    fn text(&self, member: &str) -> &str {
        self.frontmatter.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the folder of the skill, with a slash at its end; all its files are below.
    pub(super) fn folder(&self) -> Option<&str> {
        self.uri.strip_suffix("SKILL.md").filter(|folder| folder.ends_with('/'))
    }

    /// Returns what is known about a file.
    pub(super) fn file(&self, uri: &str) -> Option<&SkillFile> {
        match &self.files {
            SkillFiles::Dynamic => None,
            SkillFiles::Listed(files) => files.iter().find(|file| file.uri == uri),
        }
    }
}

impl<'de> Deserialize<'de> for SkillFiles {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        if value == "dynamic" {
            return Ok(Self::Dynamic);
        }
        serde_json::from_value(value).map(Self::Listed).map_err(serde::de::Error::custom)
    }
}
