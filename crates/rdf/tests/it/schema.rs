//! Our JSON Schemas: true to what the protocol writes, and accepting what the official ones accept.

use std::collections::BTreeSet;

use jackfield_protocol::{Kind, Revision};
use jackfield_rdf::{Profile, VOCABULARY, schema};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::generate::{Dice, Wire, message};

fn validator(schema: &Value) -> Validator {
    jsonschema::options().build(schema).unwrap()
}

/// The schema with the root replaced by one of its definitions.
fn definition(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    let root = schema.as_object_mut().unwrap();
    root.remove("anyOf");
    root.insert("$ref".to_owned(), format!("#/{}/{name}", definitions(&Value::Object(root.clone())).0).into());
    schema
}

fn definitions(schema: &Value) -> (&'static str, &Value) {
    if schema.get("$defs").is_some() { ("$defs", &schema["$defs"]) } else { ("definitions", &schema["definitions"]) }
}

/// Forbids every member that is not named, where the schema itself does not say otherwise.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&json!("object"))
                && members.contains_key("properties")
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

/// The definition that describes a message: of its method, or of the answer to it.
fn name_of(wire: &Wire) -> String {
    let kind = match (wire.is_answer, wire.method.row().kind) {
        (true, _) => "Response",
        (false, Kind::Request) => "Request",
        (false, Kind::Notification) => "Notification",
    };
    format!("{:?}{kind}", wire.method)
}

/// Notes which members of which definitions a value uses.
fn visit(root: &Value, name: &str, schema: &Value, value: &Value, seen: &mut BTreeSet<(String, String)>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap();
        visit(root, name, &root["$defs"][name], value, seen);
    }
    for choice in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        if may_be(root, choice, value) {
            visit(root, name, choice, value, seen);
        }
    }
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        values.iter().for_each(|value| visit(root, name, items, value, seen));
    }
    let Value::Object(members) = value else { return };
    for (key, value) in members {
        if let Some(member) = schema.get("properties").and_then(|properties| properties.get(key)) {
            seen.insert((name.to_owned(), key.clone()));
            visit(root, name, member, value, seen);
        } else if let Some(rest @ Value::Object(_)) = schema.get("additionalProperties") {
            visit(root, name, rest, value, seen);
        }
    }
}

/// Whether a value has what a choice requires.
fn may_be(root: &Value, choice: &Value, value: &Value) -> bool {
    let choice = match choice.get("$ref").and_then(Value::as_str) {
        Some(reference) => &root["$defs"][reference.rsplit('/').next().unwrap()],
        None => choice,
    };
    let required = choice.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    required.clone().all(|key| {
        value.get(key).is_some_and(|held| choice["properties"][key].get("const").is_none_or(|word| word == held))
    })
}

#[test]
fn everything_that_the_protocol_writes_is_in_the_table_and_the_other_way_round() {
    for revision in Revision::ALL {
        let open = schema(revision, Profile::Lossless);
        let mut closed = open.clone();
        close(&mut closed);
        let mut validators = std::collections::HashMap::new();
        let mut seen = BTreeSet::new();
        let mut dice = Dice(revision as u64);
        let whole = validator(&open);
        for round in 1.. {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let value: Value = serde_json::from_slice(&wire.json).unwrap();
            assert!(whole.is_valid(&value), "{revision} {value}");
            let name = if value.get("error").is_some() { "ErrorResponse".to_owned() } else { name_of(&wire) };
            let strict = validators.entry(name.clone()).or_insert_with(|| validator(&definition(&closed, &name)));
            if let Err(error) = strict.validate(&value) {
                panic!("{revision} {name}: {error} at {}\n{value}", error.instance_path());
            }
            visit(&open, &name, &open["$defs"][&name], &value, &mut seen);
            if round % 500 == 0 {
                let missing = unseen(&open, &seen);
                assert!(round < 20_000 || missing.is_empty(), "{revision}: the protocol never writes {missing:?}");
                if missing.is_empty() {
                    break;
                }
            }
        }
    }
}

/// Returns the members of the definitions that no message had.
fn unseen(schema: &Value, seen: &BTreeSet<(String, String)>) -> Vec<String> {
    // The general envelopes are what the messages of each method are made from.
    let made_from = ["Request", "Notification", "ResultResponse"];
    // These are written by parts of a connection, not by the types.
    let elsewhere = ["io.modelcontextprotocol/subscriptionId", "io.modelcontextprotocol/related-task"];
    let mut missing = Vec::new();
    for (name, definition) in schema["$defs"].as_object().unwrap() {
        for key in definition.get("properties").and_then(Value::as_object).into_iter().flat_map(|p| p.keys()) {
            let counts = !made_from.contains(&name.as_str()) && !elsewhere.contains(&key.as_str());
            if counts && !seen.contains(&(name.clone(), key.clone())) {
                missing.push(format!("{name}.{key}"));
            }
        }
    }
    missing
}

#[test]
fn members_carry_their_iri() {
    let annotated = schema(Revision::LATEST, Profile::Json);
    let tool = &annotated["$defs"]["Tool"]["properties"];
    assert_eq!(tool["name"]["x-jsonld-id"], format!("{VOCABULARY}name"));
    assert_eq!(tool["icons"]["x-jsonld-container"], "@list");
    assert_eq!(tool["inputSchema"]["x-jsonld-type"], "@json");
    assert_eq!(annotated["x-jsonld-vocab"], VOCABULARY);
    assert_eq!(annotated["x-jsonld-prefixes"]["mcp"], VOCABULARY);
    let plain = schema(Revision::LATEST, Profile::Plain);
    assert_eq!(plain["$defs"]["Tool"]["properties"]["icons"].get("x-jsonld-container"), None);
}

