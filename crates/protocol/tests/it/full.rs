//! One value of every type with all members, and one with the required members only.

use std::collections::BTreeMap;

use jackfield_protocol::*;
use serde_json::{Value, json};

/// Makes a value from JSON, the shortest way to fill every member.
#[track_caller]
pub(crate) fn from<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"))
}

pub(crate) fn meta() -> Value {
    json!({ "com.example/note": { "a": [1, null] } })
}

pub(crate) fn icons() -> Value {
    json!([{ "src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48", "any"], "theme": "dark" }])
}

pub(crate) fn annotations() -> Value {
    json!({ "audience": ["user", "assistant"], "priority": 0.5, "lastModified": "2025-01-12T15:00:58Z" })
}

pub(crate) fn implementation() -> Implementation {
    from(json!({
        "name": "demo", "version": "1.0.0", "title": "Demo", "description": "A demo",
        "websiteUrl": "https://example.com", "icons": icons(),
    }))
}

pub(crate) fn client_capabilities() -> ClientCapabilities {
    from(json!({
        "experimental": { "x": { "y": 1 } },
        "roots": { "listChanged": true },
        "sampling": { "context": {}, "tools": {} },
        "elicitation": { "form": {}, "url": {} },
        "tasks": {
            "list": {}, "cancel": {},
            "requests": { "sampling": { "createMessage": {} }, "elicitation": { "create": {} } },
        },
        "extensions": { "io.modelcontextprotocol/tasks": {} },
    }))
}

pub(crate) fn server_capabilities() -> ServerCapabilities {
    from(json!({
        "experimental": { "x": { "y": 1 } },
        "logging": {}, "completions": {},
        "prompts": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": true },
        "tools": { "listChanged": true },
        "tasks": { "list": {}, "cancel": {}, "requests": { "tools": { "call": {} } } },
        "extensions": { "io.modelcontextprotocol/tasks": {} },
    }))
}

pub(crate) fn tool() -> Tool {
    from(json!({
        "name": "query", "title": "Query", "description": "Asks", "icons": icons(), "_meta": meta(),
        "inputSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
            "properties": { "z": { "type": "string" }, "any": true, "none": false }, "required": ["z"],
            "additionalProperties": false,
        },
        "outputSchema": { "type": "object", "properties": { "rows": true } },
        "annotations": {
            "title": "Query!", "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        },
        "execution": { "taskSupport": "optional" },
    }))
}

pub(crate) fn resource() -> Resource {
    from(json!({
        "uri": "file:///a", "name": "a", "title": "A", "description": "The a", "mimeType": "text/plain",
        "icons": icons(), "size": 12, "annotations": annotations(), "_meta": meta(),
    }))
}

pub(crate) fn template() -> ResourceTemplate {
    from(json!({
        "uriTemplate": "file:///{path}", "name": "a", "title": "A", "description": "The a", "mimeType": "text/plain",
        "icons": icons(), "annotations": annotations(), "_meta": meta(),
    }))
}

pub(crate) fn prompt() -> Prompt {
    from(json!({
        "name": "review", "title": "Review", "description": "Reviews code", "icons": icons(), "_meta": meta(),
        "arguments": [{ "name": "code", "title": "Code", "description": "The code", "required": true }],
    }))
}

pub(crate) fn contents() -> Vec<ResourceContents> {
    from(json!([
        { "uri": "file:///a", "mimeType": "text/plain", "text": "hi", "_meta": meta() },
        { "uri": "file:///b", "mimeType": "image/png", "blob": "aGk=", "_meta": meta() },
    ]))
}

