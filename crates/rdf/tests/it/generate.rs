//! Messages of all revisions, made up at random from the types of the protocol.

use std::collections::BTreeMap;

use jackfield_protocol::meta::key;
use jackfield_protocol::*;
use serde_json::{Map, Value, json};

/// Random choices (splitmix64).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn coin(&mut self) -> bool {
        self.below(2) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.below(from.len() as u64) as usize;
        &from[at]
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.coin().then(|| make(self))
    }

    fn list<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(4)).map(|_| make(self)).collect()
    }

    fn text(&mut self) -> String {
        let words = [
            "",
            "a",
            "Ärger",
            "日本語",
            "\"quoted\\\"",
            "line\nbreak\r\t",
            "\u{0}\u{1}\u{7f}\u{8}\u{c}",
            "@id",
            "_:b0",
            "null",
            "http://example.com/a b",
            "🦀",
            "1.0",
            "\u{2028}",
            "plain text",
            "<>&",
            "\u{feff}",
        ];
        let one = (*self.pick(&words)).to_owned();
        if self.below(4) == 0 { one + &self.text() } else { one }
    }

    fn name(&mut self) -> String {
        let words = [
            "a",
            "name",
            "type",
            "id",
            "value",
            "items",
            "io.modelcontextprotocol/x",
            "com.example/y",
            "$ref",
            "größe",
            "",
            "@id",
            "@value",
            "@list",
            "two words",
            "a:b",
            "mcp",
            "xsd",
            "otherMembers",
            "#",
            "%41",
            "_:x",
            "\u{7f}",
            "[",
            "a\\b",
            "\"",
            "jsonrpc",
        ];
        (*self.pick(&words)).to_owned()
    }

    fn number(&mut self) -> Value {
        match self.below(8) {
            0 => json!(self.next()),
            1 => json!(self.next() as i64),
            2 => json!(f64::from_bits(self.next())),
            3 => json!(1.0),
            4 => json!(-0.0),
            5 => json!(0.5),
            6 => json!(1e20),
            _ => json!(self.below(10)),
        }
    }

    fn fraction(&mut self) -> f64 {
        self.below(1001) as f64 / 1000.0
    }

    pub(crate) fn json(&mut self, depth: u64) -> Value {
        match self.below(if depth == 0 { 5 } else { 8 }) {
            0 => Value::Null,
            1 => self.coin().into(),
            2 => self.number(),
            3 | 4 => self.text().into(),
            5 | 6 => self.object(depth - 1).into(),
            _ => self.list(|d| d.json(depth - 1)).into(),
        }
    }

    pub(crate) fn object(&mut self, depth: u64) -> Map<String, Value> {
        (0..self.below(4)).map(|_| (self.name(), self.json(depth))).collect()
    }

    fn raw(&mut self) -> RawJson {
        self.object(3).into()
    }

    fn meta(&mut self) -> Meta {
        let mut meta = Meta::from(self.object(2));
        if self.coin() {
            meta.insert(key::PROGRESS_TOKEN.to_owned(), serde_json::to_value(self.id()).unwrap());
        }
        meta
    }

    pub(crate) fn id(&mut self) -> RequestId {
        match self.below(3) {
            0 => RequestId::from(self.next() as i64),
            1 => RequestId::from_json(b"18446744073709551615").unwrap(),
            _ => RequestId::from(self.text()),
        }
    }

    fn texts(&mut self) -> BTreeMap<String, String> {
        self.list(|d| (d.name(), d.text())).into_iter().collect()
    }

    fn settings(&mut self) -> Settings {
        self.list(|d| (d.name(), d.object(1))).into_iter().collect()
    }
}

/// Sets optional members at random.
macro_rules! maybe {
    ($dice:ident, $value:ident { $( $field:ident: $make:expr ),* $(,)? }) => {
        $( $value.$field = $dice.maybe($make); )*
    };
}

fn annotations(d: &mut Dice) -> Annotations {
    let mut value = Annotations::default();
    maybe!(
        d,
        value { audience: |d| d.list(|d| *d.pick(Role::ALL)), priority: Dice::fraction, last_modified: Dice::text }
    );
    value
}

