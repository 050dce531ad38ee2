//! Manifests: versions and lints are set once, and each foreign crate has a reason.

use std::path::Path;

use anyhow::Result;

use crate::workspace::Workspace;

pub(super) fn problems(workspace: &Workspace) -> Result<Vec<String>> {
    let mut problems = without_reason(&std::fs::read_to_string(workspace.root.join("Cargo.toml"))?);
    for package in &workspace.packages {
        let path = package.manifest_path.strip_prefix(&workspace.root).unwrap_or(&package.manifest_path);
        problems.extend(of_member(path, &std::fs::read_to_string(&package.manifest_path)?));
    }
    Ok(problems)
}

/// Returns the foreign dependencies of the workspace manifest that no comment explains.
fn without_reason(manifest: &str) -> Vec<String> {
    entries(manifest)
        .filter(|entry| entry.section == "workspace.dependencies")
        .filter(|entry| !entry.value.contains("path =") && entry.comment.is_empty())
        .map(|entry| format!("Cargo.toml: {} has no comment that says why it is needed", entry.key))
        .collect()
}

fn of_member(path: &Path, manifest: &str) -> Vec<String> {
    let path = path.display();
    let mut problems = Vec::new();
    let inherits = entries(manifest).any(|entry| entry.section == "lints" && entry.key == "workspace");
    if !inherits {
        problems.push(format!("{path}: does not inherit the lints of the workspace"));
    }
    let dependencies = entries(manifest).filter(|entry| entry.section.ends_with("dependencies"));
    let own_version = dependencies.filter(|entry| {
        let inherits = entry.key.ends_with(".workspace") || entry.value.contains("workspace = true");
        !inherits && !entry.value.contains("path =")
    });
    problems.extend(
        own_version.map(|entry| format!("{path}: {} must take its version from the workspace manifest", entry.key)),
    );
    problems
}

/// A line `key = value # comment` of a manifest.
struct Entry<'a> {
    section: &'a str,
    key: &'a str,
    value: &'a str,
    comment: &'a str,
}

/// Returns the entries that begin on a line of their own; continued lines are part of none.
fn entries(manifest: &str) -> impl Iterator<Item = Entry<'_>> {
    let mut section = "";
    manifest.lines().filter_map(move |line| {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.split(']').next()) {
            section = name;
            return None;
        }
        let (key, rest) = line.split_once('=')?;
        let key = key.trim_end();
        let is_key = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_.\"".contains(c));
        let (value, comment) = rest.split_once(" #").unwrap_or((rest, ""));
        is_key.then_some(Entry { section, key, value: value.trim(), comment: comment.trim() })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_crate_needs_a_reason() {
        let manifest =
            "[workspace.dependencies]\nours = { path = \"x\" }\na = \"1\" # why\nb = \"1\"\n[profile.dev]\nc = 1\n";
        assert_eq!(without_reason(manifest), ["Cargo.toml: b has no comment that says why it is needed"]);
    }

    #[test]
    fn a_member_inherits_lints_and_versions() {
        let good = "[dependencies]\na.workspace = true\nb = { workspace = true, features = [\n  \"x\",\n] }\n[lints]\nworkspace = true\n";
        assert!(of_member(Path::new("m"), good).is_empty());
        let bad = "[dev-dependencies]\na = \"1\"\n";
        assert_eq!(of_member(Path::new("m"), bad).len(), 2);
    }
}
