//! The JSON Schemas: equal to the official ones, and true to what the protocol writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use jackfield_protocol::Revision;
use jackfield_rdf::{Profile, VOCABULARY, complete_schema, published_schema, schema};
use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::generate::{Dice, Wire, message};
use crate::instances::{instance, mutate};

fn validator(schema: &Value) -> Validator {
    jsonschema::options().build(schema).unwrap()
}

/// The generator makes any text where the protocol has a URI.
fn without_formats(schema: &Value) -> Validator {
    jsonschema::options().should_validate_formats(false).build(schema).unwrap()
}

/// The schema with the root replaced by one of its definitions.
fn definition(schema: &Value, name: &str) -> Value {
    let mut schema = schema.clone();
    let key = definitions_key(&schema);
    let root = schema.as_object_mut().unwrap();
    root.remove("anyOf");
    root.insert("$ref".to_owned(), format!("#/{key}/{name}").into());
    schema
}

fn definitions_key(schema: &Value) -> &'static str {
    if schema.get("$defs").is_some() { "$defs" } else { "definitions" }
}

fn definitions(schema: &Value) -> &Map<String, Value> {
    schema[definitions_key(schema)].as_object().unwrap()
}

/// The official schemas by revision, if this machine has them.
fn officials() -> Option<Vec<(Revision, Value)>> {
    let Ok(folder) = std::env::var("MCP_SCHEMA_DIR") else {
        eprintln!("skipped: MCP_SCHEMA_DIR is not set");
        return None;
    };
    let read = |revision: Revision| {
        let text = std::fs::read_to_string(format!("{folder}/{revision}.json")).unwrap();
        (revision, serde_json::from_str(&text).unwrap())
    };
    Some(Revision::ALL.map(read).to_vec())
}

/// Removes what says nothing about values: descriptions, and our annotations.
fn constraints(schema: &Value) -> Value {
    without(schema, false, &|key| key == "description" || key.starts_with("x-jsonld-"))
}

/// Removes keywords at every depth; members of these names stay.
fn without(schema: &Value, names_are_free: bool, dropped: &dyn Fn(&str) -> bool) -> Value {
    match schema {
        Value::Object(members) => {
            let kept = members.iter().filter(|(key, _)| names_are_free || !dropped(key));
            let free = |key: &str| !names_are_free && (key == "properties" || key == "$defs" || key == "definitions");
            kept.map(|(key, value)| (key.clone(), without(value, free(key), dropped))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(|item| without(item, false, dropped)).collect(),
        other => other.clone(),
    }
}

/// Every definition of every revision: the same names, and all that a definition says about values.
#[test]
fn every_definition_is_that_of_the_official_schema() {
    let Some(officials) = officials() else { return };
    let mut equal = BTreeMap::new();
    for (revision, official) in officials {
        for profile in [Profile::Plain, Profile::Lossless, Profile::Json] {
            let ours = schema(revision, profile);
            assert_eq!(ours["$schema"], official["$schema"], "{revision}");
            assert_eq!(definitions_key(&ours), definitions_key(&official), "{revision}");
            let (ours, official) = (constraints(&ours), constraints(&official));
            let names = |schema: &Value| definitions(schema).keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&ours), names(&official), "{revision}");
            for (name, theirs) in definitions(&official) {
                assert_eq!(&definitions(&ours)[name], theirs, "{revision} {name}");
            }
            equal.insert(revision, definitions(&official).len());
        }
    }
    assert_eq!(equal.into_values().collect::<Vec<_>>(), [79, 83, 91, 145, 155]);
}

/// The definitions of a schema that differ from those of the published building block.
fn different_from_published(schema: &Value) -> Vec<String> {
    let schema = without(schema, false, &|key| key == "description");
    let published: BTreeMap<&str, &str> =
        include_str!("../data/published.tsv").lines().filter_map(|line| line.split_once('\t')).collect();
    assert_eq!(published.len(), 91);
    let ours: BTreeMap<&str, String> =
        definitions(&schema).iter().map(|(name, definition)| (name.as_str(), digest(definition))).collect();
    let names: BTreeSet<&str> = published.keys().chain(ours.keys()).copied().collect();
    let differs = |name: &&str| ours.get(name).map(String::as_str) != published.get(name).copied();
    names.into_iter().filter(differs).map(str::to_owned).collect()
}

