//! What rustdoc says about our crates, as JSON.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde_json::Value;

use super::script;
use crate::steps::succeed;
use crate::workspace::{EVERYTHING, Workspace};

/// The version of rustdoc's JSON that `render` and `listing` read. A toolchain that writes another one needs a look at the changes to
/// `rustdoc-types` and a new number here.
const FORMAT_VERSION: u64 = 57;

/// The documents of our crates, by the names of their libraries.
pub(super) type Documents = BTreeMap<String, Document>;

/// What rustdoc says about a crate.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    pub(super) root: u64,
    /// The items, by their numbers.
    pub(super) index: BTreeMap<u64, Item>,
    /// Where items are defined, those of other crates too.
    pub(super) paths: BTreeMap<u64, Summary>,
}

/// An item. What it is made of depends on its kind, which is the one member of `inner`.
#[derive(Debug, Deserialize)]
pub(super) struct Item {
    pub(super) name: Option<String>,
    pub(super) attrs: Vec<Value>,
    pub(super) inner: BTreeMap<String, Value>,
}

/// Where an item is defined.
#[derive(Debug, Deserialize)]
pub(super) struct Summary {
    pub(super) path: Vec<String>,
}

impl Item {
    /// Returns what kind of item this is, and what it is made of.
    pub(super) fn parts(&self) -> (&str, &Value) {
        self.inner.first_key_value().map_or(("nothing", &Value::Null), |(kind, parts)| (kind.as_str(), parts))
    }

    pub(super) fn is_non_exhaustive(&self) -> bool {
        self.attrs.iter().any(|attribute| attribute.as_str() == Some("non_exhaustive"))
    }
}

impl Document {
    pub(super) fn item(&self, id: &Value) -> Option<&Item> {
        self.index.get(&id.as_u64()?)
    }

    /// Finds an item of this crate by the path of its definition.
    pub(super) fn find(&self, path: &[String]) -> Option<u64> {
        let mut found = self.paths.iter().filter(|(id, summary)| summary.path == path && self.index.contains_key(id));
        found.next().map(|(id, _)| *id)
    }
}

/// Builds the documents of all our libraries.
pub(super) fn build(workspace: &Workspace, facade: &str) -> Result<Documents> {
    // The option is for nightly toolchains. Only rustdoc is told that this one is: build scripts look at the same variable.
    let script = script(workspace);
    std::fs::write(&script, "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n")?;
    #[cfg(unix)]
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    let mut command = workspace.cargo();
    command.env("RUSTDOC", &script).env("RUSTDOCFLAGS", "-Zunstable-options --output-format=json");
    succeed(command.args(["doc", "--quiet", "--lib", "--no-deps"]).args(EVERYTHING))?;
    let mut documents = Documents::new();
    for package in &workspace.packages {
        let name = package.name.replace('-', "_");
        let path = workspace.target.join("doc").join(format!("{name}.json"));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        documents.insert(name, read(&text).with_context(|| format!("cannot read {}", path.display()))?);
    }
    ensure!(documents.contains_key(facade), "rustdoc wrote nothing about {facade}");
    Ok(documents)
}

pub(super) fn read(text: &str) -> Result<Document> {
    #[derive(Deserialize)]
    struct Head {
        format_version: u64,
    }
    let Head { format_version } = serde_json::from_str(text)?;
    ensure!(
        format_version == FORMAT_VERSION,
        "this rustdoc writes JSON of version {format_version}, and this program reads version {FORMAT_VERSION}; \
         compare the two versions of the crate rustdoc-types, then change xtask/src/public_api"
    );
    Ok(serde_json::from_str(text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_version_of_the_format_is_named() {
        let problem = read(r#"{"format_version":7,"root":0,"index":{},"paths":{}}"#).unwrap_err().to_string();
        assert!(problem.contains("version 7") && problem.contains("version 57"), "{problem}");
        assert!(read(r#"{"format_version":57,"root":0,"index":{},"paths":{}}"#).is_ok());
    }
}
