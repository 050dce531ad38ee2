//! The three diffs.

use gix::objs::Kind;

use super::{
    answer::{Answer, MAX_ANSWER},
    changes::Change,
    failure::{Failure, Result},
    patch::{Compared, PatchWriter},
    repository::Repository,
    revision::refuse_option,
};

const NARROWER: &str = "Ask for fewer context lines, or look at files one by one with git_show.";

impl Repository {
    /// `git diff`: what is not staged.
    pub fn diff_unstaged(&self, context: i64) -> Result<String> {
        let index = self.index()?;
        let changes = self.unstaged_changes(&index)?;
        self.diff_text(&index, changes, Compared::IndexAndWorktree, context)
    }

    /// `git diff --cached`: what is staged.
    pub fn diff_staged(&self, context: i64) -> Result<String> {
        let index = self.index()?;
        let changes = self.staged_changes(self.head_tree()?, &index)?;
        self.diff_text(&index, changes, Compared::CommitAndIndex, context)
    }

    /// `git diff TARGET`: the working tree against a commit or tree.
    pub fn diff_with(&self, target: &str, context: i64) -> Result<String> {
        refuse_option("target", target)?;
        let object = self.resolve(target)?;
        let tree = match object.kind {
            Kind::Tree => object.id,
            Kind::Blob => return Err(Failure::new(format!("'{target}' is a file; git_show shows its content"))),
            Kind::Commit | Kind::Tag => self.tree_of(self.resolve_commit(target)?)?,
        };
        let index = self.index()?;
        let changes = self.changes_since(tree, &index)?;
        self.diff_text(&index, changes, Compared::CommitAndWorktree, context)
    }

    fn diff_text(
        &self,
        index: &gix::index::File,
        changes: Vec<Change>,
        compared: Compared,
        context: i64,
    ) -> Result<String> {
        // Git takes a negative number for its default.
        let context = usize::try_from(context).map_err(|_| Failure::new("context_lines must not be negative"))?;
        let mut writer = PatchWriter::new(self, index, self.settings.diff.clone(), compared, context);
        let changes = writer.with_renames(changes)?;
        let mut out = Answer::new(MAX_ANSWER);
        writer.write_all(&changes, &mut out)?;
        Ok(out.finish_output(NARROWER))
    }
}
