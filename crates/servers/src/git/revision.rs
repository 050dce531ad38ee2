//! Names of objects: branches, tags, hashes, and steps from one object to another (`HEAD~2`, `v1^{tree}`, `main:src/a.rs`).

use gix::{ObjectId, bstr::ByteSlice, objs::Kind, refs::file::ReferenceExt as _};

use super::{
    failure::{Failure, Result},
    repository::{Head, Repository},
};

/// An object and its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Resolved {
    pub(super) id: ObjectId,
    pub(super) kind: Kind,
}

/// The places where a short name of a reference may stand, in order.
pub(super) const REFERENCE_RULES: [(&str, &str); 6] = [
    ("", ""),
    ("refs/", ""),
    ("refs/tags/", ""),
    ("refs/heads/", ""),
    ("refs/remotes/", ""),
    ("refs/remotes/", "/HEAD"),
];

/// Refuses what a command line would take for an option.
pub(super) fn refuse_option(what: &str, value: &str) -> Result<()> {
    if value.starts_with('-') {
        return Err(Failure::new(format!("Invalid {what}: '{value}' - cannot start with '-'")));
    }
    Ok(())
}

impl Repository {
    /// The object that a revision names.
    pub(super) fn resolve(&self, revision: &str) -> Result<Resolved> {
        if let Some(pattern) = revision.strip_prefix(":/") {
            return self.find_by_message(pattern, revision);
        }
        if let Some(path) = revision.strip_prefix(':') {
            return self.resolve_in_index(path);
        }
        let Some(start) = first_step(revision) else { return self.resolve_name(revision) };
        let (name, steps) = revision.split_at(start);
        match (name, steps.as_bytes()[0]) {
            ("", b'@') if steps.starts_with("@{") => self.walk_steps(None, None, revision, 0),
            ("", b'@') => self.walk_steps(Some(self.resolve_name("HEAD")?), None, revision, 1),
            ("", _) => Err(Failure::new(format!("Revision specifier must start with an object name: {revision}"))),
            (name, b'@') => self.walk_steps(None, Some(name), revision, start),
            (name, _) => self.walk_steps(Some(self.resolve_name(name)?), None, revision, start),
        }
    }

    /// The commit that a revision names, tags followed.
    pub(super) fn resolve_commit(&self, revision: &str) -> Result<ObjectId> {
        self.to_commit(self.resolve(revision)?)
    }

    fn walk_steps(
        &self,
        object: Option<Resolved>,
        reference: Option<&str>,
        revision: &str,
        mut at: usize,
    ) -> Result<Resolved> {
        let mut object = object;
        while at < revision.len() {
            let rest = &revision[at..];
            if rest.starts_with("@{") {
                let end = closing_brace(revision, at + 1)?;
                object = Some(self.reflog_entry(reference, &revision[at + 2..end])?);
                at = end + 1;
                continue;
            }
            let current = object.ok_or_else(|| Failure::unresolved(revision))?;
            if let Some(path) = rest.strip_prefix(':') {
                return self.resolve_in_tree(current, path);
            }
            if rest.starts_with("^{") {
                let end = closing_brace(revision, at + 1)?;
                object = Some(self.peel(current, &revision[at + 2..end], revision)?);
                at = end + 1;
                continue;
            }
            let step = rest.as_bytes()[0];
            if step != b'~' && step != b'^' {
                return Err(Failure::new(format!("Invalid @ token in revision specifier: {revision}")));
            }
            let digits = rest[1..].bytes().take_while(u8::is_ascii_digit).count();
            let count = if digits == 0 { 1 } else { rest[1..=digits].parse().unwrap_or(usize::MAX) };
            object = Some(self.step(current, step, count, revision)?);
            at += 1 + digits;
        }
        object.ok_or_else(|| Failure::unresolved(revision))
    }

