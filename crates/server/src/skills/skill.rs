//! Skills as they are given to a server.

use std::fmt;
use std::path::Path;

use bytes::Bytes;
use jackfield_protocol::{SkillEntry, SkillFile, SkillResources};
use sha2::{Digest, Sha256};

use super::frontmatter::Frontmatter;
use super::{SkillError, folder, path};

/// The most files of a skill, and the most bytes of all of them together, that hosts have to take.
pub(super) const MAX_FILES: usize = 512;
pub(super) const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// The file that makes a directory a skill.
pub(super) const SKILL_MD: &str = "SKILL.md";

/// A skill: a `SKILL.md`, and the files that go with it.
///
/// It is held in memory, so that what is listed, with its digests, and what is read are always the same.
#[derive(Clone)]
pub struct Skill {
    /// Where it is below `skill://`; the last segment is its name.
    path: String,
    pub(super) frontmatter: Frontmatter,
    pub(super) files: Vec<File>,
    dynamic: bool,
}

/// A file of a skill.
#[derive(Clone)]
pub(super) struct File {
    /// Its path within the skill.
    pub(super) path: String,
    pub(super) bytes: Bytes,
    digest: String,
}

impl File {
    fn new(path: &str, bytes: Bytes) -> Self {
        let mut digest = "sha256:".to_owned();
        for byte in Sha256::digest(&bytes) {
            digest.push_str(&format!("{byte:02x}"));
        }
        Self { path: path.to_owned(), bytes, digest }
    }

    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }
}

impl Skill {
    /// Makes a skill of the text of its `SKILL.md`, which begins with a YAML block with its name and description.
    ///
    /// ```
    /// # use jackfield_server::{Skill, SkillError};
    /// let skill = Skill::new("---\nname: refunds\ndescription: Process refund requests\n---\n1. Look up the order.\n")?
    ///     .under("acme/billing")?
    ///     .file("examples/email.md", "Dear customer …")?;
    /// assert_eq!(skill.uri(), "skill://acme/billing/refunds/SKILL.md");
    /// # Ok::<(), SkillError>(())
    /// ```
    ///
    /// # Errors
    /// The block is missing or not valid, or the name or the description breaks the rules of Agent Skills.
    pub fn new(markdown: impl Into<String>) -> Result<Self, SkillError> {
        let markdown = markdown.into();
        let frontmatter = Frontmatter::read(&markdown).map_err(|error| error.at(SKILL_MD))?;
        let skill = Self { path: frontmatter.name.clone(), frontmatter, files: Vec::new(), dynamic: false };
        skill.add(SKILL_MD, markdown.into())
    }

    /// Reads a skill from its directory, as [`Skills::from_dir`] does.
    ///
    /// # Errors
    /// A file cannot be read, or the skill is not valid.
    pub fn from_dir(directory: impl AsRef<Path>) -> Result<Self, SkillError> {
        folder::read_skill(directory.as_ref())
    }

    /// Puts the skill below a path of the server's own, such as `acme/billing`.
    ///
    /// # Errors
    /// The path has segments such as `..`, or empty ones.
    pub fn under(mut self, prefix: &str) -> Result<Self, SkillError> {
        path::check(prefix)?;
        self.path = format!("{prefix}/{}", self.path);
        Ok(self)
    }

    /// Adds a file. The path is relative to the skill, with `/` between its segments.
    ///
    /// # Errors
    /// The path is not valid or used already, or the skill becomes too large.
    pub fn file(self, path: &str, contents: impl Into<Bytes>) -> Result<Self, SkillError> {
        let name = self.frontmatter.name.clone();
        self.add(path, contents.into()).map_err(|error| error.at(format_args!("skill `{name}`")))
    }

    /// Says that files of the skill are made when they are read: register resources below its URI. They have no digests then,
    /// and hosts may decline to use such a skill.
    #[must_use]
    pub fn dynamic(mut self) -> Self {
        self.dynamic = true;
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.frontmatter.name
    }

    /// Returns the URI of its `SKILL.md`.
    #[must_use]
    pub fn uri(&self) -> String {
        self.uri_of(SKILL_MD)
    }

    pub(super) fn uri_of(&self, file: &str) -> String {
        path::uri(&format!("{}/{file}", self.path))
    }

