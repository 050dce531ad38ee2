//! Changes as `git diff` prints them.

use gix::{
    ObjectId,
    bstr::{BStr, BString, ByteSlice},
};

use super::{
    answer::Answer,
    changes::{Change, Version},
    content::Contents,
    failure::Result,
    hunks::{self, HunkOptions},
    repository::Repository,
    settings::{DiffSettings, Prefixes},
};

/// What is compared, for the letters of `diff.mnemonicPrefix`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Compared {
    IndexAndWorktree,
    CommitAndIndex,
    CommitAndWorktree,
}

/// Writes patches of one repository.
pub(super) struct PatchWriter<'repo> {
    repository: &'repo Repository,
    contents: Contents<'repo>,
    settings: DiffSettings,
    prefixes: (&'static str, &'static str),
    context: usize,
}

/// The part of a patch that follows its header.
pub(super) enum Body {
    Same,
    Binary,
    Text { old: Vec<u8>, new: Vec<u8> },
}

impl<'repo> PatchWriter<'repo> {
    pub(super) fn new(
        repository: &'repo Repository,
        index: &'repo gix::index::File,
        settings: DiffSettings,
        compared: Compared,
        context: usize,
    ) -> Self {
        let prefixes = match (settings.prefixes, compared) {
            (Prefixes::Standard, _) => ("a/", "b/"),
            (Prefixes::None, _) => ("", ""),
            (Prefixes::Mnemonic, Compared::IndexAndWorktree) => ("i/", "w/"),
            (Prefixes::Mnemonic, Compared::CommitAndIndex) => ("c/", "i/"),
            (Prefixes::Mnemonic, Compared::CommitAndWorktree) => ("c/", "w/"),
        };
        Self { repository, contents: Contents::new(repository, index), settings, prefixes, context }
    }

    /// Finds renames among the changes as the settings say.
    pub(super) fn with_renames(&mut self, changes: Vec<Change>) -> Result<Vec<Change>> {
        super::renames::detect(self.repository, changes, self.settings.renames, &mut self.contents)
    }

    pub(super) fn write_all(&mut self, changes: &[Change], out: &mut Answer) -> Result<()> {
        for change in changes {
            self.repository.cancellation.check()?;
            if out.is_full() {
                break;
            }
            self.write(change, out)?;
        }
        Ok(())
    }

    fn write(&mut self, change: &Change, out: &mut Answer) -> Result<()> {
        match change {
            Change::Unmerged(path) => {
                Self::write_unmerged(path, out);
                Ok(())
            }
            Change::Added(new) => self.write_pair(None, Some(new), None, out),
            Change::Deleted(old) => self.write_pair(Some(old), None, None, out),
            // Between a file and a link, nothing can be compared line by line.
            Change::Modified(old, new) if kind_bits(old) != kind_bits(new) => {
                self.write_pair(Some(old), None, None, out)?;
                self.write_pair(None, Some(new), None, out)
            }
            Change::Modified(old, new) => self.write_pair(Some(old), Some(new), None, out),
            Change::Renamed(old, new, percent) => self.write_pair(Some(old), Some(new), Some(*percent), out),
        }
    }

    fn write_unmerged(path: &BString, out: &mut Answer) {
        out.push("* Unmerged path ");
        out.push(path);
        out.push("\n");
    }

    fn write_pair(
        &mut self,
        old: Option<&Version>,
        new: Option<&Version>,
        renamed: Option<u32>,
        out: &mut Answer,
    ) -> Result<()> {
        let Some(any) = new.or(old) else { return Ok(()) };
        let body = self.body(old, new)?;
        let old_path = old.unwrap_or(any).path.as_bstr();
        let new_path = any.path.as_bstr();
        let quoting = self.repository.settings.quoting;
        let old_name = quoting.apply_prefixed(self.prefixes.0, old_path);
        let new_name = quoting.apply_prefixed(self.prefixes.1, new_path);
        let header = self.header(old, new, renamed, &old_name, &new_name);
        let old_label = if old.is_some() { old_name } else { "/dev/null".into() };
        let new_label = if new.is_some() { new_name } else { "/dev/null".into() };
        match body {
            // A file whose stat data changed and nothing else is no change.
            Body::Same if renamed.is_none() && old.zip(new).is_some_and(|(old, new)| old.mode == new.mode) => {}
            Body::Same => out.push(header),
            Body::Binary => {
                out.push(header);
                write_binary(old_label.as_bstr(), new_label.as_bstr(), out);
            }
            Body::Text { old, new } => {
                out.push(header);
                let mut labels = Vec::new();
                for (mark, label) in [("--- ", &old_label), ("+++ ", &new_label)] {
                    labels.extend_from_slice(mark.as_bytes());
                    labels.extend_from_slice(label);
                    labels.extend_from_slice(if label.contains(&b' ') { b"\t\n" } else { b"\n" });
                }
                hunks::write(&old, &new, self.hunk_options(), &labels, out);
            }
        }
        Ok(())
    }