    fn step(&self, from: Resolved, step: u8, count: usize, revision: &str) -> Result<Resolved> {
        let mut id = self.to_commit(from)?;
        let too_far = || {
            let step = char::from(step);
            Failure::unresolved(&format!(
                "Invalid revision spec '{revision}' - not enough parent commits to reach '{step}{count}'"
            ))
        };
        let parent = |id: ObjectId, number: usize| -> Result<ObjectId> {
            let commit = self.gix.find_commit(id)?;
            commit.parent_ids().nth(number - 1).map(|id| id.detach()).ok_or_else(too_far)
        };
        if step == b'^' {
            if count > 0 {
                id = parent(id, count)?;
            }
        } else {
            for _ in 0..count {
                self.cancellation.check()?;
                id = parent(id, 1)?;
            }
        }
        Ok(Resolved { id, kind: Kind::Commit })
    }

    fn resolve_name(&self, name: &str) -> Result<Resolved> {
        let found = self
            .resolve_hash(name)?
            .or_else(|| self.resolve_reference(name))
            .or_else(|| self.lookup_abbreviated(described(name)?))
            .ok_or_else(|| Failure::unresolved(name))?;
        self.with_kind(found)
    }

    fn resolve_hash(&self, name: &str) -> Result<Option<ObjectId>> {
        if name.len() < 4 || name.len() > 40 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        if name.len() < 40 {
            return Ok(self.lookup_abbreviated(name));
        }
        let id = ObjectId::from_hex(name.to_ascii_lowercase().as_bytes()).map_err(|_| Failure::unresolved(name))?;
        if self.gix.has_object(id) {
            return Ok(Some(id));
        }
        Err(Failure::new(format!("SHA b'{name}' could not be resolved, git returned: b'{name} missing'")))
    }

    fn lookup_abbreviated(&self, hex: &str) -> Option<ObjectId> {
        let prefix = gix::hash::Prefix::from_hex(&hex.to_ascii_lowercase()).ok()?;
        let mut candidates = std::collections::HashSet::new();
        match self.gix.objects.lookup_prefix(prefix, Some(&mut candidates)).ok()?? {
            Ok(id) => Some(id),
            // As git does: of several objects, the only commit is meant.
            Err(()) => {
                let mut commits = candidates.into_iter().filter(|id| self.peeled_commit(*id).is_some());
                commits.next().filter(|_| commits.next().is_none())
            }
        }
    }

    fn resolve_reference(&self, name: &str) -> Option<ObjectId> {
        REFERENCE_RULES.iter().find_map(|(before, after)| self.reference_target(&format!("{before}{name}{after}")))
    }

    /// Names of references that a short name could mean.
    pub(super) fn references_meant_by(&self, name: &str) -> Vec<String> {
        let names = REFERENCE_RULES.iter().map(|(before, after)| format!("{before}{name}{after}"));
        names.filter(|full| self.reference_target(full).is_some()).collect()
    }

    fn with_kind(&self, id: ObjectId) -> Result<Resolved> {
        let kind = self.gix.find_header(id)?.kind();
        Ok(Resolved { id, kind })
    }

    fn to_commit(&self, object: Resolved) -> Result<ObjectId> {
        let object = self.follow_tags(object)?;
        if object.kind == Kind::Commit {
            return Ok(object.id);
        }
        let kind = object.kind;
        Err(Failure::new(format!("Cannot convert object <git.{} \"{}\"> to type commit", class_name(kind), object.id)))
    }

    fn follow_tags(&self, mut object: Resolved) -> Result<Resolved> {
        while object.kind == Kind::Tag {
            self.cancellation.check()?;
            let target = self.gix.find_tag(object.id)?.target_id()?.detach();
            object = self.with_kind(target)?;
        }
        Ok(object)
    }

    fn peel(&self, object: Resolved, kind: &str, revision: &str) -> Result<Resolved> {
        if let Some(pattern) = kind.strip_prefix('/') {
            let commit = self.to_commit(object)?;
            return self.find_by_message(pattern, &format!("{commit}^{{/{pattern}}}"));
        }
        let expect = |object: Resolved, kind: &str| {
            if object.kind.as_bytes() == kind.as_bytes() {
                return Ok(object);
            }
            Err(Failure::new(format!("Could not accommodate requested object type '{kind}', got {}", object.kind)))
        };
        match kind {
            "" => self.follow_tags(object),
            "object" => Ok(object),
            "commit" => Ok(Resolved { id: self.to_commit(object)?, kind: Kind::Commit }),
            "tree" if object.kind == Kind::Tree => Ok(object),
            "tree" => Ok(Resolved { id: self.tree_of(self.to_commit(object)?)?, kind: Kind::Tree }),
            "blob" => expect(self.follow_tags(object)?, kind),
            "tag" => expect(object, kind),
            _ => Err(Failure::new(format!("Invalid output type: {kind} ( in {revision} )"))),
        }
    }

