//! Closures and functions as tools, resources and prompts, without macros.

use std::any::TypeId;

use jackfield::protocol::{Icon, Meta, TaskSupport};
use jackfield::server::{FromCx, SchemaOf, ToolEntry, Validation, Variables, prompt_fn, resource_fn, tool_fn};
use jackfield::testing::TestClient;
use jackfield::{Cx, Json, JsonSchema, Reference, Revision, Schema, Server, State, Value, json, tool, tools};
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
struct Add {
    /// The first one.
    a: i64,
    b: u8,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

struct Factor(i64);

struct Caller(Revision);

impl FromCx for Caller {
    type Rejection = std::convert::Infallible;

    async fn from_cx(cx: &Cx) -> Result<Self, Self::Rejection> {
        Ok(Self(cx.revision()))
    }
}

fn add(args: Add) -> i64 {
    args.a + i64::from(args.b)
}

async fn scaled(args: Add, factor: State<Factor>) -> jackfield::Result<String> {
    Ok((add(args) * factor.0.0).to_string())
}

async fn text_of(client: &TestClient, tool: &str, arguments: Value) -> (bool, String) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    (result.is_failure(), result.content.first().and_then(|block| block.as_text()).unwrap_or_default().to_owned())
}

#[tokio::test]
async fn functions_and_closures_of_every_shape_are_tools() {
    let captured = "captured".to_owned();
    let server = Server::new("shapes")
        .tool_fn("nothing", || {})
        .tool_fn("captured", move || captured.clone())
        .tool_fn("awaited", || async { "awaited" })
        .tool_fn("add", add)
        .tool_fn("scaled", scaled)
        .tool_fn("args_awaited", |args: Add| async move { add(args) })
        .tool_fn("context", |cx: Cx| cx.revision().to_string())
        .tool_fn("context_awaited", |caller: Caller, _: Cx| async move { caller.0.to_string() })
        .tool_fn("option", |text: Option<State<String>>| text.is_some())
        .tool_fn("fails", |_: Cx| Err::<(), _>("out of paper"))
        .tool_fn("six", |args: Add, _: Cx, _: Cx, caller: Caller, factor: State<Factor>, _: Cx| async move {
            format!("{} {} {}", args.a, factor.0.0, caller.0)
        })
        .state(Factor(10));
    let client = TestClient::of(server);
    let latest = Revision::LATEST.to_string();
    let two = json!({ "a": 1, "b": 2 });
    for (tool, arguments, text) in [
        ("nothing", json!({}), ""),
        ("captured", json!({}), "captured"),
        ("awaited", json!({}), "awaited"),
        ("add", two.clone(), "3"),
        ("scaled", two.clone(), "30"),
        ("args_awaited", two.clone(), "3"),
        ("context", json!({}), &latest),
        ("context_awaited", json!({}), &latest),
        ("option", json!({}), "false"),
        ("six", two, &format!("1 10 {latest}")),
    ] {
        assert_eq!(text_of(&client, tool, arguments).await, (false, text.to_owned()), "{tool}");
    }
    assert_eq!(text_of(&client, "fails", json!({})).await, (true, "out of paper".to_owned()));
}

