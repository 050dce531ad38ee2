//! Functions as tools: what is listed, what is decoded, what is refused.

use jackfield::server::{FromCx, ToolEntry};
use jackfield::testing::TestClient;
use jackfield::{Cx, JsonSchema, Revision, Server, State, Tool, Value, json, tool, tools};
use serde::{Deserialize, Serialize};

/// Adds two numbers.
///
/// Both are whole.
#[tool(read_only, destructive = false, title = "Addition", icon = "https://example.com/plus.png", task)]
fn add(
    /// The first one.
    a: i64,
    /** The second one. */
    b: i64,
) -> i64 {
    a + b
}

fn listed([tool]: [ToolEntry; 1]) -> Value {
    serde_json::to_value(tool.definition).unwrap()
}

fn schema(tool: [ToolEntry; 1]) -> Value {
    listed(tool)["inputSchema"].take()
}

/// SRV-012: what a tool is called and takes comes from the function.
#[test]
fn the_definition_comes_from_the_function() {
    assert_eq!(
        listed(tools![add]),
        json!({
            "name": "add",
            "title": "Addition",
            "description": "Adds two numbers.\n\nBoth are whole.",
            "inputSchema": {
                "type": "object",
                "properties": {
                    "a": { "type": "integer", "description": "The first one." },
                    "b": { "type": "integer", "description": "The second one." },
                },
                "required": ["a", "b"],
            },
            "annotations": { "readOnlyHint": true, "destructiveHint": false },
            "icons": [{ "src": "https://example.com/plus.png" }],
            "execution": { "taskSupport": "optional" },
        })
    );
}

#[test]
fn arguments_are_listed_in_the_order_of_the_parameters() {
    #[tool]
    fn ordered(zebra: u8, apple: u8) -> u8 {
        zebra + apple
    }

    let [ordered] = tools![ordered];
    let text = ordered.definition.input_schema.get().to_owned();
    assert!(text.find("zebra") < text.find("apple"), "{text}");
}

#[test]
fn the_package_is_the_users_own() {
    let [ToolEntry { package, .. }] = tools![add];
    assert_eq!(package.map(|package| package.name), Some("jackfield"));
}

#[test]
fn a_function_can_still_be_called() {
    assert_eq!(add(1, 2), 3);
    assert_eq!([(1, 2)].map(|(a, b)| add(a, b)), [3]);
}

#[tool]
async fn shout(text: &str, cx: Option<&str>) -> String {
    format!("{}{}", text.to_uppercase(), cx.unwrap_or("!"))
}

#[tokio::test]
async fn an_async_function_can_still_be_called() {
    assert_eq!(shout("hey", None).await, "HEY!");
}

#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Unit {
    #[default]
    Metre,
    Mile,
}

#[tool(deny_unknown, meta = json!({ "example.com/group": "search" }), name = "text.search")]
fn search(
    #[arg(length(1..=10), pattern = "^[a-z]+$")] query: String,
    #[default(10)]
    #[arg(range(1..100))]
    limit: u32,
    #[default("en")] language: String,
    #[default] unit: Unit,
    #[arg(rename = "in", description = "Where.", header = "X-Where")] place: Option<String>,
    #[schemars(range(min = 0.5), title = "Weight")] weight: Option<f64>,
    #[serde(default)] tags: Vec<String>,
) -> String {
    format!("{query} {limit} {language} {unit:?} {place:?} {weight:?} {tags:?}")
}

#[test]
fn attributes_of_parameters_are_in_the_schema() {
    let listed = listed(tools![search]);
    assert_eq!(listed["name"], "text.search");
    assert_eq!(listed["_meta"], json!({ "example.com/group": "search" }));
    assert_eq!(
        schema(tools![search]),
        json!({
            "type": "object",
            "properties": {
                "query": { "type": "string", "minLength": 1, "maxLength": 10, "pattern": "^[a-z]+$" },
                "limit": { "type": "integer", "minimum": 1, "exclusiveMaximum": 100, "default": 10 },
                "language": { "type": "string", "default": "en" },
                "unit": { "$ref": "#/$defs/Unit", "default": "metre" },
                "in": { "type": "string", "description": "Where.", "x-mcp-header": "X-Where" },
                "weight": { "type": ["number", "null"], "minimum": 0.5, "title": "Weight" },
                "tags": { "type": "array", "items": { "type": "string" }, "default": [] },
            },
            "required": ["query"],
            "additionalProperties": false,
            "$defs": { "Unit": { "type": "string", "enum": ["metre", "mile"] } },
        })
    );
}

fn client() -> TestClient {
    TestClient::of(Server::new("tools").tools(tools![add, search, shout]))
}

