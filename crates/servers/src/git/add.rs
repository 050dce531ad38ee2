//! Staging files.

use std::path::PathBuf;

use gix::{
    bstr::{BStr, BString, ByteSlice},
    index::entry::{Mode, Stat},
    objs::{Kind, Write as _},
    pathspec::{MagicSignature, Pattern, Search},
    worktree::stack::state::{attributes, ignore},
};

use super::{
    access,
    changes::index_paths,
    failure::{Failure, Result},
    index_file::IndexEdit,
    repository::Repository,
    worktree::{FileKind, FileStat},
    worktree_state::{EntryState, SubmoduleState, WorktreeComparison},
};

/// Whether staging changed the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Staged {
    /// Something is new in the index.
    Changed,
    /// There was nothing to stage.
    Nothing,
}

impl Repository {
    /// Stages files, directories or patterns of files, deletions included.
    pub fn add(&self, files: &[String]) -> Result<Staged> {
        self.worktree()?;
        if files.is_empty() {
            return Err(Failure::new(
                "No files provided to stage. Pass one or more paths, or ['.'] to stage everything.",
            ));
        }
        if files != ["."] {
            files.iter().try_for_each(|file| self.check_inside(file))?;
        }
        let index = self.index()?;
        let untracked = self.untracked_files(&index)?;
        let selection = Selection::new(self, files, &index, &untracked)?;
        let mut edit = IndexEdit::new(index);
        let staged = self.stage(&selection, &untracked, &mut edit)?;
        if staged == Staged::Changed {
            edit.write(self)?;
        }
        if selection.ignored.is_empty() {
            return Ok(staged);
        }
        let quoted: Vec<_> = selection.ignored.iter().map(|path| format!("{path}\n")).collect();
        Err(Failure::new(format!(
            "The following paths are ignored by one of your .gitignore files:\n{}\
             hint: Use -f if you really want to add them.\n\
             hint: Disable this message with \"git config advice.addIgnoredFile false\"",
            quoted.concat()
        )))
    }

    /// A path, links resolved, has to lie in the working tree.
    fn check_inside(&self, file: &str) -> Result<()> {
        let real =
            access::resolved(&self.root.join(file)).map_err(|_| Failure::new(format!("Invalid path: '{file}'")))?;
        if real.starts_with(&self.root) {
            return Ok(());
        }
        Err(Failure::new(format!("Path '{file}' is outside the repository '{}'", self.root.display())))
    }

    fn stage(&self, selection: &Selection, untracked: &[BString], edit: &mut IndexEdit) -> Result<Staged> {
        let mut staged = Staged::Nothing;
        let mut additions = Vec::new();
        let mut removals = Vec::new();
        let index = edit.index();
        let mut comparison = WorktreeComparison::new(self, index)?;
        for (path, entry) in index_paths(index).filter(|(path, _)| selection.tracked.contains(path)) {
            self.cancellation.check()?;
            let state = match entry {
                Some(entry) => comparison.state(entry)?,
                None => EntryState::Differs { mode: Mode::FILE, submodule: SubmoduleState::default() },
            };
            match state {
                EntryState::Unchanged => {}
                EntryState::Missing => removals.push(path),
                EntryState::Differs { .. } => match self.worktree()?.stat(path.as_bstr())? {
                    Some(found) => additions.push((path, found, entry.map(|entry| entry.mode))),
                    None => removals.push(path),
                },
            }
        }
        for path in untracked.iter().filter(|path| selection.untracked.contains(*path)) {
            let trimmed = BString::from(path.trim_end_with(|c| c == '/'));
            if let Some(found) = self.worktree()?.stat(trimmed.as_bstr())? {
                additions.push((trimmed, found, None));
            }
        }
        let mut entries = Vec::new();
        for (path, found, old_mode) in additions {
            self.cancellation.check()?;
            entries.push(self.store(&mut comparison, path, &found, old_mode)?);
        }
        drop(comparison);
        for (path, mode, id, stat) in entries {
            if !edit.is_same(path.as_bstr(), mode, id) {
                staged = Staged::Changed;
            }
            edit.set(path, mode, id, stat);
        }
        for path in removals {
            staged = Staged::Changed;
            edit.remove(path);
        }
        Ok(staged)
    }

    /// Puts the content of a file into the object store. A link is stored as a link.
    fn store(
        &self,
        comparison: &mut WorktreeComparison<'_>,
        path: BString,
        found: &FileStat,
        old_mode: Option<Mode>,
    ) -> Result<(BString, Mode, gix::ObjectId, Stat)> {
        if found.kind == FileKind::Directory {
            let version = comparison.version(path, Mode::COMMIT, SubmoduleState::default()).map_err(|_| {
                Failure::new(
                    "error: a nested repository does not have a commit checked out\nfatal: adding files failed",
                )
            })?;
            return Ok((version.path, Mode::COMMIT, version.id, found.stat));
        }
        let Some(mut mode) = found.mode() else {
            return Err(Failure::new(format!(
                "error: '{path}' is neither a file nor a link\nfatal: adding files failed"
            )));
        };
        let is_file = |mode: Mode| mode == Mode::FILE || mode == Mode::FILE_EXECUTABLE;
        if !self.settings.file_mode && is_file(mode) {
            mode = old_mode.filter(|old| is_file(*old)).unwrap_or(Mode::FILE);
        }
        if !self.settings.symlinks && old_mode == Some(Mode::SYMLINK) {
            mode = Mode::SYMLINK;
        }
        let content = comparison.content(path.as_bstr(), mode)?;
        let id = self.gix.objects.write_buf(Kind::Blob, &content)?;
        Ok((path, mode, id, found.stat))
    }
}

