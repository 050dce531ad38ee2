//! What holds for generated messages.

use jackfield_protocol::*;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::full;

/// Takes members away from a value at random, and changes its texts and numbers.
fn vary(value: &Value, chance: &mut impl FnMut() -> u8) -> Value {
    match value {
        Value::Object(members) => {
            let mut kept = Map::new();
            for (name, member) in members {
                if !chance().is_multiple_of(8) {
                    kept.insert(name.clone(), vary(member, chance));
                }
            }
            Value::Object(kept)
        }
        Value::Array(items) => {
            let times = chance() % 3;
            items
                .iter()
                .flat_map(|item| (0..times).map(|_| item).collect::<Vec<_>>())
                .map(|item| vary(item, chance))
                .collect()
        }
        Value::Number(_) if chance().is_multiple_of(4) => json!(f64::from(chance()) / 4.0),
        other => other.clone(),
    }
}

/// What every message must do: survive writing and reading, and be stable once it is adapted.
fn holds<T>(value: &Value) -> Result<(), TestCaseError>
where
    T: Serialize + DeserializeOwned + Adapt + Clone + PartialEq + std::fmt::Debug,
{
    let Ok(message) = serde_json::from_value::<T>(value.clone()) else { return Ok(()) };
    let again: T = serde_json::from_slice(&serde_json::to_vec(&message).unwrap()).unwrap();
    prop_assert_eq!(&again, &message);
    for revision in Revision::ALL {
        let mut down = message.clone();
        adapt(&mut down, revision);
        let mut twice = down.clone();
        adapt(&mut twice, revision);
        prop_assert_eq!(&twice, &down, "adapting twice, {}", revision);
        let read: T = serde_json::from_slice(&serde_json::to_vec(&down).unwrap()).unwrap();
        prop_assert_eq!(&read, &down);
        // What the newest revision gave up is lost on the first way through it, and nothing after that.
        let through = |mut message: T| {
            adapt(&mut message, Revision::LATEST);
            adapt(&mut message, revision);
            message
        };
        let once = through(message.clone());
        prop_assert_eq!(json!(through(once.clone())), json!(once), "down, up and down again, {}", revision);
    }
    Ok(())
}

fn all_hold(vary: &mut impl FnMut(Value) -> Value) -> Result<(), TestCaseError> {
    for content in full::content() {
        holds::<ContentBlock>(&vary(json!(content)))?;
    }
    holds::<Tool>(&vary(json!(full::tool())))?;
    holds::<Resource>(&vary(json!(full::resource())))?;
    holds::<ResourceTemplate>(&vary(json!(full::template())))?;
    holds::<Prompt>(&vary(json!(full::prompt())))?;
    holds::<Implementation>(&vary(json!(full::implementation())))?;
    holds::<ClientCapabilities>(&vary(json!(full::client_capabilities())))?;
    holds::<ServerCapabilities>(&vary(json!(full::server_capabilities())))?;
    holds::<CreateMessageParams>(&vary(json!(full::create_message_params())))?;
    holds::<CreateMessageResult>(&vary(json!(full::create_message_result())))?;
    holds::<ElicitParams>(&vary(json!(full::form())))?;
    holds::<ElicitParams>(&vary(json!(full::page())))?;
    holds::<ElicitResult>(&vary(json!(full::elicit_result())))?;
    holds::<ListRootsResult>(&vary(json!(full::list_roots_result())))?;
    holds::<Task>(&vary(json!(full::task())))?;
    holds::<InputRequired>(&vary(json!(full::questions())))?;
    holds::<CallToolResult>(&vary(json!({ "content": full::content(), "structuredContent": [1], "isError": true })))?;
    holds::<ReadResourceResult>(&vary(json!({ "contents": full::contents(), "ttlMs": 1, "cacheScope": "public" })))?;
    holds::<ListToolsResult>(&vary(json!({ "tools": [full::tool()], "nextCursor": "c", "ttlMs": 1 })))
}

