//! A second wall: Landlock, by which the kernel keeps the whole process in its directories, whatever its code does.
//!
//! It holds for the process and cannot be taken back, so it is for programs that serve files and nothing else. A server that is mounted in
//! another program must not use it.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus,
};

/// Whether the wall stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Wall {
    /// The kernel enforces it.
    Enforced,
    /// The kernel has no Landlock, or one that would forbid renaming between directories.
    Unavailable,
}

/// The newest rights that are asked for; a kernel that has fewer enforces those.
const RIGHTS: ABI = ABI::V5;

/// Keeps this thread, and all that it starts, to some paths: each with whether it may only be read. Nothing is executed anywhere.
///
/// What is open already stays open. Call it before there are other threads: they would not be kept.
pub fn restrict_process<'a>(paths: impl IntoIterator<Item = (&'a Path, bool)>) -> Wall {
    match restricted(paths) {
        Ok(RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced) => Wall::Enforced,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Wall::Unavailable,
    }
}

fn restricted<'a>(paths: impl IntoIterator<Item = (&'a Path, bool)>) -> Result<RulesetStatus, RulesetError> {
    // The first version of Landlock forbids every move to another directory. Then it is better not to have it.
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement).handle_access(AccessFs::Refer)?;
    let ruleset = ruleset.set_compatibility(CompatLevel::BestEffort).handle_access(AccessFs::from_all(RIGHTS))?;
    let reading: BitFlags<AccessFs> = AccessFs::ReadFile | AccessFs::ReadDir;
    let mut ruleset = ruleset.create()?;
    for (path, read_only) in paths {
        // What is not there needs no right.
        let Ok(path) = PathFd::new(path) else { continue };
        let rights = if read_only { reading } else { reading | AccessFs::from_write(RIGHTS) };
        ruleset = ruleset.add_rule(PathBeneath::new(path, rights))?;
    }
    Ok(ruleset.restrict_self()?.ruleset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filesystem::test_directory::TestDirectory;

    /// The wall holds for one thread of the test, which ends with it.
    #[test]
    fn nothing_outside_the_wall_is_opened() {
        let directory = TestDirectory::new();
        directory.write("inside/a", "a");
        directory.write("read/b", "b");
        directory.write("outside/c", "c");
        let at = |path: &str| directory.path().join(path);
        let results = std::thread::scope(|scope| {
            let kept = scope.spawn(|| {
                let (inside, read) = (at("inside"), at("read"));
                let wall = restrict_process([(inside.as_path(), false), (read.as_path(), true)]);
                let wrote = std::fs::write(at("inside/new"), "x").is_ok();
                let moved = std::fs::create_dir(at("inside/d")).is_ok()
                    && std::fs::rename(at("inside/new"), at("inside/d/new")).is_ok();
                let read = std::fs::read(at("read/b")).is_ok();
                let wrote_read = std::fs::write(at("read/b"), "x").is_ok();
                let leaked = std::fs::read(at("outside/c")).is_ok() || std::fs::write(at("outside/d"), "").is_ok();
                (wall, wrote && moved && read, wrote_read || leaked)
            });
            kept.join().unwrap()
        });
        match results {
            (Wall::Enforced, allowed, leaked) => assert!(allowed && !leaked),
            // A kernel without Landlock forbids nothing.
            (Wall::Unavailable, allowed, leaked) => assert!(allowed && leaked),
        }
    }
}