/// Every kind of content block with every member.
pub(crate) fn content() -> Vec<ContentBlock> {
    from(json!([
        { "type": "text", "text": "hi", "annotations": annotations(), "_meta": meta() },
        { "type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": annotations(), "_meta": meta() },
        { "type": "audio", "data": "aGk=", "mimeType": "audio/wav", "annotations": annotations(), "_meta": meta() },
        {
            "type": "resource_link", "uri": "file:///a", "name": "a", "title": "A", "description": "The a",
            "mimeType": "text/plain", "icons": icons(), "size": 12, "annotations": annotations(), "_meta": meta(),
        },
        { "type": "resource", "resource": contents()[0], "annotations": annotations(), "_meta": meta() },
        { "type": "resource", "resource": contents()[1], "annotations": annotations(), "_meta": meta() },
    ]))
}

pub(crate) fn create_message_params() -> CreateMessageParams {
    from(json!({
        "messages": [
            { "role": "user", "content": { "type": "text", "text": "hi", "annotations": annotations(), "_meta": meta() }, "_meta": meta() },
            { "role": "user", "content": { "type": "image", "data": "aGk=", "mimeType": "image/png", "annotations": annotations() } },
            { "role": "user", "content": { "type": "audio", "data": "aGk=", "mimeType": "audio/wav", "annotations": annotations() } },
            { "role": "assistant", "content": [
                { "type": "text", "text": "I ask" },
                { "type": "tool_use", "id": "1", "name": "query", "input": { "z": "a" }, "_meta": meta() },
            ] },
            { "role": "user", "content": { "type": "tool_result", "toolUseId": "1", "content": content(), "structuredContent": { "a": 1 }, "isError": false, "_meta": meta() } },
            { "role": "user", "content": { "type": "tool_result", "toolUseId": "2", "content": [], "structuredContent": [1], "isError": true } },
        ],
        "maxTokens": 100,
        "modelPreferences": { "hints": [{ "name": "claude" }, {}], "costPriority": 0, "speedPriority": 0.5, "intelligencePriority": 1 },
        "systemPrompt": "Be kind.", "includeContext": "thisServer", "temperature": 0.7, "stopSequences": ["END"],
        "metadata": { "x": 1 }, "tools": [tool()], "toolChoice": { "mode": "required" }, "task": { "ttl": 1000 },
        "_meta": meta(),
    }))
}

pub(crate) fn create_message_result() -> CreateMessageResult {
    from(json!({
        "role": "assistant", "model": "claude", "stopReason": "toolUse", "_meta": meta(),
        "content": [
            { "type": "text", "text": "one", "_meta": meta() },
            { "type": "tool_use", "id": "1", "name": "query", "input": {} },
            { "type": "text", "text": "two" },
        ],
    }))
}

/// A form with every kind of field and every member.
pub(crate) fn form() -> ElicitParams {
    let names = json!({ "title": "T", "description": "D" });
    let field = |members: Value| {
        let mut field = names.clone();
        field.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        field
    };
    let choices = json!([{ "const": "a", "title": "A" }, { "const": "b", "title": "B" }]);
    from(json!({
        "mode": "form", "message": "Who?", "task": { "ttl": 5 }, "_meta": meta(),
        "requestedSchema": {
            "$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object", "required": ["string"],
            "properties": {
                "string": field(json!({ "type": "string", "minLength": 1, "maxLength": 9, "pattern": "@", "format": "email", "default": "a@b.c" })),
                "number": field(json!({ "type": "number", "minimum": 0.5, "maximum": 9, "default": 2.5 })),
                "integer": field(json!({ "type": "integer", "minimum": 0, "maximum": 9, "default": 2 })),
                "boolean": field(json!({ "type": "boolean", "default": true })),
                "plain": field(json!({ "type": "string", "enum": ["a", "b"], "default": "a" })),
                "named": field(json!({ "type": "string", "enum": ["a", "b"], "enumNames": ["A", "B"], "default": "a" })),
                "titled": field(json!({ "type": "string", "oneOf": choices, "default": "a" })),
                "several": field(json!({ "type": "array", "minItems": 0, "maxItems": 2, "items": { "type": "string", "enum": ["a", "b"] }, "default": ["a"] })),
                "severalTitled": field(json!({ "type": "array", "minItems": 0, "maxItems": 2, "items": { "anyOf": choices }, "default": ["a"] })),
            },
        },
    }))
}