fn icon(d: &mut Dice) -> Icon {
    let mut value = Icon::new(d.text());
    maybe!(d, value { mime_type: Dice::text, sizes: |d| d.list(Dice::text), theme: |d| *d.pick(IconTheme::ALL) });
    value
}

fn icons(d: &mut Dice) -> Vec<Icon> {
    d.list(icon)
}

pub(crate) fn implementation(d: &mut Dice) -> Implementation {
    let mut value = Implementation::new(d.text(), d.text());
    maybe!(d, value { title: Dice::text, description: Dice::text, website_url: Dice::text, icons: icons });
    value
}

fn contents(d: &mut Dice) -> ResourceContents {
    if d.coin() {
        let mut value = TextResourceContents::new(d.text(), d.text());
        maybe!(d, value { mime_type: Dice::text, meta: Dice::meta });
        value.into()
    } else {
        let mut value = BlobResourceContents::new(d.text(), "AAEC");
        maybe!(d, value { mime_type: Dice::text, meta: Dice::meta });
        value.into()
    }
}

fn resource(d: &mut Dice) -> Resource {
    let mut value = Resource::new(d.text(), d.text());
    maybe!(
        d,
        value {
            title: Dice::text,
            description: Dice::text,
            mime_type: Dice::text,
            icons: icons,
            size: |d| d.below(1 << 40),
            annotations: annotations,
            meta: Dice::meta,
        }
    );
    value
}

fn template(d: &mut Dice) -> ResourceTemplate {
    let mut value = ResourceTemplate::new("file:///{name}", d.text());
    maybe!(
        d,
        value {
            title: Dice::text,
            description: Dice::text,
            mime_type: Dice::text,
            icons: icons,
            annotations: annotations,
            meta: Dice::meta,
        }
    );
    value
}

fn text_content(d: &mut Dice) -> TextContent {
    let mut value = TextContent::new(d.text());
    maybe!(d, value { annotations: annotations, meta: Dice::meta });
    value
}

fn image(d: &mut Dice) -> ImageContent {
    let mut value = ImageContent::new("AAEC", d.text());
    maybe!(d, value { annotations: annotations, meta: Dice::meta });
    value
}

fn audio(d: &mut Dice) -> AudioContent {
    let mut value = AudioContent::new("AAEC", d.text());
    maybe!(d, value { annotations: annotations, meta: Dice::meta });
    value
}

fn block(d: &mut Dice) -> ContentBlock {
    match d.below(5) {
        0 => text_content(d).into(),
        1 => image(d).into(),
        2 => audio(d).into(),
        3 => resource(d).into(),
        _ => {
            let mut value = EmbeddedResource::new(contents(d));
            maybe!(d, value { annotations: annotations, meta: Dice::meta });
            value.into()
        }
    }
}

fn schema(d: &mut Dice) -> Schema {
    let mut value = d.object(3);
    value.insert("type".to_owned(), "object".into());
    value.insert(
        "properties".to_owned(),
        json!({ "a": { "type": "string" }, "b": { "type": "integer", "minimum": 1.5 } }),
    );
    value.insert("required".to_owned(), json!(["a"]));
    value.into()
}

pub(crate) fn tool(d: &mut Dice) -> Tool {
    let mut value = Tool::new(d.text(), schema(d));
    maybe!(
        d,
        value {
            title: Dice::text,
            description: Dice::text,
            output_schema: schema,
            icons: icons,
            meta: Dice::meta,
            annotations: |d| {
                let mut value = ToolAnnotations::default();
                maybe!(
                    d,
                    value {
                        title: Dice::text,
                        read_only_hint: Dice::coin,
                        destructive_hint: Dice::coin,
                        idempotent_hint: Dice::coin,
                        open_world_hint: Dice::coin,
                    }
                );
                value
            },
            execution: |d| {
                let mut value = ToolExecution::default();
                maybe!(d, value { task_support: |d| *d.pick(TaskSupport::ALL) });
                value
            },
        }
    );
    value
}

