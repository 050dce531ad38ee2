//! The types of a revision as class diagrams, in the notation of Mermaid.

use std::collections::BTreeSet;
use std::fmt::Write;

use jackfield_protocol::Revision;

use crate::definitions::{Body, Definition, Topic, Value, defined, definition, is_group};

/// Returns a diagram for each topic, with its title; of JSON-RPC only that one.
pub(super) fn diagrams(revision: Revision, json_rpc_only: bool) -> Vec<(&'static str, String)> {
    let topics = [
        ("JSON-RPC", Topic::JsonRpc),
        ("Lifecycle", Topic::Lifecycle),
        ("Content, tools, prompts, resources", Topic::Content),
        ("Questions to the client", Topic::Questions),
        ("Tasks", Topic::Tasks),
    ];
    let wanted = topics.into_iter().filter(|(_, topic)| !json_rpc_only || *topic == Topic::JsonRpc);
    wanted.filter_map(|(title, topic)| diagram(revision, topic).map(|text| (title, text))).collect()
}

fn diagram(revision: Revision, topic: Topic) -> Option<String> {
    let mut out = String::from("classDiagram\n");
    let mut relations = BTreeSet::new();
    let mut any = false;
    for definition in defined(revision).filter(|definition| definition.topic == topic && !is_group(definition)) {
        match &definition.body {
            Body::Object(_) => class(&mut out, &mut relations, definition, revision),
            Body::Alias(Value::Choice(choices)) => {
                let _ = writeln!(out, "  class {} {{\n    <<choice>>\n  }}", definition.name);
                let known = choices.iter().flat_map(Value::names).filter(|name| exists(name, revision));
                relations.extend(known.map(|name| format!("  {} <|-- {name}", definition.name)));
            }
            Body::Alias(_) => continue,
        }
        any = true;
    }
    for relation in &relations {
        let _ = writeln!(out, "{relation}");
    }
    any.then_some(out)
}

fn class(out: &mut String, relations: &mut BTreeSet<String>, definition: &Definition, revision: Revision) {
    let _ = writeln!(out, "  class {} {{", definition.name);
    for member in definition.members_in(revision) {
        let mark = if member.required { "" } else { "?" };
        // Mermaid gives some characters a meaning of its own.
        let name: String = member.name.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let _ = writeln!(out, "    {}{mark} {name}", words(&member.value));
        let known = member.value.names().into_iter().filter(|name| is_object(name, revision));
        relations.extend(known.map(|to| format!("  {} --> {to} : {name}", definition.name)));
    }
    out.push_str("  }\n");
}

fn exists(name: &str, revision: Revision) -> bool {
    definition(name, revision).is_some()
}

fn is_object(name: &str, revision: Revision) -> bool {
    definition(name, revision)
        .is_some_and(|found| matches!(found.body, Body::Object(_) | Body::Alias(Value::Choice(_))))
}

fn words(value: &Value) -> String {
    match value {
        Value::Text(_) | Value::Word(_) | Value::Enum(_) => "string".to_owned(),
        Value::Boolean => "boolean".to_owned(),
        Value::Integer { .. } | Value::Code(_) => "integer".to_owned(),
        Value::Number { .. } => "number".to_owned(),
        Value::Any => "any".to_owned(),
        Value::Object | Value::Bare | Value::Map(_) | Value::All(_) => "object".to_owned(),
        Value::Basic(types) => types.join("_or_"),
        Value::Of(name) | Value::InPlace(name) => (*name).to_owned(),
        Value::List(item, _) => format!("{}[]", words(item)),
        Value::Choice(_) => "choice".to_owned(),
    }
}
