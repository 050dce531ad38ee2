//! The programs with counters. All that lie in the target folder are asked which lines there are, those of last year too.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;

use crate::workspace::Workspace;

/// Where the manifests are remembered that the programs were built from.
const MEMORY: &str = "manifests";

/// Deletes the programs if a manifest or the compiler is another than the last time. Cargo then builds under other names, and what
/// has the old ones would count lines that are gone. Libraries stay: they are not asked.
pub(super) fn forget_old(workspace: &Workspace, target: &Path) -> Result<()> {
    let mut now = std::fs::read_to_string(workspace.root.join("Cargo.lock"))?;
    for package in &workspace.packages {
        now.push_str(&std::fs::read_to_string(&package.manifest_path)?);
    }
    let _ = write!(now, "{:?}", super::tools::rustc_version());
    let memory = target.join(MEMORY);
    if std::fs::read_to_string(&memory).is_ok_and(|before| before == now) {
        return Ok(());
    }
    for folder in ["debug", "debug/deps", "debug/examples"] {
        delete_programs(&target.join(folder))?;
    }
    std::fs::write(memory, now)?;
    Ok(())
}

fn delete_programs(folder: &Path) -> Result<()> {
    // The folder is not there before the first build.
    let Ok(entries) = folder.read_dir() else { return Ok(()) };
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_macro = name.contains("jackfield_macros-") && name.ends_with(std::env::consts::DLL_SUFFIX);
        let is_program = !name.starts_with('.')
            && name.strip_suffix(std::env::consts::EXE_SUFFIX).is_some_and(|name| !name.contains('.'));
        if entry.file_type()?.is_file() && (is_macro || is_program) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_go_and_libraries_stay() {
        let folder = std::env::temp_dir().join(format!("xtask-programs-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("deps")).unwrap();
        let program = format!("it-0123{}", std::env::consts::EXE_SUFFIX);
        let library = format!("libjackfield_macros-01{}", std::env::consts::DLL_SUFFIX);
        let kept = ["libjackfield-01.rlib", "it-0123.d", ".cargo-lock"];
        for name in [&*program, &*library].into_iter().chain(kept) {
            std::fs::write(folder.join(name), "").unwrap();
        }
        delete_programs(&folder).unwrap();
        assert!(!folder.join(program).exists() && !folder.join(library).exists());
        assert!(kept.iter().all(|name| folder.join(name).exists()) && folder.join("deps").is_dir());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(delete_programs(&folder).is_ok());
    }
}
