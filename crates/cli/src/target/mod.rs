//! Which server is meant: a URL, a command, or a name in an `mcp.json`.

mod config;
mod edit;
mod expand;
mod file;
mod jsonc;
mod options;

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

pub(crate) use config::all_servers;
pub(crate) use file::{add_to_file, file_for_new_servers, remove_from_file, write_file};
pub(crate) use options::{ServerOptions, duration};

/// A server, and how it is reached.
#[derive(Debug)]
pub(crate) struct Target {
    /// What the person called it: its URL, its command, or its name. It is not the server's word.
    pub(crate) label: String,
    /// The file that names it, if one does.
    pub(crate) file: Option<PathBuf>,
    /// How it is reached.
    pub(crate) reach: Reach,
}

/// How a server is reached.
#[derive(Debug)]
pub(crate) enum Reach {
    /// Over HTTP.
    Url(UrlTarget),
    /// By starting it.
    Command(CommandTarget),
}

/// A server at a URL.
#[derive(Debug)]
pub(crate) struct UrlTarget {
    pub(crate) url: String,
    pub(crate) headers: Vec<Header>,
}

/// A server that a command starts.
#[derive(Debug)]
pub(crate) struct CommandTarget {
    pub(crate) program: OsString,
    pub(crate) arguments: Vec<OsString>,
    /// Variables that are set for it.
    pub(crate) variables: Vec<(OsString, OsString)>,
    /// Variables of our own that it may see.
    pub(crate) inherited: Vec<OsString>,
    pub(crate) directory: Option<PathBuf>,
}

impl CommandTarget {
    pub(crate) fn new(program: OsString) -> Self {
        Self { program, arguments: Vec::new(), variables: Vec::new(), inherited: Vec::new(), directory: None }
    }

    /// The program and its arguments.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// The program and its arguments as they would be typed.
    pub(crate) fn line(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word where a shell would need it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A header of HTTP requests. Its value may be a secret, so it is never shown.
#[derive(Clone)]
pub(crate) struct Header {
    name: String,
    value: String,
}

impl Header {
    /// Checks a name and a value.
    pub(crate) fn new(name: String, value: String) -> Result<Self, String> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            return Err(format!("{name:?} is not the name of a header"));
        }
        if value.chars().any(char::is_control) {
            return Err(format!("the value of the header {name} has a control character"));
        }
        Ok(Self { name, value })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: …", self.name)
    }
}
