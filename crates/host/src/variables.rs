//! Variables in configuration files.

use std::fmt;
use std::path::Path;

/// What variables can refer to.
#[derive(Clone, Copy)]
pub struct Variables<'a> {
    /// Looks up a variable of the environment.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// The folder of the project that the configuration file belongs to.
    pub folder: &'a Path,
}

impl fmt::Debug for Variables<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Variables").field("folder", &self.folder).finish_non_exhaustive()
    }
}

impl Variables<'_> {
    /// Replaces `${NAME}`, `${NAME:-default}`, `${env:NAME}` and the names that editors have for folders.
    ///
    /// The error is the end of a sentence: what is wrong with which variable.
    pub(crate) fn expanded(&self, text: &str) -> Result<String, String> {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((name, after)) = after.split_once('}') else {
                out.push_str("${");
                rest = after;
                continue;
            };
            out.push_str(&self.value(name)?);
            rest = after;
        }
        out.push_str(rest);
        Ok(out)
    }

    /// Returns the variables of the environment that a text refers to.
    pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
        let references = text.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
        references.filter_map(|name| match name {
            "workspaceFolder" | "workspaceFolderBasename" | "userHome" | "pathSeparator" | "/" => None,
            name if name.starts_with("input:") => None,
            name => Some(name.strip_prefix("env:").unwrap_or(name).split(":-").next().unwrap_or(name)),
        })
    }

    fn value(&self, name: &str) -> Result<String, String> {
        let folder = || self.folder.display().to_string();
        match name {
            "workspaceFolder" => return Ok(folder()),
            "workspaceFolderBasename" => {
                return Ok(self.folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default());
            }
            "userHome" => return self.variable("HOME"),
            "pathSeparator" | "/" => return Ok(std::path::MAIN_SEPARATOR.to_string()),
            _ => {}
        }
        if let Some(input) = name.strip_prefix("input:") {
            return Err(format!("asks an editor for the input {input:?}, which only the editor can give"));
        }
        if let Some((name, default)) = name.split_once(":-") {
            let value = (self.environment)(name).filter(|value| !value.is_empty());
            return Ok(value.unwrap_or_else(|| default.to_owned()));
        }
        let name = name.strip_prefix("env:").unwrap_or(name);
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(format!("uses ${{{name}}}, which is no variable"));
        }
        self.variable(name)
    }

    fn variable(&self, name: &str) -> Result<String, String> {
        (self.environment)(name).ok_or_else(|| format!("needs the environment variable {name}, which is not set"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Option<String> {
        match name {
            "TOKEN" => Some("s3cret".to_owned()),
            "EMPTY" => Some(String::new()),
            "HOME" => Some("/h".to_owned()),
            _ => None,
        }
    }

    #[test]
    fn variables_of_the_environment_are_named() {
        let text = "${workspaceFolder}/${TOKEN} ${env:KEY}${NONE:-x} ${input:a} $PLAIN ${open";
        assert_eq!(Variables::names(text).collect::<Vec<_>>(), ["TOKEN", "KEY", "NONE"]);
    }

    #[test]
    fn variables_of_every_editor_are_expanded() {
        let variables = Variables { environment: &environment, folder: Path::new("/p/project") };
        for (text, expected) in [
            ("a ${TOKEN} b", Ok("a s3cret b")),
            ("${env:TOKEN}", Ok("s3cret")),
            ("${NONE:-x y}", Ok("x y")),
            ("${EMPTY:-x}", Ok("x")),
            ("${TOKEN:-x}", Ok("s3cret")),
            ("${workspaceFolder}/bin", Ok("/p/project/bin")),
            ("${workspaceFolderBasename}", Ok("project")),
            ("${userHome}", Ok("/h")),
            ("$TOKEN ${open", Ok("$TOKEN ${open")),
            ("${NONE}", Err("NONE, which is not set")),
            ("${input:key}", Err("only the editor")),
            ("${command:x}", Err("no variable")),
        ] {
            match (variables.expanded(text), expected) {
                (Ok(value), Ok(expected)) => assert_eq!(value, expected, "{text}"),
                (Err(error), Err(part)) => assert!(error.contains(part), "{text}: {error}"),
                (outcome, _) => panic!("{text}: {outcome:?}"),
            }
        }
    }
}