async fn text_of(client: &TestClient, tool: &str, arguments: Value) -> (bool, String) {
    let result = client.call_tool(tool, arguments).await.unwrap();
    (result.is_failure(), result.content[0].as_text().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn arguments_arrive_with_their_defaults() {
    let client = client();
    let (failed, text) = text_of(&client, "text.search", json!({ "query": "abc" })).await;
    assert_eq!((failed, text.as_str()), (false, "abc 10 en Metre None None []"));
    let all =
        json!({ "query": "abc", "limit": 5, "language": "de", "unit": "mile", "in": "x", "weight": 1, "tags": ["t"] });
    assert_eq!(text_of(&client, "text.search", all).await.1, r#"abc 5 de Mile Some("x") Some(1.0) ["t"]"#);
    assert_eq!(text_of(&client, "shout", json!({ "text": "a", "cx": "?" })).await.1, "A?");
}

/// SRV-025, SRV-027, SRV-029: what does not fit is told to the model, not to the protocol.
#[tokio::test]
async fn bad_arguments_are_failures_that_name_the_argument() {
    let client = client();
    for (arguments, word) in
        [(json!({ "a": 1 }), "b"), (json!({ "a": "one", "b": 1 }), "a"), (json!({ "a": 1.5, "b": 1 }), "a")]
    {
        let (failed, text) = text_of(&client, "add", arguments).await;
        assert!(failed && text.contains(word), "{text}");
    }
    for (arguments, word) in [
        (json!({ "query": "" }), "query"),
        (json!({ "query": "abc", "limit": 100 }), "limit"),
        (json!({ "query": "abc", "unit": "foot" }), "unit"),
        (json!({ "query": "abc", "other": 1 }), "other"),
    ] {
        let (failed, text) = text_of(&client, "text.search", arguments).await;
        assert!(failed && text.contains(word), "{text}");
    }
}

#[derive(Deserialize, JsonSchema)]
struct Rectangle {
    /// In metres.
    width: f64,
    height: f64,
}

#[tool]
fn area(#[args] rectangle: Rectangle, cx: &Cx) -> f64 {
    let _ = cx;
    rectangle.width * rectangle.height
}

#[tokio::test]
async fn one_type_may_take_all_arguments() {
    assert_eq!(schema(tools![area])["properties"]["width"]["description"], "In metres.");
    let client = TestClient::of(Server::new("tools").tools(tools![area]));
    assert_eq!(text_of(&client, "area", json!({ "width": 2, "height": 3 })).await, (false, "6".to_owned()));
    let (failed, text) = text_of(&client, "area", json!({ "width": 2 })).await;
    assert!(failed && text.contains("height"), "{text}");
}

struct Greeting(&'static str);

struct Client(String);

impl FromCx for Client {
    type Rejection = std::convert::Infallible;

    async fn from_cx(cx: &Cx) -> Result<Self, Self::Rejection> {
        let name = cx.caller().client_info.as_ref().map(|client| client.name.clone());
        Ok(Self(name.unwrap_or_default()))
    }
}

#[tool]
fn greet(name: String, greeting: State<Greeting>, #[extract] client: Client, cx: Cx) -> String {
    format!("{} {name} from {} in {}", greeting.0.0, client.0, cx.caller().revision)
}

/// What a missing state can be found by before any call.
#[test]
fn entries_say_which_state_their_parameters_require() {
    #[tool]
    fn maybe(#[extract] client: Client, #[extract] greeting: Option<State<Greeting>>) -> String {
        format!("{}{}", client.0, greeting.is_some())
    }

    let [greet, maybe] = tools![greet, maybe];
    let required: Vec<_> = greet.requirements.states().iter().map(|state| state.type_id).collect();
    assert_eq!(required, [std::any::TypeId::of::<Greeting>()]);
    assert!(maybe.requirements.states().is_empty());
}

#[tool(blocking)]
fn slow(cx: &Cx) -> String {
    let _ = cx;
    std::thread::current().name().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn parameters_may_come_from_the_framework() {
    assert_eq!(schema(tools![greet])["properties"], json!({ "name": { "type": "string" } }));
    for revision in Revision::ALL {
        let server = Server::new("tools").tools(tools![greet]).state(Greeting("Hello"));
        let client = TestClient::with_revision(server, revision);
        let (failed, text) = text_of(&client, "greet", json!({ "name": "Ada" })).await;
        assert_eq!((failed, text), (false, format!("Hello Ada from jackfield-test-client in {revision}")));
    }
    let error = Server::new("tools").tools(tools![greet]).build().unwrap_err();
    assert!(error.to_string().contains("Greeting"), "{error}");
}

#[derive(Deserialize, JsonSchema)]
struct Page {
    number: u32,
    size: Option<u8>,
}

/// Types that enforce all that their schemas say are not checked by the schemas once more; decoding refuses what does not fit.
#[tokio::test]
async fn what_types_enforce_is_not_checked_twice() {
    #[tool]
    fn count(n: u32, page: Option<Page>) -> u32 {
        n + page.map_or(0, |page| page.number + u32::from(page.size.unwrap_or(0)))
    }
    #[tool]
    fn few(#[arg(range(..=10))] n: u32) -> u32 {
        n
    }

    assert_eq!(schema(tools![count])["properties"]["n"], json!({ "type": "integer", "minimum": 0 }));
    let client = TestClient::of(Server::new("tools").tools(tools![count, few]));
    let by_schema = "invalid arguments for ";
    for wrong in [json!({ "n": -1 }), json!({ "n": 1, "page": { "number": -1 } })] {
        let (failed, text) = text_of(&client, "count", wrong).await;
        assert!(failed && !text.starts_with(by_schema), "{text}");
    }
    let (failed, text) = text_of(&client, "few", json!({ "n": 11 })).await;
    assert!(failed && text.starts_with(by_schema), "{text}");
}

#[tokio::test]
async fn blocking_tools_run_elsewhere() {
    let client = TestClient::of(Server::new("tools").tools(tools![slow]));
    let here = std::thread::current().name().unwrap_or_default().to_owned();
    assert_ne!(text_of(&client, "slow", json!({})).await.1, here);
}

/// SRV-006: what a server can do is what is registered in it.
#[tokio::test]
async fn every_revision_lists_and_calls() {
    for revision in Revision::ALL {
        let client = TestClient::with_revision(Server::new("tools").tools(tools![add]), revision);
        let tools: Vec<Tool> = client.list_tools().await.unwrap();
        assert_eq!(tools[0].name, "add", "{revision}");
        assert_eq!(text_of(&client, "add", json!({ "a": 2, "b": 3 })).await.1, "5", "{revision}");
        let introduction = client.introduction().await.unwrap();
        assert!(introduction["capabilities"]["tools"].is_object(), "{introduction}");
    }
}