pub(crate) fn page() -> ElicitParams {
    from(json!({
        "mode": "url", "message": "Pay", "url": "https://example.com/pay", "elicitationId": "e1", "task": {}, "_meta": meta(),
    }))
}

pub(crate) fn elicit_result() -> ElicitResult {
    from(json!({ "action": "accept", "content": { "a": "b", "n": 1, "t": true, "l": ["x", "y"] }, "_meta": meta() }))
}

pub(crate) fn list_roots_result() -> ListRootsResult {
    from(
        json!({ "roots": [{ "uri": "file:///a", "name": "A", "_meta": meta() }, { "uri": "file:///b" }], "_meta": meta() }),
    )
}

pub(crate) fn task() -> Task {
    from(json!({
        "taskId": "t1", "status": "working", "statusMessage": "busy", "createdAt": "2025-11-25T10:30:00Z",
        "lastUpdatedAt": "2025-11-25T10:40:00Z", "ttl": 60000, "pollInterval": 500,
    }))
}

pub(crate) fn questions() -> InputRequired {
    let mut requests = BTreeMap::new();
    requests.insert("model".to_owned(), InputRequest::from(create_message_params()));
    requests.insert("roots".to_owned(), InputRequest::ListRoots(from(json!({ "_meta": meta() }))));
    requests.insert("form".to_owned(), InputRequest::from(form()));
    requests.insert("page".to_owned(), InputRequest::from(page()));
    let mut questions = InputRequired::default().with_request_state("s");
    questions.input_requests = Some(requests);
    questions.meta = Some(from(meta()));
    questions
}

pub(crate) fn answers() -> InputResponses {
    let mut answers = InputResponses::new();
    answers.insert("model", create_message_result());
    answers.insert("roots", list_roots_result());
    answers.insert("form", elicit_result());
    answers
}

/// Every request to a server: with all members, and with the required ones only.
pub(crate) fn client_requests() -> Vec<ClientRequest> {
    let list = || from::<ListParams>(json!({ "cursor": "c", "_meta": meta() }));
    let empty = || from::<EmptyParams>(json!({ "_meta": meta() }));
    let inputs = json!(answers());
    vec![
        ClientRequest::Initialize(from(json!({
            "protocolVersion": "2025-11-25", "capabilities": client_capabilities(), "clientInfo": implementation(), "_meta": meta(),
        }))),
        ClientRequest::Initialize(from(json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "a", "version": "1" },
        }))),
        ClientRequest::Ping(empty()),
        ClientRequest::Ping(EmptyParams::default()),
        ClientRequest::Discover(empty()),
        ClientRequest::Discover(EmptyParams::default()),
        ClientRequest::CallTool(from(json!({
            "name": "query", "arguments": { "z": "a" }, "task": { "ttl": 1 }, "inputResponses": inputs, "requestState": "s", "_meta": meta(),
        }))),
        ClientRequest::CallTool(CallToolParams::new("query")),
        ClientRequest::ListTools(list()),
        ClientRequest::ListTools(ListParams::default()),
        ClientRequest::ListResources(list()),
        ClientRequest::ListResources(ListParams::default()),
        ClientRequest::ListResourceTemplates(list()),
        ClientRequest::ListResourceTemplates(ListParams::default()),
        ClientRequest::ReadResource(from(json!({
            "uri": "file:///a", "inputResponses": inputs, "requestState": "s", "_meta": meta(),
        }))),
        ClientRequest::ReadResource(ReadResourceParams::new("file:///a")),
        ClientRequest::Subscribe(from(json!({ "uri": "file:///a", "_meta": meta() }))),
        ClientRequest::Unsubscribe(from(json!({ "uri": "file:///a", "_meta": meta() }))),
        ClientRequest::ListPrompts(list()),
        ClientRequest::ListPrompts(ListParams::default()),
        ClientRequest::GetPrompt(from(json!({
            "name": "review", "arguments": { "code": "x" }, "inputResponses": inputs, "requestState": "s", "_meta": meta(),
        }))),
        ClientRequest::GetPrompt(GetPromptParams::new("review")),
        ClientRequest::Complete(from(json!({
            "ref": { "type": "ref/prompt", "name": "review", "title": "Review" }, "argument": { "name": "code", "value": "p" },
            "context": { "arguments": { "a": "b" } }, "_meta": meta(),
        }))),
        ClientRequest::Complete(CompleteParams::new(
            Reference::resource("file:///{path}"),
            CompletionArgument::new("path", ""),
        )),
        ClientRequest::SetLevel(from(json!({ "level": "warning", "_meta": meta() }))),
        ClientRequest::Listen(from(json!({
            "notifications": {
                "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true, "resourceSubscriptions": ["file:///a"],
            },
            "_meta": meta(),
        }))),
        ClientRequest::Listen(ListenParams::new(SubscriptionFilter::default())),
        ClientRequest::GetTask(TaskParams::new("t1")),
        ClientRequest::TaskResult(TaskParams::new("t1")),
        ClientRequest::ListTasks(list()),
        ClientRequest::CancelTask(TaskParams::new("t1")),
        ClientRequest::UpdateTask(UpdateTaskParams::new("t1", answers())),
    ]
}

