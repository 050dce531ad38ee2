//! SHACL: what the protocol writes conforms to the shapes, and what is broken is found.

use jackfield_protocol::Revision;
use jackfield_rdf::{Encoder, Error, Options, Profile, Syntax, Validator, shapes};
use serde_json::{Value, json};

use crate::generate::{Dice, message};

const PROFILES: [Profile; 3] = [Profile::Plain, Profile::Lossless, Profile::Json];

#[test]
fn messages_of_all_revisions_conform_in_every_profile() {
    for revision in Revision::ALL {
        for profile in PROFILES {
            let validator = Validator::new(revision, profile).unwrap();
            let mut dice = Dice(77 + revision as u64);
            let mut checked = 0;
            for _ in 0..150 {
                let Some(wire) = message(&mut dice, revision) else { continue };
                let options = Options { profile, ..Options::default() };
                let text = Encoder::new(Syntax::NQuads, options).document(&wire.json).unwrap();
                let found = validator.validate(text.as_bytes(), Syntax::NQuads).unwrap();
                let value: Value = serde_json::from_slice(&wire.json).unwrap();
                assert!(found.violations.is_empty(), "{revision} {profile:?} {}\n{value:#}", found.violations[0]);
                checked += found.messages;
            }
            assert!(checked > 80, "{checked}");
        }
    }
}

/// Checks messages of the revision of the building block; returns the rule and the path of each violation, of choices that of the
/// detail.
fn broken(profile: Profile, messages: &[Value]) -> Vec<(u64, String, String)> {
    let text: String = messages.iter().map(|message| format!("{message}\n")).collect();
    let validator = Validator::new(Revision::V2025_06_18, profile).unwrap();
    let found = validator.validate(text.as_bytes(), Syntax::Json).unwrap();
    let inner = |violation: &jackfield_rdf::Violation| {
        let mut at = violation.clone();
        while let Some(detail) = at.details.first().cloned() {
            at = detail;
        }
        (violation.message.unwrap_or_default(), at.rule.to_owned(), at.path.unwrap_or_default())
    };
    found.violations.iter().map(inner).collect()
}

#[test]
fn broken_messages_are_reported_with_the_message_and_the_rule() {
    let call = |params: Value| json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    for (message, rule, path) in [
        (call(json!({ "arguments": {} })), "sh:minCount", "name"),
        (call(json!({ "name": 5 })), "sh:datatype", "name"),
        (call(json!({ "name": "a", "arguments": "text" })), "sh:nodeKind", "arguments"),
        (json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call" }), "sh:minCount", "params"),
        (json!({ "jsonrpc": "2.0", "id": true, "method": "ping" }), "sh:datatype", ""),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "logging/setLevel", "params": { "level": "loud" } }),
            "sh:in",
            "level",
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": { "maxTokens": 1, "messages": [
                { "role": "user", "content": { "type": "text" } }] } }),
            "sh:minCount",
            "text",
        ),
        (
            json!({ "jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": { "maxTokens": 1, "messages": [],
                "modelPreferences": { "costPriority": 1.5 } } }),
            "sh:maxInclusive",
            "costPriority",
        ),
    ] {
        for profile in PROFILES {
            let found = broken(profile, std::slice::from_ref(&message));
            // In the profile json, what is free-form is one literal.
            let rule = if profile == Profile::Json && path == "arguments" { "sh:datatype" } else { rule };
            assert!(
                found.iter().any(|(n, r, p)| *n == 1 && r == rule && p == path),
                "{profile:?} {message}: {found:?}"
            );
        }
    }
}

#[test]
fn a_result_is_checked_by_the_request_that_it_answers() {
    let request = json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "a" } });
    let good = json!({ "jsonrpc": "2.0", "id": 3, "result": { "content": [{ "type": "text", "text": "x" }] } });
    let bad = json!({ "jsonrpc": "2.0", "id": 3, "result": { "content": [{ "type": "text", "text": 7 }] } });
    for profile in PROFILES {
        assert_eq!(broken(profile, &[request.clone(), good.clone()]), []);
        let found = broken(profile, &[request.clone(), bad.clone()]);
        assert_eq!(found, [(2, "sh:datatype".to_owned(), "text".to_owned())], "{profile:?}");
        // Without the request nothing says what the result should be, and two requests of one id say two things.
        assert_eq!(broken(profile, std::slice::from_ref(&bad)), []);
        let other = json!({ "jsonrpc": "2.0", "id": 3, "method": "prompts/get", "params": { "name": "a" } });
        assert_eq!(broken(profile, &[request.clone(), other, bad.clone()]), []);
    }
}

#[test]
fn shapes_that_use_more_than_is_known_are_refused() {
    let validator = || Validator::new(Revision::LATEST, Profile::Plain).unwrap();
    let prefix =
        "@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix mcp: <http://modelcontextprotocol.io/ontology#> . ";
    let text = format!("{prefix} mcp:S a sh:NodeShape ; sh:targetSubjectsOf mcp:x ; sh:closed true .");
    assert!(matches!(validator().with_shapes(&text), Err(Error::UnknownShape(_))));
    assert!(validator().with_shapes("nonsense").is_err());

    let text = format!(
        "{prefix} mcp:S a sh:NodeShape ; sh:targetClass mcp:A ; sh:property [ sh:path mcp:x ; sh:minCount 2 ] ."
    );
    let other = validator().with_shapes(&text).unwrap();
    let data = format!("{prefix} <urn:a> a mcp:A ; mcp:x 1 . <urn:b> a mcp:A ; mcp:x 1, 2 . <urn:c> mcp:x 1 .");
    let found = other.validate(data.as_bytes(), Syntax::Turtle).unwrap();
    assert_eq!((found.messages, found.violations.len()), (0, 1));
    assert_eq!(found.violations[0].path.as_deref(), Some("x"));
}

/// Every shape that is named is there.
#[test]
fn shapes_refer_to_shapes() {
    for revision in Revision::ALL {
        for profile in PROFILES {
            let quads = crate::graph::read(&shapes(revision, profile), Syntax::Turtle);
            let prefix = format!("<http://modelcontextprotocol.io/shapes/{revision}#");
            let subjects: std::collections::BTreeSet<String> = quads.iter().map(|q| q.subject.to_string()).collect();
            let named = quads.iter().map(|q| q.object.to_string()).filter(|object| object.starts_with(&prefix));
            for object in named {
                assert!(subjects.contains(&object), "{revision} {object}");
            }
            assert!(subjects.iter().filter(|subject| subject.starts_with(&prefix)).count() > 300);
        }
    }
}