    pub(super) fn quoted(&self, prefix: &str, version: &Version) -> BString {
        self.repository.settings.quoting.apply_prefixed(prefix, version.path.as_bstr())
    }

    pub(super) fn hunk_options(&self) -> HunkOptions {
        HunkOptions {
            context: self.context,
            inter_hunk_context: self.settings.inter_hunk_context,
            algorithm: self.settings.algorithm,
            suppress_blank_empty: self.settings.suppress_blank_empty,
        }
    }

    /// What is different in the content of two versions.
    pub(super) fn body(&mut self, old: Option<&Version>, new: Option<&Version>) -> Result<Body> {
        if let (Some(old), Some(new)) = (old, new)
            && old.id == new.id
            && old.source == new.source
        {
            return Ok(Body::Same);
        }
        if [old, new].into_iter().flatten().any(|version| self.contents.is_big(version)) {
            return Ok(Body::Binary);
        }
        let mut read = |version: Option<&Version>| -> Result<(Vec<u8>, bool)> {
            let Some(version) = version else { return Ok((Vec::new(), false)) };
            let content = self.contents.read(version)?;
            let binary = self.contents.is_binary(version, &content)?;
            Ok((content, binary))
        };
        let (old, old_binary) = read(old)?;
        let (new, new_binary) = read(new)?;
        Ok(if old == new {
            Body::Same
        } else if old_binary || new_binary {
            Body::Binary
        } else {
            Body::Text { old, new }
        })
    }

    fn header(
        &self,
        old: Option<&Version>,
        new: Option<&Version>,
        renamed: Option<u32>,
        old_name: &BString,
        new_name: &BString,
    ) -> BString {
        let mut header = BString::default();
        header.extend_from_slice(b"diff --git ");
        header.extend_from_slice(old_name);
        header.push(b' ');
        header.extend_from_slice(new_name);
        header.push(b'\n');
        match (old, new) {
            (None, Some(new)) => {
                header.extend_from_slice(format!("new file mode {:06o}\n", new.mode.bits()).as_bytes())
            }
            (Some(old), None) => {
                header.extend_from_slice(format!("deleted file mode {:06o}\n", old.mode.bits()).as_bytes())
            }
            (Some(old), Some(new)) if old.mode != new.mode => {
                header.extend_from_slice(
                    format!("old mode {:06o}\nnew mode {:06o}\n", old.mode.bits(), new.mode.bits()).as_bytes(),
                );
            }
            _ => {}
        }
        if let (Some(percent), Some(old), Some(new)) = (renamed, old, new) {
            let quoting = self.repository.settings.quoting;
            header.extend_from_slice(format!("similarity index {percent}%\n").as_bytes());
            for (text, version) in [("rename from ", old), ("rename to ", new)] {
                header.extend_from_slice(text.as_bytes());
                header.extend_from_slice(&quoting.apply(version.path.as_bstr()));
                header.push(b'\n');
            }
        }
        header.extend_from_slice(self.index_line(old, new).as_bytes());
        header
    }

    fn index_line(&self, old: Option<&Version>, new: Option<&Version>) -> String {
        let null = ObjectId::null(self.repository.gix.object_hash());
        let id = |version: Option<&Version>| version.map_or(null, |version| version.id);
        if id(old) == id(new) {
            return String::new();
        }
        let short = |version| self.repository.abbreviated(id(version));
        let mode = match (old, new) {
            (Some(old), Some(new)) if old.mode == new.mode => format!(" {:06o}", new.mode.bits()),
            _ => String::new(),
        };
        format!("index {}..{}{mode}\n", short(old), short(new))
    }
}

pub(super) fn write_binary(old_label: &BStr, new_label: &BStr, out: &mut Answer) {
    out.push("Binary files ");
    out.push(old_label);
    out.push(" and ");
    out.push(new_label);
    out.push(" differ\n");
}

/// Regular file, link or submodule.
pub(super) fn kind_bits(version: &Version) -> u32 {
    version.mode.bits() & 0o170_000
}
