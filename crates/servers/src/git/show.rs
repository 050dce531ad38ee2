//! One object: a commit with its patch, a file, or the names in a directory.

use gix::{
    ObjectId,
    bstr::{BString, ByteSlice},
    objs::Kind,
};

use super::{
    answer::{Answer, MAX_ANSWER},
    changes::{Change, Version},
    date,
    failure::Result,
    hunks,
    patch::{Body, Compared, PatchWriter, kind_bits, write_binary},
    repository::Repository,
    revision::refuse_option,
};

const NARROWER: &str = "Ask for single files with REVISION:PATH.";

/// The lines around a change that a commit is shown with.
const CONTEXT: usize = 3;

impl Repository {
    /// The text of `git_show`.
    pub fn show(&self, revision: &str) -> Result<String> {
        refuse_option("revision", revision)?;
        let object = self.resolve(revision)?;
        match object.kind {
            Kind::Blob => self.show_blob(object.id),
            Kind::Tree => self.show_tree(object.id),
            Kind::Commit | Kind::Tag => self.show_commit(self.resolve_commit(revision)?),
        }
    }

    fn show_blob(&self, id: ObjectId) -> Result<String> {
        let mut out = Answer::new(MAX_ANSWER);
        out.push(self.blob(id)?);
        Ok(out.finish("The file is larger than one answer."))
    }

    fn show_tree(&self, id: ObjectId) -> Result<String> {
        let mut out = Answer::new(MAX_ANSWER);
        if id == ObjectId::empty_tree(id.kind()) {
            return Ok(String::new());
        }
        for entry in self.gix.find_tree(id)?.iter() {
            let entry = entry?;
            out.push(entry.filename());
            out.push(if entry.mode().is_tree() { "/\n" } else { "\n" });
        }
        Ok(out.finish_output(NARROWER))
    }

    fn show_commit(&self, id: ObjectId) -> Result<String> {
        let commit = self.gix.find_commit(id)?;
        let mut out = Answer::new(MAX_ANSWER);
        let author = commit.author()?;
        let when = author.time()?;
        out.push(format!("commit {id}\nAuthor: "));
        out.push(author.name);
        out.push(" <");
        out.push(author.email);
        out.push(format!(">\nDate:   {}\n\n", date::shown(when, date::Offset::Compact)));
        let message = commit.message_raw()?;
        for line in message.trim_end_with(|c| c == '\n').split_str("\n") {
            out.push("    ");
            out.push(line);
            out.push("\n");
        }
        let parent = commit.parent_ids().next().map(|parent| self.tree_of(parent.detach())).transpose()?;
        let changes = self.tree_changes(parent, Some(commit.tree_id()?.detach()))?;
        self.write_patches(changes, &mut out)?;
        Ok(out.finish(NARROWER))
    }

    fn write_patches(&self, changes: Vec<Change>, out: &mut Answer) -> Result<()> {
        let index = if self.worktree().is_ok() { self.index()? } else { self.empty_index() };
        let settings = self.settings.diff.plumbing();
        let mut writer = PatchWriter::new(self, &index, settings, Compared::CommitAndIndex, CONTEXT);
        for change in writer.with_renames(changes)? {
            self.cancellation.check()?;
            if out.is_full() {
                break;
            }
            match change {
                Change::Added(new) => write_file(&mut writer, None, Some(&new), out)?,
                Change::Deleted(old) => write_file(&mut writer, Some(&old), None, out)?,
                Change::Modified(old, new) if kind_bits(&old) != kind_bits(&new) => {
                    write_file(&mut writer, Some(&old), None, out)?;
                    write_file(&mut writer, None, Some(&new), out)?;
                }
                Change::Modified(old, new) | Change::Renamed(old, new, _) => {
                    write_file(&mut writer, Some(&old), Some(&new), out)?;
                }
                Change::Unmerged(_) => {}
            }
        }
        Ok(())
    }

    fn empty_index(&self) -> gix::index::File {
        let state = gix::index::State::new(self.gix.object_hash());
        gix::index::File::from_state(state, self.gix.index_path())
    }
}

fn write_file(
    writer: &mut PatchWriter<'_>,
    old: Option<&Version>,
    new: Option<&Version>,
    out: &mut Answer,
) -> Result<()> {
    let label = |prefix: &str, version: Option<&Version>| match version {
        Some(version) => BString::from([prefix.as_bytes(), version.path.as_slice()].concat()),
        None => "/dev/null".into(),
    };
    let (old_label, new_label) = (label("a/", old), label("b/", new));
    for (mark, label) in [("\n--- ", &old_label), ("\n+++ ", &new_label)] {
        out.push(mark);
        out.push(label);
    }
    out.push("\n");
    match writer.body(old, new)? {
        Body::Same => {}
        Body::Binary => {
            let quoted = |prefix, version: Option<&Version>| match version {
                Some(version) => writer.quoted(prefix, version),
                None => "/dev/null".into(),
            };
            write_binary(quoted("a/", old).as_bstr(), quoted("b/", new).as_bstr(), out);
        }
        Body::Text { old, new } => hunks::write(&old, &new, writer.hunk_options(), b"", out),
    }
    Ok(())
}
