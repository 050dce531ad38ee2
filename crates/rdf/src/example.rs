//! Examples of messages, made from the table of types.

use jackfield_protocol::Revision;
use serde_json::{Map, Value as Json, json};

use crate::definitions::{Body, Definition, Member, Value, definition, exchanges, words};

/// An example: what it shows, and the message.
#[derive(Debug)]
pub(crate) struct Example {
    /// The method, and for an answer that it is one.
    pub(crate) title: String,
    /// The name of its file, without an ending.
    pub(crate) file: String,
    /// The type of the message, or of the result in it.
    pub(crate) class: &'static str,
    pub(crate) message: Json,
}

/// Returns an example of every message of a revision: requests, notifications and answers.
pub(crate) fn examples(revision: Revision) -> Vec<Example> {
    let build = Build { revision };
    let mut examples = Vec::new();
    for (number, exchange) in (1..).zip(exchanges(revision)) {
        let (method, file) = (exchange.method.name(), exchange.method.name().replace('/', "_"));
        let mut message = build.definition(exchange.message);
        if let Some(id) = message.get_mut("id") {
            *id = number.to_string().into();
        }
        examples.push(Example { title: method.to_owned(), file: file.clone(), class: exchange.message.name, message });
        if let Some(result) = exchange.result {
            let mut held = build.definition(result);
            // Where every result says of what kind it is, that of an extension does, too.
            if definition("ResultType", revision).is_some() && held.get("resultType").is_none() {
                held["resultType"] = "complete".into();
            }
            let message = json!({ "jsonrpc": "2.0", "id": number.to_string(), "result": held });
            let (title, file) = (format!("answer to {method}"), format!("{file}.answer"));
            examples.push(Example { title, file, class: result.name, message });
        }
    }
    let special = [
        ("JSONRPCErrorResponse", "an error", "error"),
        ("URLElicitationRequiredError", "a page has to be visited first", "url_elicitation_required"),
        ("HeaderMismatchError", "headers contradict the body", "header_mismatch"),
        ("MissingRequiredClientCapabilityError", "the client lacks a capability", "missing_capability"),
        ("UnsupportedProtocolVersionError", "the revision is not supported", "unsupported_version"),
    ];
    for (class, title, file) in special {
        let Some(found) = definition(class, revision) else { continue };
        let (title, file, message) = (title.to_owned(), file.to_owned(), build.definition(found));
        examples.push(Example { title, file, class: found.name, message });
    }
    for (class, title, file) in [
        ("InputRequiredResult", "the server needs answers first", "input_required"),
        ("CreateTaskResult", "the request became a task", "task_created"),
        ("TaskHandle", "the request became a task", "task_created"),
    ] {
        let Some(found) = definition(class, revision) else { continue };
        let message = json!({ "jsonrpc": "2.0", "id": "100", "result": build.definition(found) });
        examples.push(Example { title: title.to_owned(), file: file.to_owned(), class: found.name, message });
    }
    examples
}

/// Returns an example of each kind of message of JSON-RPC.
pub(crate) fn json_rpc_examples(revision: Revision) -> Vec<Example> {
    let build = Build { revision };
    let kinds = [
        ("JSONRPCRequest", "a request", "request"),
        ("JSONRPCNotification", "a notification", "notification"),
        ("JSONRPCResultResponse", "a result", "result"),
        ("JSONRPCErrorResponse", "an error", "error"),
    ];
    let known = kinds.into_iter().filter_map(|(class, title, file)| Some((definition(class, revision)?, title, file)));
    known
        .map(|(found, title, file)| {
            let mut message = build.definition(found);
            message["id"] = "1".into();
            if file == "notification" {
                message.as_object_mut().into_iter().for_each(|members| drop(members.remove("id")));
            }
            Example { title: title.to_owned(), file: file.to_owned(), class: found.name, message }
        })
        .collect()
}

struct Build {
    revision: Revision,
}

impl Build {
    fn definition(&self, definition: &Definition) -> Json {
        match &definition.body {
            Body::Alias(value) => self.value(value, definition.name),
            Body::Object(_) => {
                let shown = definition.members_in(self.revision).filter(|member| is_shown(member));
                let members = shown.map(|member| (member.name.to_owned(), self.member(definition, member)));
                Json::Object(members.collect())
            }
        }
    }

    fn member(&self, definition: &Definition, member: &Member) -> Json {
        match (definition.name, member.name) {
            ("InputRequiredResult", "resultType") => "input_required".into(),
            ("TaskHandle", "resultType") => "task".into(),
            (_, "resultType") => "complete".into(),
            (_, "protocolVersion" | "io.modelcontextprotocol/protocolVersion" | "requested") => {
                self.revision.as_str().into()
            }
            ("Icon", "mimeType") | ("ImageContent", "mimeType") => "image/png".into(),
            ("AudioContent", "mimeType") => "audio/wav".into(),
            ("Root", "uri") => "file:///home/user/project".into(),
            ("ResourceReference" | "ResourceTemplateReference", "uri") => "file:///{path}".into(),
            ("GetPromptRequestParams", "arguments") => json!({ "language": "python" }),
            _ => self.value(&member.value, member.name),
        }
    }

