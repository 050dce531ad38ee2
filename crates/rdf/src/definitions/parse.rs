//! Reading the text of the table.

use jackfield_protocol::Revision;

use super::model::{Lifetime, Standing, Topic, Value};
use super::words::words;

/// An entry as it is written: members of other entries are named, not included yet.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: &'static str,
    pub(super) standing: Standing,
    pub(super) topic: Topic,
    pub(super) lifetime: Lifetime,
    pub(super) named: Option<Lifetime>,
    pub(super) open: Option<Lifetime>,
    pub(super) doc: &'static str,
    pub(super) alias: Option<Value>,
    pub(super) lines: Vec<Line>,
}

/// A line below the head of an entry.
#[derive(Debug)]
pub(super) enum Line {
    Member(super::Member),
    Include(&'static str),
}

/// Reads a file of the table.
pub(super) fn entries(text: &'static str, topic: Topic) -> Result<Vec<Entry>, String> {
    let mut entries: Vec<Entry> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let outcome = match (line.starts_with(' '), entries.last_mut()) {
            (true, Some(entry)) => below(line.trim(), entry),
            (true, None) => Err("a member without an entry".to_owned()),
            (false, _) => head(line, topic).map(|entry| entries.push(entry)),
        };
        outcome.map_err(|problem| format!("line {}: {problem}: {line}", number + 1))?;
    }
    Ok(entries)
}

fn head(line: &'static str, topic: Topic) -> Result<Entry, String> {
    let (line, doc) = documentation(line)?;
    let (line, alias) = match line.split_once(" = ") {
        Some((head, alias)) => (head, Some(value(alias)?)),
        None => (line, None),
    };
    let mut words = line.split_whitespace().peekable();
    let standing = match words.next() {
        Some("type") => Standing::Type,
        Some("part") => Standing::Part,
        Some("extension") => Standing::Extension,
        other => return Err(format!("no entry begins with {other:?}")),
    };
    let name = words.next().ok_or("an entry has a name")?;
    let lifetime = words.next_if(|word| is_lifetime(word)).map_or(Ok(Lifetime::always()), lifetime)?;
    let (mut named, mut open) = ((standing == Standing::Type).then_some(lifetime), None);
    while let Some(word) = words.next() {
        let range = words.next_if(|word| is_lifetime(word)).map(self::lifetime).transpose()?;
        match word {
            "named" => named = range,
            "open" => open = Some(range.unwrap_or(lifetime)),
            other => return Err(format!("{other} is no attribute")),
        }
    }
    Ok(Entry { name, standing, topic, lifetime, named, open, doc, alias, lines: Vec::new() })
}

fn below(line: &'static str, entry: &mut Entry) -> Result<(), String> {
    if entry.alias.is_some() {
        return Err("an alias has no members".to_owned());
    }
    if let Some(name) = line.strip_prefix("...") {
        entry.lines.push(Line::Include(name));
        return Ok(());
    }
    let (line, doc) = documentation(line)?;
    let (name, rest) = line.split_once(": ").ok_or("a member has a name and a value")?;
    let (value, attributes) = split_attributes(rest);
    let mut words = attributes.split_whitespace().peekable();
    let lifetime = words.next_if(|word| is_lifetime(word)).map_or(Ok(Lifetime::always()), lifetime)?;
    let mut listed = Some(lifetime);
    match (words.next(), words.next(), words.next()) {
        (None, ..) => {}
        (Some("listed"), Some("never"), None) => listed = None,
        (Some("listed"), Some(range), None) => listed = Some(self::lifetime(range)?),
        _ => return Err(format!("{attributes} are no attributes")),
    }
    let (name, required) = name.strip_suffix('?').map_or((name, true), |name| (name, false));
    let value = self::value(value)?;
    entry.lines.push(Line::Member(super::Member { name, required, value, lifetime, listed, doc }));
    Ok(())
}

/// Cuts the description off, which stands in quotes at the end of a line.
fn documentation(line: &'static str) -> Result<(&'static str, &'static str), String> {
    let inner = line.strip_suffix('"').ok_or("a line ends with a description in quotes")?;
    inner.split_once(" \"").ok_or_else(|| "a description has two quotes".to_owned())
}

/// A value ends at the first blank that is not within brackets.
fn split_attributes(text: &'static str) -> (&'static str, &'static str) {
    let mut depth = 0_i32;
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            ' ' if depth == 0 => return (&text[..at], text[at..].trim()),
            _ => {}
        }
    }
    (text, "")
}

fn is_lifetime(word: &str) -> bool {
    word.starts_with("..") || word.starts_with(|c: char| c.is_ascii_digit())
}

fn lifetime(text: &str) -> Result<Lifetime, String> {
    let revision = |text: &str| text.parse::<Revision>().map_err(|_| format!("{text} is no revision"));
    let always = Lifetime::always();
    match text.split_once("..") {
        None => revision(text).map(|only| Lifetime { first: only, last: only }),
        Some((first, last)) => Ok(Lifetime {
            first: if first.is_empty() { always.first } else { revision(first)? },
            last: if last.is_empty() { always.last } else { revision(last)? },
        }),
    }
}

