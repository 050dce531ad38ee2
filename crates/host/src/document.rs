//! The text of a configuration file, and where in it the servers stand.

use std::ops::Range;

use serde_json::Value;

use crate::ConfigError;
use crate::jsonc::{self, Plain};

/// The members under which servers are listed: Claude, Cursor and others have the first, VS Code has the second.
pub(crate) const SECTIONS: [&str; 2] = ["mcpServers", "servers"];

/// The text of a file, with comments and without them, character by character.
pub(crate) struct Document {
    pub(crate) text: Vec<char>,
    plain: Vec<char>,
    /// Where commas stand before a closing bracket.
    commas: Vec<usize>,
    comments: Vec<Range<usize>>,
}

/// An object in the text.
pub(crate) struct Object {
    /// Where its opening brace is.
    pub(crate) open: usize,
    pub(crate) members: Vec<Member>,
}

/// A member of an object.
pub(crate) struct Member {
    pub(crate) name: String,
    /// From the name to the end of the value.
    pub(crate) range: Range<usize>,
    /// Where the value begins.
    value: usize,
}

impl Document {
    pub(crate) fn read(text: &str) -> Result<Self, ConfigError> {
        let marks = text.len() - text.trim_start_matches('\u{feff}').len();
        // What marks the order of bytes is no part of JSON; a blank for each keeps the places.
        let marked = text[..marks].chars().count();
        let Plain { chars: plain, commas, comments } =
            jsonc::plain(&format!("{}{}", " ".repeat(marked), &text[marks..]));
        // From here on it is known to be JSON, so that it can be walked through without looking for mistakes.
        let root: Value = serde_json::from_str(&plain.iter().collect::<String>()).map_err(ConfigError::NotJson)?;
        if !root.is_object() {
            return Err(ConfigError::NotAnObject);
        }
        Ok(Self { text: text.chars().collect(), plain, commas, comments })
    }

    pub(crate) fn root(&self) -> Result<Object, ConfigError> {
        self.object(self.skip_blank(0)).ok_or(ConfigError::NotAnObject)
    }

    /// The object that lists the servers; editors also keep it one level deeper, in their general settings.
    pub(crate) fn section(&self) -> Result<Option<Object>, ConfigError> {
        let root = self.root()?;
        let section = match self.listed(&root)? {
            Some(section) => Some(section),
            None => match self.inner(&root, "mcp")? {
                Some(deeper) => self.listed(&deeper)?,
                None => None,
            },
        };
        if let Some(section) = &section {
            let mut names: Vec<&str> = section.members.iter().map(|member| member.name.as_str()).collect();
            names.sort_unstable();
            if let Some(pair) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(ConfigError::Doubled(pair[0].to_owned()));
            }
        }
        Ok(section)
    }

    /// Reads the value of a member.
    pub(crate) fn value(&self, member: &Member) -> Result<Value, ConfigError> {
        let text: String = self.plain[member.value..member.range.end].iter().collect();
        serde_json::from_str(&text).map_err(ConfigError::NotJson)
    }

    fn listed(&self, object: &Object) -> Result<Option<Object>, ConfigError> {
        for name in SECTIONS {
            if let Some(section) = self.inner(object, name)? {
                return Ok(Some(section));
            }
        }
        Ok(None)
    }

    /// The object that a member holds, if it is there and holds one.
    fn inner(&self, object: &Object, name: &str) -> Result<Option<Object>, ConfigError> {
        let mut found = object.members.iter().filter(|member| member.name == name);
        match (found.next(), found.next()) {
            (Some(_), Some(_)) => Err(ConfigError::Doubled(name.to_owned())),
            (first, _) => Ok(first.and_then(|member| self.object(member.value))),
        }
    }

    /// Reads the object that begins here, if one does.
    fn object(&self, open: usize) -> Option<Object> {
        (self.plain.get(open) == Some(&'{')).then_some(())?;
        let mut members = Vec::new();
        let mut at = self.skip_blank(open + 1);
        while self.plain.get(at)? != &'}' {
            let end = self.skip_value(at);
            let name: String = self.plain.get(at..end)?.iter().collect();
            let name = serde_json::from_str(&name).ok()?;
            let value = self.skip_blank(self.skip_blank(end) + 1);
            let after = self.skip_value(value);
            members.push(Member { name, range: at..after, value });
            at = self.skip_blank(after);
            if self.plain.get(at) == Some(&',') {
                at = self.skip_blank(at + 1);
            }
        }
        Some(Object { open, members })
    }

    /// Returns where the comma is that follows a member which ends here, be it needed or not.
    pub(crate) fn comma_after(&self, at: usize) -> Option<usize> {
        let next = self.skip_blank(at);
        if self.plain.get(next) == Some(&',') {
            return Some(next);
        }
        self.commas.iter().copied().find(|comma| (at..next).contains(comma))
    }

    /// Returns the end of the comments that stand here on the same line, or the same place if there are none or something else follows.
    pub(crate) fn after_remarks(&self, at: usize) -> usize {
        let mut end = at;
        loop {
            let next = end + self.text[end..].iter().take_while(|c| matches!(c, ' ' | '\t' | '\r')).count();
            match self.comments.iter().find(|comment| comment.start == next) {
                Some(comment) if !self.text[comment.clone()].contains(&'\n') => end = comment.end,
                _ if self.text.get(next) == Some(&'\n') => return end,
                _ => return at,
            }
        }
    }

    fn skip_blank(&self, at: usize) -> usize {
        let rest = self.plain.iter().enumerate().skip(at);
        rest.into_iter().find(|(_, c)| !c.is_whitespace()).map_or(self.plain.len(), |(at, _)| at)
    }

    /// Returns the end of the value that begins here.
    fn skip_value(&self, start: usize) -> usize {
        let (mut depth, mut at) = (0_usize, start);
        while let Some(c) = self.plain.get(at) {
            match c {
                '"' => {
                    at += 1;
                    while self.plain.get(at).is_some_and(|c| *c != '"') {
                        at += if self.plain[at] == '\\' { 2 } else { 1 };
                    }
                }
                '{' | '[' => depth += 1,
                '}' | ']' if depth > 0 => depth -= 1,
                ',' | ':' | '}' | ']' if depth == 0 => return at,
                c if depth == 0 && c.is_whitespace() => return at,
                _ => {}
            }
            at += 1;
            if depth == 0 && matches!(c, '"' | '}' | ']') {
                return at;
            }
        }
        at
    }
}
