//! What we write for a revision is valid under its official schema and has no member that the revision does not define.

use jackfield_protocol::*;
use serde_json::{Value, json};

use crate::full;
use crate::schema::Official;

/// Runs `each` for every revision and reports all faults together.
fn for_every_revision(each: impl Fn(Revision, &mut dyn FnMut(&str, Vec<u8>))) {
    let mut faults = Vec::new();
    for revision in Revision::ALL {
        let Some(mut official) = Official::load(revision) else { return };
        let mut judged = 0;
        each(revision, &mut |definition, text| {
            judged += 1;
            let shown = String::from_utf8_lossy(&text).into_owned();
            let value: Value =
                serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{definition}: {error}: {shown}"));
            for fault in official.judge(definition, &value) {
                faults.push(format!("{revision} {definition} {fault}\n    {:.400}", shown));
            }
        });
        assert!(judged > 0, "{revision}: nothing was judged");
    }
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

fn written(write: impl FnOnce(&mut Vec<u8>) -> Result<(), NotInRevision>) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    match write(&mut out) {
        Ok(()) => Some(out),
        Err(_) => {
            assert!(out.is_empty(), "something was written although the revision has no such message");
            None
        }
    }
}

fn request_definition(name: &str, method: Method) -> String {
    match method {
        Method::Listen => "SubscriptionsListenRequest".into(),
        Method::TaskResult => "GetTaskPayloadRequest".into(),
        // The extension has no schema among the official ones.
        Method::GetTask | Method::CancelTask | Method::UpdateTask if name == "2026-07-28" => "JSONRPCRequest".into(),
        other => format!("{other:?}Request"),
    }
}

/// BASE-003, BASE-055, BASE-058, BASE-083
#[test]
fn requests_of_clients() {
    for_every_revision(|revision, judge| {
        let caller = CallerMeta::new(
            revision,
            Some(&full::implementation()),
            &full::client_capabilities(),
            Some(LoggingLevel::Info),
        );
        let caller = (!revision.has_handshake()).then_some(&caller);
        for request in full::client_requests() {
            let method = request.method().unwrap();
            let text = written(|out| write_request(out, &RequestId::from(1), request.clone(), revision, caller));
            assert_eq!(text.is_some(), method.is_defined(revision), "{revision} {method:?}");
            if let Some(text) = text {
                judge(&request_definition(revision.as_str(), method), text);
            }
        }
    });
}

