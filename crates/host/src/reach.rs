//! How a server is reached.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::ConfigError;

/// How a server is reached.
#[derive(Debug)]
pub enum Reach {
    /// Over HTTP.
    Url(UrlTarget),
    /// By starting it.
    Command(CommandTarget),
}

/// A server at a URL.
#[derive(Debug)]
pub struct UrlTarget {
    /// As it was written; nobody has looked at it yet.
    pub url: String,
    /// What is sent with each request.
    pub headers: Vec<Header>,
}

/// A server that a command starts.
#[derive(Debug)]
pub struct CommandTarget {
    /// The program, by its name or its path.
    pub program: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Variables that are set for it.
    pub variables: Vec<(OsString, OsString)>,
    /// Variables of our own that it may see.
    pub inherited: Vec<OsString>,
    /// Where it is started, if not here.
    pub directory: Option<PathBuf>,
}

impl CommandTarget {
    /// A program without arguments.
    pub fn new(program: OsString) -> Self {
        Self { program, arguments: Vec::new(), variables: Vec::new(), inherited: Vec::new(), directory: None }
    }

    /// Returns the program and its arguments.
    pub fn words(&self) -> Vec<String> {
        let words = std::iter::once(&self.program).chain(&self.arguments);
        words.map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// Returns the program and its arguments as they would be typed.
    pub fn line(&self) -> String {
        self.words().iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
    }
}

/// Quotes a word where a shell would need it.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:=@%+,~".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A header of HTTP requests. Its value may be a secret, so it is never shown.
#[derive(Clone)]
pub struct Header {
    name: String,
    value: String,
}

impl Header {
    /// Checks a name and a value.
    ///
    /// # Errors
    /// If the name is none that HTTP has, or the value has a control character.
    pub fn new(name: String, value: String) -> Result<Self, ConfigError> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if name.is_empty() || !name.chars().all(is_token) {
            return Err(ConfigError::Entry(format!("{name:?} is not the name of a header")));
        }
        if value.chars().any(char::is_control) {
            return Err(ConfigError::Entry(format!("the value of the header {name} has a control character")));
        }
        Ok(Self { name, value })
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns its value, which may be a secret.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl fmt::Debug for Header {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: …", self.name)
    }
}