    /// An example value for a member.
    fn value(&self, value: &Value, key: &str) -> Json {
        match value {
            Value::Text(format) => text(key, *format).into(),
            Value::Boolean => true.into(),
            Value::Integer { .. } => number(key).into(),
            Value::Number { fraction: true } => 0.5.into(),
            Value::Number { fraction: false } => number(key).into(),
            Value::Any => json!({ "temperature": 22.5 }),
            Value::Object | Value::Bare => json!({}),
            Value::Map(inner) => self.map(inner, key),
            Value::Word(word) => (*word).into(),
            Value::Enum(name) => words(name).and_then(|words| words.first().copied()).unwrap_or_default().into(),
            Value::Code(code) => (*code).into(),
            Value::Basic(types) if types.first() == Some(&"integer") => number(key).into(),
            Value::Basic(_) => text(key, None).into(),
            Value::Of(name) | Value::InPlace(name) => {
                definition(name, self.revision).map_or(Json::Null, |definition| self.definition_for(definition, key))
            }
            Value::List(item, _) => Json::Array(vec![self.value(item, key)]),
            Value::Choice(values) => {
                let exists =
                    |value: &&Value| value.names().iter().all(|name| definition(name, self.revision).is_some());
                values.iter().find(exists).map_or(Json::Null, |value| self.value(value, key))
            }
            Value::All(values) => {
                let mut merged = Map::new();
                for value in values {
                    if let Json::Object(members) = self.value(value, key) {
                        merged.extend(members);
                    }
                }
                merged.into()
            }
        }
    }

    /// Aliases of scalars take their example from the member that holds them.
    fn definition_for(&self, definition: &Definition, key: &str) -> Json {
        match &definition.body {
            Body::Alias(value) => self.value(value, key),
            Body::Object(_) => self.definition(definition),
        }
    }

    fn map(&self, inner: &Value, key: &str) -> Json {
        match (inner, key) {
            (Value::Any, "arguments" | "input") => json!({ "location": "San Francisco", "units": "celsius" }),
            (Value::Any, "structuredContent") => json!({ "temperature": 22.5 }),
            (Value::Any, _) => json!({}),
            (Value::Object, "properties") => json!({ "location": { "type": "string" } }),
            (Value::Object, _) => json!({}),
            (Value::Of("JSONObject"), _) => json!({ "com.example/feature": {} }),
            (Value::Of("JSONValue"), _) => json!({}),
            (inner, "properties") => json!({ "email": self.value(inner, "email") }),
            (inner, "content") => json!({ "email": self.value(inner, "email") }),
            (inner, _) => json!({ "location": self.value(inner, "location") }),
        }
    }
}

/// What is required, and what makes an example telling; metadata that may be absent is.
fn is_shown(member: &Member) -> bool {
    let telling = [
        "params",
        "arguments",
        "title",
        "description",
        "capabilities",
        "annotations",
        "structuredContent",
        "nextCursor",
        "instructions",
        "progressToken",
        "total",
        "message",
        "reason",
        "mimeType",
        "modelPreferences",
        "systemPrompt",
        "includeContext",
        "temperature",
        "hints",
        "name",
        "costPriority",
        "speedPriority",
        "intelligencePriority",
        "content",
        "statusMessage",
        "inputRequests",
        "requestState",
        "priority",
        "audience",
        "data",
        "requestId",
        "listChanged",
        "subscribe",
        "tools",
        "resources",
        "prompts",
        "toolsListChanged",
        "resourceSubscriptions",
        "required",
        "hasMore",
        "logger",
        "io.modelcontextprotocol/clientInfo",
        "id",
    ];
    member.required || telling.contains(&member.name)
}

fn text(key: &str, format: Option<&str>) -> &'static str {
    match (key, format) {
        ("src" | "websiteUrl" | "url", _) => "https://example.com/forecast",
        ("uriTemplate", _) => "file:///{path}",
        (_, Some("uri")) | ("resourceSubscriptions", _) => "file:///path/to/document.txt",
        (_, Some("byte")) => "aGVsbG8=",
        ("name", _) => "get_weather",
        ("title", _) => "Weather",
        ("description", _) => "Tells the weather at a place",
        ("version", _) => "1.0.0",
        ("mimeType", _) => "text/plain",
        ("cursor" | "nextCursor", _) => "page-2",
        ("supportedVersions" | "supported", _) => Revision::LATEST.as_str(),
        ("message", _) => "Where are you?",
        ("instructions", _) => "Ask for the weather by place.",
        ("systemPrompt", _) => "You are a weather assistant.",
        ("text", _) => "It is sunny and 22 degrees warm.",
        ("model", _) => "example-model",
        ("stopReason", _) => "endTurn",
        ("reason", _) => "the user pressed cancel",
        ("progressToken", _) => "upload-123",
        ("requestId", _) => "3",
        ("location" | "value", _) => "San Francisco",
        ("email", _) => "somebody@example.com",
        ("language", _) => "python",
        ("required", _) => "location",
        ("taskId", _) => "task-1",
        ("statusMessage", _) => "asking the satellite",
        ("createdAt" | "lastUpdatedAt" | "lastModified", _) => "2026-01-31T12:00:00Z",
        ("requestState", _) => "opaque",
        ("elicitationId", _) => "question-1",
        ("logger", _) => "forecast",
        ("method", _) => "example/method",
        _ => "example",
    }
}

fn number(key: &str) -> i64 {
    match key {
        "progress" => 75,
        "total" => 100,
        "maxTokens" => 1000,
        "code" => -32603,
        "ttl" | "ttlMs" => 60_000,
        "pollInterval" | "pollIntervalMs" => 500,
        _ => 1,
    }
}
