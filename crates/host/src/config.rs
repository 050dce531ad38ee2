//! Servers by name: the `mcp.json` files of editors and assistants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::document::{Document, Member};
use crate::{ConfigError, EntryDigest, Reach, Variables, entry};

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

    /// Returns what identifies an entry of this file, which lies at `path`, so that a person agrees to it once.
    pub fn digest(&self, path: &Path, name: &str) -> Option<EntryDigest> {
        self.servers.get(name).map(|Entry(server)| EntryDigest::new(path, name, server))
    }

    /// Returns what an entry would do, for a person who is asked about it.
    pub fn summary(&self, name: &str) -> Option<EntrySummary> {
        self.servers.get(name).map(|Entry(server)| EntrySummary::new(server))
    }

    /// Whether there is a server of that name that somebody has switched off.
    pub fn is_disabled(&self, name: &str) -> bool {
        self.servers.get(name).is_some_and(|Entry(server)| server["disabled"] == true)
    }
}

/// What an entry would do, as it is written: variables are named and not replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EntrySummary {
    /// The command with its arguments, or the URL.
    pub words: Vec<String>,
    /// Whether it is a command.
    pub is_command: bool,
    /// Variables that are set for the command: name and value as written.
    pub env: Vec<(String, String)>,
    /// A file with further variables for the command.
    pub env_file: Option<String>,
    /// Where the command is started.
    pub directory: Option<String>,
    /// The names of headers that are sent.
    pub headers: Vec<String>,
    /// The variables of the environment that it reads, each once.
    pub variables: BTreeSet<String>,
}

impl EntrySummary {
    fn new(entry: &Value) -> Self {
        let text = |key: &str| entry[key].as_str().map(str::to_owned);
        let members = |key: &str| entry[key].as_object().into_iter().flatten();
        let command = text("command");
        let first = command.clone().or_else(|| text("url"));
        let arguments = entry["args"].as_array().into_iter().flatten();
        let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let mut variables = BTreeSet::new();
        collect_variables(entry, &mut variables);
        Self {
            is_command: command.is_some(),
            words: first.into_iter().chain(arguments.map(plain)).collect(),
            env: members("env").map(|(name, value)| (name.clone(), plain(value))).collect(),
            env_file: text("envFile"),
            directory: text("cwd"),
            headers: members("headers").map(|(name, _)| name.clone()).collect(),
            variables,
        }
    }
}

fn collect_variables(value: &Value, variables: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => variables.extend(Variables::names(text).map(str::to_owned)),
        Value::Array(items) => items.iter().for_each(|item| collect_variables(item, variables)),
        Value::Object(members) => members.values().for_each(|member| collect_variables(member, variables)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
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
    fn a_summary_names_what_an_entry_reads() {
        let text = r#"{"servers": {"a": {"command": "sh", "args": ["-c", "x ${A}"], "env": {"B": "${env:C}", "N": 1}, "envFile": "${D:-.env}"},
            "u": {"url": "https://h/${E}", "headers": {"x-key": "${F}"}}}}"#;
        let file = ConfigFile::parse(text).unwrap();
        let command = file.summary("a").unwrap();
        assert_eq!(command.words, ["sh", "-c", "x ${A}"]);
        assert_eq!(command.env, [("B".to_owned(), "${env:C}".to_owned()), ("N".to_owned(), "1".to_owned())]);
        assert_eq!(command.variables.into_iter().collect::<Vec<_>>(), ["A", "C", "D"]);
        let url = file.summary("u").unwrap();
        assert!(!url.is_command && url.headers == ["x-key"]);
        assert_eq!(url.variables.into_iter().collect::<Vec<_>>(), ["E", "F"]);
        assert!(file.summary("none").is_none());
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