    fn add(mut self, path: &str, bytes: Bytes) -> Result<Self, SkillError> {
        path::check(path)?;
        // One file cannot be a directory of others, and there is one of each name.
        let clashes = |file: &File| {
            let below = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
            file.path == path || below(&file.path, path) || below(path, &file.path)
        };
        if self.files.iter().any(clashes) {
            return Err(SkillError::new(format!("there are two files {path:?}")));
        }
        if self.files.len() >= MAX_FILES {
            return Err(SkillError::new(format!("it has more than {MAX_FILES} files")));
        }
        let total = self.files.iter().map(File::size).fold(bytes.len() as u64, u64::saturating_add);
        if total > MAX_BYTES {
            return Err(SkillError::new(format!("its files have more than {MAX_BYTES} bytes together")));
        }
        self.files.push(File::new(path, bytes));
        Ok(self)
    }

    /// Returns what `skills/list` says of it.
    pub(super) fn entry(&self) -> SkillEntry {
        let files =
            self.files.iter().map(|file| SkillFile::new(self.uri_of(&file.path), file.digest.clone(), file.size()));
        let resources = if self.dynamic { SkillResources::Dynamic } else { SkillResources::Files(files.collect()) };
        SkillEntry::new(self.uri(), self.frontmatter.members.clone(), resources)
    }
}

/// Skills for a server; see [`Server::skills`](crate::Server::skills).
#[derive(Clone, Debug, Default)]
pub struct Skills {
    pub(super) skills: Vec<Skill>,
}

impl Skills {
    /// Makes an empty collection.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads all skills below a directory: every directory with a `SKILL.md`. `acme/billing/refunds/SKILL.md` becomes
    /// `skill://acme/billing/refunds/SKILL.md`. A skill may hold others; their files are files of both.
    ///
    /// Files are read now, once. Names that begin with a dot are left out. Links are refused, so that nothing outside the
    /// directory can get among the files.
    ///
    /// # Errors
    /// A file cannot be read; a skill is not valid, is not in a directory of its own name, or is larger than hosts take (512
    /// files, 16 MiB).
    pub fn from_dir(directory: impl AsRef<Path>) -> Result<Self, SkillError> {
        folder::read_all(directory.as_ref()).map(|skills| Self { skills })
    }

    /// Adds a skill.
    #[must_use]
    pub fn with(mut self, skill: Skill) -> Self {
        self.skills.push(skill);
        self
    }
}

impl From<Skill> for Skills {
    fn from(skill: Skill) -> Self {
        Self { skills: vec![skill] }
    }
}

impl FromIterator<Skill> for Skills {
    fn from_iter<I: IntoIterator<Item = Skill>>(skills: I) -> Self {
        Self { skills: skills.into_iter().collect() }
    }
}

impl fmt::Debug for Skill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skill").field("uri", &self.uri()).field("files", &self.files.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skill() -> Skill {
        Skill::new("---\nname: a\ndescription: b\n---\n").unwrap()
    }

    #[test]
    fn a_digest_is_that_of_the_bytes() {
        let entry = skill().file("x/empty", "").unwrap().entry();
        let SkillResources::Files(files) = entry.resources else { panic!("dynamic") };
        assert_eq!(files[1].uri, "skill://a/x/empty");
        assert_eq!(files[1].digest, "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!((files[0].size, files[1].size), (31, 0));
    }

    #[test]
    fn a_path_is_taken_once_and_stays_inside() {
        for path in ["SKILL.md", "../b", "/b", "SKILL.md/x"] {
            assert!(skill().file(path, "x").is_err(), "{path}");
        }
        assert!(skill().file("x/y", "").unwrap().file("x", "").is_err());
        assert!(skill().under("../up").is_err());
    }

    #[test]
    fn a_skill_is_as_large_as_hosts_take() {
        let full = (1..MAX_FILES).fold(skill(), |skill, number| skill.file(&number.to_string(), "").unwrap());
        assert!(full.file("one-more", "").is_err());
        let rest = usize::try_from(MAX_BYTES).unwrap() - 31;
        assert!(skill().file("large", vec![0; rest]).is_ok());
        assert!(skill().file("large", vec![0; rest + 1]).is_err());
    }
}