fn value(text: &'static str) -> Result<Value, String> {
    let text = text.trim();
    if let Some(item) = text.strip_suffix("[]") {
        return Ok(Value::List(Box::new(value(item)?), None));
    }
    if let Some((item, most)) = text.strip_suffix(']').and_then(|text| text.rsplit_once("[..")) {
        let most = most.parse().map_err(|_| format!("{most} is no number"))?;
        return Ok(Value::List(Box::new(value(item)?), Some(most)));
    }
    if let Some(inner) = between(text, "(", ")") {
        return Ok(Value::Choice(parts(inner, '|')?));
    }
    if let Some(inner) = between(text, "all(", ")") {
        return Ok(Value::All(parts(inner, ',')?));
    }
    if let Some(inner) = between(text, "map<", ">") {
        return Ok(Value::Map(Box::new(value(inner)?)));
    }
    if let Some(name) = between(text, "enum(", ")") {
        return words(name).map(|_| Value::Enum(name)).ok_or_else(|| format!("{name} is no enumeration"));
    }
    if let Some(types) = between(text, "[", "]") {
        return Ok(Value::Basic(types.split(", ").collect()));
    }
    if let Some(word) = between(text, "'", "'") {
        return Ok(Value::Word(word));
    }
    if let Some(code) = text.strip_prefix('=') {
        return code.parse().map(Value::Code).map_err(|_| format!("{code} is no number"));
    }
    if let Some(format) = text.strip_prefix("string:") {
        return Ok(Value::Text(Some(format)));
    }
    named(text)
}

fn named(text: &'static str) -> Result<Value, String> {
    Ok(match text {
        "string" => Value::Text(None),
        "boolean" => Value::Boolean,
        "integer" => Value::Integer { natural: false },
        "integer(0..)" => Value::Integer { natural: true },
        "number" => Value::Number { fraction: false },
        "number(0..1)" => Value::Number { fraction: true },
        "any" => Value::Any,
        "object" => Value::Object,
        "bare" => Value::Bare,
        "map" => Value::Map(Box::new(Value::Any)),
        name => match name.strip_prefix('*') {
            Some(name) => Value::InPlace(name),
            None if name.starts_with(|c: char| c.is_ascii_uppercase()) => Value::Of(name),
            None => return Err(format!("{name} is no value")),
        },
    })
}

fn between(text: &'static str, open: &str, close: &str) -> Option<&'static str> {
    text.strip_prefix(open)?.strip_suffix(close)
}

/// The values of a list that a character separates.
fn parts(text: &'static str, separator: char) -> Result<Vec<Value>, String> {
    let (mut depth, mut begin, mut all) = (0_i32, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' | '<' => depth += 1,
            ')' | ']' | '>' => depth -= 1,
            c if c == separator && depth == 0 => {
                all.push(value(&text[begin..at])?);
                begin = at + 1;
            }
            _ => {}
        }
    }
    all.push(value(&text[begin..])?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        for (text, expected) in [
            ("string:uri", Value::Text(Some("uri"))),
            ("Role[]", Value::List(Box::new(Value::Of("Role")), None)),
            ("string[..100]", Value::List(Box::new(Value::Text(None)), Some(100))),
            ("[integer, null]", Value::Basic(vec!["integer", "null"])),
            ("(A | *B[])", Value::Choice(vec![Value::Of("A"), Value::List(Box::new(Value::InPlace("B")), None)])),
            ("all(A, B)", Value::All(vec![Value::Of("A"), Value::Of("B")])),
            ("map<(string[] | [string, integer])>", {
                let list = Value::List(Box::new(Value::Text(None)), None);
                Value::Map(Box::new(Value::Choice(vec![list, Value::Basic(vec!["string", "integer"])])))
            }),
            ("=-32600", Value::Code(-32600)),
            ("'2.0'", Value::Word("2.0")),
        ] {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        for (text, problem) in [
            ("kind A \"x\"", "line 1: no entry begins with"),
            ("type A \"x\"\n  a: nothing \"x\"", "line 2: nothing is no value"),
            ("type A \"x\"\n  a: string", "line 2: a line ends with a description"),
            ("type A 2020-01-01.. \"x\"", "line 1: 2020-01-01 is no revision"),
            ("type A \"x\"\n  a: enum(B) \"x\"", "line 2: B is no enumeration"),
            ("type A \"x\"\n  a: string sometimes \"x\"", "line 2: sometimes are no attributes"),
            ("type A always \"x\"", "line 1: always is no attribute"),
            ("  a: string \"x\"", "line 1: a member without an entry"),
            ("type A = string \"x\"\n  a: string \"x\"", "line 2: an alias has no members"),
        ] {
            let told = entries(text, Topic::Tasks).unwrap_err();
            assert!(told.starts_with(problem), "{told}");
        }
    }
}
