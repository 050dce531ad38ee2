//! How the filesystem server behaves.

use super::directories::Directories;
use super::limits::Limits;
use super::roots::RootsPolicy;

/// How the filesystem server behaves.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Options {
    /// What calls may touch, unless the roots of the client say otherwise.
    pub directories: Directories,
    /// What the roots of the client mean.
    pub roots: RootsPolicy,
    /// Leaves out the tools that write.
    pub read_only: bool,
    /// Refuses to write files that have more than one hard link: the other name may lie outside.
    pub refuse_hard_links: bool,
    /// Adds the tools that the original does not have.
    pub extra_tools: bool,
    /// What one call may use.
    pub limits: Limits,
}
