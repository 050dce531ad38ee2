//! One server of a configuration file.

use std::ffi::OsString;
use std::path::Path;

use serde_json::Value;

use crate::{CommandTarget, Header, Reach, UrlTarget, Variables, env_file};

/// Reads one server. The error says what is wrong with it: "it has …", "its command …".
pub(crate) fn reach(server: &Value, variables: &Variables<'_>) -> Result<Reach, String> {
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
                target.variables = read_env_file(&variables.folder.join(file))?;
            }
            target
                .variables
                .extend(map(server, "env", variables)?.into_iter().map(|(name, value)| (name.into(), value.into())));
            target.directory = text("cwd")?.map(|folder| variables.folder.join(folder));
            Ok(Reach::Command(target))
        }
        (None | Some("http" | "streamable-http" | "streamableHttp" | "sse"), None, Some(url)) => {
            let headers = map(server, "headers", variables)?;
            let header = |(name, value)| Header::new(name, value).map_err(|error| error.to_string());
            let headers = headers.into_iter().map(header).collect::<Result<_, _>>()?;
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

fn read_env_file(path: &Path) -> Result<Vec<(OsString, OsString)>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("its envFile {}: {error}", path.display()))?;
    Ok(env_file::variables(&text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ConfigFile;

    fn environment(name: &str) -> Option<String> {
        (name == "TOKEN").then(|| "s3cret".to_owned())
    }

    fn read(text: &str, name: &str) -> Result<Reach, String> {
        let folder = Path::new("/p");
        let file = ConfigFile::parse(text).unwrap();
        file.reach(name, &Variables { environment: &environment, folder }).unwrap().map_err(|error| error.to_string())
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
    }
}