fn prompt(d: &mut Dice) -> Prompt {
    let mut value = Prompt::new(d.text());
    maybe!(
        d,
        value {
            title: Dice::text,
            description: Dice::text,
            icons: icons,
            meta: Dice::meta,
            arguments: |d| d.list(|d| {
                let mut value = PromptArgument::new(d.text());
                maybe!(d, value { title: Dice::text, description: Dice::text, required: Dice::coin });
                value
            }),
        }
    );
    value
}

fn client_capabilities(d: &mut Dice) -> ClientCapabilities {
    let mut value = ClientCapabilities::default();
    maybe!(
        d,
        value {
            experimental: Dice::settings,
            extensions: Dice::settings,
            roots: |d| {
                let mut v = RootsCapability::default();
                maybe!(d, v { list_changed: Dice::coin });
                v
            },
            sampling: |d| {
                let mut v = SamplingCapability::default();
                maybe!(d, v { context: |d| d.object(1), tools: |d| d.object(1) });
                v
            },
            elicitation: |d| {
                let mut v = ElicitationCapability::default();
                maybe!(d, v { form: |d| d.object(1), url: |d| d.object(1) });
                v
            },
            tasks: |d| {
                let mut v = ClientTasksCapability::default();
                maybe!(
                    d,
                    v {
                        list: |d| d.object(1),
                        cancel: |d| d.object(1),
                        requests: |d| {
                            let mut v = ClientTaskRequests::default();
                            maybe!(
                                d,
                                v {
                                    sampling: |d| {
                                        let mut v = SamplingTaskRequests::default();
                                        maybe!(d, v { create_message: |d| d.object(1) });
                                        v
                                    },
                                    elicitation: |d| {
                                        let mut v = ElicitationTaskRequests::default();
                                        maybe!(d, v { create: |d| d.object(1) });
                                        v
                                    },
                                }
                            );
                            v
                        },
                    }
                );
                v
            },
        }
    );
    value
}

fn server_capabilities(d: &mut Dice) -> ServerCapabilities {
    let mut value = ServerCapabilities::default();
    maybe!(
        d,
        value {
            experimental: Dice::settings,
            extensions: Dice::settings,
            logging: |d| d.object(1),
            completions: |d| d.object(1),
            prompts: |d| {
                let mut v = PromptsCapability::default();
                maybe!(d, v { list_changed: Dice::coin });
                v
            },
            resources: |d| {
                let mut v = ResourcesCapability::default();
                maybe!(d, v { subscribe: Dice::coin, list_changed: Dice::coin });
                v
            },
            tools: |d| {
                let mut v = ToolsCapability::default();
                maybe!(d, v { list_changed: Dice::coin });
                v
            },
            tasks: |d| {
                let mut v = ServerTasksCapability::default();
                maybe!(
                    d,
                    v {
                        list: |d| d.object(1),
                        cancel: |d| d.object(1),
                        requests: |d| {
                            let mut v = ServerTaskRequests::default();
                            maybe!(
                                d,
                                v {
                                    tools: |d| {
                                        let mut v = ToolTaskRequests::default();
                                        maybe!(d, v { call: |d| d.object(1) });
                                        v
                                    },
                                }
                            );
                            v
                        },
                    }
                );
                v
            },
        }
    );
    value
}

fn task_metadata(d: &mut Dice) -> TaskMetadata {
    let mut value = TaskMetadata::default();
    maybe!(d, value { ttl: |d| d.below(100_000) });
    value
}

fn sampling_block(d: &mut Dice) -> SamplingContentBlock {
    match d.below(5) {
        0 => text_content(d).into(),
        1 => image(d).into(),
        2 => audio(d).into(),
        3 => {
            let mut value = ToolUseContent::new(d.text(), d.text(), d.raw());
            maybe!(d, value { meta: Dice::meta });
            value.into()
        }
        _ => {
            let mut value = ToolResultContent::new(d.text(), d.list(block));
            maybe!(
                d,
                value { structured_content: |d| RawJson::from(d.json(2)), is_error: Dice::coin, meta: Dice::meta }
            );
            value.into()
        }
    }
}

