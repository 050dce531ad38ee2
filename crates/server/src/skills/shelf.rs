//! The skills that a server has now.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jackfield_protocol::{
    JsonObject, ReadResourceResult, Resource, ResourceContents, SKILLS_EXTENSION, Settings, SkillEntry, SkillResources,
};

use super::file_type::mime_type;
use super::skill::{File, SKILL_MD, Skill, Skills};
use crate::builder::core::Core;
use crate::builder::mount::Prefix;
use crate::entries::catalog::EntryId;
use crate::entries::prepared::PreparedResource;
use crate::subscriptions::changes::Change;
use crate::{Address, BuildError, Cx, Reading, Registry, ResourceEntry, Server, Variables, Work};

/// The skills of one server, by URI; and all their files.
#[derive(Clone, Default)]
pub(crate) struct Shelf {
    /// Skills may come, so that the extension is declared even while there are none.
    announced: bool,
    pub(super) skills: BTreeMap<String, SkillEntry>,
    pub(super) files: BTreeMap<String, Resource>,
    entries: Vec<EntryId>,
}

impl Server {
    /// Serves skills (extension `io.modelcontextprotocol/skills`): lists them, and lets clients read their files as resources.
    /// Only the `SKILL.md` of each stands in the list of resources.
    ///
    /// ```
    /// # use jackfield_server::{Server, Skill, Skills};
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let skill = Skill::new("---\nname: refunds\ndescription: Process refund requests\n---\n1. Look up the order.\n")?;
    /// let server = Server::new("shop").skills(skill);
    /// # let directory = std::env::temp_dir().join("jackfield-skills-doc");
    /// # std::fs::create_dir_all(&directory)?;
    /// // Or all that are in a directory:
    /// let server = server.skills(Skills::from_dir(directory)?);
    /// # Ok(())
    /// # }
    /// ```
    pub fn skills(self, skills: impl Into<Skills>) -> Self {
        let added = add(&self.core, &skills.into());
        self.note(added.err())
    }
}

impl Registry {
    /// Serves these skills instead of those before, and tells all clients.
    ///
    /// # Errors
    /// Two of them have the same URI, or a file has the URI of another resource. Then there are no skills.
    pub fn replace_skills(&self, skills: impl Into<Skills>) -> Result<(), BuildError> {
        let old = std::mem::take(&mut *self.core.skills.write());
        for &id in &old.entries {
            self.core.resources.remove(id);
        }
        let added = add(&self.core, &skills.into());
        self.core.changed(&Change::Resources);
        added
    }
}

/// Whether a server, or one mounted in it, has skills.
pub(super) fn is_offered(core: &Core) -> bool {
    core.skills.read().announced || core.mounts().iter().any(|mount| is_offered(&mount.core))
}

/// Adds the extension to those that a server declares, if it has skills. What the user declared goes before.
pub(crate) fn declare(core: &Core, mut extensions: Settings) -> Settings {
    if is_offered(core) {
        let details = JsonObject::from_iter([("directoryRead".to_owned(), true.into())]);
        extensions.entry(SKILLS_EXTENSION.to_owned()).or_insert(details);
    }
    extensions
}

/// Returns the skills of a server and of those mounted in it, as callers see them.
pub(super) fn gather(core: &Core) -> Arc<Shelf> {
    let own = core.skills.read().clone();
    let mounts = core.mounts();
    if mounts.is_empty() {
        return own;
    }
    let mut all = Shelf::clone(&own);
    for mount in mounts {
        let inner = gather(&mount.core);
        all.skills.extend(inner.skills.values().map(|entry| under(&mount.prefix, entry)));
        all.files.extend(inner.files.values().cloned().map(|mut file| {
            file.uri = mount.prefix.uri(&file.uri);
            (file.uri.clone(), file)
        }));
    }
    Arc::new(all)
}

fn under(prefix: &Prefix, entry: &SkillEntry) -> (String, SkillEntry) {
    let mut entry = entry.clone();
    entry.uri = prefix.uri(&entry.uri);
    if let SkillResources::Files(files) = &mut entry.resources {
        for file in files {
            file.uri = prefix.uri(&file.uri);
        }
    }
    (entry.uri.clone(), entry)
}

/// Adds skills, and their files as resources. If anything is wrong with them nothing is added.
fn add(core: &Core, skills: &Skills) -> Result<(), BuildError> {
    let mut shelf = Shelf::clone(&core.skills.read());
    shelf.announced = true;
    core.resources.announce();
    let mut problems = Vec::new();
    let mut homes = BTreeSet::new();
    for skill in &skills.skills {
        let entry = skill.entry();
        if shelf.skills.contains_key(&entry.uri) || !homes.insert(entry.uri.clone()) {
            problems.push(format!("there are two skills `{}`", entry.uri));
            continue;
        }
        shelf.skills.insert(entry.uri.clone(), entry);
    }
    let mut entries = Vec::new();
    if problems.is_empty() {
        for (resource, file) in resources(skills) {
            shelf.files.insert(resource.uri.clone(), resource.clone());
            match PreparedResource::new(entry(resource, file))
                .and_then(|prepared| core.resources.insert(core, prepared))
            {
                Ok(id) => entries.push(id),
                Err(error) => problems.extend_from_slice(error.problems()),
            }
        }
    }
    if !problems.is_empty() {
        for id in entries {
            core.resources.remove(id);
        }
        return Err(BuildError::new(problems));
    }
    shelf.entries.extend(entries);
    *core.skills.write() = Arc::new(shelf);
    Ok(())
}

/// Returns the files as resources. A file of a skill inside another belongs to both, and is one resource: where it is a
/// `SKILL.md`, that of its own skill.
fn resources(skills: &Skills) -> Vec<(Resource, &File)> {
    let own = |skill: &Skill| skill.uri();
    let homes: BTreeSet<String> = skills.skills.iter().map(own).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for skill in &skills.skills {
        for file in &skill.files {
            let uri = skill.uri_of(&file.path);
            let is_own = file.path == SKILL_MD;
            if (is_own || !homes.contains(&uri)) && seen.insert(uri.clone()) {
                found.push((describe(skill, file, uri), file));
            }
        }
    }
    found
}

fn describe(skill: &Skill, file: &File, uri: String) -> Resource {
    let name = file.path.rsplit('/').next().unwrap_or(&file.path);
    let mime_type = mime_type(name, std::str::from_utf8(&file.bytes).is_ok());
    let resource = if file.path == SKILL_MD {
        Resource::new(uri, skill.frontmatter.name.clone()).with_description(skill.frontmatter.description.clone())
    } else {
        Resource::new(uri, name)
    };
    resource.with_mime_type(mime_type).with_size(file.bytes.len() as u64)
}

fn entry(resource: Resource, file: &File) -> ResourceEntry {
    let (mime_type, bytes) = (resource.mime_type.clone().unwrap_or_default(), file.bytes.clone());
    let is_listed = file.path == SKILL_MD;
    let mut entry =
        ResourceEntry::new(Address::Static(resource), move |Reading { uri, .. }: Reading, _: Variables, _: Cx| {
            let contents = match std::str::from_utf8(&bytes) {
                Ok(text) => ResourceContents::text(uri, text.to_owned()),
                Err(_) => ResourceContents::blob(uri, STANDARD.encode(&bytes)),
            };
            Work::Ready(Ok(ReadResourceResult::new(vec![contents.with_mime_type(mime_type.clone())]).into()))
        });
    entry.listed = is_listed;
    entry
}