/// Every request to a client.
pub(crate) fn server_requests() -> Vec<ServerRequest> {
    vec![
        ServerRequest::Ping(EmptyParams::default()),
        ServerRequest::CreateMessage(Box::new(create_message_params())),
        ServerRequest::CreateMessage(Box::new(CreateMessageParams::new([], 1))),
        ServerRequest::ListRoots(from(json!({ "_meta": meta() }))),
        ServerRequest::ListRoots(EmptyParams::default()),
        ServerRequest::Elicit(Box::new(form())),
        ServerRequest::Elicit(Box::new(ElicitParams::form("Who?", ElicitSchema::new()))),
        ServerRequest::Elicit(Box::new(page())),
        ServerRequest::GetTask(TaskParams::new("t1")),
        ServerRequest::TaskResult(TaskParams::new("t1")),
        ServerRequest::ListTasks(ListParams::default()),
        ServerRequest::CancelTask(TaskParams::new("t1")),
    ]
}

/// Every notification.
pub(crate) fn notifications() -> Vec<Notification> {
    let empty = || from::<EmptyParams>(json!({ "_meta": meta() }));
    vec![
        Notification::Initialized(empty()),
        Notification::Initialized(EmptyParams::default()),
        CancelledParams::new("a").with_reason("bored").with_meta(from::<Meta>(meta())).into(),
        CancelledParams::new(1).into(),
        ProgressParams::new("t", 0.5).with_total(2.0).with_message("half").with_meta(from::<Meta>(meta())).into(),
        ProgressParams::new(7, 1.0).into(),
        LoggingMessageParams::new(LoggingLevel::Alert, json!({ "a": 1 }))
            .with_logger("db")
            .with_meta(from::<Meta>(meta()))
            .into(),
        LoggingMessageParams::new(LoggingLevel::Debug, json!(null)).into(),
        Notification::ToolListChanged(empty()),
        Notification::ToolListChanged(EmptyParams::default()),
        Notification::PromptListChanged(empty()),
        Notification::ResourceListChanged(empty()),
        from::<ResourceUpdatedParams>(json!({ "uri": "file:///a", "_meta": meta() })).into(),
        from::<SubscriptionsAcknowledgedParams>(json!({
            "notifications": { "toolsListChanged": true, "resourceSubscriptions": [] },
            "_meta": { "io.modelcontextprotocol/subscriptionId": 1 },
        }))
        .into(),
        Notification::RootsListChanged(empty()),
        ElicitationCompleteParams::new("e1").into(),
        task().into(),
        DetailedTask::new(task().into(), TaskState::Working).into(),
    ]
}

