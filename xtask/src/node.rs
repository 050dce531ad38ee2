//! Node, from this machine or from the npm package of that name.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::install;
use crate::pinned::NODE;
use crate::workspace::{Workspace, program};

/// Returns a Node of at least this major version, installed below `target` if need be.
pub(crate) fn at_least(major: u32, workspace: &Workspace) -> Result<PathBuf, String> {
    if let Some(node) = program("node").filter(|node| major_version(node).is_some_and(|own| own >= major)) {
        return Ok(node);
    }
    let folder = workspace.target.join("node");
    install::npm_once(&folder, &NODE)?;
    let node = folder.join("node_modules/node/bin/node");
    match major_version(&node) {
        Some(own) if own >= major => Ok(node),
        _ => Err(format!("the npm package {} brought no Node {major}", NODE.requirement())),
    }
}

fn major_version(node: &Path) -> Option<u32> {
    let output = Command::new(node).arg("--version").output().ok()?;
    parse_major(str::from_utf8(&output.stdout).ok()?)
}

fn parse_major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_the_first_number() {
        assert_eq!(parse_major("v22.1.0\n"), Some(22));
        assert_eq!(parse_major("v8.0.0"), Some(8));
        assert_eq!(parse_major("not a version"), None);
    }
}
