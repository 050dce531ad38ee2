//! Servers by name: the `mcp.json` files of editors and assistants.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::expand::Variables;
use super::jsonc;
use super::{CommandTarget, Header, Reach, UrlTarget};
use crate::failure::{Failure, likely};

/// Where servers are looked up in a project, in this order.
const IN_PROJECT: &[&str] = &["mcp.json", ".mcp.json", ".vscode/mcp.json", ".cursor/mcp.json"];

/// The members under which servers are listed: Claude, Cursor and others have the first, VS Code has the second.
pub(super) const SECTIONS: &[&str] = &["mcpServers", "servers"];

/// A server of a configuration file.
#[derive(Debug)]
pub(crate) struct Configured {
    /// How it is reached.
    pub(crate) reach: Reach,
    /// The file that says so.
    pub(crate) file: PathBuf,
}

/// Finds a server by its name, in `file` or in the usual places.
pub(crate) fn find(
    name: &str,
    file: Option<&Path>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Result<Configured, Failure> {
    let mut known = Vec::new();
    let mut read = Vec::new();
    for file in files(file, environment) {
        let file = file?;
        if let Some(server) = file.servers.get(name) {
            let reach = file.reach(server, environment).map_err(|what| {
                Failure::usage(format!("the server {name:?} of {} can not be used", file.path.display())).why(what)
            })?;
            return Ok(Configured { reach, file: file.path });
        }
        read.push(file.path.display().to_string());
        known.extend(file.servers.into_keys());
    }
    Err(unknown(name, &known, &read))
}

/// Servers of configuration files.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// Those that can be used, by name.
    pub(crate) servers: Vec<(String, Reach)>,
    /// What is wrong with the others.
    pub(crate) unusable: Vec<String>,
}

/// Finds several servers by their names, in `file` or in the usual places; all of them if no name is given. An entry that was asked for by
/// name must be right; of the others those are left out that are not, or that are switched off.
pub(crate) fn all_servers(names: &[String], file: Option<&Path>) -> Result<Found, Failure> {
    let environment = |name: &str| std::env::var(name).ok();
    if !names.is_empty() {
        let mut found = Found::default();
        for name in names {
            found.servers.push((name.clone(), find(name, file, &environment)?.reach));
        }
        return Ok(found);
    }
    let (mut found, mut known) = (Found::default(), BTreeSet::new());
    for file in files(file, &environment) {
        let file = file?;
        for (name, server) in &file.servers {
            // The first of a name counts, here as everywhere.
            if !known.insert(name.clone()) || server["disabled"] == true {
                continue;
            }
            match file.reach(server, &environment) {
                Ok(reach) => found.servers.push((name.clone(), reach)),
                Err(why) => {
                    found.unusable.push(format!("the server {name:?} of {} is left out: {why}", file.path.display()))
                }
            }
        }
    }
    if found.servers.is_empty() {
        let failure = Failure::usage("there is no server to be offered");
        let failure = found.unusable.iter().fold(failure, |failure, why| failure.why(why.clone()));
        return Err(failure.hint("add one: jackfield add NAME URL, or jackfield add NAME -- COMMAND"));
    }
    Ok(found)
}

/// A configuration file with the servers in it, by name.
struct ConfigFile {
    path: PathBuf,
    servers: BTreeMap<String, Value>,
}

/// Reads files with servers, one when it is asked for: `file` alone, which must be there, or those of the usual places that are.
fn files(
    file: Option<&Path>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> impl Iterator<Item = Result<ConfigFile, Failure>> {
    let must_exist = file.is_some();
    let places = file.map_or_else(|| usual_places(environment), |file| vec![file.to_owned()]);
    places.into_iter().filter_map(move |path| {
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(_) if !must_exist => return None,
            Err(error) => {
                let failure = Failure::usage(format!("{} can not be read", path.display()));
                return Some(Err(failure.why(error.to_string())));
            }
        };
        Some(match servers(&text) {
            Ok(servers) => Ok(ConfigFile { path, servers }),
            Err(why) => Err(Failure::usage(format!("{} can not be used", path.display())).why(why)),
        })
    })
}

impl ConfigFile {
    /// Reads one server of the file.
    fn reach(&self, server: &Value, environment: &dyn Fn(&str) -> Option<String>) -> Result<Reach, String> {
        reach(server, &Variables { environment, folder: &folder(&self.path) })
    }
}

