//! Message → RDF → message is the identity, for messages of all revisions in every syntax.

use jackfield_protocol::envelope::Message;
use jackfield_protocol::{ClientRequest, Method, Notification, Revision, ServerRequest};
use jackfield_rdf::{Context, Encoder, Options, Profile, Syntax, decode};
use proptest::prelude::*;
use serde_json::Value;

use crate::generate::{Dice, Wire, message};

const SYNTAXES: [Syntax; 5] = [Syntax::Turtle, Syntax::NTriples, Syntax::NQuads, Syntax::JsonLd, Syntax::Expanded];

fn there_and_back(json: &[u8], syntax: Syntax, options: Options) -> Value {
    let text = Encoder::new(syntax, options).document(json).unwrap();
    let mut messages = decode(text.as_bytes(), syntax).unwrap_or_else(|e| panic!("{e:?}: {text}"));
    assert_eq!(messages.len(), 1, "{text}");
    messages.remove(0)
}

/// Reads the parameters of a request or notification as their type and returns that as text.
fn typed(wire: &Wire, json: &[u8]) -> String {
    let method = wire.method.name();
    let read = |params: Option<&[u8]>| match wire.method.row().kind {
        jackfield_protocol::Kind::Notification => format!("{:?}", Notification::read(method, params).unwrap()),
        _ if matches!(wire.method, Method::CreateMessage | Method::ListRoots | Method::Elicit) => {
            format!("{:?}", ServerRequest::read(method, params).unwrap())
        }
        _ => format!("{:?}", ClientRequest::read(method, params).unwrap()),
    };
    let message: Value = serde_json::from_slice(json).unwrap();
    let params = message.get("params").map(Value::to_string);
    // The envelope of the protocol reads it as well.
    Message::read(&json.to_vec().into(), 0).unwrap();
    read(params.as_ref().map(String::as_bytes))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_message_of_every_revision_survives(seed: u64) {
        let mut dice = Dice(seed);
        for revision in Revision::ALL {
            let Some(wire) = message(&mut dice, revision) else { continue };
            let expected: Value = serde_json::from_slice(&wire.json).unwrap();
            for syntax in SYNTAXES {
                for profile in [Profile::Lossless, Profile::Json] {
                    let context = if dice.coin() { Context::Inline } else { Context::default() };
                    let options = Options { profile, context, graphs: None };
                    let back = there_and_back(&wire.json, syntax, options);
                    prop_assert_eq!(&back, &expected, "{} {:?}", syntax, profile);
                    if !wire.is_answer {
                        let sorted = serde_json::to_vec(&expected).unwrap();
                        prop_assert_eq!(typed(&wire, back.to_string().as_bytes()), typed(&wire, &sorted));
                    }
                }
            }
        }
    }

    #[test]
    fn any_json_object_survives(seed: u64) {
        let mut dice = Dice(seed);
        let mut object = dice.object(6);
        object.insert("jsonrpc".to_owned(), "2.0".into());
        let expected = Value::Object(object);
        for syntax in SYNTAXES {
            for profile in [Profile::Lossless, Profile::Json] {
                let options = Options { profile, ..Options::default() };
                let back = there_and_back(expected.to_string().as_bytes(), syntax, options);
                prop_assert_eq!(&back, &expected, "{} {:?}", syntax, profile);
            }
        }
    }
}
