//! The direct writers say the same as the general path, which is JSON-LD read by a JSON-LD processor.

use jackfield_protocol::Revision;
use jackfield_rdf::{Encoder, Options, Profile, Syntax};
use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{Dice, message};
use crate::graph::{canonical, read};

#[track_caller]
fn check(json: &[u8], profile: Profile) {
    let options = || Options { profile, ..Options::default() };
    let write = |syntax| Encoder::new(syntax, options()).document(json).unwrap();
    let general = write(Syntax::JsonLd);
    let quads = read(&general, Syntax::JsonLd);
    let count = quads.len();
    let expected = canonical(quads);
    for syntax in [Syntax::NQuads, Syntax::NTriples, Syntax::Turtle, Syntax::Expanded] {
        let text = write(syntax);
        let quads = read(&text, syntax);
        assert!(profile == Profile::Plain || quads.len() == count, "{syntax}: {text}\n{general}");
        assert_eq!(canonical(quads), expected, "{syntax}: {text}\n{general}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn direct_writers_and_json_ld_give_the_same_graph(seed: u64) {
        let mut dice = Dice(seed);
        for revision in Revision::ALL {
            let Some(wire) = message(&mut dice, revision) else { continue };
            // Canonical names cost exponential time where many nodes look alike, such as empty objects.
            if wire.json.len() > 1500 { continue }
            let plain = !has_number_of_21_digits(&serde_json::from_slice(&wire.json).unwrap());
            for profile in plain.then_some(Profile::Plain).into_iter().chain([Profile::Lossless, Profile::Json]) {
                check(&wire.json, profile);
            }
        }
    }
}

/// JSON-LD takes numbers below 10^21 as integers, and so do we; oxjsonld 0.2.7 does so only below 10^20.
fn has_number_of_21_digits(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.as_f64().is_some_and(|n| (1e20..1e21).contains(&n.abs())),
        Value::Array(items) => items.iter().any(has_number_of_21_digits),
        Value::Object(members) => members.values().any(has_number_of_21_digits),
        _ => false,
    }
}

#[test]
fn a_call_of_200_bytes_gives_the_same_graph() {
    for profile in [Profile::Plain, Profile::Lossless, Profile::Json] {
        check(include_bytes!("../data/call.json"), profile);
    }
}

/// N-Quads without nulls, lists and odd names is written the same way each time: this is what the fast path gives.
#[test]
fn a_call_is_written_line_by_line() {
    let json =
        br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a\"b","arguments":{"n":1.5,"t":true}}}"#;
    let options = Options { graphs: Some("urn:example:".to_owned()), ..Options::default() };
    let text = Encoder::new(Syntax::NQuads, options).document(json).unwrap();
    let mcp = "http://modelcontextprotocol.io/ontology#";
    let xsd = "http://www.w3.org/2001/XMLSchema#";
    let expected = format!(
        "_:m1n1 <{mcp}id> \"1\"^^<{xsd}integer> <urn:example:1> .\n\
         _:m1n1 <{mcp}jsonrpc> \"2.0\" <urn:example:1> .\n\
         _:m1n1 <{mcp}method> \"tools/call\" <urn:example:1> .\n\
         _:m1n1 <{mcp}params> _:m1n2 <urn:example:1> .\n\
         _:m1n2 <{mcp}arguments> _:m1n3 <urn:example:1> .\n\
         _:m1n3 <{mcp}n> \"1.5E0\"^^<{xsd}double> <urn:example:1> .\n\
         _:m1n3 <{mcp}t> \"true\"^^<{xsd}boolean> <urn:example:1> .\n\
         _:m1n2 <{mcp}name> \"a\\\"b\" <urn:example:1> .\n"
    );
    assert_eq!(text, expected);
}
