//! What a revision that does not exist yet may say: it is read, passed on, and kept from older peers.

use jackfield_protocol::envelope::Message;
use jackfield_protocol::*;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::schema::Official;

const SMELL: &str = "smell";

/// Reads a result as a client does that agreed on a revision.
fn received<T: ResultBody + serde::de::DeserializeOwned>(result: &Value, sender: Revision) -> T {
    let mut result = result.clone();
    if sender.tags_results() {
        result["resultType"] = "complete".into();
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "result": result}).to_string();
    let Ok(Message::Answer(answer)) = Message::read(&message.into(), 1) else { panic!("{result}") };
    match Outcome::read_text(&answer.outcome.unwrap(), sender) {
        Ok(Outcome::Complete(result)) => result,
        other => panic!("{:?}", other.err()),
    }
}

/// Writes a result as a server does, and takes the tag off.
fn passed_on(result: impl Into<AnyResult>, receiver: Revision) -> Value {
    let mut out = Vec::new();
    write_result(&mut out, Outcome::Complete(result.into()), receiver, None).unwrap();
    let mut written: Value = serde_json::from_slice(&out).unwrap();
    written.as_object_mut().unwrap().remove("resultType");
    written
}

/// Passes a result between any two revisions. Peers that are not older than the sender get what came; for the others nothing of the
/// invention is left, and the rest is valid.
fn check<T>(definition: &str, original: &Value)
where
    T: ResultBody + serde::de::DeserializeOwned + Into<AnyResult>,
{
    for receiver in Revision::ALL {
        let mut official = Official::load(receiver);
        for sender in Revision::ALL {
            let written = passed_on(received::<T>(original, sender), receiver);
            if receiver == sender && receiver == Revision::LATEST {
                assert_eq!(&written, original);
            }
            let text = written.to_string();
            assert_eq!(text.contains("invented"), receiver >= sender, "{sender} to {receiver}: {text}");
            if receiver < sender {
                assert!(!text.contains(r#""type":"smell""#), "{sender} to {receiver}: {text}");
                if let Some(official) = &mut official {
                    assert_eq!(official.judge(definition, &written), [""; 0], "{sender} to {receiver}: {text}");
                }
            }
        }
    }
}

#[test]
fn results_of_tools_keep_what_is_new() {
    let original = json!({
        "content": [
            {"type": "text", "text": "a", "invented": {"a": [1, null]}},
            {"type": "text", "text": "b", "annotations": {"priority": 0.5, "invented": true}},
            {"type": "image", "data": "AA==", "mimeType": "image/png", "invented": 1.5},
            {"type": "resource", "resource": {"uri": "a:b", "text": "x", "invented": "y"}, "invented": 2},
            {"strength": 3, "type": SMELL, "text": "not what text is elsewhere", "invented": 1},
        ],
        "isError": false,
        "invented": ["x"],
    });
    check::<CallToolResult>("CallToolResult", &original);
    let older = passed_on(received::<CallToolResult>(&original, Revision::LATEST), Revision::V2024_11_05);
    assert_eq!(older["content"][4], json!({"type": "text", "text": "[content of the kind \"smell\"]"}));
}

#[test]
fn prompts_and_resources_keep_what_is_new() {
    let message = json!({"role": "user", "content": {"type": SMELL, "invented": 1}, "invented": 2});
    check::<GetPromptResult>("GetPromptResult", &json!({"messages": [message], "invented": 3}));
    let contents = json!([{"uri": "a:b", "text": "x", "invented": 1}, {"uri": "a:c", "blob": "AA==", "invented": 2}]);
    let original = json!({"contents": contents, "ttlMs": 0, "cacheScope": "private", "invented": 3});
    check::<ReadResourceResult>("ReadResourceResult", &original);
}

#[test]
fn definitions_keep_what_is_new() {
    let hints = json!({"readOnlyHint": true, "invented": 1});
    let icon = json!({"src": "data:,", "theme": "invented"});
    let tool = json!({
        "name": "t", "inputSchema": {"type": "object"}, "annotations": hints, "icons": [icon], "invented": 2,
    });
    let argument = json!({"name": "a", "invented": 1});
    let prompt = json!({"name": "p", "arguments": [argument], "invented": 2});
    let hints = json!({"audience": ["user", "invented"]});
    let resource = json!({"uri": "a:b", "name": "r", "annotations": hints, "invented": 2});
    let template = json!({"uriTemplate": "a:{b}", "name": "r", "annotations": {"invented": 1}, "invented": 2});
    for receiver in Revision::ALL {
        for sender in Revision::ALL {
            fn sent<T: serde::de::DeserializeOwned + Adapt>(value: &Value, sender: Revision) -> T {
                let mut read = serde_json::from_value(value.clone()).unwrap();
                note_sender(&mut read, sender);
                read
            }
            let lists: [(&str, AnyResult); 4] = [
                ("ListToolsResult", ListToolsResult::new(vec![sent::<Tool>(&tool, sender)]).into()),
                ("ListPromptsResult", ListPromptsResult::new(vec![sent::<Prompt>(&prompt, sender)]).into()),
                ("ListResourcesResult", ListResourcesResult::new(vec![sent::<Resource>(&resource, sender)]).into()),
                (
                    "ListResourceTemplatesResult",
                    ListResourceTemplatesResult::new(vec![sent::<ResourceTemplate>(&template, sender)]).into(),
                ),
            ];
            for (definition, list) in lists {
                let written = passed_on(list, receiver);
                let text = written.to_string();
                assert_eq!(text.contains("invented"), receiver >= sender, "{sender} to {receiver}: {text}");
                if receiver < sender
                    && let Some(mut official) = Official::load(receiver)
                {
                    assert_eq!(official.judge(definition, &written), [""; 0], "{sender} to {receiver}: {text}");
                }
            }
        }
    }
}

/// A word that nobody knows yet is kept, and nothing else is lost for it.
#[test]
fn unknown_words_are_kept_beside_the_members_that_are_known() {
    let text = r#"{"audience":["user","robot"],"priority":0.5}"#;
    let annotations: Annotations = serde_json::from_str(text).unwrap();
    assert_eq!((&annotations.audience, annotations.priority), (&None, Some(0.5)));
    assert_eq!(serde_json::to_value(&annotations).unwrap(), serde_json::from_str::<Value>(text).unwrap());
    let known: Annotations = serde_json::from_str(r#"{"audience":["user"]}"#).unwrap();
    assert_eq!((known.audience, known.other.is_empty()), (Some(vec![Role::User]), true));
    let execution: ToolExecution = serde_json::from_str(r#"{"taskSupport":"someday"}"#).unwrap();
    assert_eq!(execution.task_support, None);
    assert_eq!(serde_json::to_string(&execution).unwrap(), r#"{"taskSupport":"someday"}"#);
}

/// A member that stands twice must not be written twice.
#[test]
fn of_two_unknown_members_with_one_name_the_last_counts() {
    let annotations: Annotations = serde_json::from_str(r#"{"x":1,"priority":0.5,"y":2,"x":3}"#).unwrap();
    assert_eq!(serde_json::to_string(&annotations).unwrap(), r#"{"priority":0.5,"x":3,"y":2}"#);
    assert_eq!(annotations.other.get("x").unwrap().get(), "3");
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(".{0,6}", inner, 0..4).prop_map(|map| map.into_iter().collect()),
        ]
    })
}

proptest! {
    /// Members of any name and value, in any place, and blocks of any kind come out as they went in.
    #[test]
    fn what_is_unknown_comes_out_as_it_went_in(
        members in prop::collection::btree_map("x-.{0,8}", any_json(), 0..5),
        kind in "[a-z]{0,3}-.{0,8}",
    ) {
        let with = |value: Value| {
            let mut value = value;
            value.as_object_mut().unwrap().extend(members.clone());
            value
        };
        let original = with(json!({"content": [
            with(json!({"type": "text", "text": "a", "annotations": with(json!({}))})),
            with(json!({"type": "resource_link", "uri": "a:b", "name": "c"})),
            with(json!({"type": kind})),
        ]}));
        let read: CallToolResult = received(&original, Revision::LATEST);
        prop_assert_eq!(passed_on(read, Revision::LATEST), original);
    }
}