/// As in `checks/published.py`, which made the table: FNV-1a of the JSON with sorted keys.
fn digest(definition: &Value) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    format!("{:016x}", definition.to_string().bytes().fold(0xCBF2_9CE4_8422_2325, step))
}

/// Names, members, types, required members, alternatives and IRIs of all 91 definitions.
#[test]
fn every_definition_of_the_published_block_agrees() {
    let revision = Revision::V2025_06_18;
    assert_eq!(different_from_published(&published_schema(revision, Profile::Plain)), Vec::<String>::new());
    // The official schema of the same revision has been corrected since, and has no block of JSON-RPC to refer to.
    assert_eq!(different_from_published(&schema(revision, Profile::Plain)), ["NumberSchema", "ProgressToken"]);
}

/// Values that were made for the published block are valid for ours, which only accepts more.
#[test]
fn what_the_published_block_accepts_ours_accepts() {
    let (ours, published) =
        (schema(Revision::V2025_06_18, Profile::Plain), published_schema(Revision::V2025_06_18, Profile::Plain));
    let (our, theirs) = (validator(&definition(&ours, "NumberSchema")), {
        let mut one = definition(&published, "NumberSchema");
        // Its reference to another block would have to be fetched.
        one["definitions"].as_object_mut().unwrap().retain(|name, _| name == "NumberSchema");
        validator(&one)
    });
    let mut dice = Dice(91);
    let (mut both, mut only_ours) = (0, 0);
    for _ in 0..2000 {
        let mut value = instance(&mut dice, &ours, &definitions(&ours)["NumberSchema"], 0);
        if dice.coin() {
            mutate(&mut dice, &mut value);
        }
        match (our.is_valid(&value), theirs.is_valid(&value)) {
            (true, accepted) => *(if accepted { &mut both } else { &mut only_ours }) += 1,
            (false, accepted) => assert!(!accepted, "{value}"),
        }
    }
    assert!(both > 100 && only_ours > 100, "both {both}, only ours {only_ours}");
}