fn unknown(name: &str, known: &[String], read: &[String]) -> Failure {
    let failure = Failure::usage(format!("there is no server named {name:?}"));
    let failure = if read.is_empty() {
        failure.why(format!(
            "no configuration file was found; looked for {} and one in the user's folder",
            IN_PROJECT.join(", ")
        ))
    } else {
        let names = if known.is_empty() { "no servers".to_owned() } else { known.join(", ") };
        failure.why(format!("{} has {names}", read.join(", ")))
    };
    let meant = likely(name, known.iter().map(String::as_str)).map(|name| format!("did you mean {name}?"));
    let looks_like_a_host =
        name.contains('.') && !name.contains('/') && !name.ends_with(".py") && !name.ends_with(".js");
    let url = (looks_like_a_host || name.starts_with("localhost")).then(|| format!("for a URL write http://{name}"));
    failure
        .hint_if(meant)
        .hint_if(url)
        .hint("a command that starts a server goes to the end: jackfield inspect -- COMMAND")
}

pub(super) fn usual_places(environment: &dyn Fn(&str) -> Option<String>) -> Vec<PathBuf> {
    let mut places: Vec<PathBuf> = IN_PROJECT.iter().map(PathBuf::from).collect();
    places.extend(user_folder(environment).map(|folder| folder.join("jackfield").join("mcp.json")));
    places
}

