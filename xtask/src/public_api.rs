//! `cargo xtask public-api`: the public surface of `jackfield` as a text file, so that every change of it shows in a diff.
//!
//! rustdoc writes what each crate exports as JSON. The facade exports items of other crates of ours, so their files are read too, and each
//! item is listed under the path by which users of `jackfield` reach it. The JSON is not a stable format: a file of another version is
//! refused, with the version that this reader knows.

mod documents;
mod listing;
mod render;

use std::collections::BTreeSet;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::workspace::Workspace;

/// The crate whose surface is a promise.
const FACADE: &str = "jackfield";
/// Where its surface is written down.
const LISTING: &str = "crates/jackfield/public-api.txt";
/// The most names at the root: more cannot be looked through.
const MOST_NAMES: usize = 60;
/// The most features, not counting integrations.
const MOST_FEATURES: usize = 10;
/// Features that only add conversions to types of another crate.
const INTEGRATIONS: [&str; 5] = ["axum", "chrono", "jiff", "url", "uuid"];

/// What to do.
#[derive(Debug, Default, Args)]
pub(crate) struct Options {
    /// Write the surface as it is now into the file.
    #[arg(long)]
    bless: bool,
}

/// Compares the surface with the file, or writes it; fails where they differ, or where there are too many names.
pub(crate) fn run(workspace: &Workspace, options: &Options) -> Result<()> {
    let path = workspace.root.join(LISTING);
    let listing = current(workspace)?;
    if options.bless {
        std::fs::write(&path, listing)?;
        println!("{LISTING} is written");
        return Ok(());
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let changes = changes(&expected, &listing);
    if !changes.is_empty() {
        changes.iter().for_each(|line| println!("{line}"));
        bail!("the public API differs from {LISTING}; `cargo xtask public-api --bless` accepts it");
    }
    println!("the public API is that of {LISTING}");
    Ok(())
}

fn current(workspace: &Workspace) -> Result<String> {
    let features = features(workspace)?;
    ensure!(
        features.len() <= MOST_FEATURES,
        "{FACADE} has {} features, and at most {MOST_FEATURES} are allowed: {}",
        features.len(),
        features.join(", ")
    );
    let documents = documents::build(workspace, FACADE)?;
    let names = listing::root_names(&documents, FACADE)?;
    ensure!(
        names.len() <= MOST_NAMES,
        "{FACADE} has {} names at its root, and at most {MOST_NAMES} are allowed: {}",
        names.len(),
        names.into_iter().collect::<Vec<_>>().join(", ")
    );
    let head = format!(
        "# The public API of `{FACADE}` with all features. Written by `cargo xtask public-api --bless`.\n\
         # {} names at the root, at most {MOST_NAMES}; {} features, at most {MOST_FEATURES}: {}\n",
        names.len(),
        features.len(),
        features.join(", ")
    );
    Ok(head + &listing::write(&documents, FACADE)?)
}

/// Returns the features that count.
fn features(workspace: &Workspace) -> Result<Vec<String>> {
    let facade = workspace.packages.iter().find(|package| package.name == FACADE);
    let facade = facade.with_context(|| format!("the workspace has no crate {FACADE}"))?;
    let counts = |name: &&String| name.as_str() != "default" && !INTEGRATIONS.contains(&name.as_str());
    Ok(facade.features.keys().filter(counts).cloned().collect())
}

/// Returns the lines that are in one text only. The order of lines is fixed, so that sets are enough.
fn changes(expected: &str, found: &str) -> Vec<String> {
    // A member is told from those of the same text elsewhere by the item that it belongs to.
    let lines = |text: &str| -> BTreeSet<(String, String)> {
        let mut item = String::new();
        let placed = text.lines().map(|line| {
            if !line.starts_with(' ') {
                item = line.to_owned();
            }
            (item.clone(), line.to_owned())
        });
        placed.collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let mut all: Vec<(&(String, String), char)> = expected.difference(&found).map(|line| (line, '-')).collect();
    all.extend(found.difference(&expected).map(|line| (line, '+')));
    all.sort();
    let show = |((item, line), sign): (&(String, String), char)| {
        if item == line { format!("{sign} {line}") } else { format!("{sign} {item}: {}", line.trim_start()) }
    };
    all.into_iter().map(show).collect()
}

/// Where cargo puts a script through which it starts rustdoc.
fn script(workspace: &Workspace) -> PathBuf {
    workspace.target.join("rustdoc-json.sh")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_say_where_they_are() {
        let before = "struct a::A\n    fn f(&self)\nstruct a::B\n    fn f(&self)\n";
        let after = "struct a::A\nstruct a::B\n    fn f(&self)\nstruct a::C\n";
        assert_eq!(changes(before, after), ["- struct a::A: fn f(&self)", "+ struct a::C"]);
        assert!(changes(before, before).is_empty());
    }
}
