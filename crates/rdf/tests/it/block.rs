//! The building blocks: whole, and true to the schemas and shapes that they bring.

use std::collections::BTreeSet;

use jackfield_protocol::{Kind, Method, Revision};
use jackfield_rdf::{CONTEXT_URL, Decoder, File, Profile, Syntax, Validator, complete_schema, files};
use serde_json::Value;

use crate::graph::{canonical, read};

/// The folder of a revision's block.
fn folder(revision: Revision) -> String {
    match revision {
        Revision::V2025_06_18 => "_sources/mcp".to_owned(),
        other => format!("_sources/mcp-{other}"),
    }
}

fn text<'a>(files: &'a [File], path: &str) -> &'a str {
    &files.iter().find(|file| file.path == path).unwrap_or_else(|| panic!("{path}")).text
}

fn json(files: &[File], path: &str) -> Value {
    serde_json::from_str(text(files, path)).unwrap()
}

#[test]
fn every_block_has_its_files() {
    let files = files().unwrap();
    let paths: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths.len(), files.len(), "a path twice");
    let blocks = Revision::ALL.map(folder).into_iter().chain(["_sources/json-rpc".to_owned()]);
    for block in blocks {
        for name in [
            "bblock.json",
            "description.md",
            "schema.yaml",
            "schema.json",
            "context.jsonld",
            "shapes.ttl",
            "examples.yaml",
            "index.md",
        ] {
            assert!(paths.contains(format!("{block}/{name}").as_str()), "{block}/{name}");
        }
        let metadata = json(&files, &format!("{block}/bblock.json"));
        for member in ["name", "abstract", "status", "dateTimeAddition", "itemClass", "version"] {
            assert!(metadata[member].is_string(), "{block} {member}");
        }
        let page = text(&files, &format!("{block}/index.md"));
        for part in ["## Examples", "```mermaid\nclassDiagram", "## Schema", "# JSON-LD Context", "## Sources"] {
            assert!(page.contains(part), "{block}: {part}");
        }
        read(text(&files, &format!("{block}/shapes.ttl")), Syntax::Turtle);
    }
    assert!(paths.contains("_sources/mcp/ontology.ttl") && paths.contains("bblocks-config.yaml"));
}

/// The block of JSON-RPC stands alone; the others take the progress token from it, under the published address.
#[test]
fn the_blocks_of_the_protocol_refer_to_that_of_json_rpc() {
    let files = files().unwrap();
    let base = CONTEXT_URL.strip_suffix("mcp/context.jsonld").unwrap();
    let target = json(&files, "_sources/json-rpc/schema.json");
    assert_eq!(target["definitions"]["ProgressToken"]["$id"], "#ProgressToken");
    assert!(target["definitions"].get("Tool").is_none() && target["definitions"].get("JSONRPCRequest").is_some());
    for revision in Revision::ALL {
        let schema = json(&files, &format!("{}/schema.json", folder(revision)));
        let definitions = schema.get("definitions").or(schema.get("$defs")).unwrap();
        assert_eq!(definitions["ProgressToken"]["$ref"], format!("{base}json-rpc/schema.yaml#ProgressToken"));
        let metadata = json(&files, &format!("{}/bblock.json", folder(revision)));
        assert_eq!(metadata["dependsOn"][0], "mcp.json-rpc");
    }
}

/// Every message of every revision has an example: valid, the same graph in all forms, conforming to the shapes.
#[test]
fn every_message_has_an_example_that_is_valid() {
    let files = files().unwrap();
    for revision in Revision::ALL {
        let validator = jsonschema::options().build(&complete_schema(revision, Profile::Plain)).unwrap();
        let shapes = Validator::new(revision, Profile::Plain).unwrap();
        let block = folder(revision);
        let prefix = format!("{block}/examples/");
        let names: Vec<&str> =
            files.iter().filter_map(|file| file.path.strip_prefix(&prefix)?.strip_suffix(".json")).collect();
        for row in Method::TABLE.iter().filter(|row| row.method.is_defined(revision)) {
            let name = row.name.replace('/', "_");
            assert!(names.contains(&name.as_str()), "{revision} {name}");
            let has_answer = names.contains(&format!("{name}.answer").as_str());
            assert_eq!(has_answer, row.kind == Kind::Request, "{revision} {name}");
        }
        for name in names {
            let message = json(&files, &format!("{prefix}{name}.json"));
            if let Err(error) = validator.validate(&message) {
                panic!("{revision} {name}: {error} at {}\n{message:#}", error.instance_path());
            }
            let turtle = text(&files, &format!("{prefix}{name}.ttl"));
            let json_ld = text(&files, &format!("{prefix}{name}.jsonld"));
            let graph = canonical(read(turtle, Syntax::Turtle));
            assert_eq!(canonical(read(json_ld, Syntax::JsonLd)), graph, "{revision} {name}");
            let found = shapes.validate(turtle.as_bytes(), Syntax::Turtle).unwrap();
            assert!(found.violations.is_empty() && found.messages == 1, "{revision} {name}: {:?}", found.violations);
            check_result(revision, name, &message);
            if message.get("method").is_some() {
                let back = Decoder::new(Syntax::Turtle).plain().messages(turtle.as_bytes()).unwrap();
                assert_eq!(back, [message], "{revision} {name}");
            }
        }
    }
}

/// An answer is judged by the definition of its method's result, too.
fn check_result(revision: Revision, name: &str, message: &Value) {
    let Some(method) = name.strip_suffix(".answer") else { return };
    let schema = complete_schema(revision, Profile::Plain);
    let key = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    let is_for = |definition: &Value| {
        definition["properties"]["method"]["const"].as_str().is_some_and(|word| word.replace('/', "_") == method)
    };
    let request = schema[key].as_object().unwrap().iter().find(|(_, definition)| is_for(definition)).unwrap().0;
    let result = format!("{}Result", request.trim_end_matches("Request"));
    let result = if schema[key].get(&result).is_some() { result } else { "EmptyResult".to_owned() };
    let mut schema = schema.clone();
    schema.as_object_mut().unwrap().remove("anyOf");
    schema["$ref"] = format!("#/{key}/{result}").into();
    let validator = jsonschema::options().build(&schema).unwrap();
    if let Err(error) = validator.validate(&message["result"]) {
        panic!("{revision} {name}: {error} at {}\n{message:#}", error.instance_path());
    }
}
