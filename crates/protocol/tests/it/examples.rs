//! The official examples of 2026-07-28, read into our type and written back.

use jackfield_protocol::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::schema::folder;

const REVISION: Revision = Revision::LATEST;

/// BASE-022, BASE-083
#[test]
fn every_official_example_is_read_and_written_back() {
    let Some(folder) = folder() else { return };
    let mut count = 0;
    for kind in std::fs::read_dir(folder.join("examples-2026-07-28")).unwrap().map(Result::unwrap) {
        let name = kind.file_name().into_string().unwrap();
        for file in std::fs::read_dir(kind.path()).unwrap().map(Result::unwrap) {
            let mut example: Value = serde_json::from_slice(&std::fs::read(file.path()).unwrap()).unwrap();
            // One example lacks members that its own schema requires; we write them.
            if file.file_name() == "read-resource-result-response.json" && example["result"].get("ttlMs").is_none() {
                example["result"]["ttlMs"] = json!(0);
                example["result"]["cacheScope"] = json!("private");
            }
            let again = read_and_write(&name, &example);
            assert_eq!(again, example, "{}", file.path().display());
            count += 1;
        }
    }
    assert_eq!(count, 129);
}

fn read_and_write(kind: &str, example: &Value) -> Value {
    match kind {
        // The schema defines no id here, so our type has none; the example carries one.
        "ListRootsRequest" => {
            let mut again = value::<InputRequest>(example);
            again["id"] = example["id"].clone();
            again
        }
        "CreateMessageRequest" | "ElicitRequest" => value::<InputRequest>(example),
        "AudioContent" | "ImageContent" | "TextContent" | "EmbeddedResource" | "ResourceLink" => {
            value::<ContentBlock>(example)
        }
        "ToolResultContent" | "ToolUseContent" => value::<SamplingContentBlock>(example),
        "BlobResourceContents" | "TextResourceContents" => value::<ResourceContents>(example),
        "BooleanSchema"
        | "NumberSchema"
        | "StringSchema"
        | "TitledMultiSelectEnumSchema"
        | "TitledSingleSelectEnumSchema"
        | "UntitledMultiSelectEnumSchema"
        | "UntitledSingleSelectEnumSchema" => value::<PrimitiveSchema>(example),
        "CallToolRequestParams" => value::<CallToolParams>(example),
        "CancelledNotificationParams" => value::<CancelledParams>(example),
        "ClientCapabilities" => value::<ClientCapabilities>(example),
        "ServerCapabilities" => value::<ServerCapabilities>(example),
        "CompleteRequestParams" => value::<CompleteParams>(example),
        "CreateMessageRequestParams" => value::<CreateMessageParams>(example),
        "CreateMessageResult" => value::<CreateMessageResult>(example),
        "ElicitRequestFormParams" | "ElicitRequestURLParams" => value::<ElicitParams>(example),
        "ElicitResult" => value::<ElicitResult>(example),
        "GetPromptRequestParams" => value::<GetPromptParams>(example),
        "InputRequests" => value::<InputRequests>(example),
        "InputResponses" => value::<InputResponses>(example),
        "InternalError" | "InvalidParamsError" | "MethodNotFoundError" | "ParseError" => value::<ErrorObject>(example),
        "HeaderMismatchError" | "MissingRequiredClientCapabilityError" | "UnsupportedProtocolVersionError" => {
            json!({ "jsonrpc": "2.0", "id": value::<RequestId>(&example["id"]), "error": value::<ErrorObject>(&example["error"]) })
        }
        "ListRootsResult" => value::<ListRootsResult>(example),
        "LoggingMessageNotificationParams" => value::<LoggingMessageParams>(example),
        "ModelPreferences" => value::<ModelPreferences>(example),
        "PaginatedRequestParams" => value::<ListParams>(example),
        "ProgressNotificationParams" => value::<ProgressParams>(example),
        "Resource" => value::<Resource>(example),
        "ResourceUpdatedNotificationParams" => value::<ResourceUpdatedParams>(example),
        "Root" => value::<Root>(example),
        "SamplingMessage" => value::<SamplingMessage>(example),
        "Tool" => value::<Tool>(example),
        "InputRequiredResult" => result::<CallToolResult>(example),
        _ if kind.ends_with("Notification") => notification(example),
        _ if kind.ends_with("Request") => request(example),
        _ => match kind.strip_suffix("Response") {
            Some(kind) => json!({
                "jsonrpc": "2.0", "id": value::<RequestId>(&example["id"]), "result": result_of(kind, &example["result"]),
            }),
            None => result_of(kind, example),
        },
    }
}

fn result_of(kind: &str, example: &Value) -> Value {
    match kind {
        "CallToolResult" => result::<CallToolResult>(example),
        "CompleteResult" => result::<CompleteResult>(example),
        "DiscoverResult" => result::<DiscoverResult>(example),
        "GetPromptResult" => result::<GetPromptResult>(example),
        "ListPromptsResult" => result::<ListPromptsResult>(example),
        "ListResourceTemplatesResult" => result::<ListResourceTemplatesResult>(example),
        "ListResourcesResult" => result::<ListResourcesResult>(example),
        "ListToolsResult" => result::<ListToolsResult>(example),
        "ReadResourceResult" => result::<ReadResourceResult>(example),
        "SubscriptionsListenResult" => result::<ListenResult>(example),
        other => panic!("no type for {other}"),
    }
}

#[track_caller]
fn value<T: Serialize + DeserializeOwned>(example: &Value) -> Value {
    let text = serde_json::to_string_pretty(example).unwrap();
    let read: T = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    serde_json::to_value(read).unwrap()
}

fn request(example: &Value) -> Value {
    let params = serde_json::to_vec(&example["params"]).unwrap();
    let request = ClientRequest::read(example["method"].as_str().unwrap(), Some(&params)).unwrap();
    assert!(request.method().is_some());
    let mut out = Vec::new();
    let id = serde_json::from_value(example["id"].clone()).unwrap();
    write_request(&mut out, &id, request, REVISION, None).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn notification(example: &Value) -> Value {
    let params = example.get("params").map(|params| serde_json::to_vec(params).unwrap());
    let notification = Notification::read(example["method"].as_str().unwrap(), params.as_deref()).unwrap();
    assert!(notification.method().is_some());
    let mut out = Vec::new();
    write_notification(&mut out, notification, REVISION).unwrap();
    serde_json::from_slice(&out).unwrap()
}

fn result<T: DeserializeOwned + Into<AnyResult>>(example: &Value) -> Value {
    let outcome = Outcome::<T>::read(&serde_json::to_vec(example).unwrap(), REVISION).unwrap();
    let mut out = Vec::new();
    write_result(&mut out, outcome.map(Into::into), REVISION, None).unwrap();
    serde_json::from_slice(&out).unwrap()
}