/// The folder of the user's own configuration.
fn user_folder(environment: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let set = |name: &str| environment(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if cfg!(windows) {
        return set("APPDATA");
    }
    set("XDG_CONFIG_HOME").or_else(|| set("HOME").map(|home| home.join(".config")))
}

/// The project that a file belongs to.
fn folder(file: &Path) -> PathBuf {
    let file = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let parent = file.parent().unwrap_or(Path::new("/"));
    let is_editors = parent.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
    if is_editors { parent.parent().unwrap_or(parent).to_owned() } else { parent.to_owned() }
}

/// Returns the servers of a file by name.
fn servers(text: &str) -> Result<BTreeMap<String, Value>, String> {
    let text = jsonc::plain(text.trim_start_matches('\u{feff}'));
    let root: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    // Editors also keep servers in their general settings, one level deeper.
    let roots = [&root, &root["mcp"]];
    let section = roots.into_iter().find_map(|root| SECTIONS.iter().find_map(|key| root[key].as_object()));
    let section = section.ok_or_else(|| format!("it has neither {}", SECTIONS.join(" nor ")))?;
    Ok(section.iter().map(|(name, server)| (name.clone(), server.clone())).collect())
}

/// Reads one server.
fn reach(server: &Value, variables: &Variables<'_>) -> Result<Reach, String> {
    let text = |key: &str| -> Result<Option<String>, String> {
        match &server[key] {
            Value::Null => Ok(None),
            Value::String(text) => variables.expanded(text).map(Some).map_err(|what| format!("its {key} {what}")),
            _ => Err(format!("its {key} is not a text")),
        }
    };
    let kind = text("type")?;
    match (kind.as_deref(), text("command")?, text("url")?) {
        (None | Some("stdio"), Some(program), None) => {
            let mut target = CommandTarget::new(program.into());
            target.arguments = list(server, "args", variables)?.into_iter().map(Into::into).collect();
            if let Some(file) = text("envFile")? {
                target.variables = env_file(&variables.folder.join(file))?;
            }
            target
                .variables
                .extend(map(server, "env", variables)?.into_iter().map(|(name, value)| (name.into(), value.into())));
            target.directory = text("cwd")?.map(|folder| variables.folder.join(folder));
            Ok(Reach::Command(target))
        }
        (None | Some("http" | "streamable-http" | "streamableHttp" | "sse"), None, Some(url)) => {
            let headers = map(server, "headers", variables)?;
            let headers =
                headers.into_iter().map(|(name, value)| Header::new(name, value)).collect::<Result<_, _>>()?;
            Ok(Reach::Url(UrlTarget { url, headers }))
        }
        (Some(kind), None, None) => Err(format!("its type is {kind:?}, but it has neither command nor url")),
        (Some(kind), ..) if !matches!(kind, "stdio" | "http" | "streamable-http" | "streamableHttp" | "sse") => {
            Err(format!("its type is {kind:?}; known are stdio, http and sse"))
        }
        (_, Some(_), Some(_)) => Err("it has both command and url".to_owned()),
        (Some(kind), ..) => Err(format!("its type {kind:?} does not go with what it has")),
        (None, None, None) => Err("it has neither command nor url".to_owned()),
    }
}

fn list(server: &Value, key: &str, variables: &Variables<'_>) -> Result<Vec<String>, String> {
    let items = match &server[key] {
        Value::Null => return Ok(Vec::new()),
        Value::Array(items) => items,
        _ => return Err(format!("its {key} is not a list")),
    };
    let item = |item: &Value| {
        let text = item.as_str().ok_or_else(|| format!("its {key} has something that is not a text"))?;
        variables.expanded(text).map_err(|what| format!("its {key} {what}"))
    };
    items.iter().map(item).collect()
}

/// Reads an object of texts; numbers and booleans are taken as they are written.
fn map(server: &Value, key: &str, variables: &Variables<'_>) -> Result<Vec<(String, String)>, String> {
    let members = match &server[key] {
        Value::Null => return Ok(Vec::new()),
        Value::Object(members) => members,
        _ => return Err(format!("its {key} is not an object")),
    };
    let member = |(name, value): (&String, &Value)| {
        let text = match value {
            Value::String(text) => variables.expanded(text).map_err(|what| format!("{name} of its {key} {what}"))?,
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return Err(format!("{name} of its {key} is not a text")),
        };
        Ok((name.clone(), text))
    };
    members.iter().map(member).collect()
}

/// Reads lines `NAME=value`, with comments and quotes as such files have them.
fn env_file(path: &Path) -> Result<Vec<(std::ffi::OsString, std::ffi::OsString)>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("its envFile {}: {error}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.filter_map(|line| line.strip_prefix("export ").unwrap_or(line).split_once('='));
    let unquoted = |value: &str| {
        let value = value.trim();
        let quoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        quoted.unwrap_or(value).to_owned()
    };
    Ok(pairs.map(|(name, value)| (name.trim().into(), unquoted(value).into())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    fn read(text: &str, name: &str) -> Result<Reach, String> {
        let folder = Path::new("/p");
        reach(&servers(text)?[name], &Variables { environment: &environment, folder })
    }

    #[test]
    fn servers_of_every_style_are_read() {
        let claude = r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "x@1"], "env": {"K": "${TOKEN}", "N": 5}, "cwd": "sub"}}}"#;
        let Reach::Command(target) = read(claude, "a").unwrap() else { panic!() };
        assert_eq!((target.program.to_str(), target.arguments.len()), (Some("npx"), 2));
        assert_eq!(target.variables, [("K".into(), "s3cret".into()), ("N".into(), "5".into())]);
        assert_eq!(target.directory.as_deref(), Some(Path::new("/p/sub")));

        let code = r#"{"servers": {"b": {"type": "http", "url": "https://x/mcp", "headers": {"Authorization": "Bearer ${env:TOKEN}"},}}} // end"#;
        let Reach::Url(target) = read(code, "b").unwrap() else { panic!() };
        assert_eq!(target.url, "https://x/mcp");
        assert_eq!(target.headers[0].value(), "Bearer s3cret");
        assert!(!format!("{target:?}").contains("s3cret"));

        for kind in ["sse", "streamable-http"] {
            let text = format!(r#"{{"mcp": {{"servers": {{"c": {{"type": "{kind}", "url": "http://x"}}}}}}}}"#);
            assert!(matches!(read(&text, "c"), Ok(Reach::Url(_))));
        }
    }

    #[test]
    fn mistakes_in_a_file_are_named() {
        for (server, part) in [
            (r#"{"command": "x", "env": {"K": "${NONE}"}}"#, "K of its env needs the environment variable NONE"),
            (r#"{"command": 5}"#, "its command is not a text"),
            (r#"{"command": "x", "args": "y"}"#, "its args is not a list"),
            (r#"{"command": "x", "args": [1]}"#, "not a text"),
            (r#"{"command": "x", "url": "http://y"}"#, "both command and url"),
            (r#"{"type": "carrier-pigeon", "url": "http://y"}"#, "known are stdio, http and sse"),
            (r#"{"type": "stdio", "url": "http://y"}"#, "does not go with"),
            (r#"{"type": "http"}"#, "neither command nor url"),
            (r#"{"url": "http://y", "headers": {"a b": "c"}}"#, "is not the name of a header"),
            (r#"{"url": "http://y", "headers": {"a": "c\nd"}}"#, "control character"),
            ("{}", "neither command nor url"),
        ] {
            let error = read(&format!(r#"{{"mcpServers": {{"s": {server}}}}}"#), "s").unwrap_err();
            assert!(error.contains(part), "{server}: {error}");
        }
        assert!(servers("{}").unwrap_err().contains("neither mcpServers nor servers"));
        assert!(servers("{").unwrap_err().contains("line 1"));
    }
}
