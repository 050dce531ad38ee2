//! The file of a graph: one JSON object a line, entities first, then relations.

use std::io::{self, BufRead, Write};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entity::{Entity, Relation};
use super::graph::Graph;

/// The longest line; what is longer is taken for broken.
const LONGEST: usize = 256 << 20;

#[derive(Serialize)]
struct TypedLine<'a, T> {
    r#type: &'static str,
    #[serde(flatten)]
    item: &'a T,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Line {
    Entity(Entity),
    Relation(Relation),
}

/// Reads lines into a graph, and returns those that cannot be read. Blank lines and lines of other types are left out.
pub(super) fn read(mut from: impl BufRead, graph: &mut Graph) -> io::Result<Vec<String>> {
    let (mut broken, mut bytes) = (Vec::new(), Vec::new());
    loop {
        bytes.clear();
        if from.read_until(b'\n', &mut bytes)? == 0 {
            return Ok(broken);
        }
        let text = String::from_utf8_lossy(&bytes);
        let line = text.trim();
        if line.is_empty() {
            continue;
        }
        match parse(line).filter(|_| line.len() <= LONGEST) {
            Some(Line::Entity(entity)) => graph.push_entity(&entity),
            Some(Line::Relation(relation)) => graph.push_relation(&relation),
            None if is_of_other_type(line) => {}
            None => broken.push(line.to_owned()),
        }
    }
}

/// Parses an entity or a relation. Lines that begin as ours do are read without looking for their type first, which takes longer.
fn parse(line: &str) -> Option<Line> {
    if line.starts_with(r#"{"type":"entity","name":"#) {
        return serde_json::from_str(line).ok().map(Line::Entity);
    }
    if line.starts_with(r#"{"type":"relation","from":"#) {
        return serde_json::from_str(line).ok().map(Line::Relation);
    }
    serde_json::from_str(line).ok()
}

/// Whether a line is an object that is neither an entity nor a relation.
fn is_of_other_type(line: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(line).ok();
    let object = value.as_ref().and_then(Value::as_object);
    object.is_some_and(|object| !matches!(object.get("type").and_then(Value::as_str), Some("entity" | "relation")))
}

/// Writes a graph.
pub(super) fn write(mut to: impl Write, graph: &Graph) -> io::Result<()> {
    for entity in graph.entities() {
        write_line(&mut to, "entity", &entity)?;
    }
    for relation in graph.relations() {
        write_line(&mut to, "relation", &relation)?;
    }
    Ok(())
}

fn write_line<T: Serialize>(to: &mut impl Write, name: &'static str, item: &T) -> io::Result<()> {
    serde_json::to_writer(&mut *to, &TypedLine { r#type: name, item })?;
    to.write_all(b"\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_written_as_the_original_does() {
        let text = "{\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"r\"}\r\n\n  \n\
            {\"type\":\"entity\", \"extra\":1, \"observations\":[\"\\u0142\"], \"entityType\":\"t\", \"name\":\"a\"}\n\
            {\"type\":\"comment\",\"text\":\"x\"}\n{not json\n{\"type\":\"entity\",\"name\":5}\nnull\n\
            {\"type\":\"entity\",\"name\":\"last\",\"entityType\":\"t\",\"observations\":[]}";
        let mut graph = Graph::default();
        let broken = read(text.as_bytes(), &mut graph).unwrap();
        assert_eq!(broken, ["{not json", "{\"type\":\"entity\",\"name\":5}", "null"]);
        let mut written = Vec::new();
        write(&mut written, &graph).unwrap();
        let expected = "{\"type\":\"entity\",\"name\":\"a\",\"entityType\":\"t\",\"observations\":[\"ł\"]}\n\
            {\"type\":\"entity\",\"name\":\"last\",\"entityType\":\"t\",\"observations\":[]}\n\
            {\"type\":\"relation\",\"from\":\"a\",\"to\":\"b\",\"relationType\":\"r\"}\n";
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}