fn sampling_content(d: &mut Dice) -> SamplingContent {
    if d.coin() { SamplingContent::One(sampling_block(d)) } else { SamplingContent::Many(d.list(sampling_block)) }
}

fn create_message(d: &mut Dice) -> CreateMessageParams {
    let messages = d.list(|d| {
        let mut value = SamplingMessage::new(*d.pick(Role::ALL), sampling_content(d));
        maybe!(d, value { meta: Dice::meta });
        value
    });
    let mut value = CreateMessageParams::new(messages, d.below(10_000));
    maybe!(
        d,
        value {
            system_prompt: Dice::text,
            include_context: |d| *d.pick(IncludeContext::ALL),
            temperature: Dice::fraction,
            stop_sequences: |d| d.list(Dice::text),
            metadata: |d| d.object(2),
            tools: |d| d.list(tool),
            task: task_metadata,
            meta: Dice::meta,
            tool_choice: |d| {
                let mut v = ToolChoice::default();
                maybe!(d, v { mode: |d| *d.pick(ToolChoiceMode::ALL) });
                v
            },
            model_preferences: |d| {
                let mut v = ModelPreferences::default();
                maybe!(
                    d,
                    v {
                        hints: |d| d.list(|d| {
                            let mut v = ModelHint::default();
                            maybe!(d, v { name: Dice::text });
                            v
                        }),
                        cost_priority: Dice::fraction,
                        speed_priority: Dice::fraction,
                        intelligence_priority: Dice::fraction,
                    }
                );
                v
            },
        }
    );
    value
}

fn field(d: &mut Dice) -> PrimitiveSchema {
    let choices = |d: &mut Dice| match d.below(3) {
        0 => Choices::Plain(d.list(Dice::text)),
        1 => Choices::Titled(d.list(|d| Choice::new(d.text(), d.text()))),
        _ => Choices::Named(vec![d.text()], vec![d.text()]),
    };
    match d.below(5) {
        0 => {
            let mut v = StringSchema::default();
            maybe!(
                d,
                v {
                    title: Dice::text,
                    description: Dice::text,
                    min_length: |d| d.below(9),
                    max_length: |d| d.below(99),
                    pattern: Dice::text,
                    format: |d| *d.pick(StringFormat::ALL),
                    default: Dice::text,
                }
            );
            v.into()
        }
        1 => {
            let mut v = NumberSchema::default();
            v.integer = d.coin();
            maybe!(
                d,
                v {
                    title: Dice::text,
                    description: Dice::text,
                    minimum: Dice::fraction,
                    maximum: Dice::fraction,
                    default: Dice::fraction,
                }
            );
            v.into()
        }
        2 => {
            let mut v = BooleanSchema::default();
            maybe!(d, v { title: Dice::text, description: Dice::text, default: Dice::coin });
            v.into()
        }
        3 => {
            let mut v = SingleSelectSchema::new(choices(d));
            maybe!(d, v { title: Dice::text, description: Dice::text, default: Dice::text });
            v.into()
        }
        _ => {
            // Names of their own exist only where one value is chosen.
            let plain = if d.coin() {
                Choices::Plain(vec![d.text()])
            } else {
                Choices::Titled(vec![Choice::new(d.text(), d.text())])
            };
            let mut v = MultiSelectSchema::new(plain);
            maybe!(
                d,
                v {
                    title: Dice::text,
                    description: Dice::text,
                    min_items: |d| d.below(3),
                    max_items: |d| d.below(9),
                    default: |d| d.list(Dice::text),
                }
            );
            v.into()
        }
    }
}

