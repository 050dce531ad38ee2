//! Linked data.

use crate::run::{Folder, JACKFIELD, OWN_CONFIG, jackfield, with_demo};

#[test]
fn a_server_is_described_as_a_graph() {
    let graph = with_demo(&["rdf", "catalogue", "--to", "ntriples"]).ok();
    for tool in ["echo", "get-sum", "trigger-long-running-operation", "get-structured-content-list"] {
        assert!(graph.contains(&format!("\"{tool}\"")), "{tool} is missing");
    }
    assert!(graph.contains("\"mcp-servers/everything\"") && graph.contains("<urn:mcp:command:"));
    let folder = Folder::new();
    let server =
        format!(r#"{{"mcpServers": {{"demo": {{"command": {JACKFIELD:?}, "args": ["serve", "everything"]}}}}}}"#);
    folder.write(OWN_CONFIG, &server);
    let named = folder.jackfield(&["rdf", "catalogue", "demo", "--to", "ntriples", "--iri", "urn:x:demo"], &[]).ok();
    assert!(named.starts_with("<urn:x:demo> "), "{named}");
}

#[test]
fn messages_are_converted_there_and_back() {
    let message =
        r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":[1,2],"b":"x"}}}"#;
    let turtle = jackfield(&["rdf", "convert", "--to", "turtle"], message).ok();
    let back = jackfield(&["rdf", "convert", "--from", "turtle", "--to", "json"], &turtle).json();
    assert_eq!(back, serde_json::from_str::<serde_json::Value>(message).unwrap());
}

#[test]
fn bad_lines_are_counted_and_do_not_stop_the_rest() {
    let input = "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\nnonsense\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n";
    let ran = jackfield(&["rdf", "convert", "--to", "nquads"], input);
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("-:2:") && ran.err.contains("1 of 3 messages"), "{}", ran.err);
    assert_eq!(ran.out.matches("\"ping\"").count(), 2);
}

#[test]
fn schemas_contexts_and_the_ontology_are_written() {
    assert!(jackfield(&["rdf", "schema", "--revision", "2025-06-18"], "").ok().contains("x-jsonld-"));
    assert!(jackfield(&["rdf", "context"], "").ok().contains("@context"));
    assert!(jackfield(&["rdf", "ontology"], "").ok().contains("rdfs:label"));
    assert!(jackfield(&["rdf", "schema", "--format", "yaml"], "").ok().contains("\n  CallToolRequest:\n"));
    assert!(jackfield(&["rdf", "shapes"], "").ok().contains("sh:NodeShape"));
    let folder = Folder::new();
    folder.jackfield(&["rdf", "block", "--out", "register"], &[]).ok();
    assert!(folder.path().join("register/_sources/mcp/bblock.json").is_file());
    let schema = folder.jackfield(&["rdf", "schema", "--revision", "2025-06-18", "--profile", "plain"], &[]).ok();
    assert!(schema.contains("\"PaginatedResult\""));
}

#[test]
fn violations_of_shapes_end_the_command_with_a_failure() {
    let good = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add"}}"#;
    let words = ["rdf", "validate", "--from", "json", "--revision", "2025-06-18"];
    assert_eq!(jackfield(&words, good).ok(), "");
    let ran = jackfield(&words, &good.replace("\"add\"", "7"));
    assert!(ran.code == Some(1) && ran.out.contains("sh:datatype"), "{ran:?}");
    assert!(ran.err.contains("1 violations in 1 messages"), "{ran:?}");
}

#[test]
fn a_tape_becomes_a_dataset() {
    let tape = concat!(
        r#"{"tape":1,"at":"2026-07-28T12:00:00.000Z"}"#,
        "\n",
        r#"{"ms":1.5,"from":"client","over":"stdio","session":"1","message":{"jsonrpc":"2.0","id":1,"method":"ping"}}"#,
        "\n"
    );
    let quads = jackfield(&["rdf", "tape", "-", "--iri", "urn:x:tape"], tape).ok();
    assert!(quads.contains("\"ping\" <urn:x:tape#message/1> ."), "{quads}");
}

#[test]
fn what_is_not_understood_is_explained() {
    let ran = jackfield(&["rdf", "convert", "/no/such/file"], "");
    assert!(ran.code == Some(1) && ran.err.contains("No such file"), "{ran:?}");
    let ran = with_demo(&["rdf", "catalogue", "--iri", "no iri"]);
    assert!(ran.code == Some(2) && ran.err.contains("--iri"), "{ran:?}");
}