#[test]
fn a_revision_has_only_what_it_knows() {
    for (revision, name, known) in [
        ("2024-11-05", "AudioContent", false),
        ("2025-03-26", "AudioContent", true),
        ("2025-11-25", "Task", true),
        ("2026-07-28", "Task", false),
        ("2026-07-28", "DiscoverRequest", true),
        ("2026-07-28", "InitializeRequest", false),
    ] {
        let schema = schema(revision.parse().unwrap(), Profile::Plain);
        assert_eq!(schema["$defs"].get(name).is_some(), known, "{revision} {name}");
    }
}

/// Changes a message at one place, so that it may no longer be valid. `_meta` stays: the specification says that it is an
/// object with a `progressToken` of two types, but the definitions of some messages do not.
fn mutate(dice: &mut Dice, value: &mut Value) {
    match value {
        Value::Object(members) if !members.is_empty() => {
            let keys: Vec<String> = members.keys().filter(|key| *key != "_meta").cloned().collect();
            if keys.is_empty() {
                return;
            }
            let key = dice.pick(&keys).clone();
            match dice.below(6) {
                0 => drop(members.remove(&key)),
                1 => drop(members.insert(key, dice.json(1))),
                2 => drop(members.insert("unknown".to_owned(), dice.json(1))),
                _ => mutate(dice, &mut members[&key]),
            }
        }
        Value::Array(items) if !items.is_empty() => {
            let at = dice.below(items.len() as u64) as usize;
            mutate(dice, &mut items[at]);
        }
        other => *other = dice.json(1),
    }
}

/// Judges by a definition of an official schema and by its envelope, which older definitions do not contain.
fn official_validator(official: &Value, name: &str, wire: &Wire) -> Validator {
    let mut schema = definition(official, name);
    if !wire.is_answer {
        let envelope = if wire.method.row().kind == Kind::Request { "JSONRPCRequest" } else { "JSONRPCNotification" };
        let root = schema.as_object_mut().unwrap();
        let both = [root.remove("$ref").unwrap(), format!("#/{}/{envelope}", definitions(official).0).into()];
        root.insert("allOf".to_owned(), both.into_iter().map(|to| json!({ "$ref": to })).collect());
    }
    validator(&schema)
}

/// Whatever an official schema accepts, ours accepts: generated messages, changed at random, judged by the official
/// definitions of the same name.
#[test]
fn ours_accepts_what_the_official_schema_accepts() {
    let Ok(folder) = std::env::var("MCP_SCHEMA_DIR") else {
        eprintln!("skipped: MCP_SCHEMA_DIR is not set");
        return;
    };
    let (mut accepted, mut refused) = (0, 0);
    for revision in Revision::ALL {
        let text = std::fs::read_to_string(format!("{folder}/{revision}.json")).unwrap();
        let official: Value = serde_json::from_str(&text).unwrap();
        let ours = schema(revision, Profile::Lossless);
        let mut dice = Dice(1000 + revision as u64);
        let mut validators = std::collections::HashMap::new();
        for _ in 0..1000 {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let mut value: Value = serde_json::from_slice(&wire.json).unwrap();
            let name = if wire.is_answer {
                let result = ours["$defs"][name_of(&wire)]["properties"]["result"]["anyOf"][0]["$ref"].as_str();
                let (Some(result), Some(body)) = (result, value.get_mut("result")) else { continue };
                value = body.take();
                result.rsplit('/').next().unwrap().to_owned()
            } else {
                name_of(&wire)
            };
            // The state of a task is a result only with the members that every result has.
            let theirs = if name == "Task" { "GetTaskResult" } else { &name };
            if definitions(&official).1.get(theirs).is_none() {
                continue;
            }
            let (theirs, our) = validators.entry(name.clone()).or_insert_with(|| {
                (official_validator(&official, theirs, &wire), validator(&definition(&ours, &name)))
            });
            for round in 0..10 {
                if round > 0 {
                    mutate(&mut dice, &mut value);
                }
                if !theirs.is_valid(&value) {
                    refused += 1;
                    continue;
                }
                accepted += 1;
                if let Err(error) = our.validate(&value) {
                    panic!("{revision} {name}: {error} at {}\n{value:#}", error.instance_path());
                }
            }
        }
    }
    assert!(accepted > 5000 && refused > 2000, "accepted {accepted}, refused {refused}");
}

/// The official examples, where there are any, are valid under our definitions of the same name.
#[test]
fn the_official_examples_are_valid() {
    let Ok(folder) = std::env::var("MCP_SCHEMA_DIR") else {
        eprintln!("skipped: MCP_SCHEMA_DIR is not set");
        return;
    };
    let mut checked = 0;
    for revision in Revision::ALL {
        let ours = schema(revision, Profile::Lossless);
        let Ok(names) = std::fs::read_dir(format!("{folder}/examples-{revision}")) else { continue };
        for entry in names.map(Result::unwrap) {
            let name = entry.file_name().into_string().unwrap();
            if ours["$defs"].get(&name).is_none() {
                continue;
            }
            let validator = validator(&definition(&ours, &name));
            for example in std::fs::read_dir(entry.path()).unwrap().map(Result::unwrap) {
                let value: Value = serde_json::from_str(&std::fs::read_to_string(example.path()).unwrap()).unwrap();
                if let Err(error) = validator.validate(&value) {
                    panic!("{:?}: {error} at {}", example.path(), error.instance_path());
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 50, "{checked}");
}
