//! Servers for the tests, put together without macros.

use std::future::Future;

use bytes::Bytes;
use jackfield_protocol::{
    CallToolResult, Completion, ContentBlock, ErrorObject, GetPromptResult, Prompt, PromptArgument, PromptMessage,
    RawJson, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, Schema, Tool,
};
use jackfield_server::{
    Address, Cx, Done, Failure, PromptEntry, ProtocolError, QuestionError, Reading, ResourceEntry, Server, ToolEntry,
    UriTemplate, Validation, Variables, Work,
};
use serde_json::{Value, json};

/// The schema of a tool that takes one text.
pub(crate) fn text_schema(name: &str) -> Value {
    json!({"type": "object", "properties": {name: {"type": "string"}}, "required": [name]})
}

/// A tool that is ready at once.
pub(crate) fn sync_tool(
    name: &str,
    schema: Value,
    run: impl Fn(Value, Cx) -> CallToolResult + Send + Sync + 'static,
) -> ToolEntry {
    let mut entry = ToolEntry::new(Tool::new(name, Schema::new(&schema).unwrap()), move |arguments: Bytes, cx: Cx| {
        let arguments = serde_json::from_slice(&arguments).unwrap();
        Work::Ready(Ok(run(arguments, cx).into()))
    });
    entry.validation = Validation::Always;
    entry
}

/// A tool that takes its time.
pub(crate) fn tool<F, R>(name: &str, schema: Value, run: impl Fn(Value, Cx) -> F + Send + Sync + 'static) -> ToolEntry
where
    F: Future<Output = R> + Send + 'static,
    R: IntoDone,
{
    let mut entry = ToolEntry::new(Tool::new(name, Schema::new(&schema).unwrap()), move |arguments: Bytes, cx: Cx| {
        let arguments = serde_json::from_slice(&arguments).unwrap();
        let work = run(arguments, cx);
        Work::later(async move { work.await.into_done() })
    });
    entry.validation = Validation::Always;
    entry
}

/// A tool without arguments.
pub(crate) fn plain<F, R>(name: &str, run: impl Fn(Cx) -> F + Send + Sync + 'static) -> ToolEntry
where
    F: Future<Output = R> + Send + 'static,
    R: IntoDone,
{
    tool(name, json!({"type": "object"}), move |_, cx| run(cx))
}

/// What tools of these tests return.
pub(crate) trait IntoDone {
    fn into_done(self) -> Done<CallToolResult>;
}

impl IntoDone for String {
    fn into_done(self) -> Done<CallToolResult> {
        Ok(CallToolResult::text(self).into())
    }
}

impl IntoDone for Result<String, QuestionError> {
    fn into_done(self) -> Done<CallToolResult> {
        Ok(self.map_or_else(|error| CallToolResult::failure(error.to_string()), CallToolResult::text).into())
    }
}

impl IntoDone for Result<String, ErrorObject> {
    fn into_done(self) -> Done<CallToolResult> {
        self.map(|text| CallToolResult::text(text).into())
    }
}

impl IntoDone for Result<String, ProtocolError> {
    fn into_done(self) -> Done<CallToolResult> {
        self.map_or_else(Failure::into_tool_failure, |text| Ok(CallToolResult::text(text).into()))
    }
}

impl IntoDone for Done<CallToolResult> {
    fn into_done(self) -> Self {
        self
    }
}

impl IntoDone for CallToolResult {
    fn into_done(self) -> Done<CallToolResult> {
        Ok(self.into())
    }
}

pub(crate) fn echo() -> ToolEntry {
    sync_tool("echo", text_schema("message"), |arguments, _| {
        CallToolResult::text(arguments["message"].as_str().unwrap().to_owned())
    })
}

pub(crate) fn add() -> ToolEntry {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer", "maximum": 100}},
        "required": ["a", "b"],
        "additionalProperties": false,
    });
    let mut entry = sync_tool("add", schema, |arguments, _| {
        let sum = arguments["a"].as_i64().unwrap() + arguments["b"].as_i64().unwrap();
        CallToolResult::new(vec![]).with_structured(RawJson::from(json!({ "sum": sum })))
    });
    let output = json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]});
    entry.definition = entry.definition.with_output_schema(Schema::new(&output).unwrap());
    entry
}

pub(crate) fn text_resource(uri: &str, text: &'static str) -> ResourceEntry {
    let resource = Resource::new(uri, uri.split(':').next_back().unwrap()).with_mime_type("text/plain");
    ResourceEntry::new(Address::Static(resource), move |Reading { uri, .. }: Reading, _: Variables, _: Cx| {
        let contents = ResourceContents::text(uri, text).with_mime_type("text/plain");
        Work::Ready(Ok(ReadResourceResult::new(vec![contents]).into()))
    })
}

pub(crate) fn template(
    source: &str,
    read: impl Fn(&Variables) -> Option<String> + Send + Sync + 'static,
) -> ResourceEntry {
    let address = Address::Template(ResourceTemplate::new(source, source), UriTemplate::new(source).unwrap().into());
    ResourceEntry::new(address, move |Reading { uri, .. }: Reading, variables: Variables, cx: Cx| {
        let not_found = ErrorObject::resource_not_found(cx.revision(), &uri);
        Work::Ready(match read(&variables) {
            Some(text) => Ok(ReadResourceResult::new(vec![ResourceContents::text(uri, text)]).into()),
            None => Err(not_found),
        })
    })
}

pub(crate) fn review() -> PromptEntry {
    let arguments = vec![
        PromptArgument::new("code").with_required(true),
        PromptArgument::new("language").with_description("Which language."),
    ];
    let prompt = Prompt::new("review").with_description("Reviews code.").with_arguments(arguments);
    let mut entry = PromptEntry::new(prompt, |arguments: std::collections::BTreeMap<String, String>, _: Cx| {
        let text = format!("Review: {}", arguments["code"]);
        Work::Ready(Ok(GetPromptResult::new(vec![PromptMessage::user(ContentBlock::text(text))]).into()))
    });
    entry.completers.insert(
        "language".into(),
        std::sync::Arc::new(|value: String, context: std::collections::BTreeMap<String, String>, _: Cx| {
            let all = ["rust", "ruby", "python"].iter().filter(|name| name.starts_with(&value));
            let mut found: Vec<String> = all.map(|&name| name.to_owned()).collect();
            found.extend(context.get("code").map(|code| format!("for {code}")));
            Work::Ready(Ok(Completion::new(found).into()))
        }),
    );
    entry
}

/// A server with one of each.
pub(crate) fn demo() -> Server {
    Server::new("demo")
        .version("1.2.3")
        .tool(echo())
        .tool(add())
        .resource(text_resource("note:one", "the first"))
        .resource(template("note://{id}", |variables| variables.get("id").filter(|id| *id != "0").map(str::to_owned)))
        .prompt(review())
}
