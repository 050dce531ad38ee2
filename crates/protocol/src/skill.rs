//! The extension `io.modelcontextprotocol/skills`: a server lists its skills, whose files are resources.

use std::fmt;

use serde::de::{self, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::{CacheScope, JsonObject, ListParams, ListResourcesResult, Meta};

/// The identifier of the extension.
pub const SKILLS_EXTENSION: &str = "io.modelcontextprotocol/skills";

/// The method that lists skills.
pub const LIST_SKILLS: &str = "skills/list";
/// The method that gets one skill by its URI.
pub const GET_SKILL: &str = "skills/get";
/// The method that lists the direct children of a directory.
pub const READ_DIRECTORY: &str = "resources/directory/read";

/// The MIME type of a directory.
pub const DIRECTORY_MIME_TYPE: &str = "inode/directory";

model! {
    /// A skill as a server lists it.
    SkillEntry {
        /// The URI of its `SKILL.md`.
        uri: String,
        /// All that the YAML block at the beginning of `SKILL.md` says, at least `name` and `description`.
        frontmatter: JsonObject,
        /// Its files.
        resources: SkillResources,
    }
}

impl SkillEntry {
    /// Returns its name; empty if it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        self.text("name")
    }

    /// Returns what it is for; empty if it does not say so.
    #[must_use]
    pub fn description(&self) -> &str {
        self.text("description")
    }

    fn text(&self, member: &str) -> &str {
        self.frontmatter.get(member).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the directory of the skill, with a slash at its end; all its files are below. None if its URI is not that of a
    /// `SKILL.md`.
    #[must_use]
    pub fn directory(&self) -> Option<&str> {
        self.uri.strip_suffix("SKILL.md").filter(|directory| directory.ends_with('/'))
    }

    /// Returns what is listed about a file.
    #[must_use]
    pub fn file(&self, uri: &str) -> Option<&SkillFile> {
        match &self.resources {
            SkillResources::Dynamic => None,
            SkillResources::Files(files) => files.iter().find(|file| file.uri == uri),
        }
    }
}

/// The files of a skill.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum SkillResources {
    /// Every file, `SKILL.md` included.
    Files(Vec<SkillFile>),
    /// They are made when they are read, so that they have no digests.
    Dynamic,
}

model! {
    /// A file of a skill.
    SkillFile {
        /// Its URI.
        uri: String,
        /// `sha256:` and 64 lower-case hexadecimal digits: the digest of its bytes.
        digest: String,
        /// How many bytes it has.
        #[serde(deserialize_with = "crate::number::count")]
        size: u64,
    }
}

/// The parameters of `skills/list`.
pub type ListSkillsParams = ListParams;

model! {
    /// The answer to `skills/list`: one page.
    ListSkillsResult {
        /// The skills of this page.
        skills: Vec<SkillEntry>,
        ;
        /// Where the next page begins; absent on the last one.
        next_cursor: String,
        /// How many milliseconds the page stays fresh.
        #[serde(deserialize_with = "crate::number::optional_count")]
        ttl_ms: u64,
        /// Who may share the page.
        cache_scope: CacheScope,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `skills/get`.
    GetSkillParams {
        /// The URI of a `SKILL.md`.
        uri: String,
        ;
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The answer to `skills/get`.
    GetSkillResult {
        /// The skill.
        skill: SkillEntry,
        ;
        /// How many milliseconds the answer stays fresh.
        #[serde(deserialize_with = "crate::number::optional_count")]
        ttl_ms: u64,
        /// Who may share the answer.
        cache_scope: CacheScope,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

model! {
    /// The parameters of `resources/directory/read`.
    ReadDirectoryParams {
        /// The URI of a directory, without a slash at its end.
        uri: String,
        ;
        /// Where the page begins: the `nextCursor` of the page before.
        cursor: String,
        /// Anything else.
        #[serde(rename = "_meta")]
        meta: Meta,
    }
}

/// The answer to `resources/directory/read`: one page of the direct children.
pub type ReadDirectoryResult = ListResourcesResult;

/// What stands in place of the files.
const DYNAMIC: &str = "dynamic";

impl From<Vec<SkillFile>> for SkillResources {
    fn from(files: Vec<SkillFile>) -> Self {
        Self::Files(files)
    }
}

impl Serialize for SkillResources {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Files(files) => files.serialize(serializer),
            Self::Dynamic => serializer.serialize_str(DYNAMIC),
        }
    }
}

impl<'de> Deserialize<'de> for SkillResources {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = SkillResources;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of files or \"dynamic\"")
            }

            fn visit_str<E: de::Error>(self, word: &str) -> Result<SkillResources, E> {
                if word == DYNAMIC {
                    return Ok(SkillResources::Dynamic);
                }
                Err(E::invalid_value(de::Unexpected::Str(word), &self))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, files: A) -> Result<SkillResources, A::Error> {
                Deserialize::deserialize(de::value::SeqAccessDeserializer::new(files)).map(SkillResources::Files)
            }
        }

        deserializer.deserialize_any(Either)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn files_are_a_list_or_dynamic() {
        let file = json!({ "uri": "skill://a/SKILL.md", "digest": "sha256:00", "size": 7 });
        for (resources, valid) in
            [(json!([file]), true), (json!("dynamic"), true), (json!("static"), false), (json!(null), false)]
        {
            let entry = json!({ "uri": "skill://a/SKILL.md", "frontmatter": { "name": "a" }, "resources": resources });
            let read = serde_json::from_value::<SkillEntry>(entry.clone());
            assert_eq!(read.is_ok(), valid, "{resources}");
            if let Ok(read) = read {
                assert_eq!(serde_json::to_value(read).unwrap(), entry);
            }
        }
        let listed = json!({ "uri": "skill://a/b/SKILL.md", "frontmatter": { "name": "b", "description": 1 }, "resources": [file] });
        let listed: SkillEntry = serde_json::from_value(listed).unwrap();
        assert_eq!((listed.name(), listed.description(), listed.directory()), ("b", "", Some("skill://a/b/")));
        assert_eq!(listed.file("skill://a/SKILL.md").map(|file| file.size), Some(7));
        assert_eq!(listed.file("skill://a/b/SKILL.md"), None);
        let without = json!({ "uri": "skill://a/SKILL.md", "frontmatter": {} });
        assert!(serde_json::from_value::<SkillEntry>(without).is_err());
    }
}