/// No sentence of the official schemas is ours, and everything is described.
#[test]
fn descriptions_are_our_own() {
    let Some(officials) = officials() else { return };
    fn described(schema: &Value, names_are_free: bool, out: &mut BTreeSet<String>) {
        match schema {
            Value::Object(members) => {
                for (key, value) in members {
                    match (key.as_str(), value) {
                        ("description", Value::String(text)) if !names_are_free => drop(out.insert(text.clone())),
                        _ => described(value, !names_are_free && key == "properties", out),
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| described(item, false, out)),
            _ => {}
        }
    }
    for (revision, official) in officials {
        let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
        described(&schema(revision, Profile::Plain), false, &mut ours);
        described(&official, false, &mut theirs);
        let words = |text: &str| text.to_lowercase().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let theirs: Vec<Vec<String>> = theirs.iter().map(|text| words(text)).collect();
        for text in &ours {
            let own = words(text);
            let copied = own.windows(7).any(|run| theirs.iter().any(|other| other.windows(7).any(|o| o == run)));
            assert!(!copied, "{revision}: {text}");
        }
        for (name, definition) in definitions(&schema(revision, Profile::Plain)) {
            assert!(definition["description"].is_string(), "{revision} {name}");
        }
    }
}

/// Values made from every definition, changed at random: both schemas accept and refuse alike.
#[test]
fn values_of_every_definition_are_accepted_and_refused_alike() {
    let Some(officials) = officials() else { return };
    let (mut accepted, mut refused) = (0, 0);
    for (revision, official) in officials {
        let ours = schema(revision, Profile::Lossless);
        let mut dice = Dice(2000 + revision as u64);
        for name in definitions(&official).keys() {
            let (theirs, our) = (validator(&definition(&official, name)), validator(&definition(&ours, name)));
            for _ in 0..8 {
                let mut value = instance(&mut dice, &official, &definitions(&official)[name], 0);
                assert!(theirs.is_valid(&value), "{revision} {name}: {value:#}");
                for round in 0..6 {
                    if round > 0 {
                        mutate(&mut dice, &mut value);
                    }
                    let verdict = theirs.is_valid(&value);
                    assert_eq!(our.is_valid(&value), verdict, "{revision} {name}: {value:#}");
                    *(if verdict { &mut accepted } else { &mut refused }) += 1;
                }
            }
        }
    }
    assert!(accepted > 5000 && refused > 5000, "accepted {accepted}, refused {refused}");
}

/// Messages that the protocol writes, changed at random: both schemas accept and refuse alike.
#[test]
fn messages_are_accepted_and_refused_alike() {
    let Some(officials) = officials() else { return };
    let (mut accepted, mut refused) = (0, 0);
    for (revision, official) in officials {
        let ours = schema(revision, Profile::Plain);
        let mut dice = Dice(1000 + revision as u64);
        let mut validators = HashMap::new();
        for _ in 0..1000 {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let value: Value = serde_json::from_slice(&wire.json).unwrap();
            for (name, value) in judged(&ours, &wire, &value) {
                let mut value = value.clone();
                let (theirs, our) = validators.entry(name.clone()).or_insert_with(|| {
                    (validator(&definition(&official, &name)), validator(&definition(&ours, &name)))
                });
                for round in 0..10 {
                    if round > 0 {
                        mutate(&mut dice, &mut value);
                    }
                    let verdict = theirs.is_valid(&value);
                    assert_eq!(our.is_valid(&value), verdict, "{revision} {name}: {value:#}");
                    *(if verdict { &mut accepted } else { &mut refused }) += 1;
                }
            }
        }
    }
    assert!(accepted > 5000 && refused > 2000, "accepted {accepted}, refused {refused}");
}

/// The definitions that describe a message, with the part of it that they describe.
fn judged<'a>(schema: &Value, wire: &Wire, value: &'a Value) -> Vec<(String, &'a Value)> {
    if value.get("error").is_some() {
        let names = ["JSONRPCError", "JSONRPCErrorResponse"].into_iter();
        return names.filter(|n| definitions(schema).contains_key(*n)).map(|n| (n.to_owned(), value)).collect();
    }
    let Some(request) = message_name(schema, wire) else { return Vec::new() };
    if !wire.is_answer {
        return vec![(request, value)];
    }
    let mut found = vec![("JSONRPCResponse".to_owned(), value)];
    // A tag says that a result is none of the method's own, and a task has its own members.
    let is_own =
        value["result"].get("resultType").is_none_or(|tag| tag == "complete") && value["result"].get("task").is_none();
    let own = format!("{}Result", request.trim_end_matches("Request"));
    if is_own && definitions(schema).contains_key(&own) {
        found.push((own, &value["result"]));
    }
    found
}

/// The definition of the request or notification of a method.
fn message_name(schema: &Value, wire: &Wire) -> Option<String> {
    let is_for = |name: &str, definition: &Value| {
        !name.starts_with("Client") && definition["properties"]["method"]["const"] == wire.method.name()
    };
    definitions(schema).iter().find(|(name, definition)| is_for(name, definition)).map(|(name, _)| name.clone())
}

/// Writes what stands in `allOf` as one object.
fn merge(root: &Value, schema: &mut Value) {
    if let Some(Value::Array(all)) = schema.get_mut("allOf").map(Value::take) {
        let mut merged = json!({ "type": "object", "properties": {} });
        for part in all {
            let part = resolve(root, &part).clone();
            for (key, value) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                merged["properties"][key] = value.clone();
            }
        }
        *schema = merged;
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(|value| merge(root, value)),
        Value::Array(items) => items.iter_mut().for_each(|value| merge(root, value)),
        _ => {}
    }
}

