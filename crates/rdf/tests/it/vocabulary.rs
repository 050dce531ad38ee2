//! Contexts: embedded, never fetched.

use jackfield_rdf::{CONTEXT_URL, Context, Decoder, Encoder, Options, Syntax, VOCABULARY, context, decode};
use serde_json::{Value, json};

const MESSAGE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;

#[test]
fn the_context_is_the_vocabulary() {
    assert_eq!(context()["@context"]["@vocab"], VOCABULARY);
    assert_eq!(context()["@context"]["@version"], 1.1);
}

#[test]
fn the_context_is_named_or_stands_in_the_message() {
    let text = Encoder::new(Syntax::JsonLd, Options::default()).document(MESSAGE).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document, json!({ "@context": CONTEXT_URL, "jsonrpc": "2.0", "id": 1, "method": "tools/list" }));

    let options = Options { context: Context::Inline, ..Options::default() };
    let text = Encoder::new(Syntax::JsonLd, options).document(MESSAGE).unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(document["@context"], context()["@context"]);
    assert_eq!(decode(text.as_bytes(), Syntax::JsonLd).unwrap().len(), 1);
}

#[test]
fn no_context_is_fetched() {
    let text = r#"{"@context":"https://example.com/context.jsonld","jsonrpc":"2.0","method":"m"}"#;
    let error = decode(text.as_bytes(), Syntax::JsonLd).unwrap_err();
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("example.com"), "{cause}");
    let mut decoder = Decoder::new(Syntax::JsonLd).knowing("https://example.com/context.jsonld");
    assert_eq!(decoder.messages(text.as_bytes()).unwrap(), [json!({ "jsonrpc": "2.0", "method": "m" })]);
}

/// A peer's arguments must not be able to name subjects or change the context.
#[test]
fn keywords_of_json_ld_within_a_message_are_data() {
    let message = json!({ "jsonrpc": "2.0", "method": "m", "params": { "arguments": {
        "@id": "http://example.com/victim", "@context": { "@vocab": "http://example.com/" }, "a": 1,
        "@type": "x", "b:c": 2, "mcp": 3, "": 4, "two words": null, "otherMembers": 5,
    } } });
    for syntax in [Syntax::Turtle, Syntax::NTriples, Syntax::NQuads, Syntax::JsonLd, Syntax::Expanded] {
        for profile in [jackfield_rdf::Profile::Lossless, jackfield_rdf::Profile::Json] {
            let options = Options { profile, ..Options::default() };
            let text = Encoder::new(syntax, options).document(message.to_string().as_bytes()).unwrap();
            assert!(!text.contains("<http://example.com"), "{text}");
            assert_eq!(decode(text.as_bytes(), syntax).unwrap(), std::slice::from_ref(&message), "{text}");
        }
    }
}

#[test]
fn broken_graphs_are_refused() {
    let prefix = "@prefix mcp: <http://modelcontextprotocol.io/ontology#> .
        @prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . ";
    for text in [
        "_:a mcp:x _:a .",
        "[] mcp:x _:a . _:a mcp:y _:b . _:b mcp:z _:a .",
        "[] mcp:x _:a . _:a rdf:first 1 ; rdf:rest _:a .",
        "[] mcp:x _:a . _:a rdf:first 1 .",
        "[] mcp:x \"one\"^^xsd:integer .",
        "[] mcp:x \"{\"^^rdf:JSON .",
        "[] mcp:x \"INF\"^^xsd:double .",
        "nonsense",
    ] {
        assert!(decode(format!("{prefix}{text}").as_bytes(), Syntax::Turtle).is_err(), "{text}");
    }
}

#[test]
fn turtle_of_others_is_read() {
    let text = "@prefix mcp: <http://modelcontextprotocol.io/ontology#> .
        <http://example.com/m> a mcp:Request ; mcp:jsonrpc '2.0' ; mcp:id 7 ; mcp:method \"\"\"ping\"\"\" ;
            mcp:params [ mcp:half 0.5 ; mcp:many 1, 2 ; mcp:none () ; mcp:link <http://example.com/x> ] .";
    let expected = json!({ "jsonrpc": "2.0", "id": 7, "method": "ping",
        "params": { "half": 0.5, "many": [1, 2], "none": [], "link": "http://example.com/x" } });
    assert_eq!(decode(text.as_bytes(), Syntax::Turtle).unwrap(), [expected]);
}
