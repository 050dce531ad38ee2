//! The content of a version, and whether it is text.

use gix::{bstr::ByteSlice, index::entry::Mode};

use super::{
    changes::{Source, Version},
    failure::Result,
    filters::{DiffAttribute, Filters},
    repository::Repository,
    worktree_state::WorktreeComparison,
};

/// Larger files are not compared line by line (git's `core.bigFileThreshold`).
const BIG_FILE: u64 = 512 * 1024 * 1024;

/// Git looks for NUL in so many bytes.
const BINARY_PROBE: usize = 8000;

/// Reads what is compared.
pub(super) struct Contents<'repo> {
    repository: &'repo Repository,
    index: &'repo gix::index::File,
    comparison: Option<WorktreeComparison<'repo>>,
    attributes: Option<Filters<'repo>>,
}

impl<'repo> Contents<'repo> {
    pub(super) fn new(repository: &'repo Repository, index: &'repo gix::index::File) -> Self {
        Self { repository, index, comparison: None, attributes: None }
    }

    pub(super) fn read(&mut self, version: &Version) -> Result<Vec<u8>> {
        if version.mode == Mode::COMMIT {
            let dirty = if version.source == Source::DirtySubmodule { "-dirty" } else { "" };
            return Ok(format!("Subproject commit {}{dirty}\n", version.id).into_bytes());
        }
        if version.source == Source::Object {
            return self.repository.blob(version.id);
        }
        if self.comparison.is_none() {
            self.comparison = Some(WorktreeComparison::new(self.repository, self.index)?);
        }
        match &mut self.comparison {
            Some(comparison) => comparison.content(version.path.as_bstr(), version.mode),
            None => Ok(Vec::new()),
        }
    }

    /// The size without reading the content, where it is known.
    pub(super) fn is_big(&self, version: &Version) -> bool {
        let size = match version.source {
            _ if version.mode == Mode::COMMIT => None,
            Source::Object => self.repository.gix.find_header(version.id).ok().map(|header| header.size()),
            _ => {
                let worktree = self.repository.worktree().ok();
                let stat = worktree.and_then(|worktree| worktree.stat(version.path.as_bstr()).ok()?);
                stat.map(|stat| u64::from(stat.stat.size))
            }
        };
        size.is_some_and(|size| size > BIG_FILE)
    }

    pub(super) fn is_binary(&mut self, version: &Version, content: &[u8]) -> Result<bool> {
        if version.mode == Mode::COMMIT || version.mode == Mode::SYMLINK {
            return Ok(content[..content.len().min(BINARY_PROBE)].contains(&0));
        }
        if self.attributes.is_none() {
            self.attributes = Some(Filters::to_git_by(self.repository, self.index)?);
        }
        let attribute = match &mut self.attributes {
            Some(filters) => filters.diff_attribute(version.path.as_bstr())?,
            None => DiffAttribute::Automatic,
        };
        Ok(match attribute {
            DiffAttribute::Binary => true,
            DiffAttribute::Text => false,
            DiffAttribute::Automatic => content[..content.len().min(BINARY_PROBE)].contains(&0),
        })
    }
}