/// Forbids every member that is not named, but in metadata and in schemas of tools, where any may stand.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.get("type") == Some(&json!("object"))
                && members.contains_key("properties")
                && !members.contains_key("additionalProperties")
            {
                members.insert("additionalProperties".to_owned(), false.into());
            }
            let is_free =
                |key: &str| ["_meta", "inputSchema", "outputSchema"].contains(&key) || key.ends_with("MetaObject");
            members.iter_mut().filter(|(key, _)| !is_free(key)).for_each(|(_, value)| close(value));
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

fn resolve<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolve(root, &root[definitions_key(root)][reference.rsplit('/').next().unwrap()]),
        None => schema,
    }
}

/// A definition, and the place of a member in it.
type Place = (String, String);

/// Notes which members of which definitions a value uses.
fn visit(root: &Value, at: &Place, schema: &Value, value: &Value, seen: &mut BTreeSet<Place>) {
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap();
        seen.insert((name.to_owned(), String::new()));
        return visit(root, &(name.to_owned(), String::new()), &definitions(root)[name], value, seen);
    }
    for choice in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
        if may_be(root, choice, value) {
            visit(root, at, choice, value, seen);
        }
    }
    if let (Some(items), Value::Array(values)) = (schema.get("items"), value) {
        values.iter().for_each(|value| visit(root, at, items, value, seen));
    }
    let Value::Object(members) = value else { return };
    for (key, value) in members {
        if let Some(member) = schema.get("properties").and_then(|properties| properties.get(key)) {
            let at = (at.0.clone(), format!("{}.{key}", at.1));
            seen.insert(at.clone());
            visit(root, &at, member, value, seen);
        } else if let Some(rest @ Value::Object(_)) = schema.get("additionalProperties") {
            visit(root, at, rest, value, seen);
        }
    }
}

/// Whether a value has what a choice requires.
fn may_be(root: &Value, choice: &Value, value: &Value) -> bool {
    let choice = resolve(root, choice);
    let required = choice.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    required.clone().all(|key| {
        value.get(key).is_some_and(|held| choice["properties"][key].get("const").is_none_or(|word| word == held))
    })
}

/// The members of the definitions that values could have reached, but did not.
fn unseen(root: &Value, seen: &BTreeSet<Place>) -> Vec<String> {
    fn walk(schema: &Value, at: &Place, seen: &BTreeSet<Place>, missing: &mut Vec<String>) {
        // These are written by parts of a connection, not by the types; and a person writes the members of a schema.
        // The payload of a task is the result of another method.
        let elsewhere = [
            "subscriptionId",
            "related-task",
            "inputSchema.",
            "outputSchema.",
            "requestedSchema.$schema",
            "TaskPayloadResult",
        ];
        for (key, member) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let at = (at.0.clone(), format!("{}.{key}", at.1));
            let place = format!("{}{}", at.0, at.1);
            if !seen.contains(&at) && !elsewhere.iter().any(|part| place.contains(part)) {
                missing.push(place);
            }
            walk(member, &at, seen, missing);
        }
        for choice in schema.get("anyOf").and_then(Value::as_array).into_iter().flatten() {
            walk(choice, at, seen, missing);
        }
        for key in ["items", "additionalProperties"] {
            schema.get(key).into_iter().for_each(|inner| walk(inner, at, seen, missing));
        }
    }
    let mut missing = Vec::new();
    for (name, definition) in definitions(root) {
        if seen.contains(&(name.clone(), String::new())) {
            walk(definition, &(name.clone(), String::new()), seen, &mut missing);
        }
    }
    missing
}