fn elicit(d: &mut Dice) -> ElicitParams {
    if d.coin() {
        let mut fields = ElicitSchema::new();
        let names: std::collections::BTreeSet<String> = d.list(Dice::name).into_iter().collect();
        for name in names {
            fields = if d.coin() { fields.with_required(name, field(d)) } else { fields.with_optional(name, field(d)) };
        }
        fields.dialect = d.maybe(Dice::text);
        let mut value = ElicitFormParams::new(d.text(), fields);
        maybe!(d, value { mode: |_| FormMode::Form, task: task_metadata, meta: Dice::meta });
        ElicitParams::Form(value)
    } else {
        let mut value = ElicitUrlParams::new(UrlMode::Url, d.text(), "https://example.com/");
        value.elicitation_id = Some(d.text());
        maybe!(d, value { task: task_metadata, meta: Dice::meta });
        ElicitParams::Url(value)
    }
}

fn elicit_result(d: &mut Dice) -> ElicitResult {
    let mut value = ElicitResult::new(*d.pick(ElicitAction::ALL));
    let content = |d: &mut Dice| {
        let value = |d: &mut Dice| match d.below(4) {
            0 => d.text().into(),
            1 => d.below(9).into(),
            2 => d.coin().into(),
            _ => d.list(Dice::text).into(),
        };
        d.list(|d| (d.name(), value(d))).into_iter().collect()
    };
    maybe!(d, value { content: content, meta: Dice::meta });
    value
}

fn create_message_result(d: &mut Dice) -> CreateMessageResult {
    let mut value = CreateMessageResult::new(*d.pick(Role::ALL), sampling_content(d), d.text());
    maybe!(d, value { stop_reason: Dice::text, meta: Dice::meta });
    value
}

fn roots_result(d: &mut Dice) -> ListRootsResult {
    let mut value = ListRootsResult::new(d.list(|d| {
        let mut value = Root::new("file:///x");
        maybe!(d, value { name: Dice::text, meta: Dice::meta });
        value
    }));
    maybe!(d, value { meta: Dice::meta });
    value
}

fn input_requests(d: &mut Dice) -> InputRequests {
    d.list(|d| {
        let question = match d.below(3) {
            0 => create_message(d).into(),
            1 => InputRequest::ListRoots(empty_params(d)),
            _ => elicit(d).into(),
        };
        (d.name(), question)
    })
    .into_iter()
    .collect()
}

fn input_responses(d: &mut Dice) -> InputResponses {
    let mut responses = InputResponses::new();
    for _ in 0..d.below(3) {
        let name = d.name();
        match d.below(3) {
            0 => responses.insert(name, create_message_result(d)),
            1 => responses.insert(name, roots_result(d)),
            _ => responses.insert(name, elicit_result(d)),
        }
    }
    responses
}

fn list_params(d: &mut Dice) -> ListParams {
    let mut value = ListParams::default();
    maybe!(d, value { cursor: Dice::text, meta: Dice::meta });
    value
}

fn empty_params(d: &mut Dice) -> EmptyParams {
    let mut value = EmptyParams::default();
    maybe!(d, value { meta: Dice::meta });
    value
}

fn task_params(d: &mut Dice) -> TaskParams {
    let mut value = TaskParams::new(d.text());
    maybe!(d, value { meta: Dice::meta });
    value
}

fn filter(d: &mut Dice) -> SubscriptionFilter {
    let mut value = SubscriptionFilter::default();
    maybe!(
        d,
        value {
            tools_list_changed: Dice::coin,
            prompts_list_changed: Dice::coin,
            resources_list_changed: Dice::coin,
            resource_subscriptions: |d| d.list(Dice::text),
            task_ids: |d| d.list(Dice::text),
        }
    );
    value
}

fn task(d: &mut Dice) -> Task {
    let mut value = Task::new(d.text(), *d.pick(TaskStatus::ALL), "2025-11-25T10:30:00Z");
    maybe!(
        d,
        value { status_message: Dice::text, ttl: |d| d.below(99), poll_interval: |d| d.below(99), meta: Dice::meta }
    );
    value
}

fn task_handle(d: &mut Dice) -> TaskHandle {
    task(d).into()
}

fn detailed_task(d: &mut Dice) -> DetailedTask {
    let state = match d.below(5) {
        0 => TaskState::Working,
        1 => TaskState::InputRequired(input_requests(d)),
        2 => TaskState::Completed(d.raw()),
        3 => TaskState::Failed(error(d)),
        _ => TaskState::Cancelled,
    };
    DetailedTask::new(task_handle(d), state)
}