    fn resolve_in_tree(&self, object: Resolved, path: &str) -> Result<Resolved> {
        let tree = if object.kind == Kind::Tree { object.id } else { self.tree_of(self.to_commit(object)?)? };
        let mut found = Resolved { id: tree, kind: Kind::Tree };
        if path.is_empty() {
            return Ok(found);
        }
        for name in path.split('/') {
            let missing = |name: &str| Failure::new(format!("\"Blob or Tree named '{name}' not found\""));
            // What lies below a file is named in full, as the original does.
            if found.kind != Kind::Tree {
                return Err(missing(path));
            }
            let tree = self.gix.find_tree(found.id)?;
            let entry = tree.iter().filter_map(Result::ok).find(|entry| entry.filename() == name.as_bytes().as_bstr());
            let entry = entry.ok_or_else(|| missing(name))?;
            let kind = match entry.mode().kind() {
                gix::objs::tree::EntryKind::Tree => Kind::Tree,
                gix::objs::tree::EntryKind::Commit => Kind::Commit,
                _ => Kind::Blob,
            };
            found = Resolved { id: entry.object_id(), kind };
        }
        Ok(found)
    }

    fn resolve_in_index(&self, specification: &str) -> Result<Resolved> {
        if specification.is_empty() {
            return Err(Failure::new("':' must be followed by a path"));
        }
        let (stage, path) = match specification.as_bytes() {
            [digit @ b'0'..=b'3', b':', ..] => (u32::from(digit - b'0'), &specification[2..]),
            _ => (0, specification),
        };
        let index = self.index()?;
        let entry = index
            .entries()
            .iter()
            .find(|entry| entry.stage_raw() == stage && entry.path(&index) == path.as_bytes().as_bstr());
        let entry = entry.ok_or_else(|| {
            Failure::unresolved(&format!("Path '{path}' did not exist in the index at stage {stage}"))
        })?;
        Ok(Resolved { id: entry.id, kind: Kind::Blob })
    }

    /// The youngest commit whose message has the text. The text is searched for as it is, not as a regular expression.
    fn find_by_message(&self, pattern: &str, revision: &str) -> Result<Resolved> {
        if pattern.is_empty() {
            return Err(Failure::new("Revision search requires a pattern"));
        }
        let found = self.gix.rev_parse_single(revision.as_bytes().as_bstr());
        let id =
            found.map_err(|_| Failure::unresolved(&format!("No commit found matching message pattern '{pattern}'")))?;
        self.with_kind(id.detach())
    }

    fn reflog_entry(&self, reference: Option<&str>, content: &str) -> Result<Resolved> {
        let content = content.strip_prefix('+').unwrap_or(content);
        if let Some(back) = content.strip_prefix('-') {
            return self.previous_branch(back, content);
        }
        let full = match reference {
            Some(name) => self
                .references_meant_by(name)
                .into_iter()
                .next()
                .ok_or_else(|| Failure::new(format!("Couldn't find reference named '{name}'")))?,
            None => match self.head()? {
                Head::Branch(name, _) => name.as_bstr().to_string(),
                Head::Detached(_) => "HEAD".to_owned(),
            },
        };
        if matches!(content.to_ascii_lowercase().as_str(), "u" | "upstream" | "push") {
            return self.upstream_of(&full);
        }
        let number: usize =
            content.parse().map_err(|_| Failure::new("Support for additional @{...} modes not implemented"))?;
        let unresolved = || Failure::unresolved(&full);
        if number == 0 {
            return self.with_kind(self.reference_target(&full).ok_or_else(unresolved)?);
        }
        let out_of_range = || Failure::new(format!("Invalid revlog index: {number}"));
        let reference = self.reference(&full).ok_or_else(unresolved)?;
        let mut log = reference.inner.log_iter(&self.gix.refs);
        let mut entries = log.rev()?.ok_or_else(out_of_range)?;
        let entry = entries.nth(number).ok_or_else(out_of_range)??;
        self.with_kind(entry.new_oid)
    }