/// What the given paths and patterns match.
struct Selection {
    tracked: std::collections::HashSet<BString>,
    untracked: std::collections::HashSet<BString>,
    /// Paths that exist and are ignored.
    ignored: Vec<String>,
}

impl Selection {
    fn new(repository: &Repository, files: &[String], index: &gix::index::File, untracked: &[BString]) -> Result<Self> {
        let mut selection = Self { tracked: Default::default(), untracked: Default::default(), ignored: Vec::new() };
        let patterns = files.iter().map(|file| parse(repository, file)).collect::<Result<Vec<_>>>()?;
        let excluded: Vec<_> = patterns.iter().filter(|pattern| is_exclusion(pattern)).cloned().collect();
        for (file, pattern) in files.iter().zip(patterns) {
            if is_exclusion(&pattern) {
                continue;
            }
            let specification: Vec<_> = std::iter::once(pattern).chain(excluded.iter().cloned()).collect();
            let mut matcher = Matcher::new(repository, specification, index)?;
            let mut matched = false;
            for (path, _) in index_paths(index) {
                if matcher.is_included(path.as_bstr(), false) {
                    matched = true;
                    selection.tracked.insert(path);
                }
            }
            for path in untracked {
                let is_dir = path.ends_with(b"/");
                if matcher.is_included(path.trim_end_with(|c| c == '/').as_bstr(), is_dir) {
                    matched = true;
                    selection.untracked.insert(path.clone());
                }
            }
            if !matched {
                selection.without_match(repository, file, index)?;
            }
        }
        Ok(selection)
    }

    /// A path that matched nothing is ignored, an empty directory, or an error.
    fn without_match(&mut self, repository: &Repository, file: &str, index: &gix::index::File) -> Result<()> {
        let missing = || Failure::new(format!("fatal: pathspec '{file}' did not match any files"));
        let Some(path) = relative(repository, file) else { return Err(missing()) };
        if path.is_empty() {
            return Ok(());
        }
        if let Some(link) = link_above(repository, path.as_bstr())? {
            return Err(Failure::new(format!("fatal: pathspec '{file}' is beyond a symbolic link at '{link}'")));
        }
        let found = repository.worktree()?.stat(path.as_bstr())?.ok_or_else(missing)?;
        let mode = if found.kind == FileKind::Directory { Mode::DIR } else { Mode::FILE };
        let mut excludes = repository.gix.excludes(index, None, ignore::Source::default())?;
        if excludes.at_entry(path.as_bstr(), Some(mode))?.is_excluded() {
            self.ignored.push(path.to_string());
            return Ok(());
        }
        Ok(())
    }
}

fn parse(repository: &Repository, file: &str) -> Result<Pattern> {
    if file.is_empty() {
        return Err(Failure::new(
            "fatal: empty string is not a valid pathspec. please use . instead if you meant to match all paths",
        ));
    }
    let given = match relative(repository, file) {
        // Without a path, `top` means everything. Patterns stay patterns.
        Some(path) if !file.starts_with(':') => BString::from([b":(top)".as_slice(), &path].concat()),
        _ => file.into(),
    };
    let invalid = |error: String| Failure::new(format!("fatal: '{file}' is not a valid pathspec: {error}"));
    gix::pathspec::parse(&given, gix::pathspec::Defaults::default()).map_err(|error| invalid(error.to_string()))
}

fn is_exclusion(pattern: &Pattern) -> bool {
    pattern.signature.contains(MagicSignature::EXCLUDE)
}

/// The path from the root of the working tree, if it is a plain one.
fn relative(repository: &Repository, file: &str) -> Option<BString> {
    let normalized: PathBuf = access::expanded(&repository.root.join(file)).ok()?;
    let relative = match normalized.strip_prefix(&repository.root) {
        Ok(relative) => relative.to_owned(),
        // An absolute path through a link to the working tree.
        Err(_) => {
            let parent = access::resolved(normalized.parent()?).ok()?;
            parent.join(normalized.file_name()?).strip_prefix(&repository.root).ok()?.to_owned()
        }
    };
    let path = gix::path::into_bstr(relative).ok()?;
    Some(gix::path::to_unix_separators_on_windows(path).into_owned())
}

/// The first link on the way to a path.
fn link_above<'a>(repository: &Repository, path: &'a BStr) -> Result<Option<&'a BStr>> {
    for at in path.find_iter("/") {
        let parent = path[..at].as_bstr();
        if repository.worktree()?.stat(parent)?.is_some_and(|found| found.kind == FileKind::Link) {
            return Ok(Some(parent));
        }
    }
    Ok(None)
}

/// Matches paths; the current directory of the server does not count.
struct Matcher<'repo> {
    repository: &'repo Repository,
    search: Search,
    attributes: gix::AttributeStack<'repo>,
}

impl<'repo> Matcher<'repo> {
    fn new(repository: &'repo Repository, patterns: Vec<Pattern>, index: &gix::index::File) -> Result<Self> {
        let search = Search::from_specs(patterns, None, &repository.root)?;
        let attributes = repository.gix.attributes_only(index, attributes::Source::WorktreeThenIdMapping)?;
        Ok(Self { repository, search, attributes })
    }

    fn is_included(&mut self, path: &BStr, is_dir: bool) -> bool {
        let objects = &self.repository.gix.objects;
        let attributes = &mut self.attributes;
        let found = self.search.pattern_matching_relative_path(path, Some(is_dir), &mut |path, case, is_dir, out| {
            let mode = if is_dir { Mode::DIR } else { Mode::FILE };
            let platform = attributes.set_case(case).at_entry(path, Some(mode), objects);
            platform.is_ok_and(|platform| platform.matching_attributes(out))
        });
        found.is_some_and(|found| !found.is_excluded())
    }
}