#[tokio::test]
async fn what_a_tool_says_about_itself_is_listed() {
    let entry = tool_fn("add", |args: Add| Json(Sum { sum: add(args) }))
        .description("Adds two numbers.")
        .title("Addition")
        .read_only(true)
        .destructive(false)
        .idempotent(true)
        .open_world(false)
        .icons([Icon::new("https://example.com/plus.png")])
        .meta(Meta::from_iter([("example.com/group".to_owned(), json!("numbers"))]))
        .task(TaskSupport::Optional)
        .validation(Validation::Always);
    assert!(entry.typed_output && entry.validation == Validation::Always);
    let listed = json!({
        "name": "add",
        "title": "Addition",
        "description": "Adds two numbers.",
        "inputSchema": {
            "type": "object",
            "title": "Add",
            "properties": {
                "a": { "type": "integer", "description": "The first one." },
                "b": { "type": "integer", "minimum": 0, "maximum": 255 },
            },
            "required": ["a", "b"],
        },
        "outputSchema": {
            "type": "object",
            "title": "Sum",
            "properties": { "sum": { "type": "integer" } },
            "required": ["sum"],
        },
        "annotations": {
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false
        },
        "icons": [{ "src": "https://example.com/plus.png" }],
        "execution": { "taskSupport": "optional" },
        "_meta": { "example.com/group": "numbers" },
    });
    assert_eq!(serde_json::to_value(entry.definition).unwrap(), listed);

    let by_hand = tool_fn("none", || {}).output::<Sum>();
    assert!(!by_hand.typed_output);
    assert_eq!(by_hand.definition.output_schema.unwrap().to_value(), listed["outputSchema"]);
    assert_eq!(by_hand.definition.input_schema.to_value(), json!({ "type": "object", "properties": {} }));
    assert_eq!(Schema::of::<Add>().to_value(), listed["inputSchema"]);

    let client = TestClient::of(Server::new("listed").tool(tool_fn("add", add).description("Adds.").read_only(true)));
    let tools = serde_json::to_value(client.list_tools().await.unwrap()).unwrap();
    assert_eq!(
        (&tools[0]["description"], &tools[0]["annotations"]),
        (&json!("Adds."), &json!({ "readOnlyHint": true }))
    );
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Strict {
    text: String,
    page: Option<Add>,
}

/// SRV-025, SRV-027: the model reads the same as from a tool by macro: the argument and its rule.
#[tokio::test]
async fn bad_arguments_are_described_as_those_of_macros() {
    #[tool]
    fn with_macro(a: i64, b: u8) -> i64 {
        a + i64::from(b)
    }
    #[tool]
    fn with_args(#[args] args: Add) -> i64 {
        add(args)
    }
    #[tool(deny_unknown)]
    fn strict_macro(text: String, page: Option<Add>) -> String {
        text + &page.map(add).unwrap_or_default().to_string()
    }

    let server = Server::new("bad")
        .tools(tools![with_macro, with_args, strict_macro])
        .tool(tool_fn("closure", add).validation(Validation::Off))
        .tool_fn("strict", |args: Strict| args.text + &args.page.map(add).unwrap_or_default().to_string());
    let client = TestClient::of(server);
    for bad in [json!({ "a": 1 }), json!({ "a": "one", "b": 1 }), json!({ "a": 1, "b": null }), json!({ "b": [] })] {
        let expected = text_of(&client, "with_macro", bad.clone()).await;
        assert!(expected.0, "{bad}");
        assert_eq!(text_of(&client, "closure", bad.clone()).await, expected, "{bad}");
        assert_eq!(text_of(&client, "with_args", bad.clone()).await, expected, "{bad}");
    }
    for bad in [json!({}), json!({ "text": 1 }), json!({ "text": "a", "other": 1 }), json!({ "text": "a", "page": {} })]
    {
        let (failed, text) = text_of(&client, "strict_macro", bad.clone()).await;
        assert!(failed, "{bad}");
        assert_eq!(text_of(&client, "strict", bad).await, (true, text.replace("strict_macro", "strict")));
    }
}

#[test]
fn state_that_nobody_provides_is_refused_when_the_server_is_built() {
    let entry = tool_fn("scaled", scaled);
    let required: Vec<_> = entry.requirements.states().iter().map(|state| state.type_id).collect();
    assert_eq!(required, [TypeId::of::<Factor>()]);
    for server in [
        Server::new("x").tool(entry),
        Server::new("x").resource_fn("a://b", |factor: State<Factor>| factor.0.0.to_string()),
        Server::new("x").prompt_fn("p", |_: Cx, factor: State<Factor>| factor.0.0.to_string()),
    ] {
        let error = server.build().unwrap_err().to_string();
        assert!(error.contains("Factor"), "{error}");
    }
    assert!(Server::new("x").tool_fn("scaled", scaled).state(Factor(1)).build().is_ok());
}

#[test]
fn arguments_that_are_no_object_and_templates_that_are_not_closed_are_refused() {
    let number = Server::new("x").tool_fn("number", |number: u32| number).build().unwrap_err().to_string();
    assert!(number.contains("number") && number.contains("object"), "{number}");
    let template = Server::new("x").resource_fn("notes://{title", || "").build().unwrap_err().to_string();
    assert!(template.starts_with("template `notes://{title`"), "{template}");
}

#[tokio::test]
async fn tools_of_closures_come_and_go() {
    let server = Server::new("plugins");
    let registry = server.registry();
    let client = TestClient::of(server);
    let handle = registry.tools().add(tool_fn("add", |args: Add| async { add(args) })).unwrap();
    assert_eq!(text_of(&client, "add", json!({ "a": 1, "b": 2 })).await.1, "3");
    handle.remove();
    assert!(client.list_tools().await.unwrap().is_empty());
}

#[derive(Deserialize)]
struct Page {
    folder: String,
    page: u32,
    tags: Option<Vec<String>>,
}

fn resources() -> Server {
    let page = |page: Page, _: Cx| async move {
        (page.page < 3).then(|| format!("{} {} {:?}", page.folder, page.page, page.tags.unwrap_or_default()))
    };
    let note = |variables: Variables| variables.get("title").map(|title| title.to_uppercase());
    Server::new("resources")
        .resource(resource_fn("about://server", || "A server.").name("about").title("About").mime_type("text/plain"))
        .resource(
            resource_fn("pages://{folder}/{page}{?tags*}", page)
                .name("page")
                .description("A page.")
                .mime_type("text/markdown")
                .complete("folder", |typed: &str| vec![format!("{typed}!")]),
        )
        .resource_fn("notes://{title}", note)
        .resource(resource_fn("data://json", || Json([1, 2])).mime_type("application/example+json"))
}

#[tokio::test]
async fn closures_are_resources() {
    let client = TestClient::of(resources());
    let read =
        async |uri: &str| serde_json::to_value(client.read_resource(uri).await.unwrap()).unwrap()["contents"].take();
    assert_eq!(
        read("about://server").await,
        json!([{ "uri": "about://server", "mimeType": "text/plain", "text": "A server." }])
    );
    let page = read("pages://work/2?tags=a&tags=b").await;
    assert_eq!((&page[0]["text"], &page[0]["mimeType"]), (&json!(r#"work 2 ["a", "b"]"#), &json!("text/markdown")));
    assert_eq!(read("notes://ada").await[0]["text"], "ADA");
    let data = read("data://json").await;
    assert_eq!((&data[0]["text"], &data[0]["mimeType"]), (&json!("[1,2]"), &json!("application/example+json")));

    let error = client.read_resource("pages://work/two").await.unwrap_err();
    assert_eq!(error.code, -32602);
    assert!(error.message.starts_with("argument `page`: expected an integer from 0 to 4294967295"), "{error}");
    assert!(client.read_resource("pages://work/3").await.unwrap_err().message.contains("not found"));

    let templates = client.list_resource_templates().await.unwrap();
    let page = templates.iter().find(|template| template.name == "page").unwrap();
    assert_eq!(page.description.as_deref(), Some("A page."));
    let completed =
        client.complete(Reference::resource("pages://{folder}/{page}{?tags*}"), "folder", "work").await.unwrap();
    assert_eq!(completed.values, ["work!"]);
}

#[derive(Deserialize, JsonSchema)]
struct Review {
    /// What to review.
    code: String,
    level: Option<u8>,
    #[serde(default)]
    topics: Vec<String>,
}

#[tokio::test]
async fn closures_are_prompts() {
    let review =
        prompt_fn("review", |review: Review| format!("{} {:?} {:?}", review.code, review.level, review.topics));
    let review = review.title("Review").description("Reviews code.").complete("level", |_: &str| vec!["1"]);
    let server = Server::new("prompts").prompt(review).prompt_fn("hello", || async { "hello" });
    let client = TestClient::of(server);
    let listed = client.list_prompts().await.unwrap();
    let review = listed.iter().find(|prompt| prompt.name == "review").unwrap();
    assert_eq!(
        serde_json::to_value(review).unwrap(),
        json!({
            "name": "review",
            "title": "Review",
            "description": "Reviews code.",
            "arguments": [
                { "name": "code", "description": "What to review.", "required": true },
                { "name": "level", "required": false },
                { "name": "topics", "required": false },
            ],
        })
    );
    let text = async |name: &str, arguments: Value| {
        let result = client.get_prompt(name, arguments).await?;
        Ok::<_, jackfield::ErrorObject>(result.messages[0].content.as_text().unwrap_or_default().to_owned())
    };
    assert_eq!(text("hello", json!({})).await.unwrap(), "hello");
    let all = json!({ "code": "x", "level": "3", "topics": "speed, size" });
    assert_eq!(text("review", all).await.unwrap(), r#"x Some(3) ["speed", "size"]"#);
    assert_eq!(text("review", json!({ "code": "x" })).await.unwrap(), "x None []");
    for (bad, message) in [
        (json!({}), "the prompt review needs the argument `code`"),
        (json!({ "code": "x", "level": "high" }), "argument `level`: expected an integer from 0 to 255, got \"high\""),
    ] {
        let error = text("review", bad).await.unwrap_err();
        assert_eq!((error.code, &*error.message), (-32602, message));
    }
    assert_eq!(client.complete(Reference::prompt("review"), "level", "").await.unwrap().values, ["1"]);
}

/// Entries of closures and of macros are the same type, and go into one list.
#[test]
fn entries_are_of_one_type() {
    #[tool]
    fn by_macro() {}

    let [by_macro] = tools![by_macro];
    let entries: [ToolEntry; 2] = [by_macro, tool_fn("by_closure", || {})];
    assert!(Server::new("both").tools(entries).build().is_ok());
}