/// JSON made of the words of the protocol, so that it comes close to real messages.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "text",
        "image",
        "audio",
        "resource",
        "resource_link",
        "uri",
        "name",
        "data",
        "mimeType",
        "content",
        "role",
        "user",
        "model",
        "messages",
        "maxTokens",
        "_meta",
        "mode",
        "url",
        "form",
        "message",
        "requestedSchema",
        "properties",
        "object",
        "string",
        "array",
        "items",
        "enum",
        "oneOf",
        "anyOf",
        "const",
        "title",
        "default",
        "tools",
        "inputSchema",
        "structuredContent",
        "resultType",
        "complete",
        "input_required",
        "task",
        "taskId",
        "status",
        "completed",
        "result",
        "createdAt",
        "lastUpdatedAt",
        "ttlMs",
        "ref",
        "argument",
        "value",
        "ref/prompt",
        "progressToken",
        "progress",
        "level",
        "info",
        "method",
        "params",
        "elicitation/create",
        "inputRequests",
        "contents",
        "blob",
        "capabilities",
        "roots",
        "protocolVersion",
        "clientInfo",
        "version",
        "action",
        "accept",
        "tool_use",
        "tool_result",
        "toolUseId",
        "input",
        "id",
    ]);
    let leaf = prop_oneof![
        word.clone().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..8).prop_map(|pairs| Value::Object(
                pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Map<_, _>>()
            )),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// BASE-083
    #[test]
    fn messages_survive_and_dialects_are_stable(chances in prop::collection::vec(any::<u8>(), 64..512)) {
        let mut chances = chances.into_iter().cycle();
        let mut chance = || chances.next().unwrap();
        all_hold(&mut |value| vary(&value, &mut chance))?;
    }

    #[test]
    fn reading_never_panics_and_what_was_read_can_be_written(json in any_json()) {
        let text = serde_json::to_vec(&json).unwrap();
        let mut out = Vec::new();
        for row in Method::TABLE {
            for revision in Revision::ALL {
                if let Ok(request) = ClientRequest::read(row.name, Some(&text)) {
                    let _ = write_request(&mut out, &RequestId::from(1), request, revision, None);
                }
                if let Ok(request) = ServerRequest::read(row.name, Some(&text)) {
                    let _ = write_server_request(&mut out, &RequestId::from(1), request, revision);
                }
                if let Ok(notification) = Notification::read(row.name, Some(&text)) {
                    let _ = write_notification(&mut out, notification, revision);
                }
            }
        }
        for revision in Revision::ALL {
            macro_rules! results {
                ($( $type:ty ),+) => { $(
                    if let Ok(outcome) = Outcome::<$type>::read(&text, revision) {
                        let _ = write_result(&mut out, outcome.map(AnyResult::from), revision, Some(b"{}"));
                    }
                )+ };
            }
            results!(
                CallToolResult, GetPromptResult, ReadResourceResult, CompleteResult, ListToolsResult, ListResourcesResult,
                ListResourceTemplatesResult, ListPromptsResult, InitializeResult, DiscoverResult, ListenResult, EmptyResult,
                CreateTaskResult, Task, ListTasksResult, DetailedTask
            );
        }
        all_hold(&mut |_| json.clone())?;
    }

    /// What is written by hand is what serde would write.
    #[test]
    fn written_by_hand_or_by_serde_is_the_same(
        texts in prop::collection::vec(".*", 8),
        chances in prop::collection::vec(any::<u8>(), 64),
    ) {
        let mut texts = texts.into_iter().cycle();
        let mut chances = chances.into_iter().cycle();
        let mut chance = || chances.next().unwrap();
        let mut call: CallToolResult = full::from(json!({ "content": full::content() }));
        call.content.extend(texts.by_ref().take(3).map(ContentBlock::text));
        let call = vary(&json!(call), &mut chance);
        let mut read: ReadResourceResult = full::from(json!({ "contents": full::contents(), "_meta": full::meta() }));
        read.contents.extend(texts.by_ref().take(3).map(|text| ResourceContents::text(text.clone(), text)));
        let read = vary(&json!(read), &mut chance);
        for result in [
            serde_json::from_value::<CallToolResult>(call).map(AnyResult::from),
            serde_json::from_value::<ReadResourceResult>(read).map(AnyResult::from),
        ] {
            let (Ok(mut result), mut by_hand) = (result, Vec::new()) else { continue };
            let revision = Revision::V2025_06_18;
            write_result(&mut by_hand, result.clone().into(), revision, None).unwrap();
            adapt(&mut result, revision);
            let by_serde = match &result {
                AnyResult::CallTool(result) => serde_json::to_string(result),
                AnyResult::ReadResource(result) => serde_json::to_string(result),
                other => panic!("{other:?}"),
            };
            prop_assert_eq!(String::from_utf8(by_hand).unwrap(), by_serde.unwrap());
        }
    }

    /// HTTP-074
    #[test]
    fn every_text_survives_a_header(text in ".*") {
        let encoded = encode_header(&text).into_owned();
        prop_assert!(encoded.bytes().all(|b| matches!(b, 0x20..=0x7e | b'\t')));
        prop_assert_eq!(decode_header(&encoded).unwrap(), text);
    }
}
