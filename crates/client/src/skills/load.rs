//! Listing and loading skills.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use jackfield_protocol::{
    GET_SKILL, GetSkillResult, JsonObject, LIST_SKILLS, ListSkillsResult, RawJson, ResourceContents, SKILLS_EXTENSION,
    SkillEntry, SkillResources,
};
use serde::de::DeserializeOwned;

use super::{BadSkill, check};
use crate::error::Cause;
use crate::{BadAnswer, Client, Error};

/// A skill whose `SKILL.md` was read and is the one that was listed.
#[derive(Clone, Debug)]
pub struct LoadedSkill {
    skill: SkillEntry,
    text: String,
    /// Where the instructions begin.
    start: usize,
}

impl LoadedSkill {
    /// Returns what the server listed.
    #[must_use]
    pub fn skill(&self) -> &SkillEntry {
        &self.skill
    }

    /// Returns the instructions: `SKILL.md` without its head.
    #[must_use]
    pub fn instructions(&self) -> &str {
        self.text.get(self.start..).unwrap_or_default()
    }
}

impl Client {
    /// Lists the skills of the server. No file of them is read.
    ///
    /// # Errors
    /// The server has no skills, or see [`Error`].
    pub async fn skills(&self) -> Result<Vec<SkillEntry>, Error> {
        self.needs_skills().await?;
        let limit = self.core().options.limits.pages;
        let mut all = Vec::new();
        let mut params = JsonObject::new();
        let mut seen = BTreeSet::new();
        for _ in 0..limit {
            let page: ListSkillsResult = read(LIST_SKILLS, &self.request(LIST_SKILLS, params.clone()).await?)?;
            all.extend(page.skills);
            let Some(cursor) = page.next_cursor else { return Ok(all) };
            if !seen.insert(cursor.clone()) {
                return Err(Cause::RepeatedCursor(LIST_SKILLS).into());
            }
            params.insert("cursor".to_owned(), cursor.into());
        }
        Err(Error::limit("the number of pages of a list", limit))
    }

    /// PollTimer at one skill, by the URI of its `SKILL.md`.
    ///
    /// # Errors
    /// The server has no such skill, or see [`Error`].
    pub async fn skill(&self, uri: &str) -> Result<SkillEntry, Error> {
        self.needs_skills().await?;
        let params = JsonObject::from_iter([("uri".to_owned(), uri.into())]);
        let GetSkillResult { skill, .. } = read(GET_SKILL, &self.request(GET_SKILL, params).await?)?;
        if skill.uri == uri { Ok(skill) } else { Err(BadSkill::Entry("it is another skill than was asked for").into()) }
    }

    /// Reads a skill's `SKILL.md` and checks that it is the one that was listed: its size, its digest, and what its head says.
    ///
    /// # Errors
    /// An error of the kind [`Output`](crate::ErrorKind::Output), whose source is a [`BadSkill`], if it is not; the skill must not be used then.
    pub async fn load_skill(&self, skill: SkillEntry) -> Result<LoadedSkill, Error> {
        check::entry(&skill)?;
        let content = self.skill_content(&skill, &skill.uri).await?;
        let text = String::from_utf8(content).map_err(|_| BadSkill::NoFrontmatter)?;
        let start = text.len().saturating_sub(check::frontmatter(&skill.frontmatter, &text)?.len());
        Ok(LoadedSkill { skill, text, start })
    }

    /// Reads another file of a skill, and checks that it is the one that was listed.
    ///
    /// # Errors
    /// An error of the kind [`Output`](crate::ErrorKind::Output), whose source is a [`BadSkill`], if the skill has no such file, or it is another one.
    pub async fn skill_file(&self, loaded: &LoadedSkill, uri: &str) -> Result<Vec<u8>, Error> {
        self.skill_content(&loaded.skill, uri).await
    }

    async fn skill_content(&self, skill: &SkillEntry, uri: &str) -> Result<Vec<u8>, Error> {
        let listed = skill.file(uri);
        let may_be_dynamic = skill.resources == SkillResources::Dynamic && check::is_inside(skill, uri);
        if listed.is_none() && !may_be_dynamic {
            return Err(BadSkill::NotListed(uri.to_owned()).into());
        }
        let mut contents = self.read(uri).await?.contents;
        let content = match (contents.pop(), contents.is_empty()) {
            (Some(ResourceContents::Text(text)), true) => text.text.to_string().into_bytes(),
            (Some(ResourceContents::Blob(blob)), true) => {
                STANDARD.decode(blob.blob.as_bytes()).map_err(|_| BadSkill::Missing)?
            }
            _ => return Err(BadSkill::Missing.into()),
        };
        if let Some(listed) = listed {
            check::file(listed, &content)?;
        }
        Ok(content)
    }

    async fn needs_skills(&self) -> Result<(), Error> {
        let session = self.session().await?;
        let extensions = session.about.capabilities.extensions.as_ref();
        match extensions {
            Some(extensions) if extensions.contains_key(SKILLS_EXTENSION) => Ok(()),
            _ => Err(Cause::NotOffered("skills").into()),
        }
    }
}

fn read<T: DeserializeOwned>(method: &str, result: &RawJson) -> Result<T, Error> {
    result.read().map_err(|cause| Error::bad_answer(method, BadAnswer::Message(cause.to_string())))
}

impl From<BadSkill> for Error {
    fn from(cause: BadSkill) -> Self {
        Cause::Skill(cause).into()
    }
}
