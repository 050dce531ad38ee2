//! Arguments as people type them: `name=value`, `name:=json`, `name=@file`.

use std::path::PathBuf;

use crate::failure::Failure;

/// One argument of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    /// Whose value it is.
    pub(crate) name: String,
    /// The value as it was given.
    pub(crate) given: Given,
}

/// How a value was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    /// `name=value`: text, to be read as the schema says.
    Text(String),
    /// `name=@file`: the same, from a file.
    File(PathBuf),
    /// `name:=json`.
    Json(String),
    /// `name:=@file`: JSON from a file.
    JsonFile(PathBuf),
}

impl Word {
    /// Reads a word of the command line.
    pub(crate) fn read(word: &str) -> Result<Self, Failure> {
        let Some((name, value)) = word.split_once('=').filter(|(name, _)| !matches!(*name, "" | ":")) else {
            return Err(Failure::usage(format!("{word:?} is not an argument"))
                .hint("write name=value, name:=json for JSON, or name=@file for the content of a file"));
        };
        let (name, given) = match (name.strip_suffix(':'), value.strip_prefix('@')) {
            (Some(name), Some(path)) => (name, Given::JsonFile(path.into())),
            (Some(name), None) => (name, Given::Json(value.to_owned())),
            // A text that begins with an at sign is written with two of them.
            (None, Some(text)) if text.starts_with('@') => (name, Given::Text(text.to_owned())),
            (None, Some(path)) => (name, Given::File(path.into())),
            (None, None) => (name, Given::Text(value.to_owned())),
        };
        Ok(Self { name: name.to_owned(), given })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forms_of_an_argument() {
        for (word, name, given) in [
            ("a=1", "a", Given::Text("1".into())),
            ("a=", "a", Given::Text(String::new())),
            ("a=b=c", "a", Given::Text("b=c".into())),
            ("a:=[1]", "a", Given::Json("[1]".into())),
            ("a=@file.txt", "a", Given::File("file.txt".into())),
            ("a:=@file.json", "a", Given::JsonFile("file.json".into())),
            ("a=@@home", "a", Given::Text("@home".into())),
            ("a=x:=y", "a", Given::Text("x:=y".into())),
        ] {
            assert_eq!(Word::read(word).unwrap(), Word { name: name.into(), given }, "{word}");
        }
        for word in ["a", "=1", ":=1", ""] {
            assert!(Word::read(word).is_err(), "{word}");
        }
    }
}