pub(crate) fn error(d: &mut Dice) -> ErrorObject {
    let error = ErrorObject::new(d.next() as i32 as i64, d.text());
    if d.coin() { error.with_data(d.json(2)) } else { error }
}

macro_rules! with_meta {
    ($d:ident, $value:expr) => {{
        let mut value = $value;
        maybe!($d, value { meta: Dice::meta });
        value
    }};
}

/// A request to a server, or to a client.
pub(crate) enum AnyRequest {
    Client(ClientRequest),
    Server(ServerRequest),
}

pub(crate) fn request(d: &mut Dice, method: Method) -> AnyRequest {
    let to_client = method.row().direction == Direction::ToClient || (method == Method::Ping && d.coin());
    if to_client {
        return AnyRequest::Server(match method {
            Method::Ping => ServerRequest::Ping(empty_params(d)),
            Method::CreateMessage => ServerRequest::CreateMessage(create_message(d).into()),
            Method::ListRoots => ServerRequest::ListRoots(empty_params(d)),
            Method::Elicit => ServerRequest::Elicit(elicit(d).into()),
            other => panic!("no generator for {other:?}"),
        });
    }
    let responses = input_responses;
    AnyRequest::Client(match method {
        Method::Initialize => {
            let value = InitializeParams::new(d.text(), client_capabilities(d), implementation(d));
            ClientRequest::Initialize(with_meta!(d, value).into())
        }
        Method::Ping => ClientRequest::Ping(empty_params(d)),
        Method::Discover => ClientRequest::Discover(empty_params(d)),
        Method::CallTool => {
            let mut value = CallToolParams::new(d.text());
            maybe!(
                d,
                value {
                    arguments: Dice::raw,
                    task: task_metadata,
                    input_responses: responses,
                    request_state: Dice::text,
                    meta: Dice::meta,
                }
            );
            ClientRequest::CallTool(value)
        }
        Method::ListTools => ClientRequest::ListTools(list_params(d)),
        Method::ListResources => ClientRequest::ListResources(list_params(d)),
        Method::ListResourceTemplates => ClientRequest::ListResourceTemplates(list_params(d)),
        Method::ReadResource => {
            let mut value = ReadResourceParams::new(d.text());
            maybe!(d, value { input_responses: responses, request_state: Dice::text, meta: Dice::meta });
            ClientRequest::ReadResource(value)
        }
        Method::Subscribe => ClientRequest::Subscribe(with_meta!(d, SubscribeParams::new(d.text()))),
        Method::Unsubscribe => ClientRequest::Unsubscribe(with_meta!(d, UnsubscribeParams::new(d.text()))),
        Method::ListPrompts => ClientRequest::ListPrompts(list_params(d)),
        Method::GetPrompt => {
            let mut value = GetPromptParams::new(d.text());
            maybe!(
                d,
                value {
                    arguments: Dice::texts,
                    input_responses: responses,
                    request_state: Dice::text,
                    meta: Dice::meta,
                }
            );
            ClientRequest::GetPrompt(value)
        }
        Method::Complete => {
            let reference = if d.coin() {
                let mut value = PromptReference::new(d.text());
                maybe!(d, value { title: Dice::text });
                Reference::Prompt(value)
            } else {
                Reference::resource(d.text())
            };
            let mut value = CompleteParams::new(reference, CompletionArgument::new(d.text(), d.text()));
            maybe!(
                d,
                value {
                    context: |d| {
                        let mut v = CompletionContext::default();
                        maybe!(d, v { arguments: Dice::texts });
                        v
                    },
                    meta: Dice::meta,
                }
            );
            ClientRequest::Complete(value)
        }
        Method::SetLevel => ClientRequest::SetLevel(with_meta!(d, SetLevelParams::new(*d.pick(LoggingLevel::ALL)))),
        Method::Listen => ClientRequest::Listen(with_meta!(d, ListenParams::new(filter(d)))),
        Method::GetTask => ClientRequest::GetTask(task_params(d)),
        Method::TaskResult => ClientRequest::TaskResult(task_params(d)),
        Method::ListTasks => ClientRequest::ListTasks(list_params(d)),
        Method::CancelTask => ClientRequest::CancelTask(task_params(d)),
        Method::UpdateTask => ClientRequest::UpdateTask(with_meta!(d, UpdateTaskParams::new(d.text(), responses(d)))),
        other => panic!("no generator for {other:?}"),
    })
}

