//! Servers by name: the `mcp.json` files of editors and assistants.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::document::{Document, Member};
use crate::{ConfigError, Reach, Variables, entry};

/// The servers of a configuration file, by name.
#[derive(Debug)]
pub struct ConfigFile {
    servers: BTreeMap<String, Entry>,
}

/// A server as a file has it. Its values may be secret, so they are never shown.
struct Entry(Value);

impl ConfigFile {
    /// Reads the text of a file: JSON, in which comments and superfluous commas may stand.
    ///
    /// # Errors
    /// If it is something else, lists no servers, or has one of them twice. What is in an entry is looked at by [`reach`](Self::reach).
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        let document = Document::read(text)?;
        let section = document.section()?.ok_or(ConfigError::NoServers)?;
        let entry = |member: &Member| Ok((member.name.clone(), Entry(document.value(member)?)));
        Ok(Self { servers: section.members.iter().map(entry).collect::<Result<_, ConfigError>>()? })
    }

    /// Returns the names of the servers, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// Returns how a server is reached, its variables replaced; `None` if there is no server of that name.
    ///
    /// # Errors
    /// If the entry is not right, or a variable has no value.
    pub fn reach(&self, name: &str, variables: &Variables<'_>) -> Option<Result<Reach, ConfigError>> {
        self.servers.get(name).map(|Entry(server)| entry::reach(server, variables).map_err(ConfigError::Entry))
    }

    /// Whether there is a server of that name that somebody has switched off.
    pub fn is_disabled(&self, name: &str) -> bool {
        self.servers.get(name).is_some_and(|Entry(server)| server["disabled"] == true)
    }
}

impl std::fmt::Debug for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

/// Returns the folder of the project that a configuration file belongs to.
pub fn project_folder(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let parent = file.parent().unwrap_or(Path::new("/"));
    let is_editors = parent.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    if is_editors { parent.parent().unwrap_or(parent).to_owned() } else { parent.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_twice_is_refused() {
        for text in [
            r#"{"mcpServers": {"a": {}, "\u0061": {}}}"#,
            r#"{"mcpServers": {}, "mcpServers": {"a": {}}}"#,
            r#"{"mcp": {}, "mcp": {"servers": {}}}"#,
        ] {
            assert!(matches!(ConfigFile::parse(text), Err(ConfigError::Doubled(_))), "{text}");
        }
        // What nobody here reads may stand there as it likes.
        assert!(ConfigFile::parse(r#"{"x": 1, "x": 2, "servers": {}}"#).is_ok());
    }

    #[test]
    fn secrets_are_not_shown() {
        let file = ConfigFile::parse(r#"{"servers": {"a": {"headers": {"x": "s3cret"}}}}"#).unwrap();
        assert!(!format!("{file:?}").contains("s3cret"));
    }

    #[test]
    fn folders_of_editors_belong_to_the_project() {
        for (file, folder) in [("/p/mcp.json", "/p"), ("/p/.vscode/mcp.json", "/p"), ("/p/.cursor/mcp.json", "/p")] {
            assert_eq!(project_folder(Path::new(file)), Path::new(folder));
        }
    }

    #[test]
    fn files_without_servers_say_so() {
        assert!(matches!(ConfigFile::parse("{}"), Err(ConfigError::NoServers)));
        assert!(ConfigFile::parse("{}").unwrap_err().to_string().contains("neither mcpServers nor servers"));
        assert!(ConfigFile::parse("{").unwrap_err().to_string().contains("line 1"));
        assert!(matches!(ConfigFile::parse("[]"), Err(ConfigError::NotAnObject)));
    }
}
