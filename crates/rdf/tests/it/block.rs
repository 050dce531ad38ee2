//! The building blocks: whole, and true to the schemas and shapes that they bring.

use std::collections::BTreeSet;

use jackfield_protocol::{Kind, Method, Revision};
use jackfield_rdf::{CONTEXT_URL, Decoder, File, Profile, Syntax, Validator, complete_schema, files};
use serde_json::Value;

use crate::graph::{canonical, read};

/// The folder of a revision's block.
fn folder(revision: Revision) -> String {
    match revision {
        Revision::V2025_06_18 => "mcp".to_owned(),
        other => format!("mcp-{other}"),
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
    for block in Revision::ALL.map(folder).into_iter().chain(["json-rpc".to_owned()]) {
        let sources = format!("_sources/{block}");
        for name in ["bblock.json", "description.md", "schema.yaml", "context.jsonld", "shapes.ttl", "examples.yaml"] {
            assert!(paths.contains(format!("{sources}/{name}").as_str()), "{block}/{name}");
        }
        let metadata = json(&files, &format!("{sources}/bblock.json"));
        for member in ["name", "abstract", "status", "dateTimeAddition", "itemClass", "version"] {
            assert!(metadata[member].is_string(), "{block} {member}");
        }
        for (name, member) in [("schema.yaml", "schema"), ("ontology.ttl", "ontology")] {
            // The tool of the register refuses a block in which two files could be meant.
            let stem = name.split('.').next().unwrap();
            let same = paths.iter().filter(|path| path.starts_with(&format!("{sources}/{stem}."))).count();
            assert!(same + usize::from(metadata.get(member).is_some()) <= 1, "{block} {member}");
        }
        for name in ["schema.yaml", "schema.json", "context.jsonld"] {
            assert!(paths.contains(format!("build/annotated/{block}/{name}").as_str()), "{block}/{name}");
        }
        let page = text(&files, &format!("build/generateddocs/markdown/{block}/index.md"));
        for part in ["## Examples", "```mermaid\nclassDiagram", "## Schema", "# JSON-LD Context", "## Sources"] {
            assert!(page.contains(part), "{block}: {part}");
        }
        read(text(&files, &format!("{sources}/shapes.ttl")), Syntax::Turtle);
        check_references(&files, &block);
    }
    for path in ["_sources/mcp/ontology.ttl", "build/annotated/mcp/ontology.ttl", "bblocks-config.yaml"] {
        assert!(paths.contains(path), "{path}");
    }
}

/// The files and definitions that the list of examples names are there, and each example is valid under its definition.
fn check_references(files: &[File], block: &str) {
    let schema = json(files, &format!("build/annotated/{block}/schema.json"));
    let key = if schema.get("$defs").is_some() { "$defs" } else { "definitions" };
    let list = text(files, &format!("_sources/{block}/examples.yaml"));
    let values = |key: &str| {
        let key = format!("{key}: ");
        list.lines()
            .filter_map(|line| line.trim().strip_prefix(&key))
            .map(|v| v.trim_matches('"').to_owned())
            .collect::<Vec<_>>()
    };
    let (references, definitions) = (values("ref"), values("schema-ref"));
    assert!(references.len() >= 12 && definitions.len() * 3 == references.len() * 2, "{block}");
    for path in &references {
        text(files, &format!("_sources/{block}/{path}"));
    }
    let mut validators = std::collections::HashMap::new();
    let documents = references.iter().filter(|path| !path.ends_with(".ttl"));
    for (path, pointer) in documents.zip(&definitions) {
        let validator = validators.entry(pointer.as_str()).or_insert_with(|| {
            let mut whole = schema.clone();
            // The reference to the block of JSON-RPC would have to be fetched.
            whole[key]["ProgressToken"] = serde_json::json!({ "type": ["string", "integer"] });
            whole["$ref"] = pointer.as_str().into();
            jsonschema::options().build(&whole).unwrap()
        });
        assert!(validator.is_valid(&json(files, &format!("_sources/{block}/{path}"))), "{block} {path} {pointer}");
    }
}

/// The block of JSON-RPC stands alone; the others take the progress token from it, under the published address.
#[test]
fn the_blocks_of_the_protocol_refer_to_that_of_json_rpc() {
    let files = files().unwrap();
    let base = CONTEXT_URL.strip_suffix("mcp/context.jsonld").unwrap();
    let target = json(&files, "build/annotated/json-rpc/schema.json");
    assert_eq!(target["definitions"]["ProgressToken"]["$id"], "#ProgressToken");
    assert_eq!(target["definitions"]["ProgressToken"]["$anchor"], "ProgressToken");
    assert!(target["definitions"].get("Tool").is_none() && target["definitions"].get("JSONRPCRequest").is_some());
    for revision in Revision::ALL {
        let schema = json(&files, &format!("build/annotated/{}/schema.json", folder(revision)));
        let definitions = schema.get("definitions").or(schema.get("$defs")).unwrap();
        assert_eq!(definitions["ProgressToken"]["$ref"], format!("{base}json-rpc/schema.yaml#ProgressToken"));
        let metadata = json(&files, &format!("_sources/{}/bblock.json", folder(revision)));
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
        let block = format!("_sources/{}", folder(revision));
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