pub(crate) fn notification(d: &mut Dice, method: Method) -> Notification {
    match method {
        Method::Initialized => Notification::Initialized(empty_params(d)),
        Method::Cancelled => {
            let mut value = CancelledParams::new(d.id());
            maybe!(d, value { reason: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::Progress => {
            let mut value = ProgressParams::new(d.id(), d.fraction());
            maybe!(d, value { total: Dice::fraction, message: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::LogMessage => {
            let mut value = LoggingMessageParams::new(*d.pick(LoggingLevel::ALL), RawJson::from(d.json(3)));
            maybe!(d, value { logger: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::ToolListChanged => Notification::ToolListChanged(empty_params(d)),
        Method::PromptListChanged => Notification::PromptListChanged(empty_params(d)),
        Method::ResourceListChanged => Notification::ResourceListChanged(empty_params(d)),
        Method::ResourceUpdated => with_meta!(d, ResourceUpdatedParams::new(d.text())).into(),
        Method::SubscriptionsAcknowledged => with_meta!(d, SubscriptionsAcknowledgedParams::new(filter(d))).into(),
        Method::RootsListChanged => Notification::RootsListChanged(empty_params(d)),
        Method::ElicitationComplete => with_meta!(d, ElicitationCompleteParams::new(d.text())).into(),
        Method::TaskStatus => task(d).into(),
        Method::TaskChanged => detailed_task(d).into(),
        other => panic!("no generator for {other:?}"),
    }
}

/// The result of a request to a server; `None` for requests to clients.
pub(crate) fn result(d: &mut Dice, method: Method, revision: Revision) -> Option<Outcome<AnyResult>> {
    if revision.tags_results() && d.below(8) == 0 {
        let mut value = InputRequired::default();
        maybe!(d, value { input_requests: input_requests, request_state: Dice::text, meta: Dice::meta });
        return Some(Outcome::InputRequired(value));
    }
    if revision.has_core_tasks() && d.below(8) == 0 {
        return Some(Outcome::Complete(with_meta!(d, CreateTaskResult::new(task(d))).into()));
    }
    if revision.tags_results() && d.below(8) == 0 {
        return Some(Outcome::Task(Box::new(task_handle(d))));
    }
    macro_rules! page {
        ($value:expr) => {{
            let mut value = $value;
            maybe!(
                d,
                value {
                    next_cursor: Dice::text,
                    ttl_ms: |d| d.below(99),
                    cache_scope: |d| *d.pick(CacheScope::ALL),
                    meta: Dice::meta,
                }
            );
            value.into()
        }};
    }
    let result: AnyResult = match method {
        Method::Initialize => {
            let mut value = InitializeResult::new(d.text(), server_capabilities(d), implementation(d));
            maybe!(d, value { instructions: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::Discover => {
            let mut value = DiscoverResult::new(d.list(Dice::text), server_capabilities(d));
            maybe!(
                d,
                value {
                    instructions: Dice::text,
                    ttl_ms: |d| d.below(99),
                    cache_scope: |d| *d.pick(CacheScope::ALL),
                    meta: Dice::meta,
                }
            );
            value.into()
        }
        Method::CallTool => {
            let mut value = CallToolResult::new(d.list(block));
            maybe!(
                d,
                value { structured_content: |d| RawJson::from(d.json(3)), is_error: Dice::coin, meta: Dice::meta }
            );
            value.into()
        }
        Method::ListTools => page!(ListToolsResult::new(d.list(tool))),
        Method::ListResources => page!(ListResourcesResult::new(d.list(resource))),
        Method::ListResourceTemplates => page!(ListResourceTemplatesResult::new(d.list(template))),
        Method::ListPrompts => page!(ListPromptsResult::new(d.list(prompt))),
        Method::ReadResource => {
            let mut value = ReadResourceResult::new(d.list(contents));
            maybe!(d, value { ttl_ms: |d| d.below(99), cache_scope: |d| *d.pick(CacheScope::ALL), meta: Dice::meta });
            value.into()
        }
        Method::GetPrompt => {
            let mut value = GetPromptResult::new(d.list(|d| PromptMessage::new(*d.pick(Role::ALL), block(d))));
            maybe!(d, value { description: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::Complete => {
            let mut completion = Completion::new(d.list(Dice::text));
            maybe!(d, completion { total: |d| d.below(99), has_more: Dice::coin });
            with_meta!(d, CompleteResult::new(completion)).into()
        }
        Method::Listen => ListenResult::new(&d.id()).into(),
        Method::GetTask if revision.has_core_tasks() => task(d).into(),
        Method::GetTask => detailed_task(d).into(),
        Method::CancelTask if revision.has_core_tasks() => task(d).into(),
        Method::ListTasks => {
            let mut value = ListTasksResult::new(d.list(task));
            maybe!(d, value { next_cursor: Dice::text, meta: Dice::meta });
            value.into()
        }
        Method::TaskResult => AnyResult::Other(d.raw()),
        Method::CreateMessage | Method::ListRoots | Method::Elicit => return None,
        _ => with_meta!(d, EmptyResult::default()).into(),
    };
    Some(Outcome::Complete(result))
}

pub(crate) fn client_result(d: &mut Dice, method: Method) -> ClientResult {
    match method {
        Method::CreateMessage => create_message_result(d).into(),
        Method::ListRoots => roots_result(d).into(),
        Method::Elicit => elicit_result(d).into(),
        other => panic!("no generator for {other:?}"),
    }
}

/// A message as it goes over the wire, and the method it belongs to.
pub(crate) struct Wire {
    pub(crate) method: Method,
    pub(crate) json: Vec<u8>,
    pub(crate) is_answer: bool,
}

/// Makes up a message of a revision. `None` where what was made up has no words in it, such as a page to visit.
pub(crate) fn message(d: &mut Dice, revision: Revision) -> Option<Wire> {
    let methods: Vec<Method> = Method::TABLE.iter().map(|row| row.method).filter(|m| m.is_defined(revision)).collect();
    let method = *d.pick(&methods);
    let mut json = Vec::new();
    if method.row().kind == Kind::Notification {
        write_notification(&mut json, notification(d, method), revision).ok()?;
        return Some(Wire { method, json, is_answer: false });
    }
    let id = d.id();
    if d.coin() {
        let level = d.maybe(|d| *d.pick(LoggingLevel::ALL));
        let caller = CallerMeta::new(revision, Some(&implementation(d)), &client_capabilities(d), level);
        match request(d, method) {
            AnyRequest::Client(request) => {
                write_request(&mut json, &id, request, revision, revision.tags_results().then_some(&caller)).ok()?;
            }
            AnyRequest::Server(request) => write_server_request(&mut json, &id, request, revision).ok()?,
        }
        return Some(Wire { method, json, is_answer: false });
    }
    json.extend_from_slice(format!("{{\"jsonrpc\":\"2.0\",\"id\":{},", serde_json::to_string(&id).unwrap()).as_bytes());
    if d.below(10) == 0 {
        json.extend_from_slice(b"\"error\":");
        json.extend_from_slice(&serde_json::to_vec(&error(d)).unwrap());
    } else {
        json.extend_from_slice(b"\"result\":");
        match result(d, method, revision) {
            Some(result) => {
                let info = serde_json::to_vec(&implementation(d)).unwrap();
                write_result(&mut json, result, revision, revision.tags_results().then_some(&info)).ok()?;
            }
            None => write_client_result(&mut json, client_result(d, method), revision).ok()?,
        }
    }
    json.push(b'}');
    Some(Wire { method, json, is_answer: true })
}