/// BASE-083
#[test]
fn requests_of_servers() {
    for_every_revision(|revision, judge| {
        if revision == Revision::LATEST {
            // There are none; the same questions are judged as `input_required` results.
            assert!(full::server_requests().into_iter().all(|request| {
                matches!(request.method(), Some(Method::GetTask | Method::CancelTask))
                    || written(|out| write_server_request(out, &RequestId::from(1), request, revision)).is_none()
            }));
            judge("EmptyResult", br#"{"resultType":"complete"}"#.to_vec());
            return;
        }
        for request in full::server_requests() {
            let method = request.method().unwrap();
            if let Some(text) = written(|out| write_server_request(out, &RequestId::from("s"), request, revision)) {
                judge(&request_definition(revision.as_str(), method), text);
            } else {
                assert!(!method.is_defined(revision) || method == Method::Elicit, "{revision} {method:?}");
            }
        }
    });
}

/// BASE-083
#[test]
fn notifications() {
    for_every_revision(|revision, judge| {
        for notification in full::notifications() {
            let method = notification.method().unwrap();
            let text = written(|out| write_notification(out, notification, revision));
            assert_eq!(text.is_some(), method.is_defined(revision), "{revision} {method:?}");
            let definition = match method {
                Method::LogMessage => "LoggingMessageNotification".into(),
                Method::TaskChanged => "JSONRPCNotification".into(),
                other => format!("{other:?}Notification"),
            };
            if let Some(text) = text {
                judge(&definition, text);
            }
        }
    });
}

/// BASE-019, BASE-062, BASE-083, SRV-012
#[test]
fn results_of_servers() {
    for_every_revision(|revision, judge| {
        let mut info = full::implementation();
        adapt(&mut info, revision);
        let info = serde_json::to_vec(&info).unwrap();
        for (result, info) in full::results().into_iter().flat_map(|r| [(r.clone(), None), (r, Some(info.as_slice()))])
        {
            let definition = match &result {
                AnyResult::CallTool(_) => "CallToolResult",
                AnyResult::GetPrompt(_) => "GetPromptResult",
                AnyResult::ReadResource(_) => "ReadResourceResult",
                AnyResult::Complete(_) => "CompleteResult",
                AnyResult::ListTools(_) => "ListToolsResult",
                AnyResult::ListResources(_) => "ListResourcesResult",
                AnyResult::ListResourceTemplates(_) => "ListResourceTemplatesResult",
                AnyResult::ListPrompts(_) => "ListPromptsResult",
                AnyResult::Initialize(_) => "InitializeResult",
                AnyResult::Discover(_) => "DiscoverResult",
                AnyResult::Listen(_) => "SubscriptionsListenResult",
                AnyResult::Empty(_) => "EmptyResult",
                // Tasks are an extension without an official schema since 2026-07-28.
                _ if !revision.has_core_tasks() => "Result",
                AnyResult::CreateTask(_) => "CreateTaskResult",
                AnyResult::ListTasks(_) => "ListTasksResult",
                _ => "GetTaskResult",
            };
            if let Some(text) = written(|out| write_result(out, Outcome::Complete(result), revision, info)) {
                judge(definition, text);
            }
        }
    });
}

/// BASE-083
#[test]
fn questions_as_results() {
    for_every_revision(|revision, judge| {
        for questions in [full::questions(), InputRequired::default().with_request_state("s")] {
            match written(|out| {
                write_result(
                    out,
                    Outcome::InputRequired(questions),
                    revision,
                    Some(b"{\"name\":\"a\",\"version\":\"1\"}"),
                )
            }) {
                Some(text) => judge("InputRequiredResult", text),
                None => {
                    assert!(revision.has_handshake());
                    judge("RequestId", b"1".to_vec());
                }
            }
        }
    });
}

/// BASE-083
#[test]
fn results_of_clients() {
    for_every_revision(|revision, judge| {
        judge("RequestId", b"1".to_vec());
        for result in full::client_results() {
            let definition = match &result {
                ClientResult::CreateMessage(_) => "CreateMessageResult",
                ClientResult::ListRoots(_) => "ListRootsResult",
                ClientResult::Elicit(_) => "ElicitResult",
                ClientResult::Empty(_) => "EmptyResult",
                ClientResult::CreateTask(_) => "CreateTaskResult",
                ClientResult::Task(_) => "GetTaskResult",
                ClientResult::ListTasks(_) => "ListTasksResult",
                other => panic!("{other:?}"),
            };
            if let Some(text) = written(|out| write_client_result(out, result, revision)) {
                judge(definition, text);
            }
        }
    });
}

/// BASE-060, BASE-083
#[test]
fn errors() {
    for_every_revision(|revision, judge| {
        let response =
            |error: &ErrorObject| serde_json::to_vec(&json!({ "jsonrpc": "2.0", "id": 1, "error": error })).unwrap();
        let general = if revision >= Revision::V2025_11_25 { "JSONRPCErrorResponse" } else { "JSONRPCError" };
        for error in [
            ErrorObject::parse_error("p"),
            ErrorObject::invalid_request("i"),
            ErrorObject::method_not_found("m"),
            ErrorObject::invalid_params("p"),
            ErrorObject::internal("i"),
            ErrorObject::resource_not_found(revision, "file:///a"),
        ] {
            judge(general, response(&error));
        }
        if revision == Revision::LATEST {
            let mut capabilities = full::client_capabilities();
            adapt(&mut capabilities, revision);
            let missing = ErrorObject::missing_capability("needs it", json!(capabilities));
            judge("MissingRequiredClientCapabilityError", response(&missing));
            judge("UnsupportedProtocolVersionError", response(&ErrorObject::unsupported_version("x", &Revision::ALL)));
            judge("HeaderMismatchError", response(&ErrorObject::new(error::code::HEADER_MISMATCH, "h")));
        }
    });
}