/// Every result of a server.
pub(crate) fn results() -> Vec<AnyResult> {
    let page = |name: &str, items: Value| json!({ name: items, "nextCursor": "c", "ttlMs": 5, "cacheScope": "public", "_meta": meta() });
    vec![
        from::<CallToolResult>(
            json!({ "content": content(), "structuredContent": { "a": 1 }, "isError": true, "_meta": meta() }),
        )
        .into(),
        from::<CallToolResult>(json!({ "content": [], "structuredContent": [1, 2] })).into(),
        from::<CallToolResult>(json!({ "content": [], "structuredContent": null })).into(),
        CallToolResult::text("hi").into(),
        GetPromptResult::new(content().into_iter().map(PromptMessage::user).collect::<Vec<_>>())
            .with_description("D")
            .with_meta(from::<Meta>(meta()))
            .into(),
        GetPromptResult::new([]).into(),
        from::<ReadResourceResult>(
            json!({ "contents": contents(), "ttlMs": 5, "cacheScope": "private", "_meta": meta() }),
        )
        .into(),
        ReadResourceResult::new([]).into(),
        from::<CompleteResult>(
            json!({ "completion": { "values": ["a"], "total": 2, "hasMore": true }, "_meta": meta() }),
        )
        .into(),
        CompleteResult::new(Completion::new([])).into(),
        from::<ListToolsResult>(page("tools", json!([tool(), Tool::new("a", Schema::object())]))).into(),
        ListToolsResult::new([]).into(),
        from::<ListResourcesResult>(page("resources", json!([resource(), Resource::new("file:///a", "a")]))).into(),
        ListResourcesResult::new([]).into(),
        from::<ListResourceTemplatesResult>(page("resourceTemplates", json!([template()]))).into(),
        ListResourceTemplatesResult::new([]).into(),
        from::<ListPromptsResult>(page("prompts", json!([prompt(), Prompt::new("a")]))).into(),
        ListPromptsResult::new([]).into(),
        InitializeResult::new("2025-11-25", server_capabilities(), implementation())
            .with_instructions("I")
            .with_meta(from::<Meta>(meta()))
            .into(),
        InitializeResult::new("2025-11-25", ServerCapabilities::default(), Implementation::new("a", "1")).into(),
        from::<DiscoverResult>(json!({
            "supportedVersions": ["2026-07-28"], "capabilities": server_capabilities(), "instructions": "I",
            "ttlMs": 5, "cacheScope": "public", "_meta": meta(),
        }))
        .into(),
        DiscoverResult::new([], ServerCapabilities::default()).into(),
        ListenResult::new(&RequestId::from("l")).into(),
        from::<EmptyResult>(json!({ "_meta": meta() })).into(),
        EmptyResult::default().into(),
        from::<CreateTaskResult>(json!({ "task": task(), "_meta": meta() })).into(),
        task().into(),
        from::<ListTasksResult>(json!({ "tasks": [task()], "nextCursor": "c", "_meta": meta() })).into(),
        DetailedTask::new(task().into(), TaskState::Working).into(),
    ]
}

/// Every result of a client.
pub(crate) fn client_results() -> Vec<ClientResult> {
    vec![
        create_message_result().into(),
        CreateMessageResult::new(Role::Assistant, TextContent::new("hi"), "claude").into(),
        list_roots_result().into(),
        ListRootsResult::new([]).into(),
        elicit_result().into(),
        ElicitResult::new(ElicitAction::Decline).into(),
        EmptyResult::default().into(),
        CreateTaskResult::new(task()).into(),
        task().into(),
        ListTasksResult::new([task()]).into(),
    ]
}