    fn upstream_of(&self, full: &str) -> Result<Resolved> {
        let short = full.strip_prefix("refs/heads/");
        let missing = || Failure::unresolved(&format!("{}@{{upstream}}", short.unwrap_or(full)));
        let upstream = self.upstream(full.as_bytes().as_bstr()).ok_or_else(missing)?;
        let id = self.reference_target(&upstream.to_string()).ok_or_else(missing)?;
        self.with_kind(id)
    }

    fn previous_branch(&self, number: &str, content: &str) -> Result<Resolved> {
        let invalid = || Failure::new(format!("Invalid previous checkout selector: {content}"));
        let number: usize = number.parse().ok().filter(|number| *number > 0).ok_or_else(invalid)?;
        let mut seen = 0;
        let mut found = None;
        self.each_head_log_entry(|message, _| {
            let from = message.strip_prefix("checkout: moving from ").and_then(|moved| moved.split(" to ").next());
            if let Some(from) = from {
                seen += 1;
                if seen == number {
                    found = Some(from.to_owned());
                }
            }
            found.is_none()
        })?;
        self.resolve_name(&found.ok_or_else(invalid)?)
    }

    /// Calls `visit` with message and new object of each entry of the log of `HEAD`, youngest first, until it says no.
    pub(super) fn each_head_log_entry(&self, mut visit: impl FnMut(&str, ObjectId) -> bool) -> Result<()> {
        let head = self.gix.head()?;
        let mut log = head.log_iter();
        let Some(entries) = log.rev()? else { return Ok(()) };
        for entry in entries {
            self.cancellation.check()?;
            let entry = entry?;
            if !visit(&entry.message.to_str_lossy(), entry.new_oid) {
                break;
            }
        }
        Ok(())
    }
}

/// Where the first step after a name begins.
fn first_step(revision: &str) -> Option<usize> {
    let bytes = revision.as_bytes();
    bytes.iter().enumerate().find_map(|(at, byte)| {
        let next = bytes.get(at + 1);
        let step = match byte {
            b'^' | b'~' | b':' => true,
            b'@' if next == Some(&b'{') => true,
            b'@' => at == 0 && matches!(next, None | Some(b'^' | b'~' | b':')),
            _ => false,
        };
        step.then_some(at)
    })
}

fn closing_brace(revision: &str, open: usize) -> Result<usize> {
    let mut depth = 1;
    let mut escaped = false;
    for (at, byte) in revision.bytes().enumerate().skip(open + 1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Ok(at);
        }
    }
    Err(Failure::new(format!("Missing closing brace to define type in {revision}")))
}

/// The hash in a name as `git describe` prints it, such as `v1.0-3-gb5640d1`.
fn described(name: &str) -> Option<&str> {
    let dirty = name.strip_suffix("-dirty");
    let name = dirty.unwrap_or(name);
    let is_hash = |hash: &&str| (4..=40).contains(&hash.len()) && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
    match name.rsplit_once("-g") {
        Some((before, hash)) if !before.is_empty() => Some(hash).filter(is_hash),
        _ => dirty.filter(is_hash),
    }
}

fn class_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Tree => "Tree",
        Kind::Blob => "Blob",
        Kind::Commit => "Commit",
        Kind::Tag => "TagObject",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revision_is_split_at_its_first_step() {
        for (revision, at) in
            [("main", None), ("main~2", Some(4)), ("@", Some(0)), ("a@b", None), ("a@{1}", Some(1)), ("x:y^", Some(1))]
        {
            assert_eq!(first_step(revision), at, "{revision}");
        }
    }

    #[test]
    fn described_names_have_a_hash() {
        assert_eq!(described("v1.0-3-gb5640d1"), Some("b5640d1"));
        assert_eq!(described("b5640d1-dirty"), Some("b5640d1"));
        assert_eq!(described("v1.0-3-gxyz"), None);
        assert_eq!(described("main"), None);
    }

    #[test]
    fn options_are_refused_with_the_name_of_the_argument() {
        assert_eq!(
            refuse_option("target", "--output=x").unwrap_err().to_string(),
            "Invalid target: '--output=x' - cannot start with '-'"
        );
        assert!(refuse_option("target", "main-").is_ok());
    }
}
