//! Unstaging everything.

use super::{
    failure::{Failure, Result},
    repository::Repository,
};

impl Repository {
    /// Makes the index that of the last commit; files stay as they are.
    pub fn reset(&self) -> Result<()> {
        self.worktree()?;
        let tree = self.head_tree()?.ok_or_else(|| Failure::new("fatal: Not a valid object name HEAD"))?;
        self.write_index_of(&self.tree_files(Some(tree))?, &self.index()?)
    }
}