/// The table and the types of the protocol crate say the same: a member that is only in one of them is found here.
#[test]
fn everything_that_the_protocol_writes_is_in_the_table_and_the_other_way_round() {
    for revision in Revision::ALL {
        let mut open = complete_schema(revision, Profile::Lossless);
        // The official schema forgets that a JSON value may be null or a fraction.
        if let Some(any) = open.pointer_mut("/$defs/JSONValue") {
            *any = json!({});
        }
        let whole = without_formats(&open);
        let root = open.clone();
        merge(&root, &mut open[definitions_key(&root)]);
        let mut closed = open.clone();
        close(&mut closed);
        let mut validators = HashMap::new();
        let (mut seen, mut messages) = (BTreeSet::new(), BTreeSet::new());
        let mut dice = Dice(revision as u64);
        for round in 1.. {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let value: Value = serde_json::from_slice(&wire.json).unwrap();
            assert!(whole.is_valid(&value), "{revision} {value:#}");
            messages.insert(wire.method.name());
            for (name, value) in described(&open, &wire, &value) {
                let strict =
                    validators.entry(name.clone()).or_insert_with(|| without_formats(&definition(&closed, &name)));
                if let Err(error) = strict.validate(value) {
                    panic!("{revision} {name}: {error} at {}\n{value:#}", error.instance_path());
                }
                visit(
                    &open,
                    &(name.clone(), String::new()),
                    &json!({ "$ref": format!("#/x/{name}") }),
                    value,
                    &mut seen,
                );
            }
            if round % 500 == 0 {
                let missing = unseen(&open, &seen);
                assert!(round < 20_000 || missing.is_empty(), "{revision}: the protocol never writes {missing:?}");
                if missing.is_empty() {
                    break;
                }
            }
        }
        let methods = jackfield_protocol::Method::TABLE.iter().filter(|row| row.method.is_defined(revision)).count();
        assert_eq!(messages.len(), methods, "{revision}");
    }
}

/// The definitions of a message with their part of it; results by their tag.
fn described<'a>(schema: &Value, wire: &Wire, value: &'a Value) -> Vec<(String, &'a Value)> {
    let Some(result) = value.get("result") else { return judged(schema, wire, value) };
    let name = match result.get("resultType").and_then(Value::as_str) {
        Some("input_required") => "InputRequiredResult".to_owned(),
        Some("task") => "TaskHandle".to_owned(),
        _ if result.get("task").is_some() => "CreateTaskResult".to_owned(),
        _ => {
            let request = message_name(schema, wire).unwrap();
            let own = format!("{}Result", request.trim_end_matches("Request"));
            if definitions(schema).contains_key(&own) { own } else { "EmptyResult".to_owned() }
        }
    };
    vec![(name, result)]
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

    // In the plain profile, which is the building block's, nothing but the IRI: of every member at every depth.
    fn annotated_members(schema: &Value, names_are_free: bool, count: &mut usize) {
        let Value::Object(members) = schema else {
            schema.as_array().into_iter().flatten().for_each(|item| annotated_members(item, false, count));
            return;
        };
        for (key, value) in members {
            if names_are_free {
                assert_eq!(value["x-jsonld-id"], format!("{VOCABULARY}{key}"));
                assert!(value.get("x-jsonld-container").is_none() && value.get("x-jsonld-type").is_none());
                *count += 1;
            }
            annotated_members(value, key == "properties" && !names_are_free, count);
        }
    }
    for (revision, least) in Revision::ALL.into_iter().zip([200, 220, 300, 450, 400]) {
        let mut count = 0;
        let plain = schema(revision, Profile::Plain);
        definitions(&plain).values().for_each(|definition| annotated_members(definition, false, &mut count));
        assert!(count > least, "{revision}: {count}");
    }
}

#[test]
fn a_revision_has_only_what_it_knows() {
    for (revision, name, known) in [
        ("2024-11-05", "AudioContent", false),
        ("2025-03-26", "AudioContent", true),
        ("2025-03-26", "JSONRPCBatchRequest", true),
        ("2025-06-18", "JSONRPCBatchRequest", false),
        ("2025-06-18", "CallToolRequestParams", false),
        ("2025-11-25", "CallToolRequestParams", true),
        ("2025-11-25", "Task", true),
        ("2026-07-28", "Task", false),
        ("2026-07-28", "DetailedTask", false),
        ("2026-07-28", "DiscoverRequest", true),
        ("2026-07-28", "InitializeRequest", false),
    ] {
        let schema = schema(revision.parse().unwrap(), Profile::Plain);
        assert_eq!(definitions(&schema).contains_key(name), known, "{revision} {name}");
    }
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
            if !definitions(&ours).contains_key(&name) {
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
    assert!(checked > 80, "{checked}");
}
